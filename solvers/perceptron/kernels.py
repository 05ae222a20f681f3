"""Compiled passes of the perceptron: with a vector of weights over dense or sparse rows, or over a Gram matrix.

Every pass bounds its own rounding: where a score is so near 0 that rounding could have decided it, the pass stops and
asks. Kernels that call each other live in this one file: the on-disk cache does not see changes elsewhere. The dot
product adds in eight fixed lanes, so that it compiles to vector instructions and gives the same bits everywhere.

A pass presents the rows ``order[cursor[POSITION]:]``, over and over where it wraps, and updates in place:

- ``cursor``: where it is and what it did; the constants below name its entries;
- ``counts``: the mistakes on every row; ``log``: the mistaken rows in their order; ``epochs``: the mistakes of epochs;
- ``size``: a bound of ||w||^2; a bound E of the error of what was computed, in units of a row's norm: the computed w
  is within E of w, or a computed y w.x within E ||x||; and the greatest bound of ||w|| so far.
"""

import math
from collections.abc import Callable
from enum import IntEnum
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from maxmargin.solvers.compiling import MATRIX, Kernel, compiled, vector

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.int32]

POSITION, EPOCH_POSITION, EPOCH_MISTAKES, ANSWER, N_PRESENTED, N_LOGGED, N_EPOCHS, N_UNCERTAIN = range(8)
"""Entries of a cursor: the place in the order and in the epoch, the epoch's mistakes, the answer to the question asked
(1 a mistake, -1 none, 0 no answer); then what the last pass did: presentations, mistakes, finished epochs, and scores
that rounding may have decided."""

REACH, SCORE_ERROR, UPDATE_ERROR = range(3)
"""Entries of what is known of the rounding: R; the error of a score in units of ||x|| ||w||; and that of an update in
units of ||x_k|| ||x_i||, beyond that of its addition."""

SQUARE, ERROR, GREATEST, EXACT_UP_TO = range(4)
"""Entries of a size; the last one is the greatest R ||w|| up to which everything is exact."""

_UNIT = 2.0**-53
_UP = 1.0 + 2.0**-48
"""Covers the rounding of the few operations of a bound."""

_TINY = 2.0**-1010
"""More than what underflow can do to a score in 2**40 updates of 2**20 columns."""

_LANES = 16
"""Margins looked at together."""

_ROOM = 4096
"""Mistakes, and epochs, of a run between two looks at its limits."""

_NO_END = 1 << 62


class Reason(IntEnum):
    """Why a pass returned."""

    SLICE_IS_MADE = 0
    ORDER_IS_DONE = 1
    EPOCH_WAS_CLEAN = 2
    LOG_IS_FULL = 3
    EPOCHS_ARE_FULL = 4
    ROUNDING_MAY_DECIDE = 5


_SLICE, _DONE, _CLEAN, _LOG_FULL, _EPOCHS_FULL, _ASKS = map(int, Reason)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view: the compiled passes take the arrays that they only read in no other form."""
    view = array.view()
    view.flags.writeable = False
    return view


class Work(NamedTuple):
    """What a pass works on; `y`, `order` and `rounding` are frozen.

    Attributes
    ----------
    y : ndarray (n_samples,) of float64
        Signs.
    order : ndarray of int
        Rows, one after another.
    wraps : bool
        Whether they are presented over and over.
    epoch_length : int
        Presentations in an epoch.
    zero_rule : int
        What a score of 0 predicts: +1, -1, or 0 for none.
    asks : bool
        Whether to stop at a score whose sign rounding may have decided; else it counts as uncertain.
    most : int
        Presentations to be made.
    rounding : ndarray of float64
    counts, size, cursor, log, epochs : ndarray
        Updated.
    """

    y: Floats
    order: Integers
    wraps: bool
    epoch_length: int
    zero_rule: int
    asks: bool
    most: int
    rounding: Floats
    counts: Integers
    size: Floats
    cursor: Integers
    log: Integers
    epochs: Integers


Dense = tuple[Floats, Floats, Floats, float]
"""X and y, frozen, the weights and s: the last weight is that of the constant coordinate s."""

Sparse = tuple[Floats, Indices, Indices, Floats, Floats, float]
"""Values, columns and starts of the rows in CSR form and y, frozen, the weights and s."""

Gram = tuple[Floats, Floats, Floats]
"""The y_k y_i x_k.x_i and y, frozen, and the functional margins y_i w.x_i."""


@register_jitable
def _dense_score(X: Floats, row: int, w: Floats) -> float:
    """Return w.x without the constant coordinate."""
    n_features = X.shape[1]
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = n_features - n_features % 8
    for j in range(0, whole, 8):
        s0 += X[row, j] * w[j]
        s1 += X[row, j + 1] * w[j + 1]
        s2 += X[row, j + 2] * w[j + 2]
        s3 += X[row, j + 3] * w[j + 3]
        s4 += X[row, j + 4] * w[j + 4]
        s5 += X[row, j + 5] * w[j + 5]
        s6 += X[row, j + 6] * w[j + 6]
        s7 += X[row, j + 7] * w[j + 7]
    total = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
    for j in range(whole, n_features):
        total += X[row, j] * w[j]
    return total


@register_jitable
def _find_dense(model: Dense, order: Integers, begin: int, end: int, most: float) -> tuple[int, float]:
    """Return the first place whose y w.x is at most `most`, and y w.x; `end` if there is none."""
    X, y, w, bias_scale = model
    constant = bias_scale * w[-1]
    for position in range(begin, end):
        row = order[position]
        value = y[row] * (_dense_score(X, row, w) + constant)
        if value <= most:
            return position, value
    return end, math.inf


@register_jitable
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


@register_jitable
def _find_in_row_order(model: Gram, order: Integers, begin: int, end: int, most: float) -> tuple[int, float]:
    margins = model[2][begin:end]
    n_whole = margins.shape[0] // _LANES
    for block in range(n_whole):
        lanes, n_found = margins[block * _LANES : (block + 1) * _LANES], 0
        for lane in range(_LANES):
            n_found += lanes[lane] <= most
        if n_found:
            break
    else:
        block = n_whole
    for place in range(block * _LANES, margins.shape[0]):
        if margins[place] <= most:
            return begin + place, margins[place]
    return end, math.inf


@register_jitable
def _find_in_any_order(model: Gram, order: Integers, begin: int, end: int, most: float) -> tuple[int, float]:
    margins = model[2]
    for position in range(begin, end):
        if margins[order[position]] <= most:
            return position, margins[order[position]]
    return end, math.inf


@register_jitable
def _add_dense(model: Dense, row: int) -> float:
    """Add y x to the weights; return ||x||^2."""
    X, y, w, bias_scale = model
    square = bias_scale * bias_scale
    for j in range(X.shape[1]):
        w[j] += y[row] * X[row, j]
        square += X[row, j] * X[row, j]
    w[-1] += y[row] * bias_scale
    return square


@register_jitable
def _add_sparse(model: Sparse, row: int) -> float:
    data, indices, starts, y, w, bias_scale = model
    square = bias_scale * bias_scale
    for k in range(starts[row], starts[row + 1]):
        w[indices[k]] += y[row] * data[k]
        square += data[k] * data[k]
    w[-1] += y[row] * bias_scale
    return square


@register_jitable
def _add_to_margins(model: Gram, row: int) -> float:
    margins, of_row = model[2], model[0][row]
    for j in range(margins.shape[0]):
        margins[j] += of_row[j]
    return float(of_row[row])


@register_jitable
def _is_exact(size: Floats, rounding: Floats) -> bool:
    """Return whether every number so far is a multiple of the grid of the data, and below 2**53 of it."""
    reached: float = rounding[REACH] * math.sqrt(size[SQUARE]) * _UP
    return bool(size[ERROR] == 0.0 and reached <= size[EXACT_UP_TO])


@register_jitable
def _doubt(size: Floats, rounding: Floats) -> float:
    """Return t such that a computed score with |y w.x| > t has the sign of the exact one; 0 where scores are exact."""
    if _is_exact(size, rounding):
        return 0.0
    norm = math.sqrt(size[SQUARE]) + size[ERROR]
    return float(rounding[REACH] * (size[ERROR] + rounding[SCORE_ERROR] * norm) * _UP + _TINY)


@register_jitable
def _grow(size: Floats, rounding: Floats, value: float, doubt: float, square: float) -> None:
    """Bound ||w + y x||^2 = ||w||^2 + 2 y w.x + ||x||^2, with y w.x <= 0 whatever was computed for it, and the error.

    From an exact state a sum of integers is exact as well; else an addition errs by ||w + y x||/2**53 at most.
    """
    square = (square * (1.0 + rounding[SCORE_ERROR]) + _TINY) * _UP
    size[SQUARE] = max(0.0, size[SQUARE] + 2.0 * min(0.0, value + doubt) + square) * _UP
    norm = math.sqrt(size[SQUARE]) * _UP
    size[GREATEST] = max(size[GREATEST], norm)
    if not _is_exact(size, rounding):
        of_update = _UNIT * (norm + size[ERROR]) + rounding[UPDATE_ERROR] * math.sqrt(square)
        size[ERROR] = (size[ERROR] + of_update) * _UP


@register_jitable
def _is_mistake(sign: float, value: float, zero_rule: int) -> bool:
    """Return whether the row is to be updated on; what a score of 0 predicts is the rule's: 0 none, else its sign."""
    if value == 0.0:
        return zero_rule == 0 or sign != zero_rule
    return value < 0.0


@register_jitable
def _present(find: Callable[..., tuple[int, float]], add: Callable[..., float], model: Any, work: Work) -> int:
    """Present rows until `most` are presented or something else happened; return the `Reason`."""
    cursor, log, epochs, order = work.cursor, work.log, work.epochs, work.order
    cursor[N_PRESENTED] = cursor[N_LOGGED] = cursor[N_EPOCHS] = cursor[N_UNCERTAIN] = 0
    doubt = _doubt(work.size, work.rounding)
    while True:
        if cursor[POSITION] == order.shape[0]:
            if not work.wraps:
                return _DONE
            cursor[POSITION] = 0
        if cursor[N_PRESENTED] == work.most:
            return _SLICE
        ahead = min(work.epoch_length - cursor[EPOCH_POSITION], work.most - cursor[N_PRESENTED])
        begin, end = cursor[POSITION], min(order.shape[0], cursor[POSITION] + ahead)
        position, value = find(model, order, begin, end, doubt)
        is_asked = False
        if position < end:
            row = order[position]
            is_doubtful = doubt > 0.0 and abs(value) <= doubt and cursor[ANSWER] == 0
            is_asked = is_doubtful and work.asks
            if not is_asked:
                position += 1
                cursor[N_UNCERTAIN] += is_doubtful
                is_mistake = _is_mistake(work.y[row], value, work.zero_rule)
                if cursor[ANSWER] != 0:
                    is_mistake = cursor[ANSWER] > 0
                    cursor[ANSWER] = 0
                if is_mistake:
                    _grow(work.size, work.rounding, value, doubt, add(model, row))
                    doubt = _doubt(work.size, work.rounding)
                    work.counts[row] += 1
                    cursor[EPOCH_MISTAKES] += 1
                    log[cursor[N_LOGGED]] = row
                    cursor[N_LOGGED] += 1
        cursor[POSITION] = position
        cursor[EPOCH_POSITION] += position - begin
        cursor[N_PRESENTED] += position - begin
        if cursor[EPOCH_POSITION] == work.epoch_length:
            was_clean = cursor[EPOCH_MISTAKES] == 0
            epochs[cursor[N_EPOCHS]] = cursor[EPOCH_MISTAKES]
            cursor[N_EPOCHS] += 1
            cursor[EPOCH_POSITION] = cursor[EPOCH_MISTAKES] = 0
            if was_clean:
                return _CLEAN
        if is_asked:
            return _ASKS
        if cursor[N_LOGGED] == log.shape[0]:
            return _LOG_FULL
        if cursor[N_EPOCHS] == epochs.shape[0]:
            return _EPOCHS_FULL


class Orders(NamedTuple):
    """Runs in many orders, each from w = 0 until a clean epoch or a limit.

    Attributes
    ----------
    y, rounding : ndarray
        As in `Work`, frozen.
    zero_rule : int
    max_mistakes, max_epochs : int
    orders : ndarray (n_orders, n_samples) of int
        Frozen; each is presented over and over.
    size : ndarray
        Written over; its last entry is taken for every run.
    counts : ndarray (n_orders, n_samples) of int
        Updated from 0: mistakes on every row.
    outcomes : ndarray (n_orders, 3) of int
        Updated: epochs, scores that rounding may have decided, and whether the run converged (0 or 1).
    """

    y: Floats
    rounding: Floats
    zero_rule: int
    max_mistakes: int
    max_epochs: int
    orders: Integers
    size: Floats
    counts: Integers
    outcomes: Integers


@register_jitable
def _present_orders(
    find: Callable[..., tuple[int, float]],
    add: Callable[..., float],
    model: Any,
    weights: Floats,
    of: Orders,
) -> None:
    """Run in one order after another; `weights` is the array of the model that holds what is known of them."""
    n_samples = of.orders.shape[1]
    log, epochs = np.empty(_ROOM, dtype=np.int64), np.empty(_ROOM, dtype=np.int64)
    cursor = np.zeros(N_UNCERTAIN + 1, dtype=np.int64)
    for k in range(of.orders.shape[0]):
        weights[:] = 0.0
        of.size[SQUARE] = of.size[ERROR] = of.size[GREATEST] = 0.0
        cursor[:] = 0
        n_mistakes, reason = 0, _SLICE
        while reason != _CLEAN and n_mistakes < of.max_mistakes and of.outcomes[k, 0] < of.max_epochs:
            room = min(_ROOM, of.max_mistakes - n_mistakes)
            n_epochs = min(_ROOM, of.max_epochs - of.outcomes[k, 0])
            work = Work(
                of.y, of.orders[k], True, n_samples, of.zero_rule, False, _NO_END, of.rounding, of.counts[k], of.size,
                cursor, log[:room], epochs[:n_epochs],
            )  # fmt: skip
            reason = _present(find, add, model, work)
            n_mistakes += cursor[N_LOGGED]
            of.outcomes[k, 0] += cursor[N_EPOCHS]
            of.outcomes[k, 1] += cursor[N_UNCERTAIN]
        of.outcomes[k, 2] = reason == _CLEAN
        of.outcomes[k, 0] += cursor[EPOCH_POSITION] > 0


_FLOATS = vector(types.float64, readonly=True)
_ROWS = vector(types.int64, readonly=True)
_INDICES = vector(types.int32, readonly=True)
_STATE = vector(types.float64, readonly=False)
_COUNTS = vector(types.int64, readonly=False)
_tuple_of: Callable[..., Any] = types.Tuple
_named_tuple_of: Callable[..., Any] = types.NamedTuple
_WORK = _named_tuple_of(
    (
        *(_FLOATS, _ROWS, types.boolean, types.int64, types.int64, types.boolean, types.int64, _FLOATS),
        *(_COUNTS, _STATE, _COUNTS, _COUNTS, _COUNTS),
    ),
    Work,
)
_ROWS_OF_ORDERS = types.Array(types.int64, 2, "C", readonly=True)
_COUNTS_OF_ORDERS = types.Array(types.int64, 2, "C")
_ORDERS = _named_tuple_of(
    (
        *(_FLOATS, _FLOATS, types.int64, types.int64, types.int64, _ROWS_OF_ORDERS, _STATE),
        *(_COUNTS_OF_ORDERS, _COUNTS_OF_ORDERS),
    ),
    Orders,
)
_DENSE = _tuple_of((MATRIX, _FLOATS, _STATE, types.float64))
_SPARSE = _tuple_of((_FLOATS, _INDICES, _INDICES, _FLOATS, _STATE, types.float64))
_GRAM = _tuple_of((MATRIX, _FLOATS, _STATE))


def present_dense(model: Dense, work: Work) -> int:
    """Present dense rows with a vector of weights."""
    return _present(_find_dense, _add_dense, model, work)


def present_sparse(model: Sparse, work: Work) -> int:
    """Present rows in CSR form with a vector of weights."""
    return _present(_find_sparse, _add_sparse, model, work)


def present_in_row_order(model: Gram, work: Work) -> int:
    """Present rows 0, 1, ... through their Gram matrix; the order of the work counts up."""
    return _present(_find_in_row_order, _add_to_margins, model, work)


def present_in_any_order(model: Gram, work: Work) -> int:
    """Present rows through their Gram matrix."""
    return _present(_find_in_any_order, _add_to_margins, model, work)


def present_orders_dense(model: Dense, orders: Orders) -> None:
    """Run dense rows in many orders with vectors of weights."""
    _present_orders(_find_dense, _add_dense, model, model[2], orders)


def present_orders_sparse(model: Sparse, orders: Orders) -> None:
    """Run rows in CSR form in many orders with vectors of weights."""
    _present_orders(_find_sparse, _add_sparse, model, model[4], orders)


def present_orders_gram(model: Gram, orders: Orders) -> None:
    """Run few rows in many orders through their Gram matrix."""
    _present_orders(_find_in_any_order, _add_to_margins, model, model[2], orders)


_SIGNATURES: dict[Callable[..., Any], tuple[Any, Any]] = {
    present_dense: (_DENSE, _WORK),
    present_sparse: (_SPARSE, _WORK),
    present_in_row_order: (_GRAM, _WORK),
    present_in_any_order: (_GRAM, _WORK),
    present_orders_dense: (_DENSE, _ORDERS),
    present_orders_sparse: (_SPARSE, _ORDERS),
    present_orders_gram: (_GRAM, _ORDERS),
}


@cache
def machine_code(function: Kernel) -> Kernel:
    """Return one of the functions above compiled, which is done or loaded once it is needed."""
    return compiled(*_SIGNATURES[function])(function)
