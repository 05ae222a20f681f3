"""Compiled passes of the perceptron over dense and sparse rows.

Kernels that call each other live in this one file: the on-disk cache does not see changes elsewhere. The dot product
adds in eight fixed lanes, so that it compiles to vector instructions and still gives the same bits on every machine.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from maxmargin.solvers.compiling import MATRIX, compiled, vector

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Indices = NDArray[np.int32]

_FLOATS = vector(types.float64, readonly=True)
_ROWS = vector(types.int64, readonly=True)
_INDICES = vector(types.int32, readonly=True)
_STATE = vector(types.float64, readonly=False)
_LOG = vector(types.int64, readonly=False)


@compiled(MATRIX, types.int64, _STATE)
def dense_score(X: Floats, row: int, w: Floats) -> float:
    """Return w.x for row ``row``; the last entry of w is the bias coordinate's weight and is left out."""
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


@compiled(types.float64, types.float64, types.int64)
def is_mistake(sign: float, score: float, zero_rule: int) -> bool:
    """Return whether the row is to be updated on; what a score of 0 predicts is the rule's: 0 none, else its sign."""
    if score == 0.0:
        return zero_rule == 0 or sign != zero_rule
    return sign * score < 0.0


@compiled(MATRIX, _FLOATS, types.float64, types.int64, _ROWS, types.int64, types.int64, types.int64, _STATE, _LOG)
def dense_pass(
    X: Floats,
    y: Floats,
    bias_scale: float,
    zero_rule: int,
    order: Rows,
    start: int,
    stop: int,
    room: int,
    w: Floats,
    log: Rows,
) -> tuple[int, int]:
    """Present rows ``order[start:stop]``; stop after ``room`` mistakes.

    Updates w in place and writes the mistaken rows to ``log``. Returns (presentations made, mistakes made).
    """
    n_features: int = X.shape[1]
    n_mistakes = 0
    for position in range(start, stop):
        row = order[position]
        score: float = dense_score(X, row, w) + bias_scale * w[n_features]
        if is_mistake(y[row], score, zero_rule):
            for j in range(n_features):
                w[j] += y[row] * X[row, j]
            w[n_features] += y[row] * bias_scale
            log[n_mistakes] = row
            n_mistakes += 1
            if n_mistakes == room:
                return position + 1 - start, n_mistakes
    return stop - start, n_mistakes


@compiled(
    _FLOATS,
    _INDICES,
    _INDICES,
    _FLOATS,
    types.float64,
    types.int64,
    _ROWS,
    types.int64,
    types.int64,
    types.int64,
    _STATE,
    _LOG,
)
def sparse_pass(
    data: Floats,
    indices: Indices,
    starts: Indices,
    y: Floats,
    bias_scale: float,
    zero_rule: int,
    order: Rows,
    start: int,
    stop: int,
    room: int,
    w: Floats,
    log: Rows,
) -> tuple[int, int]:
    """Do what `dense_pass` does, for rows in CSR form."""
    last = w.shape[0] - 1
    n_mistakes = 0
    for position in range(start, stop):
        row = order[position]
        score = 0.0
        for k in range(starts[row], starts[row + 1]):
            score += data[k] * w[indices[k]]
        score += bias_scale * w[last]
        if is_mistake(y[row], score, zero_rule):
            for k in range(starts[row], starts[row + 1]):
                w[indices[k]] += y[row] * data[k]
            w[last] += y[row] * bias_scale
            log[n_mistakes] = row
            n_mistakes += 1
            if n_mistakes == room:
                return position + 1 - start, n_mistakes
    return stop - start, n_mistakes


def pass_over(X: Any, y: Floats) -> Callable[..., tuple[int, int]]:
    """Return the pass over these rows, its arguments from ``bias_scale`` on left open."""
    y = np.asarray(y, dtype=np.float64)
    if hasattr(X, "tocsr"):
        indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        return lambda *rest: sparse_pass(X.data, indices, starts, y, *rest)
    return lambda *rest: dense_pass(X, y, *rest)
