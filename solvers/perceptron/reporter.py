"""Reports of where a run stands, about ten times a second."""

import time
from collections.abc import Callable

from maxmargin.solvers.perceptron.interrupt import Interrupt
from maxmargin.solvers.perceptron.settings import Progress

_SECONDS_BETWEEN_REPORTS = 0.1


class Reporter:
    """Calls a function with the progress of a run, but not too often; Ctrl-C within it stops the run in good order.

    Parameters
    ----------
    on_progress : callable or None
        Called with a `Progress`.
    interrupt : Interrupt
        Set where the function raises KeyboardInterrupt.
    """

    def __init__(self, on_progress: Callable[[Progress], None] | None, interrupt: Interrupt) -> None:
        self._on_progress, self._interrupt = on_progress, interrupt
        self._started = self._reported = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time since the start of the run."""
        return time.monotonic() - self._started

    def go_on_after(self, seconds: float) -> None:
        """Count the time of an earlier part of the run."""
        self._started -= seconds

    def report(self, n_mistakes: int, n_epochs: int) -> None:
        """Call the function, unless it was called a moment ago."""
        now = time.monotonic()
        if self._on_progress is None or now - self._reported < _SECONDS_BETWEEN_REPORTS:
            return
        self._reported = now
        try:
            self._on_progress(Progress(n_mistakes=n_mistakes, n_epochs=n_epochs, seconds=now - self._started))
        except KeyboardInterrupt:
            self._interrupt.is_set = True
