"""The least and the greatest number of every column: sizes for error bounds, and NaN where a number is not finite."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem.rows import RowSource

Floats = NDArray[np.float64]
Bounds = tuple[Floats, Floats]
"""The least and the greatest number of every column, both (n_features,)."""

MANY_ENTRIES = 1 << 20
"""Smallest number of matrix entries in a chunk for which a compiled pass is worth loading the compiler's runtime."""


def column_bounds(X: Any) -> Bounds:
    """Return the least and the greatest number of every column of an array or CSR array.

    A column with NaN or infinity has NaN for both.

    Examples
    --------
    >>> column_bounds(np.array([[1.0, np.inf], [3.0, 0.0]]))
    (array([ 1., nan]), array([ 3., nan]))
    """
    if hasattr(X, "tocsr"):
        return _finite_or_nan(X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel())
    if X.size < MANY_ENTRIES:
        return _finite_or_nan(X.min(axis=0), X.max(axis=0))
    return _compiled(X)


def bounds_of_rows(row_source: RowSource) -> Bounds:
    """Return the bounds of the columns of all rows, chunk by chunk."""
    return united(row_source.map(_of_chunk))


def _of_chunk(rows: slice, X: Any) -> Bounds:
    return column_bounds(X)


def united(parts: Iterable[Bounds]) -> Bounds:
    """Return the bounds of all rows from the bounds of parts of them."""
    lows, highs = zip(*parts, strict=True)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _finite_or_nan(low: Floats, high: Floats) -> Bounds:
    is_finite = np.isfinite(low) & np.isfinite(high)
    return (low, high) if is_finite.all() else (np.where(is_finite, low, np.nan), np.where(is_finite, high, np.nan))


def _compiled(X: Floats) -> Bounds:
    from maxmargin.solvers.problem.extremes_kernel import fold_rows

    low, high, zeros = X[0].copy(), X[0].copy(), np.zeros(X.shape[1])
    fold_rows(X, low, high, zeros)
    return low + zeros, high + zeros
