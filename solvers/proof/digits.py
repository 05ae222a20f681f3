"""Numbers as integers in digits of a few bits each: sums of digits are exact where sums of the numbers would round."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.proof.dyadic import Integers, common_exponent

Floats = NDArray[np.float64]

_DIGIT_BITS = 24
_MOST_WEIGHT = 1 << 29
"""Sums of digits with weights of less than this in all stay below 2**53."""

_MOST_BITS = 1000
"""Of a number in units of the lowest bit of all, so that it is one in floating point as well."""


def whole_numbers(values: Floats) -> tuple[Floats, int, int] | None:
    """Return ``(integers, exponent, n_bits)``: ``values = integers * 2**exponent``, of at most `n_bits` bits each.

    None where that would be more than 1,000 bits. The integers are floating point numbers.
    """
    lowest = common_exponent(values) or 0
    n_bits = int(np.frexp(np.abs(values).max(initial=0.0))[1]) - lowest
    return None if n_bits > _MOST_BITS else (np.ldexp(values, -lowest), lowest, max(1, n_bits))


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
        None where the weights or the range of the values are too large for this.

    Examples
    --------
    >>> digit_sums(np.array([[0.5, 3.0], [2.0**60, 1.0]]), np.array([1, 2], dtype=object))
    ([4611686018427387905, 10], -1)
    """
    whole = whole_numbers(values)
    if whole is None or np.abs(weights).sum() >= _MOST_WEIGHT:
        return None
    integers, exponent, n_bits = whole
    factors = weights.astype(np.float64).T
    n_sums = 1 if weights.ndim == 1 else weights.shape[1]
    total: Integers = np.zeros(n_sums * values.shape[1], dtype=object)
    for place, of_place in enumerate(digits(integers, n_bits, _DIGIT_BITS)):
        sums = (factors @ of_place).ravel().astype(np.int64).astype(object)
        total += sums * (1 << (_DIGIT_BITS * place))
    return total.tolist(), exponent
