"""Corrections of lecture notes about the perceptron hold in general; the page of the docs runs the counterexamples."""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maxmargin.data.generators import generate
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import geometric_margin, least_functional_margin, norm_squared
from maxmargin.solvers.separability.feasibility import separability

ZERO_RULES = ("mistake", "positive", "negative")


def radius_squared(X: np.ndarray) -> int:
    return int((X**2).sum(axis=1).max())


def weights_after_each_mistake(problem: Problem, run_rows: list[int]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield (w before, z added), in whole numbers."""
    Z = (problem.X * problem.y[:, None]).astype(np.int64)
    w = np.zeros(problem.n_features, dtype=np.int64)
    for row in run_rows:
        yield w, Z[row]
        w = w + Z[row]


@st.composite
def separable_through_the_origin(draw: st.DrawFn) -> tuple[Problem, np.ndarray]:
    """Draw rows in whole numbers and a whole vector u with y u.x > 0 on each."""
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.int64, (n, d), elements=st.integers(-6, 6)))
    u = draw(hnp.arrays(np.int64, d, elements=st.integers(-4, 4)))
    scores = X @ u
    assume((scores != 0).all())
    return Problem(X.astype(float), np.sign(scores).astype(float), bias=False), u


# The bounds.


@given(st.integers(1, 60), st.sampled_from(ZERO_RULES))
def test_unit_vectors_reach_the_bound(n: int, zero: str) -> None:
    """R = 1 and gamma = 1/sqrt(n): 1/gamma^2 mistakes, not 1/gamma; under a fixed sign(0) the other label only."""
    signs = np.resize([1.0, -1.0], n)
    problem = Problem(np.eye(n) * signs[:, None], signs, bias=False)
    n_mistakes = perceptron(problem, PerceptronSettings(zero=zero)).n_mistakes
    wrong_at_zero = {"mistake": n, "positive": n // 2, "negative": n - n // 2}
    assert n_mistakes == wrong_at_zero[zero]
    if n > 1:
        assert hard_margin(problem, exact=True).margin_squared == Fraction(1, n)


@given(separable_through_the_origin(), st.sampled_from(list(Order)), st.integers(0, 2**32 - 1), st.integers(-3, 5))
def test_only_the_ratio_of_radius_and_margin_counts(
    data: tuple[Problem, np.ndarray], order: Order, seed: int, exponent: int
) -> None:
    problem, _ = data
    settings = PerceptronSettings(order=order)
    scaled = Problem(np.ldexp(problem.X, exponent), problem.y, bias=False)
    runs = [perceptron(each, settings, rng=np.random.default_rng(seed)) for each in (problem, scaled)]
    assert runs[0].mistake_rows.tolist() == runs[1].mistake_rows.tolist()


@given(separable_through_the_origin(), st.integers(2, 1000))
def test_the_functional_margin_is_any_number(data: tuple[Problem, np.ndarray], factor: int) -> None:
    problem, whole = data
    u = whole.astype(float)
    least, larger = (least_functional_margin(problem, v, 0.0) for v in (u, factor * u))
    assert larger == factor * least > 0
    square = least**2 / norm_squared(u)
    assert square == larger**2 / norm_squared(factor * u)
    assert geometric_margin(least, norm_squared(u)) == geometric_margin(larger, norm_squared(factor * u))
    assert perceptron(problem).n_mistakes <= radius_squared(problem.X) / square
    huge = factor * math.isqrt(radius_squared(problem.X)) + factor
    assert radius_squared(problem.X) / least_functional_margin(problem, huge * u, 0.0) ** 2 < 1


# Conjunctions.


@st.composite
def conjunction_sequences(draw: st.DrawFn) -> tuple[int, int, np.ndarray, np.ndarray]:
    d = draw(st.integers(1, 7))
    k = draw(st.integers(1, d))
    bits = draw(hnp.arrays(np.int64, (draw(st.integers(2, 60)), d), elements=st.sampled_from([-1, 1])))
    flips = draw(hnp.arrays(np.int64, k, elements=st.sampled_from([-1, 1])))  # literals may be negated
    return d, k, bits.astype(float), np.where((bits[:, :k] == flips).all(axis=1), 1.0, -1.0)


@given(conjunction_sequences(), st.sampled_from(ZERO_RULES))
def test_the_bound_for_conjunctions_holds_on_sequences(
    sequence: tuple[int, int, np.ndarray, np.ndarray], zero: str
) -> None:
    d, k, X, y = sequence
    for limit in (1, None):
        run = perceptron(Problem(X, y), PerceptronSettings(zero=zero, max_epochs=limit))
        assert run.n_mistakes <= (d + 1) * (k * k - k + 1)
    assert run.converged


# On the way.


@given(separable_through_the_origin(), st.sampled_from(ZERO_RULES))
def test_what_rises_at_every_mistake(data: tuple[Problem, np.ndarray], zero: str) -> None:
    """w.u by y u.x, so by gamma ||u|| at least; ||w||^2 by ||x||^2 at most. All in whole numbers."""
    problem, u = data
    least = least_functional_margin(problem, u.astype(float), 0.0)
    run = perceptron(problem, PerceptronSettings(zero=zero))
    for m, (w, z) in enumerate(weights_after_each_mistake(problem, run.mistake_rows.tolist()), start=1):
        after = w + z
        assert after @ u - w @ u >= least
        assert after @ after - w @ w <= z @ z <= radius_squared(problem.X)
        # cos(w, u) >= sqrt(m) gamma / R, in squares.
        cosine_squared = Fraction(int(after @ u) ** 2, int(after @ after) * int(u @ u))
        assert cosine_squared >= m * least**2 / (int(u @ u) * radius_squared(problem.X))


# Zero.


signs_of_any_rows = st.integers(2, 7).flatmap(
    lambda n: st.tuples(
        hnp.arrays(np.float64, (n, 2), elements=st.integers(-2, 2).map(float)),
        hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])),
    )
)


@given(signs_of_any_rows, st.sampled_from(ZERO_RULES), st.booleans())
def test_a_clean_pass_is_a_separation_where_zero_is_a_mistake_or_there_is_a_bias(
    rows: tuple[np.ndarray, np.ndarray], zero: str, bias: bool
) -> None:
    X, y = rows
    assume(len(set(y)) == 2)
    problem = Problem(X, y, bias=bias)
    run = perceptron(problem, PerceptronSettings(zero=zero, max_epochs=200))
    if run.converged and (bias or zero == "mistake"):
        assert separability(problem).strictly_separable


# Separability.


# Undershooting.


@given(
    hnp.arrays(np.int64, 2, elements=st.integers(-9, 9)),
    hnp.arrays(np.int64, 2, elements=st.integers(-3, 3)),
    st.sampled_from([-1, 1]),
)
def test_a_run_repeats_a_row_as_often_as_stated(long: np.ndarray, short: np.ndarray, sign: int) -> None:
    """The first row makes w; the other one, presented again and again, is repaired in floor(-y w.x/||x||^2) + 1."""
    assume(long.any() and short.any() and sign * (long @ short) <= 0)
    expected = -sign * int(long @ short) // int(short @ short) + 1
    X = np.vstack([long, np.tile(short, (expected + 2, 1))]).astype(float)
    y = np.array([1.0] + [float(sign)] * (expected + 2))
    run = perceptron(Problem(X, y, bias=False), PerceptronSettings(max_epochs=1))
    assert run.mistake_rows.tolist() == list(range(expected + 1))


# The bias and the step.


@given(signs_of_any_rows, st.sampled_from([0.25, 0.5, 1.0, 2.0, 8.0]))
def test_the_offset_moves_by_the_square_of_the_bias_scale(rows: tuple[np.ndarray, np.ndarray], scale: float) -> None:
    X, y = rows
    run = perceptron(Problem(X, y), PerceptronSettings(bias_scale=scale, max_mistakes=200))
    assert run.b == scale**2 * y[run.mistake_rows].sum()


def mistakes_from(problem: Problem, w: list[Fraction], eta: Fraction, most: int) -> list[int]:
    rows: list[int] = []
    while len(rows) < most:
        before = len(rows)
        for i, (x, sign) in enumerate(zip(problem.X.tolist(), problem.y.tolist(), strict=True)):
            if int(sign) * sum(v * int(value) for v, value in zip(w, x, strict=True)) <= 0:
                w = [v + eta * int(sign) * int(value) for v, value in zip(w, x, strict=True)]
                rows.append(i)
        if len(rows) == before:
            break
    return rows[:most]


rates = st.fractions(Fraction(1, 100), 100, max_denominator=100)


@given(signs_of_any_rows, st.tuples(st.integers(-9, 9), st.integers(-9, 9)), rates, rates)
def test_only_the_start_over_the_step_counts(
    rows: tuple[np.ndarray, np.ndarray], start: tuple[int, int], eta: Fraction, factor: Fraction
) -> None:
    problem = Problem(*rows, bias=False)
    w = [Fraction(v) for v in start]
    scaled = mistakes_from(problem, [factor * v for v in w], factor * eta, 60)
    assert scaled == mistakes_from(problem, w, eta, 60)
    origin = [Fraction(0), Fraction(0)]
    run = perceptron(problem, PerceptronSettings(max_mistakes=60))
    assert mistakes_from(problem, origin, eta, 60) == run.mistake_rows.tolist()


# The theorem of Freund and Schapire.


@given(signs_of_any_rows, st.tuples(st.integers(-20, 20), st.integers(-20, 20)), st.integers(1, 40))
def test_any_vector_bounds_one_pass_and_the_best_one_of_the_mistakes_is_zero(
    rows: tuple[np.ndarray, np.ndarray], direction: tuple[int, int], unit: int
) -> None:
    X, y = rows
    mistakes = perceptron(Problem(X, y, bias=False), PerceptronSettings(max_epochs=1)).mistake_rows
    v = np.array(direction) / unit

    def bound(v: np.ndarray, chosen: np.ndarray) -> float:
        radius = math.sqrt((X[chosen] ** 2).sum(axis=1).max(initial=0.0))
        slack = np.maximum(0, 1 - y[chosen] * (X[chosen] @ v))
        return float((radius * np.linalg.norm(v) + np.linalg.norm(slack)) ** 2)

    allowance = 1 - 1e-12
    assert bound(v, np.arange(len(y))) >= len(mistakes) * allowance
    assert bound(v, mistakes) >= len(mistakes) * allowance
    assert math.isclose(bound(np.zeros(2), mistakes), len(mistakes))


# How long a run takes.


@given(separable_through_the_origin())
def test_the_bound_of_the_mistakes_is_one_of_the_passes(data: tuple[Problem, np.ndarray]) -> None:
    problem, u = data
    least = least_functional_margin(problem, u.astype(float), 0.0)
    most = radius_squared(problem.X) * int(u @ u) // least**2
    run = perceptron(problem)
    assert run.n_epochs == np.count_nonzero(run.mistakes_per_epoch) + 1 <= most + 1


def test_clean_draws_do_not_end_a_run() -> None:
    data = generate("agresti")
    problem = Problem(data.X, data.y.astype(float))
    run = perceptron(problem, PerceptronSettings(order=Order.RANDOM), rng=np.random.default_rng(0))
    assert run.converged and run.margin > 0
    assert (run.mistakes_per_epoch[:-2] == 0).any(), "a clean pass of n draws, and yet a mistake was left"
