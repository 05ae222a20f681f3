"""What compiled passes of the perceptron work on.

A pass presents the rows ``order[cursor[POSITION]:]``, over and over where it wraps, and updates in place:

- ``cursor``: where it is and what it did; the constants below name its entries;
- ``counts``: the mistakes on every row; ``log``: the mistaken rows in their order; ``epochs``: the mistakes of epochs;
- ``size``: a bound of ||w||; a bound E of the error of what was computed, in units of a row's norm: the computed w
  is within E of w, or a computed y w.x within E ||x||; and the greatest bound of ||w|| so far.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.kernels.limb_scores import Digits

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

POSITION, EPOCH_POSITION, EPOCH_MISTAKES, ANSWER, N_PRESENTED, N_LOGGED, N_EPOCHS, N_UNCERTAIN, N_DECIDED = range(9)
"""Entries of a cursor: the place in the order and in the epoch, the epoch's mistakes, the answer to the question asked
(1 a mistake, -1 none, 0 no answer); then what the last pass did: presentations, mistakes, finished epochs, scores that
rounding may have decided, and scores that digits decided."""

NORM, ERROR, GREATEST, EXACT_UP_TO = range(4)
"""Entries of a size; the last one is the greatest R ||w|| up to which everything is exact."""


class Reason(IntEnum):
    """Why a pass returned."""

    SLICE_IS_MADE = 0
    ORDER_IS_DONE = 1
    EPOCH_WAS_CLEAN = 2
    LOG_IS_FULL = 3
    EPOCHS_ARE_FULL = 4
    ROUNDING_MAY_DECIDE = 5


SLICE, DONE, CLEAN, LOG_FULL, EPOCHS_FULL, ASKS = map(int, Reason)
"""As compiled code returns them."""


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
