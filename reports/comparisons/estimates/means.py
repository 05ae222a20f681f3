"""Means of running times, which span orders of magnitude, and what a run that was stopped at a limit counts as."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

SHIFT = 0.01
"""Seconds that are added to every time before the mean is taken, so that runs of microseconds do not dominate it."""


def shifted_geometric_mean(values: Iterable[float], *, shift: float = SHIFT) -> float:
    r"""Return the shifted geometric mean of numbers that are at least 0.

    It is :math:`\bigl(\prod_i (t_i + s)\bigr)^{1/n} - s`, where s is the shift: for s = 0 it is the geometric mean, and
    as s grows it tends to the arithmetic mean.

    Parameters
    ----------
    values : iterable of float
        At least one number.
    shift : float, default 0.01
        In the unit of the values.

    Raises
    ------
    statistics.StatisticsError
        If there is no value, or if a value is not greater than -shift.

    References
    ----------
    .. [1] T. Achterberg, "Constraint Integer Programming", PhD thesis, Technische Universitaet Berlin, 2007, appendix
       A.3.

    Examples
    --------
    >>> shifted_geometric_mean([1.0, 4.0], shift=0.0), shifted_geometric_mean([0.0, 3.0], shift=1.0)
    (2.0, 1.0)
    """
    return geometric_mean(value + shift for value in values) - shift


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The times of some runs, ready for a mean.

    Attributes
    ----------
    seconds : tuple of float
        Of the runs that finished, and the limit for the runs that were stopped at one.
    n_at_limit : int
        Number of runs among them that were stopped at a limit of time, memory or iterations.
    is_lower_bound : bool
        Whether these runs needed at least the time that they count with, so that a mean is a lower bound: all of them
        ran out of time, and not out of memory or iterations before.
    """

    seconds: tuple[float, ...]
    n_at_limit: int
    is_lower_bound: bool


def times_of(records: Iterable[Mapping[str, Any]], limit: float | None) -> Times:
    """Return the times of the runs that finished or were stopped at a limit; other failures have no time.

    Parameters
    ----------
    records : iterable of mapping
        With ``status``, ``capped`` and ``seconds``.
    limit : float or None
        The limit of time in seconds. Without one, a stopped run counts with its own time, if this is known.

    Examples
    --------
    >>> runs = [{"status": "ok", "capped": False, "seconds": 2.0}, {"status": "timeout", "seconds": None}]
    >>> times_of(runs, 60.0)
    Times(seconds=(2.0, 60.0), n_at_limit=1, is_lower_bound=True)
    """
    finished, stopped, is_bound = [], [], True
    for record in records:
        seconds = record.get("seconds")
        if is_censored(record):
            known = [value for value in (seconds, limit) if value is not None]
            stopped += [max(known)] if known else []
            is_bound &= limit is None or record["status"] == "timeout" or (seconds is not None and seconds >= limit)
        elif record["status"] == "ok" and seconds is not None:
            finished.append(seconds)
    return Times(seconds=(*finished, *stopped), n_at_limit=len(stopped), is_lower_bound=bool(stopped) and is_bound)


def is_censored(record: Mapping[str, Any]) -> bool:
    """Return whether a limit stopped the run, so that more time, and more mistakes, would have followed."""
    return record["status"] in ("timeout", "memory") or bool(record.get("capped"))
