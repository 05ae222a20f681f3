"""Weights of rows as exact products, and the floats between which they lie."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import (
    Integers,
    as_fraction,
    as_integers,
    exact_sum,
    over_common_denominator,
    round_down,
    round_up,
    without_denominators,
)

# Largest number of different numbers whose products are computed exactly; more are always rounded outwards.
_MOST_DISTINCT = 4096

# Every integer up to this one is a float.
_MOST_INTEGER = 1 << 53


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowWeights:
    """The weights v_i of rows: a number of the row times a fraction of its group, exactly.

    Attributes
    ----------
    numbers : ndarray (n_samples,)
        Nonnegative, finite.
    factors : tuple of Fraction
        Nonnegative, one for each group.
    groups : ndarray (n_samples,) of int, optional
        The group of every row; by default there is one group.
    """

    numbers: Floats
    factors: tuple[Fraction, ...] = (Fraction(1),)
    groups: NDArray[np.int64] | None = None

    @property
    def are_positive(self) -> Mask:
        """Whether the exact weights are positive."""
        factors = np.array([factor > 0 for factor in self.factors])
        return np.asarray((self.numbers > 0) & (factors[0] if self.groups is None else factors[self.groups]))

    def times(self, C: float | Fraction = 1) -> tuple[Floats, Floats]:
        """Return floats below and above C v_i: equal or adjacent unless there are very many different numbers."""
        low, high = np.zeros((2, len(self.numbers)))
        for group, factor in enumerate(self.factors):
            rows = slice(None) if self.groups is None else np.flatnonzero(self.groups == group)
            low[rows], high[rows] = _products(self.numbers[rows], Fraction(C) * factor)
        return low, high

    @property
    def nearest(self) -> Floats:
        """The floats next to the weights."""
        if self.groups is None and self.factors[0] == 1:
            return self.numbers
        with np.errstate(over="ignore"):
            factors = np.array([float(factor) for factor in self.factors])
            result: Floats = self.numbers * (factors[0] if self.groups is None else factors[self.groups])
        return result

    @property
    def in_floats(self) -> Floats:
        """Floats that equal the weights up to a common factor if such are found at once, else the nearest ones."""
        low, high = self.times()
        if (low == high).all() or self.groups is None or not (self.numbers == 1).all():
            return self.nearest
        whole = without_denominators(self.factors)
        if max(whole) > _MOST_INTEGER:
            return self.nearest
        return np.array(whole, dtype=np.float64)[self.groups]

    def exactly(self) -> tuple[Integers, Fraction]:
        """Return the weights as integers, and their common unit."""
        integers, exponent = as_integers(self.numbers)
        factors, denominator = over_common_denominator(self.factors)
        groups = np.zeros(len(integers), dtype=np.int64) if self.groups is None else self.groups
        return integers * np.array(factors, dtype=object)[groups], as_fraction(1, exponent) / denominator

    def total(self, rows: Rows) -> Fraction:
        """Return the sum of the weights of rows without rounding."""
        groups = np.zeros(len(rows), dtype=np.int64) if self.groups is None else self.groups[rows]
        sums = (factor * exact_sum(self.numbers[rows[groups == g]]) for g, factor in enumerate(self.factors))
        return sum(sums, Fraction(0))

    def of_rows(self, rows: NDArray[np.int64]) -> "RowWeights":
        """Return the weights of some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return RowWeights(numbers=self.numbers[rows], factors=self.factors, groups=groups)


def numbers_of_rows(sample_weight: Any, n_samples: int) -> Floats:
    """Return the weights that a caller gives as one float per row.

    Raises
    ------
    InvalidProblemError
        Unless they are one finite nonnegative number per row.
    """
    try:
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidProblemError("sample_weight holds other things than numbers") from error
    if weights.shape != (n_samples,):
        raise InvalidProblemError(f"sample_weight has shape {weights.shape}; expected ({n_samples},)")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise InvalidProblemError("sample_weight holds negative numbers, NaN or infinity; expected numbers from 0")
    return weights


def checked(weights: RowWeights, signs: Floats) -> RowWeights:
    """Return the weights.

    Raises
    ------
    InvalidProblemError
        Unless their floats are finite, positive where the weights are, and positive somewhere in both classes.
    """
    nearest, are_positive = weights.nearest, weights.are_positive
    if not (np.isfinite(nearest).all() and (nearest[are_positive] > 0).all()):
        raise InvalidProblemError("sample_weight times class_weight is beyond the range of binary64")
    if len(np.unique(signs[are_positive])) < 2:
        raise InvalidProblemError("the weights leave one class only; expected positive ones in both")
    return weights


def _products(numbers: Floats, factor: Fraction) -> tuple[Floats, Floats]:
    """Return floats below and above the products."""
    if numbers.size and (numbers == numbers[0]).all():
        distinct, positions = numbers[:1], np.zeros(len(numbers), dtype=np.int64)
    else:
        distinct, positions = np.unique(numbers, return_inverse=True)
    if len(distinct) > _MOST_DISTINCT:
        with np.errstate(over="ignore"):
            low = np.maximum(np.nextafter(numbers * round_down(factor), -np.inf), 0.0)
            high = np.nextafter(numbers * round_up(factor), np.inf)
        return np.where(numbers > 0, low, 0.0), np.where(numbers > 0, high, 0.0)
    exact: Sequence[Fraction] = [Fraction(number) * factor for number in distinct.tolist()]
    return np.array([*map(round_down, exact)])[positions], np.array([*map(round_up, exact)])[positions]
