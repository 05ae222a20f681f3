"""Compiled computation of the exact sign of a score, from the limbs of the rows and of the weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.compiling import in_machine_code

Integers = NDArray[np.int64]

LIMB_BITS = 24
_BELOW_A_LIMB = (1 << LIMB_BITS) - 1


class Limbs(NamedTuple):
    """Rows z_i = y_i (x_i, s) and weights w = sum c_k z_k in limbs of 24 bits, to compute the sign of z_i.w exactly.

    In units of a power of two the z_i are integers sum_p a_ip 2**(24 p), where all limbs a_ip have the sign of their
    number. The sums of limbs sum_k c_k a_kp fit into 64 bits. After the weights are carried into limbs again, the
    sums of products of limbs fit as well; the sign of z_i.w is the sign of the last carry.

    Attributes
    ----------
    rows : ndarray (n_samples, n_limbs, n_coordinates) of int
        Limbs, the lowest first, read-only; of shape (0, 0, 0) if there are none, so that no score is decided.
    weights : ndarray (n_limbs, n_coordinates) of int
        Updated: the sums of limbs.
    counts : ndarray (n_samples,) of int
        Updated: the mistakes c_k of these weights.
    carried : ndarray (n_limbs + 2, n_coordinates) of int
        Overwritten: the limbs of the weights; the highest have the sign of their number, the others are >= 0.
    most : int
        Largest number of mistakes for which scores are decided, up to 2**38.
    most_decided : int
        Number of scores after which a pass returns, because the other limits of its work do not include their cost.
    """

    rows: Integers
    weights: Integers
    counts: Integers
    carried: Integers
    most: int
    most_decided: int


@in_machine_code
def follow(limbs: Limbs, counts: Integers) -> bool:
    """Update the weights to these counts of mistakes; return whether the sums of limbs are valid.

    An overflow on the way is harmless: the sums are computed modulo 2**64, and in the end they fit into 64 bits.
    """
    if limbs.rows.shape[0] == 0:
        return False
    n_mistakes = 0
    for row in range(counts.shape[0]):
        n_mistakes += counts[row]
        n_more = counts[row] - limbs.counts[row]
        if n_more != 0:
            limbs.counts[row] = counts[row]
            for position in range(limbs.weights.shape[0]):
                for j in range(limbs.weights.shape[1]):
                    limbs.weights[position, j] += n_more * limbs.rows[row, position, j]
    return bool(n_mistakes <= limbs.most)


@in_machine_code
def carry(limbs: Limbs) -> None:
    """Carry the sums of limbs into limbs."""
    n_limbs = limbs.weights.shape[0]
    for j in range(limbs.weights.shape[1]):
        total = 0
        for position in range(n_limbs + 1):
            if position < n_limbs:
                total += limbs.weights[position, j]
            limbs.carried[position, j] = total & _BELOW_A_LIMB
            total >>= LIMB_BITS
        limbs.carried[n_limbs + 1, j] = total


@in_machine_code
def exact_sign(limbs: Limbs, row: int) -> int:
    """Return the sign of z.w for carried weights."""
    own, weights = limbs.rows[row], limbs.carried
    total, below = 0, 0
    for position in range(own.shape[0] + weights.shape[0] - 1):
        for k in range(max(0, position - weights.shape[0] + 1), min(position + 1, own.shape[0])):
            for j in range(own.shape[1]):
                total += own[k, j] * weights[position - k, j]
        below |= total & _BELOW_A_LIMB
        total >>= LIMB_BITS
    if total == 0:
        return 1 if below else 0
    return 1 if total > 0 else -1
