"""The facts that guarantees are compared with: proven margins of the rows of a run, in the 2-norm and in q-norms.

The greatest margin in a q-norm, 1 <= q <= 2, is max over u of min y u.x / ||u||_q, between two proven ends. Any u
proves a lower end. With 1/p + 1/q = 1, any convex combination of the y x proves the upper end ||sum a y x||_p, because
g ||u||_q <= sum a y u.x <= ||u||_q ||sum a y x||_p (Hoelder); by duality the best of both agree. For q = 1, u solves a
linear program. Between 1 and 2 it is a limit of maximum margins in the 2-norm: |v|^q is at most
q/2 |u|^(q-2) v^2 + (1 - q/2) |u|^q, with equality at v = u, and minimising the sum of these subject to y v.x >= 1 is
the maximum margin of columns multiplied by |u|^(1-q/2); every such step makes ||u||_q smaller.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import INSTANT, Limits
from maxmargin.solvers.exact.dyadic import as_fraction, round_down, round_up
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.online.guarantee import quotient
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import integer_weights, weighted_sum
from maxmargin.solvers.proof.margins import least_functional_margin
from maxmargin.solvers.soft_margin.soft_margin import soft_margin
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin

# Relative error of a q-norm that is computed from powers, with room.
_ROUNDING = 2.0**-40

# Relative width of the interval at which the search ends.
_NARROW = 1e-4

# Largest number of reweighted maximum margins.
_MOST_STEPS = 30

# Largest number of entries of the rows for which reweighted maximum margins are solved.
_MOST_ENTRIES = 200_000

# Largest number of entries of the rows for which the linear program is solved.
_MOST_LP_ENTRIES = 2_000_000

# Time limit of the linear program, in seconds.
_LP_SECONDS = 10.0

# Least weight of a column relative to the largest weight: a column with the weight 0 would keep it.
_LEAST_SHARE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class NormMargin:
    """The greatest margin in the q-norm.

    Attributes
    ----------
    lower, upper : float
        Proven ends, outward rounded; the lower one is the margin of a known u, 0 where none separates.
    method : str
        Where that u comes from.
    """

    lower: float
    upper: float
    method: str

    @property
    def words(self) -> str:
        """A phrase that states the proven bounds of the margin g."""
        return f"g in [{self.lower:.6g}, {self.upper:.6g}], proven, by {self.method}"


def greatest_margin(space: Space, hard: HardMargin, q: float, limits: Limits | None = None) -> NormMargin:
    """Return the greatest margin in the q-norm, with u from the maximum margin in the 2-norm or better.

    Parameters
    ----------
    space : Space
    hard : HardMargin
        Of the rows of the space.
    q : float
        From 1 to 2.
    limits : Limits, optional
        When the time is over, no better u is looked for.
    """
    best = NormMargin(lower=0.0, upper=math.inf, method="no u that separates")
    for method, u, weights in _candidates(space, hard, q, limits or Limits()):
        lower, upper = margin_in_norm(space, u, q)[0], _upper(space, weights, q)
        if lower > best.lower:
            best = NormMargin(lower=lower, upper=min(upper, best.upper), method=method)
        elif upper < best.upper:
            best = NormMargin(lower=best.lower, upper=upper, method=best.method)
        if best.upper - best.lower <= _NARROW * best.upper:
            break
    return best


def margin_in_norm(space: Space, u: Floats, q: float) -> tuple[float, float]:
    """Return the least of y u.x / ||u||_q over the rows, rounded down and rounded up; -infinity at u = 0.

    The numerator is exact.
    """
    if not u.any():
        return -math.inf, -math.inf
    exponent = math.frexp(float(np.abs(u).max()))[1]
    unit = np.ldexp(u, -exponent)  # a relative change of the tiny weights that vanish: another u, as good as any
    least = least_functional_margin(space.problem, unit, 0.0)
    low, high = norm_ends(unit, q)
    value = round_down(least)
    value, above = (value / high, math.nextafter(value, math.inf) / low) if least > 0 else (value / low, value / high)
    return math.nextafter(value, -math.inf), math.nextafter(above, math.inf)


def norm_ends(vector: Floats, q: float) -> tuple[float, float]:
    """Return a lower and an upper bound of the q-norm, 1 <= q <= infinity.

    Examples
    --------
    >>> low, high = norm_ends(np.array([3.0, -4.0]), 2.0)
    >>> low < 5.0 < high < 5.00001
    True
    >>> norm_ends(np.array([3e300, -4e300]), 2e10)[1] < 4.00001e300
    True
    """
    sizes = np.abs(vector)
    largest = float(sizes.max(initial=0.0))
    if not largest:
        return 0.0, 0.0
    with np.errstate(under="ignore"):
        value = largest if math.isinf(q) else largest * math.fsum((sizes / largest) ** q) ** (1 / q)
    return math.nextafter(value * (1 - _ROUNDING), 0.0), math.nextafter(value * (1 + _ROUNDING), math.inf)


def largest_norm(X: Floats, p: float) -> float:
    """Return an upper bound of the greatest p-norm of a row, scaled: powers do not overflow."""
    sizes = np.abs(X)
    largest = float(sizes.max(initial=0.0))
    if not largest:
        return 0.0
    with np.errstate(under="ignore"):
        powers = ((sizes / largest) ** p).sum(axis=1).max()
    # A row whose powers all vanish is shorter than the row of the largest number.
    return math.nextafter(largest * math.pow(float(powers), 1 / p) * (1 + _ROUNDING), math.inf)


def _candidates(space: Space, hard: HardMargin, q: float, limits: Limits) -> Iterator[tuple[str, Floats, Floats]]:
    """Yield a method, its u and its weights of the rows, better and better."""
    if hard.w is None:
        return
    yield "the maximum margin in the 2-norm", hard.w, hard.dual
    if q == 2 or limits.is_over():
        return
    if space.X.size <= _MOST_LP_ENTRIES:
        found = _linear_program(space, limits)
        if found is not None:
            yield "a linear program for the 1-norm", *found
    if q == 1 or space.X.size > _MOST_ENTRIES:
        return
    u = hard.w
    for _ in range(_MOST_STEPS):
        sizes = np.abs(u)
        columns = np.maximum(sizes / sizes.max(), _LEAST_SHARE) ** (1 - q / 2)
        if limits.is_over():
            return
        weighted = Problem(np.ascontiguousarray(space.X * columns), space.y, bias=False)
        step = hard_margin(weighted, method="working-set", time_limit=limits.share())
        if step.w is None or not np.isfinite(step.w * columns).all():
            return
        u = step.w * columns
        yield "reweighted maximum margins", u, step.dual


def _linear_program(space: Space, limits: Limits) -> tuple[Floats, Floats] | None:
    """Solve max g subject to y u.x >= g, ||u||_1 <= 1; return u and the multipliers of the rows, or None."""
    from scipy.optimize import linprog

    n, d = space.X.shape
    rows = space.y[:, np.newaxis] * space.X / np.abs(space.X).max()
    least = np.hstack([-rows, rows, np.ones((n, 1))])
    total = np.append(np.ones(2 * d), 0.0)
    answer = linprog(
        np.append(np.zeros(2 * d), -1.0),
        A_ub=np.vstack([least, total]),
        b_ub=np.append(np.zeros(n), 1.0),
        bounds=[(0, None)] * (2 * d) + [(None, None)],
        method="highs",
        options={"time_limit": min(_LP_SECONDS, limits.share() or _LP_SECONDS)},
    )
    if answer.x is None or not answer.success:
        return None
    return np.asarray(answer.x[:d] - answer.x[d : 2 * d]), np.maximum(-answer.ineqlin.marginals[:n], 0.0)


def _upper(space: Space, weights: Floats, q: float) -> float:
    """Return ||sum a y x||_p for the weights divided by their sum, rounded up; infinity where there are none."""
    if not np.isfinite(weights).all() or not (weights > 0).any():
        return math.inf
    rows, integers = integer_weights(weights)
    signed = [weight * sign for weight, sign in zip(integers, space.y[rows].astype(int).tolist(), strict=True)]
    sums, exponent = weighted_sum(space.problem, rows, signed)
    unit = as_fraction(1, exponent) / sum(integers)
    return norm_ends(np.array([float(value * unit) for value in sums]), math.inf if q == 1 else q / (q - 1))[1]


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

    @contextmanager
    def _in_time(self) -> Iterator[Limits]:
        """Yield the limits of the time that is left, and subtract the time that is spent."""
        began = time.monotonic()
        left = None if self.time_limit is None else max(self.time_limit - sum(self._spent), INSTANT)
        try:
            yield Limits(time_limit=left)
        finally:
            self._spent.append(time.monotonic() - began)
