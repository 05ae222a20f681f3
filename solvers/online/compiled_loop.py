"""The loop and the steps as machine code.

A step is compiled on its own and called through its address (some 20 ns a call), so that loop and steps are cached on
disk separately and a new algorithm compiles nothing but its step.
"""

from functools import cache
from typing import cast

from numba import cfunc, types

from maxmargin.solvers.basics.compiling import compiled, made
from maxmargin.solvers.basics.kernel_types import MATRIX, vector
from maxmargin.solvers.online import state
from maxmargin.solvers.online.state import Step

_FLOATS = vector(types.float64, readonly=True)
_ROWS = vector(types.int64, readonly=True)
_STATE = vector(types.float64, readonly=False)
_TABLE = types.Array(types.float64, 2, "C")
_COUNTS = vector(types.int64, readonly=False)

# X, y, row, t, score, parameters, w, table, scalars.
_STEP_SIGNATURE = types.int64(MATRIX, _FLOATS, types.int64, types.int64, types.float64, _FLOATS, _STATE, _TABLE, _STATE)


@cache
def compiled_step(step: Step) -> Step:
    """Return the step as machine code behind an address, which costs less to hand over than a compiled function.

    It is cached on disk where a cache folder can be written, and divides as IEEE 754 says.
    """
    return cast(Step, made(cfunc, step, _STEP_SIGNATURE, {"error_model": "numpy"}))


present = compiled(
    *(types.FunctionType(_STEP_SIGNATURE), types.int64, MATRIX, _FLOATS, _ROWS, types.int64),
    types.Tuple((_STATE, _TABLE, _STATE, _STATE)),
    types.UniTuple(_COUNTS, 4),
)(state.present)
