"""The parts of the decision engine, each by what it promises, in integers."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import for_each
from elimination import rank
from proven import is_right

import maxmargin as mm
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.linear import circuit_near, null_space, null_vectors, onto_face, pivot_columns
from maxmargin.solvers.exact.simplex import Circuit, StrictDirection, strict_direction
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.separability.cone import decide
from maxmargin.solvers.separability.cone.cone_rows import ConeSettings, SignedRows
from maxmargin.solvers.separability.cone.decide import Face
from maxmargin.solvers.separability.feasibility import separability


def whole(rows: list[list[int]]) -> np.ndarray:
    """Return rows as Python integers."""
    return np.array(rows, dtype=object)


def no_rows(width: int) -> np.ndarray:
    return np.empty((0, width), dtype=object)


def independent(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """Return up to n independent rows."""
    kept: list[list[int]] = []
    for row in rng.integers(-2, 3, size=(n, width)).tolist():
        if rank([*kept, row]) > len(kept):
            kept.append(row)
    return whole(kept) if kept else no_rows(width)


def is_circuit(rows: np.ndarray, fixed: np.ndarray, found: Circuit) -> bool:
    """Check positive weights that balance with the fixed rows, and that no other weights live on the same rows."""
    assert min(found.weights) > 0 and len(found.positions) == len(found.weights) == len(set(found.positions))
    chosen = rows[found.positions]
    balance = np.array(found.weights, dtype=object).dot(chosen)
    if len(fixed):
        balance = balance + np.array(found.fixed_weights, dtype=object).dot(fixed)
    assert not balance.any()
    return rank([*chosen.tolist(), *fixed.tolist()]) == len(fixed) + len(found.positions) - 1


def is_direction(rows: np.ndarray, fixed: np.ndarray, found: StrictDirection) -> bool:
    vector = np.array(found.vector, dtype=object)
    return bool((rows.dot(vector) > 0).all()) and not (len(fixed) and fixed.dot(vector).any())


# The rational simplex method


@pytest.mark.parametrize("size", [3, 10**6, 10**200], ids=["small", "large", "huge"])
@pytest.mark.parametrize("stalled", [0, 20])
def test_a_direction_or_a_circuit(size: int, stalled: int) -> None:
    """Either answer excludes the other; with Bland's rule from the start as well."""
    rng = np.random.default_rng(1)
    kinds = set()
    for case in range(120):
        n, width = int(rng.integers(1, 9)), int(rng.integers(1, 5))
        rows = whole(rng.integers(-2, 3, size=(n, width)).tolist())
        rows = rows * size + whole(rng.integers(0, 2, size=(n, width)).tolist()) if size > 3 else rows
        fixed = independent(rng, int(rng.integers(0, width)), width)
        first = rng.permutation(n)[: rng.integers(0, n + 1)].tolist()
        found = strict_direction(rows, fixed, first=first, stalled_pivots=stalled)
        kinds.add(type(found))
        if isinstance(found, Circuit):
            assert is_circuit(rows, fixed, found), case
        else:
            assert isinstance(found, StrictDirection) and is_direction(rows, fixed, found), case
    assert kinds == {Circuit, StrictDirection}


def test_degenerate_stretches_end() -> None:
    """Every vertex of these is the meeting of many rows."""
    everything = whole([row for row in product((-1, 0, 1), repeat=4) if any(row)])
    nothing_fixed = no_rows(4)
    found = strict_direction(everything, nothing_fixed)
    assert isinstance(found, Circuit) and is_circuit(everything, nothing_fixed, found)
    upper = whole([[a, b, c, 1] for a, b, c in product((-1, 0, 1), repeat=3)])
    found = strict_direction(upper, nothing_fixed, first=list(range(26, -1, -1)))
    assert isinstance(found, StrictDirection) and is_direction(upper, nothing_fixed, found)


def test_a_row_of_zeros_is_a_circuit() -> None:
    found = strict_direction(whole([[1, 0], [0, 0], [0, 1]]), no_rows(2))
    assert found == Circuit(positions=[1], weights=[1], fixed_weights=[])


def test_the_whole_space_fixed() -> None:
    rows, fixed = whole([[2, 3]]), whole([[1, 1], [1, -1]])
    found = strict_direction(rows, fixed)
    assert isinstance(found, Circuit) and is_circuit(rows, fixed, found)


def test_the_simplex_method_asks_for_the_time() -> None:
    rows = whole(np.random.default_rng(0).integers(-9, 10, size=(30, 5)).tolist())
    calls = iter([False, False, True])
    assert strict_direction(rows, no_rows(5), is_over=lambda: next(calls)) is None


# Circuits, null spaces


def test_circuits_near_weights() -> None:
    """Exact weights plus noise, on more rows than a circuit has."""
    rng = np.random.default_rng(3)
    n_found = 0
    for _ in range(100):
        n, width = int(rng.integers(2, 9)), int(rng.integers(1, 5))
        rows = whole(rng.integers(-2, 3, size=(n, width)).tolist())
        fixed = independent(rng, int(rng.integers(0, width)), width)
        found = circuit_near(rows, fixed, rng.integers(1, 100, size=n).tolist())
        if found is not None:
            n_found += 1
            assert is_circuit(rows, fixed, found)
    assert n_found >= 20


def test_weights_that_balance_stay() -> None:
    rows = whole([[1, 0], [0, 1], [-1, -2], [-1, 0]])
    nothing = no_rows(2)
    same = Circuit(positions=[0, 1, 2], weights=[1, 2, 1], fixed_weights=[])
    assert circuit_near(rows[:3], nothing, [1, 2, 1]) == same
    found = circuit_near(rows, nothing, [5, 2, 1, 4])
    assert found is not None and is_circuit(rows, nothing, found)
    assert circuit_near(rows[:2], nothing, [1, 1]) is None, "independent"
    assert circuit_near(whole([[1, 0], [2, 0]]), nothing, [1, 1]) is None, "on one side"


def test_null_vectors() -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        matrix = rng.integers(-3, 4, size=(int(rng.integers(1, 5)), int(rng.integers(1, 6)))).tolist()
        vectors = null_vectors(matrix)
        assert len(vectors) == len(matrix[0]) - rank(matrix)
        frees = [free for free, _ in vectors]
        for free, vector in vectors:
            assert not whole(matrix).dot(np.array(vector, dtype=object)).any()
            assert vector[free] > 0 and not any(vector[other] for other in frees if other != free)


def test_null_space_in_units() -> None:
    """Units of 600 decimal orders, and no rows at all."""
    vectors = null_space(whole([[1, 1, 0]]), [1000, -1000, 3])
    assert sorted(vectors) == [[-1, 1 << 2000, 0], [0, 0, 1]] or sorted(vectors) == [[0, 0, 1], [1, -(1 << 2000), 0]]
    assert null_space(no_rows(2), [5, 7]) == [[1, 0], [0, 1]]


def test_a_direction_moved_onto_a_face() -> None:
    fixed = whole([[1, 1, 0], [0, 2, 1]])
    direction = [Fraction(1, 3), Fraction(-1, 2), Fraction(1)]
    for exponents in ([0, 0, 0], [900, -900, 3]):
        moved = onto_face(direction, fixed, exponents, [0, 1])
        assert moved is not None and moved[2] == direction[2]
        in_units = [v * Fraction(2) ** e for v, e in zip(moved, exponents, strict=True)]
        assert in_units[0] + in_units[1] == 0 == 2 * in_units[1] + in_units[2]
    assert onto_face(direction, fixed, [0, 0, 0], [0]) is None, "fewer columns than rows"
    assert onto_face(direction, whole([[1, 1, 0], [1, 1, 1]]), [0, 0, 0], [0, 1]) is None, "dependent columns"


def test_pivot_columns_are_independent_and_the_first_come_first() -> None:
    rows = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1e-3]])
    assert sorted(pivot_columns(rows, [])) in ([0, 2], [1, 2])
    assert pivot_columns(rows, [1])[0] == 1
    assert pivot_columns(np.zeros((1, 2)), []) == []


# Faces


def cone_of(X: Any, y: Any, bias: bool = True) -> SignedRows:
    return SignedRows(Problem.validated(X, y, bias=bias))


def test_a_row_near_the_span_is_not_in_it() -> None:
    """Floating point takes 1 + 1e-13 for 1; the exact check does not."""
    cone = cone_of([[1.0, 1.0], [-1.0, -1.0], [2.0, 2.0], [2.0, 2.0 + 2.0**-50]], [1, 1, -1, 1], bias=False)
    some = Face(cone)
    some.add([0, 1], Circuit(positions=[0, 1], weights=[1, 1], fixed_weights=[]))
    assert some.balance == {0: 1, 1: 1} and some.basis == [0]
    assert some.seems_inside.tolist() == [True] * 4
    some.check(np.arange(4))
    assert np.flatnonzero(some.seems_inside).tolist() == [0, 1, 2]
    assert some.seems_inside.tolist() == [True, True, True, False]


def test_directions_that_floats_do_not_hold_are_enclosed_by_the_whole_line() -> None:
    ((rows, *ends),) = cone_of([[0.0, 0.0], [0.0, 1.0]], [-1, 1]).enclose([Fraction(2) ** 1500, Fraction(2) ** -1500])
    assert rows.tolist() == [0, 1] and np.isinf(ends).all()


def test_circuits_join_with_positive_weights() -> None:
    """The second one takes more of a basis row than the balance has."""
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [5.0, 1.0], [2.0, -1.0]])
    problem = Problem(rows, np.ones(4), bias=False)
    some = Face(SignedRows(problem))
    some.add([0, 1], Circuit(positions=[0, 1], weights=[1, 1], fixed_weights=[]))
    some.add([2, 3], Circuit(positions=[2, 3], weights=[1, 1], fixed_weights=[-7]))
    weights = np.array([some.balance[row] for row in range(4)])
    assert weights.min() > 0 and not (weights @ rows).any()
    assert some.is_everything and some.seems_inside.all()


# The decision with few active rows, on data of which the truth is known


# Small data take the path of large data: few active rows, few added, small parts.
SMALL = ConeSettings(
    all_active_rows=1, first_rows=1, first_rows_per_column=0, rows_added=1, exact_rows=2, sign_rows_added=1,
    alias_spare_rows=-1,
)  # fmt: skip


def small_problem(rng: np.random.Generator) -> Problem:
    n, d = int(rng.integers(2, 10)), int(rng.integers(1, 4))
    X = rng.integers(-1, 3, size=(n, d)) * 2.0 ** rng.choice([0, 0, -45], size=(n, d))
    y = rng.choice([-1.0, 1.0], size=n)
    y[:2] = -1.0, 1.0
    return Problem(X, y, bool(rng.integers(2)))


@pytest.mark.slow
def test_few_active_rows_decide_as_all_do() -> None:
    rng = np.random.default_rng(12)
    verdicts = set()
    for _ in range(100):
        problem = small_problem(rng)
        answer = separability(problem, settings=SMALL)
        verdicts.add(answer.verdict.value)
        assert is_right(problem, answer)
    assert len(verdicts) == 3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("tolerance", [0.0, 0.5, 1.0])
def test_wrong_guesses_of_the_span_cost_time_only(tolerance: float) -> None:
    """No row seems to depend on the face, some do, or every row does."""
    rng = np.random.default_rng(13)
    for settings in (ConeSettings(in_span=tolerance), replace(SMALL, in_span=tolerance)):
        for _ in range(30):
            problem = small_problem(rng)
            assert is_right(problem, separability(problem, settings=settings))


def test_a_row_taken_for_dependent_on_which_the_direction_is_zero() -> None:
    """The third row is next to the line of the first two, not on it, so it can be strict."""

    def solve(rows: Any, fixed: Any, *, time_limit: float | None = None) -> Any:
        v, weights, attempt = highs_lp.solve_on_face(rows, fixed, time_limit=time_limit)
        return (v, weights, attempt) if not len(fixed) else (np.array([0.0, 1.0, 0.0]), np.zeros(len(rows)), attempt)

    X = np.array([[1.0, 0, 0], [1, 0, 0], [5, 0, 2.0**-40], [0, 1, 0], [0, 3, 1]])
    problem = Problem(X, np.array([1.0, -1.0, 1.0, 1.0, 1.0]), bias=False)
    answer = separability(problem, settings=ConeSettings(solve_on_face=solve))
    assert is_right(problem, answer)
    assert answer.touching_rows.tolist() == [0, 1]


def test_the_decision_is_the_same_twice() -> None:
    rng = np.random.default_rng(14)
    problem = Problem(rng.integers(-2, 3, size=(40, 3)).astype(float), rng.choice([-1.0, 1.0], size=40))
    first, second = (decide.decide(SignedRows(problem), Limits()) for _ in range(2))
    assert first.balance == second.balance and first.direction == second.direction and first.basis == second.basis


def test_no_time_no_decision() -> None:
    cone = cone_of([[0.0], [1.0]], [-1, 1])
    assert isinstance(decide.decide(cone, Limits(time_limit=1e-9)), decide.Unfinished)
    answer = separability(cone.problem, time_limit=1e-9)
    assert answer.verdict == "undecided" and "time limit" in answer.reason


def test_limits() -> None:
    assert Limits().seconds_left is None and not Limits().is_over()
    assert Limits(time_limit=1e-9, started=0.0).is_over() and Limits(time_limit=1e-9, started=0.0).seconds_left == 0
    left = Limits(time_limit=100.0).seconds_left
    assert left is not None and 99 < left <= 100
    assert Limits().share() is None
    quarter = Limits(time_limit=100.0).share(4)
    assert quarter is not None and 24 < quarter <= 25
    assert Limits(time_limit=1e-9, started=0.0).share() == 1e-9  # a limit all the same


@for_each("limits", [
        {"time_limit": 0}, {"time_limit": -1.0}, {"time_limit": math.nan},
        {"exact_limit": -1}, {"exact_limit": "a"}, {"exact_limit": 1.5}, {"exact_limit": True},
    ])  # fmt: skip
@for_each("n_classes", [2, 3])
def test_limits_that_make_no_sense_are_refused_everywhere(limits: dict[str, Any], n_classes: int) -> None:
    name = next(iter(limits))
    X, y = np.arange(4.0)[:, None], np.arange(4) % n_classes
    for verb in (mm.separability, mm.hard_margin)[: 4 - n_classes]:  # of two classes there is a margin
        with pytest.raises(InvalidOptionError, match=f"{name} is"):
            verb(X, y, **limits)


# Signs of columns


def test_signs_through_the_centring_of_large_offsets() -> None:
    """The bias of the original data is far from that of the centred data."""
    rng = np.random.default_rng(15)
    for offset in (0.0, 1e6, -(2.0**50), 1e300):
        for _ in range(12):
            X = offset + rng.integers(-2, 3, size=(6, 2)) * (1.0 if abs(offset) < 1e300 else 2.0**960)
            problem = Problem(X, np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]))
            assert is_right(problem, separability(problem))
