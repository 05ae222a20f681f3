"""Rows and weights, or their functional margins, as Python's integers: exact, without a compiler, for short runs."""

from operator import add, mul

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.perceptron.engines.engine_choice import steps_of_a_presentation
from maxmargin.solvers.perceptron.engines.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.engines.float_engines import Engine
from maxmargin.solvers.perceptron.engines.row_units import signed_rows
from maxmargin.solvers.perceptron.kernels import pass_arguments as at
from maxmargin.solvers.perceptron.kernels.pass_arguments import Reason, Work
from maxmargin.solvers.problem.problem import Problem

# Matrix entries that compiled code reads in the time of one product of integers.
_ENTRIES_PER_PRODUCT = 40

# Largest Gram matrix of integers, in rows and in products that compute it, which saves more time in many orders than it
# takes.
_MOST_GRAM_ROWS, _MOST_GRAM_PRODUCTS = 256, 1 << 19

# Work of a mistake besides one unit for every row whose margin changes, in the units of `PerceptronSettings.short`.
_OF_A_MISTAKE = 16

Integers = list[int]


class IntegerEngine(Engine):
    """A vector of weights in units of a power of two; every number is exact.

    Parameters
    ----------
    problem : Problem
        Rows in memory, few and short enough to be written as integers.
    scale : float
        The constant coordinate s; 0 through the origin.

    Attributes
    ----------
    steps : tuple of int
        Work of a presentation and of a mistake, in the units of `PerceptronSettings.short`.
    """

    name, is_exact = "integers", True

    def __init__(self, problem: Problem, scale: float) -> None:
        integers, self.exponent = as_integers(signed_rows(problem, scale))
        self.added: list[tuple[int, ...]] = [tuple(row) for row in integers.tolist()]
        self.y, self.rounding = problem.y, np.zeros(3)
        self.weights = np.array([0] * len(self.added[0]), dtype=object)
        self.steps = steps_of_a_presentation(problem), 0
        self.entries_per_presentation = _ENTRIES_PER_PRODUCT * self.steps[0]

    def present(self, work: Work) -> Reason:
        """Do the work.

        This is the loop of `kernels.present_with` with lists and local variables in place of arrays, whose elements
        Python reads several times more slowly.
        """
        cursor, order, counts = work.cursor, work.order.tolist(), work.counts
        added, weights = self.added, self.weights.tolist()
        least = (self.y != work.zero_rule).astype(np.int64).tolist()  # of the margins, in integers, that are right
        position, epoch_position, epoch_mistakes = cursor[[at.POSITION, at.EPOCH_POSITION, at.EPOCH_MISTAKES]].tolist()
        mistaken: list[int] = []
        n_presented = n_epochs = 0
        reason = Reason.SLICE_IS_MADE
        while reason is Reason.SLICE_IS_MADE:
            if position == len(order):
                if not work.wraps:
                    reason = Reason.ORDER_IS_DONE
                    break
                position = 0
            if n_presented == work.most:
                break
            n_before, ahead = len(mistaken), min(work.epoch_length - epoch_position, work.most - n_presented)
            begin, end = position, min(len(order), position + ahead)
            while position < end and reason is Reason.SLICE_IS_MADE:
                position = self._mistake(order, position, end, weights, least)
                if position < end:
                    row = order[position]
                    position += 1
                    weights = list(map(add, weights, added[row]))
                    mistaken.append(row)
                    if len(mistaken) == len(work.log):
                        reason = Reason.LOG_IS_FULL
            n_presented += position - begin
            epoch_position += position - begin
            epoch_mistakes += len(mistaken) - n_before
            if epoch_position == work.epoch_length:
                work.epochs[n_epochs] = epoch_mistakes
                n_epochs += 1
                if epoch_mistakes == 0:
                    reason = Reason.EPOCH_WAS_CLEAN
                elif reason is Reason.SLICE_IS_MADE and n_epochs == len(work.epochs):
                    reason = Reason.EPOCHS_ARE_FULL
                epoch_position = epoch_mistakes = 0
        self.weights[:] = weights
        work.log[: len(mistaken)] = mistaken
        np.add.at(counts, mistaken, 1)
        cursor[[at.POSITION, at.EPOCH_POSITION, at.EPOCH_MISTAKES]] = position, epoch_position, epoch_mistakes
        cursor[[at.N_PRESENTED, at.N_LOGGED, at.N_EPOCHS]] = n_presented, len(mistaken), n_epochs
        cursor[[at.N_UNCERTAIN, at.N_DECIDED]] = 0
        return reason

    def _mistake(self, order: Integers, begin: int, end: int, weights: Integers, least: Integers) -> int:
        """Return the first position from ``begin`` on where the margin of the row is less; ``end`` if there is none."""
        rows = self.added
        for position in range(begin, end):
            row = order[position]
            if sum(map(mul, rows[row], weights)) < least[row]:
                return position
        return end

    def load(self, exact: ExactWeights, size: Floats) -> None:
        """Continue with these weights exactly."""
        self.weights[:] = list(map(int, exact.in_units_of(self.exponent)))


class IntegerGramEngine(IntegerEngine):
    """The functional margins of few rows, to which a mistake adds a row of the Gram matrix."""

    def __init__(self, problem: Problem, scale: float) -> None:
        super().__init__(problem, scale)
        self._rows = np.array(self.added, dtype=object)
        self.added = [tuple(row) for row in (self._rows @ self._rows.T).tolist()]
        self.weights = np.array([0] * problem.n_samples, dtype=object)
        self.steps = 2, _OF_A_MISTAKE + problem.n_samples

    def _mistake(self, order: Integers, begin: int, end: int, weights: Integers, least: Integers) -> int:
        for position in range(begin, end):
            row = order[position]
            if weights[row] < least[row]:
                return position
        return end

    def load(self, exact: ExactWeights, size: Floats) -> None:
        """Compute the functional margins of the weights."""
        self.weights[:] = self._rows @ list(map(int, exact.in_units_of(self.exponent)))


def engine_of_many_runs(problem: Problem, scale: float) -> IntegerEngine:
    """Return an engine for many runs from w = 0, in one order after another."""
    n, d = problem.n_samples, problem.n_features + 1
    is_small = n <= _MOST_GRAM_ROWS and n * n * d <= _MOST_GRAM_PRODUCTS
    return IntegerGramEngine(problem, scale) if is_small else IntegerEngine(problem, scale)
