"""The loop over presentations, written once; the step of an algorithm is an argument of it.

Short runs call it as it is, long ones as machine code.
"""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.compiling import in_machine_code
from maxmargin.solvers.online.state import Floats, Presents, Step

Rows = NDArray[np.int64]

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
    step: Step,
    presents: int,
    X: Floats,
    y: Floats,
    order: Rows,
    start: int,
    stop: int,
    before: int,
    room: int,
    parameters: Floats,
    w: Floats,
    table: Floats,
    scalars: Floats,
    presented: Rows,
    updated: Rows,
    log_rows: Rows,
    log_times: Rows,
) -> tuple[int, int, int]:
    """Make the presentations ``order[start:stop]``, the first being number ``before + 1``; stop after ``room`` updates.

    Returns (presentations made, updates, mistakes). A mistake is y w.x <= 0 before the step.
    """
    n_updates = n_mistakes = 0
    for position in range(start, stop):
        row = order[position]
        score = 0.0
        if presents == _WORST_ROW:
            row = worst_row(X, y, w)
        if presents != _ALL_ROWS:
            score = score_of(X, row, w)
            presented[row] += 1
            n_mistakes += y[row] * score <= 0.0
        if step(X, y, row, before + position - start + 1, score, parameters, w, table, scalars):
            updated[row] += 1
            log_rows[n_updates] = row
            log_times[n_updates] = before + position - start + 1
            n_updates += 1
            if n_updates == room:
                return position + 1 - start, n_updates, n_mistakes
    return stop - start, n_updates, n_mistakes
