"""Ctrl-C as a question asked between steps, so that it never cuts one in half."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interrupt:
    """While entered, Ctrl-C sets a flag instead of raising; outside the main thread nothing changes.

    Examples
    --------
    >>> with Interrupt() as interrupt:
    ...     signal.raise_signal(signal.SIGINT)
    ...     interrupt.is_set
    True
    """

    def __init__(self) -> None:
        self.is_set = False
        self._previous: Any = None

    def __enter__(self) -> "Interrupt":
        """Take the signal over, where Ctrl-C would raise."""
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if handler is signal.default_int_handler:
                self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the signal back."""
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.is_set = True
