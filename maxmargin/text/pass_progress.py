"""Progress of reading, and of passes over rows outside memory, for whoever listens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

# A function that is called after every chunk with the numbers of finished rows and of all rows of the pass.
OnChunk: TypeAlias = Callable[[int, int], None]

_ON_CHUNK: ContextVar[OnChunk | None] = ContextVar("on_chunk", default=None)

_BYTES: ContextVar[dict[str, int] | None] = ContextVar("bytes", default=None)


@contextmanager
def reports_passes_to(on_chunk: OnChunk | None) -> Iterator[None]:
    """Call this function after every chunk within the block; if it is None, the previous listener stays.

    Examples
    --------
    >>> with reports_passes_to(print):
    ...     report_rows_done(3, 10)
    3 10
    """
    before = _ON_CHUNK.set(on_chunk or _ON_CHUNK.get())
    try:
        yield
    finally:
        _ON_CHUNK.reset(before)


@contextmanager
def bytes_counted() -> Iterator[dict[str, int]]:
    """Yield the numbers of bytes that were read so far within the block, by the names of their sources.

    Examples
    --------
    >>> with bytes_counted() as counts:
    ...     report_bytes_read("a.csv", 3)
    >>> counts
    {'a.csv': 3}
    """
    counts: dict[str, int] = {}
    before = _BYTES.set(counts)
    try:
        yield counts
    finally:
        _BYTES.reset(before)


def report_bytes_read(source: str, n_bytes: int) -> None:
    """Report how many bytes of a source are read."""
    counts = _BYTES.get()
    if counts is not None:
        counts[source] = n_bytes


def report_rows_done(n_done: int, n_rows: int) -> None:
    """Report how many rows of a pass over rows outside memory are done; every pass counts from 0."""
    listener = _ON_CHUNK.get()
    if listener is not None:
        listener(n_done, n_rows)
