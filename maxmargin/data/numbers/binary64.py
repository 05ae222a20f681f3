"""All numbers pass here: binary64 holds them, or they stay exact, or are refused; none is rounded in silence.

Decimal text is the exception: the readers of text files take the nearest binary64 number.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from numbers import Integral, Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import Integers, as_integer_columns
from maxmargin.solvers.exact.reals import binary64, exact_real
from maxmargin.solvers.exact.units import ColumnUnits
from maxmargin.text.data_error import ValueRefusedError, quoted

# Every integer below this is a binary64 number, and no other integer is rounded to one of them.
EXACT_INTEGERS = 2.0**53

# Largest number of digits, and largest exponent, of a decimal number. A binary64 number in full has up
# to 1,075 digits.
MOST_DIGITS = 2000

# Largest number of bits of a numerator or denominator: the longest decimals have fewer, and Python can print them.
MOST_BITS = 14_000

# Largest number of bits of the integers of a column: their binary64 roundings stay far from overflow.
_MOST_BITS_OF_COLUMN = 1000

# Largest number of bits of a common denominator: the longest decimals have fewer.
_MOST_COMMON_BITS = 20_000

HELD = "one that binary64 holds exactly"

ROUNDED_HINT = "convert it to binary64 yourself to have it rounded"

# numpy's codes of boolean, signed, unsigned and floating-point types.
REAL_KINDS = "biuf"


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

    nearest: Floats
    exact: NDArray[np.object_] | None = None

    def as_binary64(self, hint: str = ROUNDED_HINT) -> Floats:
        """Return the numbers for a caller that needs binary64.

        Raises
        ------
        NumberError
            Binary64 does not hold them.
        """
        if self.exact is not None:
            raise _not_held(self.exact != self.nearest, self.exact, _shown, hint)
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
        raise _not_held(changed, values, str)
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


def _changed(values: NDArray[Any], nearest: Floats) -> Mask | None:
    """Return a mask of the numbers that binary64 would round; None if there can be none."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind in "iu" and size >= 8 and (np.abs(nearest) >= EXACT_INTEGERS).any():
        beyond = nearest >= 2.0 ** (8 * size - (kind == "i"))  # the first integer that the type does not hold
        return np.asarray(beyond | (np.where(beyond, 0.0, nearest).astype(values.dtype) != values))
    return np.asarray((values != nearest) & ~np.isnan(values)) if kind == "f" and size > 8 else None


def _not_held(mask: Any, values: NDArray[Any], form: Callable[[Any], str], hint: str = ROUNDED_HINT) -> NumberError:
    """Return the error about the first number in the mask; the numbers of a vector have no column."""
    position = np.unravel_index(int(np.argmax(mask)), values.shape)
    row, column = int(position[0]), int(position[1]) if values.ndim == 2 else None
    return NumberError(row=row, column=column, found=form(values[position]), expected=HELD, hint=hint)


def _of_objects(values: NDArray[Any]) -> Numbers:
    converted: list[float | Fraction] = []
    for position, value in np.ndenumerate(values):
        try:
            converted.append(_converted(value))
        except NumberError as error:
            error.row, error.column = position[0], position[1] if len(position) == 2 else None
            raise
    nearest = np.array(list(map(float, converted)), dtype=np.float64).reshape(values.shape)
    if not any(isinstance(value, Fraction) for value in converted):
        return Numbers(nearest=nearest)
    exact = np.array([Fraction(value) if math.isfinite(value) else None for value in converted], dtype=object)
    return Numbers(nearest=nearest, exact=exact.reshape(values.shape))


def _converted(value: Any) -> float | Fraction:
    """Return the number as a float where binary64 holds it, a Decimal or Fraction as a Fraction where not."""
    if isinstance(value, float | bool | np.bool_):
        return float(value)
    if isinstance(value, Decimal):
        if not value.is_finite() or not value:
            return math.nan if value.is_nan() else float(value)
        _, digits, exponent = value.as_tuple()
        if max(len(digits), abs(int(exponent))) > MOST_DIGITS:
            expected = f"at most {MOST_DIGITS} digits, and an exponent of that size"
            raise NumberError(found=quoted(value), expected=expected)
    exact = exact_real(value)
    if exact is None:
        if isinstance(value, np.floating):  # infinite or NaN
            return float(value)
        raise NumberError(found=quoted(value), expected="a number")
    nearest = binary64(exact)
    return _not_rounded(value, exact) if nearest is None else nearest


def _not_rounded(value: Any, exact: Fraction) -> Fraction:
    """Return a number that binary64 does not hold, if it is a Decimal or Fraction of a size for exact work."""
    if isinstance(value, Integral) or not isinstance(value, Decimal | Rational):
        found = _shown(exact) if isinstance(value, Integral) else quoted(value)
        raise NumberError(found=found, expected=HELD, hint=ROUNDED_HINT)
    if abs(exact) > sys.float_info.max:
        raise NumberError(found=_shown(exact), expected="a finite number", hint="too large for binary64")
    if _bits(exact) > MOST_BITS:
        raise NumberError(found=_shown(exact), expected=f"fractions of at most {MOST_BITS} bits")
    return exact


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _shown(value: Fraction) -> str:
    """Return the number as a message shows it; Python refuses to write very long ones."""
    return quoted(value) if _bits(value) <= MOST_BITS else f"a number of {_bits(value)} bits"


# Rows of fractions as integers: every number of a column is a whole multiple of the column's unit


@dataclass(frozen=True, slots=True, eq=False)
class ExactRows:
    """Numbers that binary64 does not hold.

    Attributes
    ----------
    integers : ndarray (n_samples, n_features) of int
        Multiples of the units.
    units : ColumnUnits
        The greatest positive ones that make all numbers integers.
    """

    integers: Integers
    units: ColumnUnits

    @classmethod
    def of(cls, X: Any, exact: Sequence[NDArray[np.object_] | None]) -> "ExactRows":
        """Return the numbers of some columns, arrays of Fraction, and of a matrix where a column has none.

        Raises
        ------
        NumberError
            The numbers of a column are too different in size for exact work.
        """
        columns, units = [], []
        for j, fractions in enumerate(exact):
            if fractions is None:
                table, exponents = as_integer_columns(X[:, [j]])
                multiples, unit = table[:, 0], Fraction(2) ** exponents[0]
                _check_size(multiples.tolist(), j)
            else:
                found, unit = whole_multiples(fractions.tolist(), j)
                multiples = np.array(found, dtype=object)
            columns.append(multiples)
            units.append(unit)
        return cls(np.column_stack(columns), ColumnUnits(tuple(units)))

    @classmethod
    def of_binary64(cls, X: Floats) -> "ExactRows":
        """Return the same for numbers that binary64 does hold."""
        integers, exponents = as_integer_columns(X)
        return cls(integers, ColumnUnits(tuple(Fraction(2) ** exponent for exponent in exponents)))

    def columns(self, kept: Sequence[int]) -> "ExactRows":
        """Return some of the columns."""
        return ExactRows(self.integers[:, kept], ColumnUnits(tuple(self.units.units[j] for j in kept)))

    def taken(self, rows: NDArray[np.int64]) -> "ExactRows":
        """Return some of the rows."""
        return ExactRows(self.integers[rows], self.units)


def whole_multiples(fractions: Sequence[Fraction], column: int) -> tuple[list[int], Fraction]:
    """Return integers without a common factor, and the unit of which the numbers are these multiples; 1 if all are 0.

    Raises
    ------
    NumberError
        The integers are too long for exact work.

    Examples
    --------
    >>> whole_multiples([Fraction(1, 2), Fraction(-3, 4)], 0)
    ([2, -3], Fraction(1, 4))
    """
    common = 1
    for denominator in {fraction.denominator for fraction in fractions}:
        common = math.lcm(common, denominator)
        if common.bit_length() > _MOST_COMMON_BITS:
            raise _too_long(column)
    integers = [fraction.numerator * (common // fraction.denominator) for fraction in fractions]
    factor = math.gcd(*integers) or common
    multiples = [integer // factor for integer in integers]
    _check_size(multiples, column)
    return multiples, Fraction(factor, common)


def _check_size(multiples: Sequence[int], column: int) -> None:
    if max(map(abs, multiples)).bit_length() > _MOST_BITS_OF_COLUMN:
        raise _too_long(column)


def _too_long(column: int) -> NumberError:
    found = "numbers that need integers of more than 300 digits, in their common unit"
    return NumberError(column=column, found=found, expected="numbers nearer in size for exact work")


def is_sparse(X: object) -> bool:
    """Return whether `X` is a matrix or array of SciPy, without importing it."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def csr_of(X: Any) -> Any:
    """Return a CSR array of float64, indices sorted and without duplicates; the caller's matrix stays as it is.

    Raises
    ------
    InvalidProblemError
        It does not have two dimensions, does not hold real numbers, or its indices do not match its entries.
    NumberError
        A number, or the sum of the entries at one position, is not binary64.
    """
    from scipy.sparse import coo_array, csr_array

    if X.dtype.kind not in REAL_KINDS:
        raise InvalidProblemError(f"X has dtype {X.dtype}, expected real numbers")
    if X.ndim != 2:
        raise InvalidProblemError(f"X has shape {X.shape}, expected two dimensions, (n_samples, n_features)")
    try:
        if X.format in ("csr", "csc", "bsr"):  # compiled code trusts indices, and what SciPy found of them is forgotten
            X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
            X.check_format(full_check=True)
        if X.format in ("csr", "csc") and X.dtype == np.float64 and X.has_canonical_format:
            return csr_array(X)
        rows, columns, data = _entries(X)
        coo_array((data, (rows, columns)), shape=X.shape)  # which checks the indices
    except (ValueError, IndexError, TypeError) as error:
        raise InvalidProblemError(f"X is no valid sparse matrix of the format {X.format}: {error}") from error
    try:
        values = numbers(data).as_binary64()
    except NumberError as error:
        position = error.row or 0
        error.row, error.column = int(rows[position]), int(columns[position])
        raise
    matrix = csr_array((values, (rows, columns)), shape=X.shape)
    return matrix if matrix.nnz == len(values) else csr_array(_summed(rows, columns, values), shape=X.shape)


def _entries(X: Any) -> tuple[Rows, Rows, NDArray[Any]]:
    """Return the rows, the columns and the values of all entries as they are stored."""
    if X.format == "lil":  # tocoo() takes its long doubles for binary64 numbers
        rows = np.repeat(np.arange(X.shape[0]), [len(row) for row in X.rows])
        columns = np.fromiter(chain.from_iterable(X.rows), np.int64, len(rows))
        return rows, columns, np.array([*chain.from_iterable(X.data)], dtype=X.dtype)
    entries = X.tocoo()  # of all formats the one that adds nothing up
    return entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data


def _summed(rows: Rows, columns: Rows, values: Floats) -> tuple[Floats, tuple[Rows, Rows]]:
    """Return the entries with those at one position added up."""
    parts: dict[tuple[int, int], list[float]] = {}
    for row, column, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
        parts.setdefault((row, column), []).append(value)
    totals = np.array([_exact_sum(found, *place) for place, found in parts.items()])
    distinct_rows, distinct_columns = np.array(list(parts)).T
    return totals, (distinct_rows, distinct_columns)


def _exact_sum(parts: list[float], row: int, column: int) -> float:
    """Return the sum, or raise if binary64 would round it: `math.fsum` rounds once, so a second sum finds the rest."""
    try:
        total = math.fsum(parts)
        is_exact = not math.isfinite(total) or math.fsum([*parts, -total]) == 0
    except (OverflowError, ValueError):  # beyond binary64 on the way, or infinities of both signs
        total, is_exact = math.nan, False
    if is_exact:
        return total
    found = f"{len(parts)} entries whose sum is not binary64"
    raise NumberError(row=row, column=column, found=found, expected="one entry", hint="X.sum_duplicates() adds them up")
