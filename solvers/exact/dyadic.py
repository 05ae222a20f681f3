"""Binary64 numbers as exact numbers, integers times a power of two, and exact numbers as floats and texts."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats

# An array of Python integers of any size.
Integers = NDArray[np.object_]

_MANTISSA_BITS = 53
_TINIEST_NORMAL = 2.0**-1022
# Larger than every exponent: it stands for the exponent of 0.
_NO_EXPONENT = 1 << 20

# Mask of the 52 fraction bits of a binary64 number.
_FRACTION_BITS = (1 << 52) - 1

# Smallest number of bits of an integer that is written in hexadecimal: Python limits decimal texts to 4,300 digits.
_DECIMAL_BITS = 14000

# Number of values processed at a time, few enough to stay in the cache.
_ENTRIES_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FloatFractions(Sequence[Fraction]):
    """Floats as the fractions that they are, each made when it is asked for: fractions of all take long where many.

    Attributes
    ----------
    floats : ndarray (n,) of float64
        Finite numbers; a copy.

    Examples
    --------
    >>> FloatFractions(np.array([0.5, -2.0]))
    (Fraction(1, 2), Fraction(-2, 1))
    """

    floats: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "floats", self.floats.copy())

    def __len__(self) -> int:
        return len(self.floats)

    @overload
    def __getitem__(self, position: int) -> Fraction: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Fraction, ...]: ...
    def __getitem__(self, position: int | slice) -> Fraction | tuple[Fraction, ...]:
        numbers = self.floats[position].tolist()
        return tuple(map(Fraction, numbers)) if isinstance(position, slice) else Fraction(numbers)

    def __iter__(self) -> Iterator[Fraction]:
        return map(Fraction, self.floats.tolist())

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, FloatFractions) else other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def as_integers(values: Floats) -> tuple[Integers, int]:
    """Return ``(integers, exponent)`` with ``values == integers * 2**exponent``, exactly.

    Parameters
    ----------
    values : ndarray of float64, any shape
        Finite numbers.

    Returns
    -------
    integers : ndarray of int (object dtype), same shape
    exponent : int
        The largest one that makes every entry an integer; 0 when all are zero.

    Raises
    ------
    ValueError
        If an entry is NaN or infinite.

    Examples
    --------
    >>> import numpy as np
    >>> as_integers(np.array([0.75, -2.0]))
    (array([3, -8], dtype=object), -2)
    """
    mantissas, exponents = _odd_mantissas(values)
    nonzero = mantissas != 0
    if not nonzero.any():
        return np.zeros(values.shape, dtype=object), 0
    exponent = int(exponents[nonzero].min())
    shifts = np.where(nonzero, exponents - exponent, 0)
    return np.left_shift(mantissas.astype(object), shifts.astype(object)), exponent


def as_integer_columns(values: Floats) -> tuple[Integers, list[int]]:
    """Return ``(integers, exponents)`` with ``values[:, j] == integers[:, j] * 2**exponents[j]``, exactly.

    Examples
    --------
    >>> import numpy as np
    >>> as_integer_columns(np.array([[0.75, 4.0], [0.5, 0.0]]))
    (array([[3, 1],
           [2, 0]], dtype=object), [-2, 2])
    """
    mantissas, exponents = _odd_mantissas(values)
    nonzero = mantissas != 0
    least = np.where(nonzero, exponents, _NO_EXPONENT).min(axis=0, initial=_NO_EXPONENT)
    least = np.where(least == _NO_EXPONENT, 0, least)
    shifts = np.where(nonzero, exponents - least, 0)
    return np.left_shift(mantissas.astype(object), shifts.astype(object)), least.tolist()


def common_exponent(values: Floats) -> int | None:
    """Return the largest k for which every value is a multiple of 2**k; None where all are zero.

    Examples
    --------
    >>> import numpy as np
    >>> common_exponent(np.array([0.75, -2.0])), common_exponent(np.array([96.0]))
    (-2, 5)
    """
    least = [np.inf]
    for part in np.array_split(values.ravel(order="K"), max(1, values.size // _ENTRIES_AT_ONCE)):
        sizes = np.abs(part)
        if not np.isfinite(sizes.max(initial=0.0)):
            raise ValueError("the values hold NaN or infinity; expected finite numbers")
        bits = sizes.view(np.int64)
        without_lowest_bit = (bits & (bits - 1)).view(np.float64)
        lowest_bits = np.where(bits & _FRACTION_BITS, sizes - without_lowest_bit, sizes)
        least.append(lowest_bits.min(where=lowest_bits > 0, initial=np.inf))
    lowest = min(least)
    return None if lowest == np.inf else int(np.frexp(lowest)[1]) - 1


def _odd_mantissas(values: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return odd integers (0 for 0) and exponents with ``values == integers * 2.0**exponents``."""
    if not np.isfinite(values).all():
        raise ValueError("the values hold NaN or infinity; expected finite numbers")
    fractions, exponents = np.frexp(values)
    mantissas = np.ldexp(fractions, _MANTISSA_BITS).astype(np.int64)
    lowest_bits = np.where(mantissas != 0, mantissas & -mantissas, 1)
    trailing_zeros = np.frexp(lowest_bits.astype(np.float64))[1] - 1
    return mantissas >> trailing_zeros, exponents.astype(np.int64) - _MANTISSA_BITS + trailing_zeros


def as_fraction(integer: int, exponent: int) -> Fraction:
    """Return ``integer * 2**exponent``.

    Examples
    --------
    >>> as_fraction(3, -2)
    Fraction(3, 4)
    """
    if exponent >= 0:
        return Fraction(integer << exponent)
    return Fraction(integer, 1 << -exponent)


def exact_sum(values: Floats) -> Fraction:
    """Return the sum without rounding."""
    if values.size and (values == values[0]).all():
        return len(values) * Fraction(float(values[0]))
    total = Fraction(0)
    for start in range(0, len(values), _ENTRIES_AT_ONCE):
        integers, exponent = as_integers(values[start : start + _ENTRIES_AT_ONCE])
        total += as_fraction(int(integers.sum()), exponent)
    return total


def as_dense(rows: Any) -> Floats:
    """Return rows, dense or sparse, as a dense array."""
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)


def times_power_of_two(X: Any, exponent: int) -> Any:
    """Return dense or sparse rows times 2**exponent."""
    if not hasattr(X, "tocsr"):
        return np.ldexp(X, exponent)
    scaled = X.copy()
    scaled.data = np.ldexp(X.data, exponent)
    return scaled


def round_down(value: Fraction) -> float:
    """Return the greatest binary64 number that is not above ``value``.

    Examples
    --------
    >>> round_down(Fraction(1, 10)) <= Fraction(1, 10) < round_up(Fraction(1, 10))
    True
    """
    return 0.0 - round_up(-value)  # 0 comes out without a sign


def round_up(value: Fraction) -> float:
    """Return the least binary64 number that is not below ``value`` (it may be infinity)."""
    try:
        nearest = value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.nextafter(math.inf, 0.0)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def width_of(lower: float, upper: float) -> float:
    """Return ``upper - lower`` rounded up; infinity where an end is infinite."""
    return math.inf if math.isinf(lower) or math.isinf(upper) else round_up(Fraction(upper) - Fraction(lower))


def sqrt_down(value: Fraction) -> float:
    """Return the greatest binary64 number that is not above the square root of ``value >= 0``.

    Examples
    --------
    >>> sqrt_down(Fraction(4)), sqrt_down(Fraction(2)) ** 2 < 2
    (2.0, True)
    """
    root, shift, _ = _integer_root(value)
    return round_down(as_fraction(root, -shift))


def sqrt_up(value: Fraction) -> float:
    """Return the least binary64 number that is not below the square root of ``value >= 0``."""
    root, shift, is_exact = _integer_root(value)
    return round_up(as_fraction(root if is_exact else root + 1, -shift))


def _integer_root(value: Fraction) -> tuple[int, int, bool]:
    """Return ``(r, k, exact)`` with ``r = floor(sqrt(value) 2**k)``, of at least 64 bits unless value is 0."""
    size = value.numerator.bit_length() - value.denominator.bit_length()
    shift = max(0, 66 - size // 2)
    scaled, remainder = divmod(value.numerator << (2 * shift), value.denominator)
    root = math.isqrt(scaled)
    return root, shift, remainder == 0 and root * root == scaled


def centred(values: Floats) -> Floats | None:
    """Return finite numbers times the power of two that centres their exponents, exactly; None where one is lost.

    Examples
    --------
    >>> centred(np.array([2.0**-1000, -(2.0**-998), 0.0]))
    array([ 0.25, -1.  ,  0.  ])
    """
    exponents = np.frexp(values[values != 0])[1]
    if not exponents.size:
        return values
    return _moved(values, -(int(exponents.max()) + int(exponents.min())) // 2)


def _moved(values: Floats, shift: int) -> Floats | None:
    """Return the numbers times ``2**shift``, exactly; None where one leaves the normal range."""
    with np.errstate(over="ignore"):
        moved = np.ldexp(values, shift)
    lost = (values != 0) & (np.abs(moved) < _TINIEST_NORMAL)
    return None if lost.any() or not np.isfinite(moved).all() else np.asarray(moved)


def nearest_floats(numbers: Sequence[Fraction]) -> Floats | None:
    """Return the numbers times a power of two, every entry rounded to nearest; None where one leaves the range."""
    if isinstance(numbers, FloatFractions):
        return centred(numbers.floats)
    sizes = [v.numerator.bit_length() - v.denominator.bit_length() for v in numbers if v]
    if not sizes:
        return np.zeros(len(numbers))
    shift = -((max(sizes) + min(sizes)) // 2)
    rounded = _normal_floats(numbers)
    if rounded is None:
        return _normal_floats([v * Fraction(2) ** shift for v in numbers])
    return _moved(rounded, shift)


def _normal_floats(numbers: Sequence[Fraction]) -> Floats | None:
    """Return every number rounded to nearest; None where one overflows, or is not 0 and below the normal range."""
    try:
        rounded = np.array([float(v) for v in numbers])
    except OverflowError:
        return None
    is_low = np.flatnonzero(np.abs(rounded) < _TINIEST_NORMAL)
    return None if any(numbers[position] for position in is_low.tolist()) else rounded


def without_denominators(numbers: Sequence[Fraction]) -> list[int]:
    """Return the numbers times a positive factor, as integers without a common factor.

    Examples
    --------
    >>> without_denominators([Fraction(1, 2), Fraction(-1, 3)])
    [3, -2]
    """
    integers, _ = over_common_denominator(numbers)
    factor = math.gcd(*integers) or 1
    return [integer // factor for integer in integers]


def over_common_denominator(numbers: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return the numerators of the numbers over their least common denominator, and that denominator.

    Examples
    --------
    >>> over_common_denominator([Fraction(1, 2), Fraction(-1, 3)])
    ([3, -2], 6)
    """
    common = math.lcm(*(number.denominator for number in numbers))
    return [number.numerator * (common // number.denominator) for number in numbers], common


def texts(integers: Sequence[int]) -> list[str]:
    """Return integers of any size as texts."""
    return [text(integer) for integer in integers]


def text(integer: int) -> str:
    """Return an integer as decimal text, beyond the size that Python converts freely as hexadecimal text.

    Examples
    --------
    >>> text(-12), text(1 << 20000)[:5]
    ('-12', '0x100')
    """
    return format(integer, "d" if integer.bit_length() < _DECIMAL_BITS else "#x")


def quotient_text(value: Fraction) -> str:
    """Return "p/q" in lowest terms, or "p" for a whole number; hexadecimal where an integer is very long.

    Examples
    --------
    >>> quotient_text(Fraction(289, 680)), quotient_text(Fraction(4))
    ('17/40', '4')
    """
    return text(value.numerator) if value.denominator == 1 else f"{text(value.numerator)}/{text(value.denominator)}"
