"""Weighted quantiles, and with them the offset of a hyperplane with the least slack."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows


def offset_of_least_slack(kinks: Floats, y: Floats, costs: Floats, balance: float = 0.0) -> float:
    """Return a b that minimises sum costs_i max(0, 1 - y_i (score_i + b)) - balance b, from its kinks y_i - score_i.

    The costs are the C_i of the rows. To the left of all kinks the slope is minus the sum of the costs of the
    positive rows, less the balance; each kink adds its cost. The nearest kink stands for a minimum at infinity.
    """
    greatest = costs.max()
    shares = costs / greatest
    low, high = quantile(kinks, shares, max(0.0, float(shares[y > 0].sum()) + balance / greatest))
    return low / 2 + high / 2


def quantile(
    values: Floats, weights: Floats, mass: float | Fraction, excess: Callable[[Rows], Fraction] | None = None
) -> tuple[float, float]:
    """Return the ends of the interval on which sum weights_i max(0, t - values_i) - mass t is least.

    Its slope is the weight of the values below t, less the mass.

    Parameters
    ----------
    values, weights : ndarray (n,)
        Finite; the weights positive.
    mass : float or Fraction
        Positive, not above the sum of the weights. If it is that sum, the interval has no upper end: the greatest
        value stands for it.
    excess : callable, optional
        Returns the exact weight of values, less the mass, where rounding errors could decide whether the slope is 0. By
        default both ends are the same value then, unless all weights are equal.

    Examples
    --------
    >>> quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 2)
    (2.0, 3.0)
    >>> quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 4.0, 1.0]), 2)
    (1.0, 1.0)
    """
    if (weights == weights[0]).all():
        count = Fraction(mass) / Fraction(float(weights[0]))
        rank = min(math.ceil(count), len(values)) - 1
        next_rank = min(rank + (count.denominator == 1), len(values) - 1)
        parted = np.partition(values, (rank, next_rank))
        return float(parted[rank]), float(parted[next_rank])
    order = np.argsort(values, kind="stable")
    sums, last = np.cumsum(weights[order]), len(values) - 1
    error = 0.0 if excess is None else len(values) * np.finfo(np.float64).eps * float(sums[-1])
    rank, greatest = np.minimum(np.searchsorted(sums, [float(mass) - error, float(mass) + error]), last).tolist()
    above = Fraction(1)
    while excess is not None and rank < greatest and (above := excess(order[: rank + 1])) < 0:
        rank += 1
    return float(values[order[rank]]), float(values[order[min(rank + (above == 0), last)]])
