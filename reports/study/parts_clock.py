"""How long each part of a study takes, on the clock."""

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")


class PartsClock:
    """Measures parts of a study.

    Attributes
    ----------
    seconds : dict of str to float
        By the name of the part; of a part that failed, the time until then.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def timed(
        self, name: str, function: Callable[_Arguments, _Answer], *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> _Answer:
        """Return what the function returns, and add its time to the part of this name."""
        began = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began
