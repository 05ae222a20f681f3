"""Rows of fractions as integers: every number of a column is a whole multiple of the column's unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.numbers.binary64 import NumberError
from maxmargin.solvers.exact.dyadic import Integers, as_integer_columns
from maxmargin.solvers.exact.units import ColumnUnits

FractionColumns: TypeAlias = Sequence[NDArray[np.object_] | None]
"""Arrays of Fraction; None for a column whose numbers are in a binary64 matrix."""

MOST_BITS = 1000
"""Largest number of bits of the integers of a column: their binary64 roundings stay far from overflow."""

_MOST_COMMON_BITS = 20_000
"""Largest number of bits of a common denominator: the longest decimals have fewer."""


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
    def of(cls, X: Any, exact: FractionColumns) -> "ExactRows":
        """Return the numbers of some columns, and of a matrix where a column has none.

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
                multiples = np.empty(len(found), dtype=object)
                multiples[:] = found
            columns.append(multiples)
            units.append(unit)
        return cls(np.column_stack(columns), ColumnUnits(tuple(units)))

    @classmethod
    def of_binary64(cls, X: NDArray[np.float64]) -> "ExactRows":
        """Return the same for numbers that binary64 does hold."""
        integers, exponents = as_integer_columns(X)
        return cls(integers, ColumnUnits(tuple(Fraction(2) ** exponent for exponent in exponents)))

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
        common = lcm(common, denominator)
        if common.bit_length() > _MOST_COMMON_BITS:
            raise _too_long(column)
    integers = [fraction.numerator * (common // fraction.denominator) for fraction in fractions]
    factor = gcd(*integers) or common
    multiples = [integer // factor for integer in integers]
    _check_size(multiples, column)
    return multiples, Fraction(factor, common)


def _check_size(multiples: Sequence[int], column: int) -> None:
    if max(map(abs, multiples)).bit_length() > MOST_BITS:
        raise _too_long(column)


def _too_long(column: int) -> NumberError:
    found = "numbers that need integers of more than 300 digits, in their common unit"
    return NumberError(column=column, found=found, expected="numbers nearer in size for exact work")
