"""``python -m maxmargin``, and the console script."""

import os
import signal
import sys
import time

# The time from which a limit counts.
_STARTED = time.monotonic()

TYPE_CHECKING = False  # as in `maxmargin`

if TYPE_CHECKING:
    from types import FrameType
    from typing import Any


def main() -> None:
    """Run the command line and exit with its code; Ctrl-C at any time is one line and 130."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # the shell ignores it
        sys.exit(_run())
    signals, written = os.pipe()
    os.set_blocking(written, False)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _leave)  # some imports would lose an exception
    import maxmargin.cli.app  # noqa: F401

    sys.unraisablehook = _leave_if_interrupted
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = _run()
    except Exception:
        os.set_blocking(signals, False)
        if _was_interrupted(signals):  # compiled modules turn KeyboardInterrupt into another error
            _leave()
        raise
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer is printed; only the interpreter's shutdown is left
    sys.exit(code)


def _run() -> int:
    from maxmargin.cli.app import run

    return run(sys.argv[1:], started=_STARTED)


def _was_interrupted(signals: int) -> bool:
    try:
        return signal.SIGINT in os.read(signals, 4096)
    except BlockingIOError:
        return False


def _leave(number: int = signal.SIGINT, frame: "FrameType | None" = None) -> None:
    """Say that the command was interrupted, and end the process at once."""
    os.write(2, b"maxmargin: interrupted\n")
    os._exit(130)


def _leave_if_interrupted(unraisable: "Any") -> None:
    """End the process if Ctrl-C arrived where Python cannot raise it; report any other error as usual."""
    if unraisable.exc_type is not None and issubclass(unraisable.exc_type, KeyboardInterrupt):
        _leave()
    sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    main()
