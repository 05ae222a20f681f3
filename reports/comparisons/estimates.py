"""Means of running times, exponents of power laws and performance profiles, with their formulas and sources."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats

# Seconds that are added to every time before the mean is taken, so that runs of microseconds do not dominate it.
SHIFT = 0.01


def shifted_geometric_mean(values: Iterable[float], *, shift: float = SHIFT) -> float:
    r"""Return the shifted geometric mean of numbers that are at least 0.

    It is :math:`\bigl(\prod_i (t_i + s)\bigr)^{1/n} - s`, where s is the shift: for s = 0 it is the geometric mean, and
    as s grows it tends to the arithmetic mean.

    Parameters
    ----------
    values : iterable of float
        At least one number.
    shift : float, default 0.01
        In the unit of the values.

    Raises
    ------
    statistics.StatisticsError
        If there is no value, or if a value is not greater than -shift.

    References
    ----------
    .. [1] T. Achterberg, "Constraint Integer Programming", PhD thesis, Technische Universitaet Berlin, 2007, appendix
       A.3.

    Examples
    --------
    >>> shifted_geometric_mean([1.0, 4.0], shift=0.0), shifted_geometric_mean([0.0, 3.0], shift=1.0)
    (2.0, 1.0)
    """
    return geometric_mean(value + shift for value in values) - shift


def is_censored(record: Mapping[str, Any]) -> bool:
    """Return whether a limit stopped the run, so that more time, and more mistakes, would have followed."""
    return record["status"] in ("timeout", "memory") or bool(record.get("capped"))


# Fewest points of a fit: two points lie on a line, so they say nothing about its error.
FEWEST_POINTS = 3

# Least difference of the logarithms of the largest and the smallest x: below it, rounding decides the exponent.
LEAST_SPREAD = 1e-9


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


# Ratios to the best at which tables show a profile.
TAUS = (1.0, 2.0, 5.0, 10.0, 100.0)


def performance_ratios(costs: Floats) -> Floats:
    r"""Return the ratio of every cost to the least cost of its problem.

    For problem p and solver s it is :math:`r_{p,s} = t_{p,s} / \min_s t_{p,s}`. A failure costs infinity. All
    ratios are infinite for a problem on which every solver fails; a least cost of 0 has the ratio 1.

    Parameters
    ----------
    costs : ndarray of shape (n_problems, n_solvers)
        At least 0; infinite where a solver failed.

    References
    ----------
    .. [1] E. D. Dolan and J. J. More, "Benchmarking optimization software with performance profiles", Mathematical
       Programming 91 (2002), 201-213.

    Examples
    --------
    >>> performance_ratios(np.array([[1.0, 3.0], [8.0, 4.0], [np.inf, 5.0]]))
    array([[ 1.,  3.],
           [ 2.,  1.],
           [inf,  1.]])
    """
    best = costs.min(axis=1, keepdims=True)
    ratios = np.full(costs.shape, math.inf)
    np.divide(costs, best, out=ratios, where=np.isfinite(costs) & (best > 0))
    ratios[(costs == best) & np.isfinite(costs)] = 1.0
    return ratios


def profile_at(ratios: Sequence[float] | Floats, taus: Sequence[float] = TAUS) -> list[float]:
    r"""Return :math:`\rho(\tau)`, the fraction of the problems whose ratio is at most tau, for each tau.

    Parameters
    ----------
    ratios : sequence of float
        Of one solver, one for each problem; infinite where it failed.
    taus : sequence of float

    Examples
    --------
    >>> profile_at([1.0, 2.0, 3.0, np.inf], [1.0, 2.0, 100.0])
    [0.25, 0.5, 0.75]
    """
    values = np.asarray(ratios)
    return [float(np.mean(values <= tau)) for tau in taus]


def profile_steps(ratios: Sequence[float] | Floats, largest: float) -> tuple[list[float], list[float]]:
    """Return where the profile steps up and its values from there, from tau = 1 to `largest`, for a step curve.

    Examples
    --------
    >>> profile_steps([1.0, 3.0, 3.0, np.inf], 10.0)
    ([1.0, 3.0, 10.0], [0.25, 0.75, 0.75])
    """
    values = np.asarray(ratios)
    inside = values[(values > 1) & (values <= largest)]
    taus = [1.0, *np.unique(inside).tolist(), largest]
    return taus, profile_at(values, taus)
