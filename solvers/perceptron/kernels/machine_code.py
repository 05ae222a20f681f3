"""The passes of the perceptron as machine code; what is called is compiled, or loaded, and nothing else."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from maxmargin.solvers.basics.compiling import Kernel, Lazy, compiled
from maxmargin.solvers.perceptron.kernels import block_pass, gram_pass, kernels, scores, vectors, work
from maxmargin.solvers.perceptron.kernels import error_bounds as rounding
from maxmargin.solvers.perceptron.kernels import limb_scores as digit_scores
from maxmargin.solvers.perceptron.kernels.pass_types import BLOCKS, DENSE, FILL, GRAM, ORDERS, SPARSE, WORK

_CALLED = (block_pass, digit_scores, gram_pass, kernels, rounding, scores, vectors, work)

_SIGNATURES: dict[Callable[..., Any], tuple[Any, ...]] = {
    block_pass.fill_blocks: FILL,
    block_pass.present_over_blocks: (BLOCKS, WORK),
    block_pass.present_blocks: (BLOCKS, WORK),
    gram_pass.present_over_gram: (GRAM, WORK),
    kernels.present_over_dense: (DENSE, WORK),
    kernels.present_over_sparse: (SPARSE, WORK),
    kernels.present_dense: (DENSE, WORK),
    kernels.present_sparse: (SPARSE, WORK),
    kernels.present_gram: (GRAM, WORK),
    kernels.present_orders_dense: (DENSE, ORDERS),
    kernels.present_orders_sparse: (SPARSE, ORDERS),
    kernels.present_orders_gram: (GRAM, ORDERS),
}


_ENGINES = {
    "weights": (kernels.present_over_dense,),
    "gram": (gram_pass.present_over_gram,),
    "blocks": (block_pass.fill_blocks, block_pass.present_over_blocks),
}


@cache
def is_on_disk(engine: str) -> bool:
    """Return whether an earlier process has compiled the passes of an engine, those over dense rows of weights."""
    return all(cast(Lazy, machine_code(function)).is_on_disk for function in _ENGINES[engine])


@cache
def machine_code(function: Kernel) -> Kernel:
    """Return one of the functions above compiled."""
    return compiled(*_SIGNATURES[function], may_reorder_sums=True, calling=_CALLED)(function)
