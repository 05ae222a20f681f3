"""Exit codes of commands, and their end by SIGTERM; notes and progress are in `maxmargin.text.progress`."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn


class Exit(IntEnum):
    """The exit codes that a script may rely on; 1 is a bug."""

    OK = 0
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
