"""Performance profiles of Dolan and More."""

import math
from collections.abc import Sequence

import numpy as np

from maxmargin.solvers.basics.array_types import Floats

TAUS = (1.0, 2.0, 5.0, 10.0, 100.0)
"""Ratios to the best at which tables show a profile."""


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
