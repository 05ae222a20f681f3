"""Numbers, lists and hyperplanes as lines of text, and phrases that say which hyperplanes are meant.

A sentence is about the hyperplanes w.x + b = 0, or without a bias about those through the origin alone. Then "every
hyperplane", "the hulls" and "the estimate" refer to hyperplanes through the origin, to the hull of the y x and to
models without an intercept, and may be false of others: {10: -, 12: +} overlaps through the origin, and x = 11
separates it. Such sentences are made from `bias`; None stands for a phrase that is true of both.
"""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from typing import Any

from maxmargin.solvers.answers.fields import Names
from maxmargin.solvers.basics.printable import shown

_MOST_WEIGHTS = 12
"""Largest number of weights of a hyperplane that a text lists, one on each line."""

_THROUGH = {True: "", False: " through the origin", None: " of the kind asked about"}


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


def through(bias: bool | None) -> str:
    """Return " through the origin" if there is no bias, to follow a noun; else nothing."""
    return _THROUGH[bias]


def without_intercepts(bias: bool) -> str:
    """Return " without intercepts" if there is no bias, to follow the scores of several classes; else nothing."""
    return "" if bias else " without intercepts"


def intercept(bias: bool) -> str:
    """Return " with an intercept" or " without an intercept", to follow the name of a model."""
    return " with an intercept" if bias else " without an intercept"
