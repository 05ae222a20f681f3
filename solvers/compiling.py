"""Compilation to machine code, with explicit signatures and a cache on disk."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import types

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def vector(dtype: types.Type, *, readonly: bool) -> types.Array:
    """Return the type of a contiguous vector; memory maps and frozen results are read-only."""
    return types.Array(dtype, 1, "C", readonly=readonly)


MATRIX = types.Array(types.float64, 2, "C", readonly=True)
"""The type of the rows of a dense problem."""


def compiled(*signature: types.Type, may_reorder_sums: bool = False) -> Callable[[Kernel], Kernel]:
    """Compile with an explicit signature, cached on disk where a cache folder can be written.

    The compiled function lets other threads run, and divides as IEEE 754 says. Kernels that call each other must live
    in one file: the cache does not see changes elsewhere. Reordered sums are faster, and not the same on every machine.
    """
    fastmath = {"reassoc", "nsz"} if may_reorder_sums else False
    options: dict[str, Any] = {"nogil": True, "fastmath": fastmath, "error_model": "numpy"}

    def decorate(function: Kernel) -> Kernel:
        try:
            return cast(Kernel, numba.njit(signature, cache=True, **options)(function))
        except RuntimeError:  # no writable cache folder
            return cast(Kernel, numba.njit(signature, **options)(function))

    return decorate
