"""The best hyperplane and the best multipliers of a nu-SVM seen so far, with the interval that they prove."""

import sys
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.engines.interior_point.row_view import weighted_rows
from maxmargin.solvers.exact.dyadic import as_fraction, as_integers, exact_sum
from maxmargin.solvers.problem.candidate import Candidate
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import quantile
from maxmargin.solvers.proof import nu_bounds
from maxmargin.solvers.proof.sums import margins_of
from maxmargin.solvers.soft_margin.slack_rows import SlackProgram
from maxmargin.solvers.soft_margin.soft_bracket import NEXT_SOLVER_GAP, SoftBracket
from maxmargin.solvers.soft_margin.soft_solution import NuMargin

# Distance of the reduced hulls, as a fraction of the size of the data, that replaces a smaller one as the unit of the
# relative gap.
_TOUCHING = 1e-8


@dataclass(slots=True)
class NuBracket(SoftBracket):
    """A primal point (w, b, rho) and a dual point, each the best of its kind; at first w = 0, whose objective is 0.

    Parameters
    ----------
    rows : WeightedRows
    costs, least_costs : ndarray (n_samples,)
        The weights of the rows of positive weight: their multipliers lie below.
    limits : Limits
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
        """Keep the parts that prove more, then the normal that the multipliers write."""
        SoftBracket.offer(self, candidate)
        if self.relative_gap > NEXT_SOLVER_GAP:
            self.offer_written(candidate.engine)

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

    def offer_normal(self, w: Floats, engine: str) -> None:
        """Keep the best multiple of w with its best offset and rho if the objective is less there."""
        plane = best_plane(self.problem, self.shares, w)
        objective = nu_bounds.objective_upper_bound(self.problem, self.shares, *plane[:3])
        if objective < self.upper:
            (self.w, self.b, self.rho, self.offsets), self.upper, self.engine = plane, objective, engine

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
        with np.errstate(over="ignore"):
            distance = float(self.shares.nu) * _TOUCHING * data_size(self.problem)
            scale = max(-self.lower, min(distance * distance / 2, sys.float_info.max))
        return (self.upper - self.lower) / scale if scale > 0 else 0.0

    def nu_solution(self, nu: float) -> NuMargin:
        """Return the result."""
        return NuMargin(nu=nu, rho=self.rho, **self._parts())

    def _program(self) -> tuple[SlackProgram, list[float]]:
        costs, exponent = as_integers(self.rows.spread(self.shares.weights))
        mass, unit = len(self.shares.members) * self.shares.mass, as_fraction(1, exponent)
        program = SlackProgram(problem=self.rows.problem, costs=costs, unit=unit, mass=mass)
        return program, [float(self._unit) * value for value in ([self.b] * self.problem.bias + [self.rho])]

    @property
    def _level(self) -> float:
        return self.rho

    @property
    def _unit(self) -> Fraction:
        return self.shares.whole


def data_size(problem: Problem) -> float:
    """Return half the diagonal of the box around the rows; through the origin of one around them and their negatives.

    No reduced hulls are farther from each other than twice that (from 0 than that).
    """
    low, high = problem.column_bounds
    with np.errstate(over="ignore"):
        return float(np.linalg.norm(high / 2 - low / 2 if problem.bias else problem.column_sizes))


class NuPlane(NamedTuple):
    """A hyperplane w.x + b = 0, the functional margin rho of rows without slack, and the interval of the best b."""

    w: Floats
    b: float
    rho: float
    offsets: tuple[float, float] | None


def best_plane(problem: Problem, shares: nu_bounds.Shares, w: Floats) -> NuPlane:
    """Return the best multiple of w with the best b and rho; w = 0 where no multiple is better.

    With bias rho - b is a quantile of the scores w.x of the positives, rho + b one of the -w.x of the negatives, each
    with the mass of a class below; through the origin rho is the quantile of all y w.x. What they gain, nu rho less the
    cost of the slack, is linear in the length of w, and 1/2 ||w||^2 is its square: so the length is known, too.
    """
    nothing = NuPlane(np.zeros(problem.n_features), 0.0, 0.0, None)
    unit: Floats = np.ldexp(w, -int(np.frexp(np.abs(w).max())[1]))  # its greatest entry is about 1
    scores = margins_of(problem, unit)
    if not np.isfinite(scores).all():
        return nothing
    groups = [(scores[group], shares.weights[group]) for group in shares.members]
    ends = [quantile(*group, shares.mass, partial(_excess, group[1], shares.mass)) for group in groups]
    levels = [low / 2 + high / 2 for low, high in ends]
    with np.errstate(all="ignore"):
        gain = sum(_gain(*group, level, float(shares.mass)) for group, level in zip(groups, levels, strict=True))
        length = gain / float(shares.whole) / float(unit @ unit) if unit.any() else 0.0
        if not length > 0:
            return nothing
        rho, b, offsets = levels[0], 0.0, None
        if len(levels) == 2:
            rho, b = sum(levels) / 2, (levels[0] - levels[1]) / 2
            (low, high), (other_low, other_high) = ends
            offsets = length * (low - other_high) / 2, length * (high - other_low) / 2
        plane = NuPlane(length * unit, length * b, length * rho, offsets)
    return plane if np.isfinite([*plane.w, plane.b, plane.rho]).all() else nothing


def _excess(weights: Floats, mass: Fraction, rows: Rows) -> Fraction:
    return exact_sum(weights[rows]) - mass


def _gain(scores: Floats, weights: Floats, level: float, mass: float) -> float:
    """Return the gain of a level: mass times level, less the cost of the slack of the rows below."""
    return mass * level - float(weights @ np.maximum(0.0, level - scores))
