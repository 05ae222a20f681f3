"""The solutions of the support vector machines along which the best mistake bounds are searched for.

The squared hinge takes Newton's method for min penalty/2 ||v||^2 + 1/2 sum (1 - z_i.v)_+^2 with z_i = y_i x_i. The
objective is quadratic as long as no row changes sides; a step takes one pass, with the Gram matrix of the rows with
slack. Source: Mangasarian, A finite Newton method for classification, Optimization Methods and Software 17 (2002);
Keerthi and DeCoste, A modified finite Newton method for fast solution of large scale linear SVMs, Journal of Machine
Learning Research 6 (2005).
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines import soft_working_set
from maxmargin.solvers.engines.cholesky import CholeskyFactor
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.interior_point.row_view import RowView, blocks
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate
from maxmargin.solvers.proof.sums import weighted_sums
from maxmargin.solvers.tightest_bound.trade_off import PathPoint, PenaltyFamily

_VIEW = RowView(center=None, bias=False)

# Relative distance of the objective from its smallest value at which the method stops.
_GAP = 1e-14

_MOST_STEPS = 60

# Number of bisections of a step that does not lower the objective.
_BISECTIONS = 40


class SlackPass(NamedTuple):
    """Slacks and sums of a pass over the rows at v.

    Attributes
    ----------
    v : ndarray (n_features,)
    signed_slack : ndarray (n_samples,)
        1 - z_i.v.
    written : ndarray (n_features,)
        sum (1 - z_i.v)_+ z_i.
    gram : ndarray (n_features, n_features)
        sum z_i z_i' over the rows with slack.
    """

    v: Floats
    signed_slack: Floats
    written: Floats
    gram: Floats

    @property
    def slack(self) -> Floats:
        """(1 - z_i.v)_+."""
        return np.maximum(self.signed_slack, 0.0)

    def objective(self, penalty: float) -> float:
        """Return the value of the objective."""
        slack = self.slack
        return float(penalty * (self.v @ self.v) + slack @ slack) / 2

    def gradient(self, penalty: float) -> Floats:
        """Return the gradient of the objective."""
        return penalty * self.v - self.written

    def is_least(self, penalty: float) -> bool:
        """Return whether the objective is next to its least value: ||gradient||^2/(2 penalty) at most, by duality."""
        gradient = self.gradient(penalty)
        return float(gradient @ gradient) <= 2 * penalty * _GAP * self.objective(penalty)

    def newton_step(self, penalty: float) -> Floats:
        """Return the step to where the objective would be least if no row changed sides."""
        return CholeskyFactor(self.gram + np.diag(np.full(len(self.v), penalty))).solve(-self.gradient(penalty))


def _is_better(look: SlackPass, before: SlackPass, penalty: float) -> bool:
    """Return whether the objective is less, or, where rounding hides that, whether the gradient is."""
    if look.objective(penalty) < before.objective(penalty):
        return True
    gradient, gradient_before = look.gradient(penalty), before.gradient(penalty)
    return before.is_least(penalty) and float(gradient @ gradient) < float(gradient_before @ gradient_before)


def _lowest(look: SlackPass, change: Floats, step: Floats, penalty: float) -> float:
    """Return the share of the step at which the objective, convex along it, is least."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        share = (low + high) / 2
        slack = np.maximum(look.signed_slack + share * change, 0.0)
        slope = penalty * float(step @ (look.v + share * step)) + float(slack @ change)
        low, high = (low, share) if slope > 0 else (share, high)
    return high


@np.errstate(all="ignore")
def _looked_at(v: Floats, _: slice, X: Any, y: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Return the slacks, and the weighted sum and the Gram matrix of the rows with slack."""
    signed_slack, written, gram = np.empty(len(y)), np.zeros(len(v)), np.zeros((len(v), len(v)))
    for part in blocks(X):
        rows, signs = X[part], y[part]
        t = signed_slack[part] = _VIEW.signed_slack(rows, signs, v)
        inside = np.flatnonzero(t > 0)
        written += _VIEW.written(rows[inside], signs[inside], signs[inside] * t[inside])
        gram += _VIEW.gram(rows[inside], signs[inside], np.ones(len(inside)))
    return signed_slack, written, gram


# Relative, of the descent along multipliers.
_DUAL_COORDINATE_GAP = 1e-8


class SquaredHinge(PenaltyFamily):
    """min penalty/2 ||v||^2 + 1/2 sum (1 - z_i.v)_+^2: for the bound of Freund and Schapire."""

    _look: SlackPass | None = None

    def at(self, penalty: float, near: Floats | None) -> PathPoint:
        """Return the solution for a penalty."""
        look = self._look or self._looked(np.zeros(self.problem.n_features) if near is None else near)
        self._look = look = self._least(look, penalty)
        slack = look.slack
        total = slack.sum()
        return self.point(penalty, look.v, slack / total, look.written / total, look.signed_slack)

    def _looked(self, v: Floats) -> SlackPass:
        """Look at all rows."""
        slacks, written, grams = zip(*self.problem.map(partial(_looked_at, v), self.problem.y), strict=True)
        return SlackPass(v, np.concatenate(slacks), sum(written), sum(grams))

    def _least(self, look: SlackPass, penalty: float) -> SlackPass:
        """Return where the objective is least, or as near as rounding lets it come, starting elsewhere."""
        for _ in range(_MOST_STEPS):
            beyond = self._stepped(look, penalty)
            if beyond is None:
                break
            look = beyond
            if look.is_least(penalty):
                break
        return look

    def _stepped(self, look: SlackPass, penalty: float) -> SlackPass | None:
        """Return the end of a Newton step, or the lowest point on the way if that is not below its start."""
        step = look.newton_step(penalty)
        beyond = self._looked(look.v + step)
        if _is_better(beyond, look, penalty):
            return beyond
        between = self._looked(look.v + _lowest(look, beyond.signed_slack - look.signed_slack, step, penalty) * step)
        return between if _is_better(between, look, penalty) else None

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
