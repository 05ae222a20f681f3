"""How much work an exact answer may cost before it is given up."""

import time
from dataclasses import dataclass, field

EXACT_LIMIT = 1000
"""Columns, the bias counted, up to which exact linear algebra is done by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits that the user can raise.

    Attributes
    ----------
    time_limit : float or None
        Seconds from the making of this object; None: no limit.
    exact_limit : int
        The greatest number of columns, the bias counted, for which numbers are solved exactly.
    """

    time_limit: float | None = None
    exact_limit: int = EXACT_LIMIT
    started: float = field(default_factory=time.monotonic, repr=False)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time is over, at least 0; None without a limit."""
        return None if self.time_limit is None else max(0.0, self.started + self.time_limit - time.monotonic())

    def words(self) -> str:
        """Say that the time is over."""
        return f"the time limit of {self.time_limit or 0:g} s was reached"

    def is_over(self) -> bool:
        """Whether the time is over."""
        return self.seconds_left == 0.0
