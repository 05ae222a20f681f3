"""The exact weights of a run: the sum of the mistaken rows, in integers."""

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from operator import mul

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import as_fraction, as_integers, sqrt_up
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import add_scaled, weighted_sum

Counts = NDArray[np.int64]

# Weights to start from, through the origin: integers, and the power of two that they count.
Start = tuple[list[int], int]

# Largest number of entries of dense rows that are converted to integers once, in advance.
_MOST_ENTRIES_AT_HAND = 2_000_000


class ExactWeights:
    """w = sum c_i y_i x_i and the weight of the constant coordinate, for the numbers c_i of mistakes so far.

    Parameters
    ----------
    problem : Problem
        If its rows are not in memory, `follow` takes a pass over them, and there is no `margin`.
    scale : float
        The constant coordinate s; 0 through the origin.
    start : Start, optional
        By default w = 0.
    """

    def __init__(self, problem: Problem, scale: float, start: Start | None = None) -> None:
        self._given = problem
        self.scale = Fraction(scale)
        self.counts = np.zeros(problem.n_samples, dtype=np.int64)
        self.sums, self.exponent = start or ([0] * problem.n_features, 0)
        self.balance = 0

    @cached_property
    def _rows(self) -> tuple[Problem, int]:
        """The problem in integers that count 2**exponent, if it is small, and the exponent; computed when needed."""
        X = self._given.X
        if not isinstance(X, np.ndarray) or X.size > _MOST_ENTRIES_AT_HAND:
            return replace(self._given, integers=None, units=None), 0
        integers, exponent = as_integers(X)
        return replace(self._given, integers=integers, units=None), exponent

    def follow(self, counts: Counts) -> None:
        """Update the weights to these counts of mistakes on every row."""
        rows = np.flatnonzero(counts != self.counts)
        if not rows.size:
            return
        problem, unit = self._rows
        change = ((counts[rows] - self.counts[rows]) * problem.y[rows].astype(np.int64)).tolist()
        sums, exponent = weighted_sum(problem, rows, change)
        self.sums, self.exponent = add_scaled(self.sums, self.exponent, sums, exponent + unit)
        self.balance += sum(change)
        self.counts = counts.copy()

    def margin(self, row: int) -> Fraction:
        """Return the functional margin y w.x of a row in the space (x, s)."""
        problem, unit = self._rows
        entries, exponent = problem.exact_rows(np.array([row]))
        score = sum(map(mul, self.sums, entries[0].tolist()))
        exact = as_fraction(score, self.exponent + exponent + unit) + self.balance * self.scale**2
        return int(problem.y[row]) * exact

    def is_mistake(self, row: int, zero_rule: int) -> bool:
        """Return whether the row is a mistake; at a score of 0 the rule predicts its own sign, or nothing if 0."""
        margin = self.margin(row)
        return margin < 0 or (margin == 0 and zero_rule != self._given.y[row])

    def rounded(self, exponent: int) -> Floats:
        """Return the weights divided by 2**exponent, rounded to nearest."""
        return np.array(list(map(float, self.in_units_of(exponent))))

    def in_units_of(self, exponent: int) -> list[Fraction]:
        """Return the weights divided by 2**exponent; the weight of the constant coordinate is the last one."""
        unit = as_fraction(1, self.exponent - exponent)
        return [*(value * unit for value in self.sums), self.balance * self.scale * as_fraction(1, -exponent)]

    def norm(self, exponent: int) -> float:
        """Return the norm of the weights divided by 2**exponent, rounded up."""
        square = as_fraction(sum(value * value for value in self.sums), 2 * self.exponent)
        return sqrt_up((square + (self.balance * self.scale) ** 2) * as_fraction(1, -2 * exponent))
