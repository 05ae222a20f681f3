"""The best normal and the best weights of a mistake bound seen so far, with what they prove."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.bracket import Bracket
from maxmargin.solvers.exact.dyadic import round_up
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.proof.mistake_bounds import Loss, separating_value, value_at, value_of_weights
from maxmargin.solvers.soft_margin.soft_bracket import slack_of
from maxmargin.solvers.tightest_bound.tightest_solution import TightestBound

Floats = NDArray[np.float64]

RELATIVE_GAP = 1e-9
"""Largest relative width (upper - lower)/upper of an interval that counts as `optimal`."""


@dataclass(slots=True)
class TightestBracket(Bracket):
    """A normal v and weights of the rows, each the best of its kind; at first 0 and equal weights.

    Parameters
    ----------
    problem : Problem
        The rows of the run, without a bias of their own.
    n_passes : int
    loss : Loss
    """

    problem: Problem
    n_passes: int
    loss: Loss
    square: Fraction = field(init=False)
    v: Floats = field(init=False)
    weights: Floats = field(init=False)
    separates: bool = False
    n_iterations: int = 0

    def __post_init__(self) -> None:
        self.square = radius_squared(self.problem)
        self.v = np.zeros(self.problem.n_features)
        self.upper = round_up(Fraction(self.problem.n_samples * self.n_passes))
        self.offer_weights(np.ones(self.problem.n_samples))

    def offer_normal(self, w: Floats, engine: str) -> None:
        """Keep v = w, or v over its least margin, if the bound is less there."""
        if not np.isfinite(w).all():
            return
        least = 1.0 - float(slack_of(self.problem, w, 0.0).max())
        self._offer_value(w, value_at(self.problem, w, self.n_passes, self.square, self.loss), engine)
        if least > 0:
            self.separates = True
            with np.errstate(over="ignore"):
                scaled = w / least
            if np.isfinite(scaled).all():
                self._offer_value(scaled, separating_value(self.problem, scaled, self.square), engine)

    def _offer_value(self, v: Floats, value: float, engine: str) -> None:
        if value < self.upper and np.isfinite(v).all():
            self.v, self.upper, self.engine = v, value, engine

    def offer_weights(self, weights: Floats) -> None:
        """Keep weights that prove more; entries that are not positive count as zero."""
        if not np.isfinite(weights).all():
            return
        weights = np.maximum(weights, 0.0)
        lower = value_of_weights(self.problem, weights, self.n_passes, self.square, self.loss)
        if lower > self.lower:
            self.weights, self.lower = weights, lower

    def solution(self, reason: str = "") -> TightestBound:
        """Return the result."""
        return TightestBound(
            status=self.status_at(RELATIVE_GAP, is_limited=bool(reason)),
            loss=self.loss,
            n_passes=self.n_passes,
            v=self.v,
            lower=self.lower,
            upper=self.upper,
            weights=self.weights,
            engine=self.engine,
            n_iterations=self.n_iterations,
            attempts=tuple(self.attempts),
            reason=reason,
        )
