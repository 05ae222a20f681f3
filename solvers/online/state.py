"""The step of an online algorithm, the state that it changes, and the loop that presents rows to it."""

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.compiling import in_machine_code

# ``step(X, y, row, t, score, parameters, w, table, scalars)``, 1 for an update, else 0. X (n, D) and y are the rows of
# the run and their signs; ``row`` is presented as number t, counted from 1, with score w.x before the step. The step
# changes w, which scores are taken from, and the table and scalars, which are its own. Long runs compile it, to the
# same bits: exp and log1p are `math`'s, those of the C library in either case; NumPy's are not.
Step = Callable[..., int]


class Presents(IntEnum):
    """The kind of a presentation: the next row, the row of least y w.x, or all rows; an epoch is n, 1 or 1 of them."""

    ROWS = 0
    WORST_ROW = 1
    ALL_ROWS = 2


class LearnerState(NamedTuple):
    """The arrays that a step reads (parameters) and changes (all others).

    Attributes
    ----------
    w : ndarray (D,)
    table : ndarray, of two dimensions
    scalars : ndarray
    parameters : ndarray
    """

    w: Floats
    table: Floats
    scalars: Floats
    parameters: Floats

    def copy(self) -> "LearnerState":
        """Return a state that can be changed for a trial."""
        return self._replace(w=self.w.copy(), table=self.table.copy(), scalars=self.scalars.copy())

    @property
    def is_finite(self) -> bool:
        """Whether nothing has overflowed."""
        return all(bool(np.isfinite(part).all()) for part in (self.w, self.table, self.scalars))


# The arrays of a `LearnerState`, in its order; a plain tuple is handed to compiled code faster than a named one.
Arrays = tuple[Floats, Floats, Floats, Floats]

# How often every row was presented, and updated on (updated); the row of every update, and the number of its
# presentation (written over).
UpdateLog = tuple[Rows, Rows, Rows, Rows]

_WORST_ROW, _ALL_ROWS = int(Presents.WORST_ROW), int(Presents.ALL_ROWS)


@in_machine_code
def score_of(X: Floats, row: int, w: Floats) -> float:
    """Return w.x of a row."""
    total = 0.0
    for j in range(X.shape[1]):
        total += X[row, j] * w[j]
    return total


@in_machine_code
def worst_row(X: Floats, y: Floats, w: Floats) -> int:
    """Return the first row of least y w.x."""
    worst, least = 0, np.inf
    for row in range(X.shape[0]):
        margin = y[row] * score_of(X, row, w)
        if margin < least:
            worst, least = row, margin
    return worst


def present(
    step: Step, presents: int, X: Floats, y: Floats, order: Rows, before: int, arrays: Arrays, log: UpdateLog
) -> tuple[int, int, int]:
    """Make the presentations of `order`, the first being number ``before + 1``; stop when the log is full.

    Returns (presentations made, updates, mistakes). A mistake is y w.x <= 0 before the step. The arrays of the state
    and of the log are variables, as Numba counts references to every array that is taken out of a tuple.
    """
    w, table, scalars, parameters = arrays
    presented, updated, rows, times = log
    n_updates = n_mistakes = 0
    for position in range(order.shape[0]):
        row, t = order[position], before + position + 1
        score = 0.0
        if presents == _WORST_ROW:
            row = worst_row(X, y, w)
        if presents != _ALL_ROWS:
            score = score_of(X, row, w)
            presented[row] += 1
            n_mistakes += y[row] * score <= 0.0
        if step(X, y, row, t, score, parameters, w, table, scalars):
            updated[row] += 1
            rows[n_updates] = row
            times[n_updates] = t
            n_updates += 1
            if n_updates == rows.shape[0]:
                return position + 1, n_updates, n_mistakes
    return order.shape[0], n_updates, n_mistakes
