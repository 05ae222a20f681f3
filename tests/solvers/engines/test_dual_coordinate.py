"""The dual coordinate engine against the textbook program, closed forms, and its own optimality conditions."""

import math
from collections.abc import Callable
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest
from calls import arguments_of
from cases import for_each
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array, random_array
from strategies import entries, overlapping, problems
from watched_rows import interrupting

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.basics.compiling import Lazy
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines.dual_coordinate import dual_coordinate_kernels as kernels
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate import solve
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_newton import polish
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_state import Best, DescentRows, balanced
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.problem.candidate import Candidate
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import offset_of_least_slack
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.solvers.proof.soft_bounds import dual_lower_bound, objective_upper_bound
from maxmargin.solvers.soft_margin.soft_bracket import SoftBracket, WeightedRows
from maxmargin.solvers.soft_margin.soft_margin import soft_margin

GAP = 1e-6
COSTS = [1e-4, 0.01, 1.0, 100.0, 1e4, 1e6]


def objective(problem: Problem, costs: np.ndarray, w: np.ndarray) -> float:
    scores = problem.X @ w
    b = offset_of_least_slack(problem.y - scores, problem.y, costs) if problem.bias else 0.0
    return float(w @ w / 2 + costs @ np.maximum(0, 1 - problem.y * (scores + b)))


def dual_value(problem: Problem, alpha: np.ndarray) -> float:
    w = problem.X.T @ (alpha * problem.y)
    return float(alpha.sum() - w @ w / 2)


def check(problem: Problem, costs: np.ndarray, found: Candidate, gap: float = GAP) -> None:
    """Feasible multipliers, balanced, and a duality gap computed here from the answer alone."""
    assert found.attempt.status == "optimal", found.attempt
    w, alpha = found.w, found.multipliers
    assert w is not None and alpha is not None
    assert (alpha >= 0).all() and (alpha <= costs).all()
    if problem.bias:
        assert abs(alpha @ problem.y) <= 1e-13 * alpha.sum()
    upper, lower = objective(problem, costs, w), dual_value(problem, alpha)
    assert lower <= upper * (1 + 1e-12)
    assert upper - lower <= gap * upper * (1 + 1e-6) + 1e-15 * alpha.sum()


def textbook(problem: Problem, costs: np.ndarray) -> float:
    w, b = cp.Variable(problem.n_features), cp.Variable() if problem.bias else 0.0
    slack = cp.pos(1 - cp.multiply(problem.y, problem.X @ w + b))
    return float(cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + costs @ slack)).solve(solver="CLARABEL"))


def sparse_problem(n: int = 300, d: int = 2000, *, bias: bool = True, seed: int = 0) -> Problem:
    rng = np.random.default_rng(seed)
    X = csr_array(random_array((n, d), density=10 / d, rng=rng, data_sampler=rng.standard_normal))
    y = np.where(X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n) > 0.2, 1.0, -1.0)
    return Problem(X, y, bias)


def dense_problem(n: int = 60, d: int = 4, *, bias: bool = True, seed: int = 0) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return Problem(X, np.where(X[:, 0] + rng.standard_normal(n) > 0.3, 1.0, -1.0), bias)


def with_zero_rows(bias: bool) -> Problem:
    problem = sparse_problem(bias=bias)
    return replace(problem, X=csr_array(problem.X.toarray() * (np.arange(300) % 7 > 0)[:, None]))


def drawn_with_costs(problem: Problem, data: st.DataObject) -> tuple[Problem, np.ndarray]:
    """Return the rows in either storage, and a cost for each."""
    elements = st.sampled_from([1e-3, 0.1, 1.0, 7.0, 100.0])
    costs = data.draw(hnp.arrays(np.float64, problem.n_samples, elements=elements))
    return replace(problem, X=csr_array(problem.X) if data.draw(st.booleans()) else problem.X), costs


@given(problems(entries, 12, 4), st.data())
@settings(max_examples=12)
def test_the_gap_closes_at_the_textbook_optimum(problem: Problem, data: st.DataObject) -> None:
    problem, costs = drawn_with_costs(problem, data)
    found = solve(problem, costs)
    check(problem, costs, found)
    assert objective(problem, costs, found.w) == pytest.approx(textbook(problem, costs), rel=1e-5, abs=1e-7)


@given(problems(entries, 12, 4), st.data())
def test_proven_bounds_are_as_near(problem: Problem, data: st.DataObject) -> None:
    problem, costs = drawn_with_costs(problem, data)
    found = solve(problem, costs)
    b = offset_of_least_slack(problem.y - problem.X @ found.w, problem.y, costs) if problem.bias else 0.0
    upper, lower = objective_upper_bound(problem, found.w, b, costs), dual_lower_bound(problem, found.multipliers)
    assume(upper > 0)
    assert 0 <= upper - lower <= 1.1 * GAP * upper


@for_each("bias", [True, False])
@for_each("C", COSTS)
@for_each("build", [sparse_problem, dense_problem])
def test_costs_of_all_sizes(build: Callable[..., Problem], C: float, bias: bool) -> None:
    problem = build(bias=bias)
    costs = np.full(problem.n_samples, C)
    check(problem, costs, solve(problem, costs))


def test_multipliers_agree_with_the_margins() -> None:
    problem = sparse_problem()
    costs = np.random.default_rng(1).uniform(0.02, 0.3, problem.n_samples)
    found = solve(problem, costs, relative_gap=1e-12)
    scores = problem.X @ found.w
    margins = problem.y * (scores + offset_of_least_slack(problem.y - scores, problem.y, costs))
    at_zero, at_bound = found.multipliers == 0, found.multipliers == costs
    assert at_zero.any() and at_bound.any() and not (at_zero | at_bound).all()
    assert (margins[at_zero] >= 1 - 1e-5).all() and (margins[at_bound] <= 1 + 1e-5).all()
    np.testing.assert_allclose(margins[~at_zero & ~at_bound], 1, atol=1e-5)
    np.testing.assert_allclose(problem.X.T @ (found.multipliers * problem.y), found.w, atol=1e-5)


def test_every_run_and_storage_gives_the_same_answer() -> None:
    X, y = sparse_problem().X, sparse_problem().y
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    halves = csr_array((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    halves.data.flags.writeable = False
    dense = dense_problem()
    for rows, others, labels in ((X, (X, wide, halves), y), (dense.X, (csr_array(dense.X),), dense.y)):
        expected = solve(Problem(rows, labels), np.ones(len(labels)))
        for same in others:
            found = solve(Problem(same, labels), np.ones(len(labels)))
            np.testing.assert_array_equal(found.w, expected.w)
            np.testing.assert_array_equal(found.multipliers, expected.multipliers)
    assert halves.nnz == 2 * X.nnz


ZEROS = [Problem(csr_array((4, 3)), np.array([1.0, -1.0, 1.0, 1.0]), bias) for bias in (True, False)]


@for_each("problem, costs, gap", [
    *((zeros, np.ones(4), GAP) for zeros in ZEROS),
    *((with_zero_rows(bias), np.ones(300), GAP) for bias in (True, False)),
    (Problem(sparse_problem().X, np.where(np.arange(300) == 3, 1.0, -1.0)), np.ones(300), GAP),
    (Problem(np.array([[-4.0], [5.0], [1.0]]), np.array([-1.0, 1.0, -1.0])), np.array([1.0, 0.1, 100.0]), GAP),
    (sparse_problem(), np.ones(300), 1e-10), (dense_problem(), np.ones(60), 1e-10),
])  # fmt: skip
def test_zero_rows_a_small_class_and_narrow_gaps(problem: Problem, costs: np.ndarray, gap: float) -> None:
    check(problem, costs, solve(problem, costs, relative_gap=gap), gap)


@pytest.mark.parametrize("exponent", [-500, -300, -20, 20, 300, 500])
def test_units_only_change_the_units(exponent: int) -> None:
    problem = dense_problem()
    scaled = Problem(np.ldexp(problem.X, exponent), problem.y)
    found, plain = solve(scaled, np.full(60, math.ldexp(1.0, -2 * exponent))), solve(problem, np.ones(60))
    np.testing.assert_allclose(np.ldexp(found.w, exponent), plain.w, rtol=1e-9, atol=1e-12)


def ill_conditioned() -> Problem:
    """As many free rows as columns: descent crawls."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((400, 60)) * np.logspace(0, -2, 60)
    return Problem(X, np.where(X @ rng.standard_normal(60) + 0.02 * rng.standard_normal(400) > 0, 1.0, -1.0))


def test_newton_takes_over_where_descent_crawls() -> None:
    problem, costs = ill_conditioned(), np.full(400, 1000.0)
    with arguments_of(polish) as calls:
        check(problem, costs, solve(problem, costs, relative_gap=1e-9), 1e-9)
    assert calls


@pytest.mark.parametrize("C", [1.0, 1e-2])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("build", [sparse_problem, dense_problem])
def test_newton_alone_gets_there(build: Callable[..., Problem], bias: bool, C: float) -> None:
    problem, costs = build(bias=bias), np.full(build().n_samples, C)
    rows = DescentRows.of(problem)
    best = Best(rows=rows, costs=costs)
    polish(rows, best, np.zeros(problem.n_samples), 0.0, 1e-10, lambda: False)
    assert best.relative_gap <= 1e-10
    assert best.lower == pytest.approx(textbook(problem, costs), rel=1e-6)


def test_work_stops_when_told() -> None:
    problem = sparse_problem()
    asked = iter(range(100))
    found = solve(problem, np.full(300, 1e4), relative_gap=1e-15, is_over=lambda: next(asked) >= 3)
    assert found.attempt.status == "user_limit" and found.stopped_early
    assert abs(found.multipliers @ problem.y) <= 1e-10
    assert solve(problem, np.ones(300), relative_gap=0.0, is_over=lambda: True).attempt.status == "user_limit"


@for_each("engine, problem, C, n_calls", [
    (solve, sparse_problem(), 1.0, 2), (solve, ill_conditioned(), 1000.0, 200),
    (interior_point.solve, overlapping(3000, 4), 1.0, 5),
])  # fmt: skip
def test_interrupted_work_is_proven(engine: Callable[..., Candidate], problem: Problem, C: float, n_calls: int) -> None:
    """Ctrl-C comes in the third pass, in Newton's method, and in the fifth step of the interior point."""
    true, costs = soft_margin(problem, C), np.full(problem.n_samples, C)
    bracket = SoftBracket.of(WeightedRows.of(problem, costs), 1.0, None, Limits())
    bracket.improve([engine(problem, costs, is_over=interrupting(n_calls))])
    answer = bracket.solution()
    assert (answer.status.value, answer.reason) == ("limit", WHAT_WAS_PROVEN)
    assert answer.attempts[-1].status == "interrupted"
    assert 0 < answer.lower <= true.objective
    assert true.lower <= answer.objective < C * 2 * min((problem.y > 0).sum(), (problem.y < 0).sum())  # that of w = 0


@pytest.mark.parametrize("build", [sparse_problem, dense_problem])
def test_no_compiled_call_takes_long(build: Callable[..., Problem]) -> None:
    problem = build()
    rows, rng = DescentRows.of(problem), np.random.default_rng(0)
    w, factors = rng.standard_normal(problem.n_features), rng.standard_normal(problem.n_samples)

    def results() -> list[bytes]:
        found = rows.scores(w), *(some.combine(some.everything, factors) for some in (rows, rows.squared()))
        return [vector.tobytes() for vector in found]

    whole = results()
    problem = replace(problem, sizes=WorkSizes(call_entries=100))
    rows = DescentRows.of(problem)
    assert results() == whole
    with arguments_of(Lazy.__call__) as calls:
        check(problem, np.ones(problem.n_samples), solve(problem, np.ones(problem.n_samples)))
    orders = [call["arguments"][7] for call in calls if call["self"] is kernels.epoch]
    assert max(map(len, orders)) * rows.entries[2][-1] / problem.n_samples <= 100


@given(hnp.arrays(np.float64, 10, elements=st.floats(0, 1)))
def test_balancing_keeps_multipliers_feasible(alpha: np.ndarray) -> None:
    y = np.where(np.arange(10) < 4, 1.0, -1.0)
    out = balanced(alpha, y, np.ones(10))
    assert (out >= 0).all() and (out <= 1).all()
    assert abs(out @ y) <= 1e-14 * (1 + out.sum())
    if abs(alpha @ y) <= 1e-15:
        np.testing.assert_allclose(out, alpha, atol=1e-12)


@pytest.mark.parametrize("unit", [1e-200, 1e150, 1e271])
def test_extreme_units_are_no_error(unit: float) -> None:
    problem = dense_problem()
    found = solve(Problem(problem.X * unit, problem.y), np.full(problem.n_samples, 1.0 / unit / unit or 5e-324))
    assert found.attempt.status in ("optimal", "user_limit", "stalled")
