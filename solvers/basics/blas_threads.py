"""The threads of BLAS while an engine works."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_blas_thread() -> AbstractContextManager[Any]:
    """Let BLAS use one thread: the pools of NumPy and SciPy take each other's cores, and those of our own threads."""
    limited: AbstractContextManager[Any] = _blas().limit(limits=1, user_api="blas")
    return limited


@cache
def _blas() -> Any:
    import scipy.linalg  # noqa: F401  the limit reaches the libraries that are loaded
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
