"""What labels mean: integers or floats where all are numbers, and as many as there are numbers; else texts."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from maxmargin.data.numbers.binary64 import EXACT_INTEGERS
from maxmargin.data.numbers.numerals import bounded_fraction, number
from maxmargin.solvers.exact.reals import exact_real


def meanings(distinct: Iterable[Any]) -> dict[Any, Any]:
    """Return the label that every value stands for: all numbers, all booleans, or all texts."""
    values = list(distinct)
    if all(isinstance(value, bool | np.bool_) for value in values):
        return {value: bool(value) for value in values}
    exact = [_as_number(value) for value in values]
    named = None if None in exact else _named(values, exact)
    if named is not None:
        return dict(zip(values, named, strict=True))
    return {value: value.decode() if isinstance(value, bytes) else str(value) for value in values}


def _as_number(value: object) -> Fraction | float | None:
    """Return the number that a label is or writes, a float as it is written; an infinite one as a float."""
    if isinstance(value, bool | np.bool_ | np.complexfloating):
        return None
    if isinstance(value, str):
        return written_number(value)
    if isinstance(value, float):
        return Fraction(repr(float(value))) if math.isfinite(value) else value
    is_infinite = isinstance(value, Decimal | np.floating) and math.isinf(value)
    return float(value) if is_infinite else exact_real(value)  # type: ignore[arg-type]


def written_number(text: str) -> Fraction | float | None:
    """Return the number that a text writes, unless it is so large or so long that texts are told apart more safely."""
    value = number(text)
    if value is None or EXACT_INTEGERS <= abs(value) < float("inf"):
        return None
    if not math.isfinite(value):
        return value
    return bounded_fraction(text)


def _named(values: Sequence[Any], exact: Sequence[Any]) -> list[int] | list[float] | None:
    """Return numbers as integers if all are whole, else as floats; None where these would merge some of them."""
    if all(map(_is_whole, values, exact)):
        return [int(number) for number in exact]
    nearest = [_rounded(number) for number in exact]
    return nearest if len(set(nearest)) == len(set(exact)) else None


def _rounded(number: Fraction | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _is_whole(value: object, exact: Fraction | float) -> bool:
    """Return whether a number is whole; large floating-point numbers are taken for rounded ones."""
    if not isinstance(exact, Fraction) or exact.denominator != 1:
        return False
    return isinstance(value, Rational | Decimal) or abs(exact) < int(EXACT_INTEGERS)
