"""The best hyperplane and the best multipliers of a nu-SVM seen so far, with the interval that they prove."""

import sys
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.interior_point.row_view import weighted_rows
from maxmargin.solvers.problem.candidate import Candidate
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import quantile
from maxmargin.solvers.proof import nu_bounds
from maxmargin.solvers.proof.sums import functional_margins
from maxmargin.solvers.soft_margin.soft_bracket import NEXT_SOLVER_GAP, SoftBracket
from maxmargin.solvers.soft_margin.soft_solution import NuMargin

# Distance of the reduced hulls, as a fraction of the size of the data, that replaces a smaller one as the unit of the
# relative gap.
_TOUCHING = 1e-8

# Largest such fraction at which the distance is checked for 0.
_NEARLY_TOUCHING = 1e-3


@dataclass(slots=True)
class NuBracket(SoftBracket):
    """A primal point (w, b, rho) and a dual point, each the best of its kind; at first w = 0, whose objective is 0.

    Parameters
    ----------
    problem : Problem
    costs : ndarray (n_samples,)
        The weights of the rows, positive: their multipliers lie below.
    shares : nu_bounds.Shares
        Made of these.
    """

    shares: nu_bounds.Shares = field(kw_only=True)
    rho: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        """Start from w = 0."""
        SoftBracket.__post_init__(self)
        self.upper, self.lower = 0.0, -np.inf

    def offer(self, candidate: Candidate) -> None:
        """Keep the parts that prove more, then the normal that the multipliers write, and 0 where that is optimal."""
        SoftBracket.offer(self, candidate)
        if self.relative_gap > NEXT_SOLVER_GAP:
            self.offer_written(candidate.engine)
        if self.may_be_zero and nu_bounds.share_a_point(self.problem, self.shares, self.dual):
            self.lower = 0.0

    def offer_nothing(self) -> None:
        """Offer the means of the classes, and the normal that they write."""
        weights = self.costs.copy()
        for group, total in zip(self.shares.members, self.shares.totals, strict=True):
            weights[group] *= float(self.shares.mass / total)
        self._offer_dual(weights)
        self.offer_written("class means")

    def offer_written(self, engine: str) -> None:
        """Offer the normal that the multipliers write, which is the best one if they are."""
        w = weighted_rows(self.problem, self.problem.y * self.dual)
        if np.isfinite(w).all():
            self.offer_normal(w, engine)

    @property
    def may_be_zero(self) -> bool:
        """Whether the optimum may well be 0, and this could be proven."""
        nearly = self._objective_at(_NEARLY_TOUCHING)
        return self.upper == 0 and -nearly <= self.lower < 0 and nu_bounds.may_be_checked(self.problem)

    def offer_normal(self, w: Floats, engine: str) -> None:
        """Keep the best multiple of w with its best offset and rho if the objective is less there."""
        plane = best_plane(self.problem, self.shares, w)
        objective = nu_bounds.objective_upper_bound(self.problem, self.shares, *plane)
        if objective < self.upper:
            (self.w, self.b, self.rho), self.upper, self.engine = plane, objective, engine

    def _offer_dual(self, dual: Floats) -> None:
        dual = nu_bounds.fitted(self.shares, dual)
        lower = nu_bounds.dual_lower_bound(self.problem, self.shares, dual)
        if lower > self.lower:
            self.dual, self.lower = dual, lower

    @property
    def relative_gap(self) -> float:
        """(objective - lower)/|lower|, or against the objective of hulls that nearly touch."""
        if not np.isfinite(self.lower):
            return 1.0
        scale = max(-self.lower, self._objective_at(_TOUCHING))
        return (self.upper - self.lower) / scale if scale > 0 else 0.0

    def _objective_at(self, share: float) -> float:
        """Return the modulus of the objective of reduced hulls whose distance is such a share of the size."""
        with np.errstate(over="ignore"):
            distance = float(self.shares.nu) * share * data_size(self.problem)
        return min(distance * distance / 2, sys.float_info.max)

    def nu_solution(self, nu: float) -> NuMargin:
        """Return the result."""
        return NuMargin(nu=nu, rho=self.rho, dual=self.dual / float(self.shares.whole), **self._parts(self.rho))


def data_size(problem: Problem) -> float:
    """Return half the diagonal of the box around the rows; through the origin of one around them and their negatives.

    No reduced hulls are farther from each other than twice that (from 0 than that).
    """
    low, high = problem.column_bounds
    with np.errstate(over="ignore"):
        return float(np.linalg.norm(high / 2 - low / 2 if problem.bias else problem.column_sizes))


class NuPlane(NamedTuple):
    """A hyperplane w.x + b = 0 and the functional margin rho that rows without slack have."""

    w: Floats
    b: float
    rho: float


def best_plane(problem: Problem, shares: nu_bounds.Shares, w: Floats) -> NuPlane:
    """Return the best multiple of w with the best b and rho; w = 0 where no multiple is better.

    With bias rho - b is a quantile of the scores w.x of the positives, rho + b one of the -w.x of the negatives, each
    with the mass of a class below; through the origin rho is the quantile of all y w.x. What they gain, nu rho less the
    cost of the slack, is linear in the length of w, and 1/2 ||w||^2 is its square: so the length is known, too.
    """
    nothing = NuPlane(np.zeros(problem.n_features), 0.0, 0.0)
    unit: Floats = np.ldexp(w, -int(np.frexp(np.abs(w).max())[1]))  # its greatest entry is about 1
    scores = np.concatenate(list(problem.map(partial(_scores, unit), problem.y)))
    if not np.isfinite(scores).all():
        return nothing
    groups = [(scores[group], shares.weights[group]) for group in shares.members]
    levels = [sum(quantile(*group, shares.mass)) / 2 for group in groups]
    with np.errstate(all="ignore"):
        gain = sum(_gain(*group, level, float(shares.mass)) for group, level in zip(groups, levels, strict=True))
        length = gain / float(shares.whole) / float(unit @ unit) if unit.any() else 0.0
        if not length > 0:
            return nothing
        rho, b = (levels[0], 0.0) if len(levels) == 1 else (sum(levels) / 2, (levels[0] - levels[1]) / 2)
        plane = NuPlane(length * unit, length * b, length * rho)
    return plane if np.isfinite([*plane.w, plane.b, plane.rho]).all() else nothing


def _gain(scores: Floats, weights: Floats, level: float, mass: float) -> float:
    """Return the gain of a level: mass times level, less the cost of the slack of the rows below."""
    return mass * level - float(weights @ np.maximum(0.0, level - scores))


def _scores(w: Floats, _: slice, X: Any, y: Floats) -> Floats:
    return functional_margins(X, y, w, 0.0)
