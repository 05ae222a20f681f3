"""The compiled loop, written once; the step of an algorithm is an argument of it.

A step is compiled on its own and called through its address (some 20 ns a call), so that loop and steps are cached on
disk separately and a new algorithm compiles nothing but its step.
"""

from functools import cache
from typing import cast

import numpy as np
from numba import cfunc, types
from numpy.typing import NDArray

from maxmargin.solvers.compiling import compiled
from maxmargin.solvers.kernel_types import MATRIX, vector
from maxmargin.solvers.perceptron.family.algorithm import Presents, Step

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_FLOATS = vector(types.float64, readonly=True)
_ROWS = vector(types.int64, readonly=True)
_STATE = vector(types.float64, readonly=False)
_TABLE = types.Array(types.float64, 2, "C")
_COUNTS = vector(types.int64, readonly=False)

_STEP_SIGNATURE = types.int64(MATRIX, _FLOATS, types.int64, types.int64, types.float64, _FLOATS, _STATE, _TABLE, _STATE)
"""X, y, row, t, score, parameters, w, table, scalars."""

_STEP = types.FunctionType(_STEP_SIGNATURE)

_WORST_ROW, _ALL_ROWS = int(Presents.WORST_ROW), int(Presents.ALL_ROWS)


@cache
def compiled_step(step: Step) -> Step:
    """Return the step as machine code behind an address, which costs less to hand over than a compiled function.

    It is cached on disk where a cache folder can be written, and divides as IEEE 754 says.
    """
    try:
        return cast(Step, cfunc(_STEP_SIGNATURE, cache=True, error_model="numpy")(step))
    except RuntimeError:  # no writable cache folder
        return cast(Step, cfunc(_STEP_SIGNATURE, error_model="numpy")(step))


@compiled(MATRIX, types.int64, _STATE)
def score_of(X: Floats, row: int, w: Floats) -> float:
    """Return w.x of a row."""
    total = 0.0
    for j in range(X.shape[1]):
        total += X[row, j] * w[j]
    return total


@compiled(MATRIX, _FLOATS, _STATE)
def worst_row(X: Floats, y: Floats, w: Floats) -> int:
    """Return the first row of least y w.x."""
    worst, least = 0, np.inf
    for row in range(X.shape[0]):
        margin = y[row] * score_of(X, row, w)
        if margin < least:
            worst, least = row, margin
    return worst


@compiled(
    _STEP,
    types.int64,
    MATRIX,
    _FLOATS,
    _ROWS,
    types.int64,
    types.int64,
    types.int64,
    types.int64,
    _FLOATS,
    _STATE,
    _TABLE,
    _STATE,
    _COUNTS,
    _COUNTS,
    _COUNTS,
    _COUNTS,
)
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
