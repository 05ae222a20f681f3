"""Weighted sums of many rows that nearly cancel: every product is rounded once, and their sum hardly at all.

The products p of a block of rows are split into q = fl(fl(s + p) - s) and p - q with a power of two s that exceeds the
sum of all |p|: both parts are exact, the q are multiples of u s, so that they are added without rounding in any order,
and the |p - q| are at most u s (Rump, Ogita and Oishi, Accurate floating-point summation, part I, SIAM Journal on
Scientific Computing 31 (2008), lemma 3.2).
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.sums.rounding import TINIEST_NORMAL, UNIT_ROUNDOFF

Floats = NDArray[np.float64]

_BLOCK_ENTRIES = 1 << 16
"""Number of products in a block, few enough to stay in the cache."""


def careful_sum(problem: Problem, weights: Floats) -> tuple[Floats, Floats]:
    """Return sum_i weights_i y_i x_i, and upper bounds of the errors of its entries; not finite if one overflows.

    Parameters
    ----------
    problem : Problem
    weights : ndarray (n_samples,)
        Of modulus 1 or less.
    """
    parts, errors = zip(*problem.map(_sum_of_chunk, problem.y * weights), strict=True)
    total, error = _added(parts)
    return total, error + 2 * np.sum(errors, axis=0)


@np.errstate(all="ignore")
def _sum_of_chunk(_: slice, X: Any, weights: NDArray[Any]) -> tuple[Floats, Floats]:
    sums, errors = zip(*_sums_of_blocks(X, weights), strict=True)
    total, error = _added([part for both in sums for part in both])
    return total, error + 2 * np.sum(errors, axis=0)


def _added(parts: Any) -> tuple[Floats, Floats]:
    """Return the sum of vectors, rounded once, and an upper bound of its error."""
    stacked = np.array(parts)
    if not np.isfinite(stacked).all():
        broken = np.full(stacked.shape[1], np.inf)
        return broken, broken
    total = np.array([math.fsum(column) for column in stacked.T.tolist()])
    return total, np.abs(total) * (2 * UNIT_ROUNDOFF) + TINIEST_NORMAL


def _sums_of_blocks(X: Any, weights: Floats) -> Iterator[tuple[tuple[Floats, Floats], Floats]]:
    """Yield the sums of both parts of the products of a block, and upper bounds of the errors."""
    n_rows, n_columns = X.shape
    row_entries = X.nnz / n_rows if hasattr(X, "tocsr") else n_columns
    for rows in slices(n_rows, max(1, int(_BLOCK_ENTRIES / max(row_entries, 1)))):
        products, column_sums = _products(X[rows], weights[rows])
        n_terms, moduli = len(products), np.abs(products)
        # Above twice the sum of the moduli of any column.
        largest = float(moduli.max(initial=0.0))
        level = np.ldexp(float(largest > 0), int(np.frexp(largest)[1]) + n_terms.bit_length() + 1)
        high = (products + level) - level
        # One rounding of every product, the roundings in the sum of the low parts, and underflow; doubled to be safe.
        error = column_sums(moduli) * (2 * UNIT_ROUNDOFF) + 2 * (n_terms * UNIT_ROUNDOFF) ** 2 * level
        yield (column_sums(high), column_sums(products - high)), error + 4 * n_terms * TINIEST_NORMAL


def _products(X: Any, weights: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Return the weighted entries, and a function that sums such entries by columns."""
    if not hasattr(X, "tocsr"):
        return X * weights[:, None], _sum_of_columns
    sums = partial(_sum_by_index, X.indices, X.shape[1])
    return X.data * np.repeat(weights, np.diff(X.indptr)), sums


def _sum_of_columns(numbers: Floats) -> Floats:
    return np.asarray(numbers.sum(axis=0))


def _sum_by_index(indices: NDArray[Any], n_columns: int, numbers: Floats) -> Floats:
    return np.bincount(indices, weights=numbers, minlength=n_columns).astype(np.float64, copy=False)
