"""Corrections of lecture notes about the perceptron hold in general; the page of the docs runs the counterexamples."""

from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.proof.margins import least_functional_margin

ZERO_RULES = ("mistake", "positive", "negative")


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


# Conjunctions.


@st.composite
def conjunction_sequences(draw: st.DrawFn) -> tuple[int, int, np.ndarray, np.ndarray]:
    d = draw(st.integers(1, 7))
    k = draw(st.integers(1, d))
    bits = draw(hnp.arrays(np.int64, (draw(st.integers(2, 60)), d), elements=st.sampled_from([-1, 1])))
    flips = draw(hnp.arrays(np.int64, k, elements=st.sampled_from([-1, 1])))  # literals may be negated
    return d, k, bits.astype(float), np.where((bits[:, :k] == flips).all(axis=1), 1.0, -1.0)


@given(conjunction_sequences(), st.sampled_from(ZERO_RULES))
def test_the_conjunction_bound_holds_on_sequences(sequence: tuple[int, int, np.ndarray, np.ndarray], zero: str) -> None:
    d, k, X, y = sequence
    for limit in (1, None):
        run = perceptron(Problem(X, y), PerceptronSettings(zero=zero, max_epochs=limit))
        assert run.n_mistakes <= (d + 1) * (k * k - k + 1)
    assert run.converged


# Undershooting.


@given(
    hnp.arrays(np.int64, 2, elements=st.integers(-9, 9)), hnp.arrays(np.int64, 2, elements=st.integers(-3, 3)),
    st.sampled_from([-1, 1]),
)  # fmt: skip
def test_a_run_repeats_a_row_as_often_as_stated(long: np.ndarray, short: np.ndarray, sign: int) -> None:
    """The first row makes w; the other one, presented again and again, is repaired in floor(-y w.x/||x||^2) + 1."""
    assume(long.any() and short.any() and sign * (long @ short) <= 0)
    expected = -sign * int(long @ short) // int(short @ short) + 1
    X = np.vstack([long, np.tile(short, (expected + 2, 1))]).astype(float)
    y = np.array([1.0] + [float(sign)] * (expected + 2))
    run = perceptron(Problem(X, y, bias=False), PerceptronSettings(max_epochs=1))
    assert run.mistake_rows.tolist() == list(range(expected + 1))


# How long a run takes.


@given(separable_through_the_origin())
def test_the_bound_of_the_mistakes_is_one_of_the_passes(data: tuple[Problem, np.ndarray]) -> None:
    problem, u = data
    least = least_functional_margin(problem, u.astype(float), 0.0)
    most = radius_squared(problem) * int(u @ u) // least**2
    run = perceptron(problem)
    assert run.n_epochs == np.count_nonzero(run.mistakes_per_epoch) + 1 <= most + 1
