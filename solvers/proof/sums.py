"""Sums of products in floating point, over rows and over columns, with upper bounds of their rounding errors.

Weighted sums of many rows that nearly cancel are careful: every product is rounded once, and their sum hardly at all.
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

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.problem.problem import Problem, Samples

UNIT_ROUNDOFF = 2.0**-53
TINIEST_NORMAL = 2.0**-1022

# Number of rows in a group; groups are summed first, and then their sums, to keep the sums short.
_GROUP_ROWS = 256

# Number of groups in a block, few enough to stay in the cache.
_BLOCK_GROUPS = 8

# Number of products in a block, few enough to stay in the cache.
_BLOCK_ENTRIES = 1 << 16


def rounding_error(absolute: Floats, n_terms: int) -> Floats:
    """Return an upper bound of the error of sums of ``n_terms`` products whose moduli sum to about ``absolute``.

    A computed sum of k products in any order errs by at most gamma_k |x|.|w| plus losses from underflow, with
    gamma_k = k u/(1 - k u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1). The
    underflow term allows for processors that flush subnormal numbers to zero.
    """
    # The count is doubled: one half is for the sum itself, the other for the rounding of `absolute`, of this
    # expression, and of rows and normals that are roundings themselves.
    relative = 2 * (n_terms + 6) * UNIT_ROUNDOFF
    result: Floats = absolute * (relative / (1 - relative)) + (2 * n_terms + 4) * TINIEST_NORMAL
    return result


def n_products(X: Any) -> int:
    """Return the largest number of products in the sum of a row."""
    return int(np.diff(X.indptr).max(initial=0)) if hasattr(X, "tocsr") else int(X.shape[1])


def largest_error(samples: Samples, w: Floats, b: float) -> float | None:
    """Return an upper bound of the error of w.x + b for every row; infinity or NaN if it overflows.

    None for sparse rows, whose errors differ in size.
    """
    if samples.is_sparse:
        return None
    with np.errstate(all="ignore"):
        absolute = np.array([samples.column_sizes @ np.abs(w) + abs(b)])
        return float(rounding_error(absolute, len(w) + 1)[0])


def errors(X: Any, w: Floats, b: float) -> Floats:
    """Return an upper bound of the error of w.x + b for each of these rows; infinity or NaN if it overflows."""
    with np.errstate(all="ignore"):
        return rounding_error(np.asarray(abs(X) @ np.abs(w)) + abs(b), n_products(X) + 1)


def errors_where_near(X: Any, w: Floats, b: float, value: Floats, everywhere: float) -> Floats | float:
    """Return error bounds: one for all rows, except that rows with a value near 0 have their own."""
    near = np.flatnonzero(~(np.abs(value) > 2 * everywhere))
    if not near.size:
        return everywhere
    error = np.full(len(value), everywhere)
    error[near] = errors(X[near], w, b)
    return error


@np.errstate(all="ignore")
def enclosure(value: Floats, error: Floats | float) -> tuple[Floats, Floats]:
    """Return ``value - error`` and ``value + error``, rounded outwards; the whole line if an end is not finite."""
    lower, upper = np.nextafter(value - error, -np.inf), np.nextafter(value + error, np.inf)
    broken = ~(np.isfinite(lower) & np.isfinite(upper))
    if broken.any():
        return np.where(broken, -np.inf, lower), np.where(broken, np.inf, upper)
    return lower, upper


@np.errstate(all="ignore")
def functional_margins(X: Any, y: NDArray[Any], w: Floats, b: float) -> Floats:
    """Return y (w.x + b), -infinity if it overflows."""
    result = np.asarray(X @ w)
    result += b
    result *= y
    if not np.isfinite(result.sum()):
        result[~np.isfinite(result)] = -np.inf
    return result


def margins_of(problem: Problem, w: Floats, b: float = 0.0) -> Floats:
    """Return y (w.x + b) for every row, -infinity if it overflows."""
    return np.concatenate(list(problem.map(partial(_margins_of_chunk, w, b), problem.y)))


def _margins_of_chunk(w: Floats, b: float, _: slice, X: Any, y: NDArray[Any]) -> Floats:
    return functional_margins(X, y, w, b)


@np.errstate(all="ignore")
def scores_and_moduli(X: Any, center: Floats | None, w: Floats) -> tuple[Floats, Floats]:
    """Return w.(x - center) and |w|.|x - center| of every row, each sum in any order.

    Parameters
    ----------
    X : ndarray or CSR array
    center : ndarray (n_features,) or None
        None for sparse rows.
    w : ndarray (n_features,)
    """
    if hasattr(X, "tocsr"):
        return np.asarray(X @ w), np.asarray(abs(X) @ np.abs(w))
    value, moduli = np.empty((2, len(X)))
    for rows in slices(len(X), max(1, _BLOCK_ENTRIES // max(X.shape[1], 1))):
        block = X[rows] if center is None else X[rows] - center
        value[rows], moduli[rows] = block @ w, np.abs(block) @ np.abs(w)
    return value, moduli


@np.errstate(all="ignore")
def weighted_sums(X: Any, center: Floats | None, weights: Floats) -> tuple[Floats, Floats, int]:
    """Return the sums of weights * (X - center) and of their moduli, and the largest number of additions of a term.

    Parameters
    ----------
    X : ndarray or CSR array
    center : ndarray (n_features,) or None
        None for sparse rows.
    weights : ndarray (n_rows,)
    """
    if hasattr(X, "tocsr"):
        n_terms = int(np.bincount(X.indices, minlength=1).max())
        return np.asarray(X.T @ weights), np.asarray(abs(X).T @ np.abs(weights)), n_terms
    sums, moduli = np.zeros((2, X.shape[1]))
    for rows in slices(len(weights), _GROUP_ROWS * _BLOCK_GROUPS):
        block = X[rows] if center is None else X[rows] - center
        for total, numbers, factors in ((sums, block, weights[rows]), (moduli, np.abs(block), np.abs(weights[rows]))):
            for group in slices(len(factors), _GROUP_ROWS):
                total += factors[group] @ numbers[group]
    return sums, moduli, _GROUP_ROWS - (-len(weights) // _GROUP_ROWS)


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
        return X * weights[:, None], partial(np.sum, axis=0)
    entries = X.data * np.repeat(weights, np.diff(X.indptr))
    return entries, lambda numbers: np.bincount(X.indices, numbers, X.shape[1]).astype(np.float64, copy=False)
