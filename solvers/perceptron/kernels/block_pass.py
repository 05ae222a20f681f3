"""Compiled pass over rows in a fixed order that are screened in blocks of 64, in single precision.

Late in a run few rows are mistakes, and single precision suffices to prove that a row is right: it halves the bytes
that a pass reads, and the loop over the 64 rows of a block fills the vector registers.

Let z = y (x, s) be a row of D coordinates with a norm of up to n, and W >= ||w|| for the computed weights w. The score
(z / n).(w / W) lies between -1 and 1. Single precision has the unit roundoff u = 2**-24. Rounding the coordinates of
both vectors and adding their products changes the score by no more than (D + 2) u [Hi]_, section 3.1, in any order of
the sum. The computed weights differ from the exact ones by no more than E, which changes the score by no more than
E / W; the pass knows a bound t >= R E, where R bounds the norms of all rows. So a row whose score exceeds
(D + 2) u + t / (R W) is right. All other rows are scored again in double precision, as in a pass without blocks.

A mistake changes the scores of all rows after it, and where mistakes are frequent the next one is near. So the rows
after a mistake are first looked at one by one, and only then screened again.

.. [Hi] N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002.
"""

import math

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.compiling import in_machine_code
from maxmargin.solvers.perceptron.kernels.kernels import (
    Dense,
    add_dense,
    dense_score,
    find_dense,
    present_exactly,
    present_with,
)
from maxmargin.solvers.perceptron.kernels.pass_arguments import Work

Singles = NDArray[np.float32]
Integers = NDArray[np.int64]

LANES = 64
"""Rows of a block."""

_ONE_BY_ONE = 8
"""Number of rows after a mistake that are scored in double precision before a block is screened."""

_UNIT = 2.0**-24
_SLACK = 1.125
"""Factor that covers second-order terms, underflow, and the rounding of the bound itself."""

_LEAST_SQUARE = 2.0**-900
"""Smallest ||w||^2 with which rows are screened; the squares of smaller weights may underflow."""

Blocks = tuple[Dense, Singles, Singles, Singles, float]
"""The rows and weights; the rows z / n in blocks of shape (D, 64), read-only; buffers for w / W in single precision and
for the scores of a block; and R."""


@in_machine_code
def _are_right(blocks: Singles, block: int, weights: Singles, scores: Singles, most: np.float32) -> bool:
    """Compute ``scores = weights @ blocks[block]``; return whether all of them exceed `most`."""
    for lane in range(LANES):
        scores[lane] = np.float32(0.0)
    for j in range(weights.shape[0]):
        for lane in range(LANES):
            scores[lane] += weights[j] * blocks[block, j, lane]
    n_found = 0
    for lane in range(LANES):  # a sum, because Numba makes vectors of loops without a branch only
        n_found += scores[lane] <= most
    return n_found == 0


@in_machine_code
def _find_screened(model: Blocks, order: Integers, begin: int, end: int, most: float) -> tuple[int, float]:
    """Return the first position with y w.x <= `most`, and this y w.x; `end` if there is no such position."""
    dense, blocks, in_single, scores, reach = model
    X, y, w, bias_scale = dense
    position = min(end, begin + _ONE_BY_ONE)
    found, value = find_dense(dense, order, begin, position, most)
    if found < position or position == end:
        return found, value
    square = 0.0
    for j in range(w.shape[0]):
        square += w[j] * w[j]
    if square < _LEAST_SQUARE:
        return find_dense(dense, order, position, end, most)
    inverse = 1.0 / (math.sqrt(square) * (1.0 + 2.0**-30))
    for j in range(w.shape[0]):
        in_single[j] = np.float32(w[j] * inverse)
    bound = np.float32(_SLACK * ((w.shape[0] + 3) * _UNIT + most * inverse / reach))
    constant = bias_scale * w[-1]
    while position < end:
        block = position // LANES
        first, stop = block * LANES, min(end, block * LANES + LANES)
        if not _are_right(blocks, block, in_single, scores, bound):
            for found in range(position, stop):
                if scores[found - first] <= bound:
                    row = order[found]
                    value = y[row] * (dense_score(X, row, w) + constant)
                    if value <= most:
                        return found, value
        position = stop
    return end, math.inf


@in_machine_code
def _add_screened(model: Blocks, row: int) -> float:
    """Add y x to the weights; return ||x||^2."""
    return add_dense(model[0], row)


@in_machine_code
def present_over_blocks(model: Blocks, work: Work) -> int:
    """Present rows in the order of the blocks; ask where rounding could decide."""
    return present_with(_find_screened, _add_screened, model, work)


def present_blocks(model: Blocks, work: Work) -> int:
    """Present rows in the order of the blocks."""
    return present_exactly(present_over_blocks, model, work)
