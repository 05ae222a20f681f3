"""Matrices of numbers that binary64 stores exactly: integers of any size times a power of two for every column."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.object_]

_MANTISSA_BITS = 53


class NotRepresentableError(ArithmeticError):
    """A number is no binary64 number: too many digits, too large, or too small."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """The matrix ``integers[i, j] * 2**exponents[j]``.

    Attributes
    ----------
    integers : ndarray (n_samples, n_features) of int, object dtype
    exponents : tuple of int, one for every column
    """

    integers: Integers
    exponents: tuple[int, ...]

    @classmethod
    def of(cls, rows: "Iterable[Iterable[Any]] | NDArray[Any]", exponents: Sequence[int] | None = None) -> "Matrix":
        """Take rows of integers; without exponents they are the numbers themselves."""
        if isinstance(rows, np.ndarray) and rows.dtype != object:
            integers = rows.astype(object)
        else:  # int, because NumPy's integers would wrap
            integers = np.array([[int(value) for value in row] for row in rows], dtype=object)
        return cls(integers, tuple(exponents) if exponents is not None else (0,) * integers.shape[1])

    @classmethod
    def of_floats(cls, values: NDArray[np.float64]) -> "Matrix":
        """Take binary64 numbers, as the dyadic fractions that they are."""
        columns = [[Fraction(value) for value in column] for column in values.T.tolist()]
        exponents = [1 - max(value.denominator for value in column).bit_length() for column in columns]
        scaled = [[int(v / Fraction(2) ** e) for v in column] for column, e in zip(columns, exponents, strict=True)]
        return cls.of(zip(*scaled, strict=True), exponents)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.integers.shape[0], self.integers.shape[1]

    def with_common_exponent(self) -> "Matrix":
        """Return the same numbers with one exponent for all columns, the least."""
        least = min(self.exponents)
        shifts = np.array([exponent - least for exponent in self.exponents], dtype=object)
        return Matrix(np.left_shift(self.integers, shifts), (least,) * len(self.exponents))

    def floats(self) -> NDArray[np.float64]:
        """Return the numbers as binary64.

        Raises
        ------
        NotRepresentableError
            If one of them would be rounded.

        Examples
        --------
        >>> Matrix.of([[3, 1]], [-2, 900]).floats()[0].tolist() == [0.75, 2.0**900]
        True
        """
        if int(np.abs(self.integers).max(initial=0)).bit_length() > _MANTISSA_BITS:
            return self._floats_one_by_one()
        exponents = np.array(self.exponents)
        whole = self.integers.astype(np.float64)
        with np.errstate(over="ignore"):
            values: NDArray[np.float64] = np.ldexp(whole, exponents)
            if not (np.isfinite(values).all() and (np.ldexp(values, -exponents) == whole).all()):
                raise NotRepresentableError("a number is beyond the range of binary64")
        return values

    def _floats_one_by_one(self) -> NDArray[np.float64]:
        rows = self.integers.tolist()
        return np.array([[_float(v, e) for v, e in zip(row, self.exponents, strict=True)] for row in rows])


def _float(integer: int, exponent: int) -> float:
    """Return ``integer * 2**exponent``, or raise where it would be rounded."""
    exact = integer * Fraction(2) ** exponent
    try:
        value = float(exact)
    except OverflowError:
        value = inf
    if value != exact:
        raise NotRepresentableError("a number has more than 53 significant bits, or is beyond the range of binary64")
    return value
