"""Exit codes."""

from enum import IntEnum


class Exit(IntEnum):
    """What a script may rely on; 1 is a bug."""

    OK = 0
    USAGE = 2
    NOT_STRICTLY_SEPARABLE = 3
    NOT_CONVERGED = 3
    INVALID = 3
    UNDECIDED = 4
    INTERRUPTED = 130
    READER_LEFT = 141  # as of a program that SIGPIPE ends
