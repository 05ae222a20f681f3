"""The best primal point and the best dual point found so far, the proven interval between them, and the solver runs."""

import sys
from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np

from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun


@dataclass(slots=True, kw_only=True)
class Bracket:
    """A proven interval that candidates narrow; each question keeps its own points and proves its own ends.

    Attributes
    ----------
    lower, upper : float
        The proven ends.
    engine : str
        What proposed the best hyperplane.
    attempts : list of SolverRun
        The solver runs, in order.
    stopped_early : bool
        Whether the last solver reported that it stopped at a limit.
    """

    lower: float = field(default=0.0, init=False)
    upper: float = field(default=np.inf, init=False)
    engine: str = field(default="none", init=False)
    attempts: list[SolverRun] = field(default_factory=list, init=False)
    stopped_early: bool = field(default=False, init=False)

    def offer(self, candidate: Candidate) -> None:
        """Record the solver run, and keep the parts of the candidate that narrow the interval."""
        self.attempts.append(candidate.attempt)
        self.stopped_early = candidate.stopped_early
        if candidate.w is not None and np.isfinite(candidate.w).all():
            self.offer_normal(candidate.w, candidate.engine)
        if candidate.multipliers is not None and not np.isnan(candidate.multipliers).any():
            self.offer_weights(candidate.multipliers)

    @abstractmethod
    def offer_normal(self, w: Floats, engine: str) -> None:
        """Keep the hyperplane with this normal, which is finite, if it narrows the interval."""

    @abstractmethod
    def offer_weights(self, weights: Floats) -> None:
        """Keep the multipliers of all rows, none of which is NaN, if they narrow the interval."""

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C stopped the last solver."""
        return bool(self.attempts) and self.attempts[-1].status == INTERRUPTED

    @property
    def relative_gap(self) -> float:
        """(upper - lower)/upper; 1 while the upper end is infinite."""
        if self.upper > sys.float_info.max:
            return 1.0
        return (self.upper - self.lower) / self.upper if self.upper > 0 else 0.0

    def status_at(self, narrow: float, *, is_limited: bool) -> Status:
        """Return `optimal` up to this relative gap; beyond it, say whether a limit or the numerics are the cause."""
        if self.relative_gap <= narrow:
            return Status.OPTIMAL
        return Status.LIMIT if is_limited else Status.NUMERICAL
