"""Numbers as integers in digits of a few bits each: sums of digits are exact where sums of the numbers would round."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.exact.dyadic import Integers, as_integers, common_exponent

Floats = NDArray[np.float64]

_EXACT_BITS = 53
"""Largest number of bits for which all integers are exact in floating point."""

_DIGIT_BITS = 24
_MOST_WEIGHT = 1 << (_EXACT_BITS - _DIGIT_BITS)
"""Sums of digits with weights of less than this in all stay below 2**53."""

_BLOCK_ENTRIES = 1 << 16
"""Entries of the values that are split into digits at a time: the processor's cache holds them."""

MANY_ENTRIES = 2000
"""Smallest number of values for which sums of digits are faster than sums of Python's integers."""

_MOST_PAIRS = 100
"""Largest product of the digits of a value and of a weight; for more, Python's integers are faster."""

_SQUARED_BITS, _SQUARED_AT_ONCE = 22, 1 << 19
"""Bits of digits, and how many products of these sum up to less than 2**63."""

_MOST_BITS = 1000
"""Largest number of bits of a value in units of the lowest bit of all values, so that it is a finite float."""


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
    parts, digit_bits = _parts(weights)
    if n_bits > _MOST_BITS or -(-n_bits // digit_bits) * len(parts) > _MOST_PAIRS:
        return None
    blocks = slices(values.shape[1], max(1, _BLOCK_ENTRIES // len(values)))
    sums = [_block_sums(np.ldexp(values[:, block], -exponent), n_bits, parts, digit_bits) for block in blocks]
    return np.concatenate(sums, axis=1).ravel().tolist(), exponent


def exact_products(values: Floats, vectors: Integers) -> tuple[Integers, int]:
    """Return ``(products, exponent)``: ``values @ vectors = products * 2**exponent``, exactly.

    Parameters
    ----------
    values : ndarray (n_rows, n_columns) of float64
        Finite numbers.
    vectors : ndarray (n_columns,) or (n_columns, k) of int (object dtype)
    """
    found = digit_sums(values.T, vectors) if values.size >= MANY_ENTRIES else None
    if found is None:
        entries, exponent = as_integers(values)
        return entries.dot(vectors), exponent
    sums, exponent = found
    return np.array(sums, dtype=object).reshape(-1, len(values)).T.reshape(len(values), *vectors.shape[1:]), exponent


def _block_sums(integers: Floats, n_bits: int, parts: Floats, digit_bits: int) -> Integers:
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


def _parts(weights: Integers) -> tuple[Floats, int]:
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


def sum_of_squares(values: Floats) -> tuple[int, int]:
    """Return ``(total, exponent)``: the sum of the squares of these numbers is ``total * 4**exponent``, exactly.

    Examples
    --------
    >>> sum_of_squares(np.array([0.5, 2.0]))
    (17, -1)
    """
    totals, exponent = row_squares(values[np.newaxis])
    return int(totals[0]), exponent


def row_squares(values: Floats) -> tuple[Integers, int]:
    """Return ``(squares, exponent)``: ``||values[i]||**2`` is ``squares[i] * 4**exponent``, exactly.

    Parameters
    ----------
    values : ndarray (n_rows, n_columns) of float64
        Finite numbers.
    """
    exponent, n_bits = _extent(values) if values.size >= MANY_ENTRIES else (0, _MOST_BITS + 1)
    if n_bits > _MOST_BITS:
        integers, exponent = as_integers(values)
        return np.asarray((integers * integers).sum(axis=1)), exponent
    blocks = slices(len(values), max(1, _BLOCK_ENTRIES // values.shape[1]))
    return np.concatenate([_block_squares(np.ldexp(values[block], -exponent), n_bits) for block in blocks]), exponent


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
