"""What functions are called with while a test runs, without replacing any of them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from types import FrameType
from typing import Any


@contextmanager
def calling(function: Callable[..., Any], on_call: Callable[[dict[str, Any]], None]) -> Iterator[None]:
    """Call `on_call` with the arguments by name whenever this thread calls the function."""
    code = unwrap(function).__code__  # that of a decorator may belong to many functions

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is code:
            on_call(dict(frame.f_locals))

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)


@contextmanager
def arguments_of(function: Callable[..., Any]) -> Iterator[list[dict[str, Any]]]:
    """Collect the arguments of every call of the function."""
    found: list[dict[str, Any]] = []
    with calling(function, found.append):
        yield found


@contextmanager
def interrupting(function: Callable[..., Any]) -> Iterator[None]:
    """Raise KeyboardInterrupt, as Ctrl-C does, as soon as the function is called."""

    def interrupt(_: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with calling(function, interrupt):
        yield
