"""SciPy's sparse matrices of any format as CSR arrays of binary64 numbers."""

import math
import sys
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.numbers.binary64 import REAL_KINDS, NumberError, numbers
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError

TWO_DIMENSIONS = "expected two dimensions, (n_samples, n_features)"


def is_sparse(X: object) -> bool:
    """Return whether `X` is a matrix or array of SciPy, without importing it."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def canonical_csr(X: Any) -> Any:
    """Return a CSR array of float64, indices sorted and without duplicates; the caller's matrix stays as it is.

    Raises
    ------
    InvalidProblemError
        It does not have two dimensions, does not hold real numbers, or its indices do not match its entries.
    NumberError
        A number, or the sum of the entries at one position, is not binary64.
    """
    from scipy.sparse import coo_array, csr_array

    if X.dtype.kind not in REAL_KINDS:
        raise InvalidProblemError(f"X has dtype {X.dtype}, expected real numbers")
    if X.ndim != 2:
        raise InvalidProblemError(f"X has shape {X.shape}, {TWO_DIMENSIONS}")
    try:
        if X.format in ("csr", "csc", "bsr"):  # compiled code trusts indices, and what SciPy found of them is forgotten
            X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
            X.check_format(full_check=True)
        if X.format in ("csr", "csc") and X.dtype == np.float64 and X.has_canonical_format:
            return csr_array(X)
        rows, columns, data = _entries(X)
        coo_array((data, (rows, columns)), shape=X.shape)  # which checks the indices
    except (ValueError, IndexError, TypeError) as error:
        raise InvalidProblemError(f"X is no valid sparse matrix of the format {X.format}: {error}") from error
    try:
        values = numbers(data).as_binary64()
    except NumberError as error:
        position = error.row or 0
        error.row, error.column = int(rows[position]), int(columns[position])
        raise
    matrix = csr_array((values, (rows, columns)), shape=X.shape)
    return matrix if matrix.nnz == len(values) else csr_array(_summed(rows, columns, values), shape=X.shape)


def _entries(X: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Return the rows, the columns and the values of all entries as they are stored."""
    if X.format == "lil":  # tocoo() takes its long doubles for binary64 numbers
        rows = np.repeat(np.arange(X.shape[0]), [len(row) for row in X.rows])
        columns = np.fromiter(chain.from_iterable(X.rows), np.int64, len(rows))
        return rows, columns, np.array([*chain.from_iterable(X.data)], dtype=X.dtype)
    entries = X.tocoo()  # of all formats the one that adds nothing up
    return entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data


def _summed(
    rows: NDArray[np.int64], columns: NDArray[np.int64], values: Floats
) -> tuple[Floats, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the entries with those at one position added up."""
    parts: dict[tuple[int, int], list[float]] = {}
    for row, column, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
        parts.setdefault((row, column), []).append(value)
    totals = np.array([_exact_sum(found, *place) for place, found in parts.items()])
    distinct_rows, distinct_columns = np.array(list(parts)).T
    return totals, (distinct_rows, distinct_columns)


def _exact_sum(parts: list[float], row: int, column: int) -> float:
    """Return the sum, or raise if binary64 would round it: `math.fsum` rounds once, so a second sum finds the rest."""
    try:
        total = math.fsum(parts)
        is_exact = not math.isfinite(total) or math.fsum([*parts, -total]) == 0
    except (OverflowError, ValueError):  # beyond binary64 on the way, or infinities of both signs
        total, is_exact = math.nan, False
    if is_exact:
        return total
    found = f"{len(parts)} entries whose sum is not binary64"
    raise NumberError(row=row, column=column, found=found, expected="one entry", hint="X.sum_duplicates() adds them up")
