"""Compiled pass that updates the functional margins y_i w.x_i of all rows from their Gram matrix.

The rounding errors are bounded for several mistakes together. No mistake adds more than R^2 to ||w||^2, so a bound of
the norm and of the errors after all of them holds for each of them. Between two bounds, ||w||^2 is followed by one sum,
to which every mistake adds 2 y w.x + ||x||^2.
"""

import math

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import in_machine_code
from maxmargin.solvers.perceptron.kernels import pass_arguments as at
from maxmargin.solvers.perceptron.kernels.error_bounds import (
    REACH,
    UP,
    doubt_of,
    error_after_many,
    is_mistake,
    square_after_many,
)
from maxmargin.solvers.perceptron.kernels.pass_arguments import Work

# Number of mistakes for which one bound of the rounding errors is computed.
_AT_ONCE = 64

# The products y_k y_i x_k.x_i and y, which are read-only, and the functional margins y_i w.x_i.
Gram = tuple[Floats, Floats, Floats]


@in_machine_code
def present_over_gram(model: Gram, work: Work) -> int:
    """Present rows until `most` are presented or something else happened; return the `Reason`.

    This is one function with its arrays in local variables, because Numba counts references to every array that is
    passed to a function: the loop of `kernels.present_with` takes 1.6 times as long where a row of the Gram matrix is
    short. Row numbers are unsigned, which saves a test for negative numbers at every access.
    """
    gram, y, margins = model
    cursor, size, rounding, order, counts = work.cursor, work.size, work.rounding, work.order, work.counts
    log, epochs, zero_rule, asks = work.log, work.epochs, work.zero_rule, work.asks
    n_rows, n_margins, reach = order.shape[0], margins.shape[0], rounding[REACH]
    square, error = size[at.NORM] * size[at.NORM] * UP, size[at.ERROR]
    exact_up_to, greatest = size[at.EXACT_UP_TO], size[at.GREATEST]
    position, epoch_position, epoch_mistakes = cursor[at.POSITION], cursor[at.EPOCH_POSITION], cursor[at.EPOCH_MISTAKES]
    answer, n_presented, n_logged, n_epochs, n_uncertain = cursor[at.ANSWER], 0, 0, 0, 0
    bound, doubt, gain, n_since, n_left = 0.0, 0.0, 0.0, 0, 0
    reason = at.SLICE
    while reason == at.SLICE:
        if position == n_rows:
            if not work.wraps:
                reason = at.DONE
                break
            position = 0
        if n_presented == work.most:
            break
        begin, n_before = position, n_logged
        end = begin + work.epoch_length - epoch_position
        if end > n_rows:
            end = n_rows
        if end - begin > work.most - n_presented:
            end = begin + work.most - n_presented
        while position < end and reason == at.SLICE:
            if n_left == 0:
                # ||w||^2 grows by 2 y w.x + ||x||^2 <= R^2 at a mistake (Novikoff 1962). So `before` bounds ||w||
                # before the last of the next 64 mistakes, and `bound` after it. The doubt of the last score serves for
                # all of them: it is too large for the first ones, but is not computed at every mistake.
                square = square_after_many(n_since, square, gain, bound, doubt, rounding)
                error = error_after_many(n_since, bound, error, exact_up_to, rounding)
                gain, n_since, n_left = 0.0, 0, _AT_ONCE if square > 0.0 else 1
                before = math.sqrt(square + (n_left - 1) * reach * reach * UP) * UP
                bound = math.sqrt(square + n_left * reach * reach * UP) * UP
                most_error = error_after_many(n_left - 1, before, error, exact_up_to, rounding)
                doubt = doubt_of(before, most_error, exact_up_to, rounding)
                if greatest < bound:
                    greatest = bound
            if answer == 0:
                # Most rows are right, so this loop is what a pass takes its time for: a row that the pass has asked
                # about must not be skipped, though its margin may exceed a `doubt` that has become smaller since.
                while position < end and margins[np.uint64(order[np.uint64(position)])] > doubt:
                    position += 1
                if position == end:
                    break
            row = np.uint64(order[np.uint64(position)])
            value = margins[row]
            if answer != 0:  # the row that was asked for, whatever its margin
                mistaken = answer > 0
                answer = 0
            elif value < -doubt:
                mistaken = True
            else:
                if doubt > 0.0:
                    if asks:
                        reason = at.ASKS
                        break
                    n_uncertain += 1
                mistaken = is_mistake(y[row], value, zero_rule)
            position += 1
            if mistaken:
                # The margins hold y_i w.x_i for all rows, and w grows by y x of this row: each margin grows by its
                # product with the row, and ||w||^2 by twice the margin before plus the product with itself.
                own = gram[row]
                gain += 2.0 * value + own[row]
                n_since += 1
                n_left -= 1
                for j in range(n_margins):
                    margins[j] += own[j]
                counts[row] += 1
                log[n_logged] = row
                n_logged += 1
                if n_logged == log.shape[0]:
                    reason = at.LOG_FULL
        epoch_mistakes += n_logged - n_before
        epoch_position += position - begin
        n_presented += position - begin
        if epoch_position == work.epoch_length:
            epochs[n_epochs] = epoch_mistakes
            n_epochs += 1
            if epoch_mistakes == 0:
                reason = at.CLEAN
            elif reason == at.SLICE and n_epochs == epochs.shape[0]:
                reason = at.EPOCHS_FULL
            epoch_position = epoch_mistakes = 0
    cursor[at.POSITION], cursor[at.EPOCH_POSITION], cursor[at.EPOCH_MISTAKES] = position, epoch_position, epoch_mistakes
    cursor[at.ANSWER], cursor[at.N_PRESENTED], cursor[at.N_LOGGED] = answer, n_presented, n_logged
    cursor[at.N_EPOCHS], cursor[at.N_UNCERTAIN] = n_epochs, n_uncertain
    size[at.NORM] = math.sqrt(square_after_many(n_since, square, gain, bound, doubt, rounding)) * UP
    size[at.ERROR] = error_after_many(n_since, bound, error, exact_up_to, rounding)
    size[at.GREATEST] = greatest
    return reason
