"""Compilation to machine code, with explicit signatures and a cache on disk; nothing is compiled before it is called.

Loading the compiler takes longer than the work on small data, and compiling longer still, so what runs on small data
does not import this module's callers, or runs as plain Python. `in_machine_code` is for functions that compiled code
calls: it costs nothing and needs no compiler.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from hashlib import blake2b
from inspect import getsource
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from numba import types

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_called_by_kernels: list[Callable[..., Any]] = []
# Functions that are called before anything is compiled that is not on disk.
listeners: list[Callable[[], None]] = []

_lock = RLock()


def is_switched_off() -> bool:
    """Return whether Numba is switched off (``NUMBA_DISABLE_JIT=1``)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def in_machine_code(function: Kernel) -> Kernel:
    """Let compiled code call this function, which stays a function of Python."""
    _called_by_kernels.append(function)
    return function


def compiled(
    *signature: "types.Type", may_reorder_sums: bool = False, calling: Sequence[ModuleType] = ()
) -> Callable[[Kernel], Kernel]:
    """Compile with an explicit signature when first called, cached on disk where a cache folder can be written.

    The compiled function lets other threads run, and divides as IEEE 754 says. Reordered sums are faster, and not the
    same on every machine.

    Parameters
    ----------
    *signature : numba type
        The types of the arguments.
    may_reorder_sums : bool
    calling : sequence of module
        The other modules whose functions or constants the function uses. Numba's cache checks the date of the
        function's own file only, so a hash of these modules becomes a part of its name in the cache.
    """
    fastmath = {"reassoc", "nsz"} if may_reorder_sums else False
    options: dict[str, Any] = {"nogil": True, "fastmath": fastmath, "error_model": "numpy"}

    def decorate(function: Kernel) -> Kernel:
        return cast(Kernel, Lazy(function, signature, options, calling))

    return decorate


class Lazy:
    """A function that is compiled, or loaded from disk, when it is called or compiled code that calls it is."""

    def __init__(
        self,
        function: Callable[..., Any],
        signature: tuple["types.Type", ...],
        options: dict[str, Any],
        calling: Sequence[ModuleType],
    ) -> None:
        self.function, self._signature, self._options, self._calling = function, signature, options, calling
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Call the machine code."""
        return self._machine_code(*arguments)

    @cached_property
    def is_on_disk(self) -> bool:
        """Whether an earlier process compiled it; this may be wrong if the file has changed since."""
        import numba

        self._name()
        try:
            folder = numba.njit(cache=True)(self.function).stats.cache_path
        except (RuntimeError, OSError, AttributeError):  # no cache folder, or nothing is compiled
            return False
        if folder is None:
            return False
        return next(Path(folder).glob(f"*.{self.function.__qualname__}-*.nbc"), None) is not None

    def _name(self) -> None:
        if self._calling:
            self.function.__qualname__ = f"{self.function.__name__}-{_digest(self._calling)}"

    @cached_property
    def _machine_code(self) -> Callable[..., Any]:
        import numba

        self._name()
        kernel: Callable[..., Any] = made(numba.njit, self.function, self._signature, self._options)
        return kernel

    @property
    def _numba_type_(self) -> Any:
        """The type that Numba gives this object where compiled code calls it."""
        return cast(Any, self._machine_code)._numba_type_


def made(decorator: Callable[..., Any], function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    """Return the function as compiled by a decorator of Numba, from its cache on disk where that is possible."""
    with _lock, _announced():
        _register_called()
        try:
            return decorator(signature, cache=True, **options)(function)
        except (RuntimeError, OSError):  # no writable cache folder, or no source
            return decorator(signature, **options)(function)


def _register_called() -> None:
    from numba.extending import register_jitable

    while _called_by_kernels:
        register_jitable(_called_by_kernels.pop(0))


@contextmanager
def _announced() -> Iterator[None]:
    if not listeners:
        yield
        return
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            for listener in tuple(listeners):
                listener()

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


def _digest(modules: Sequence[ModuleType]) -> str:
    return blake2b("".join(map(getsource, modules)).encode(), digest_size=8).hexdigest()
