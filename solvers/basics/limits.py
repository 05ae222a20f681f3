"""Limits of time, of the size up to which numbers are solved exactly, of processors, and of memory."""

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from maxmargin.solvers.basics.option_values import check_time_limit, whole_number
from maxmargin.solvers.errors import InvalidOptionError

# Names of units of memory, and their bytes.
_UNITS = {"": 1, "b": 1, **{f"{letter}{kind}": (1024 if kind == "ib" else 1000) ** power
                            for power, letter in enumerate("kmgt", start=1) for kind in ("", "b", "ib")}}  # fmt: skip

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


def memory_size(size: str | int) -> int:
    """Return the bytes of a size such as ``"512MiB"``, ``"1.5 GB"`` or a number of bytes.

    Raises
    ------
    InvalidOptionError
        It is not a positive size.

    Examples
    --------
    >>> memory_size("1GiB"), memory_size("2 kB"), memory_size(10**6)
    (1073741824, 2000, 1000000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", str(size).lower())
    unit = None if found is None else _UNITS.get(found[2])
    n_bytes = 0 if found is None or unit is None else int(float(found[1]) * unit)
    if n_bytes < 1:
        raise InvalidOptionError(f"memory is {size!r}; expected a size such as 512MiB, 1GiB, or a number of bytes")
    return n_bytes


def size_text(n_bytes: int) -> str:
    """Return a number of bytes in a unit that is easy to read.

    Examples
    --------
    >>> size_text(3 << 29)
    '1.5 GiB'
    """
    size = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"
