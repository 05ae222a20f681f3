"""How far a pass over rows outside memory is, on a terminal; that code is being compiled."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from maxmargin.solvers.basics.compiling import announced_to

_FIRST_AFTER = 1.0
"""Seconds of work before anything is shown."""

_SECONDS_BETWEEN = 0.2


class PassProgress:
    """One line that tells the number of the pass, how much of it is done, and how long the rest will take."""

    def __init__(self) -> None:
        self.n_passes = 0
        self._n_done = 0
        self._began = self._pass_began = time.monotonic()
        self._next = self._began + _FIRST_AFTER
        self._is_shown = False

    def __call__(self, n_done: int, n_rows: int) -> None:
        """Show so many of the rows as done; fewer than the last time are those of a new pass."""
        now = time.monotonic()
        if self.n_passes == 0 or n_done <= self._n_done:
            self.n_passes += 1
            self._pass_began = now if self.n_passes > 1 else self._began
        self._n_done = n_done
        if now < self._next:
            return
        self._next = now + _SECONDS_BETWEEN
        self._is_shown = True
        print(f"\r\x1b[K{self._text(now, n_done, n_rows)}", end="", file=sys.stderr, flush=True)

    def _text(self, now: float, n_done: int, n_rows: int) -> str:
        left = (now - self._pass_began) * (n_rows - n_done) / n_done if n_done else 0.0
        return f"pass {self.n_passes} over {n_rows:,} rows: {n_done / n_rows:.0%}, {_duration(left)} left"

    def close(self) -> None:
        """Take the line away."""
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


@contextmanager
def passes_shown(*, quiet: bool) -> Iterator[None]:
    """Show the passes over rows outside memory, on a terminal only, and not if quiet."""
    from maxmargin.data.outofcore.passes import watched

    if quiet or not sys.stderr.isatty():
        yield
        return
    progress = PassProgress()
    try:
        with watched(progress):
            yield
    finally:
        progress.close()


@contextmanager
def compiling_shown(*, quiet: bool) -> Iterator[None]:
    """Say once on stderr that a long run waits for its code to be compiled, which is kept on disk; not if quiet."""
    said = quiet

    def say() -> None:
        nonlocal said
        if not said:
            start = "\r\x1b[K" if sys.stderr.isatty() else ""  # over the line of a run
            print(f"{start}maxmargin: compiling code for long runs, once on this machine", file=sys.stderr, flush=True)
        said = True

    with announced_to(say):
        yield
