"""Newton's method for min price/2 ||v||^2 + 1/2 sum (1 - z_i.v)_+^2 with z_i = y_i x_i.

The objective is quadratic as long as no row changes sides; a step costs a pass, with the Gram matrix of the rows that
lack the margin. Source: Mangasarian, A finite Newton method for classification, Optimization Methods and Software 17
(2002); Keerthi and DeCoste, A modified finite Newton method for fast solution of large scale linear SVMs, Journal of
Machine Learning Research 6 (2005).
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.interior_point.factor import Factor
from maxmargin.solvers.engines.interior_point.huberised_hinge import blocks
from maxmargin.solvers.engines.interior_point.row_view import RowView
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]

_VIEW = RowView(center=None, bias=False)

_GAP = 1e-14
"""Distance of the objective from its least value, relative, at which the method ends."""

_MOST_STEPS = 60

_BISECTIONS = 40
"""Of a step that does not lower the objective."""


class Look(NamedTuple):
    """What a pass over the rows saw at v.

    Attributes
    ----------
    v : ndarray (n_features,)
    lack : ndarray (n_samples,)
        1 - z_i.v.
    written : ndarray (n_features,)
        sum (1 - z_i.v)_+ z_i.
    gram : ndarray (n_features, n_features)
        sum z_i z_i' over rows that lack the margin.
    """

    v: Floats
    lack: Floats
    written: Floats
    gram: Floats

    @property
    def slack(self) -> Floats:
        """(1 - z_i.v)_+."""
        return np.maximum(self.lack, 0.0)

    def objective(self, price: float) -> float:
        """Return the value of the objective."""
        slack = self.slack
        return float(price * (self.v @ self.v) + slack @ slack) / 2

    def gradient(self, price: float) -> Floats:
        """Return the gradient of the objective."""
        return price * self.v - self.written

    def is_least(self, price: float) -> bool:
        """Return whether the objective is next to its least value: ||gradient||^2/(2 price) at most, by duality."""
        gradient = self.gradient(price)
        return float(gradient @ gradient) <= 2 * price * _GAP * self.objective(price)

    def newton_step(self, price: float) -> Floats:
        """Return the step to where the objective would be least if no row changed sides."""
        return Factor(self.gram + np.diag(np.full(len(self.v), price))).solve(-self.gradient(price))


class Newton:
    """The method, on the rows of a problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def look(self, v: Floats) -> Look:
        """Look at all rows."""
        lacks, written, grams = zip(*self.problem.map(partial(_looked_at, v), self.problem.y), strict=True)
        return Look(v, np.concatenate(lacks), sum(written), sum(grams))

    def least(self, look: Look, price: float) -> Look:
        """Return where the objective is least, or as near as rounding lets it come, starting elsewhere."""
        for _ in range(_MOST_STEPS):
            beyond = self._stepped(look, price)
            if beyond is None:
                break
            look = beyond
            if look.is_least(price):
                break
        return look

    def _stepped(self, look: Look, price: float) -> Look | None:
        """Return the end of a Newton step, or the lowest place on the way if that is not below its start."""
        step = look.newton_step(price)
        beyond = self.look(look.v + step)
        if _is_better(beyond, look, price):
            return beyond
        between = self.look(look.v + _lowest(look, beyond.lack - look.lack, step, price) * step)
        return between if _is_better(between, look, price) else None


def _is_better(look: Look, before: Look, price: float) -> bool:
    """Return whether the objective is less, or, where rounding hides that, whether the gradient is."""
    if look.objective(price) < before.objective(price):
        return True
    gradient, gradient_before = look.gradient(price), before.gradient(price)
    return before.is_least(price) and float(gradient @ gradient) < float(gradient_before @ gradient_before)


def _lowest(look: Look, change: Floats, step: Floats, price: float) -> float:
    """Return the share of the step at which the objective, convex along it, is least."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        share = (low + high) / 2
        slack = np.maximum(look.lack + share * change, 0.0)
        slope = price * float(step @ (look.v + share * step)) + float(slack @ change)
        low, high = (low, share) if slope > 0 else (share, high)
    return high


@np.errstate(all="ignore")
def _looked_at(v: Floats, _: slice, X: Any, y: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Return the lacks, and the weighted sum and the Gram matrix of the rows with slack."""
    lack, written, gram = np.empty(len(y)), np.zeros(len(v)), np.zeros((len(v), len(v)))
    for part in blocks(X):
        rows, signs = X[part], y[part]
        t = lack[part] = _VIEW.lack(rows, signs, v)
        inside = np.flatnonzero(t > 0)
        written += _VIEW.written(rows[inside], signs[inside], signs[inside] * t[inside])
        gram += _VIEW.gram(rows[inside], signs[inside], np.ones(len(inside)))
    return lack, written, gram
