"""Products of rows with vectors of twice the precision of binary64, by products of matrices of binary64.

Numbers are cut into slices of so few bits that the products of the leading slices are sums without rounding (Ozaki,
Ogita, Oishi and Rump, Error-free transformations of matrix multiplication by using fast routines of matrix
multiplication and its applications, Numerical Algorithms 59, 2012). A vector of this precision is a pair of binary64
vectors, whose sum it is (Dekker, A floating-point technique for extending the available precision, Numerische
Mathematik 18, 1971).
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats

# Bits of the significand of binary64, and the factor that splits it into halves.
_BITS = 53
_SPLITTER = 2.0**27 + 1


class Pair(NamedTuple):
    """A vector ``high + low``, where `low` is at most about one rounding error of `high`."""

    high: Floats
    low: Floats

    @classmethod
    def of(cls, values: Floats) -> "Pair":
        """Return the numbers themselves."""
        return cls(values, np.zeros_like(values))

    def times(self, factor: float) -> "Pair":
        """Return the multiple."""
        product, error = _two_product(self.high, factor)
        return Pair(*_two_sum(product, error + self.low * factor))

    def plus(self, other: "Pair") -> "Pair":
        """Return the sum."""
        total, error = _two_sum(self.high, other.high)
        return Pair(*_two_sum(total, error + self.low + other.low))


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sum and its error, exactly (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: Floats, b: float) -> tuple[Floats, Floats]:
    """Return the rounded product and its error, exactly (Dekker), for numbers far from the ends of the range."""
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(np.full(1, b))
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: Floats) -> tuple[Floats, Floats]:
    large = _SPLITTER * a
    high = large - (large - a)
    return high, a - high


class SlicedRows:
    """Rows in three slices, whose sum times a power of two for each row they are.

    Parameters
    ----------
    X : ndarray (n_rows, n_columns)
        Numbers far from the ends of the range of binary64.
    """

    def __init__(self, X: Floats) -> None:
        # A product of two slices has twice the bits of each; the sum of n_columns of them, and of two such sums, more.
        self._bits = (_BITS - 2 - max(X.shape[1], 2).bit_length()) // 2
        self._X = X

    @cached_property
    def _units(self) -> Floats:
        units: Floats = np.ldexp(1.0, np.frexp(np.abs(self._X).max(axis=1, initial=0.0))[1])
        return units

    @cached_property
    def _slices(self) -> list[Floats]:
        return self._sliced(self._X / self._units[:, np.newaxis])

    def products(self, vector: Pair, offset: Pair | None = None) -> Floats:
        """Return ``X @ vector + offset``, as if computed exactly and rounded; the offset has one entry."""
        unit = np.ldexp(1.0, np.frexp(np.abs(vector.high).max(initial=0.0))[1])
        first, second, third = self._sliced(vector.high / unit)
        total, error = self._summed(np.stack([first, second, third + vector.low / unit], axis=1))
        total, error = total * self._units * unit, error * self._units * unit
        if offset is not None:
            total, more = _two_sum(total, offset.high)
            error += more + offset.low
        return np.asarray(total + error)

    def _sliced(self, values: Floats) -> list[Floats]:
        """Cut numbers of modulus 1 or less into slices."""
        slices = []
        for level in (1, 2):
            unit = 1.5 * 2.0 ** (_BITS - 1 - level * self._bits)  # adding it leaves multiples of 2^(-level bits)
            slices.append((values + unit) - unit)
            values = values - slices[-1]
        return [*slices, values]

    def _summed(self, vectors: Floats) -> tuple[Floats, Floats]:
        """Return the products with the sum of three slices: rounded sums, and what they lack."""
        (x1, x2, x3), (v1, v2, _) = self._slices, vectors.T
        of_first, of_second = x1 @ vectors, x2 @ vectors
        total, error = _two_sum(of_first[:, 0], of_first[:, 1] + of_second[:, 0])
        return total, error + (of_second[:, 1] + of_first[:, 2] + x3 @ v1 + (of_second[:, 2] + x3 @ v2))
