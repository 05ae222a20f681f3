"""A time limit for commands whose work does not check the time itself."""

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from maxmargin.solvers.basics.limits import Limits

# Seconds between signals; the error of a signal that arrives during garbage collection is lost.
_SECONDS_BETWEEN = 0.5

# The signal that is sent: SIGINT, which a process may ignore, only where there is no SIGALRM.
_ALARM = getattr(signal, "SIGALRM", signal.SIGINT)


class TimeIsOverError(BaseException):
    """The command was not finished within its time limit. Like KeyboardInterrupt it passes ``except Exception``."""


@contextmanager
def ended_within(limits: Limits, late: Callable[[], str] | None = None) -> Iterator[None]:
    """Interrupt the block when the time is over, in the main thread; other threads are not interrupted.

    A block that ends before the signal arrives has ended normally, though it is late.

    Parameters
    ----------
    limits : Limits
    late : callable, optional
        A function that returns the message of the error, when it is raised.

    Raises
    ------
    TimeIsOverError
        If the block was interrupted.
    """
    seconds, is_main = limits.seconds_left, threading.current_thread() is threading.main_thread()
    if seconds is None or seconds > threading.TIMEOUT_MAX or not is_main:
        yield
        return
    is_over, is_done = threading.Event(), threading.Event()

    def error() -> TimeIsOverError:
        return TimeIsOverError(late() if late else f"not finished within the time limit of {limits.time_limit:g} s")

    def send() -> None:
        is_done.wait(seconds)
        while not is_done.is_set():
            is_over.set()
            if hasattr(signal, "pthread_kill"):  # which ends a wait for input as well
                signal.pthread_kill(threading.main_thread().ident or 0, _ALARM)
            else:
                _thread.interrupt_main(_ALARM)
            is_done.wait(_SECONDS_BETWEEN)

    def end(number: int, frame: FrameType | None) -> None:
        if not is_over.is_set():
            signal.default_int_handler(number, frame)
        if not is_done.is_set():
            raise error()

    timer, before = threading.Thread(target=send, daemon=True), signal.signal(_ALARM, end)
    try:
        with _lost_errors_ignored():
            timer.start()
            yield
    except (ImportError, SystemError):  # compiled modules make these of an error while they are imported
        if is_over.is_set():
            raise error() from None
        raise
    finally:
        is_done.set()
        timer.join()
        signal.signal(_ALARM, before)


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
