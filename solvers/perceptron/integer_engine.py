"""Rows and weights as Python's integers: exact, without a compiler; the way of short runs."""

from operator import add, mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.engine_choice import steps_of_a_presentation
from maxmargin.solvers.perceptron.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.work import (
    EPOCH_MISTAKES,
    EPOCH_POSITION,
    N_DECIDED,
    N_EPOCHS,
    N_LOGGED,
    N_PRESENTED,
    N_UNCERTAIN,
    POSITION,
    Reason,
    Work,
)
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.dyadic import as_integers

Floats = NDArray[np.float64]

_LIKE_SO_MANY_ENTRIES = 40
"""Numbers that compiled code reads in the time of one product of integers."""


class IntegerEngine:
    """A vector of weights in units of a power of two; every number is exact.

    Parameters
    ----------
    problem : Problem
        Rows in memory, few and short enough to be written as integers.
    scale : float
        The constant coordinate s; 0 through the origin.
    """

    name, is_exact = "integers", True

    def __init__(self, problem: Problem, scale: float) -> None:
        constant = np.full((problem.n_samples, 1), scale)
        integers, self.exponent = as_integers(np.hstack([problem.dense_rows(slice(None)), constant]))
        signs = problem.y.astype(np.int64).astype(object)
        self.rows: list[tuple[int, ...]] = [tuple(row) for row in (integers * signs[:, np.newaxis]).tolist()]
        self.y, self.rounding = problem.y, np.zeros(3)
        self.weights: Any = np.array([0] * (problem.n_features + 1), dtype=object)
        self.entries_per_presentation = _LIKE_SO_MANY_ENTRIES * steps_of_a_presentation(problem)

    def present(self, work: Work) -> Reason:
        """Do the work."""
        cursor, order, counts = work.cursor, work.order.tolist(), work.counts
        rows, weights = self.rows, self.weights.tolist()
        zero_is_right = (self.y == work.zero_rule).tolist()
        position, epoch_position, epoch_mistakes = cursor[[POSITION, EPOCH_POSITION, EPOCH_MISTAKES]].tolist()
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
            begin = position
            for row in order[begin : begin + ahead]:
                position += 1
                score = sum(map(mul, rows[row], weights))
                if score < 0 or (score == 0 and not zero_is_right[row]):
                    weights = list(map(add, weights, rows[row]))
                    mistaken.append(row)
                    if len(mistaken) == len(work.log):
                        reason = Reason.LOG_IS_FULL
                        break
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
        cursor[[POSITION, EPOCH_POSITION, EPOCH_MISTAKES]] = position, epoch_position, epoch_mistakes
        cursor[[N_PRESENTED, N_LOGGED, N_EPOCHS]] = n_presented, len(mistaken), n_epochs
        cursor[[N_UNCERTAIN, N_DECIDED]] = 0
        return reason

    def load(self, exact: ExactWeights, size: Floats) -> None:
        """Take the weights over, as they are."""
        self.weights[:] = exact.in_units_of(self.exponent)

    def state(self) -> Any:
        """Return the weights."""
        return self.weights
