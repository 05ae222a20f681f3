"""Loading cvxpy without scipy.stats, which takes longer than the rest of it and which no program here needs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

_NAME = "scipy.stats"


class _Statistics(ModuleType):
    """Stand-in for scipy.stats while cvxpy is loaded; any other attribute loads the real module.

    cvxpy takes a single function from scipy.stats, the entropy, for the values of an atom of quantum information.
    """

    def __init__(self) -> None:
        import scipy

        super().__init__(_NAME)
        self.__path__ = [str(Path(folder) / "stats") for folder in scipy.__path__]

    def __getattr__(self, name: str) -> Any:
        return _entropy if name == "entropy" else getattr(_real(), name)


def _entropy(*arguments: Any, **options: Any) -> Any:
    """Load the real function, and call it."""
    return _real().entropy(*arguments, **options)


def _real() -> ModuleType:
    if isinstance(sys.modules.get(_NAME), _Statistics):
        del sys.modules[_NAME]
    return import_module(_NAME)


@contextmanager
def without_statistics() -> Iterator[None]:
    """Within the block, scipy.stats is not loaded just because a module takes its entropy."""
    if _NAME in sys.modules:
        yield
        return
    stand_in = _Statistics()
    sys.modules[_NAME] = stand_in
    try:
        yield
    finally:
        if sys.modules.get(_NAME) is stand_in:
            del sys.modules[_NAME]
