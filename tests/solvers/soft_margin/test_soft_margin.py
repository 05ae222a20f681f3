"""The soft margin: both ends proven for whatever the solvers return, agreement with the textbook program."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from calls import interrupting
from cases import for_each
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from liars import make_cvxpy_lie, unreliable
from references import exact_slack, margins_of
from strategies import bundled, entries, problems
from zoo import SEPARABLE, Known

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status
from maxmargin.solvers.engines.textbook import formulations
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.hard_margin.hard_bracket import HardBracket
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.solvers.proof.soft_bounds import dual_lower_bound, objective_upper_bound
from maxmargin.solvers.soft_margin.soft_bracket import RELATIVE_GAP, best_offset
from maxmargin.solvers.soft_margin.soft_engines import METHODS
from maxmargin.solvers.soft_margin.soft_margin import soft_margin, soft_margin_path

small = st.integers(-3, 3).map(float)


costs = st.sampled_from([1e-3, 0.1, 1.0, 7.0, 100.0])


def exact_objective(margins: list[Fraction], w: np.ndarray, C: float) -> Fraction:
    norm = sum((Fraction(v) ** 2 for v in w.tolist()), Fraction(0))
    return norm / 2 + Fraction(C) * sum((max(Fraction(0), 1 - m) for m in margins), Fraction(0))


@pytest.mark.slow
@given(problems(entries), costs)
@settings(max_examples=30)
def test_the_interval_contains_the_textbook_optimum(problem: Problem, C: float) -> None:
    answer = soft_margin(problem, C)
    program = formulations.soft_margin(problem.X, problem.y, C, bias=problem.bias)
    optimum = float(program.solve(solver="CLARABEL"))
    assert answer.status is Status.OPTIMAL
    assert answer.lower <= answer.objective
    assert answer.lower <= optimum * (1 + 1e-5) + 1e-7 and optimum * (1 - 1e-5) - 1e-7 <= answer.objective
    assert answer.objective - answer.lower <= RELATIVE_GAP * answer.objective
    assert answer.gap >= answer.objective - answer.lower


@given(problems(entries), costs)
@settings(max_examples=30)
def test_both_ends_are_those_of_fractions(problem: Problem, C: float) -> None:
    answer = soft_margin(problem, C)
    exact = exact_objective(margins_of(problem.X, problem.y, answer.w, answer.b), answer.w, C)
    assert exact <= Fraction(answer.objective) <= exact * (1 + Fraction(1, 10**9))
    assert ((answer.dual >= 0) & (answer.dual <= C)).all()


@pytest.mark.slow
@pytest.mark.deep
@given(problems(entries, most_rows=7), costs, st.data())
@example(
    Problem(np.array([[-2.0], [1.0], [2.0], [-1.0]]), np.array([-1.0, 1.0, 1.0, -1.0])), 0.1, None
)  # any b in reach
def test_rows_with_slack_are_those_of_the_exact_optimum(problem: Problem, C: float, data: st.DataObject | None) -> None:
    """Weights, some of them 0, duplicated rows and degenerate multipliers; large data have proven bounds only."""
    weights = np.ones(problem.n_samples)
    if data is not None:
        weights = data.draw(hnp.arrays(np.float64, problem.n_samples, elements=st.sampled_from([0.0, 0.1, 1.0, 2.0])))
        copied = data.draw(st.integers(2, problem.n_samples))
        problem.X[copied:] = problem.X[: problem.n_samples - copied]
        weights[:2] = np.maximum(weights[:2], 0.1)  # one of each class
    exact = [Fraction(C) * Fraction(v) for v in weights]
    slack, ends = exact_slack(problem.X, problem.y, exact, problem.bias)
    for sizes in (WorkSizes(), WorkSizes(exact_entries=0)):
        answer = soft_margin(replace(problem, sizes=sizes), C, sample_weight=weights)
        assert answer.slack_bounds[0] <= sum(v > 0 for v in slack) <= answer.slack_bounds[1]
        assert not any(v > 0 for v, found in zip(slack, answer.slack, strict=True) if found == 0)
        if answer.n_slack is not None:
            assert (answer.slack > 0).tolist() == [v > 0 for v in slack]
            np.testing.assert_allclose(answer.slack, np.array([float(v) for v in slack]), atol=1e-6)
        if answer.offset_interval is not None:
            assert problem.bias and (ends[0] == ends[1]) == (answer.offset_interval[0] == answer.offset_interval[1])
            np.testing.assert_allclose(answer.offset_interval, [*map(float, ends)], atol=1e-6)
            assert math.isclose(sum(answer.offset_interval) / 2, answer.b, abs_tol=1e-15)
        is_whole = (np.rint(problem.X) == problem.X).all()
        assert answer.n_slack is not None or sizes.exact_entries == 0 or not is_whole, "small data are decided"


def test_multipliers_next_to_their_bounds_do_not_hide_slack() -> None:
    problem = bundled("breast_cancer", "benign")
    problem = Problem((problem.X - problem.X.mean(axis=0)) / problem.X.std(axis=0), problem.y)
    answer = soft_margin(problem, 1.0)
    is_inside = answer.slack > 0
    assert answer.n_slack == is_inside.sum() == 23 and (answer.dual[is_inside] < 1.0).sum() > 5
    assert soft_margin(bundled("iris", "setosa"), 1.0).slack_bounds == (0, 0)


wild = st.one_of(small, st.floats(allow_nan=False, allow_infinity=False))


@given(problems(wild), st.data(), st.one_of(costs, st.sampled_from([1e-300, 1e300])))
def test_any_plane_is_above_any_multipliers(problem: Problem, data: st.DataObject, C: float) -> None:
    """Weak duality for silly w and alpha, whatever the exponents."""
    n, d = problem.X.shape
    w = data.draw(hnp.arrays(np.float64, d, elements=wild))
    b = data.draw(wild) if problem.bias else 0.0
    fractions = data.draw(hnp.arrays(np.float64, n, elements=st.floats(0, 1)))
    objective = objective_upper_bound(problem, w, b, np.full(n, C))
    exact = exact_objective(margins_of(problem.X, problem.y, w, b), w, C)
    assert math.isinf(objective) or exact <= Fraction(objective)
    lower = dual_lower_bound(problem, np.minimum(fractions * C, C))
    assert 0 <= Fraction(lower) <= exact


@given(problems(entries), st.data())
@example(Problem(np.zeros((3, 1)), np.array([-1.0, 1.0, 1.0])), None)
def test_the_best_offset_beats_every_kink(problem: Problem, data: st.DataObject | None) -> None:
    w = np.zeros(1) if data is None else data.draw(hnp.arrays(np.float64, problem.n_features, elements=entries))
    b = best_offset(problem, w, np.ones(problem.n_samples))
    if not problem.bias:
        assert b == 0
        return

    def slack(offset: float) -> Fraction:
        return exact_objective(margins_of(problem.X, problem.y, w, offset), np.zeros(1), 1.0)

    kinks = (problem.y - problem.X @ w).tolist()
    assert slack(b) <= min(map(slack, [*kinks, b - 1, b + 1, b - 1e-3, b + 1e-3])) + Fraction(1, 10**9)


@pytest.mark.slow
@for_each("unit", [5e-324, 1e-300, 1e-160, 1e160, 1e300, 1.7e308 / 5])
@for_each("C", [1e-300, 1.0, 1e300])
def test_extreme_units_and_costs_still_give_an_interval(unit: float, C: float) -> None:
    y = np.array([-1.0, 1.0, -1.0, 1.0])
    for rows in ([-5.0, 5.0, -3.0, 1.0], [-5.0, 5.0, 1.0, -3.0]):
        for bias in (True, False):
            answer = soft_margin(Problem(np.array(rows)[:, None] * unit, y, bias), C)
            assert 0 <= answer.lower <= answer.objective
            assert np.isfinite(answer.w).all() and math.isfinite(answer.b)
            assert answer.objective <= 4 * C * (1 + 1e-9) or math.isinf(answer.objective)
            assert answer.margin is None or math.isclose(answer.margin * abs(float(answer.w[0])), 1, rel_tol=1e-9)
            assert (answer.margin is None) == (not answer.w.any() or math.isinf(1 / abs(float(answer.w[0]))))


@pytest.mark.sampled
def test_lying_solvers_cannot_move_the_ends(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    problem = Problem(known.X, known.y, known.bias)
    truth = soft_margin(problem, 2.0)
    make_cvxpy_lie(monkeypatch, unreliable(np.random.default_rng(4)))
    for _ in range(5):
        answer = soft_margin(problem, 2.0, method="cvxpy")
        assert answer.lower <= truth.objective and truth.lower <= answer.objective
        assert answer.objective <= 2.0 * problem.n_samples * (1 + 1e-9), "w = 0 is always there"
        assert np.isfinite(answer.w).all() and np.isfinite(answer.dual).all()
        assert answer.status is not Status.OPTIMAL or answer.gap <= RELATIVE_GAP * answer.objective


def test_solvers_that_raise_leave_the_trivial_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr(cp.Problem, "solve", fail)
    X, y = np.array([[0.0], [3.0], [-4.0], [5.0]]), np.array([-1.0, 1.0, -1.0, -1.0])  # no hard margin helps
    monkeypatch.setattr("highspy.Highs.run", fail)
    answer = soft_margin(Problem(X, y), 1.0, method="cvxpy")
    assert answer.status is Status.NUMERICAL and not answer.w.any() and answer.b == -1.0
    assert answer.engine == "none"
    assert 2.0 <= answer.objective <= 2.0 * (1 + 1e-12)
    assert {attempt.status for attempt in answer.attempts} >= {"RuntimeError"}


@given(problems(entries))
@settings(max_examples=20)
def test_multipliers_write_the_normal(problem: Problem) -> None:
    answer = soft_margin(problem, 1.0)
    assume(np.linalg.norm(answer.w) > 1e-2)
    written = problem.X.T @ (answer.dual * problem.y)
    assert np.linalg.norm(answer.w - written) <= 1e-2 * np.linalg.norm(answer.w)
    assert set(answer.support) == set(np.flatnonzero(answer.dual > 1e-7 * answer.dual.max()))


def _repeated(problem: Problem, counts: Any) -> Problem:
    rows = np.repeat(np.arange(problem.n_samples), counts)
    return Problem(problem.X[rows], problem.y[rows], problem.bias)


@pytest.mark.slow
@given(problems(entries), st.data(), costs)
@settings(max_examples=30)
def test_weights_are_repeated_rows(problem: Problem, data: st.DataObject, C: float) -> None:
    counts = data.draw(hnp.arrays(np.int64, problem.n_samples, elements=st.integers(0, 3)))
    counts[:2] = np.maximum(counts[:2], 1)  # one of each class
    weighted = soft_margin(problem, C, sample_weight=counts)
    repeated = soft_margin(_repeated(problem, counts), C)
    assert weighted.lower <= repeated.objective * (1 + 1e-12)
    assert repeated.lower <= weighted.objective * (1 + 1e-12)
    assert (weighted.dual <= C * counts).all() and set(weighted.support) <= set(np.flatnonzero(counts))
    assert weighted.slack.shape == weighted.dual.shape == (problem.n_samples,)
    assert weighted.status is Status.OPTIMAL


def test_weights_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(InvalidProblemError, match="other things than numbers"):
        soft_margin(Problem.validated([[1.0], [2.0]], [-1, 1]), sample_weight=["a", "b"])


def test_solvers_have_no_part_in_structured_methods() -> None:
    for method in METHODS[3:]:
        with pytest.raises(InvalidProblemError, match="no part"):
            soft_margin(Problem.validated([[1.0], [2.0]], [-1, 1]), method=method, solver="CLARABEL")


@pytest.mark.slow
@given(problems(entries), st.lists(costs, min_size=1, max_size=4))
@settings(max_examples=8)
def test_a_path_is_its_single_answers(problem: Problem, Cs: list[float]) -> None:
    for method in ("auto", "interior-point"):
        path = soft_margin_path(problem, Cs, method=method)
        assert [answer.C for answer in path] == Cs
        for answer in path:
            single = soft_margin(problem, answer.C)
            assert answer.lower <= single.objective and single.lower <= answer.objective
            assert answer.gap <= RELATIVE_GAP * answer.objective


def test_an_interrupted_path_ends() -> None:
    """Ctrl-C in the hard margin, which is asked first for so great a C, after a plane and before multipliers."""
    problem = Problem.validated([[-1.0], [1.0]], [-1, 1])
    with interrupting(HardBracket.offer_weights):
        answer = soft_margin(problem, 1e200)
    assert answer.reason == WHAT_WAS_PROVEN and [run.status for run in answer.attempts] == ["interrupted"]
    assert answer.lower <= 0.5 <= answer.objective
    with interrupting(HardBracket.offer_weights), pytest.raises(KeyboardInterrupt):
        soft_margin_path(problem, [1e200, 1e201])


@for_each("separable", SEPARABLE)
def test_a_path_ends_at_the_hard_margin(separable: Known) -> None:
    problem = Problem(separable.X, separable.y, separable.bias)
    greatest = float(hard_margin(problem).dual.max())
    path = soft_margin_path(problem, greatest * np.array([0.5, 1.001, 10.0, 1e6]))
    limit = 1 / (2 * separable.margin_squared)
    for answer in path[1:]:
        assert Fraction(answer.lower) <= limit <= Fraction(answer.objective)
        assert answer.gap <= 1e-8 * answer.objective
    assert path[0].lower <= float(limit) * (1 + 1e-12)


def test_rounding_makes_no_slack_of_many_rows_on_the_margin() -> None:
    X = np.random.default_rng(0).standard_normal((400, 1000))
    answer = soft_margin(Problem(X, np.resize([1.0, -1.0], 400)), 1e3)
    assert answer.gap <= 1e-9 * answer.objective


def test_cvxpy_is_asked_only_where_the_interval_is_wide() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    assert [run.solver for run in soft_margin(Problem(X, y), 1.0).attempts] == ["interior-point"]
    wide = soft_margin(Problem(X, y, sizes=WorkSizes(exact_entries=0)), 1e80)
    assert [run.solver for run in wide.attempts[:3]] == ["interior-point", "hard margin", "CLARABEL"]
