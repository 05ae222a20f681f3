"""Exact products of sparse rows with integers, at a cost linear in the stored entries."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.exact.dyadic import Integers, as_integers
from maxmargin.solvers.exact.limbs import row_squares

_ENTRIES_AT_ONCE = 1 << 18
"""Number of stored entries that are converted to Python's integers at a time (about 30 MB)."""

_LARGE, _NEARLY_ALL = 1 << 18, 50
"""Smallest number of entries of dense rows for which zeros are left out, if at most one entry in this many is not 0."""


def exact_scores(X: Any, vectors: Integers) -> tuple[Integers, int]:
    """Return ``(products, exponent)``: ``X @ vectors = products * 2**exponent``, exactly.

    Parameters
    ----------
    X : CSR array (n_rows, n_columns) of float64, or StoredEntries
        Finite numbers.
    vectors : ndarray (n_columns,) or (n_columns, k) of int (object dtype)

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> exact_scores(csr_array([[0.5, 0.0], [1.0, 3.0]]), np.array([1, 2**70], dtype=object))
    (array([1, 7083549724304467820546], dtype=object), -1)
    """
    n_rows = X.shape[0]
    mean = max(1.0, X.nnz / max(1, n_rows))
    parts = [_part(X, rows, vectors) for rows in slices(n_rows, max(1, int(_ENTRIES_AT_ONCE / mean)))]
    exponent = min((own for _, own in parts), default=0)
    products: Integers = np.zeros((n_rows, *vectors.shape[1:]), dtype=object)
    start = 0
    for sums, own in parts:
        products[start : start + len(sums)] = sums * (1 << (own - exponent))
        start += len(sums)
    return products, exponent


def exact_sums(X: Any, weights: Integers) -> tuple[list[int], int]:
    """Return ``(sums, exponent)``: ``weights.T @ X = sums * 2**exponent``, exactly and row after row.

    Parameters
    ----------
    X : CSR array (n_rows, n_columns) of float64
        Finite numbers.
    weights : ndarray (n_rows,) or (n_rows, n_sums) of int (object dtype)
    """
    parts = [_sum(X, column) for column in weights.reshape(len(weights), -1).T]
    exponent = min(own for _, own in parts)
    return [v << (own - exponent) for sums, own in parts for v in sums], exponent


def _sum(X: Any, weights: Integers) -> tuple[list[int], int]:
    """Return ``weights @ X`` in a unit, at the cost of the rows of a weight."""
    rows = np.flatnonzero(weights != 0)
    products, exponent = exact_scores(X[rows].T.tocsr(), weights[rows])
    return products.tolist(), exponent


class StoredEntries(NamedTuple):
    """The entries of a matrix that are not 0, as a CSR array holds them."""

    shape: tuple[int, int]
    data: NDArray[np.float64]
    indices: NDArray[np.int64]
    indptr: NDArray[np.int64]

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.data)


def stored_entries(X: NDArray[np.float64]) -> StoredEntries | None:
    """Return the entries of a dense matrix if it is large and nearly all of them are 0, else None."""
    if X.size < _LARGE or int(np.count_nonzero(X)) * _NEARLY_ALL > X.size:
        return None
    rows, columns = np.nonzero(X)
    starts = np.append(0, np.cumsum(np.bincount(rows, minlength=len(X))))
    return StoredEntries(shape=(X.shape[0], X.shape[1]), data=X[rows, columns], indices=columns, indptr=starts)


def exact_squares(X: Any) -> tuple[Integers, int]:
    """Return ``(squares, exponent)``: ``||x_i||^2 = squares_i 4**exponent``, exactly, for an array or CSR rows."""
    if not hasattr(X, "tocsr"):
        return row_squares(X)
    entries, exponent = as_integers(X.data)
    return sums_of_rows(entries * entries, X.indptr), exponent


def _part(X: Any, rows: slice, vectors: Integers) -> tuple[Integers, int]:
    starts = X.indptr[rows.start : rows.stop + 1]
    entries, exponent = as_integers(X.data[starts[0] : starts[-1]])
    factors = vectors[X.indices[starts[0] : starts[-1]]]
    return sums_of_rows(factors * entries.reshape(-1, *[1] * (vectors.ndim - 1)), starts - starts[0]), exponent


def sums_of_rows(products: Integers, starts: Any) -> Integers:
    """Return the sum of the products from each start to the next one."""
    sums: Integers = np.zeros((len(starts) - 1, *products.shape[1:]), dtype=object)
    is_filled = np.diff(starts) > 0
    if is_filled.any():
        sums[is_filled] = np.add.reduceat(products, starts[:-1][is_filled], axis=0)
    return sums
