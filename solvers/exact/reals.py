"""Numbers that a caller gives for an option."""

from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np

_MOST_CHARACTERS = 60


def exact_real(value: Any) -> Fraction | None:
    """Return the finite real number that a scalar is; None for anything else.

    Examples
    --------
    >>> exact_real(Decimal("0.1")), exact_real("0.1"), exact_real(float("inf"))
    (Fraction(1, 10), None, None)
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.timedelta64) or not isinstance(value, Real | Decimal):
        return None
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    try:
        return Fraction(*map(int, value.as_integer_ratio()))  # type: ignore[union-attr]
    except (OverflowError, ValueError):  # infinite or NaN
        return None


def binary64(value: Any) -> float | None:
    """Return the float that a scalar is; None where it is no finite real number, or binary64 would round it.

    Examples
    --------
    >>> binary64(Fraction(1, 4)), binary64(Fraction(1, 10)), binary64(10**400)
    (0.25, None, None)
    """
    exact = exact_real(value)
    if exact is None:
        return None
    try:
        nearest = float(exact)
    except OverflowError:
        return None
    return nearest if exact == Fraction(nearest) else None


def short_repr(value: Any) -> str:
    """Return the `repr` of a value for an error message, cut if it is long."""
    if isinstance(value, int) and value.bit_length() > 4 * _MOST_CHARACTERS:  # Python may refuse to write it
        return f"an integer of {value.bit_length():,} bits"
    text = repr(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}..."
