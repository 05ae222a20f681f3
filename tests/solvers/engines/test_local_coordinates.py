"""The working set in local coordinates: few rows tell of all, in proven intervals, and few balance where none do."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from liars import make_daqp_lie
from proven import encloses
from scipy.sparse import csr_array
from watched_rows import WatchedRows, interrupting

import maxmargin as mm
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines.local_coordinates import working_set
from maxmargin.solvers.engines.local_coordinates.sliced_rows import Pair, SlicedRows
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.solvers.proof.margins import best_offset, geometric_margin, least_functional_margin, lowest, norm_squared
from maxmargin.solvers.separability.cone.witness import find_common_hull_point
from maxmargin.solvers.separability.feasibility import separability

BUNDLED = [("breast_cancer", "malignant"), ("iris", "setosa"), ("digits", 0), ("digits", 1)]
BUNDLED += [("wine", f"class_{k}") for k in range(3)]


def planted(n_samples: int, n_features: int, seed: int = 0, margin: float = 0.02) -> Problem:
    """Return points of the unit ball, moved away from a random hyperplane on either side."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X *= (rng.random(n_samples) ** (1 / n_features) / np.linalg.norm(X, axis=1))[:, None]
    w = rng.normal(size=n_features)
    w /= np.linalg.norm(w)
    y = np.where(X @ w > 0, 1.0, -1.0)
    return Problem(X + margin * y[:, None] * w, y)


@pytest.mark.slow
@for_each(("name", "positive"), BUNDLED)
@for_each("method", ["working-set", "daqp", "cvxpy"])
def test_every_engine_encloses_the_exact_margin_of_real_data_narrowly(name: str, positive: object, method: str) -> None:
    data = mm.load(name, positive=positive)
    problem = Problem(data.X, data.y.astype(float))
    exact = hard_margin(problem, exact=True).margin_squared
    answer = hard_margin(problem, method=method)
    assert encloses(answer, exact)
    assert answer.gap <= 1e-9 * answer.upper


def test_chunks_of_any_size_give_the_same_interval() -> None:
    problem = planted(5_000, 3)
    whole = hard_margin(problem, method="working-set")
    parts = hard_margin(Problem(problem.X, problem.y, sizes=WorkSizes(chunk_entries=1_000)), method="working-set")
    assert (parts.lower, parts.upper) == (pytest.approx(whole.lower, rel=1e-13), pytest.approx(whole.upper, rel=1e-13))


@pytest.mark.slow
def test_a_solver_that_lies_makes_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, random = planted(5_000, 4), np.random.default_rng(1)
    make_daqp_lie(monkeypatch, lambda size: random.normal(size=size))
    answer = hard_margin(problem, method="working-set")
    monkeypatch.undo()
    true = hard_margin(problem)
    assert answer.lower <= true.upper
    assert answer.upper >= true.lower


class Over(Limits):
    """Limits that are over, though the solvers still have time."""

    def is_over(self) -> bool:
        return True


def test_the_time_limit_leaves_a_proven_interval() -> None:
    problem = planted(30_000, 10)
    first = next(working_set.rounds(problem, Over(time_limit=1.0)))
    assert first.is_separable
    true = hard_margin(problem, method="working-set")
    for time_limit in (1e-6, *np.linspace(0.001, 0.12, 16)):
        answer = hard_margin(problem, time_limit=time_limit)
        assert answer.lower <= true.upper and true.lower <= answer.upper


def test_one_row_of_a_class_far_away_is_not_missed() -> None:
    problem = planted(20_000, 5)
    X = np.vstack([problem.X, problem.X[0] + 1e-9])
    y = np.append(problem.y, -problem.y[0])
    assert hard_margin(Problem(X, y)).status.is_inseparable


def test_interrupted_work_returns_what_is_proven_or_raises() -> None:
    problem, true = planted(30_000, 10), hard_margin(planted(30_000, 10))
    reasons, n_raised = [], 0
    for n_passes in range(50):
        try:
            answer = hard_margin(replace(problem, X=WatchedRows(problem.X, interrupting(n_passes))))
        except KeyboardInterrupt:
            n_raised += 1
            continue
        reasons.append(answer.reason)
        assert 0 < answer.lower <= true.upper
        assert true.lower <= answer.upper
        if not answer.reason:
            break
        assert (answer.status.value, answer.reason) == ("limit", WHAT_WAS_PROVEN)
    assert n_raised and reasons[0] == WHAT_WAS_PROVEN and not reasons[-1]


@pytest.mark.slow
@for_each("bias", [True, False])
@for_each("kind", ["plain", "far away", "grid", "sparse", "tiny", "huge", "one huge column"])
def test_the_rows_next_to_the_plane_tell_of_all(kind: str, bias: bool) -> None:
    """The residual and the margin of the floats are those of all rows."""
    changes: dict[str, Any] = {
        "far away": lambda X: X + 1e6, "grid": lambda X: np.round(X, 1),
        "sparse": lambda X: csr_array(np.where(np.abs(X) < 0.1, 0.0, X)), "tiny": lambda X: X * 2.0**-700,
        "huge": lambda X: X * 2.0**900, "one huge column": lambda X: X * [2.0**1022, 1, 1, 1, 1],
    }  # fmt: skip
    for seed in range(3):
        plain = planted(20_000, 5, seed, margin=0.2)
        problem = Problem(changes.get(kind, lambda X: X)(plain.X), plain.y, bias)
        answer = hard_margin(problem, method="working-set")
        if answer.w is not None and answer.b is not None:
            least = least_functional_margin(problem, answer.w, answer.b)
            assert answer.primal_residual == max(0.0, float(1 - least))
            assert answer.margin == geometric_margin(least, norm_squared(answer.w)) <= answer.lower


def test_columns_of_very_different_size_are_separated() -> None:
    rng = np.random.default_rng(0)
    times = 1.7e18 + np.linspace(0, 1e17, 6000).round()  # nanoseconds since 1970
    X, y = np.column_stack([times, rng.random(6000)]), np.where(np.arange(6000) < 3000, -1.0, 1.0)
    problem = Problem(X, y)
    assert separability(problem).verdict.value == "separable"
    gap = Fraction(times[3000]) - Fraction(times[2999])
    answer = hard_margin(problem)
    assert 0 < answer.lower <= answer.upper
    assert Fraction(answer.upper) * 2 >= gap  # the first column alone separates as far


@pytest.mark.parametrize("bias", [True, False])
def test_equal_rows_are_looked_at_once(bias: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60_000, 4)).astype(float)
    y = np.where(X[:, :3].sum(axis=1) > 1.5, 1.0, -1.0)
    X = X if bias else X - 0.5
    problem = Problem(X, y, bias)
    groups = lowest(problem, np.array([1.0, 1.0, 1.0, 0.0]), by_class=bias)
    assert sum(len(group.rows) for group in groups) <= 16
    assert least_functional_margin(problem, np.array([1.0, 1.0, 1.0, 0.0]), -1.5 if bias else 0.0) == Fraction(1, 2)
    answer = hard_margin(problem)
    assert answer.lower <= 12**-0.5 <= answer.upper
    assert answer.gap <= 1e-12


def test_equal_roundings_of_different_integers_are_all_looked_at() -> None:
    values = [2**60 + k for k in range(1500)] + [2**61 + k for k in range(1500)]
    integers = np.array(values, dtype=object)[:, None]
    y = np.where(np.arange(3000) < 1500, -1.0, 1.0)
    problem = Problem(integers.astype(float), y, integers=integers)
    b, least = best_offset(problem, np.array([1.0]))
    assert least == Fraction(2**61 - (2**60 + 1499), 2)
    assert b == -Fraction(2**61 + 2**60 + 1499, 2)


def natural(seed: int, n_samples: int, n_features: int, *, decimals: int | None, exponent: int, bias: bool) -> Problem:
    """Return Gaussian rows, signed by a random hyperplane and rounded, in different units, some of them twice."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X = X if decimals is None else np.round(X, decimals)
    scores = X @ rng.normal(size=n_features)
    X, y = X[scores != 0] * 2.0 ** rng.integers(-exponent, exponent + 1, size=n_features), np.sign(scores[scores != 0])
    again = rng.integers(0, len(X), size=len(X) // 4)
    return Problem(np.vstack([X, X[again]]), np.append(y, y[again]), bias)


@for_each("bias", [True, False])
@for_each(("n_samples", "n_features"), [(30_000, 1), (30_000, 12), (5_000, 40), (400, 30), (60, 90)])
@for_each(("decimals", "exponent"), [(None, 0), (2, 0), (5, 30)])
def test_natural_margins_are_closed_to_the_last_digits(
    n_samples: int, n_features: int, decimals: int | None, exponent: int, bias: bool
) -> None:
    problem = natural(n_features, n_samples, n_features, decimals=decimals, exponent=exponent, bias=bias)
    answer = hard_margin(problem)
    assert answer.status.value == "optimal" and answer.gap <= 1e-12 * answer.upper
    assert n_samples < 30_000 or answer.engine == working_set.NAME
    assert len(answer.attempts) <= 9  # programs of the working set: passes over all rows
    assert answer.margin <= answer.lower and answer.margin >= answer.lower * (1 - 1e-3)
    assert answer.upper_certificate is not None and sqrt_up(answer.upper_certificate.margin_squared) == answer.upper
    if n_features <= 12:
        assert encloses(answer, hard_margin(problem, exact=True).margin_squared)


@for_each("bias", [True, False])
def test_rows_that_nothing_separates_are_reduced_to_few_that_balance(bias: bool) -> None:
    problem = natural(0, 8_000, 6, decimals=3, exponent=5, bias=bias)
    y = np.where(np.random.default_rng(1).random(problem.n_samples) < 0.1, -problem.y, problem.y)
    *_, last = working_set.rounds(Problem(problem.X, y, bias), Limits())
    assert not last.is_separable and len(last.rows) <= problem.n_features + 1 + bias
    weights = np.zeros(problem.n_samples)
    weights[last.rows] = last.multipliers
    assert find_common_hull_point(Problem(problem.X, y, bias), weights) is not None


@given(st.integers(0, 10**6), st.integers(1, 300), st.integers(1, 4), st.integers(0, 40))
def test_products_of_sliced_rows_are_those_of_fractions(seed: int, n_columns: int, n_rows: int, spread: int) -> None:
    """The sum is rounded once, though its terms cancel to a part of 2^-60 of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)) * 2.0 ** rng.integers(-spread, spread + 1, size=(n_rows, 1))
    high = rng.normal(size=n_columns)
    vector = Pair(high, high * rng.uniform(-(2.0**-54), 2.0**-54, size=n_columns))
    exact = [
        sum(
            Fraction(x) * (Fraction(a) + Fraction(b))
            for x, a, b in zip(row, *map(np.ndarray.tolist, vector), strict=True)
        )
        for row in X.tolist()
    ]
    for i, value in enumerate(exact):
        offset = Pair(np.array([-float(value)]), np.array([0.0]))
        size = Fraction(float(np.abs(X[i]).max() * np.abs(high).max())) * n_columns
        found = SlicedRows(X).products(vector, offset)[i]
        assert abs(Fraction(float(found)) - (value - Fraction(float(value)))) <= size / 2**75


@pytest.mark.slow
def test_rows_of_unequal_sizes_are_closed() -> None:
    """Rows far from the plane of a rough solution support the plane of an accurate one."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 8)) * (rng.random((20_000, 8)) < 0.15)
    scores = X @ rng.normal(size=8)
    problem = Problem(X[scores != 0], np.sign(scores[scores != 0]))
    answer = hard_margin(problem)
    assert answer.gap <= 1e-12 * answer.upper


@for_each("exponent", [30, 44, 48])
def test_an_exact_translation_changes_no_margin(exponent: int) -> None:
    rng = np.random.default_rng(exponent)
    X = (
        np.round(rng.normal(size=(6_000, 4)) * 1024) / 1024
        if exponent < 40
        else rng.integers(-99, 100, size=(6_000, 4))
    )
    scores = X @ rng.normal(size=4)
    moved = Problem(X + 2.0**exponent * np.array([1, 0, -3, 0]), np.where(scores > 0, 1.0, -1.0))
    answer, plain = hard_margin(moved), hard_margin(Problem(X.astype(float), moved.y))
    assert (answer.lower, answer.upper) == pytest.approx((plain.lower, plain.upper), rel=1e-12)


@for_each("X", [np.ones((4, 4)), np.zeros((3, 4)), np.full((6, 2), 2.0**53)])
@for_each("bias", [True, False])
def test_equal_rows_of_both_classes_are_no_program(X: np.ndarray, bias: bool) -> None:
    problem = Problem(X, np.where(np.arange(len(X)) == 1, 1.0, -1.0), bias)
    assert hard_margin(problem, method="working-set").status.value == "overlap"
