"""The arguments of the compiled passes of the perceptron.

A pass presents the rows ``order[cursor[POSITION]:]``, over and over if it wraps, and updates in place:

- ``cursor``: its position and its counts; the constants below name the entries;
- ``counts``: the mistakes on every row; ``log``: the mistaken rows in order; ``epochs``: the mistakes of each epoch;
- ``size``: a bound of ||w||; a bound E of the error, so that the computed w is within E of w, or a computed y w.x
  within E ||x||; and the greatest bound of ||w|| so far.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.perceptron.kernels.limb_scores import Limbs

Integers = NDArray[np.int64]

# Entries of a cursor: the positions in the order and in the epoch, the mistakes of the epoch, and the answer to a pass
# that asked (1 for a mistake, -1 for none, 0 for no answer); then the counts of the last pass: presentations, mistakes,
# finished epochs, scores that rounding may have decided, and scores that limbs decided.
POSITION, EPOCH_POSITION, EPOCH_MISTAKES, ANSWER, N_PRESENTED, N_LOGGED, N_EPOCHS, N_UNCERTAIN, N_DECIDED = range(9)

# Entries of ``size``; the last one is the greatest R ||w|| for which every computed number is exact.
NORM, ERROR, GREATEST, EXACT_UP_TO = range(4)


class Reason(IntEnum):
    """Why a pass returned."""

    SLICE_IS_MADE = 0
    ORDER_IS_DONE = 1
    EPOCH_WAS_CLEAN = 2
    LOG_IS_FULL = 3
    EPOCHS_ARE_FULL = 4
    ROUNDING_MAY_DECIDE = 5


# The same reasons as integers, which compiled code returns.
SLICE, DONE, CLEAN, LOG_FULL, EPOCHS_FULL, ASKS = map(int, Reason)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view; the compiled passes accept the arrays that they only read in no other form."""
    view = array.view()
    view.flags.writeable = False
    return view


class Work(NamedTuple):
    """The arguments of a pass; `y`, `order` and `rounding` are read-only.

    Attributes
    ----------
    y : ndarray (n_samples,) of float64
        Signs.
    order : ndarray of int
        Rows in the order of presentation.
    wraps : bool
        Whether the order is repeated.
    epoch_length : int
        Number of presentations in an epoch.
    zero_rule : int
        The prediction for a score of 0: +1, -1, or 0 for none.
    asks : bool
        Whether to stop at a score whose sign rounding may have decided; otherwise it is counted as uncertain.
    most : int
        Largest number of presentations.
    rounding : ndarray of float64
    limbs : Limbs
        Limbs of the rows; the pass does not ask about a score that they decide.
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
    limbs: Limbs
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
        As in `Work`, read-only.
    zero_rule : int
    max_mistakes, max_epochs : int
    limbs : Limbs
    orders : ndarray (n_orders, n_samples) of int
        Read-only; each is repeated until its run ends.
    size : ndarray
        Overwritten, except for its last entry, which holds for every run.
    counts : ndarray (n_orders, n_samples) of int
        Zeros on entry; mistakes on every row.
    outcomes : ndarray (n_orders, 3) of int
        Zeros on entry; epochs, whether the run was given up at a score that could not be decided (0 or 1), and whether
        it converged.
    """

    y: Floats
    rounding: Floats
    zero_rule: int
    max_mistakes: int
    max_epochs: int
    limbs: Limbs
    orders: Integers
    size: Floats
    counts: Integers
    outcomes: Integers
