"""Messages and progress of data sources while they are opened and read, before there is a result to carry them."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

OnText: TypeAlias = Callable[[str], None]
"""A function that is called with a sentence."""

OnChunk: TypeAlias = Callable[[int, int], None]
"""A function that is called after every chunk with the numbers of finished rows and of all rows of the pass."""

_ON_TEXT: ContextVar[OnText | None] = ContextVar("on_text", default=None)
_ON_CHUNK: ContextVar[OnChunk | None] = ContextVar("on_chunk", default=None)


@contextmanager
def listened(*, on_text: OnText | None = None, on_chunk: OnChunk | None = None) -> Iterator[None]:
    """Call these functions within the block; where one is not given, the previous listener stays.

    Examples
    --------
    >>> with listened(on_text=print, on_chunk=print):
    ...     tell("hello")
    ...     report(3, 10)
    hello
    3 10
    """
    text = _ON_TEXT.set(on_text or _ON_TEXT.get())
    chunk = _ON_CHUNK.set(on_chunk or _ON_CHUNK.get())
    try:
        yield
    finally:
        _ON_TEXT.reset(text)
        _ON_CHUNK.reset(chunk)


def tell(text: str) -> None:
    """Pass a message to the listener, if there is one."""
    listener = _ON_TEXT.get()
    if listener is not None:
        listener(text)


def warn(text: str) -> None:
    """Report something unexpected: to the listener, or as a warning if there is none."""
    if _ON_TEXT.get() is None:
        warnings.warn(text, stacklevel=2)
    else:
        tell(text)


def report(n_done: int, n_rows: int) -> None:
    """Report how many rows of a pass over rows outside memory are done; every pass counts from 0."""
    listener = _ON_CHUNK.get()
    if listener is not None:
        listener(n_done, n_rows)
