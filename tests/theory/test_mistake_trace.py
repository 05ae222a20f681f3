"""The trace of the mistakes: every number against a walk in fractions, and Novikoff's inequalities on any data."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from elimination import dot
from hypothesis import given
from hypothesis import strategies as st
from watched_rows import InterruptingGenerator

import maxmargin as mm
from maxmargin.api.running import run_perceptron
from maxmargin.data.batches import MemoryBudget
from maxmargin.data.dataset import problem_of
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.exact_states import UNKNOWN_ROW, ExactStateSizes, chosen_mistakes
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.settings import RunSizes
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.novikoff import START, Novikoff, NovikoffInequality, SeparatingVector, Standing
from maxmargin.theory.mistake_traces import COLUMNS, MistakeTrace, TraceSizes, mistake_trace, space_margin, trace_of

AGRESTI = [[10.0], [20.0], [30.0], [40.0], [60.0], [70.0], [80.0], [90.0]]
SIDES = [0, 0, 0, 0, 1, 1, 1, 1]

Walk = dict[str, list[Fraction]]

# Relative distance of a number from its neighbours in binary64, about four of them.
ULPS = 1e-15


def traced(X: Any, y: Any, **options: Any) -> MistakeTrace:
    return mistake_trace(X, y, **options)


def brute_force(X: Any, y: Any, scale: float, rows: list[int], u: list[Fraction]) -> Walk:
    """Walk over the mistakes in fractions; squares stand for norms, the last entries are those of the constant."""
    Z = [[Fraction(v) for v in [*row, scale]] for row in X]
    signs = [1 if sign > 0 else -1 for sign in y]
    square = max(dot(z, z) for z in Z)
    length = dot(u, u)
    margin = min(sign * dot(u, z) for sign, z in zip(signs, Z, strict=True))
    w, total = [Fraction(0)] * len(Z[0]), Fraction(0)
    found: Walk = {name: [] for name in ("dot", "norm", "squares", "most", "potential", "least", "margin")}
    for M, row in enumerate(rows, start=1):
        assert signs[row] * dot(w, Z[row]) <= 0
        w = [a + signs[row] * b for a, b in zip(w, Z[row], strict=True)]
        total += dot(Z[row], Z[row])
        away = [square / margin * a - b for a, b in zip(u, w, strict=True)]
        found["dot"].append(dot(w, u) ** 2 / length)
        found["norm"].append(dot(w, w))
        found["squares"].append(total)
        found["most"].append(M * square)
        found["potential"].append(dot(away, away) / 2)
        found["least"].append(min(sign * dot(w, z) for sign, z in zip(signs, Z, strict=True)))
        found["margin"].append(margin**2 / length * M**2)
    return found


def is_root(values: np.ndarray, squares: list[Fraction], *, up: bool) -> bool:
    """Return whether these are the roots, rounded up or down and no further than that."""
    pairs = [(Fraction(value), square) for value, square in zip(values.tolist(), squares, strict=True)]
    near = all(math.isclose(float(value) ** 2, float(square), rel_tol=4 * ULPS) for value, square in pairs)
    return near and all(value**2 >= square if up else value**2 <= square for value, square in pairs)


def direction_of(trace: MistakeTrace, X: Any, y: Any, scale: float) -> list[Fraction]:
    """Return the u that was used, from the same solution of the same problem."""
    hard = mm.hard_margin(np.column_stack([X, np.full(len(X), scale)]), y, bias=False)
    assert hard.w is not None and trace.u is not None
    np.testing.assert_allclose(hard.w / np.linalg.norm(hard.w), trace.u, rtol=1e-12, atol=1e-15)
    return [Fraction(v) for v in hard.w.tolist()]


SEPARABLE = [
    ([[10.0], [12.0]], [0, 1], 1.0),
    ([[0.0, 0.0], [1.0, 3.0], [2.0, -1.0], [5.0, 2.0]], [0, 0, 1, 1], 2.0),
    (AGRESTI, SIDES, 4.0),
]


@pytest.mark.parametrize(("X", "y", "scale"), SEPARABLE)
def test_every_column_is_that_of_a_walk_in_fractions(X: Any, y: Any, scale: float) -> None:
    trace = traced(X, y, bias_scale=scale)
    assert trace.is_whole and trace.holds and trace.inequalities == tuple(NovikoffInequality)
    assert trace.row.tolist() == trace.run.mistake_rows.tolist()
    signs = [2 * side - 1 for side in y]
    walk = brute_force(X, signs, scale, trace.row.tolist(), direction_of(trace, X, y, scale))
    assert is_root(trace.w_dot_u, walk["dot"], up=False)
    assert is_root(trace.w_dot_u_at_least, walk["margin"], up=False)
    assert is_root(trace.norm, walk["norm"], up=True)
    assert is_root(trace.root_of_squares, walk["squares"], up=True)
    assert is_root(trace.norm_at_most, walk["most"], up=True)
    assert is_root(trace.cosine, [a / b for a, b in zip(walk["dot"], walk["norm"], strict=True)], up=False)
    assert is_root(trace.upper, [a / M**2 for M, a in enumerate(walk["norm"], start=1)], up=True)
    for value, exact in zip(trace.potential.tolist(), walk["potential"], strict=True):
        assert exact <= Fraction(value) <= exact * (1 + Fraction(ULPS))
    for value, least, norm in zip(trace.lower.tolist(), walk["least"], walk["norm"], strict=True):
        exact = math.copysign(math.sqrt(least**2 / norm), least)
        assert math.isclose(value, exact, rel_tol=4 * ULPS)
        square = Fraction(value) ** 2
        assert square <= least**2 / norm if least >= 0 else square >= least**2 / norm
    step = Fraction(walk["most"][0]) / 2
    start = trace.bound * float(step)
    for drop, exact in zip(trace.potential_drop.tolist(), walk["potential"], strict=True):
        assert drop == pytest.approx((start - float(exact)) / float(step), rel=1e-6)


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=7), bias=st.booleans(),
    zero=st.sampled_from(["mistake", "positive", "negative"]), order=st.sampled_from(Order),
    scale=st.sampled_from([0.5, 1.0, 4.0]), most=st.sampled_from([2, 5, 500]),
)  # fmt: skip
def test_the_inequalities_hold_on_any_data(
    rows: list[tuple[int, int]], bias: bool, zero: str, order: Order, scale: float, most: int
) -> None:
    X, y = np.array(rows, dtype=float), np.arange(len(rows)) % 2
    options: dict[str, Any] = {"bias": bias, "zero": zero, "order": order, "bias_scale": scale, "rng": 1}
    trace = traced(X, y, max_mistakes=60, most_points=most, **options)
    assert trace.violations == ()
    hard = mm.hard_margin(np.column_stack([X, np.full(len(X), scale)]) if bias else X, y, bias=False)
    is_separable = hard.lower > 0
    assert (trace.u is not None) == is_separable == (trace.reason == "") == (len(trace.inequalities) == 4)
    assert (trace.norm <= trace.root_of_squares).all() and (trace.root_of_squares <= trace.norm_at_most).all()
    assert (trace.lower <= trace.maximum_upper).all() and (trace.maximum_lower <= trace.upper).all()
    assert (trace.margin <= mm.hard_margin(X, y, bias=bias).upper).all()
    columns = [trace.w_dot_u, trace.w_dot_u_at_least, trace.potential, trace.potential_drop]
    if not is_separable:
        assert all(np.isnan(column).all() for column in columns)
        assert math.isnan(trace.u_margin) and math.isnan(trace.bound)
        return
    assert trace.u_margin <= trace.maximum_upper and trace.run.n_mistakes <= trace.bound
    assert (trace.w_dot_u >= trace.w_dot_u_at_least).all()
    assert (trace.w_dot_u <= trace.norm).all() and (trace.cosine <= 1).all()
    # Rounded down, so it may be one unit in the last place below M where the inequality is an equation.
    assert (trace.potential_drop >= trace.n_mistakes * (1 - ULPS)).all() and (trace.potential >= 0).all()


@pytest.mark.slow
def test_the_last_mistake_is_the_end_of_the_run() -> None:
    data = mm.load("wine", positive="class_0")
    for options in ({}, {"bias": False}, {"order": "random", "rng": 7}):
        trace = traced(data.X, data.labels, positive="class_0", max_mistakes=800, **options)
        run = trace.run
        assert trace.n_mistakes[-1] == run.n_mistakes and trace.row[-1] == run.mistake_rows[-1]
        assert (trace.margin[-1], trace.margin_upper[-1]) == (run.margin, run.margin_upper)
        assert (trace.lower[-1], trace.upper[-1]) == (run.run_margin, run.run_upper)
        assert trace.norm[-1] == pytest.approx(run.run_norm if options.get("bias", True) else run.norm, rel=1e-12)


@pytest.mark.slow
def test_few_points_of_a_long_run_are_those_of_all() -> None:
    long = traced(AGRESTI, SIDES, most_points=60)
    assert long.run.n_mistakes == 1701 and not long.is_whole and long.holds
    whole = traced(AGRESTI, SIDES, most_points=1701)
    at = long.n_mistakes - 1
    assert whole.is_whole
    for name, values in long.columns().items():
        np.testing.assert_array_equal(whole.columns()[name][at], values)


@given(n_mistakes=st.integers(0, 10**12), most=st.integers(2, 300))
def test_chosen_mistakes(n_mistakes: int, most: int) -> None:
    chosen = chosen_mistakes(n_mistakes, most)
    assert len(chosen) <= most and (np.diff(chosen) > 0).all()
    if n_mistakes <= most:
        assert chosen.tolist() == list(range(1, n_mistakes + 1))
        return
    assert chosen[-1] == n_mistakes
    assert chosen[: most // 2].tolist() == list(range(1, most // 2 + 1))
    spaced = chosen[max(0, most // 2 - 1) :]
    if len(chosen) == most:  # else two positions were rounded to one mistake
        steps = np.log(spaced[1:] / spaced[:-1])
        assert (np.abs(steps - steps.mean()) <= 1 / spaced[:-1]).all()


@pytest.mark.parametrize("order", list(Order))
def test_a_run_longer_than_its_log_is_made_again(order: Order) -> None:
    whole = traced(AGRESTI, SIDES, order=order, rng=5, most_points=40)
    problem = Problem.validated(AGRESTI, np.array(SIDES) * 2 - 1)
    run = run_perceptron(problem, order=order, rng=5, sizes=RunSizes(most_logged=150))
    hard, rng = space_margin(problem, 1.0), np.random.default_rng(5)
    cut = trace_of(problem, run, hard, rng=rng, most_points=40)
    assert len(cut.run.mistake_rows) == 150 < cut.run.n_mistakes
    for name, values in whole.columns().items():
        np.testing.assert_array_equal(cut.columns()[name], values)


@pytest.mark.slow
def test_a_run_that_cannot_be_made_again_ends_with_one_long_interval() -> None:
    problem = Problem.validated(AGRESTI, np.array(SIDES) * 2 - 1)
    whole = trace_of(problem, run_perceptron(problem), space_margin(problem, 1.0))
    sizes = RunSizes(most_logged=150)
    run = replace(run_perceptron(problem, sizes=sizes), n_uncertain=1)
    trace = trace_of(problem, run, space_margin(problem, 1.0))
    assert trace.n_mistakes.tolist() == [*range(1, 151), 1701]
    assert trace.row[-1] == UNKNOWN_ROW and (trace.row[:-1] >= 0).all() and trace.holds
    for name in set(COLUMNS) - {"row"}:
        assert trace.columns()[name][-1] == whole.columns()[name][-1]
    drawn = run_perceptron(problem, order="random", rng=3, sizes=sizes)
    assert trace_of(problem, drawn, space_margin(problem, 1.0)).row[-1] == UNKNOWN_ROW
    told = trace_of(problem, drawn, space_margin(problem, 1.0), rng=np.random.default_rng(3))
    assert told.row[-1] >= 0 and told.n_mistakes[-1] == drawn.n_mistakes


def test_an_interrupted_second_run_is_no_trace() -> None:
    problem = Problem.validated(AGRESTI, np.array(SIDES) * 2 - 1)
    run = run_perceptron(problem, order=Order.RESHUFFLED, rng=5, sizes=RunSizes(most_logged=150))
    hard, rng = space_margin(problem, 1.0), InterruptingGenerator(np.random.PCG64(5))
    with pytest.raises(KeyboardInterrupt):
        trace_of(problem, run, hard, rng=rng)


def test_a_run_that_was_stopped_before_its_first_mistake_has_an_empty_trace() -> None:
    problem = Problem.validated([[0.0], [1.0]], [-1, 1])
    nothing = np.empty(0, dtype=np.int64)
    run = replace(run_perceptron(problem), n_mistakes=0, mistake_rows=nothing, mistake_counts=np.zeros(2, np.int64))
    trace = trace_of(problem, run, space_margin(problem, 1.0))
    assert trace.holds and trace.is_whole and all(len(values) == 0 for values in trace.columns().values())


def test_many_mistaken_rows_are_looked_at_in_chunks() -> None:
    X, y = overlapping(400)
    problem = Problem.validated(X, 2 * y - 1)
    run, hard = run_perceptron(problem, max_mistakes=2000), space_margin(problem, 1.0)
    small = TraceSizes(states=ExactStateSizes(most_fetched=10, entries_at_once=64))
    at_once, in_parts = (trace_of(problem, run, hard, most_points=50, sizes=sizes) for sizes in (None, small))
    for name, values in at_once.columns().items():
        np.testing.assert_array_equal(in_parts.columns()[name], values)


def overlapping(n: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(2)
    X = random.standard_normal((n, 3)) + 100.0
    return X, (X @ [1.0, -1.0, 1.0] + random.standard_normal(n) > 100).astype(int)


def test_sparse_rows_give_the_same() -> None:
    from scipy.sparse import csr_array

    X, y = overlapping(60)
    dense, sparse = (traced(rows, y, max_mistakes=300) for rows in (X, csr_array(X)))
    for name, values in dense.columns().items():
        np.testing.assert_array_equal(sparse.columns()[name], values)


def test_large_data_have_fewer_points() -> None:
    X, y = overlapping(200)
    problem = Problem.validated(X, 2 * y - 1)
    run, hard = run_perceptron(problem, max_mistakes=1000), space_margin(problem, 1.0)

    def points(**sizes: int) -> list[int]:
        numbers: list[int] = trace_of(problem, run, hard, sizes=TraceSizes(**sizes)).n_mistakes.tolist()
        return numbers

    assert len(points(most_read=200 * 3 * 30)) <= 30
    assert 2 < len(points(most_read=1)) <= 10
    assert points(most_read=1, most_added=1) == [1, 1000]


@pytest.fixture
def on_disk(tmp_path: Path) -> Callable[..., Problem]:
    """Problems whose rows stay in a file, read in small chunks."""
    budget = replace(MemoryBudget.of("1MiB"), in_memory_bytes=0, chunk_row_limit=70)

    def problem(X: np.ndarray, y: np.ndarray) -> Problem:
        path = tmp_path / "data.parquet"
        pa.parquet.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "label": y}), path)
        data = mm.load(path, memory=budget)
        assert not data.is_in_memory
        return problem_of(data)

    return problem


@pytest.mark.parametrize("most_fetched", [10, 4096])
@pytest.mark.parametrize("gap", [0.0, 8.0])
def test_rows_outside_memory_give_the_same(on_disk: Callable[..., Problem], gap: float, most_fetched: int) -> None:
    sizes = TraceSizes(states=ExactStateSizes(most_fetched=most_fetched))
    X, y = overlapping(300)
    X = X + gap * np.outer(2 * y - 1, [1.0, -1.0, 1.0])
    outside, inside = on_disk(X, y), Problem.validated(X, 2 * y - 1)
    traces = []
    for problem in (outside, inside):
        run = run_perceptron(problem, max_epochs=5)
        traces.append(trace_of(problem, run, space_margin(problem, 1.0), most_points=40, sizes=sizes))
    assert (traces[0].u is not None) == (traces[1].u is not None) == (gap > 0)
    assert traces[0].holds and traces[1].holds
    of_u = {"w_dot_u", "w_dot_u_at_least", "cosine", "potential", "potential_drop"}
    for name, values in traces[0].columns().items():
        # Another engine finds the maximum margin, so u is the same only up to its gap.
        np.testing.assert_allclose(values, traces[1].columns()[name], rtol=1e-6 if name in of_u else 0)


def test_a_cut_log_outside_memory(on_disk: Callable[..., Problem]) -> None:
    problem = on_disk(*overlapping(300))
    run = run_perceptron(problem, max_epochs=3, sizes=RunSizes(most_logged=20))
    trace = trace_of(problem, run, space_margin(problem, 1.0))
    assert trace.n_mistakes.tolist() == [*range(1, 21), run.n_mistakes]
    assert trace.row[-1] == UNKNOWN_ROW and trace.lower[-1] == run.run_margin and trace.upper[-1] == run.run_upper


def test_numbers_at_the_ends_of_binary64() -> None:
    X = np.array([[10.0], [12.0]])
    plain = traced(X, [0, 1])
    for unit in (2.0**-500, 2.0**500):
        trace = traced(X * unit, [0, 1], bias_scale=unit)
        assert trace.holds and trace.row.tolist() == plain.row.tolist()
        np.testing.assert_array_equal(trace.norm, plain.norm * unit)
        np.testing.assert_array_equal(trace.upper, plain.upper * unit)
        np.testing.assert_allclose(trace.potential_drop, plain.potential_drop, rtol=1e-9)


def test_what_is_false_is_found() -> None:
    """Claims of a run that never was: every inequality is seen to fail, by name."""
    proof = Novikoff(radius_squared=Fraction(1), direction=None)
    grown = Standing(n_mistakes=1, square=Fraction(2), squares=Fraction(3, 2), product=Fraction(0))
    assert [v.inequality for v in proof.violations(START, grown)] == [
        NovikoffInequality.GROWTH,
        NovikoffInequality.LENGTH,
    ]
    proof = Novikoff(radius_squared=Fraction(1), direction=SeparatingVector(least=Fraction(1), square=Fraction(1)))
    slow = Standing(n_mistakes=1, square=Fraction(1), squares=Fraction(1), product=Fraction(1, 2))
    found = proof.violations(START, slow)
    assert [v.inequality for v in found] == [NovikoffInequality.PROGRESS, NovikoffInequality.POTENTIAL]
    assert [v.n_mistakes for v in found] == [1, 1] and found[0].reason == "1.0 > 0.5"


def test_mistakes_that_were_none_are_told() -> None:
    """A run whose log claims mistakes on rows that are right: its weights grow too fast."""
    problem = Problem.validated([[-1.0], [1.0], [2.0]], [-1, 1, 1], bias=False)
    run = run_perceptron(problem)
    rows = np.array([2, 2, 2])
    false = replace(run, mistake_rows=rows, n_mistakes=3, mistake_counts=np.bincount(rows, minlength=3))
    trace = trace_of(problem, false, space_margin(problem, 1.0))
    assert not trace.holds
    assert {v.inequality for v in trace.violations} >= {NovikoffInequality.GROWTH}
    assert min(v.n_mistakes for v in trace.violations) == 2


@pytest.mark.parametrize("wrong", [1, 2.5, "many"])
def test_a_wrong_number_of_points_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidOptionError, match="most_points"):
        traced([[0.0], [1.0]], [0, 1], most_points=wrong)


def test_the_best_scale_may_go_through_the_origin() -> None:
    trace = traced([[-10.0], [-20.0], [10.0], [20.0]], [0, 0, 1, 1], bias_scale="best")
    assert trace.u is not None and len(trace.u) == 1
    np.testing.assert_array_equal(trace.lower, trace.margin)
