"""Exact products of rows with integers: sums of them, sums over them, and their squared norms.

Dense rows are split into digits of a few bits each, whose sums are exact in floating point where sums of the numbers
would round. Sparse rows, and dense ones that are nearly all 0, cost a time linear in the entries that are not 0.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.exact.dyadic import Integers, as_integers, common_exponent

# Largest number of bits for which all integers are exact in floating point.
_EXACT_BITS = 53

_DIGIT_BITS = 24
# Sums of digits with weights of less than this in all stay below 2**53.
_MOST_WEIGHT = 1 << (_EXACT_BITS - _DIGIT_BITS)

# Number of entries that are split into digits at a time, small enough for the processor's cache.
_BLOCK_ENTRIES = 1 << 16

# Smallest number of values for which sums of digits are faster than sums of Python's integers.
_MANY_ENTRIES = 2000

# Largest product of the digits of a value and of a weight; for more, Python's integers are faster.
_MOST_PAIRS = 100

# Bits of digits, and how many products of these sum up to less than 2**63.
_SQUARED_BITS, _SQUARED_AT_ONCE = 22, 1 << 19

# Largest number of bits of a value in units of the lowest bit of all values, so that it is a finite float.
_MOST_BITS = 1000

# Number of stored entries that are converted to Python's integers at a time (about 30 MB).
_ENTRIES_AT_ONCE = 1 << 18

# Smallest number of entries of dense rows for which zeros are left out, if at most one entry in this many is not 0.
_LARGE, _NEARLY_ALL = 1 << 18, 50


def exact_products(X: Any, vectors: Integers) -> tuple[Integers, int]:
    """Return ``(products, exponent)``: ``X @ vectors = products * 2**exponent``, exactly.

    Parameters
    ----------
    X : ndarray, or CSR array (n_rows, n_columns) of float64
        Finite numbers.
    vectors : ndarray (n_columns,) or (n_columns, k) of int (object dtype)

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> exact_products(csr_array([[0.5, 0.0], [1.0, 3.0]]), np.array([1, 2**70], dtype=object))
    (array([1, 7083549724304467820546], dtype=object), -1)
    """
    stored = X if hasattr(X, "tocsr") else _stored_entries(X)
    if stored is not None:
        return _stored_products(stored, vectors)
    found = digit_sums(X.T, vectors) if X.size >= _MANY_ENTRIES else None
    if found is None:
        entries, exponent = as_integers(X)
        return entries.dot(vectors), exponent
    sums, exponent = found
    return np.array(sums, dtype=object).reshape(-1, len(X)).T.reshape(len(X), *vectors.shape[1:]), exponent


def exact_sums(X: Any, weights: Integers) -> tuple[list[int], int]:
    """Return ``(sums, exponent)``: ``weights.T @ X = sums * 2**exponent``, exactly and row after row.

    Parameters
    ----------
    X : ndarray, or CSR array (n_rows, n_columns) of float64
        Finite numbers.
    weights : ndarray (n_rows,) or (n_rows, n_sums) of int (object dtype)
    """
    if hasattr(X, "tocsr"):
        parts = [_sum(X, column) for column in weights.reshape(len(weights), -1).T]
        exponent = min(own for _, own in parts)
        return [v << (own - exponent) for sums, own in parts for v in sums], exponent
    stored = _stored_entries(X.T)
    if stored is not None:
        products, exponent = _stored_products(stored, weights)
        return products.T.ravel().tolist(), exponent
    if X.size >= _MANY_ENTRIES and (found := digit_sums(X, weights)) is not None:
        return found
    entries, exponent = as_integers(X)
    return weights.T.dot(entries).ravel().tolist(), exponent


def _sum(X: Any, weights: Integers) -> tuple[list[int], int]:
    """Return ``weights @ X`` in a unit, at the cost of the rows of a weight."""
    rows = np.flatnonzero(weights != 0)
    products, exponent = _stored_products(X[rows].T.tocsr(), weights[rows])
    return products.tolist(), exponent


def exact_squares(X: Any) -> tuple[Integers, int]:
    """Return ``(squares, exponent)``: ``||x_i||^2 = squares_i 4**exponent``, exactly, for an array or CSR rows.

    Examples
    --------
    >>> exact_squares(np.array([[0.5, 2.0]]))
    (array([17], dtype=object), -1)
    """
    if hasattr(X, "tocsr"):
        entries, exponent = as_integers(X.data)
        return sums_of_rows(entries * entries, X.indptr), exponent
    exponent, n_bits = _extent(X) if X.size >= _MANY_ENTRIES else (0, _MOST_BITS + 1)
    if n_bits > _MOST_BITS:
        entries, exponent = as_integers(X)
        return np.asarray((entries * entries).sum(axis=1)), exponent
    blocks = slices(len(X), max(1, _BLOCK_ENTRIES // X.shape[1]))
    return np.concatenate([_block_squares(np.ldexp(X[block], -exponent), n_bits) for block in blocks]), exponent


def whole_numbers(values: Floats, most_bits: int = _MOST_BITS) -> tuple[Floats, int, int] | None:
    """Return ``(integers, exponent, n_bits)``: ``values = integers * 2**exponent``, of at most `n_bits` bits each.

    None where that would be more than `most_bits`, by default 1,000. The integers are floating point numbers.
    """
    exponent, n_bits = _extent(values)
    return None if n_bits > most_bits else (np.ldexp(values, -exponent), exponent, n_bits)


def _extent(values: Floats) -> tuple[int, int]:
    """Return the exponent of the lowest bit of all, and the bits of the largest value in units of it."""
    exponent = common_exponent(values) or 0
    largest = max(values.max(initial=0.0), -values.min(initial=0.0))
    return exponent, max(1, int(np.frexp(largest)[1]) - exponent)


def digits(integers: Floats, n_bits: int, digit_bits: int) -> Iterator[Floats]:
    """Yield the digits of whole numbers, the lowest first, each with the sign of its number; no step rounds.

    They are split off from below, where every step keeps some of the bits of a number.
    """
    base = 2.0**digit_bits
    for _ in range(-(-n_bits // digit_bits)):
        higher = np.trunc(integers / base)
        yield integers - higher * base
        integers = higher


def digit_sums(values: Floats, weights: Integers) -> tuple[list[int], int] | None:
    """Return ``(sums, exponent)``: ``weights.T @ values = sums * 2**exponent``, exactly and row after row.

    Parameters
    ----------
    values : ndarray (n_rows, n_columns) of float64
        Finite numbers.
    weights : ndarray (n_rows,) or (n_rows, n_sums) of int (object dtype)

    Returns
    -------
    (list of int, int) or None
        None where the range of the values or of the weights is too large for this.

    Examples
    --------
    >>> digit_sums(np.array([[0.5, 3.0], [2.0**60, 1.0]]), np.array([1, 2], dtype=object))
    ([4611686018427387905, 10], -1)
    """
    exponent, n_bits = _extent(values)
    parts, digit_bits = digit_parts(weights)
    if n_bits > _MOST_BITS or -(-n_bits // digit_bits) * len(parts) > _MOST_PAIRS:
        return None
    blocks = slices(values.shape[1], max(1, _BLOCK_ENTRIES // len(values)))
    sums = [sums_of_digits(np.ldexp(values[:, block], -exponent), n_bits, parts, digit_bits) for block in blocks]
    return np.concatenate(sums, axis=1).ravel().tolist(), exponent


def sums_of_digits(integers: Floats, n_bits: int, parts: Floats, digit_bits: int) -> Integers:
    """Return the sums, shape (n_sums, n_columns), of whole numbers times weights, which come in digits."""
    n_parts, n_sums, n_rows = parts.shape
    n_digits = -(-n_bits // digit_bits)
    by_position = np.zeros((n_digits + n_parts - 1, n_sums, integers.shape[1]), dtype=np.int64)
    for position, of_position in enumerate(digits(integers, n_bits, digit_bits)):
        sums = parts.reshape(-1, n_rows) @ of_position
        by_position[position : position + n_parts] += sums.astype(np.int64).reshape(n_parts, n_sums, -1)
    total: Integers = by_position[-1].astype(object)
    for of_position in by_position[-2::-1]:
        total = total * (1 << digit_bits) + of_position
    return total


def digit_parts(weights: Integers) -> tuple[Floats, int]:
    """Return the digits of the weights, shape (n_digits, n_sums, n_rows), and the bits of a digit.

    Sums over the rows of a digit of a weight times a digit of a value stay below 2**53.
    """
    columns = weights.reshape(len(weights), -1).T
    sizes = np.abs(columns)
    if sizes.sum() < _MOST_WEIGHT:
        return columns.astype(np.float64)[np.newaxis], _DIGIT_BITS
    digit_bits = (_EXACT_BITS - len(weights).bit_length()) // 2
    n_digits = -(-int(sizes.max()).bit_length() // digit_bits)
    positions: Any = digit_bits * np.arange(n_digits).astype(object).reshape(-1, 1, 1)
    signs = np.where(columns < 0, -1.0, 1.0)
    return ((sizes >> positions) & ((1 << digit_bits) - 1)).astype(np.float64) * signs, digit_bits


def _block_squares(integers: Floats, n_bits: int) -> Integers:
    """Return the squared norms of rows of whole numbers."""
    positions = [of_position.astype(np.int64) for of_position in digits(integers, n_bits, _SQUARED_BITS)]
    totals: Integers = np.zeros(len(integers), dtype=object)
    for part in slices(integers.shape[1], _SQUARED_AT_ONCE):
        for number, of_position in enumerate(positions):
            for other_number, other in enumerate(positions[: number + 1]):
                products = np.einsum("ij,ij->i", of_position[:, part], other[:, part]).astype(object)
                totals += products * (1 + (number != other_number) << _SQUARED_BITS * (number + other_number))
    return totals


class _StoredEntries(NamedTuple):
    """The entries of a matrix that are not 0, as a CSR array holds them."""

    shape: tuple[int, int]
    data: Floats
    indices: NDArray[np.int64]
    indptr: NDArray[np.int64]

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.data)


def _stored_entries(X: Floats) -> _StoredEntries | None:
    """Return the entries of a dense matrix if it is large and nearly all of them are 0, else None."""
    if X.size < _LARGE or int(np.count_nonzero(X)) * _NEARLY_ALL > X.size:
        return None
    rows, columns = np.nonzero(X)
    starts = np.append(0, np.cumsum(np.bincount(rows, minlength=len(X))))
    return _StoredEntries(shape=(X.shape[0], X.shape[1]), data=X[rows, columns], indices=columns, indptr=starts)


def _stored_products(X: Any, vectors: Integers) -> tuple[Integers, int]:
    """Return the products of a CSR array, or of `_StoredEntries`, with vectors."""
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
