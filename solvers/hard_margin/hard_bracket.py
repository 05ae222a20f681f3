"""The best hyperplane and the best multipliers found so far: between them lies the maximum margin."""

import math
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd

import numpy as np

from maxmargin.solvers.answers.bracket import Bracket
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.exact.dyadic import as_integers, sqrt_down, sqrt_up
from maxmargin.solvers.hard_margin.float_planes import FloatPlane, best_float_plane
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint, SeparatingHyperplane
from maxmargin.solvers.proof.hulls import HullPoint, n_groups, proven_upper
from maxmargin.solvers.proof.margin_certificate import MarginAtLeast, MarginAtMost, MarginExactly
from maxmargin.solvers.proof.margins import norm_squared, prove_separable, unit
from maxmargin.solvers.proof.soft_bounds import rounded_margin_upper_bound

# Multiplier, relative to the largest, below which a row is not listed as support.
SUPPORT_WEIGHT = 1e-9

# Relative gap at or below which an upper end in floating point is good enough, and is not computed in integers.
_ENOUGH = 1e-11

# Smallest number of stored entries for which integers take much longer than floating point.
_MANY_ENTRIES = 1 << 12

_LARGEST = sys.float_info.max

# Reason of an answer without w and b though the data are separable.
NO_FLOATS = "hyperplane of floats: none found; the exact one that proves the lower end is in the certificate"


@dataclass(slots=True)
class HardBracket(Bracket):
    """The best plane and the best multipliers seen so far.

    `near` holds rows next to the plane if they are known: the row of least functional margin is among them, also after
    the entries of the plane were divided by a number and rounded. `at_most` proves the upper end if its weights are of
    twice the precision, and those of `hull` are rounded.
    """

    problem: Problem
    plane: SeparatingHyperplane | None = None
    proof: MarginAtLeast | None = None
    near: Problem | None = None
    hull: tuple[Rows, Floats] | None = None
    at_most: MarginAtMost | None = None

    def offer_normal(self, w: Floats, engine: str) -> None:
        """Keep the plane with this normal if it separates, and its exact margin is the greatest."""
        if (plane := prove_separable(self.problem, w)) is not None:
            self.offer_plane(plane, engine)

    def offer_plane(self, plane: SeparatingHyperplane, engine: str, near: Problem | None = None) -> None:
        """Keep the plane if its exact margin is the greatest."""
        square = plane.least_functional_margin**2 / norm_squared(plane.w)
        proof = MarginAtLeast(problem=plane.problem, w=plane.w, b=plane.b, margin_squared=square)
        lower = sqrt_down(square)
        if self.plane is None or lower > self.lower:
            self.plane, self.proof, self.lower, self.engine, self.near = plane, proof, lower, engine, near

    def offer_weights(self, weights: Floats, rows: Rows | None = None) -> None:
        """Keep the multipliers, of all rows or of the given ones, if the hull points they give are the nearest."""
        if rows is None:
            rows = np.flatnonzero(weights)
            weights = weights[rows]
        upper = self._rounded_upper(weights, rows)
        if self.lower < upper * (1 - _ENOUGH):
            upper = proven_upper(self.problem, weights, rows)
        if upper < self.upper:
            self.hull, self.upper, self.at_most = (rows, weights), upper, None

    def offer_corrected(self, rows: Rows, weights: Floats, corrections: Floats) -> None:
        """Keep multipliers of twice the precision, each a sum of two numbers, if their hull points are the nearest."""
        integers, _ = as_integers(np.concatenate([weights, corrections]))
        sums = integers[: len(rows)] + integers[len(rows) :]
        hull = MarginAtMost.by_integers(self.problem, rows[sums > 0], sums[sums > 0].tolist())
        if hull is not None and sqrt_up(hull.margin_squared) < self.upper:
            self.hull, self.upper, self.at_most = (rows, weights), sqrt_up(hull.margin_squared), hull

    def _rounded_upper(self, weights: Floats, rows: Rows) -> float:
        """Return the upper end that weights of many sparse rows prove in floating point, else infinity."""
        X = self.problem.row_source[rows] if self.problem.is_sparse and self.problem.integers is None else None
        if X is None or X.nnz < _MANY_ENTRIES or not np.isfinite(weights).all():
            return math.inf
        return rounded_margin_upper_bound(Problem(X, self.problem.y[rows], self.problem.bias), np.maximum(weights, 0.0))

    @property
    def dual(self) -> Floats | None:
        """The best multipliers of all rows."""
        return None if self.hull is None else self._spread(*self.hull)

    def _spread(self, rows: Rows, values: Floats) -> Floats:
        """Return a vector of all rows, 0 but for these."""
        result = np.zeros(self.problem.n_samples)
        result[rows] = values
        return result

    def _hull_weights(self) -> tuple[Rows, Floats]:
        """Return the rows of positive multipliers, and these scaled to sum 1, with bias 1/2 in each class."""
        if self.hull is None:
            return np.empty(0, np.int64), np.empty(0)
        rows, weights = self.hull
        weights = np.maximum(weights, 0.0) / weights.max()
        if self.problem.bias:
            is_positive = self.problem.y[rows] > 0
            weights /= 2 * np.where(is_positive, weights[is_positive].sum(), weights[~is_positive].sum())
            return rows, weights
        return rows, weights / weights.sum()

    def solution(self, status: Status, attempts: tuple[SolverRun, ...], reason: str) -> HardMargin:
        """Return the result; its hyperplane of floats proves the lower end if it is better than the exact one."""
        rows, weights = self._hull_weights()
        certificate, lower, found = self.proof, self.lower, None
        if self.plane is not None and certificate is not None:
            found = best_float_plane(self.problem, self.plane, certificate.margin_squared, self.near)
            if found is not None and found.margin_squared > certificate.margin_squared:
                certificate, lower = found.certificate(self.problem), found.margin
        answer = HardMargin(
            status=status, margin=None if self.plane is None else 0.0, lower=lower, upper=self.upper,
            support=np.sort(rows[weights > SUPPORT_WEIGHT * weights.max(initial=0.0)]),
            dual=self._spread(rows, weights * _square_of_inverse(self.upper)), engine=self.engine,
            attempts=(*attempts, *self.attempts), reason=reason, certificate=certificate, hull_weights=self.dual,
            at_most=self.at_most, problem=self.problem, bias=self.problem.bias,
        )  # fmt: skip
        return answer if self.plane is None else _with_floats(answer, self.problem, found, rows, weights)


def exact_solution(point: HullPoint, attempts: tuple[SolverRun, ...], engine: str) -> HardMargin:
    """Return the result that the shortest v gives, which is not 0."""
    problem = point.problem
    upper = sqrt_up(point.margin_squared)
    plane = SeparatingHyperplane(problem=problem, w=point.normal, b=point.offset, least_functional_margin=Fraction(1))
    found = best_float_plane(problem, plane, point.margin_squared)
    weights = point.rounded_weights() / n_groups(problem)
    answer = HardMargin(
        status=Status.OPTIMAL, margin=0.0, lower=sqrt_down(point.margin_squared), upper=upper,
        support=np.array(point.rows), dual=weights * _square_of_inverse(upper), engine=engine, attempts=attempts,
        certificate=MarginExactly.by(point), hull_weights=weights, problem=problem, bias=problem.bias,
        margin_squared=point.margin_squared, w_exact=point.normal, b_exact=point.offset, dual_exact=point.multipliers,
    )  # fmt: skip
    return _with_floats(answer, problem, found, np.array(point.rows), weights[list(point.rows)])


def shared_point(point: HullPoint) -> CommonHullPoint:
    """Return the proof that the hulls share a point, from a v that is 0 with weights that are not negative."""
    pairs = [(row, weight) for row, weight in zip(point.rows, point.weights, strict=True) if weight]
    rows, weights = zip(*pairs, strict=True)
    factor = gcd(*weights)
    return CommonHullPoint(problem=point.problem, rows=rows, weights=tuple(weight // factor for weight in weights))


def _square_of_inverse(upper: float) -> float:
    """Return 1/upper^2, the sum of the multipliers at the optimum, as near as binary64 comes."""
    return min(1.0 / upper / upper, _LARGEST) if upper > 1.0 / _LARGEST else _LARGEST


def _with_floats(
    answer: HardMargin, problem: Problem, found: FloatPlane | None, rows: Rows, weights: Floats
) -> HardMargin:
    """Return the answer with the hyperplane of floats, or with the remark that none was found."""
    if found is None:
        return replace(answer, reason="; ".join(filter(None, (answer.reason, NO_FLOATS))))
    return replace(
        answer, w=found.w, b=found.b, margin=found.margin, primal_residual=float(max(1 - found.least, Fraction(0))),
        dual_residual=_dual_residual(problem, found.w, rows, weights),
    )  # fmt: skip


def _dual_residual(problem: Problem, w: Floats, rows: Rows, weights: Floats) -> float:
    """Return the distance of the directions of w and of sum c y x, which at the optimum are the same."""
    with np.errstate(all="ignore"):
        normal = (weights * problem.y[rows]) @ problem.row_source[rows]
        difference = np.linalg.norm(unit(w) - unit(np.asarray(normal)))
    return math.inf if math.isnan(difference) else float(difference)
