"""Compiled types of the arguments of the perceptron passes."""

from numba import types

from maxmargin.solvers.basics.kernel_types import MATRIX, vector
from maxmargin.solvers.perceptron.kernels.limb_scores import Digits
from maxmargin.solvers.perceptron.kernels.work import Orders, Work

DIGITS = types.NamedTuple(
    (
        *(
            types.Array(types.int64, 3, "C", readonly=True),
            types.Array(types.int64, 2, "C"),
            types.Array(types.int64, 1, "C"),
        ),
        *(types.Array(types.int64, 2, "C"), types.int64, types.int64),
    ),
    Digits,
)

FLOATS = vector(types.float64, readonly=True)
ROWS = vector(types.int64, readonly=True)
STATE = vector(types.float64, readonly=False)
COUNTS = vector(types.int64, readonly=False)
_ROWS_OF_ORDERS = types.Array(types.int64, 2, "C", readonly=True)
_COUNTS_OF_ORDERS = types.Array(types.int64, 2, "C")

WORK = types.NamedTuple(
    (
        *(FLOATS, ROWS, types.boolean, types.int64, types.int64, types.boolean, types.int64, FLOATS, DIGITS),
        *(COUNTS, STATE, COUNTS, COUNTS, COUNTS),
    ),
    Work,
)
"""The compiled type of `Work`; the next one that of `Orders`."""

ORDERS = types.NamedTuple(
    (
        *(FLOATS, FLOATS, types.int64, types.int64, types.int64, DIGITS, _ROWS_OF_ORDERS, STATE),
        *(_COUNTS_OF_ORDERS, _COUNTS_OF_ORDERS),
    ),
    Orders,
)
_INDICES = vector(types.int32, readonly=True)
_SINGLES = types.Array(types.float32, 1, "C")

DENSE = types.Tuple((MATRIX, FLOATS, STATE, types.float64))
SPARSE = types.Tuple((FLOATS, _INDICES, _INDICES, FLOATS, STATE, types.float64))
GRAM = types.Tuple((MATRIX, FLOATS, STATE))
BLOCKS = types.Tuple(
    (
        *(MATRIX, types.Array(types.float32, 3, "C", readonly=True)),
        *(types.Array(types.float32, 1, "C", readonly=True), STATE),
        *[_SINGLES] * 4,
        *(types.float64, types.boolean),
    )
)
"""What the passes call their models."""

FILL = (
    *(MATRIX, FLOATS, ROWS, types.float64, FLOATS, types.int64, types.int64),
    types.Array(types.float32, 3, "C"),
)
