"""Columns written into the rows of a matrix, compiled, four at a time."""

from numba import types

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import compiled
from maxmargin.solvers.basics.kernel_types import vector

_COLUMN = vector(types.float64, readonly=True)


@compiled(_COLUMN, _COLUMN, _COLUMN, _COLUMN, types.int64, types.Array(types.float64, 2, "C"))
def turn(first: Floats, second: Floats, third: Floats, fourth: Floats, position: int, X: Floats) -> None:
    """Write them into the columns of X from this position on."""
    for i in range(X.shape[0]):
        X[i, position] = first[i]
        X[i, position + 1] = second[i]
        X[i, position + 2] = third[i]
        X[i, position + 3] = fourth[i]
