"""Numbers, lists and hyperplanes as lines of text."""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from typing import Any

from maxmargin.solvers.answers.fields import Names
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.printable import shown

_MOST_WEIGHTS = 12
"""Largest number of weights of a hyperplane that a text lists, one on each line."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1.

    Examples
    --------
    >>> counted(1, "mistake"), counted(2000, "mistake")
    ('1 mistake', '2,000 mistakes')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def rounded_up(value: float, digits: int = 6) -> float:
    """Return the value rounded up to this number of significant digits, as a proven upper end is shown.

    Examples
    --------
    >>> rounded_up(8.9722213), rounded_up(144.0), rounded_up(-0.12345678)
    (8.97223, 144.0, -0.123456)
    """
    if not math.isfinite(value):
        return value
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(value))


def opening(status: Status, reason: str, *, bias: bool) -> list[str]:
    """Return the status with its advice, and the reason if there is one."""
    return [f"{status.value}: {status.advice_for(bias=bias)}", *([f"  {shown(reason)}"] if reason else [])]


def some(values: Sequence[object], most: int, rest: str) -> str:
    """Return the first values on one line; `rest` says how many there are of a longer list.

    Examples
    --------
    >>> some([0, 1], 2, "({n} in all)"), some([0, 1, 2], 2, "({n} in all)"), some([0, 1, 2], 2, "{more} more")
    ('0, 1', '0, 1, ... (3 in all)', '0, 1, ... 1 more')
    """
    first = ", ".join(map(shown, values[:most]))
    n = len(values)
    return first if n <= most else f"{first}, ... {rest.format(n=n, more=n - most)}"


def plane_lines(names: Names, w: Any, b: float) -> list[str]:
    """Return w and b as lines, with the names of the columns of w."""
    columns = range(len(w)) if names.columns is None else names.columns
    weights = [f"    {shown(name)}: {weight!r}" for name, weight in zip(columns, w.tolist(), strict=True)]
    more = len(weights) - _MOST_WEIGHTS
    rest = [f"    ... {more} more (--json lists all)"] if more > 0 else []
    return ["  w", *weights[:_MOST_WEIGHTS], *rest, f"  b {b!r}"]
