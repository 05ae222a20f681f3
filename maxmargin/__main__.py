"""``python -m maxmargin``, and the console script."""

import os
import signal
import sys
import time

from maxmargin.text.version import __version__

# The time from which a limit counts.
_STARTED = time.monotonic()

TYPE_CHECKING = False  # as in `maxmargin`

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any


def main() -> None:
    """Run the command line and exit with its code; Ctrl-C at any time is one line and 130."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # the shell ignores it
        sys.exit(_run())
    signals, written = os.pipe()
    os.set_blocking(signals, False)
    os.set_blocking(written, False)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _leave)  # some imports would lose an exception
    import maxmargin.cli.app  # noqa: F401

    sys.unraisablehook = _leave_if_interrupted
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = _run(lambda: _was_interrupted(signals))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer is printed; only the interpreter's shutdown is left
    sys.exit(code)


def _run(was_interrupted: "Callable[[], bool]" = bool) -> int:
    from maxmargin.cli.app import run

    return run(sys.argv[1:], started=_STARTED, was_interrupted=was_interrupted)


def _was_interrupted(signals: int) -> bool:
    try:
        return signal.SIGINT in os.read(signals, 4096)
    except BlockingIOError:
        return False


def _leave(number: int = signal.SIGINT, frame: "FrameType | None" = None) -> None:
    """Say that the command was interrupted, and end the process at once."""
    if "--json" in sys.argv:
        fields = f'"schema": "maxmargin.error/1", "version": "{__version__}", "message": "interrupted"'
        os.write(1, f'{{{fields}, "file": null, "line": null, "column": null}}\n'.encode())
    os.write(2, b"maxmargin: interrupted\n")
    os._exit(130)


def _leave_if_interrupted(unraisable: "Any") -> None:
    """End the process if Ctrl-C arrived where Python cannot raise it; report any other error as usual."""
    if unraisable.exc_type is not None and issubclass(unraisable.exc_type, KeyboardInterrupt):
        _leave()
    sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    main()
