"""The compiled passes of the perceptron, with the types of their arguments; each is compiled when first called."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from numba import types

from maxmargin.solvers.basics.compiling import Kernel, Lazy, compiled
from maxmargin.solvers.basics.kernel_types import MATRIX, vector
from maxmargin.solvers.perceptron.kernels import error_bounds, gram_pass, kernels, limb_scores, pass_arguments

_CALLED = (error_bounds, gram_pass, kernels, limb_scores, pass_arguments)

_FLAG, _FLOAT, _INTEGER = types.boolean, types.float64, types.int64
_FLOATS, _STATE = vector(_FLOAT, readonly=True), vector(_FLOAT, readonly=False)
_ROWS, _COUNTS = vector(_INTEGER, readonly=True), vector(_INTEGER, readonly=False)
_COUNTS_OF_ORDERS = types.Array(_INTEGER, 2, "C")
_INDICES = vector(types.int32, readonly=True)

_LIMBS = types.NamedTuple(
    (types.Array(_INTEGER, 3, "C", readonly=True), _COUNTS_OF_ORDERS, _COUNTS, _COUNTS_OF_ORDERS, _INTEGER, _INTEGER),
    limb_scores.Limbs,
)
_WORK = types.NamedTuple(
    (
        *(_FLOATS, _ROWS, _FLAG, _INTEGER, _INTEGER, _FLAG, _INTEGER, _FLOATS, _LIMBS),
        *(_COUNTS, _STATE, _COUNTS, _COUNTS, _COUNTS),
    ),
    pass_arguments.Work,
)
_ORDERS = types.NamedTuple(
    (
        *(_FLOATS, _FLOATS, _INTEGER, _INTEGER, _INTEGER, _LIMBS, types.Array(_INTEGER, 2, "C", readonly=True)),
        *(_STATE, _COUNTS_OF_ORDERS, _COUNTS_OF_ORDERS),
    ),
    pass_arguments.Orders,
)
_DENSE = types.Tuple((MATRIX, _FLOATS, _STATE, _FLOAT))
_SPARSE = types.Tuple((_FLOATS, _INDICES, _INDICES, _FLOATS, _STATE, _FLOAT))
_GRAM = types.Tuple((MATRIX, _FLOATS, _STATE))

_SIGNATURES: dict[Callable[..., Any], tuple[Any, ...]] = {
    gram_pass.present_over_gram: (_GRAM, _WORK),
    kernels.present_over_dense: (_DENSE, _WORK),
    kernels.present_over_sparse: (_SPARSE, _WORK),
    kernels.present_dense: (_DENSE, _WORK),
    kernels.present_sparse: (_SPARSE, _WORK),
    kernels.present_gram: (_GRAM, _WORK),
    kernels.present_orders_dense: (_DENSE, _ORDERS),
    kernels.present_orders_sparse: (_SPARSE, _ORDERS),
    kernels.present_orders_gram: (_GRAM, _ORDERS),
}

_ENGINES = {"weights": kernels.present_over_dense, "gram": gram_pass.present_over_gram}


@cache
def is_on_disk(engine: str) -> bool:
    """Return whether an earlier process has compiled the pass of an engine, that over dense rows of weights."""
    return cast(Lazy, machine_code(_ENGINES[engine])).is_on_disk


@cache
def machine_code(function: Kernel) -> Kernel:
    """Return the machine code of one of the passes above."""
    return compiled(*_SIGNATURES[function], may_reorder_sums=True, calling=_CALLED)(function)
