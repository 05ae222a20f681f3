"""The limits of a task: seconds, and memory beyond what the process holds when the task starts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidOptionError

# Seconds that a task may take for everything but its measured part: reading data, warming up, judging the answer.
GRACE = 30.0

# Longest time limit in seconds that is kept: three years.
LONGEST = 1e8


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The limits of a task.

    Attributes
    ----------
    seconds : float, optional
        Seconds of the measured part of the task; None is no limit.
    memory : int, optional
        Bytes of memory that the measured part may take beyond what the process holds before; None is no limit.
    grace : float
        Seconds of everything else in the task. A process that does not end in time by itself is killed after
        `seconds` and these.

    Raises
    ------
    InvalidOptionError
        If a limit is not positive.
    """

    seconds: float | None = None
    memory: int | None = None
    grace: float = GRACE

    def __post_init__(self) -> None:
        for name in ("seconds", "memory", "grace"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, Real) and float(value) > 0):
                raise InvalidOptionError(f"the limit of {name} is {value!r}; expected a positive number")

    @property
    def backstop(self) -> float | None:
        """Seconds after which the process is killed from outside; None without a limit."""
        return None if self.seconds is None or self.seconds > LONGEST else self.seconds + self.grace

    def within(self, limits: Limits) -> "Limit":
        """Return the limit of a task that begins now and ends, or is killed, before the time of these limits is over.

        The time left is for the measured part up to one half of it.
        """
        left = limits.share()
        if left is None:
            return self
        seconds = min(left / 2, self.seconds or left)
        return replace(self, seconds=seconds, grace=min(left - seconds, self.grace))

    def to_dict(self) -> dict[str, Any]:
        """Return the limits by name, for a record."""
        return {"seconds": self.seconds, "memory": self.memory}

    def allows_more_than(self, old: Mapping[str, Any], what: str) -> bool:
        """Return whether the limit of `what`, "seconds" or "memory", is greater than in a record."""
        now, then = getattr(self, what), old.get(what)
        return then is not None and (now is None or now > then)
