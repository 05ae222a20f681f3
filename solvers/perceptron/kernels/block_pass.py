"""Compiled pass over rows in a fixed order, in blocks of 64 rows that are screened together in single precision.

A block stores its rows divided by upper bounds of their norms, z_i / n_i with z_i = y_i (x_i, s), and w is divided by
an upper bound W of its norm. The screened score of row i is z_i.w / (n_i W), which lies between -1 and 1. Single
precision has the unit roundoff u = 2**-24. Rounding the D coordinates of both vectors and adding their products changes
the score by no more than (D + 2) u [Hi]_, section 3.1, and an error E of the computed w by no more than E / W. A
mistake on row p adds f (z_p / n_p).(z_i / n_i), with f = n_p / W, to every score of the block. The addition has an
error of up to u. The product has an error of up to 5 u f if it is read from a Gram matrix of the rounded rows, and of
up to (D + 4) u f if it is computed from them in single precision.

A row whose score exceeds the sum of these bounds is right, and a row whose score is below minus the sum is a mistake.
The scores of all other rows are computed again in double precision, as in a loop without blocks.

W leaves room for 8 R. No mistake adds more than R^2 to ||w||^2 and a block has 64 rows, so this is enough for a block
that begins with ||w||^2 <= N (N + 16 R), where N is the norm for which W was chosen.

.. [Hi] N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002.
"""

import math

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import in_machine_code
from maxmargin.solvers.perceptron.kernels import work as at
from maxmargin.solvers.perceptron.kernels.error_bounds import (
    REACH,
    UP,
    doubt_of,
    error_after_many,
    is_mistake,
    square_after,
)
from maxmargin.solvers.perceptron.kernels.kernels import dense_score, present_exactly
from maxmargin.solvers.perceptron.kernels.vectors import (
    LANES,
    add_to_scores,
    lowest_bit,
    prefetch,
    scores_of_block,
)
from maxmargin.solvers.perceptron.kernels.work import Work

Singles = NDArray[np.float32]
Integers = NDArray[np.int64]

_ROOM = 8.0
"""Growth of ||w|| within a block for which W leaves room, in units of R: the square root of the rows of a block."""

_MOST_SINCE = 512
"""Largest number of mistakes before W is chosen again."""

_UNIT = 2.0**-24
_SLACK = 1.125
"""Factor that covers second-order terms, underflow, and the rounding of the bounds themselves."""

_LEAST_REACH = 2.0**-900
"""Value that replaces R where all rows are 0."""

_LEAST_NORM = 2.0**-100
"""Smallest divisor of a row, in units of R: the scores of much shorter rows are too near 0 to be screened."""

_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ONE = np.uint64(1)

Blocks = tuple[Floats, Singles, Singles, Floats, Singles, Singles, Singles, Singles, float, bool]
"""X, the blocks and their Gram matrices, which are read-only; the weights, with the weight of the constant coordinate
last; buffers for the scores of a block and, in single precision, for the weights, a row and its products; s; and
whether the rows are presented in the order of X.

The blocks have the shape (n_blocks, n_features + 2, 64); y_i n_i / R follows the coordinates of z_i / n_i. If the Gram
matrices are empty, the products with a row are computed when they are needed."""


@in_machine_code
def _reach(rounding: Floats) -> float:
    """Return R, or its replacement where all rows are 0."""
    return float(max(_LEAST_REACH, rounding[REACH]))


def fill_blocks(
    X: Floats, y: Floats, order: Integers, bias_scale: float, rounding: Floats, first: int, end: int, blocks: Singles
) -> None:
    """Write rows into some of the blocks, whose entries are 0.

    Parameters
    ----------
    X, y : ndarray
        Rows and signs, read-only.
    order : ndarray of int
        Rows in the order of presentation, read-only.
    bias_scale : float
    rounding : ndarray
        As in `Work`, read-only.
    first, end : int
        Range of blocks to write.
    blocks : ndarray (n_blocks, n_features + 2, 64) of float32
    """
    n_features, reach = X.shape[1], _reach(rounding)
    for index in range(first * LANES, min(order.shape[0], end * LANES)):
        row = order[index]
        total = (bias_scale / reach) * (bias_scale / reach)
        for j in range(n_features):
            total += (X[row, j] / reach) * (X[row, j] / reach)
        ratio = np.float32(max(_LEAST_NORM, math.sqrt(total)) * (1.0 + 2.0**-20))
        scale = y[row] / (ratio * reach)
        block, lane = index // LANES, index % LANES
        for j in range(n_features):
            blocks[block, j, lane] = np.float32(X[row, j] * scale)
        blocks[block, n_features, lane] = np.float32(bias_scale * scale)
        blocks[block, n_features + 1, lane] = np.float32(y[row] * ratio)


@in_machine_code
def present_over_blocks(model: Blocks, work: Work) -> int:
    """Present rows until `most` are presented and a block ends, or something else happened; return the `Reason`.

    The order of the work must be the order of the blocks, one epoch, presented over and over; the signs are read from
    the blocks. This is one function with its arrays in local variables, because Numba counts references to every array
    that is passed to a function or taken out of a tuple.
    """
    X, blocks, products, w, scores, in_single, own, own_products, bias_scale, is_in_order = model
    cursor, size, rounding, order, counts = work.cursor, work.size, work.rounding, work.order, work.counts
    log, epochs, zero_rule, asks = work.log, work.epochs, work.zero_rule, work.asks
    n_rows, n_features, reach = order.shape[0], X.shape[1], _reach(rounding)
    square_of_norm, error, exact_up_to = size[at.NORM] * size[at.NORM] * UP, size[at.ERROR], size[at.EXACT_UP_TO]
    greatest_square, bound, n_since = size[at.GREATEST] * size[at.GREATEST] * UP, 0.0, 0
    position, answer, epoch_mistakes = cursor[at.POSITION] % n_rows, cursor[at.ANSWER], cursor[at.EPOCH_MISTAKES]
    n_presented, n_logged, n_epochs, n_uncertain = 0, 0, 0, 0
    doubt, inverse, least_bound, usual_square = 0.0, 0.0, 0.0, 0.0
    is_stale, is_far = True, products.shape[0] == 0
    reason = at.SLICE
    while reason == at.SLICE and n_presented < work.most:
        if bound == 0.0 or n_since > _MOST_SINCE - LANES or square_of_norm > usual_square:
            error = error_after_many(n_since, bound, error, exact_up_to, rounding)
            norm, n_since = math.sqrt(square_of_norm) * UP, 0
            bound = (norm + 2.0 * error + _ROOM * reach) * (1.0 + 2.0**-30)
            usual_square = norm * (norm + 2.0 * _ROOM * reach)
            most_error = error_after_many(_MOST_SINCE, bound, error, exact_up_to, rounding)
            doubt = doubt_of(bound, most_error, exact_up_to, rounding)
            inverse = 1.0 / bound
            least_bound = _SLACK * ((n_features + 4) * _UNIT + most_error * inverse)
            is_stale = True
        if is_stale:
            for j in range(n_features + 1):
                in_single[j] = np.float32(w[j] * inverse)
            is_stale = False
        block, lane = position // LANES, position % LANES
        start, end = block * LANES, min(n_rows, block * LANES + LANES)
        ahead = (_ALL << np.uint64(lane)) & (_ALL >> np.uint64(start + LANES - end))
        most = least_bound
        found = scores_of_block(blocks, block, in_single, scores, np.float32(most)) & ahead
        if answer != 0:
            found |= _ONE << np.uint64(lane)
        stop = end
        rest = found if is_far else np.uint64(0)
        while rest != 0:  # these rows will be read, and are not in the cache
            index = start + lowest_bit(rest)
            row = index if is_in_order else order[index]
            prefetch(X, row * n_features, n_features)
            prefetch(counts, row, 1)
            rest &= rest - _ONE
        while found != 0:
            lane = lowest_bit(found)
            found &= found - _ONE
            index = start + lane
            row = index if is_in_order else order[index]
            signed = blocks[block, n_features + 1, lane] * reach
            norm, sign = abs(signed), 1.0 if signed > 0.0 else -1.0
            highest: float = scores[lane] + most  # upper bound of the exact score
            value = highest * norm * bound
            if answer != 0 or highest >= 0.0:  # asked for, or single precision cannot tell
                value = sign * (dense_score(X, row, w) + bias_scale * w[-1])
                if doubt > 0.0 and abs(value) <= doubt and answer == 0:
                    if asks:
                        stop, reason = index, at.ASKS
                        break
                    n_uncertain += 1
                mistaken = answer > 0 if answer != 0 else is_mistake(sign, value, zero_rule)
                answer = 0
                if not mistaken:
                    continue
                value += doubt
            for j in range(n_features):
                w[j] += sign * X[row, j]
            w[-1] += sign * bias_scale
            square_of_norm = square_after(square_of_norm, rounding, value, norm * norm)
            greatest_square = max(greatest_square, square_of_norm)
            n_since += 1
            is_stale = True
            counts[row] += 1
            log[n_logged] = row
            n_logged += 1
            epoch_mistakes += 1
            if n_logged == log.shape[0]:
                stop, reason = index + 1, at.LOG_FULL
                break
            factor = norm * inverse
            if not is_far:
                most += _SLACK * _UNIT * (1.0 + 6.0 * factor)
                found = add_to_scores(products, index, np.float32(factor), scores, np.float32(most))
            else:
                most += _SLACK * _UNIT * (1.0 + (n_features + 6) * factor)
                scale = 1.0 / signed
                for j in range(n_features):
                    own[j] = np.float32(X[row, j] * scale)
                own[n_features] = np.float32(bias_scale * scale)
                scores_of_block(blocks, block, own, own_products, np.float32(0.0))
                found = add_to_scores(own_products, 0, np.float32(factor), scores, np.float32(most))
            found &= ahead & ((_ALL << np.uint64(lane)) << _ONE)
        n_presented += stop - position
        position = stop
        if position == n_rows:
            position = 0
            epochs[n_epochs] = epoch_mistakes
            n_epochs += 1
            if epoch_mistakes == 0:
                reason = at.CLEAN
            elif reason == at.SLICE and n_epochs == epochs.shape[0]:
                reason = at.EPOCHS_FULL
            epoch_mistakes = 0
    cursor[at.POSITION] = cursor[at.EPOCH_POSITION] = position
    cursor[at.EPOCH_MISTAKES], cursor[at.ANSWER] = epoch_mistakes, answer
    cursor[at.N_PRESENTED], cursor[at.N_LOGGED] = n_presented, n_logged
    cursor[at.N_EPOCHS], cursor[at.N_UNCERTAIN] = n_epochs, n_uncertain
    size[at.NORM], size[at.GREATEST] = math.sqrt(square_of_norm) * UP, math.sqrt(greatest_square) * UP
    size[at.ERROR] = error_after_many(n_since, bound, error, exact_up_to, rounding)
    return reason


def present_blocks(model: Blocks, work: Work) -> int:
    """Present blocks of dense rows, in the order of the blocks; limbs decide scores near 0 where they can."""
    return present_exactly(present_over_blocks, model, work)
