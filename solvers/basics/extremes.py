"""The least and the greatest number of every column."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats

# The least and the greatest number of every column, both (n_features,).
Extremes = tuple[Floats, Floats]

# Number of entries of a part of a large array.
_ENTRIES_OF_PART = 2**19

# Number of entries of the long rows of which the extremes are found.
_ENTRIES_TOGETHER = 1000


def column_bounds(X: Any) -> Extremes:
    """Return the least and the greatest number of every column of an array or CSR array.

    A column with NaN or infinity has NaN for both.

    Examples
    --------
    >>> column_bounds(np.array([[1.0, np.inf], [3.0, 0.0]]))
    (array([ 1., nan]), array([ 3., nan]))
    """
    if hasattr(X, "tocsr"):
        return _finite_or_nan(X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel())
    return _finite_or_nan(_folded(np.minimum, X), _folded(np.maximum, X))


def _folded(fold: np.ufunc, X: Floats) -> Floats:
    """Return the least or the greatest number of every column."""
    # NumPy folds long rows eight times as fast as short ones, so several rows are taken as one first.
    n_rows, n_columns = X.shape
    together = _ENTRIES_TOGETHER // max(n_columns, 1)
    if together > 1 and n_rows > 2 * together:
        n_whole = n_rows - n_rows % together
        folded = fold.reduce(X[:n_whole].reshape(-1, together * n_columns)).reshape(together, n_columns)
        X = np.concatenate([folded, X[n_whole:]])
    result: Floats = fold.reduce(X)
    return result


def extremes_of(X: Floats) -> Extremes:
    """Return the bounds of the columns of an array, of a large one part by part, in threads."""
    if X.size < 2 * _ENTRIES_OF_PART:
        return column_bounds(X)
    from maxmargin.solvers.basics.parallel import in_order, slices  # slow to import

    parts = (X[rows] for rows in slices(len(X), max(1, _ENTRIES_OF_PART // X.shape[1])))
    return joined_extremes(in_order(column_bounds, parts))


def joined_extremes(parts: Iterable[Extremes]) -> Extremes:
    """Return the bounds of the columns of all rows from those of parts of the rows."""
    lows, highs = zip(*parts, strict=True)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _finite_or_nan(low: Floats, high: Floats) -> Extremes:
    is_finite = np.isfinite(low) & np.isfinite(high)
    return (low, high) if is_finite.all() else (np.where(is_finite, low, np.nan), np.where(is_finite, high, np.nan))
