"""The exponent of a power law, fitted by least squares on logarithmic axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST_POINTS = 3
"""Fewest points of a fit: two points lie on a line, so they say nothing about its error."""

LEAST_SPREAD = 1e-9
"""Least difference of the logarithms of the largest and the smallest x: below it, rounding decides the exponent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponent:
    """The exponent a of y ~ x^a.

    Attributes
    ----------
    value, low, high : float or None
        The least-squares estimate and the ends of its confidence interval; None if there is no fit.
    n : int
        Number of points.
    reason : str
        Why there is no estimate; empty where there is one.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int
    reason: str = ""


def fit_exponent(x: Sequence[float], y: Sequence[float], *, confidence: float = 0.95) -> Exponent:
    r"""Fit y ~ x^a and return a with its confidence interval.

    With :math:`u_i = \log x_i` and :math:`v_i = \log y_i`, the estimate is
    :math:`a = \sum (u_i - \bar u)(v_i - \bar v) / \sum (u_i - \bar u)^2`, and the interval is
    :math:`a \pm t_{n-2} \sqrt{\sum r_i^2 / (n - 2) / \sum (u_i - \bar u)^2}` with the residuals r and the quantile t of
    Student's distribution with n - 2 degrees of freedom. It assumes that the errors of log y are independent and normal
    with one variance.

    Parameters
    ----------
    x, y : sequence of float
        Numbers greater than 0.
    confidence : float, default 0.95
        Probability with which the interval covers the exponent.

    References
    ----------
    .. [1] G. A. F. Seber and A. J. Lee, "Linear Regression Analysis", 2nd edition, Wiley, 2003, section 6.1.

    Examples
    --------
    >>> fit = fit_exponent([1.0, 2.0, 4.0], [3.0, 12.0, 48.0])
    >>> round(fit.value, 12), fit.n
    (2.0, 3)
    >>> fit_exponent([1.0, 2.0], [1.0, 4.0]).reason
    'fewer than 3 points'
    """
    from scipy.stats import linregress, t

    n = len(x)
    if n < FEWEST_POINTS:
        return Exponent(n=n, reason=f"fewer than {FEWEST_POINTS} points")
    u, v = list(map(math.log, x)), list(map(math.log, y))
    if max(u) - min(u) < LEAST_SPREAD:
        return Exponent(n=n, reason="R/γ* is the same for all data sets")
    slope, _intercept, _correlation, _p, standard_error = map(float, linregress(u, v))
    error = standard_error if max(v) > min(v) else 0.0  # linregress has no standard error where y is constant
    half = float(t.ppf((1 + confidence) / 2, n - 2)) * error
    return Exponent(value=slope, low=slope - half, high=slope + half, n=n)
