"""What sources say while they are opened and read, before there is a result that could say it."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

OnText: TypeAlias = Callable[[str], None]
"""Called with a sentence."""

OnChunk: TypeAlias = Callable[[int, int], None]
"""Called after every chunk of every pass with the rows that are done in this pass, and all its rows."""

_ON_TEXT: ContextVar[OnText | None] = ContextVar("on_text", default=None)
_ON_CHUNK: ContextVar[OnChunk | None] = ContextVar("on_chunk", default=None)


@contextmanager
def listened(*, on_text: OnText | None = None, on_chunk: OnChunk | None = None) -> Iterator[None]:
    """Have these functions called; who listened before is called for the rest.

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
    """Say something to who listens."""
    listener = _ON_TEXT.get()
    if listener is not None:
        listener(text)


def warn(text: str) -> None:
    """Say something that is not as expected: a warning, unless somebody listens."""
    if _ON_TEXT.get() is None:
        warnings.warn(text, stacklevel=2)
    else:
        tell(text)


def report(n_done: int, n_rows: int) -> None:
    """Say how much of a pass over rows outside memory is done; a new pass starts from few rows again."""
    listener = _ON_CHUNK.get()
    if listener is not None:
        listener(n_done, n_rows)
