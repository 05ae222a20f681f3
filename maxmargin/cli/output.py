"""How results are printed: JSON objects with a schema, or a few lines of text. Notes and progress go to stderr."""

import json
import math
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from maxmargin.solvers.answers.fields import Names, plain
from maxmargin.solvers.answers.wording import counted
from maxmargin.solvers.basics.printable import shown, shown_lines

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.perceptron.settings import Progress

_FIRST_NOTE_AFTER = 1.0
_SECONDS_BETWEEN_LINES = 5.0


def print_json(schema: str, fields: dict[str, Any]) -> None:
    """Print one object with its schema; infinities and NaN, which JSON lacks, become null."""
    from maxmargin.text.version import __version__

    print(json.dumps(plain({"schema": f"maxmargin.{schema}/1", "version": __version__, **fields}), allow_nan=False))


def print_text(*parts: str) -> None:
    """Print text; nothing that comes from data acts on the terminal. What is on one line was escaped before."""
    for part in parts:
        print(shown_lines(part))


def names_of(dataset: "Dataset") -> Names:
    """Return how rows are called, by their position in the source and by an --id column, and the names of columns."""
    return Names(positions=dataset.rows, ids=dataset.row_ids, columns=dataset.feature_names)


def row_numbers(dataset: "Dataset", rows: Any) -> Any:
    """Return the rows' positions in the source, from 0."""
    return names_of(dataset).numbers(rows)


def data_fields(dataset: "Dataset") -> dict[str, Any]:
    """Return what identifies the data."""
    return {
        "source": dataset.source,
        "n_samples": dataset.n_samples,
        "n_features": dataset.n_features,
        "classes": dataset.classes,
        "positive": dataset.positive,
        "positive_reason": dataset.positive_reason,
        "negative": dataset.negative,
        "notes": dataset.notes,
    }


def headline(dataset: "Dataset") -> str:
    """Return the data set in one line, and which class is +1."""
    shape = f"{shown(dataset.source)}: {dataset.n_samples} x {dataset.n_features}"
    if dataset.is_binary:
        why = f"+1 is {shown(repr(dataset.positive))} ({shown(dataset.positive_reason)})"
        return f"{shape}, {shown(dataset.positive)} (+1) against {shown(dataset.negative)} (-1); {why}"
    return f"{shape}, {len(dataset.classes)} classes"


def note(text: str, *, quiet: bool) -> None:
    """Print a line on stderr unless quiet."""
    if not quiet:
        print(f"maxmargin: {shown(text)}", file=sys.stderr, flush=True)


def notes_of(dataset: "Dataset", *, quiet: bool) -> None:
    """Say what was left out or encoded on reading."""
    for text in dataset.notes:
        note(text, quiet=quiet)


class _Line:
    """What is under way, on stderr: on a terminal in place, else a line every few seconds."""

    def __init__(self) -> None:
        self.is_live = sys.stderr.isatty()
        self.is_shown = False

    def show(self, text: str, *, at: float) -> float:
        """Show a text at a time, and return the time of the next one."""
        start, end = ("\r\x1b[K", "") if self.is_live else ("", "\n")
        print(f"{start}{shown(text)}", end=end, file=sys.stderr, flush=True)
        self.is_shown = True
        return at + (0.2 if self.is_live else _SECONDS_BETWEEN_LINES)

    def close(self) -> None:
        """End the line."""
        if self.is_shown and self.is_live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class RunProgress(_Line):
    """Mistakes and epochs on stderr once a run takes longer than a second."""

    def __init__(self, name: str = "perceptron") -> None:
        super().__init__()
        self.name = name
        self.next_line = _FIRST_NOTE_AFTER

    def __call__(self, progress: "Progress") -> None:
        """Show the state."""
        if progress.seconds < self.next_line:
            return
        text = (
            f"{self.name}: {counted(progress.n_mistakes, 'mistake')}, {counted(progress.n_epochs, 'epoch')}, "
            f"{progress.seconds:.0f} s (Ctrl-C stops it)"
        )
        self.next_line = self.show(text, at=progress.seconds)


class Counter(_Line):
    """How much of a long work is done, on stderr once it takes longer than a second; called after each part of it."""

    def __init__(self, what: str, noun: str, *, quiet: bool) -> None:
        super().__init__()
        self.what, self.noun = what, noun
        self.started = time.monotonic()
        self.next_line = math.inf if quiet else self.started + _FIRST_NOTE_AFTER

    def __call__(self, n_done: int) -> None:
        """Show the number."""
        now = time.monotonic()
        if now >= self.next_line:
            text = f"{self.what}: {counted(n_done, self.noun)}, {now - self.started:.0f} s"
            self.next_line = self.show(text, at=now)


@contextmanager
def waiting(what: str, *, quiet: bool) -> Iterator[None]:
    """Say on stderr what is being waited for, once it takes longer than a second, and then now and again."""
    if quiet:
        yield
        return
    done = threading.Event()
    reporter = threading.Thread(target=_report_until, args=(done, what), daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()


def _report_until(done: threading.Event, what: str) -> None:
    started = time.monotonic()
    pause = _FIRST_NOTE_AFTER
    while not done.wait(pause):
        start = "\r\x1b[K" if sys.stderr.isatty() else ""  # over the line of a pass
        print(f"{start}{what}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        pause = _SECONDS_BETWEEN_LINES
