"""A time limit for commands whose work does not check the time itself."""

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

# Seconds between signals; the error of a signal that arrives during garbage collection is lost.
_SECONDS_BETWEEN = 0.5

# The signal that is sent: SIGINT, which a process may ignore, only where there is no SIGALRM.
_ALARM = getattr(signal, "SIGALRM", signal.SIGINT)


class TimeIsOverError(BaseException):
    """The command was not finished within its time limit. Like KeyboardInterrupt it passes ``except Exception``."""


@contextmanager
def ended_within(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after this many seconds; None is no limit. It is for the main thread only.

    A block that ends before the signal arrives has ended normally, though it is late.

    Raises
    ------
    TimeIsOverError
        If the block was interrupted.
    """
    if seconds is None or seconds > threading.TIMEOUT_MAX:
        yield
        return
    is_over, is_done = threading.Event(), threading.Event()
    late = TimeIsOverError(f"not finished within the time limit of {seconds:g} s")

    def send() -> None:
        is_done.wait(seconds)
        while not is_done.is_set():
            is_over.set()
            _send_to_the_main_thread()
            is_done.wait(_SECONDS_BETWEEN)

    def end(number: int, frame: FrameType | None) -> None:
        if not is_over.is_set():
            signal.default_int_handler(number, frame)
        if not is_done.is_set():
            raise late

    timer, before = threading.Thread(target=send, daemon=True), signal.signal(_ALARM, end)
    try:
        with _lost_errors_ignored():
            timer.start()
            yield
    except (ImportError, SystemError):  # compiled modules make these of an error while they are imported
        if is_over.is_set():
            raise late from None
        raise
    finally:
        is_done.set()
        timer.join()
        signal.signal(_ALARM, before)


def _send_to_the_main_thread() -> None:
    """Send the signal in a way that ends a wait for input as well, where there is one."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, _ALARM)
    else:
        _thread.interrupt_main(_ALARM)


@contextmanager
def _lost_errors_ignored() -> Iterator[None]:
    """Silence the error where it cannot be raised, for example in a callback, since another signal follows."""
    tell = sys.unraisablehook

    def tell_of_others(unraisable: Any) -> None:
        if unraisable.exc_type is not TimeIsOverError:
            tell(unraisable)

    sys.unraisablehook = tell_of_others
    try:
        yield
    finally:
        sys.unraisablehook = tell
