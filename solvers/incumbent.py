"""The best hyperplane and the best multipliers found so far: between them lies the maximum margin."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.candidate import Attempt
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint, SeparatingHyperplane
from maxmargin.solvers.proof.dyadic import sqrt_down, sqrt_up
from maxmargin.solvers.proof.hull_point import HullPoint, n_groups
from maxmargin.solvers.proof.margin_certificate import MarginAtLeast, MarginExactly
from maxmargin.solvers.proof.margins import least_functional_margin
from maxmargin.solvers.proof.rounding import TINIEST_NORMAL
from maxmargin.solvers.solution import HardMargin, Status, proven_upper, weighted_normal

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

SUPPORT_WEIGHT = 1e-9
"""Multiplier, relative to the largest, below which a row is not listed as support."""

_ROUNDING = 2.0**-50
"""Relative, by how much the margins of two planes may differ and still be taken for the same."""

_LARGEST = sys.float_info.max
_MOST_BITS = 1023  # a fraction of so many bits more above than below is less than 2**1024


@dataclass(slots=True)
class Incumbent:
    """The best plane and the best multipliers seen so far.

    `near` are rows next to the plane, if they are known: the least functional margin is one of theirs, also after the
    entries of the plane were divided by a number and rounded.
    """

    problem: Problem
    plane: SeparatingHyperplane | None = None
    near: Problem | None = None
    engine: str = "none"
    lower: float = 0.0
    hull: tuple[Rows, Floats] | None = None
    upper: float = math.inf
    attempts: list[Attempt] = field(default_factory=list)

    def offer_plane(self, plane: SeparatingHyperplane, engine: str, near: Problem | None = None) -> None:
        """Keep the plane if its exact margin is the greatest."""
        lower = _margin(plane)
        if self.plane is None or lower > self.lower:
            self.plane, self.lower, self.engine, self.near = plane, lower, engine, near

    def offer_polished(self, plane: SeparatingHyperplane) -> None:
        """Keep the plane if its margin is as great up to rounding: its w is the more accurate one."""
        lower = _margin(plane)
        if lower >= self.lower * (1 - _ROUNDING):
            self.plane, self.lower, self.near = plane, lower, None

    def offer_weights(self, weights: Floats, rows: Rows | None = None) -> None:
        """Keep the multipliers, of all rows or of the given ones, if the hull points they give are the nearest."""
        if rows is None:
            rows = np.flatnonzero(weights)
            weights = weights[rows]
        upper = proven_upper(self.problem, weights, rows)
        if upper < self.upper:
            self.hull, self.upper = (rows, weights), upper

    @property
    def dual(self) -> Floats | None:
        """The best multipliers of all rows."""
        if self.hull is None:
            return None
        dual = np.zeros(self.problem.n_samples)
        dual[self.hull[0]] = self.hull[1]
        return dual

    def _hull_weights(self) -> Floats:
        """Return the best multipliers of all rows scaled to sum 1, with bias 1/2 in each class."""
        result = np.zeros(self.problem.n_samples)
        if self.hull is None:
            return result
        rows, weights = self.hull
        weights = np.maximum(weights, 0.0) / weights.max()
        if self.problem.bias:
            is_positive = self.problem.y[rows] > 0
            weights /= 2 * np.where(is_positive, weights[is_positive].sum(), weights[~is_positive].sum())
        result[rows] = weights if self.problem.bias else weights / weights.sum()
        return result

    def _near(self, w: Floats | None, b: float | None) -> Problem | None:
        """Return the rows next to the plane, unless underflow changed an entry by more than a rounding."""
        if self.plane is None or w is None or b is None:
            return None
        entries = zip((*self.plane.w, self.plane.b), (*w.tolist(), b), strict=True)
        is_rounded = all(abs(rounded) >= TINIEST_NORMAL or not exact for exact, rounded in entries)
        return self.near if is_rounded else None

    @property
    def relative_gap(self) -> float:
        """(upper - lower)/upper; infinity while one end is missing."""
        if self.plane is None or math.isinf(self.upper):
            return math.inf
        return float((Fraction(self.upper) - Fraction(self.lower)) / Fraction(self.upper))

    def solution(self, status: Status, attempts: tuple[Attempt, ...], reason: str) -> HardMargin:
        """Return the result, scaled to functional margin 1."""
        dual, weights = self.dual, self._hull_weights()
        w, b = (None, None) if self.plane is None else _canonical(self.plane)
        primal_residual, dual_residual = _residuals(self.problem, w, b, weights, self.upper, self._near(w, b))
        return HardMargin(
            status=status,
            w=w,
            b=b,
            lower=self.lower,
            upper=self.upper,
            support=np.flatnonzero(weights > SUPPORT_WEIGHT * weights.max()),
            dual=weights * _square_of_inverse(self.upper),
            primal_residual=primal_residual,
            dual_residual=dual_residual,
            engine=self.engine,
            attempts=(*attempts, *self.attempts),
            reason=reason,
            certificate=None if self.plane is None else MarginAtLeast.by(self.plane),
            hull_weights=dual,
            problem=self.problem,
        )


def exact_solution(point: HullPoint, attempts: tuple[Attempt, ...], engine: str) -> HardMargin:
    """Return the result that the shortest v gives, which is not 0."""
    problem = point.problem
    lower, upper = sqrt_down(point.margin_squared), sqrt_up(point.margin_squared)
    w, b = _into_range(point.normal, point.offset)
    weights = point.rounded_weights() / n_groups(problem)
    primal_residual, dual_residual = _residuals(problem, w, b, weights, upper)
    return HardMargin(
        status=Status.OPTIMAL,
        w=w,
        b=b,
        lower=lower,
        upper=upper,
        support=np.array(point.rows),
        dual=weights * _square_of_inverse(upper),
        primal_residual=primal_residual,
        dual_residual=dual_residual,
        engine=engine,
        attempts=attempts,
        certificate=MarginExactly.by(point),
        hull_weights=weights,
        problem=problem,
        margin_squared=point.margin_squared,
        w_exact=point.normal,
        b_exact=point.offset,
        dual_exact=point.multipliers,
    )


def shared_point(point: HullPoint) -> CommonHullPoint:
    """Return the proof that the hulls share a point, from a v that is 0 with weights that are not negative."""
    pairs = [(row, weight) for row, weight in zip(point.rows, point.weights, strict=True) if weight]
    rows, weights = zip(*pairs, strict=True)
    factor = gcd(*weights)
    return CommonHullPoint(problem=point.problem, rows=rows, weights=tuple(weight // factor for weight in weights))


def _margin(plane: SeparatingHyperplane) -> float:
    """Return the geometric margin, rounded down."""
    return sqrt_down(MarginAtLeast.by(plane).margin_squared)


def _canonical(plane: SeparatingHyperplane) -> tuple[Floats, float]:
    """Return (w, b) divided by the least functional margin."""
    least = plane.least_functional_margin
    return _into_range([v / least for v in plane.w], plane.b / least)


def _into_range(w: Sequence[Fraction], b: Fraction) -> tuple[Floats, float]:
    """Return (w, b) as binary64, divided by a power of two where they overflow."""
    largest = max(map(abs, (*w, b)))
    excess = max(0, largest.numerator.bit_length() - largest.denominator.bit_length() - _MOST_BITS)
    return np.array([float(v / 2**excess) for v in w]), float(b / 2**excess)


def _square_of_inverse(upper: float) -> float:
    """Return 1/upper^2, what the multipliers sum to at the optimum, as near as binary64 comes."""
    return min(1.0 / upper / upper, _LARGEST) if upper > 1.0 / _LARGEST else _LARGEST


def _residuals(
    problem: Problem,
    w: Floats | None,
    b: float | None,
    hull_weights: Floats,
    upper: float,
    near: Problem | None = None,
) -> tuple[float, float]:
    """Return the primal and the dual residual of a `HardMargin`; the primal one from the rows near, if given."""
    if w is None or b is None:
        return math.inf, math.inf
    least = least_functional_margin(problem if near is None else near, w, b)
    # Both normals times the upper end, so that at the optimum they have length 1 in any units.
    with np.errstate(over="ignore", invalid="ignore"):
        normal = w * upper
        difference = np.linalg.norm(normal - weighted_normal(problem, hull_weights) / upper) / np.linalg.norm(normal)
    return max(0.0, float(1 - least)), math.inf if math.isnan(difference) else float(difference)
