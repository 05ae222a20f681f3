"""Exponents of power laws: known ones are found, and intervals cover as often as they say."""

import numpy as np
import pytest

from maxmargin.reports.comparisons.estimates import fit_exponent


@pytest.mark.parametrize("exponent", [-1.0, 0.0, 0.5, 2.0])
@pytest.mark.parametrize("factor", [1e-3, 1.0, 7.0])
def test_the_exponent_of_an_exact_power_law_is_found(exponent: float, factor: float) -> None:
    x = [1.0, 3.0, 10.0, 500.0]
    fit = fit_exponent(x, [factor * value**exponent for value in x])
    assert fit.value == pytest.approx(exponent, abs=1e-12)
    assert fit.low == pytest.approx(exponent, abs=1e-6)
    assert fit.high == pytest.approx(exponent, abs=1e-6)
    assert fit.n == 4 and not fit.reason


def test_the_interval_by_hand() -> None:
    # u = -1, 0, 1 and v = -1, 1, 0: slope 1/2, residuals -1/2, 1, -1/2, standard error sqrt(1.5 / 1 / 2);
    # the quantile of Student's distribution with 1 degree of freedom is 12.7062.
    fit = fit_exponent(np.exp([-1.0, 0.0, 1.0]).tolist(), np.exp([-1.0, 1.0, 0.0]).tolist())
    assert fit.value == pytest.approx(0.5)
    half = 12.706204736 * np.sqrt(0.75)
    assert (fit.low, fit.high) == pytest.approx((0.5 - half, 0.5 + half))


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_covers_as_often_as_it_says(confidence: float) -> None:
    rng, n_draws = np.random.default_rng(7), 500
    x = np.geomspace(1.0, 1e3, 8)
    n_covered = 0
    for _ in range(n_draws):
        y = 3 * x**1.5 * np.exp(rng.normal(0, 0.7, len(x)))
        fit = fit_exponent(x.tolist(), y.tolist(), confidence=confidence)
        n_covered += fit.low <= 1.5 <= fit.high
    assert abs(n_covered / n_draws - confidence) < 4 * np.sqrt(confidence * (1 - confidence) / n_draws)


@pytest.mark.parametrize(
    ("x", "reason"), [([], "fewer"), ([1.0, 2.0], "fewer"), ([2.0] * 5, "same"), ([2.0, 2.0, 2.0 + 1e-15], "same")]
)
def test_no_exponent_without_enough_to_tell_it(x: list[float], reason: str) -> None:
    fit = fit_exponent(x, x)
    assert fit.value is fit.low is fit.high is None
    assert reason in fit.reason and fit.n == len(x)
