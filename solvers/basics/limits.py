"""The time limit of a question, the size up to which numbers are solved exactly, and the number of processors."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from maxmargin.solvers.basics.option_values import check_time_limit, whole_number

# Largest number of columns, including the bias, for which exact linear algebra is the default.
EXACT_LIMIT = 1000


class OutOfTime(Exception):  # noqa: N818  # it ends a search, and is no error
    """The time limit of a search was reached in the middle of exact work."""


# What answers say whose time was over.
TIME_IS_OVER = "the time limit was reached"

# Seconds of a time limit that is over at once.
INSTANT = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits that the user can raise.

    Attributes
    ----------
    time_limit : float or None
        Seconds since this object was made; None is no limit.
    exact_limit : int
        Largest number of columns, including the bias, for which linear systems are solved exactly.

    Raises
    ------
    InvalidOptionError
        If the time limit is not positive, or the number of columns is not a whole number from 0.
    """

    time_limit: float | None = None
    exact_limit: int = EXACT_LIMIT
    started: float = field(default_factory=time.monotonic, repr=False)

    def __post_init__(self) -> None:
        if self.time_limit is not None:
            check_time_limit(self.time_limit)
        if type(self.exact_limit) is not int or self.exact_limit < 0:
            whole_number("exact_limit", self.exact_limit, 0)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time is over, at least 0; None without a limit."""
        return None if self.time_limit is None else max(0.0, self.started + self.time_limit - time.monotonic())

    def share(self, n_shares: int = 1) -> float | None:
        """Return the time left divided by `n_shares`, and at least an instant; None without a limit."""
        left = self.seconds_left
        return None if left is None else max(left / n_shares, min(INSTANT, self.time_limit or INSTANT))

    @property
    def stop_check(self) -> Callable[[], bool] | None:
        """Function that exact work calls to find out whether the time is over; None without a limit."""
        return None if self.time_limit is None else self.is_over

    def part(self, n_shares: int) -> "Limits":
        """Return the time limit of a part of the work: the time left divided by `n_shares`."""
        return Limits(time_limit=self.share(n_shares))

    def is_over(self) -> bool:
        """Whether the time is over."""
        return self.seconds_left == 0.0

    def ends_within(self, seconds: float) -> bool:
        """Whether the time is over this many seconds from now."""
        left = self.seconds_left
        return left is not None and left <= seconds


def never() -> bool:
    """Return False, for work without a time limit."""
    return False


def n_threads() -> int:
    """Return how many processors this process may use: those it may run on, and no more than OMP_NUM_THREADS says."""
    n_processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    return min(n_processors, int(asked)) if asked.isdecimal() and int(asked) else n_processors
