"""The soft margin of many rows from few: the same answers as of all rows, and admitted where it is no way to them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from calls import arguments_of
from cases import for_each
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from strategies import overlapping
from watched_rows import WatchedRows, interrupting

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import soft_working_set
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.interior_point.huberised_hinge import HuberisedDescent
from maxmargin.solvers.engines.interior_point.row_view import RowView
from maxmargin.solvers.engines.soft_working_set import NearRows
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import ChosenRows, InMemory, WorkSizes
from maxmargin.solvers.soft_margin.soft_bracket import SoftBracket, WeightedRows
from maxmargin.solvers.soft_margin.soft_margin import soft_margin, soft_margin_path

Floats = np.ndarray[Any, np.dtype[np.float64]]

NARROW = 1e-9
N = 9000


# Thousands of rows are many.
SIZES = WorkSizes(least_sample=200)


def clouds(n: int = N, d: int = 5, **options: Any) -> tuple[Floats, Floats]:
    made = overlapping(n, d, **options)
    return made.X, made.y


def _problem(change: Callable[[Floats], Any] = lambda X: X, bias: bool = True, **options: Any) -> Problem:
    X, y = clouds(**options)
    return replace(Problem.validated(change(X), y, bias=bias), sizes=SIZES)


MANY_ROWS = {
    "plain": _problem(), "through the origin": _problem(bias=False), "one column": _problem(d=1),
    "unbalanced": _problem(share=0.1), "hardly overlapping": _problem(shift=3.0), "separable": _problem(shift=6.0),
    "labels by chance": _problem(shift=0.0), "far from 0": _problem(lambda X: X + 1e6),
    "columns of all sizes": _problem(lambda X: X * 10.0 ** np.arange(-4, 6, 2)),
    "collinear and constant columns": _problem(lambda X: np.column_stack([X, X[:, 0] - X[:, 1], np.full(len(X), 7.0)])),
    "integers": _problem(np.round), "sparse": _problem(lambda X: csr_array(np.where(np.abs(X) > 1, X, 0.0))),
    "sparse, through the origin": _problem(lambda X: csr_array(np.where(np.abs(X) > 1, X, 0.0)), bias=False),
}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4])
@pytest.mark.parametrize("name", MANY_ROWS)
def test_few_rows_tell_what_all_do(name: str, C: float) -> None:
    problem = MANY_ROWS[name]
    mine = soft_margin(problem, C, method="working-set")
    of_all = soft_margin(problem, C, method="interior-point")
    assert mine.attempts[0].status == "optimal"
    assert mine.gap <= NARROW * mine.objective
    assert mine.lower <= of_all.objective and of_all.lower <= mine.objective


def test_weights_are_costs() -> None:
    problem = MANY_ROWS["plain"]
    weights = np.random.default_rng(0).integers(0, 4, size=N).astype(float)
    answers = [soft_margin(problem, 0.5, sample_weight=weights, method=method) for method in METHODS_OF_MANY]
    assert all(answer.gap <= NARROW * answer.objective for answer in answers)
    assert answers[0].lower <= answers[1].objective and answers[1].lower <= answers[0].objective
    assert (answers[0].dual[weights == 0] == 0).all()


METHODS_OF_MANY = ("working-set", "interior-point")


KINDS = ("few points", "heavy tails", "outliers", "one class is rare", "smooth")


def _hard_rows(kind: str, *, seed: int, d: int, noise: float) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4500, d))
    y = np.where(X[:, 0] + noise * rng.normal(size=4500) > 0, 1.0, -1.0)
    if kind == "few points":
        X = np.round(X)
    elif kind == "heavy tails":
        X = rng.standard_cauchy(size=(4500, d))
    elif kind == "outliers":
        X[:3] *= 1e4
    elif kind == "one class is rare":
        y[:] = -1.0
    y[:4] = -1.0, 1.0, -1.0, 1.0
    return X, y


def test_a_program_that_stalls_is_not_called_optimal() -> None:
    X, y = _hard_rows("outliers", seed=21, d=1, noise=1.0)
    problem = replace(Problem.validated(X, y, bias=True), sizes=SIZES)
    mine, answer = soft_margin(problem, 1.0, method="working-set"), soft_margin(problem, 1.0)
    assert mine.lower <= answer.objective and answer.lower <= mine.objective
    assert (mine.attempts[0].status == "optimal") == (mine.gap <= NARROW * mine.objective)
    assert answer.gap <= NARROW * answer.objective


@pytest.mark.slow
@given(st.data())
@settings(max_examples=30)
def test_any_data_end_in_a_narrow_interval(data: st.DataObject) -> None:
    X, y = _hard_rows(
        data.draw(st.sampled_from(KINDS)),
        seed=data.draw(st.integers(0, 2**20)),
        d=data.draw(st.integers(1, 4)),
        noise=data.draw(st.sampled_from([0.0, 0.1, 1.0, 5.0])),
    )
    problem = replace(Problem.validated(X, y, bias=data.draw(st.booleans())), sizes=SIZES)
    C = 10.0 ** data.draw(st.integers(-5, 5))
    answer = soft_margin(problem, C)
    assert answer.attempts[0].solver == "Clarabel" or soft_working_set.is_worth_it(problem)
    mine = soft_margin(problem, C, method="working-set")
    assert mine.lower <= answer.objective and answer.lower <= mine.objective
    assert mine.gap <= NARROW * mine.objective or mine.attempts[0].status in (soft_working_set.ABANDONED, "stalled")
    assert answer.gap <= NARROW * answer.objective


@pytest.mark.parametrize("name", ["plain", "through the origin", "far from 0", "sparse"])
def test_slopes_of_the_rounded_objective(name: str) -> None:
    problem, width = MANY_ROWS[name], 0.4
    view, costs = RowView(interior_point.center_of(problem), problem.bias), np.linspace(0.5, 2.0, N)
    rng = np.random.default_rng(3)
    plane = rng.normal(size=problem.n_features + problem.bias)
    descent = HuberisedDescent(problem, costs, view, plane)
    here = descent._look(plane, width)
    exact = here.plane[: problem.n_features] @ here.plane[: problem.n_features] / 2
    exact += costs @ np.maximum(0.0, here.signed_slack)
    assert exact <= here.value <= exact + costs.sum() * width / 4
    direction = rng.normal(size=len(plane))
    step = 1e-5
    above, below = (descent._look(plane + sign * step * direction, width) for sign in (1, -1))
    assert (above.value - below.value) / (2 * step) == pytest.approx(here.gradient @ direction, rel=1e-4)
    penalty = np.diag((np.arange(len(plane)) < problem.n_features).astype(float))
    bend = (above.gradient - below.gradient) / (2 * step)
    np.testing.assert_allclose(bend, (here.curvature + penalty) @ direction, rtol=0.02, atol=2e-3 * abs(bend).max())


@pytest.mark.parametrize("name", ["plain", "far from 0", "through the origin"])
def test_a_step_that_goes_too_far_is_cut_where_the_objective_is_least(name: str) -> None:
    problem = MANY_ROWS[name]
    view, costs = RowView(interior_point.center_of(problem), problem.bias), np.ones(N)
    size = problem.n_features + problem.bias
    start, end = np.zeros(size), np.full(size, 20.0)
    descent = HuberisedDescent(problem, costs, view, start)
    best = descent._between(descent._look(start, 0.3), descent._look(end, 0.3))
    lengths = np.linspace(0.0, 1.0, 201)
    values = [descent._look(start + length * (end - start), 0.3).value for length in lengths]
    assert descent._look(best, 0.3).value <= min(values) * (1 + 1e-2)


@pytest.mark.parametrize("name", ["plain", "unbalanced", "through the origin", "far from 0", "sparse"])
def test_rows_beside_the_program_count(name: str) -> None:
    problem, costs = MANY_ROWS[name], np.full(N, 3.0)
    answer = soft_margin(problem, 3.0, method="interior-point")
    view = RowView(interior_point.center_of(problem), problem.bias)
    near = NearRows.within(problem, costs, view, view.plane_of(answer.w, answer.b), 0.05, N)
    assert 0 < len(near.rows) < N / 4
    plane, multipliers = near.solve() or pytest.fail("no solution")
    np.testing.assert_allclose(plane[: problem.n_features], answer.w, atol=1e-6 * np.abs(answer.w).max())
    assert not near.wrong_side(plane).rows.size
    dual = near.all_multipliers(multipliers)
    np.testing.assert_allclose(problem.X.T @ (dual * problem.y), answer.w, atol=1e-6 * np.abs(answer.w).max())


@pytest.mark.parametrize("name", ["plain", "far from 0", "through the origin", "sparse"])
def test_rows_that_are_taken_in_leave_the_sums(name: str) -> None:
    problem, costs = MANY_ROWS[name], np.linspace(1.0, 2.0, N)
    center = interior_point.center_of(problem)
    view, d = RowView(center, problem.bias, sizes=WorkSizes(fetched_rows=N)), problem.n_features
    near = NearRows.within(problem, costs, view, np.zeros(d + problem.bias), 0.5, N)
    assert near is not None and not near.rows.size and near.sums_at_bound[0] == pytest.approx(costs.sum())
    plane = np.zeros(d + problem.bias)
    plane[0] = 3.0
    wrong = near.wrong_side(plane)
    assert wrong.are_too_many and 0 < len(wrong.rows) < N
    near.take_in(wrong)
    held = np.setdiff1d(np.arange(N), wrong.rows)
    X = problem.dense_rows(held) - (0.0 if center is None else center)
    np.testing.assert_allclose(near.sums_at_bound[0], costs[held].sum())
    np.testing.assert_allclose(near.sums_at_bound[1 : d + 1], (costs * problem.y)[held] @ X, atol=1e-8)
    np.testing.assert_array_equal(near.rows, wrong.rows)
    assert not near.wrong_side(plane).rows.size


def test_more_rows_than_asked_for_are_not_fetched() -> None:
    problem, costs, view, plane = MANY_ROWS["plain"], np.ones(N), RowView(None, True), np.eye(6)[0]
    near = NearRows.within(problem, costs, view, plane, 0.3, N)
    n_near = len(near.rows)
    assert NearRows.within(problem, costs, view, plane, 0.3, n_near) is not None
    assert NearRows.within(problem, costs, view, plane, 0.3, n_near - 1) is None
    few = view._replace(sizes=WorkSizes(fetched_rows=10))
    assert NearRows.within(problem, costs, few, plane, 0.3, 50) is None
    wrong = replace(near, view=few).wrong_side(-plane)
    assert wrong.are_too_many
    assert wrong.shortfall == pytest.approx(np.abs(1 + problem.y * problem.X[:, 0])[wrong.rows].sum())


def test_too_few_rows_have_no_solution() -> None:
    """All rows of the program are positive and cheap: they cannot balance the negative ones."""
    X = np.concatenate([np.zeros(40), np.full(10, -5.0)])[:, None]
    y = np.repeat([-1.0, 1.0], [40, 10])
    problem = Problem.validated(X, y)
    sides = np.where(y > 0, 0, 1).astype(np.int8)
    held = np.array([40.0, 0.0, -40.0])
    near = NearRows(problem, np.ones(50), RowView(None, True), sides, np.flatnonzero(y > 0), X[y > 0], held, 0.0)
    assert near.solve() is None


@pytest.mark.slow
def test_equal_rows_are_left_to_the_next_engine() -> None:
    X, y = clouds(12_000)
    problem = replace(Problem.validated(X[np.arange(12_000) % 40], y), sizes=SIZES)
    answer = soft_margin(problem, 1e3)
    assert [(attempt.solver, attempt.status) for attempt in answer.attempts] == [
        ("working-set", soft_working_set.ABANDONED),
        ("interior-point", "optimal"),
    ]
    assert answer.status is Status.OPTIMAL and answer.gap <= NARROW * answer.objective


def test_chunks_do_not_matter() -> None:
    problem = MANY_ROWS["plain"]
    whole = soft_margin(problem, 1.0, method="working-set")
    sizes = replace(SIZES, chunk_entries=1000)
    everywhere = ChosenRows(InMemory(np.repeat(problem.X, 2, axis=0), sizes.chunk_entries), np.arange(0, 2 * N, 2))
    for rows in (problem.X, everywhere):
        parts = soft_margin(Problem(rows, problem.y, sizes=sizes), 1.0, method="working-set")
        assert parts.engine == "working-set"
        np.testing.assert_allclose(parts.w, whole.w, rtol=1e-7)


def test_a_path_starts_where_the_last_answer_was() -> None:
    with arguments_of(soft_working_set._of_sample) as samples:
        path = soft_margin_path(MANY_ROWS["plain"], [0.1, 1.0, 10.0], method="working-set")
    assert all(answer.gap <= NARROW * answer.objective for answer in path)
    assert len(samples) == 1


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("C", [1e-6, 1e-4, 1e-3])
def test_labels_by_chance_at_a_low_cost_leave_no_row_near_the_margin(C: float, offset: float) -> None:
    rng = np.random.default_rng(0)
    y = np.where(np.arange(N) % 2, 1.0, -1.0)
    problem = replace(Problem.validated(rng.normal(size=(N, 10)) + offset, y), sizes=SIZES)
    answer = soft_margin(problem, C, method="working-set")
    assert answer.attempts[0].status == "optimal" and answer.gap <= NARROW * answer.objective


@pytest.mark.parametrize("position", ["between the steps", "in a pass"])
def test_interrupted_work_is_proven(position: str) -> None:
    """Ctrl-C may come while the sample is solved, in a pass, while the program is solved, and in the last pass."""
    problem, costs = MANY_ROWS["plain"], np.ones(N)
    best, answers = soft_margin(problem, 1.0), []
    for n_calls in range(0, 200, 3 if position == "between the steps" else 1):
        stop = interrupting(n_calls)
        try:
            if position == "between the steps":
                found = soft_working_set.solve(problem, costs, is_over=stop)
            else:
                found = soft_working_set.solve(replace(problem, X=WatchedRows(problem.X, stop)), costs)
        except KeyboardInterrupt:  # there is nothing to return yet
            assert not answers
            continue
        if found.attempt.status != "interrupted":
            break
        bracket = SoftBracket.of(WeightedRows.of(problem, costs), 1.0, None, Limits())
        bracket.improve([found])
        answer = bracket.solution()
        assert answer.reason == WHAT_WAS_PROVEN
        assert 0 <= answer.lower <= answer.objective < np.inf
        assert answer.lower <= best.objective and best.lower <= answer.objective
        answers.append(answer)
    assert len(answers) >= 5 and answers[0].status is Status.LIMIT
    assert answers[-1].objective < 1.1 * best.objective
    if position == "in a pass":
        assert answers[-1].gap < 1e-3 * answers[-1].objective


@for_each("C", [1e-3, 1.0, 1e3])
@for_each("n", [2, 10, 3900])
def test_few_rows_are_solved_for_at_once(n: int, C: float) -> None:
    answer = soft_margin(_problem(n=n, d=2), C, method="working-set")
    assert answer.attempts[0].status == "optimal" and answer.gap <= NARROW * answer.objective


def test_more_columns_than_rows_are_refused() -> None:
    with pytest.raises(InvalidOptionError, match="too many columns"):
        soft_margin(_problem(n=20, d=30), 1.0, method="working-set")
