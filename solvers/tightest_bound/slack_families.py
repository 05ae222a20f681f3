"""The solutions of the support vector machines along which the best mistake bounds are searched for."""

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines import soft_working_set, squared_hinge
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate
from maxmargin.solvers.proof.sums import margins_of, weighted_sums
from maxmargin.solvers.tightest_bound.trade_off import PathPoint, PenaltyFamily

# Relative, of the descent along multipliers.
_DUAL_COORDINATE_GAP = 1e-8


class SquaredHinge(PenaltyFamily):
    """min penalty/2 ||v||^2 + 1/2 sum (1 - z_i.v)_+^2: for the bound of Freund and Schapire."""

    def at(self, penalty: float, near: Floats | None) -> PathPoint:
        """Return the solution for a penalty."""
        costs, start = np.full(self.problem.n_samples, 0.5 / penalty), None if near is None else (near, 0.0)
        found = squared_hinge.solve(self.problem, costs, start=start)
        v = _normal_of(found, penalty)
        return _point_at(self, penalty, v, np.maximum(1.0 - margins_of(self.problem, v), 0.0))

    def spread(self, weights: Floats) -> float:
        """Return ||a||^2/E."""
        return float(weights @ weights) / self.n_passes

    def value(self, length: float, slack: Floats) -> float:
        """Return the bound of Freund and Schapire."""
        return (length + math.sqrt(self.n_passes * (slack @ slack))) ** 2


class Hinge(PenaltyFamily):
    """min penalty/2 ||v||^2 + sum (1 - z_i.v)_+, the soft margin for C = 1/penalty."""

    def at(self, penalty: float, near: Floats | None) -> PathPoint:
        """Return the solution for a penalty."""
        found = self._solved(1.0 / penalty, near)
        v = _normal_of(found, penalty)
        if found.multipliers is None:
            raise ArithmeticError(f"no multipliers were found for C = {1.0 / penalty:g}")
        return _point_at(self, penalty, v, np.clip(found.multipliers, 0.0, 1.0 / penalty))

    def _solved(self, C: float, near: Floats | None) -> Candidate:
        penalties, start = np.full(self.problem.n_samples, C), None if near is None else (near, 0.0)
        if soft_working_set.is_worth_it(self.problem):
            return soft_working_set.solve(self.problem, penalties, start=start)
        if interior_point.fits(self.problem):
            return interior_point.solve(self.problem, penalties, start=start)
        from maxmargin.solvers.engines.dual_coordinate import dual_coordinate

        return dual_coordinate.solve(self.problem, penalties, relative_gap=_DUAL_COORDINATE_GAP)

    def spread(self, weights: Floats) -> float:
        """Return max a_i/E."""
        return float(weights.max()) / self.n_passes

    def value(self, length: float, slack: Floats) -> float:
        """Return the bound of the hinge loss."""
        return (length + math.sqrt(length**2 + 4 * self.n_passes * float(slack.sum()))) ** 2 / 4


def _normal_of(found: Candidate, penalty: float) -> Floats:
    """Return the normal that an engine found, or raise where it was interrupted or found none."""
    if found.attempt.status == INTERRUPTED:
        raise KeyboardInterrupt
    if found.w is None:
        raise ArithmeticError(f"the soft margin for C = {1.0 / penalty:g} was not found")
    return found.w


def _point_at(family: PenaltyFamily, penalty: float, v: Floats, weights: Floats) -> PathPoint:
    """Return the solution with these weights, up to a factor."""
    weights = weights / weights.sum()
    slacks, images = zip(*family.problem.map(partial(_at_chunk, v), family.problem.y, weights), strict=True)
    return family.point(penalty, v, weights, sum(images), np.concatenate(slacks))


@np.errstate(all="ignore")
def _at_chunk(v: Floats, _: slice, X: Any, y: NDArray[Any], weights: Floats) -> tuple[Floats, Floats]:
    """Return the 1 - z_i.v and the sum of the weighted z_i."""
    return np.asarray(1.0 - y * (X @ v)), weighted_sums(X, None, y * weights)[0]
