"""How a task ended."""

import json
import signal
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

# Largest number of characters of a message that are kept.
LONGEST_MESSAGE = 300

# The status of a task that could not begin, for a reason that passes: its data cannot be read, or have changed.
NOT_RUN = "not_run"

# The status of a record of a method that is not here.
NOT_INSTALLED = "not_installed"


class Ending(StrEnum):
    """The ways in which a task ends."""

    OK = "ok"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of a task.

    Attributes
    ----------
    ending : Ending
    message : str
        The error, or the last line that a process printed before it died.
    exit_code : int, optional
        The exit code of a process that died; minus the number of the signal that killed it.
    answer : str
        The answer of the task as JSON; empty if there is none.
    seconds : float, optional
        Seconds of the measured part.
    peak_mib : float, optional
        Greatest memory during the measured part beyond what was in use before, in MiB.
    """

    ending: Ending
    message: str = ""
    exit_code: int | None = None
    answer: str = ""
    seconds: float | None = None
    peak_mib: float | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The answer as Python holds it; empty if there is none."""
        return dict(json.loads(self.answer or "{}"))


def is_out_of_memory(text: str) -> bool:
    """Return whether an error's text says that memory was refused."""
    lowered = text.lower()
    return any(words in lowered for words in ("bad_alloc", "out of memory", "cannot allocate memory", "memoryerror"))


def of_dead_process(exit_code: int, last_line: str) -> Outcome:
    """Return the outcome of a task whose process died."""
    if exit_code == -signal.SIGALRM:
        return Outcome(ending=Ending.TIMEOUT, message="the time is over", exit_code=exit_code)
    ending = Ending.MEMORY if is_out_of_memory(last_line) else Ending.CRASHED
    how = f"killed by {signal.Signals(-exit_code).name}" if exit_code < 0 else f"exit code {exit_code}"
    message = f"{how}: {last_line}" if last_line else how
    return Outcome(ending=ending, message=message[:LONGEST_MESSAGE], exit_code=exit_code)
