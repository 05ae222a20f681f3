"""The compiled passes of `maxmargin.solvers.proof.sums` over dense rows."""

import numpy as np
from numba import types

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import compiled
from maxmargin.solvers.basics.kernel_types import MATRIX, vector

_FLOATS = vector(types.float64, readonly=True)
_OUT = vector(types.float64, readonly=False)


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
