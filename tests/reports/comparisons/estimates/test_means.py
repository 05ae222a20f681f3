"""Means of times."""

from statistics import StatisticsError, fmean, geometric_mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.reports.comparisons.estimates import shifted_geometric_mean

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
