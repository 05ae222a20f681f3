"""Progress of a run about ten times a second, and Ctrl-C as a flag that is read between its steps."""

import signal
import threading
import time
from types import FrameType
from typing import Any

from maxmargin.solvers.perceptron.settings import OnProgress, RunProgress


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
        """Take the signal over if Ctrl-C would raise."""
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        """Give the signal back."""
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.is_set = True


class Reporter:
    """Calls a function with the progress of a run, but not too often; Ctrl-C within it ends the run regularly.

    Parameters
    ----------
    on_progress : callable or None
        Called with a `RunProgress`.
    interrupt : Interrupt
        Set where the function raises KeyboardInterrupt.
    seconds_between : float
        Least time between two calls.
    """

    def __init__(self, on_progress: OnProgress, interrupt: Interrupt, seconds_between: float) -> None:
        self._on_progress, self._interrupt, self._seconds_between = on_progress, interrupt, seconds_between
        self._started = self._reported = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time since the start of the run."""
        return time.monotonic() - self._started

    def report(self, n_mistakes: int, n_epochs: int) -> None:
        """Call the function unless the last call was too recent."""
        now = time.monotonic()
        if self._on_progress is None or now - self._reported < self._seconds_between:
            return
        self._reported = now
        try:
            self._on_progress(RunProgress(n_mistakes=n_mistakes, n_epochs=n_epochs, seconds=now - self._started))
        except KeyboardInterrupt:
            self._interrupt.is_set = True
