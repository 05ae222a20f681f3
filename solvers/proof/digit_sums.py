"""Exact sums of many rows with integer weights, through digits whose sums no addition in floating point rounds."""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.proof.dyadic import Integers, common_exponent

Floats = NDArray[np.float64]

_DIGIT_BITS = 24
_MOST_WEIGHT = 1 << 29
"""Sums of digits with weights of less than this in all stay below 2**53."""

_MOST_BITS = 1000
"""Of a number in units of the lowest bit of all, so that it is one in floating point as well."""


def digit_sums(values: Floats, weights: Integers) -> tuple[list[int], int] | None:
    """Return ``(sums, exponent)``: ``weights.T @ values = sums * 2**exponent``, exactly and row after row.

    A value is an integer of digits of 24 bits times a power of two. Its digits are split off from below, where every
    step keeps some of its bits, so that nothing is rounded; and the sums of weighted digits are below 2**53.

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
    lowest = common_exponent(values) or 0
    n_bits = int(np.frexp(np.abs(values).max(initial=0.0))[1]) - lowest
    if n_bits > _MOST_BITS or np.abs(weights).sum() >= _MOST_WEIGHT:
        return None
    factors = weights.astype(np.float64).T
    rest = np.ldexp(values, -lowest)
    n_sums = 1 if weights.ndim == 1 else weights.shape[1]
    total: Integers = np.zeros(n_sums * values.shape[1], dtype=object)
    for place in range(-(-n_bits // _DIGIT_BITS)):
        higher = np.trunc(rest / 2.0**_DIGIT_BITS)
        of_place = factors @ (rest - higher * 2.0**_DIGIT_BITS)
        total += of_place.ravel().astype(np.int64).astype(object) * (1 << (_DIGIT_BITS * place))
        rest = higher
    return total.tolist(), lowest
