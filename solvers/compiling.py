"""Compilation to machine code, with explicit signatures and a cache on disk."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from inspect import getsource
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
from numba import types

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def vector(dtype: types.Type, *, readonly: bool) -> types.Array:
    """Return the type of a contiguous vector; memory maps and frozen results are read-only."""
    return types.Array(dtype, 1, "C", readonly=readonly)


MATRIX = types.Array(types.float64, 2, "C", readonly=True)
"""The type of the rows of a dense problem."""


def compiled(
    *signature: types.Type, may_reorder_sums: bool = False, calling: Sequence[ModuleType] = ()
) -> Callable[[Kernel], Kernel]:
    """Compile with an explicit signature, cached on disk where a cache folder can be written.

    The compiled function lets other threads run, and divides as IEEE 754 says. Reordered sums are faster, and not the
    same on every machine.

    Parameters
    ----------
    *signature : numba type
        Of the arguments.
    may_reorder_sums : bool
    calling : sequence of module
        Those with functions or constants that it takes over, beside its own. The cache looks at the date of its own
        file only; what is in the others becomes a part of the name that it goes by there.
    """
    fastmath = {"reassoc", "nsz"} if may_reorder_sums else False
    options: dict[str, Any] = {"nogil": True, "fastmath": fastmath, "error_model": "numpy"}

    def decorate(function: Kernel) -> Kernel:
        try:
            if calling:
                function.__qualname__ = f"{function.__name__}-{_digest(calling)}"
            return cast(Kernel, numba.njit(signature, cache=True, **options)(function))
        except (RuntimeError, OSError):  # no writable cache folder, or no source
            return cast(Kernel, numba.njit(signature, **options)(function))

    return decorate


def _digest(modules: Sequence[ModuleType]) -> str:
    return blake2b("".join(map(getsource, modules)).encode(), digest_size=8).hexdigest()
