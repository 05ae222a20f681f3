"""Notes and progress on stderr while work is under way."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from maxmargin.solvers.basics.compiling import listeners
from maxmargin.solvers.basics.printable import printable, terminal_width, wrapped

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.settings import RunProgress

P = ParamSpec("P")
R = TypeVar("R")

# Seconds of work before anything is shown.
FIRST_AFTER = 1.0

# Seconds between two lines that stay.
_SECONDS_BETWEEN_LINES = 5.0

# Seconds between two states of a line that is written over.
_SECONDS_BETWEEN_STATES = 0.2

# Characters that empty the line of a terminal.
_TO_THE_START = "\r\x1b[K"

# A function that is called after every chunk with the numbers of finished rows and of all rows of the pass.
OnChunk: TypeAlias = Callable[[int, int], None]

_ON_CHUNK: ContextVar[OnChunk | None] = ContextVar("on_chunk", default=None)

_BYTES: ContextVar[dict[str, int] | None] = ContextVar("bytes", default=None)


def note(text: str, *, quiet: bool = False) -> None:
    """Print a line on stderr unless quiet; on a terminal it is wrapped."""
    if not quiet:
        line = f"maxmargin: {printable(text)}"
        print(wrapped(line, terminal_width()) if sys.stderr.isatty() else line, file=sys.stderr, flush=True)


class ProgressLine:
    """The state of long work: on a terminal one line that is written over, else a line every few seconds.

    Parameters
    ----------
    text : callable
        A function of the seconds since the beginning, and of the state with which this object is called, that returns
        the line.
    first_after : float
        Seconds of work before anything is shown.
    """

    def __init__(self, text: Callable[..., str], *, first_after: float = FIRST_AFTER) -> None:
        self._text = text
        self._began = time.monotonic()
        self._next = self._began + first_after
        self._is_live = sys.stderr.isatty()
        self._is_shown = False

    def __call__(self, *state: object) -> None:
        """Show the state, if the last one was shown long enough ago."""
        self._show(time.monotonic(), *state)

    def _show(self, now: float, *state: object) -> None:
        if now < self._next:
            return
        self._next = now + (_SECONDS_BETWEEN_STATES if self._is_live else _SECONDS_BETWEEN_LINES)
        self._is_shown = True
        start, end = (_TO_THE_START, "") if self._is_live else ("", "\n")
        print(f"{start}{printable(self._text(now - self._began, *state))}", end=end, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Take the line away from the terminal."""
        if self._is_shown and self._is_live:
            print(_TO_THE_START, end="", file=sys.stderr, flush=True)


class _Passes(ProgressLine):
    """The number of the pass over the rows, how much of it is done, and how long the rest will take."""

    def __init__(self) -> None:
        super().__init__(self._of_pass)
        self._n_passes = self._n_done = 0
        self._seconds_before = 0.0

    def _show(self, now: float, *state: object) -> None:
        n_done, _ = state
        assert isinstance(n_done, int)
        if self._n_passes == 0 or n_done <= self._n_done:
            self._seconds_before = now - self._began if self._n_passes else 0.0
            self._n_passes += 1
        self._n_done = n_done
        super()._show(now, *state)

    def _of_pass(self, seconds: float, n_done: int, n_rows: int) -> str:
        left = (seconds - self._seconds_before) * (n_rows - n_done) / n_done if n_done else 0.0
        return f"pass {self._n_passes} over {n_rows:,} rows: {n_done / n_rows:.0%}, {duration_text(left)} left"


def duration_text(seconds: float) -> str:
    """Return a duration in hours, minutes and seconds.

    Examples
    --------
    >>> duration_text(3700.0), duration_text(70.2), duration_text(2.0)
    ('1 h 01 min', '1 min 10 s', '2 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


@contextmanager
def progress_shown(
    text: Callable[..., str], *, quiet: bool, first_after: float = FIRST_AFTER
) -> Iterator[ProgressLine | None]:
    """Show the state of long work; None where nothing is to be shown."""
    if quiet:
        yield None
        return
    line = ProgressLine(text, first_after=first_after)
    try:
        yield line
    finally:
        line.close()


@contextmanager
def run_shown(name: str = "perceptron", *, quiet: bool) -> "Iterator[Callable[[RunProgress], None] | None]":
    """Show the mistakes and the epochs of a run."""
    from maxmargin.solvers.answers.answer_text import counted

    def text(_: float, run: "RunProgress") -> str:
        numbers = f"{counted(run.n_mistakes, 'mistake')}, {counted(run.n_epochs, 'epoch')}, {run.seconds:.0f} s"
        return f"{name}: {numbers} (Ctrl-C stops it)"

    with progress_shown(text, quiet=quiet) as line:
        yield line


@contextmanager
def counting_shown(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show how many of all steps are done, on a terminal; before the first one, and elsewhere, name the work."""
    if quiet or not sys.stderr.isatty():
        with waiting(what, quiet=quiet):
            yield None
        return
    with (
        progress_shown(lambda _, n_done, n_all: f"{what}: {n_done:,} of {n_all:,}", quiet=False) as line,
        ExitStack() as before,
    ):
        before.enter_context(waiting(what, quiet=False))

        def count(n_done: int, n_all: int) -> None:
            before.close()
            assert line is not None
            line(n_done, n_all)

        yield count


@contextmanager
def data_shown(*, quiet: bool) -> Iterator[None]:
    """Show, on a terminal, the progress of passes over rows outside memory."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    passes = _Passes()
    try:
        with reports_passes_to(passes):
            yield
    finally:
        passes.close()


@contextmanager
def waiting(what: str, *, quiet: bool, first_after: float = FIRST_AFTER) -> Iterator[None]:
    """Name the work under way once it takes longer than `first_after` seconds, and then every few seconds."""
    if quiet:
        yield
        return
    done = threading.Event()

    def report() -> None:
        began, pause = time.monotonic(), first_after
        while not done.wait(pause):
            _say_above(f"{what}: {time.monotonic() - began:.0f} s")
            pause = _SECONDS_BETWEEN_LINES

    reporter = threading.Thread(target=report, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()


@contextmanager
def compiling_shown(*, quiet: bool) -> Iterator[None]:
    """Say once, unless quiet, that a long run waits for the compilation of its code, which is then kept on disk."""
    said = quiet

    def say() -> None:
        nonlocal said
        if not said:
            _say_above("maxmargin: compiling code for long runs, once on this machine")
        said = True

    listeners.append(say)
    try:
        yield
    finally:
        listeners.remove(say)


def _say_above(text: str) -> None:
    """Print a line that stays; on a terminal it replaces the line that is written over."""
    print(f"{_TO_THE_START if sys.stderr.isatty() else ''}{text}", file=sys.stderr, flush=True)


def shows_progress(
    show: Callable[..., AbstractContextManager[Any]], what: Any
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function with the keyword ``verbose``: if it is true, the progress is shown on stderr.

    Parameters
    ----------
    show : callable
        `waiting`, `run_shown`, `counting_shown` or `progress_shown`. What the last three return is handed to the
        function as its ``on_progress``, unless the caller has one.
    what : str or callable
        The first argument of `show`.

    Examples
    --------
    >>> @shows_progress(waiting, "adding")
    ... def total(numbers, *, verbose=False):
    ...     return sum(numbers)
    >>> total([1, 2], verbose=True)
    3
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def telling(*args: P.args, **kwargs: P.kwargs) -> R:
            if not kwargs.get("verbose"):
                return function(*args, **kwargs)
            with data_shown(quiet=False), compiling_shown(quiet=False), show(what, quiet=False) as listener:
                if listener is not None and kwargs.get("on_progress") is None:
                    kwargs["on_progress"] = listener
                return function(*args, **kwargs)

        return telling

    return decorate


# What is reported of reading, and of passes over rows outside memory, for whoever listens


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
