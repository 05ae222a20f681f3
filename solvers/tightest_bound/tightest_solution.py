"""The least value of a mistake bound, as a proven interval, and the best normal and weights seen so far."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.bracket import Bracket
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import round_up, width_of
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.proof.mistake_bounds import Loss, separating_value, value_at, value_of_weights
from maxmargin.solvers.soft_margin.soft_bracket import slack_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TightestBound:
    """The least value of a mistake bound over all v, as a proven interval.

    Attributes
    ----------
    status : Status
        `optimal` where the interval is narrow; ``upper`` is a bound of the mistakes for every status.
    loss : Loss
    n_passes : int
        How often every row is presented.
    v : ndarray (n_features,)
        The best normal found, in the space of the run; 0 gives the number of presentations.
    lower, upper : float
        Proven ends of the least value, outward rounded: the first from the weights, the second is the value at v,
        where v separates that over its least margin.
    weights : ndarray (n_samples,)
        Of the rows, in any unit: at the optimum they are proportional to the most mistakes that the bound allows.
    engine : str
        What computed v.
    n_iterations : int
        Solutions of a support vector machine that were looked at.
    attempts : tuple of SolverRun
    reason : str
        `WHAT_WAS_PROVEN` where Ctrl-C cut the work short, else empty.
    """

    status: Status
    loss: Loss
    n_passes: int
    v: Floats
    lower: float
    upper: float
    weights: Floats = field(repr=False)
    engine: str
    n_iterations: int
    attempts: tuple[SolverRun, ...] = ()
    reason: str = ""

    @property
    def gap(self) -> float:
        """``upper - lower``, rounded up."""
        return width_of(self.lower, self.upper)


# Largest relative width (upper - lower)/upper of an interval that counts as `optimal`.
RELATIVE_GAP = 1e-9


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
            status=self.status_at(RELATIVE_GAP, is_limited=bool(reason)), loss=self.loss, n_passes=self.n_passes,
            v=self.v, lower=self.lower, upper=self.upper, weights=self.weights, engine=self.engine,
            n_iterations=self.n_iterations, attempts=tuple(self.attempts), reason=reason,
        )  # fmt: skip
