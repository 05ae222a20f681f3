"""Means of times, and runs that a limit stopped."""

import math
from statistics import StatisticsError, fmean, geometric_mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.reports.comparisons.estimates import is_censored, shifted_geometric_mean, times_of

TIMES = st.lists(st.floats(1e-6, 1e4), min_size=1, max_size=20)


def test_means_by_hand() -> None:
    assert shifted_geometric_mean([1.0, 4.0, 16.0], shift=0.0) == pytest.approx(4.0)
    assert shifted_geometric_mean([0.0, 0.03], shift=0.01) == pytest.approx(0.01)
    assert shifted_geometric_mean([0.0]) == pytest.approx(0.0, abs=1e-15)


@given(TIMES)
def test_the_mean_lies_between_the_geometric_and_the_arithmetic_mean(times: list[float]) -> None:
    mean = shifted_geometric_mean(times)
    assert geometric_mean(times) * (1 - 1e-6) - 1e-9 <= mean <= fmean(times) * (1 + 1e-6) + 1e-9


@given(TIMES)
def test_a_large_shift_gives_the_arithmetic_mean(times: list[float]) -> None:
    assert shifted_geometric_mean(times, shift=1e8) == pytest.approx(fmean(times), rel=1e-3, abs=1e-3)


def test_a_mean_of_nothing_is_refused() -> None:
    with pytest.raises(StatisticsError):
        shifted_geometric_mean([])


def test_stopped_runs_count_with_the_limit_and_other_failures_not_at_all() -> None:
    records = [
        {"status": "ok", "capped": False, "seconds": 2.0}, {"status": "ok", "capped": True, "seconds": 0.5},
        {"status": "timeout", "capped": False, "seconds": None}, {"status": "memory", "capped": False, "seconds": 3.0},
        {"status": "timeout", "capped": False, "seconds": 60.4}, {"status": "error", "capped": False, "seconds": 1.0},
        {"status": "crashed", "capped": False, "seconds": None},
    ]  # fmt: skip
    times = times_of(records, 60.0)
    assert times.seconds == (2.0, 60.0, 60.0, 60.0, 60.4)
    assert times.n_at_limit == sum(map(is_censored, records)) == 4
    assert not times.is_lower_bound  # two of them were stopped before
    assert times_of([records[0], records[2], records[4]], 60.0).is_lower_bound
    assert not times_of(records[:1], 60.0).is_lower_bound


def test_without_a_limit_a_stopped_run_counts_with_its_own_time() -> None:
    records = [{"status": "ok", "capped": True, "seconds": 0.5}, {"status": "timeout", "seconds": None}]
    assert times_of(records, None).seconds == (0.5,)
    assert math.isfinite(sum(times_of(records, None).seconds))
