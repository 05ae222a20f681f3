"""Who wants to know how far a pass over the rows is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

OnChunk: TypeAlias = Callable[[int, int], None]
"""Called with the rows that are done in this pass, and all its rows; a new pass starts from few again."""

_WATCHER: ContextVar[OnChunk | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(on_chunk: OnChunk | None) -> Iterator[None]:
    """Have `on_chunk` called after every chunk of every pass over rows outside memory.

    Examples
    --------
    >>> with watched(print):
    ...     report(3, 10)
    3 10
    """
    token = _WATCHER.set(on_chunk)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def report(n_done: int, n_rows: int) -> None:
    """Tell who watches, if anybody does."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(n_done, n_rows)
