"""Combinations of the rows in rational arithmetic: points of the hulls, and the hyperplane each one proposes."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.exact.dyadic import as_fraction, nearest_floats
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import weighted_sum
from maxmargin.solvers.proof.margins import enclose_functional_margins

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


def n_groups(problem: Problem) -> int:
    """Return the number G of fixed sums of weights: one for each class with bias, a single one through the origin."""
    return 2 if problem.bias else 1


def groups_of(problem: Problem, rows: Sequence[int] | Rows) -> list[int]:
    """Return the group of every row, from 0."""
    groups: list[int] = ((problem.y[np.asarray(rows)] > 0) & problem.bias).astype(int).tolist()
    return groups


@dataclass(frozen=True)
class HullPoint:
    """The vector v = sum c_i z_i of the rows z = y x, with weights c of sum 1 in each group.

    With bias v joins a point of the hull of the negative rows to a point of the hull of the positive rows; through the
    origin it is a point of the hull of the z. In both cases the maximum margin is at most ||v||/G.

    Attributes
    ----------
    problem : Problem
    rows : tuple of int
        Different from one another, some in every group.
    weights : tuple of int
        The c times ``total``; they may be negative while an algorithm runs.
    total : int
        Positive.
    """

    problem: Problem
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    total: int

    @cached_property
    def direction(self) -> tuple[list[int], int]:
        """``(V, e)`` with ``v = V * 2**e / total``, summed from the rows as stored."""
        signs = self.problem.y[list(self.rows)].tolist()
        signed = [c if sign > 0 else -c for c, sign in zip(self.weights, signs, strict=True)]
        return weighted_sum(self.problem, np.array(self.rows), signed)

    @cached_property
    def _length_squared(self) -> int:
        return sum(value * value for value in self.direction[0])

    @cached_property
    def margin_squared(self) -> Fraction:
        """``(||v||/G)^2``; for positive weights no margin is greater."""
        square = as_fraction(self._length_squared, 2 * self.direction[1])
        return square / (n_groups(self.problem) * self.total) ** 2

    @cached_property
    def normal(self) -> tuple[Fraction, ...]:
        """``w = G v/||v||^2``."""
        V, exponent = self.direction
        factor = n_groups(self.problem) * self.total
        unit = as_fraction(1, -exponent)
        return tuple(Fraction(factor * value, self._length_squared) * unit for value in V)

    @cached_property
    def offset(self) -> Fraction:
        """The b with y(w.x + b) = 1 on the first row; 0 through the origin."""
        if not self.problem.bias:
            return Fraction(0)
        G = n_groups(self.problem)
        product = self.products(self.rows[:1])[0] / (G * self.margin_squared)  # w.z
        return (1 - product) * int(self.problem.y[self.rows[0]])

    @property
    def multipliers(self) -> dict[int, Fraction]:
        """The multipliers alpha = G c/||v||^2 of the constraints y(w.x + b) >= 1, for which w = sum alpha y x."""
        factor = 1 / (n_groups(self.problem) * self.total * self.margin_squared)
        return {row: weight * factor for row, weight in zip(self.rows, self.weights, strict=True)}

    def rounded_weights(self) -> Floats:
        """Return the c of all rows as binary64."""
        result = np.zeros(self.problem.n_samples)
        result[list(self.rows)] = [weight / self.total for weight in self.weights]
        return result

    def products(self, rows: Sequence[int] | Rows) -> list[Fraction]:
        """Return v.z of the given rows."""
        V, exponent = self.direction
        V_array = np.array(V, dtype=object)
        result: list[Fraction] = []
        positions = np.asarray(rows, dtype=np.int64)
        for chunk in slices(len(positions), self.problem.sizes.integer_rows):
            part = positions[chunk]
            scores, part_exponent = self.problem.exact_products(part, self.problem.row_source[part], V_array)
            unit = as_fraction(1, exponent + part_exponent) / self.total
            signs = self.problem.y[part].astype(np.int64).astype(object)
            result += [int(product) * unit for product in (scores * signs).tolist()]
        return result

    def enclosures(self) -> tuple[Floats, Floats]:
        """Return vectors that enclose y(w.x + b) - 1 up to a positive factor, for every row."""
        V, exponent = self.direction
        factor = as_fraction(self._length_squared, exponent) / (n_groups(self.problem) * self.total)  # V = factor * w
        rounded = nearest_floats([*map(Fraction, V), factor * self.offset, factor])
        if rounded is None:
            return np.full(self.problem.n_samples, -np.inf), np.full(self.problem.n_samples, np.inf)
        lower, upper = enclose_functional_margins(self.problem, rounded[:-2], float(rounded[-2]))
        # The last entry is a rounding of the factor; a difference of floats has the sign of the exact difference.
        with np.errstate(over="ignore"):  # an end that overflows is infinite, on its own side
            return lower - np.nextafter(rounded[-1], np.inf), upper - np.nextafter(rounded[-1], -np.inf)
