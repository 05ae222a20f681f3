"""The maximum margin without a row, and with rows moved, is the one that solving again finds."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from calls import calling
from cases import for_each

import maxmargin as mm
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.hard_margin.hard_bracket import HardBracket


def separable(seed: int, *, bias: bool) -> tuple[Any, Any]:
    """Small integers, with duplicates and dependent columns, that a hyperplane separates."""
    rng = np.random.default_rng(seed)
    while True:
        n, d = int(rng.integers(2, 9)), int(rng.integers(1, 5))
        X = rng.integers(-4, 5, size=(n, d)).astype(float)
        X = np.column_stack([X, X[:, 0] * 2])[:, : d + seed % 2]
        X = np.vstack([X, X[: seed % 3]])
        y = np.where(X @ rng.integers(-3, 4, size=X.shape[1]) + (rng.integers(-3, 4) if bias else 0) > 0, 1, -1)
        if len(set(y.tolist())) == 2 and mm.separability(X, y, bias=bias).strictly_separable:
            return X, y


def squared_margin(X: Any, y: Any, *, bias: bool) -> Fraction | None:
    """The exact square; None if one class is left, whose margin is unbounded with a bias."""
    if len(set(y.tolist())) == 1:
        if bias:
            return None
        X, y = np.vstack([X, -X[:1]]), np.append(y, -y[0])
    return mm.hard_margin(X, y, bias=bias, exact=True).margin_squared


def encloses(low: float, high: float, square: Fraction) -> bool:
    return Fraction(low) ** 2 <= square <= Fraction(high) ** 2


@for_each("seed", range(8))
@for_each("bias", [True, False])
def test_the_margin_without_each_row(seed: int, bias: bool) -> None:
    X, y = separable(seed, bias=bias)
    found = mm.sensitivity(X, y, bias=bias)
    assert found.status is mm.Status.OPTIMAL
    held = dict(zip(found.rows.tolist(), zip(found.lower_without, found.upper_without, strict=True), strict=True))
    for row in range(len(y)):
        square = squared_margin(np.delete(X, row, axis=0), np.delete(y, row), bias=bias)
        low, high = held.get(row, (found.margin.lower, found.margin.upper))
        if square is None:
            assert low == high == math.inf
        else:
            assert encloses(low, high, square) and high - low <= 1e-6 * high
    assert (np.diff(found.lower_without[np.isfinite(found.lower_without)]) <= 0).all()


@for_each("seed", range(6))
@for_each("bias", [True, False])
def test_weights_are_those_of_nearest_points(seed: int, bias: bool) -> None:
    X, y = separable(seed, bias=bias)
    found = mm.sensitivity(X, y, bias=bias)
    signs, total = y[found.rows], 2.0 if bias else 1.0
    assert found.weights.sum() == pytest.approx(total)
    point = (found.weights * signs) @ X[found.rows]
    assert np.linalg.norm(point) / total == pytest.approx(found.margin.upper)
    np.testing.assert_allclose(found.rates, found.weights / total)


@for_each("seed", range(6))
@for_each("bias", [True, False])
def test_moving_one_row_changes_the_margin_by_no_more_than_is_said(seed: int, bias: bool) -> None:
    X, y = separable(seed, bias=bias)
    found, rng = mm.sensitivity(X, y, bias=bias), np.random.default_rng(seed)
    rates = dict(zip(found.rows.tolist(), found.rates.tolist(), strict=True))
    for row in range(len(y)):
        step = rng.normal(size=X.shape[1])
        moved, size = X.copy(), 0.3 * float(np.linalg.norm(step))
        moved[row] += 0.3 * step
        new = mm.hard_margin(moved, y, bias=bias)
        assert new.lower <= found.margin.upper + rates.get(row, 0.0) * size + 1e-9
        assert new.upper >= found.margin.lower - size / (2 if bias else 1) - 1e-9


@pytest.mark.parametrize("bias", [True, False])
def test_rates_are_derivatives(bias: bool) -> None:
    rng = np.random.default_rng(4)
    y = np.where(np.arange(30) % 2 == 0, 1, -1)
    X = rng.normal(size=(30, 3)) + 2.5 * y[:, None]
    found = mm.sensitivity(X, y, bias=bias)
    unit, h = found.w / np.linalg.norm(found.w), 1e-5
    for row, rate in zip(found.rows.tolist(), found.rates.tolist(), strict=True):
        ends = []
        for sign in (-1, 1):
            moved = X.copy()
            moved[row] += sign * h * y[row] * unit
            ends.append(mm.hard_margin(moved, y, bias=bias).lower)
        assert (ends[1] - ends[0]) / (2 * h) == pytest.approx(rate, abs=1e-4)


@pytest.mark.parametrize("bias", [True, False])
def test_every_row_may_move_by_less_than_the_margin_and_by_the_margin_they_touch(bias: bool) -> None:
    X = np.array([[3.0, 4.0], [6.0, 8.0], [7.0, 1.0], [-3.0, -4.0], [-9.0, -2.0]])
    y = np.array([1, 1, 1, -1, -1])
    found = mm.sensitivity(X, y, bias=bias)
    low, high = found.robust_radius
    assert low <= 5.0 <= high and high - low < 1e-14
    assert found.radius_of_one == (2 * low if bias else low)
    rng = np.random.default_rng(0)
    for _ in range(20):
        steps = rng.normal(size=X.shape)
        steps *= 4.999 / np.linalg.norm(steps, axis=1)[:, None]
        assert mm.separability(X + steps, y, bias=bias).verdict is mm.Verdict.SEPARABLE
    at_the_margin = X - y[:, None] * np.array([3.0, 4.0])
    np.testing.assert_allclose(found.moved(5.0), at_the_margin, atol=1e-14)
    assert mm.separability(at_the_margin, y, bias=bias).verdict is not mm.Verdict.SEPARABLE
    assert mm.separability(found.moved(4.999), y, bias=bias).verdict is mm.Verdict.SEPARABLE


def test_one_row_alone_may_move_by_twice_the_margin() -> None:
    X, y = np.array([[0.0], [1.0], [5.0], [9.0]]), np.array([0, 0, 1, 1])
    found = mm.sensitivity(X, y)
    assert found.radius_of_one == 4.0
    for step, verdict in ((-3.999, "separable"), (-4.0, "quasi-separable"), (-4.001, "overlap")):
        moved = X.copy()
        moved[2] += step
        assert mm.separability(moved, y).verdict.value == verdict


def test_an_outlier_is_the_first_row() -> None:
    frame = pd.DataFrame({"height": [0.0, 1.0, 2.0, 6.0, 12.0]}, index=["a", "b", "c", "out", "e"])
    found = mm.sensitivity(frame, [0, 0, 0, 1, 1])
    rows = found.to_frame("rows")
    assert rows["id"].tolist() == ["c", "out"]
    order = np.argsort(found.rows)
    for name in ("lower_without", "upper_without"):
        assert rows[name].tolist() == getattr(found, name)[order].tolist()
    assert rows["weight"].tolist() == found.weights[order].tolist()
    assert (found.rows.tolist(), found.lower_without.tolist()) == ([3, 2], [5.0, 2.5])
    assert "3 (out): weight 1, [5.0, 5.0]" in found.summary()


def test_the_answer_without_a_row_has_its_proof() -> None:
    data = mm.load("iris", positive="setosa")
    found = mm.sensitivity(data)
    row = int(found.rows[0])
    other = found.without(row)
    assert (other.lower, other.upper) == (found.lower_without[0], found.upper_without[0])
    others = np.arange(data.n_samples) != row
    assert other.interval_certificate is not None
    assert mm.verify(other.interval_certificate, data.X[others], data.y[others])
    for unknown in (150, -1, 1.5):
        with pytest.raises(InvalidOptionError, match="from 0 to 149"):
            found.without(unknown)  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="the only one of its class"):
        mm.sensitivity([[0.0], [1.0], [2.0]], [0, 0, 1]).without(2)


@pytest.mark.parametrize("y", [[0, 1, 1, 0], [0, 1, 0, 1]], ids=["overlap", "quasi"])
def test_without_a_margin_there_is_nothing_to_hold(y: list[int]) -> None:
    X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] if y[2] else [[0.0], [0.0], [-1.0], [1.0]]
    found = mm.sensitivity(X, y)
    assert found.status.is_inseparable and not found.rows.size and found.robust_radius == (0.0, 0.0)
    with pytest.raises(InvalidOptionError, match="no hyperplane"):
        found.moved(1.0)


def test_units_and_containers_do_not_matter() -> None:
    X, y = separable(3, bias=True)
    plain = mm.sensitivity(X, y)
    for other in (mm.sensitivity(sp.csr_array(X), y), mm.sensitivity(mm.from_arrays(X, y))):
        assert other.rows.tolist() == plain.rows.tolist()
        assert other.lower_without.tolist() == plain.lower_without.tolist()
    for unit in (2.0**900, 2.0**-900):
        scaled = mm.sensitivity(X * unit, y)
        assert scaled.lower_without / unit == pytest.approx(plain.lower_without, rel=1e-9)
        np.testing.assert_allclose(scaled.moved(0.5 * unit) / unit, plain.moved(0.5), atol=1e-9)


@pytest.mark.slow
def test_a_time_that_is_over_leaves_rows_open() -> None:
    data, seen = mm.load("breast_cancer"), []
    found = mm.sensitivity(data, time_limit=0.15, on_progress=lambda *done: seen.append(done))
    assert found.status in (mm.Status.LIMIT, mm.Status.UNDECIDED, mm.Status.OPTIMAL)
    whole = mm.sensitivity(data)
    assert whole.status is mm.Status.OPTIMAL
    exact = dict(zip(whole.rows.tolist(), whole.upper_without.tolist(), strict=True))
    for row, low, high in zip(found.rows.tolist(), found.lower_without, found.upper_without, strict=True):
        assert row not in exact or (low <= exact[row] * (1 + 1e-12) and high >= exact[row] * (1 - 1e-6))
    assert len(seen) <= len(found.rows)


def test_the_only_row_of_a_class_is_told_from_rows_that_are_not_computed() -> None:
    X, y = [[0.0], [1.0], [5.0], [6.0]], [0, 1, 1, 1]
    known = mm.sensitivity(X, y)
    assert known.unbounded.tolist() == known.to_dict()["unbounded"] == [0]
    assert known.to_dict()["upper_without"] == [None, 2.5]

    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    cut = mm.sensitivity(X[1:], [0, 1, 1], on_progress=stop)
    assert (cut.status, cut.reason) == (mm.Status.LIMIT, WHAT_WAS_PROVEN)
    assert (cut.unbounded.tolist(), np.isinf(cut.upper_without).tolist()) == ([0], [True, True])
    assert "unbounded" in cut.summary() and "not computed" in cut.summary()
    assert "interval is" not in cut.summary() and "intervals are proven" in cut.summary()


@pytest.mark.parametrize("n_calls", range(4))
def test_ctrl_c_while_a_margin_is_solved_for_ends_the_work(n_calls: int) -> None:
    """There is a hyperplane by then, so that the margin itself is returned."""
    data, left = mm.load("iris", positive="setosa"), iter(range(n_calls))
    whole = mm.sensitivity(data)

    def interrupt(_: dict[str, Any]) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    with calling(HardBracket.offer_weights, interrupt):
        found = mm.sensitivity(data)
    assert (found.status, found.reason) == (mm.Status.LIMIT, WHAT_WAS_PROVEN)
    assert np.isinf(found.upper_without).any() or not found.rows.size
    known = dict(zip(whole.rows.tolist(), zip(whole.lower_without, whole.upper_without, strict=True), strict=True))
    for row, low, high in zip(found.rows.tolist(), found.lower_without, found.upper_without, strict=True):
        assert low <= known[row][1] and high >= known[row][0]


@pytest.mark.parametrize("bias", [True, False])
def test_only_rows_that_hold_the_margin_are_named(bias: bool) -> None:
    """Columns of different units leave rounding errors as weights of the other rows."""
    rng = np.random.default_rng(5)
    X, normal = rng.normal(size=(42, 8)), rng.normal(size=8)
    scores = X @ normal
    is_clear = np.abs(scores) > 0.8
    X, y = X[is_clear] * np.ldexp(1.0, rng.integers(-20, 21, 8)), np.sign(scores[is_clear])
    found, exact = mm.sensitivity(X, y, bias=bias), mm.hard_margin(X, y, bias=bias, exact=True)
    assert sorted(found.rows.tolist()) == sorted(exact.dual_exact or ())
    assert mm.sensitivity([[0, 0], [1, 2], [3, 1]], [-1, 1, 1]).rows.tolist() == [0, 1]


def test_distances_are_finite_numbers_and_there_is_no_row_to_leave_out_of_no_margin() -> None:
    largest = np.finfo(float).max
    assert mm.sensitivity([[-largest], [largest]], [0, 1]).radius_of_one == largest
    found = mm.sensitivity([[0.0], [1.0]], [0, 1])
    for distance in ("x", None, math.nan, [1, 2]):
        with pytest.raises(InvalidOptionError, match="expected a finite number"):
            found.moved(distance)  # type: ignore[arg-type]
    for row in (True, "a", None):
        with pytest.raises(InvalidOptionError, match="expected a whole number"):
            found.without(row)  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="not separable"):
        mm.sensitivity([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).without(0)
