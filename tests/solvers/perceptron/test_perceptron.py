"""The perceptron against a reference in fractions, its limits, and the theorems that hold for every run."""

import math
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from threading import Timer
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from references import exact_perceptron, is_separable, margins_of
from scipy.sparse import csr_array
from strategies import fewer_examples, problems

import maxmargin as mm
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import EngineName, PerceptronSettings, RunProgress, RunSizes
from maxmargin.solvers.problem.problem import Problem

ZERO_RULES = ("mistake", "positive", "negative")
AGRESTI = Problem.validated([[10], [20], [30], [40], [60], [70], [80], [90]], [-1] * 4 + [1] * 4)


def orders(order: Order, n: int, rng: np.random.Generator) -> Iterator[Any]:
    """Yield the rows of every epoch."""
    rows = rng.permutation(n) if order is Order.SHUFFLED_ONCE else range(n)
    while True:
        if order is Order.RESHUFFLED:
            rows = rng.permutation(n)
        if order is Order.RANDOM:
            rows = rng.integers(n, size=n)
        yield rows


small = st.integers(-4, 4).map(float)

configurations = st.builds(
    PerceptronSettings,
    bias_scale=st.sampled_from([0.5, 1.0, 2.0, 4.0]),
    zero=st.sampled_from(ZERO_RULES),
    order=st.sampled_from(list(Order)),
    max_epochs=st.integers(1, 12),
    max_mistakes=st.one_of(st.none(), st.integers(1, 40)),
    method=st.sampled_from(list(EngineName)),
    sizes=st.sampled_from([RunSizes(), RunSizes(slice_entries=1, log_buffer=1)]),
)


@pytest.mark.deep
@given(problems(small, 8, 11), configurations, st.integers(0, 2**32 - 1), st.booleans())
def test_the_mistakes_are_those_of_fractions(
    problem: Problem, configuration: PerceptronSettings, seed: int, sparse: bool
) -> None:
    stored = Problem(csr_array(problem.X), problem.y, problem.bias) if sparse else problem
    run = perceptron(stored, configuration, rng=np.random.default_rng(seed))
    order = configuration.order
    truth = exact_perceptron(
        problem.X,
        problem.y,
        configuration.bias_scale if problem.bias else 0.0,
        configuration.zero,
        configuration.max_epochs,
        orders=orders(order, problem.n_samples, np.random.default_rng(seed)),
        is_random=order is Order.RANDOM,
        max_mistakes=configuration.max_mistakes,
    )
    rows = truth.mistake_rows
    assert run.mistake_rows.tolist() == rows
    assert run.mistakes_per_epoch.tolist() == truth.mistakes_per_epoch
    assert (run.converged, run.n_mistakes, run.n_epochs) == (truth.converged, len(rows), truth.n_epochs)
    assert (run.n_ties, run.n_uncertain) == (0, 0), "integers need no exact help"
    assert exact_weights(problem, run) == [*run.w.tolist(), run.b / configuration.bias_scale]
    assert run.mistake_counts.tolist() == np.bincount(rows, minlength=problem.n_samples).tolist()
    stopped = "max_mistakes" if len(rows) == configuration.max_mistakes else "max_epochs"
    assert run.stop_reason == ("converged" if truth.converged else stopped)


@pytest.mark.parametrize("method", ["auto", "weights"])
def test_a_scan_of_all_rows_does_not_make_ties_of_integers(method: str) -> None:
    """A scan between random presentations learns that all numbers are small integers; the run has to learn it too."""
    problem = Problem.validated([[0, -1], [0, 1], [0, -1], [0, 0]], [-1, 1, -1, -1], bias=False)
    settings = PerceptronSettings(order=Order.RANDOM, max_epochs=3, method=EngineName(method))
    for seed in range(650, 660):
        run = perceptron(problem, settings, rng=np.random.default_rng(seed))
        assert (run.n_ties, run.n_uncertain) == (0, 0)


@given(problems(small, 8, 11), configurations, st.integers(0, 2**32 - 1), st.sampled_from([-900, -30, 1, 30, 900]))
def test_powers_of_2_change_no_mistake(problem: Problem, configuration: PerceptronSettings, seed: int, k: int) -> None:
    """The learning rate, and the unit of the data with the constant coordinate, do not matter from w = 0."""
    scaled = Problem(np.ldexp(problem.X, k), problem.y, bias=False)
    plain = perceptron(Problem(problem.X, problem.y, bias=False), configuration, rng=np.random.default_rng(seed))
    other = perceptron(scaled, configuration, rng=np.random.default_rng(seed))
    assert other.mistake_rows.tolist() == plain.mistake_rows.tolist()
    np.testing.assert_array_equal(other.w, np.ldexp(plain.w, k))
    if abs(k) < 100:
        settings_there = replace(configuration, bias_scale=math.ldexp(configuration.bias_scale, k))
        plain = perceptron(Problem(problem.X, problem.y), configuration, rng=np.random.default_rng(seed))
        other = perceptron(Problem(scaled.X, problem.y), settings_there, rng=np.random.default_rng(seed))
        assert other.mistake_rows.tolist() == plain.mistake_rows.tolist()


# The theorems, on every run.


def exact_weights(problem: Problem, run: mm.PerceptronRun) -> list[Fraction]:
    """Return sum_I y (x, s) in fractions."""
    s = Fraction(run.settings.bias_scale) if problem.bias else Fraction(0)
    w = [Fraction(0)] * (problem.n_features + 1)
    for i, count in enumerate(np.bincount(run.mistake_rows, minlength=problem.n_samples).tolist()):
        row = [*map(Fraction, problem.X[i].tolist()), s]
        w = [v + count * int(problem.y[i]) * a for v, a in zip(w, row, strict=True)]
    return w


def in_run_space(problem: Problem, scale: float) -> Problem:
    if not problem.bias:
        return problem
    return Problem(np.hstack([problem.X, np.full((problem.n_samples, 1), scale)]), problem.y, bias=False)


def square(vector: list[Fraction]) -> Fraction:
    return sum((v * v for v in vector), Fraction(0))


floats = st.one_of(small, st.floats(-5, 5).map(lambda v: round(v, 2)))


@pytest.mark.slow
@fewer_examples
@given(problems(floats, 8, 11), configurations, st.integers(0, 2**32 - 1), st.sampled_from([None, 0.3]))
def test_the_numbers_of_every_run_are_those_of_its_weights_and_its_certificates_hold(
    problem: Problem, configuration: PerceptronSettings, seed: int, scale: float | None
) -> None:
    if scale is not None:  # not a power of two: b = s w_b is rounded
        configuration = replace(configuration, bias_scale=scale)
    run = perceptron(problem, configuration, rng=np.random.default_rng(seed))
    s = Fraction(configuration.bias_scale) if problem.bias else Fraction(0)
    space = in_run_space(problem, configuration.bias_scale)
    M, w = run.n_mistakes, exact_weights(problem, run)

    # w is sum_I y (x, s), up to rounding.
    np.testing.assert_allclose(run.w, [float(v) for v in w[:-1]], atol=1e-9)
    assert math.isclose(run.b, float(w[-1] * s), abs_tol=1e-9)
    assert math.isclose(run.run_norm, math.sqrt(square(w)), abs_tol=1e-9)
    assert math.isclose(run.norm, math.sqrt(square(w[:-1])), abs_tol=1e-9)

    g = hard_margin(space)
    gamma = hard_margin(problem)
    # Self-certificates: achieved margins below, the mistakes' means above.
    assert run.run_margin <= g.upper
    assert run.margin <= gamma.upper
    if M:
        assert run.run_upper is not None and run.run_upper >= g.lower
        assert Fraction(run.run_upper) ** 2 >= square(w) / M**2
        assert math.isclose(run.run_upper, math.sqrt(square(w)) / M, rel_tol=1e-9, abs_tol=1e-300)
    both = len(set(problem.y[run.mistake_rows].tolist())) == 2
    assert (run.margin_upper is not None) == (both if problem.bias else M > 0)
    if run.margin_upper is not None:
        assert run.margin_upper >= gamma.lower

    # The achieved margins are those of the plane returned, rounded down.
    least = min(margins_of(problem.X, problem.y, run.w, run.b))
    norm = square([Fraction(v) for v in run.w.tolist()])
    assert (run.margin == -math.inf) == (norm == 0)
    if norm:
        value = Fraction(run.margin)
        assert value * abs(value) <= least * abs(least) / norm
        assert math.isclose(run.margin, float(least) / math.sqrt(norm), rel_tol=1e-9, abs_tol=1e-12)
    run_square = norm + ((Fraction(run.b) / s) ** 2 if s else 0)
    if run_square:
        value = Fraction(run.run_margin)
        assert value * abs(value) <= least * abs(least) / run_square


@pytest.mark.slow
@fewer_examples
@given(
    problems(small, 8, 11), st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from(list(Order)), st.integers(0, 2**32 - 1)
)
def test_it_converges_exactly_on_separable_data(problem: Problem, scale: float, order: Order, seed: int) -> None:
    assume(problem.n_features <= 3)
    separable = is_separable(in_run_space(problem, scale).X, problem.y, False)
    limit = 3000
    if separable:
        space = in_run_space(problem, scale)
        g = hard_margin(space)
        bound = float((space.X**2).sum(axis=1).max()) / g.lower**2
        assume(bound < 1e5)
        limit = math.ceil(bound) + 1
    configuration = PerceptronSettings(bias_scale=scale, order=order, max_mistakes=limit)
    run = perceptron(problem, configuration, rng=np.random.default_rng(seed))
    assert run.converged is separable
    if separable:
        assert run.run_margin > 0 and run.margin > 0


@pytest.mark.slow
@fewer_examples
@given(problems(small, 8, 11), st.sampled_from(["positive", "negative"]))
def test_with_a_bias_a_stop_under_a_fixed_sign_implies_separability(problem: Problem, zero: str) -> None:
    assume(problem.n_features <= 3)
    run = perceptron(Problem(problem.X, problem.y), PerceptronSettings(zero=zero, max_mistakes=500))
    if run.converged:
        assert is_separable(problem.X, problem.y)


def test_a_fixed_sign_can_stop_where_nothing_separates() -> None:
    problem = Problem.validated([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [1, 1, -1], bias=False)
    run = perceptron(problem, PerceptronSettings(zero="positive"))
    assert run.converged and run.n_mistakes == 1
    assert run.margin == 0, "its plane touches"
    assert not perceptron(problem, PerceptronSettings(max_mistakes=1000)).converged


# Numbers from outside.


@pytest.mark.parametrize("label, mistakes", [("class_0", 20), ("class_1", 58), ("class_2", 23)])
def test_wine_standardised(label: str, mistakes: int) -> None:
    data = mm.load("wine", positive=label)
    run = perceptron(Problem(mm.prepare(data.X, "standardize").X, data.y.astype(float)))
    assert run.converged and run.n_mistakes == mistakes


# Interruption, bad options.


def test_an_interrupted_run_keeps_its_state() -> None:
    inseparable = Problem.validated([[0.0], [1.0], [2.0]], [-1, 1, -1])
    seen: list[RunProgress] = []

    def stop(progress: RunProgress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            raise KeyboardInterrupt

    run = perceptron(inseparable, PerceptronSettings(max_mistakes=None), on_progress=stop)
    assert run.stop_reason == "interrupted" and not run.converged
    assert run.n_mistakes == seen[-1].n_mistakes > seen[0].n_mistakes
    assert 0 < seen[0].seconds < seen[1].seconds
    w = exact_weights(inseparable, run)
    assert [float(v) for v in w] == [*run.w.tolist(), run.b]


def test_a_real_ctrl_c_keeps_the_state() -> None:
    X = np.arange(2000.0).reshape(-1, 1) % 7
    problem = Problem(X, np.where(np.arange(2000) % 2, 1.0, -1.0))
    perceptron(problem, PerceptronSettings(max_epochs=1))  # compiled now
    Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    run = perceptron(problem, PerceptronSettings(max_mistakes=None))
    counts = run.mistake_counts
    assert run.stop_reason == "interrupted" and run.n_mistakes == counts.sum()
    assert len(run.mistake_rows) == min(run.n_mistakes, run.settings.sizes.most_logged)
    assert (run.w[0], run.b) == ((counts * problem.y * X[:, 0]).sum(), (counts * problem.y).sum())


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e200, 1e300])
def test_extreme_units_through_the_origin(unit: float) -> None:
    X, y = np.array([[-3.0], [1.0], [2.0]]), np.array([-1.0, 1.0, 1.0])
    run = perceptron(Problem(X * unit, y, bias=False))
    assert run.converged and run.n_mistakes == 1
    assert run.margin == unit and run.margin_upper is not None and run.margin_upper >= unit


def test_planes_beyond_the_greatest_number_come_in_smaller_units() -> None:
    X, y = np.array([[-5e300], [-3e300], [1e300], [5e300]]), np.array([-1.0, -1.0, 1.0, 1.0])
    run = perceptron(Problem(X, y), PerceptronSettings(bias_scale=1e300))
    assert run.converged and np.isfinite([*run.w, run.b, run.norm]).all()
    plain = perceptron(Problem(X / 1e300, y))
    assert run.n_mistakes == plain.n_mistakes
    assert math.isclose(run.margin, plain.margin * 1e300, rel_tol=1e-9)


def test_planes_beyond_the_greatest_number_in_any_units_are_refused() -> None:
    X, y = np.array([[-5e-324], [5e-324], [0.0]]), np.array([-1.0, -1.0, 1.0])
    with pytest.raises(mm.InvalidProblemError, match="overflow"):
        perceptron(Problem(X, y), PerceptronSettings(max_mistakes=1, bias_scale=1.7e308))
