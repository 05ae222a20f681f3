"""The search for the best mistake bound along the solutions of a support vector machine.

With z_i = y_i x_i, let v solve min penalty/2 ||v||^2 + sum l(1 - z_i.v), where l(t) is t_+ or 1/2 t_+^2, and let the
a_i be its multipliers, divided by their sum, so that v is proportional to sum a_i z_i. As the penalty rises, the pull
||sum a_i z_i||^2/R^2 rises and the spread, max a_i/E or ||a||^2/E, falls (the a_i minimise pull + constant * spread).
Where they are equal both ends of the bound meet (see `maxmargin.solvers.proof.mistake_bounds`). As the penalty goes to
infinity v goes to 0; as the penalty goes to 0, v goes to the maximum margin, if there is one.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.problem.problem import Problem

_MOST_POINTS = 40

# Assumed derivative of log(pull/spread) with respect to log(penalty) before two points are known.
_FIRST_SLOPE = 1.0

# Largest change of the logarithm of the penalty in one step.
_LONGEST_STEP = 3.0

# Factor by which a step is lengthened while all points are on one side, so that the next one is on the other.
_OVERSHOOT = 1.05

_BISECTIONS = 60

# Number that replaces a pull of 0, which has no logarithm.
_TINY = 1e-300


class PathPoint(NamedTuple):
    """A solution.

    Attributes
    ----------
    penalty : float
    v : ndarray (n_features,)
    weights : ndarray (n_samples,)
        The a_i >= 0; they sum to 1.
    image : ndarray (n_features,)
        sum a_i z_i.
    spread, pull : float
    value : float
        The bound that v gives.
    signed_slack : ndarray (n_samples,)
        The 1 - z_i.v.
    """

    penalty: float
    v: Floats
    weights: Floats
    image: Floats
    spread: float
    pull: float
    value: float
    signed_slack: Floats

    @property
    def lower(self) -> float:
        """The bound of the least value that the weights give."""
        return 1.0 / max(self.spread, self.pull)

    @property
    def imbalance(self) -> float:
        """The logarithm of pull/spread, which rises with the penalty."""
        return math.log(max(self.pull, _TINY) / self.spread)


class PenaltyFamily(ABC):
    """The solutions for all penalties.

    Parameters
    ----------
    problem : Problem
    n_passes : float
        E.
    radius : float
        R.
    """

    def __init__(self, problem: Problem, n_passes: float, radius: float) -> None:
        self.problem, self.n_passes, self.radius = problem, n_passes, radius

    @abstractmethod
    def at(self, penalty: float, near: Floats | None) -> PathPoint:
        """Return the solution for a penalty; `near` is that for one nearby."""

    @abstractmethod
    def spread(self, weights: Floats) -> float:
        """Return max a_i/E or ||a||^2/E."""

    @abstractmethod
    def value(self, length: float, slack: Floats) -> float:
        """Return the bound that v gives, where R ||v|| is the length."""

    def between(self, low: PathPoint, high: PathPoint, share: float) -> PathPoint:
        """Return the point with v and the weights a share of the way from one to another; both are linear."""
        names = ("v", "weights", "image", "signed_slack")
        parts = ((1 - share) * getattr(low, name) + share * getattr(high, name) for name in names)
        return self.point(low.penalty ** (1 - share) * high.penalty**share, *parts)

    def point(self, penalty: float, v: Floats, weights: Floats, image: Floats, signed_slack: Floats) -> PathPoint:
        """Return a solution with the bounds that it proves."""
        pull = float(image @ image) / self.radius**2
        value = self.value(self.radius * math.sqrt(v @ v), np.maximum(signed_slack, 0.0))
        return PathPoint(penalty, v, weights, image, self.spread(weights), pull, value, signed_slack)


@dataclass(slots=True)
class Search:
    """The best results of a search.

    Attributes
    ----------
    family : PenaltyFamily
    penalty : float
        To look at next.
    near : ndarray (n_features,) or None
        v near the solution for it.
    gap : float
        Relative width of the interval at which it ends.
    best, best_lower : PathPoint or None
        With the least value, and with the greatest lower bound.
    n_points : int
    low, high : PathPoint or None
        The last ones where the spread exceeds the pull, and where it does not.
    """

    family: PenaltyFamily
    penalty: float
    near: Floats | None = None
    gap: float = 0.0
    best: PathPoint | None = None
    best_lower: PathPoint | None = None
    n_points: int = 0
    low: PathPoint | None = None
    high: PathPoint | None = None

    def run(self, least_slack: float, is_over: Callable[[], bool] = never) -> None:
        """Try one penalty after another, until the ends meet, no penalty is left, or the time is over.

        Parameters
        ----------
        least_slack : float
            Of the rows, the greatest: where that is less and the penalty should fall further, the search pauses.
        is_over : callable
            Asked after every penalty but the first.

        Raises
        ------
        ArithmeticError, numpy.linalg.LinAlgError
            If a solution is not found; what was seen before is kept.
        """
        before: PathPoint | None = None
        for _ in range(_MOST_POINTS):
            point = self.family.at(self.penalty, self.near)
            self.n_points += 1
            self._keep(point)
            self.near = point.v
            assert self.best is not None and self.best_lower is not None  # which `_keep` sees to
            has_met = self.best.value - self.best_lower.lower <= self.gap * self.best.value
            if has_met or (point.imbalance > 0 and point.signed_slack.max() <= least_slack):
                return
            self.penalty = self._next(point, before)
            if not 0 < self.penalty < math.inf or self.penalty == point.penalty or is_over():
                return
            before = point

    def _keep(self, point: PathPoint) -> None:
        if point.imbalance <= 0:
            self.low = point
        else:
            self.high = point
        self._offer(point)
        if self.low is not None and self.high is not None:
            self._offer(self._balanced(self.low, self.high))

    def _offer(self, point: PathPoint) -> None:
        if self.best is None or point.value < self.best.value:
            self.best = point
        if self.best_lower is None or point.lower > self.best_lower.lower:
            self.best_lower = point

    def _balanced(self, low: PathPoint, high: PathPoint) -> PathPoint:
        """Return a point between, where pull and spread are about equal."""
        cross = float(high.image @ low.image) * high.pull / float(high.image @ high.image)
        left, right = 0.0, 1.0
        for _ in range(_BISECTIONS):
            t = (left + right) / 2
            pull = (1 - t) ** 2 * low.pull + 2 * t * (1 - t) * cross + t**2 * high.pull
            spread = (1 - t) * low.spread + t * high.spread
            left, right = (t, right) if pull < spread else (left, t)
        return self.family.between(low, high, (left + right) / 2)

    def _next(self, point: PathPoint, before: PathPoint | None) -> float:
        """Return the penalty where a secant of the imbalance has its root; between penalties on either side of it."""
        slope = _FIRST_SLOPE
        if before is not None:
            rise = (point.imbalance - before.imbalance) / math.log(point.penalty / before.penalty)
            slope = rise if rise > 0 else slope
        step = float(np.clip(-point.imbalance / slope, -_LONGEST_STEP, _LONGEST_STEP))
        if self.low is None or self.high is None:
            return point.penalty * math.exp(_OVERSHOOT * step)
        left, width = math.log(self.low.penalty), math.log(self.high.penalty / self.low.penalty)
        share = (math.log(point.penalty) + step - left) / width
        return math.exp(left + (share if 0 < share < 1 else 1 / 2) * width)
