"""The solutions of the support vector machines along which the best mistake bounds are searched for."""

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.soft_working_set import soft_working_set
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate
from maxmargin.solvers.proof.sums import weighted_sums
from maxmargin.solvers.tightest_bound.squared_hinge import Look, Newton
from maxmargin.solvers.tightest_bound.trade_off import Family, PathPoint

Floats = NDArray[np.float64]

_DUAL_COORDINATE_GAP = 1e-8
"""Relative, of the descent along multipliers."""


class SquaredHinge(Family):
    """min penalty/2 ||v||^2 + 1/2 sum (1 - z_i.v)_+^2: for the bound of Freund and Schapire."""

    _look: Look | None = None

    def at(self, penalty: float, near: Floats | None) -> PathPoint:
        """Return the solution for a penalty."""
        newton = Newton(self.problem)
        look = self._look or newton.look(np.zeros(self.problem.n_features) if near is None else near)
        self._look = look = newton.least(look, penalty)
        slack = look.slack
        total = slack.sum()
        return self.point(penalty, look.v, slack / total, look.written / total, look.signed_slack)

    def spread(self, weights: Floats) -> float:
        """Return ||a||^2/E."""
        return float(weights @ weights) / self.n_passes

    def value(self, length: float, slack: Floats) -> float:
        """Return the bound of Freund and Schapire."""
        return (length + math.sqrt(self.n_passes * (slack @ slack))) ** 2


class Hinge(Family):
    """min penalty/2 ||v||^2 + sum (1 - z_i.v)_+, the soft margin for C = 1/penalty."""

    def at(self, penalty: float, near: Floats | None) -> PathPoint:
        """Return the solution for a penalty."""
        found = self._solved(1.0 / penalty, near)
        if found.attempt.status == INTERRUPTED:
            raise KeyboardInterrupt
        if found.w is None or found.multipliers is None:
            raise ArithmeticError(f"the soft margin for C = {1.0 / penalty:g} was not found")
        weights = np.clip(found.multipliers, 0.0, 1.0 / penalty)
        weights /= weights.sum()
        slacks, images = zip(*self.problem.map(partial(_at_chunk, found.w), self.problem.y, weights), strict=True)
        return self.point(penalty, found.w, weights, sum(images), np.concatenate(slacks))

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


@np.errstate(all="ignore")
def _at_chunk(v: Floats, _: slice, X: Any, y: NDArray[Any], weights: Floats) -> tuple[Floats, Floats]:
    """Return the 1 - z_i.v and the sum of the weighted z_i."""
    return np.asarray(1.0 - y * (X @ v)), weighted_sums(X, None, y * weights)[0]
