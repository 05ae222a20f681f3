"""Compiled: the sign of a score, exactly, from the digits of the rows and of the weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.compiling import in_machine_code

Integers = NDArray[np.int64]

DIGIT_BITS = 24
_BELOW_A_DIGIT = (1 << DIGIT_BITS) - 1


class Digits(NamedTuple):
    """Rows z_i = y_i (x_i, s) and weights w = sum c_k z_k in digits of 24 bits, to compute the sign of z_i.w exactly.

    In units of a power of two the z_i are integers sum_p a_ip 2**(24 p), all digits a_ip of a number having its sign.
    The sums of digits sum_k c_k a_kp stay in 64 bits, and so do, once the weights are carried into digits again, the
    sums of products of digits; the sign of z_i.w is that of what is carried out of the last of these in the end.

    Attributes
    ----------
    rows : ndarray (n_samples, n_digits, n_coordinates) of int
        Digits, the lowest first, frozen; of shape (0, 0, 0) where there are none, and no score is decided.
    weights : ndarray (n_digits, n_coordinates) of int
        Updated: the sums of digits.
    counts : ndarray (n_samples,) of int
        Updated: the mistakes c_k of these weights.
    carried : ndarray (n_digits + 2, n_coordinates) of int
        Written over: the digits of the weights; those of the last place have the sign of their number, others are >= 0.
    most : int
        Mistakes up to which scores are decided, up to 2**38.
    most_decided : int
        Scores after which a pass returns, as the limits of its work do not know of their cost.
    """

    rows: Integers
    weights: Integers
    counts: Integers
    carried: Integers
    most: int
    most_decided: int


@in_machine_code
def follow(digits: Digits, counts: Integers) -> bool:
    """Add rows to the weights as often as they were mistaken since; return whether the sums of digits are at hand.

    What overflows on the way is harmless: sums modulo 2**64 are those that are within reach in the end.
    """
    if digits.rows.shape[0] == 0:
        return False
    n_mistakes = 0
    for row in range(counts.shape[0]):
        n_mistakes += counts[row]
        n_more = counts[row] - digits.counts[row]
        if n_more != 0:
            digits.counts[row] = counts[row]
            for position in range(digits.weights.shape[0]):
                for j in range(digits.weights.shape[1]):
                    digits.weights[position, j] += n_more * digits.rows[row, position, j]
    return bool(n_mistakes <= digits.most)


@in_machine_code
def carry(digits: Digits) -> None:
    """Turn the sums of digits into digits."""
    n_digits = digits.weights.shape[0]
    for j in range(digits.weights.shape[1]):
        total = 0
        for position in range(n_digits + 1):
            if position < n_digits:
                total += digits.weights[position, j]
            digits.carried[position, j] = total & _BELOW_A_DIGIT
            total >>= DIGIT_BITS
        digits.carried[n_digits + 1, j] = total


@in_machine_code
def exact_sign(digits: Digits, row: int) -> int:
    """Return the sign of z.w, for weights that are carried."""
    own, weights = digits.rows[row], digits.carried
    total, below = 0, 0
    for position in range(own.shape[0] + weights.shape[0] - 1):
        for k in range(max(0, position - weights.shape[0] + 1), min(position + 1, own.shape[0])):
            for j in range(own.shape[1]):
                total += own[k, j] * weights[position - k, j]
        below |= total & _BELOW_A_DIGIT
        total >>= DIGIT_BITS
    if total == 0:
        return 1 if below else 0
    return 1 if total > 0 else -1
