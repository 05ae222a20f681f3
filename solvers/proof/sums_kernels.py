"""The compiled passes of `maxmargin.solvers.proof.sums` over dense rows."""

import numpy as np
from numba import types

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import compiled
from maxmargin.solvers.basics.kernel_types import MATRIX, vector

_FLOATS = vector(types.float64, readonly=True)
_OUT = vector(types.float64, readonly=False)


@compiled(MATRIX, _FLOATS, _FLOATS, types.float64, _OUT, may_reorder_sums=True)
def functional_margins(X: Floats, y: Floats, w: Floats, b: float, out: Floats) -> tuple[float, float]:
    """Write y (w.x + b), -infinity if it overflows, and return the least finite value of each class."""
    n_rows, n_columns = X.shape
    negative, positive = np.inf, np.inf
    whole = n_rows - n_rows % 4
    for i in range(0, whole, 4):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(n_columns):
            s0 += X[i, j] * w[j]
            s1 += X[i + 1, j] * w[j]
            s2 += X[i + 2, j] * w[j]
            s3 += X[i + 3, j] * w[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0, s1, s2, s3
    for i in range(whole, n_rows):
        total = 0.0
        for j in range(n_columns):
            total += X[i, j] * w[j]
        out[i] = total
    for i in range(n_rows):
        score = (out[i] + b) * y[i]
        if not abs(score) < np.inf:
            score = -np.inf
        elif y[i] < 0.0:
            negative = min(negative, score)
        else:
            positive = min(positive, score)
        out[i] = score
    return negative, positive


@compiled(MATRIX, _FLOATS, _FLOATS, _OUT, _OUT, may_reorder_sums=True)
def scores_and_moduli(X: Floats, center: Floats, w: Floats, value: Floats, moduli: Floats) -> None:
    """Write the sums w.(x - center) and |w|.|x - center|."""
    for i in range(X.shape[0]):
        total = absolute = 0.0
        for j in range(X.shape[1]):
            product = (X[i, j] - center[j]) * w[j]
            total += product
            absolute += abs(product)
        value[i], moduli[i] = total, absolute


@compiled(MATRIX, _FLOATS, _FLOATS, types.int64, _OUT, _OUT, may_reorder_sums=True)
def weighted_sums(X: Floats, center: Floats, weights: Floats, group_rows: int, sums: Floats, moduli: Floats) -> None:
    """Add the weighted sums of x - center and of the moduli; groups of rows are summed first."""
    n_rows, n_columns = X.shape
    part, part_moduli = np.empty(n_columns), np.empty(n_columns)
    for start in range(0, n_rows, group_rows):
        part[:] = 0.0
        part_moduli[:] = 0.0
        for i in range(start, min(start + group_rows, n_rows)):
            if weights[i] != 0.0:
                for j in range(n_columns):
                    product = weights[i] * (X[i, j] - center[j])
                    part[j] += product
                    part_moduli[j] += abs(product)
        sums += part
        moduli += part_moduli
