"""Compiled passes of the perceptron: with a vector of weights over dense or sparse rows, or over a Gram matrix.

Every pass bounds its own rounding: where a score is so near 0 that rounding could have decided it, the pass computes it
exactly from the digits of the rows, or stops and asks where it has none. Kernels that call each other live in this one
file: the on-disk cache does not see changes elsewhere. The terms of a score are added in the order that suits the
processor, so its last bits are not the same everywhere; the bounds of its error are.

A pass presents the rows ``order[cursor[POSITION]:]``, over and over where it wraps, and updates in place:

- ``cursor``: where it is and what it did; the constants below name its entries;
- ``counts``: the mistakes on every row; ``log``: the mistaken rows in their order; ``epochs``: the mistakes of epochs;
- ``size``: a bound of ||w||; a bound E of the error of what was computed, in units of a row's norm: the computed w
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

POSITION, EPOCH_POSITION, EPOCH_MISTAKES, ANSWER, N_PRESENTED, N_LOGGED, N_EPOCHS, N_UNCERTAIN, N_DECIDED = range(9)
"""Entries of a cursor: the place in the order and in the epoch, the epoch's mistakes, the answer to the question asked
(1 a mistake, -1 none, 0 no answer); then what the last pass did: presentations, mistakes, finished epochs, scores that
rounding may have decided, and scores that digits decided."""

REACH, SCORE_ERROR, UPDATE_ERROR = range(3)
"""Entries of what is known of the rounding: R; the error of a score in units of ||x|| ||w||; and that of an update in
units of ||x_k|| ||x_i||, beyond that of its addition."""

NORM, ERROR, GREATEST, EXACT_UP_TO = range(4)
"""Entries of a size; the last one is the greatest R ||w|| up to which everything is exact."""

_UNIT = 2.0**-53
_UP = 1.0 + 2.0**-48
"""Covers the rounding of the few operations of a bound."""

_TINY = 2.0**-1010
"""More than what underflow can do to a score in 2**40 updates of 2**20 columns."""

DIGIT_BITS = 24
_BELOW_A_DIGIT = (1 << DIGIT_BITS) - 1

MOST_PRODUCTS = 1 << 14
"""Products of two digits that are added up: each is below 2**48 and the carry below 2**39, the sum below 2**63."""

MOST_IN_DIGITS = 1 << 38
"""Mistakes for which sums of digits stay below 2**62, and what they carry below two digits."""

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
        Mistakes up to which scores are decided, at most `MOST_IN_DIGITS`.
    most_decided : int
        Scores after which a pass returns, as the limits of its work do not know of their cost.
    """

    rows: Integers
    weights: Integers
    counts: Integers
    carried: Integers
    most: int
    most_decided: int


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
    digits : Digits
        Of the rows; a score that they decide is not asked for.
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
    digits: Digits
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
    total = 0.0
    for j in range(X.shape[1]):
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
    margins = model[2]
    for position in range(begin, end):
        if margins[position] <= most:
            return position, margins[position]
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
def _is_exact(norm: float, error: float, exact_up_to: float, rounding: Floats) -> bool:
    """Return whether every number so far is a multiple of the grid of the data, and below 2**53 of it."""
    return bool(error == 0.0 and rounding[REACH] * norm * _UP <= exact_up_to)


@register_jitable
def _doubt(norm: float, error: float, exact_up_to: float, rounding: Floats) -> float:
    """Return t such that a computed score with |y w.x| > t has the sign of the exact one; 0 where scores are exact."""
    if _is_exact(norm, error, exact_up_to, rounding):
        return 0.0
    return float(rounding[REACH] * (error + rounding[SCORE_ERROR] * (norm + error)) * _UP + _TINY)


@register_jitable
def _grown(norm: float, rounding: Floats, value: float, doubt: float, square: float) -> float:
    """Bound ||w + y x||, whose square is ||w||^2 + 2 y w.x + ||x||^2, with y w.x <= 0 whatever was computed for it."""
    square = (square * (1.0 + rounding[SCORE_ERROR]) + _TINY) * _UP
    square_after: float = norm * norm + 2.0 * min(0.0, value + doubt) + square
    return math.sqrt(max(0.0, square_after)) * _UP


@register_jitable
def _error(norm: float, error: float, exact_up_to: float, rounding: Floats) -> float:
    """Return the error after an update: of a sum of integers none, else it adds ||w + y x||/2**53 at most."""
    if _is_exact(norm, error, exact_up_to, rounding):
        return error
    of_entries: float = rounding[UPDATE_ERROR] * rounding[REACH]
    return (error + _UNIT * (norm + error) + of_entries) * _UP


@register_jitable
def _is_mistake(sign: float, value: float, zero_rule: int) -> bool:
    """Return whether the row is to be updated on; what a score of 0 predicts is the rule's: 0 none, else its sign."""
    if value == 0.0:
        return zero_rule == 0 or sign != zero_rule
    return value < 0.0


@register_jitable
def _present_until(
    find: Callable[..., tuple[int, float]], add: Callable[..., float], model: Any, work: Work, end: int
) -> bool:
    """Present rows up to a place of the order, unless the log is full before or a score asks; return whether it does.

    What is known of the rounding is held in variables on the way: a mistake costs little more than its update.
    """
    cursor, size, rounding, order, log = work.cursor, work.size, work.rounding, work.order, work.log
    position, n_logged, answer = cursor[POSITION], cursor[N_LOGGED], cursor[ANSWER]
    norm, error, greatest, exact_up_to = size[NORM], size[ERROR], size[GREATEST], size[EXACT_UP_TO]
    doubt = _doubt(norm, error, exact_up_to, rounding)
    is_asked = False
    while n_logged < log.shape[0]:
        position, value = find(model, order, position, end, doubt)
        if position == end:
            break
        row = order[position]
        if doubt > 0.0 and abs(value) <= doubt and answer == 0:
            is_asked = work.asks
            if is_asked:
                break
            cursor[N_UNCERTAIN] += 1
        is_mistake = answer > 0 if answer != 0 else _is_mistake(work.y[row], value, work.zero_rule)
        position, answer = position + 1, 0
        if is_mistake:
            norm = _grown(norm, rounding, value, doubt, add(model, row))
            error = _error(norm, error, exact_up_to, rounding)
            greatest = max(greatest, norm)
            doubt = _doubt(norm, error, exact_up_to, rounding)
            work.counts[row] += 1
            log[n_logged] = row
            n_logged += 1
    cursor[POSITION], cursor[N_LOGGED], cursor[ANSWER] = position, n_logged, answer
    size[NORM], size[ERROR], size[GREATEST] = norm, error, greatest
    return is_asked


@register_jitable
def _present(find: Callable[..., tuple[int, float]], add: Callable[..., float], model: Any, work: Work) -> int:
    """Present rows until `most` are presented or something else happened; return the `Reason`."""
    cursor, n_rows = work.cursor, work.order.shape[0]
    cursor[N_PRESENTED] = cursor[N_LOGGED] = cursor[N_EPOCHS] = cursor[N_UNCERTAIN] = 0
    while True:
        if cursor[POSITION] == n_rows:
            if not work.wraps:
                return _DONE
            cursor[POSITION] = 0
        if cursor[N_PRESENTED] == work.most:
            return _SLICE
        begin, n_before = cursor[POSITION], cursor[N_LOGGED]
        ahead = min(work.epoch_length - cursor[EPOCH_POSITION], work.most - cursor[N_PRESENTED])
        is_asked = _present_until(find, add, model, work, min(n_rows, begin + ahead))
        cursor[EPOCH_MISTAKES] += cursor[N_LOGGED] - n_before
        cursor[EPOCH_POSITION] += cursor[POSITION] - begin
        cursor[N_PRESENTED] += cursor[POSITION] - begin
        if cursor[EPOCH_POSITION] == work.epoch_length:
            was_clean = cursor[EPOCH_MISTAKES] == 0
            work.epochs[cursor[N_EPOCHS]] = cursor[EPOCH_MISTAKES]
            cursor[N_EPOCHS] += 1
            cursor[EPOCH_POSITION] = cursor[EPOCH_MISTAKES] = 0
            if was_clean:
                return _CLEAN
        if is_asked:
            return _ASKS
        if cursor[N_LOGGED] == work.log.shape[0]:
            return _LOG_FULL
        if cursor[N_EPOCHS] == work.epochs.shape[0]:
            return _EPOCHS_FULL


@register_jitable
def _follow(digits: Digits, counts: Integers) -> bool:
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
            for place in range(digits.weights.shape[0]):
                for j in range(digits.weights.shape[1]):
                    digits.weights[place, j] += n_more * digits.rows[row, place, j]
    return bool(n_mistakes <= digits.most)


@register_jitable
def _carry(digits: Digits) -> None:
    """Turn the sums of digits into digits."""
    n_digits = digits.weights.shape[0]
    for j in range(digits.weights.shape[1]):
        total = 0
        for place in range(n_digits + 1):
            if place < n_digits:
                total += digits.weights[place, j]
            digits.carried[place, j] = total & _BELOW_A_DIGIT
            total >>= DIGIT_BITS
        digits.carried[n_digits + 1, j] = total


@register_jitable
def _exact_sign(digits: Digits, row: int) -> int:
    """Return the sign of z.w, for weights that are carried."""
    own, weights = digits.rows[row], digits.carried
    total, below = 0, 0
    for place in range(own.shape[0] + weights.shape[0] - 1):
        for k in range(max(0, place - weights.shape[0] + 1), min(place + 1, own.shape[0])):
            for j in range(own.shape[1]):
                total += own[k, j] * weights[place - k, j]
        below |= total & _BELOW_A_DIGIT
        total >>= DIGIT_BITS
    if total == 0:
        return 1 if below else 0
    return 1 if total > 0 else -1


@register_jitable
def _is_decided(work: Work) -> bool:
    """Answer whether the row in question is a mistake, where its digits say it."""
    if not _follow(work.digits, work.counts):
        return False
    _carry(work.digits)
    row = work.order[work.cursor[POSITION]]
    sign = float(_exact_sign(work.digits, row))
    work.cursor[ANSWER] = 1 if _is_mistake(work.y[row], sign, work.zero_rule) else -1
    return True


@register_jitable
def _present_exactly(find: Callable[..., tuple[int, float]], add: Callable[..., float], model: Any, work: Work) -> int:
    """Present rows and answer what digits can; return the `Reason` for which that ended."""
    cursor = work.cursor
    n_presented, n_logged, n_epochs, n_uncertain, n_decided = 0, 0, 0, 0, 0
    while True:
        rest = Work(
            work.y, work.order, work.wraps, work.epoch_length, work.zero_rule, work.asks, work.most - n_presented,
            work.rounding, work.digits, work.counts, work.size, cursor, work.log[n_logged:], work.epochs[n_epochs:],
        )  # fmt: skip
        reason = _present(find, add, model, rest)
        n_presented += cursor[N_PRESENTED]
        n_logged += cursor[N_LOGGED]
        n_epochs += cursor[N_EPOCHS]
        n_uncertain += cursor[N_UNCERTAIN]
        if reason != _ASKS or not _is_decided(work):
            break
        n_decided += 1
        if n_decided == work.digits.most_decided:
            reason = _SLICE
            break
    cursor[N_PRESENTED], cursor[N_LOGGED], cursor[N_EPOCHS] = n_presented, n_logged, n_epochs
    cursor[N_UNCERTAIN], cursor[N_DECIDED] = n_uncertain, n_decided
    return reason


class Orders(NamedTuple):
    """Runs in many orders, each from w = 0 until a clean epoch or a limit.

    Attributes
    ----------
    y, rounding : ndarray
        As in `Work`, frozen.
    zero_rule : int
    max_mistakes, max_epochs : int
    digits : Digits
    orders : ndarray (n_orders, n_samples) of int
        Frozen; each is presented over and over.
    size : ndarray
        Written over; its last entry is taken for every run.
    counts : ndarray (n_orders, n_samples) of int
        Updated from 0: mistakes on every row.
    outcomes : ndarray (n_orders, 3) of int
        Updated: epochs, whether the run was given up at a score that nothing could decide (0 or 1), and whether it
        converged.
    """

    y: Floats
    rounding: Floats
    zero_rule: int
    max_mistakes: int
    max_epochs: int
    digits: Digits
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
    cursor = np.zeros(N_DECIDED + 1, dtype=np.int64)
    for k in range(of.orders.shape[0]):
        weights[:] = 0.0
        of.size[NORM] = of.size[ERROR] = of.size[GREATEST] = 0.0
        cursor[:] = 0
        n_mistakes, reason = 0, _SLICE
        while reason != _CLEAN and n_mistakes < of.max_mistakes and of.outcomes[k, 0] < of.max_epochs:
            room = min(_ROOM, of.max_mistakes - n_mistakes)
            n_epochs = min(_ROOM, of.max_epochs - of.outcomes[k, 0])
            work = Work(
                of.y, of.orders[k], True, n_samples, of.zero_rule, True, _NO_END, of.rounding, of.digits, of.counts[k],
                of.size, cursor, log[:room], epochs[:n_epochs],
            )  # fmt: skip
            reason = _present_exactly(find, add, model, work)
            if reason == _ASKS:
                break
            n_mistakes += cursor[N_LOGGED]
            of.outcomes[k, 0] += cursor[N_EPOCHS]
        of.outcomes[k, 1] = reason == _ASKS
        of.outcomes[k, 2] = reason == _CLEAN
        of.outcomes[k, 0] += cursor[EPOCH_POSITION] > 0


_FLOATS = vector(types.float64, readonly=True)
_ROWS = vector(types.int64, readonly=True)
_INDICES = vector(types.int32, readonly=True)
_STATE = vector(types.float64, readonly=False)
_COUNTS = vector(types.int64, readonly=False)
_tuple_of: Callable[..., Any] = types.Tuple
_named_tuple_of: Callable[..., Any] = types.NamedTuple
_DIGITS = _named_tuple_of(
    (
        types.Array(types.int64, 3, "C", readonly=True),
        *(types.Array(types.int64, 2, "C"), _COUNTS, types.Array(types.int64, 2, "C"), types.int64, types.int64),
    ),
    Digits,
)
_WORK = _named_tuple_of(
    (
        *(_FLOATS, _ROWS, types.boolean, types.int64, types.int64, types.boolean, types.int64, _FLOATS, _DIGITS),
        *(_COUNTS, _STATE, _COUNTS, _COUNTS, _COUNTS),
    ),
    Work,
)
_ROWS_OF_ORDERS = types.Array(types.int64, 2, "C", readonly=True)
_COUNTS_OF_ORDERS = types.Array(types.int64, 2, "C")
_ORDERS = _named_tuple_of(
    (
        *(_FLOATS, _FLOATS, types.int64, types.int64, types.int64, _DIGITS, _ROWS_OF_ORDERS, _STATE),
        *(_COUNTS_OF_ORDERS, _COUNTS_OF_ORDERS),
    ),
    Orders,
)
_DENSE = _tuple_of((MATRIX, _FLOATS, _STATE, types.float64))
_SPARSE = _tuple_of((_FLOATS, _INDICES, _INDICES, _FLOATS, _STATE, types.float64))
_GRAM = _tuple_of((MATRIX, _FLOATS, _STATE))


def present_dense(model: Dense, work: Work) -> int:
    """Present dense rows with a vector of weights."""
    return _present_exactly(_find_dense, _add_dense, model, work)


def present_sparse(model: Sparse, work: Work) -> int:
    """Present rows in CSR form with a vector of weights."""
    return _present_exactly(_find_sparse, _add_sparse, model, work)


def present_in_row_order(model: Gram, work: Work) -> int:
    """Present rows 0, 1, ... through their Gram matrix; the order of the work counts up."""
    return _present_exactly(_find_in_row_order, _add_to_margins, model, work)


def present_in_any_order(model: Gram, work: Work) -> int:
    """Present rows through their Gram matrix."""
    return _present_exactly(_find_in_any_order, _add_to_margins, model, work)


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
    return compiled(*_SIGNATURES[function], may_reorder_sums=True)(function)
