"""A time limit for commands whose work does not look at the clock."""

import _thread
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_SECONDS_BETWEEN = 0.5
"""Seconds between interrupts: one that comes while Python collects garbage is lost."""


class TimeIsOverError(Exception):
    """The command was not finished within its time limit."""


@contextmanager
def ended_within(seconds: float | None) -> Iterator[None]:
    """Interrupt the main thread when so many seconds have passed; None is no limit.

    Raises
    ------
    TimeIsOverError
        If the block was interrupted.
    """
    if seconds is None:
        yield
        return
    is_over, is_done = threading.Event(), threading.Event()

    def interrupt() -> None:
        is_done.wait(seconds)
        while not is_done.is_set():
            is_over.set()
            _thread.interrupt_main()
            is_done.wait(_SECONDS_BETWEEN)

    timer = threading.Thread(target=interrupt, daemon=True)
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if is_over.is_set():
            raise TimeIsOverError(f"not finished within the time limit of {seconds:g} s") from None
        raise
    finally:
        is_done.set()
        with suppress(KeyboardInterrupt):  # sent while the block ended
            timer.join()
