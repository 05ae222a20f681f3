"""What is said while sources are opened, before there is a result that could say it."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

OnText: TypeAlias = Callable[[str], None]

_LISTENER: ContextVar[OnText | None] = ContextVar("listener", default=None)


@contextmanager
def listened(on_text: OnText) -> Iterator[None]:
    """Have `on_text` called with everything that is said.

    Examples
    --------
    >>> with listened(print):
    ...     tell("hello")
    hello
    """
    token = _LISTENER.set(on_text)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(text: str) -> None:
    """Say something to who listens."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(text)


def warn(text: str) -> None:
    """Say something that is not as expected: a warning, unless somebody listens."""
    if _LISTENER.get() is None:
        warnings.warn(text, stacklevel=2)
    else:
        tell(text)
