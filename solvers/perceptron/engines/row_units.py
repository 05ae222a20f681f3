"""Rows divided by a power of two, where the products of a run would overflow or vanish: the mistakes stay the same."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import common_exponent, times_power_of_two
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

# Numbers between 2**-400 and 2**400 have products and sums of them far from overflow and underflow.
_SAFE_EXPONENT = 400

# Bits of an integer that sums of products in binary64 hold exactly, with one bit to spare.
_EXACT_BITS = 52

# Smallest exponent of the bound of exact scores, well above underflow.
_LEAST_EXPONENT = -1000

# Number of rows that are read first, to find numbers of many bits without a pass over all rows.
_FIRST_ROWS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """The rows (x, s) of a run, divided by 2**exponent.

    Attributes
    ----------
    n_features : int
    exponent : int
    scale : float
        The constant coordinate s in these units; 0 through the origin.
    reach : float
        A bound of the norms of the rows, in these units.
    bias_scale : float
        The constant coordinate as given; ``scale`` may underflow to 0 beside large rows.
    """

    n_features: int
    exponent: int
    scale: float
    reach: float
    bias_scale: float

    @classmethod
    def of(cls, problem: Problem, settings: PerceptronSettings) -> "Units":
        """Choose the exponent: 0, or the exponent of the greatest number if products would overflow or vanish."""
        bias_scale = settings.bias_scale if problem.bias else 0.0
        exponent = unit_exponent(problem, bias_scale)
        scale = math.ldexp(bias_scale, -exponent)
        reach, n = math.hypot(*np.ldexp(problem.column_sizes, -exponent).tolist(), scale), problem.n_features
        return cls(n_features=n, exponent=exponent, scale=scale, reach=reach, bias_scale=bias_scale)

    def rows(self, X: Any) -> Any:
        """Return rows in these units."""
        return times_power_of_two(X, -self.exponent) if self.exponent else X

    def exact_up_to(self, problem: Problem) -> float:
        """Return b such that scores are exact while the norms of row and weights have a product of at most b.

        0 unless all numbers are multiples of one power of two g, and small ones: then b = 2**52 g**2.
        """
        grid = common_exponent_of(problem, self.bias_scale) - self.exponent
        most = math.ldexp(1.0, max(_EXACT_BITS + 2 * grid, _LEAST_EXPONENT))
        return most if self.reach**2 <= most else 0.0


def unit_exponent(problem: Problem, scale: float) -> int:
    """Return 0, or the exponent of the greatest number, or of s, where products would overflow or vanish."""
    exponent = _greatest_exponent(problem, scale if problem.bias else 0.0)
    return exponent if abs(exponent) > _SAFE_EXPONENT else 0


def _greatest_exponent(problem: Problem, scale: float) -> int:
    return math.frexp(max(float(problem.column_sizes.max()), scale))[1]


def common_exponent_of(problem: Problem, scale: float) -> int:
    """Return a k such that the numbers of all rows, and s, are multiples of 2**k.

    It is the largest such k unless a few rows already show that the numbers have many bits; then the others are not
    read.
    """
    exponent = common_exponent(np.append(_values(problem.row_source[:_FIRST_ROWS]), scale))
    exponent = 0 if exponent is None else exponent
    if _greatest_exponent(problem, scale) - exponent > _EXACT_BITS // 2:
        return exponent
    return min(problem.map(partial(_common_exponent_of_chunk, exponent)))


def _common_exponent_of_chunk(exponent: int, rows: slice, X: Any) -> int:
    values = _values(X)
    counted = np.ldexp(values, -exponent)
    if (counted == np.rint(counted)).all():
        return exponent
    own = common_exponent(values)
    return exponent if own is None else min(exponent, own)


def signed_rows(problem: Problem, scale: float) -> Floats:
    """Return the rows y (x, s) of a problem in memory, as a dense array."""
    constant = np.full((problem.n_samples, 1), scale)
    return np.hstack([problem.dense_rows(slice(None)), constant]) * problem.y[:, np.newaxis]


def times_weights(X: Any, weights: Floats, scale: float) -> Any:
    """Return the rows v (x, s), or v x if the scale is 0.

    Raises
    ------
    InvalidProblemError
        If a number overflows, or is lost below the normal range.
    """
    from scipy.sparse import csr_array, diags_array, hstack

    column, is_sparse = np.full((len(weights), int(scale > 0)), scale), hasattr(X, "tocsr")
    before = csr_array(hstack([X, column])) if is_sparse else np.hstack([X, column])
    with np.errstate(over="ignore", under="ignore"):
        after = diags_array(weights) @ before
    old, new = (before.data, after.data) if is_sparse else (before, after)
    if not (np.isfinite(new).all() and (np.abs(new[old != 0]) >= np.finfo(np.float64).tiny).all()):
        raise InvalidProblemError("the rows times their weights are beyond the range of binary64; rescale the weights")
    return after


def _values(X: Any) -> Floats:
    return np.asarray(X.data if hasattr(X, "tocsr") else X)
