"""Sums over rows and over columns, with the sums of the moduli, from which rounding errors are bounded."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.problem.extremes import MANY_ENTRIES

Floats = NDArray[np.float64]

_GROUP_ROWS = 256
"""Number of rows in a group; groups are summed first, and then their sums, to keep the sums short."""

_BLOCK_GROUPS = 8
"""Number of groups in a block, few enough to stay in the cache."""


@np.errstate(all="ignore")
def functional_margins(X: Any, y: NDArray[Any], w: Floats, b: float) -> tuple[Floats, tuple[float, ...]]:
    """Return y (w.x + b), -infinity if it overflows, and the least finite value of each class, -1 first."""
    y = np.asarray(y, dtype=np.float64)
    if _are_many(X):
        from maxmargin.solvers.proof.sums import sums_kernels

        result = np.empty(len(y))
        return result, sums_kernels.functional_margins(X, y, w, b, result)
    result = np.asarray(X @ w + b) * y
    result[~np.isfinite(result)] = -np.inf
    is_number = result > -np.inf
    least = [result.min(where=is_number & (y == sign), initial=np.inf) for sign in (-1, 1)]
    return result, tuple(map(float, least))


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
    if not _are_many(X):
        rows = X if center is None else X - center
        return np.asarray(rows @ w), np.asarray(abs(rows) @ np.abs(w))
    from maxmargin.solvers.proof.sums import sums_kernels

    value, moduli = np.empty((2, X.shape[0]))
    sums_kernels.scores_and_moduli(X, _or_zero(center, X), w, value, moduli)
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
    n_groups = -(-len(weights) // _GROUP_ROWS)
    if _are_many(X):
        from maxmargin.solvers.proof.sums import sums_kernels

        sums_kernels.weighted_sums(X, _or_zero(center, X), weights, _GROUP_ROWS, sums, moduli)
        return sums, moduli, _GROUP_ROWS + n_groups
    for rows in slices(len(weights), _GROUP_ROWS * _BLOCK_GROUPS):
        block = X[rows] if center is None else X[rows] - center
        for total, numbers, factors in (
            (sums, block, weights[rows]),
            (moduli, np.abs(block), np.abs(weights[rows])),
        ):
            for group in slices(len(factors), _GROUP_ROWS):
                total += factors[group] @ numbers[group]
    return sums, moduli, _GROUP_ROWS + n_groups


def _are_many(X: Any) -> bool:
    """Return whether these are dense rows, large enough for compiled passes."""
    return isinstance(X, np.ndarray) and X.size >= MANY_ENTRIES


def _or_zero(center: Floats | None, X: Any) -> Floats:
    return np.zeros(X.shape[1]) if center is None else center
