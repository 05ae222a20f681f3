"""The search for the best mistake bound along the solutions of a support vector machine.

With z_i = y_i x_i, let v solve min price/2 ||v||^2 + sum l(1 - z_i.v), where l(t) is t_+ or 1/2 t_+^2, and let the a_i
be its multipliers, divided by their sum: price v is proportional to sum a_i z_i. As the price rises, the pull
||sum a_i z_i||^2/R^2 rises and the spread, max a_i/E or ||a||^2/E, falls (the a_i minimise pull + constant * spread).
Where they are equal both ends of the bound meet (see `maxmargin.solvers.proof.mistake_bounds`); as the price goes to
infinity v goes to 0, and as it goes to 0, v goes to the maximum margin, if there is one.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]

_MOST_PLACES = 40

_FIRST_SLOPE = 1.0
"""Of the logarithm of pull/spread against that of the price: it is at most 2 for a squared loss."""

_LONGEST_STEP = 3.0
"""Of the logarithm of the price."""

_OVERSHOOT = 1.05
"""Of a step from places on one side: the next one had better be on the other."""

_BISECTIONS = 60

_TINY = 1e-300
"""For a pull that is 0, which has no logarithm."""


class Place(NamedTuple):
    """A solution.

    Attributes
    ----------
    price : float
    v : ndarray (n_features,)
    weights : ndarray (n_samples,)
        The a_i >= 0; they sum to 1.
    image : ndarray (n_features,)
        sum a_i z_i.
    spread, pull : float
    value : float
        The bound that v gives.
    lack : ndarray (n_samples,)
        The 1 - z_i.v.
    """

    price: float
    v: Floats
    weights: Floats
    image: Floats
    spread: float
    pull: float
    value: float
    lack: Floats

    @property
    def lower(self) -> float:
        """The bound of the least value that the weights give."""
        return 1.0 / max(self.spread, self.pull)

    @property
    def imbalance(self) -> float:
        """The logarithm of pull/spread, which rises with the price."""
        return math.log(max(self.pull, _TINY) / self.spread)


class Family(ABC):
    """The solutions for all prices.

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
    def at(self, price: float, near: Floats | None) -> Place:
        """Return the solution for a price; `near` is that for one nearby."""

    @abstractmethod
    def spread(self, weights: Floats) -> float:
        """Return max a_i/E or ||a||^2/E."""

    @abstractmethod
    def value(self, length: float, slack: Floats) -> float:
        """Return the bound that v gives, where R ||v|| is the length."""

    def between(self, low: Place, high: Place, share: float) -> Place:
        """Return the place with v and the weights a share of the way from one to another; both are linear."""
        names = ("v", "weights", "image", "lack")
        parts = ((1 - share) * getattr(low, name) + share * getattr(high, name) for name in names)
        return self.place(low.price ** (1 - share) * high.price**share, *parts)

    def place(self, price: float, v: Floats, weights: Floats, image: Floats, lack: Floats) -> Place:
        """Return a solution with what it proves."""
        pull = float(image @ image) / self.radius**2
        value = self.value(self.radius * math.sqrt(v @ v), np.maximum(lack, 0.0))
        return Place(price, v, weights, image, self.spread(weights), pull, value, lack)


@dataclass(slots=True)
class Search:
    """The best of what a search has seen.

    Attributes
    ----------
    family : Family
    price : float
        To look at next.
    near : ndarray (n_features,) or None
        v near the solution for it.
    gap : float
        Relative width of the interval at which it ends.
    best, best_lower : Place or None
        With the least value, and with the greatest lower bound.
    n_places : int
    low, high : Place or None
        The last ones where the spread exceeds the pull, and where it does not.
    """

    family: Family
    price: float
    near: Floats | None = None
    gap: float = 0.0
    best: Place | None = None
    best_lower: Place | None = None
    n_places: int = 0
    low: Place | None = None
    high: Place | None = None

    def run(self, least_lack: float, is_over: Callable[[], bool] = never) -> None:
        """Look at one price after another, until the ends meet, none is left to look at, or the time is over.

        Parameters
        ----------
        least_lack : float
            Of the rows, the greatest: where that is less and the price should fall further, the search pauses.
        is_over : callable
            Asked after every price but the first.

        Raises
        ------
        ArithmeticError, numpy.linalg.LinAlgError
            If a solution is not found; what was seen before is kept.
        """
        before: Place | None = None
        for _ in range(_MOST_PLACES):
            place = self.family.at(self.price, self.near)
            self.n_places += 1
            self._keep(place)
            self.near = place.v
            if self._has_met() or (place.imbalance > 0 and place.lack.max() <= least_lack):
                return
            self.price = self._next(place, before)
            if not 0 < self.price < math.inf or self.price == place.price or is_over():
                return
            before = place

    def _keep(self, place: Place) -> None:
        if place.imbalance <= 0:
            self.low = place
        else:
            self.high = place
        self._offer(place)
        if self.low is not None and self.high is not None:
            self._offer(self._balanced(self.low, self.high))

    def _offer(self, place: Place) -> None:
        if self.best is None or place.value < self.best.value:
            self.best = place
        if self.best_lower is None or place.lower > self.best_lower.lower:
            self.best_lower = place

    def _has_met(self) -> bool:
        assert self.best is not None and self.best_lower is not None
        return self.best.value - self.best_lower.lower <= self.gap * self.best.value

    def _balanced(self, low: Place, high: Place) -> Place:
        """Return a place between, where pull and spread are about equal."""
        cross = float(high.image @ low.image) * high.pull / float(high.image @ high.image)
        left, right = 0.0, 1.0
        for _ in range(_BISECTIONS):
            t = (left + right) / 2
            pull = (1 - t) ** 2 * low.pull + 2 * t * (1 - t) * cross + t**2 * high.pull
            spread = (1 - t) * low.spread + t * high.spread
            left, right = (t, right) if pull < spread else (left, t)
        return self.family.between(low, high, (left + right) / 2)

    def _next(self, place: Place, before: Place | None) -> float:
        """Return the price where a secant of the imbalance has its root; between prices on either side of it."""
        slope = _FIRST_SLOPE
        if before is not None:
            rise = (place.imbalance - before.imbalance) / math.log(place.price / before.price)
            slope = rise if rise > 0 else slope
        step = float(np.clip(-place.imbalance / slope, -_LONGEST_STEP, _LONGEST_STEP))
        if self.low is None or self.high is None:
            return place.price * math.exp(_OVERSHOOT * step)
        left, width = math.log(self.low.price), math.log(self.high.price / self.low.price)
        share = (math.log(place.price) + step - left) / width
        return math.exp(left + (share if 0 < share < 1 else 1 / 2) * width)
