"""All numbers pass here: binary64 holds them, or they stay fractions, or are refused; none is rounded in silence.

Decimal text is the exception: the readers of text files take the nearest binary64 number.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.text.data_error import ValueRefusedError, quote

EXACT_INTEGERS = 2.0**53
"""Every integer below this is a binary64 number, and no other integer is rounded to one of them."""

MOST_DIGITS = 2000
"""Largest number of digits, and largest exponent, of a decimal number. A binary64 number in full has up
to 1,075 digits.
"""

MOST_BITS = 14_000
"""Largest number of bits of a numerator or denominator: the longest decimals have fewer, and Python can print them."""

HELD = "one that binary64 holds exactly"

ROUNDED_HINT = "convert it to binary64 yourself to have it rounded"

REAL_KINDS = "biuf"
"""numpy's codes of boolean, signed, unsigned and floating-point types."""


class NumberError(ValueRefusedError):
    """A number that does not pass."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Numbers:
    """Numbers that have passed.

    Attributes
    ----------
    nearest : float64 array
        The numbers, or the binary64 numbers nearest to them; NaN and infinities as they are.
    exact : array of Fraction, same shape, optional
        The numbers, where some Decimal or Fraction among them is not binary64; None in place of NaN and infinity.
    """

    nearest: NDArray[np.float64]
    exact: NDArray[np.object_] | None = None

    def held(self, hint: str = ROUNDED_HINT) -> NDArray[np.float64]:
        """Return the numbers for a caller that needs binary64.

        Raises
        ------
        NumberError
            Binary64 does not hold them.
        """
        if self.exact is not None:
            row, column = _first(self.exact != self.nearest, self.exact)
            found = _shown(self.exact[row] if column is None else self.exact[row, column])
            raise NumberError(row=row, column=column, found=found, expected=HELD, hint=hint)
        return self.nearest


def numbers(values: NDArray[Any]) -> Numbers:
    """Return real numbers of any type.

    Parameters
    ----------
    values : ndarray of one or two dimensions
        Of booleans, integers, floating-point numbers of any size, or of objects.

    Raises
    ------
    NumberError
        An integer or floating-point number is not binary64, an object is not a real number, or a Decimal is too long.

    Examples
    --------
    >>> numbers(np.array([1, 2])).nearest
    array([1., 2.])
    >>> numbers(np.array([Decimal("0.1"), 0.5])).exact
    array([Fraction(1, 10), Fraction(1, 2)], dtype=object)
    >>> numbers(np.array([3, 2**53 + 1]))
    Traceback (most recent call last):
    ...
    maxmargin.data.numbers.binary64.NumberError: found 9007199254740993, expected one that binary64 holds exactly \
(convert it to binary64 yourself to have it rounded)
    """
    if values.dtype.kind == "O":
        return _of_objects(values)
    with np.errstate(over="ignore"):
        nearest = np.ascontiguousarray(values, dtype=np.float64)
    changed = _changed(values, nearest)
    if changed is not None and changed.any():
        row, column = _first(changed, values)
        found = str(values[row] if column is None else values[row, column])
        raise NumberError(row=row, column=column, found=found, expected=HELD, hint=ROUNDED_HINT)
    return Numbers(nearest=nearest)


def array_of(values: Any) -> NDArray[Any]:
    """Convert nested sequences as numpy does, except where it may have rounded integers to floating-point numbers.

    Raises
    ------
    ValueError
        As `numpy.asarray`.

    Examples
    --------
    >>> array_of([2**53 + 1, 0.5])
    array([9007199254740993, 0.5], dtype=object)
    """
    array = np.asarray(values)
    is_given = hasattr(values, "dtype") or hasattr(values, "__array__")
    if is_given or array.dtype.kind != "f" or not (np.abs(array) >= EXACT_INTEGERS).any():
        return array
    return np.array(values, dtype=object)


def _changed(values: NDArray[Any], nearest: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """Return where a number is another one in binary64; None where its type tells that it is not."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    changed: NDArray[np.bool_]
    if kind in "iu" and size >= 8:
        if not (np.abs(nearest) >= EXACT_INTEGERS).any():
            return None
        beyond = nearest >= 2.0 ** (8 * size - (kind == "i"))  # the first integer that the type does not hold
        changed = beyond | (np.where(beyond, 0.0, nearest).astype(values.dtype) != values)
        return changed
    if kind == "f" and size > 8:
        changed = (values != nearest) & ~np.isnan(values)
        return changed
    return None


def _first(mask: Any, values: NDArray[Any]) -> tuple[int, int | None]:
    """Return row and column of the first true entry; the column is None in one dimension."""
    position = np.unravel_index(int(np.argmax(mask)), values.shape)
    return int(position[0]), int(position[1]) if values.ndim == 2 else None


def _of_objects(values: NDArray[Any]) -> Numbers:
    converted = np.empty(values.shape, dtype=object)
    for position, value in np.ndenumerate(values):
        try:
            converted[position] = _converted(value)
        except NumberError as error:
            column = position[1] if len(position) == 2 else None
            raise NumberError(
                row=position[0], column=column, found=error.found, expected=error.expected, hint=error.hint
            ) from None
    flat = converted.ravel().tolist()
    nearest = np.array([float(value) for value in flat], dtype=np.float64).reshape(values.shape)
    if not any(isinstance(value, Fraction) for value in flat):
        return Numbers(nearest=nearest)
    exact = np.empty(len(flat), dtype=object)
    exact[:] = [Fraction(value) if math.isfinite(value) else None for value in flat]
    return Numbers(nearest=nearest, exact=exact.reshape(values.shape))


def _converted(value: Any) -> float | Fraction:
    """Return the number as a float where binary64 holds it, a Decimal or Fraction as a Fraction where not."""
    if isinstance(value, float | bool | np.bool_):
        return float(value)
    if isinstance(value, Decimal):
        return _of_decimal(value)
    if isinstance(value, Rational):
        return _of_rational(value)
    if not isinstance(value, Real) or not hasattr(value, "as_integer_ratio"):
        raise NumberError(found=quote(value), expected="a number")
    nearest = float(value)
    if math.isnan(nearest) or value == nearest:
        return nearest
    raise NumberError(found=quote(value), expected=HELD, hint=ROUNDED_HINT)


def _of_rational(value: Rational) -> float | Fraction:
    exact = Fraction(int(value.numerator), int(value.denominator))
    try:
        nearest = float(exact)
    except OverflowError:
        nearest = math.inf
    if math.isfinite(nearest) and nearest == exact:
        return nearest
    if isinstance(value, Integral):
        raise NumberError(found=_shown(exact), expected=HELD, hint=ROUNDED_HINT)
    if math.isinf(nearest):
        raise NumberError(found=_shown(exact), expected="a finite number", hint="too large for binary64")
    if _bits(exact) > MOST_BITS:
        raise NumberError(found=_shown(exact), expected=f"fractions of at most {MOST_BITS} bits")
    return exact


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _shown(value: Fraction) -> str:
    """Return the number as a message shows it; Python refuses to write very long ones."""
    return quote(value) if _bits(value) <= MOST_BITS else f"a number of {_bits(value)} bits"


def _of_decimal(value: Decimal) -> float | Fraction:
    if value.is_nan():
        return math.nan
    if not value.is_finite() or not value:
        return float(value)
    _, digits, exponent = value.as_tuple()
    if max(len(digits), abs(int(exponent))) > MOST_DIGITS:
        expected = f"at most {MOST_DIGITS} digits, and an exponent of that size"
        raise NumberError(found=quote(value), expected=expected)
    return _of_rational(Fraction(value))
