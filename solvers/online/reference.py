"""The facts that guarantees are compared with: the proven maximum margin of the run's space, and a vector u."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.limits import INSTANT, Limits
from maxmargin.solvers.exact.dyadic import as_fraction, round_down, round_up
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.online.guarantee import quotient
from maxmargin.solvers.online.norm_margin import NormMargin, greatest_margin
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.soft_margin.soft_margin import soft_margin
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Reference:
    """Proven facts on the rows of a run, each computed when it is first asked for.

    A theorem that holds for every u is checked with one u: the maximum-margin normal where the rows are strictly
    separable through the origin of the run's space, else the normal of the soft margin at C = 1.
    """

    space: Space
    time_limit: float | None = None
    """Seconds for all of them together; what is not proven by then leaves a guarantee open."""

    _spent: list[float] = field(default_factory=list, repr=False)
    _norm_margins: dict[float, NormMargin] = field(default_factory=dict, repr=False)
    _solved: dict[float, SoftMargin] = field(default_factory=dict, repr=False)

    @cached_property
    def hard(self) -> HardMargin:
        """The maximum margin through the origin of the run's space."""
        with self._in_time() as limits:
            return hard_margin(self.space.problem, time_limit=limits.share())

    @property
    def maximum(self) -> tuple[float, float]:
        """Proven ends of the maximum margin in the space of the run, in the user's units."""
        unit = as_fraction(1, self.space.exponent)
        return round_down(Fraction(self.hard.lower) * unit), round_up(Fraction(self.hard.upper) * unit)

    @property
    def is_separable(self) -> bool:
        """Whether a strictly separating u is proven, and the rows of the run are the user's."""
        return self.space.is_exact and self.hard.w is not None

    @property
    def is_out_of_time(self) -> bool:
        """Whether the time was over before it was proven whether a u separates."""
        is_open = "hard" in self.__dict__ and self.hard.w is None and not self.hard.status.is_inseparable
        return is_open and self.time_limit is not None and sum(self._spent) >= self.time_limit

    @property
    def is_optimal(self) -> bool:
        """Whether u is as good as the best one, within a relative 1e-9: for theorems that need the maximum margin."""
        return self.is_separable and self.hard.status is Status.OPTIMAL

    @property
    def margin(self) -> float:
        """Geometric margin g of u, rounded down; 0 where no u separates."""
        return self.hard.lower

    @cached_property
    def u(self) -> Floats:
        """The vector to compare with; its least functional margin is about 1 where it separates."""
        return self.hard.w if self.hard.w is not None else self.soft(1.0).w

    def margin_in(self, q: float) -> NormMargin:
        """Return the greatest margin in the q-norm; its lower end is 0 where no u is proven to separate."""
        hard = self.hard
        if q not in self._norm_margins:
            with self._in_time() as limits:
                self._norm_margins[q] = greatest_margin(self.space, hard, q, limits)
        return self._norm_margins[q]

    @cached_property
    def losses(self) -> Floats:
        """Hinge loss max(0, 1 - y u.x) of every row."""
        return np.asarray(np.maximum(0.0, 1.0 - self.space.y * (self.space.X @ self.u)))

    @property
    def novikoff(self) -> float:
        """R^2/g^2; infinity where no u separates."""
        ratio = quotient(self.space.radius, self.margin)
        return ratio * ratio

    @property
    def square(self) -> float:
        """||u||^2."""
        return float(self.u @ self.u)

    def soft(self, C: float) -> SoftMargin:
        """Return the soft margin through the origin of the run's space."""
        if C not in self._solved:
            with self._in_time() as limits:
                self._solved[C] = soft_margin(self.space.problem, C, time_limit=limits.share())
        return self._solved[C]

    @property
    def _limits(self) -> Limits:
        if self.time_limit is None:
            return Limits()
        return Limits(time_limit=max(self.time_limit - sum(self._spent), INSTANT))

    @contextmanager
    def _in_time(self) -> Iterator[Limits]:
        """Yield the limits of the time that is left, and subtract the time that is spent."""
        began = time.monotonic()
        try:
            yield self._limits
        finally:
            self._spent.append(time.monotonic() - began)
