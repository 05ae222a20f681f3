"""Exit codes of commands, and how they end without an answer; notes and progress are in `maxmargin.text.progress`."""

import errno
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import click

from maxmargin.cli.deadline import TimeIsOverError
from maxmargin.text.progress import counting_shown, note
from maxmargin.text.version import __version__


class Exit(IntEnum):
    """The exit codes that a script may rely on."""

    OK = 0
    BUG = 1
    USAGE = 2
    NOT_STRICTLY_SEPARABLE = 3
    NOT_CONVERGED = 3
    DOES_NOT_SEPARATE = 3
    INVALID = 3
    UNDECIDED = 4
    INTERRUPTED = 130
    READER_LEFT = 141  # the exit code of a program that SIGPIPE ends


@contextmanager
def cleaned_up_at_sigterm() -> Iterator[None]:
    """Have SIGTERM end the block like an exit, so that files and processes of its own do not stay."""

    def end(number: int, _: object) -> NoReturn:
        sys.exit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


# Exit codes of several sources, the worst first.
_WORST_FIRST = (Exit.BUG, Exit.USAGE, Exit.UNDECIDED, Exit.NOT_STRICTLY_SEPARABLE, Exit.OK)


def worst_of(sources: Sequence[str], answer: Callable[[str], int], *, as_json: bool, quiet: bool) -> int:
    """Answer for every source in turn, and return the worst exit code.

    What is wrong with one of several sources is said in its place, and the others follow. Each gets an equal share of
    the time that is left.
    """
    context = click.get_current_context()
    codes: list[int] = []
    # On one terminal the answers show the progress.
    with counting_shown("checking the sources", quiet=quiet or sys.stdout.isatty()) as on_progress:
        for source in sources:
            limits = context.obj and context.obj.part(len(sources) - len(codes))
            if codes and not as_json:
                print()
            try:
                with click.Context(context.command, parent=context, obj=limits):
                    codes.append(answer(source))
            except BrokenPipeError:
                raise
            except (Exception, TimeIsOverError) as error:
                codes.append(failed(error, as_json=as_json, source=source))
                if codes[-1] == Exit.BUG:
                    traceback.print_exc()
            sys.stdout.flush()
            if on_progress is not None:
                on_progress(len(codes), len(sources))
    return min(codes, key=_WORST_FIRST.index)


def failed(error: BaseException, *, as_json: bool, advice: str = "", source: str | None = None) -> int:
    """Say why a command, or one source of it, ended without an answer, and return the exit code.

    It is a line on stderr, and an object on stdout where JSON was asked for. A bug, whose exit code is 1, has no line:
    its traceback says more.

    Parameters
    ----------
    error : Exception, KeyboardInterrupt or TimeIsOverError
    as_json : bool
    advice : str
        Where wrong usage is explained.
    source : str, optional
        The source that the error is about if it names no file itself.
    """
    code, text = _code_and_text(error, advice)
    text = " ".join(text.split())
    if isinstance(error, OSError | MemoryError):
        _write(lambda: sys.stdout.flush(), "stdout")
    if as_json and code != Exit.READER_LEFT:
        file = getattr(error, "source", None) or getattr(error, "filename", None) or source
        fields = {"schema": "maxmargin.error/1", "version": __version__, "message": text, "file": file}
        fields |= {name: getattr(error, name, None) for name in ("line", "column")}
        _write(lambda: print(json.dumps(fields, default=str), flush=True), "stdout")
    if code not in (Exit.READER_LEFT, Exit.BUG):
        _write(lambda: note(text), "stderr")
    return code


def is_bug(error: BaseException) -> bool:
    """Return whether an error is none of those that a command expects."""
    return _code_and_text(error, "")[0] == Exit.BUG


def _code_and_text(error: BaseException, advice: str) -> tuple[int, str]:
    match error:
        case click.ClickException():
            text = error.format_message()
            return Exit.USAGE, f"{text} ({advice})" if advice else text
        case KeyboardInterrupt() | click.Abort():
            return Exit.INTERRUPTED, "interrupted"
        case TimeIsOverError():
            return Exit.UNDECIDED, str(error)
        case MemoryError():
            return Exit.USAGE, "there is not enough memory for this"
        case BrokenPipeError():  # the reader of our output left
            return Exit.READER_LEFT, ""
        case OSError():  # files name themselves
            place = error.filename or ("standard output" if error.errno == errno.ENOSPC else None)
            return Exit.USAGE, f"{place}: {error.strerror}" if place else error.strerror or str(error)
    # A ValueError that speaks of the user's data or options says so; any other error is a bug.
    message: str | None = getattr(error, "on_command_line", None)
    return (Exit.USAGE, message) if message is not None else (Exit.BUG, f"a bug: {type(error).__name__}: {error}")


def _write(write: Callable[[], None], name: str) -> None:
    """Write to a stream, and discard what it is given from now on if nothing more can be written to it."""
    try:
        write()
    except OSError:
        setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # the interpreter flushes it once more
