"""Points of the two convex hulls: their distance bounds every margin from above, and each proposes a hyperplane."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.exact.dyadic import Integers, as_fraction, as_integers, sqrt_up
from maxmargin.solvers.exact.products import exact_sums
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import enclose_excess


def integer_weights(weights: NDArray[Any]) -> tuple[Rows, list[int]]:
    """Return the rows of positive weight and these weights as integers, up to a common factor.

    Parameters
    ----------
    weights : ndarray (n_samples,) of float64 or integers
        Entries that are not positive count as zero.
    """
    rows = np.flatnonzero(weights > 0)
    if np.issubdtype(weights.dtype, np.integer):
        return rows, [int(weight) for weight in weights[rows].tolist()]
    return rows, as_integers(weights[rows])[0].tolist()


def weighted_sum(problem: Problem, rows: Rows, weights: Sequence[int] | Integers) -> tuple[list[int], int]:
    """Return ``(sums, exponent)``: ``sum_i weights_i x_i = sums * 2**exponent``, exactly.

    Weights in several columns give as many sums, one after another.
    """
    factors, n_at_once = np.asarray(weights, dtype=object), problem.sizes.integer_rows
    if not len(rows):
        return [0] * (problem.n_features * (1 if factors.ndim == 1 else factors.shape[1])), 0
    if problem.integers is not None:
        return factors.T.dot(problem.integers[rows]).ravel().tolist(), 0
    if problem.is_sparse or len(rows) <= n_at_once:
        return exact_sums(problem.row_source[rows], factors)
    order = np.argsort(rows, kind="stable")
    chunks = problem.map(partial(_sums_of_chunk, rows[order], factors[order], n_at_once))
    return reduce(lambda left, right: add_scaled(*left, *right), (part for chunk in chunks for part in chunk))


def _sums_of_chunk(wanted: Rows, factors: Integers, n_at_once: int, rows: slice, X: Any) -> list[tuple[list[int], int]]:
    """Return the sums of the wanted rows that are in the chunk; they come in increasing order."""
    first, last = np.searchsorted(wanted, (rows.start, rows.stop))
    positions, own = wanted[first:last] - rows.start, factors[first:last]
    return [exact_sums(X[positions[part]], own[part]) for part in slices(len(own), n_at_once)]


def margin_upper_bound_squared(problem: Problem, weights: NDArray[Any], rows: Rows | None = None) -> Fraction | None:
    """Return the square of an upper bound of the maximum margin, from weights of the rows.

    With bias the bound is half the distance of the two weighted means of the classes, which are points of their
    convex hulls; through the origin it is the norm of the weighted mean of the ``y_i x_i``. The weights belong to
    all rows, or to the given ones.

    Returns
    -------
    Fraction or None
        None if a class (through the origin: every row) has no positive weight.
    """
    positions, integers = integer_weights(weights)
    return squared_upper(problem, positions if rows is None else rows[positions], integers)


def squared_upper(problem: Problem, rows: Rows, weights: Sequence[int]) -> Fraction | None:
    """Return the square of the bound that positive weights of some rows give, as `margin_upper_bound_squared`."""
    sums = ClassSums.of(problem, rows, weights)
    return sums.half_distance_squared() if problem.bias else sums.mean_norm_squared()


def proven_upper(problem: Problem, weights: Floats, rows: Rows | None = None) -> float:
    """Return the bound of the maximum margin that the weights give, rounded up; infinity where they give none.

    The weights belong to all rows, or to the given ones.
    """
    if not np.isfinite(weights).all():
        return math.inf
    square = margin_upper_bound_squared(problem, weights, rows)
    return math.inf if square is None else sqrt_up(square)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSums:
    """The sums of the rows of either class with integer weights, in units of 2**exponent, and the sums of the weights.

    Attributes
    ----------
    negative, positive : list of int
    n_negative, n_positive : int
    exponent : int
    """

    negative: list[int]
    positive: list[int]
    n_negative: int
    n_positive: int
    exponent: int

    @classmethod
    def of(cls, problem: Problem, rows: Rows, weights: Sequence[int]) -> "ClassSums":
        """Sum the rows, whose weights are positive, in one pass."""
        return cls.of_classes(problem.y[rows], weights, partial(weighted_sum, problem, rows))

    @classmethod
    def of_classes(
        cls, y: Floats, weights: Sequence[int] | Integers, sums_of: Callable[[Integers], tuple[list[int], int]]
    ) -> "ClassSums":
        """Sum rows with these signs by a function of their weights, which come in a column for either class."""
        by_class: Integers = np.zeros((len(y), 2), dtype=object)
        by_class[np.arange(len(y)), (y > 0).astype(int)] = weights
        return cls._of_halves(*sums_of(by_class), *by_class.sum(axis=0).tolist())

    @classmethod
    def _of_halves(cls, sums: list[int], exponent: int, n_negative: int, n_positive: int) -> "ClassSums":
        negative, positive = sums[: len(sums) // 2], sums[len(sums) // 2 :]
        counts = {"n_negative": n_negative, "n_positive": n_positive}
        return cls(negative=negative, positive=positive, exponent=exponent, **counts)

    def plus(self, other: "ClassSums") -> "ClassSums":
        """Return the sums for the sums of the weights."""
        sums, exponent = add_scaled(
            self.negative + self.positive, self.exponent, other.negative + other.positive, other.exponent
        )
        n_negative, n_positive = self.n_negative + other.n_negative, self.n_positive + other.n_positive
        return self._of_halves(sums, exponent, n_negative, n_positive)

    def half_distance_squared(self) -> Fraction | None:
        """Return the square of half the distance of the weighted class means; None if a class has no weight."""
        if not (self.n_negative and self.n_positive):
            return None
        return self.square(self.n_positive, self.n_negative) / (2 * self.n_negative * self.n_positive) ** 2

    def mean_norm_squared(self, bias_scale: Fraction = Fraction(0)) -> Fraction | None:
        """Return ``||sum_i c_i y_i (x_i, s) / sum_i c_i||^2`` for the weights c and a constant coordinate s."""
        total = self.n_negative + self.n_positive
        if not total:
            return None
        return (self.square(1, 1) + ((self.n_positive - self.n_negative) * bias_scale) ** 2) / total**2

    def square(self, of_negative: int, of_positive: int) -> Fraction:
        """Return ``||p P - n N||^2`` for the sums P and N of the classes and the factors p and n."""
        pairs = zip(self.negative, self.positive, strict=True)
        return as_fraction(sum((of_positive * p - of_negative * n) ** 2 for n, p in pairs), 2 * self.exponent)


def balanced_sum(problem: Problem, weights: Floats) -> tuple[Fraction, Fraction]:
    """Return ``(sum a_i, ||sum a_i y_i x_i||^2)`` exactly, after the heavier class is scaled down to balance the other.

    Through the origin nothing is scaled. If a class has no positive weight all become zero.
    """
    rows = np.flatnonzero(weights > 0)
    integers, exponent = as_integers(weights[rows])
    unit = as_fraction(1, exponent)
    if not problem.bias:
        total, total_exponent = weighted_sum(problem, rows, integers * problem.signs(rows))
        square = as_fraction(sum(v * v for v in total), 2 * total_exponent)
        return sum(integers.tolist()) * unit, square * unit**2
    sums = ClassSums.of(problem, rows, integers.tolist())
    positive, negative = sums.n_positive, sums.n_negative
    if not (positive and negative):
        return Fraction(0), Fraction(0)
    # c_i * (total of the other class) balances; dividing by the greater total scales the heavier class down.
    scale = unit / max(positive, negative)
    return 2 * positive * negative * scale, sums.square(positive, negative) * scale**2


def add_scaled(left: list[int], left_exponent: int, right: list[int], right_exponent: int) -> tuple[list[int], int]:
    """Return the sum of two vectors whose entries count different powers of two."""
    exponent = min(left_exponent, right_exponent)
    up, down = left_exponent - exponent, right_exponent - exponent
    return [(a << up) + (b << down) for a, b in zip(left, right, strict=True)], exponent


def n_groups(problem: Problem) -> int:
    """Return the number G of fixed sums of weights: one for each class with bias, a single one through the origin."""
    return 2 if problem.bias else 1


def groups_of(problem: Problem, rows: Sequence[int] | Rows) -> list[int]:
    """Return the group of every row, from 0."""
    return list(((problem.y[np.asarray(rows)] > 0) & problem.bias).astype(int).tolist())


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
        rows = np.array(self.rows)
        return weighted_sum(self.problem, rows, np.array(self.weights, dtype=object) * self.problem.signs(rows))

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
            result += [int(product) * unit for product in (scores * self.problem.signs(part)).tolist()]
        return result

    def enclosures(self) -> tuple[Floats, Floats]:
        """Return vectors that enclose y(w.x + b) - 1 up to a positive factor, for every row."""
        V, exponent = self.direction
        factor = as_fraction(self._length_squared, exponent) / (n_groups(self.problem) * self.total)  # V = factor * w
        return enclose_excess(self.problem, [*map(Fraction, V), factor * self.offset, factor])
