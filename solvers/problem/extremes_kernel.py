"""The compiled pass that finds the least and the greatest number of every column."""

from numba import types

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import compiled
from maxmargin.solvers.basics.kernel_types import MATRIX, vector

_OUT = vector(types.float64, readonly=False)


@compiled(MATRIX, _OUT, _OUT, _OUT)
def fold_rows(X: Floats, low: Floats, high: Floats, zeros: Floats) -> None:
    """Lower `low` and raise `high` to the numbers of every column; `zeros` becomes NaN where one is not finite."""
    n_rows, n_columns = X.shape
    for i in range(n_rows):
        for j in range(n_columns):
            value = X[i, j]
            low[j] = value if value < low[j] else low[j]
            high[j] = value if value > high[j] else high[j]
            zeros[j] += value * 0.0
