"""Compiled passes of the perceptron with weights, passes that decide scores near 0 exactly, and runs in many orders.

Every pass bounds its own rounding errors. At a score so near 0 that rounding could have decided its sign, a pass stops
and asks (`present_over_dense` and the like), or computes the sign exactly from the limbs of the rows (`present_dense`).
The terms of a score are added in an order that suits the processor, so its last bits differ between machines; the
bounds of its error hold on all of them.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import in_machine_code
from maxmargin.solvers.perceptron.kernels import pass_arguments as at
from maxmargin.solvers.perceptron.kernels.error_bounds import doubt_of, error_after, is_mistake, norm_after
from maxmargin.solvers.perceptron.kernels.gram_pass import Gram, present_over_gram
from maxmargin.solvers.perceptron.kernels.limb_scores import carry, exact_sign, follow
from maxmargin.solvers.perceptron.kernels.pass_arguments import Orders, Work

Integers = NDArray[np.int64]
Indices = NDArray[np.int32]

# Number of mistakes, and of epochs, of a run between two checks of its limits.
_ROOM = 4096

_NO_END = 1 << 62


# X and y, which are read-only, the weights and s; the last weight belongs to the constant coordinate s.
Dense = tuple[Floats, Floats, Floats, float]

# Values, columns and starts of the rows in CSR form and y, which are read-only, the weights and s.
Sparse = tuple[Floats, Indices, Indices, Floats, Floats, float]

Find = Callable[[Any, Integers, int, int, float], tuple[int, float]]
Add = Callable[[Any, int], float]
Present = Callable[[Any, Work], int]


@in_machine_code
def dense_score(X: Floats, row: int, w: Floats) -> float:
    """Return w.x without the constant coordinate."""
    total = 0.0
    for j in range(X.shape[1]):
        total += X[row, j] * w[j]
    return total


@in_machine_code
def find_dense(model: Dense, order: Integers, begin: int, end: int, most: float) -> tuple[int, float]:
    """Return the first position with y w.x <= `most`, and this y w.x; `end` if there is none."""
    X, y, w, bias_scale = model
    constant = bias_scale * w[-1]
    for position in range(begin, end):
        row = order[position]
        value = y[row] * (dense_score(X, row, w) + constant)
        if value <= most:
            return position, value
    return end, math.inf


@in_machine_code
def _find_sparse(model: Sparse, order: Integers, begin: int, end: int, most: float) -> tuple[int, float]:
    data, indices, starts, y, w, bias_scale = model
    constant = bias_scale * w[-1]
    for position in range(begin, end):
        row = order[position]
        score = 0.0
        for k in range(starts[row], starts[row + 1]):
            score += data[k] * w[indices[k]]
        value = y[row] * (score + constant)
        if value <= most:
            return position, value
    return end, math.inf


@in_machine_code
def add_dense(model: Dense, row: int) -> float:
    """Add y x to the weights; return ||x||^2."""
    X, y, w, bias_scale = model
    square = bias_scale * bias_scale
    for j in range(X.shape[1]):
        w[j] += y[row] * X[row, j]
        square += X[row, j] * X[row, j]
    w[-1] += y[row] * bias_scale
    return square


@in_machine_code
def _add_sparse(model: Sparse, row: int) -> float:
    data, indices, starts, y, w, bias_scale = model
    square = bias_scale * bias_scale
    for k in range(starts[row], starts[row + 1]):
        w[indices[k]] += y[row] * data[k]
        square += data[k] * data[k]
    w[-1] += y[row] * bias_scale
    return square


@in_machine_code
def _present_until(find: Find, add: Add, model: Any, work: Work, end: int) -> bool:
    """Present rows up to a position, unless the log is full or a score is in doubt before; return whether it is.

    The bounds of the rounding errors are local variables, so that a mistake costs little more than its update.
    """
    cursor, size, rounding, order, log = work.cursor, work.size, work.rounding, work.order, work.log
    position, n_logged, answer = cursor[at.POSITION], cursor[at.N_LOGGED], cursor[at.ANSWER]
    norm, error, greatest, exact_up_to = size[at.NORM], size[at.ERROR], size[at.GREATEST], size[at.EXACT_UP_TO]
    doubt = doubt_of(norm, error, exact_up_to, rounding)
    is_asked = False
    while n_logged < log.shape[0]:
        if answer == 0:
            position, value = find(model, order, position, end, doubt)
        else:  # the row about which the pass asked, whatever its score
            position, value = find(model, order, position, position + 1, math.inf)
        if position == end:
            break
        row = order[position]
        if doubt > 0.0 and abs(value) <= doubt and answer == 0:
            is_asked = work.asks
            if is_asked:
                break
            cursor[at.N_UNCERTAIN] += 1
        mistaken = answer > 0 if answer != 0 else is_mistake(work.y[row], value, work.zero_rule)
        position, answer = position + 1, 0
        if mistaken:
            norm = norm_after(norm, rounding, value, doubt, add(model, row))
            error = error_after(norm, error, exact_up_to, rounding)
            greatest = max(greatest, norm)
            doubt = doubt_of(norm, error, exact_up_to, rounding)
            work.counts[row] += 1
            log[n_logged] = row
            n_logged += 1
    cursor[at.POSITION], cursor[at.N_LOGGED], cursor[at.ANSWER] = position, n_logged, answer
    size[at.NORM], size[at.ERROR], size[at.GREATEST] = norm, error, greatest
    return is_asked


@in_machine_code
def present_with(find: Find, add: Add, model: Any, work: Work) -> int:
    """Present rows until `most` are presented or something else happened; return the `Reason`."""
    cursor, n_rows = work.cursor, work.order.shape[0]
    cursor[at.N_PRESENTED] = cursor[at.N_LOGGED] = cursor[at.N_EPOCHS] = cursor[at.N_UNCERTAIN] = 0
    while True:
        if cursor[at.POSITION] == n_rows:
            if not work.wraps:
                return at.DONE
            cursor[at.POSITION] = 0
        if cursor[at.N_PRESENTED] == work.most:
            return at.SLICE
        begin, n_before = cursor[at.POSITION], cursor[at.N_LOGGED]
        ahead = min(work.epoch_length - cursor[at.EPOCH_POSITION], work.most - cursor[at.N_PRESENTED])
        is_asked = _present_until(find, add, model, work, min(n_rows, begin + ahead))
        cursor[at.EPOCH_MISTAKES] += cursor[at.N_LOGGED] - n_before
        cursor[at.EPOCH_POSITION] += cursor[at.POSITION] - begin
        cursor[at.N_PRESENTED] += cursor[at.POSITION] - begin
        if cursor[at.EPOCH_POSITION] == work.epoch_length:
            was_clean = cursor[at.EPOCH_MISTAKES] == 0
            work.epochs[cursor[at.N_EPOCHS]] = cursor[at.EPOCH_MISTAKES]
            cursor[at.N_EPOCHS] += 1
            cursor[at.EPOCH_POSITION] = cursor[at.EPOCH_MISTAKES] = 0
            if was_clean:
                return at.CLEAN
        if is_asked:
            return at.ASKS
        if cursor[at.N_LOGGED] == work.log.shape[0]:
            return at.LOG_FULL
        if cursor[at.N_EPOCHS] == work.epochs.shape[0]:
            return at.EPOCHS_FULL


@in_machine_code
def _is_decided(work: Work) -> bool:
    """Answer whether the row in question is a mistake, if limbs can decide it; return whether they can."""
    if not follow(work.limbs, work.counts):
        return False
    carry(work.limbs)
    row = work.order[work.cursor[at.POSITION]]
    sign = float(exact_sign(work.limbs, row))
    work.cursor[at.ANSWER] = 1 if is_mistake(work.y[row], sign, work.zero_rule) else -1
    return True


@in_machine_code
def present_exactly(present: Present, model: Any, work: Work) -> int:
    """Present rows, and decide scores near 0 by limbs where possible; return the `Reason` for the end."""
    cursor = work.cursor
    n_presented, n_logged, n_epochs, n_uncertain, n_decided = 0, 0, 0, 0, 0
    while True:
        rest = Work(
            work.y, work.order, work.wraps, work.epoch_length, work.zero_rule, work.asks, work.most - n_presented,
            work.rounding, work.limbs, work.counts, work.size, cursor, work.log[n_logged:], work.epochs[n_epochs:],
        )  # fmt: skip
        reason = present(model, rest)
        n_presented += cursor[at.N_PRESENTED]
        n_logged += cursor[at.N_LOGGED]
        n_epochs += cursor[at.N_EPOCHS]
        n_uncertain += cursor[at.N_UNCERTAIN]
        if reason != at.ASKS or not _is_decided(work):
            break
        n_decided += 1
        if n_decided == work.limbs.most_decided:
            reason = at.SLICE
            break
    cursor[at.N_PRESENTED], cursor[at.N_LOGGED], cursor[at.N_EPOCHS] = n_presented, n_logged, n_epochs
    cursor[at.N_UNCERTAIN], cursor[at.N_DECIDED] = n_uncertain, n_decided
    return reason


@in_machine_code
def present_orders(present: Present, model: Any, weights: Floats, of: Orders) -> None:
    """Run in one order after another; `weights` is the array of the model that a mistake updates."""
    n_samples = of.orders.shape[1]
    log, epochs = np.empty(_ROOM, dtype=np.int64), np.empty(_ROOM, dtype=np.int64)
    cursor = np.zeros(at.N_DECIDED + 1, dtype=np.int64)
    for k in range(of.orders.shape[0]):
        weights[:] = 0  # an integer, as the weights may be Python integers
        of.size[at.NORM] = of.size[at.ERROR] = of.size[at.GREATEST] = 0.0
        cursor[:] = 0
        n_mistakes, reason = 0, at.SLICE
        while reason != at.CLEAN and n_mistakes < of.max_mistakes and of.outcomes[k, 0] < of.max_epochs:
            room = min(_ROOM, of.max_mistakes - n_mistakes)
            n_epochs = min(_ROOM, of.max_epochs - of.outcomes[k, 0])
            work = Work(
                of.y, of.orders[k], True, n_samples, of.zero_rule, True, _NO_END, of.rounding, of.limbs, of.counts[k],
                of.size, cursor, log[:room], epochs[:n_epochs],
            )  # fmt: skip
            reason = present_exactly(present, model, work)
            if reason == at.ASKS:
                break
            n_mistakes += cursor[at.N_LOGGED]
            of.outcomes[k, 0] += cursor[at.N_EPOCHS]
        of.outcomes[k, 1] = reason == at.ASKS
        of.outcomes[k, 2] = reason == at.CLEAN
        of.outcomes[k, 0] += cursor[at.EPOCH_POSITION] > 0


@in_machine_code
def present_over_dense(model: Dense, work: Work) -> int:
    """Present dense rows with a vector of weights; ask where rounding could decide."""
    return present_with(find_dense, add_dense, model, work)


@in_machine_code
def present_over_sparse(model: Sparse, work: Work) -> int:
    """Present rows in CSR form with a vector of weights; ask where rounding could decide."""
    return present_with(_find_sparse, _add_sparse, model, work)


def present_dense(model: Dense, work: Work) -> int:
    """Present dense rows with a vector of weights."""
    return present_exactly(present_over_dense, model, work)


def present_sparse(model: Sparse, work: Work) -> int:
    """Present rows in CSR form with a vector of weights."""
    return present_exactly(present_over_sparse, model, work)


def present_gram(model: Gram, work: Work) -> int:
    """Present rows through their Gram matrix."""
    return present_exactly(present_over_gram, model, work)


def present_orders_dense(model: Dense, orders: Orders) -> None:
    """Run dense rows in many orders with vectors of weights."""
    present_orders(present_over_dense, model, model[2], orders)


def present_orders_sparse(model: Sparse, orders: Orders) -> None:
    """Run rows in CSR form in many orders with vectors of weights."""
    present_orders(present_over_sparse, model, model[4], orders)


def present_orders_gram(model: Gram, orders: Orders) -> None:
    """Run few rows in many orders through their Gram matrix."""
    present_orders(present_over_gram, model, model[2], orders)
