"""Newton's method for the soft margin with a Huberised hinge, which comes closer to the hinge near the solution.

It minimises 1/2 ||w||^2 + sum c_i l_h(t_i) with t_i = 1 - y_i (w.x_i + b), where l_h(t) is max(0, t) for |t| >= h and
(t + h)^2/(4h) between. Only rows with |t| < h have curvature, so that a step costs one pass and the Gram matrix of
these rows. At the end the sign of t shows which multipliers are 0 and which are at their upper bounds, except for the
few rows near t = 0.

Source: Chapelle, Training a support vector machine in the primal, Neural Computation 19 (2007); Lee and Mangasarian,
SSVM: a smooth support vector machine, Computational Optimization and Applications 20 (2001).
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.cholesky import CholeskyFactor
from maxmargin.solvers.engines.interior_point.row_view import RowView, blocks
from maxmargin.solvers.problem.problem import Problem

# The first h, in units of the margin.
_FIRST_WIDTH = 0.5

# Smallest factor from one h to the next; within it, h follows the movement of the margins in a step.
_LEAST_FACTOR = 1 / 8

# Movement of the margins, in units of h, below which a step ends near the minimum.
_SHORT = 1 / 2

# Error of the margins, in units of h, that the Huberised hinge may cause.
_HUBER_ERROR = 1 / 8

_MOST_PASSES = 24

# Number of bisections of a step that does not lower the objective.
_BISECTIONS = 8


class Point(NamedTuple):
    """The Huberised objective at a hyperplane.

    Attributes
    ----------
    plane : ndarray (k,)
        w, and b with bias.
    width : float
        h.
    signed_slack : ndarray (n_samples,)
        The t.
    value : float
    gradient : ndarray (k,)
    curvature : ndarray (k, k)
        The Hessian without the part of 1/2 ||w||^2.
    weight : float
        Sum of c/(2h) over rows with |t| < h.
    """

    plane: Floats
    width: float
    signed_slack: Floats
    value: float
    gradient: Floats
    curvature: Floats
    weight: float

    def newton_step(self, penalty: Floats) -> Floats:
        """Return the step to where the quadratic model is least."""
        return CholeskyFactor(self.curvature + np.diag(penalty)).solve(-self.gradient)

    def movement(self, step: Floats) -> float:
        """Return the root mean square change of the margins of rows with |t| < h in a step; 0 without such rows."""
        square = max(0.0, float(step @ self.curvature @ step))
        return float(np.sqrt(square / self.weight)) if self.weight else 0.0

    def distance(self, n_rows: int) -> float:
        """Return the least width with |t| up to it for this number of rows."""
        n_rows = min(n_rows, len(self.signed_slack) - 1)
        return float(np.partition(np.abs(self.signed_slack), n_rows)[n_rows])

    def multipliers(self, costs: Floats) -> Floats:
        """Return the c l_h'(t)."""
        return costs * np.clip(0.5 + self.signed_slack / (2 * self.width), 0.0, 1.0)


class HuberisedDescent:
    """Newton's method, with a smaller h in each step.

    Parameters
    ----------
    problem : Problem
    costs : ndarray (n_samples,)
        The c_i.
    view : RowView
    plane : ndarray (k,)
        Where to start.

    Attributes
    ----------
    plane : ndarray (k,)
        The hyperplane after the last step.
    width : float
        The next h.
    point : Point or None
        The best one that was looked at.
    """

    def __init__(self, problem: Problem, costs: Floats, view: RowView, plane: Floats) -> None:
        self.problem, self.costs, self.view, self.plane, self.width = problem, costs, view, plane, _FIRST_WIDTH
        self.point: Point | None = None
        self._movement = np.inf
        self._penalty = (np.arange(len(plane)) < problem.n_features).astype(np.float64)

    def run(self, least: int, most: int) -> Iterator[bool]:
        """Take steps until one is short and few rows are within reach of the margin.

        Parameters
        ----------
        least : int
            If no row has curvature, h becomes so wide that this number of rows has.
        most : int
            Largest number of rows within reach at the end.

        Yields
        ------
        bool
            After every pass, whether the end is reached.

        Raises
        ------
        numpy.linalg.LinAlgError
            If a step has no finite solution.
        """
        for _ in range(_MOST_PASSES):
            yield self._advance(least, most)

    def _advance(self, least: int, most: int) -> bool:
        """Look at all rows, and take a step, or part of the last one if that went too far."""
        point = self._look(self.plane, self.width)
        if not point.weight:
            self.point, self.width = None, 2 * point.distance(least)
            return False
        if self.point is not None and not point.value < self.point.value:
            self.plane = self._between(self.point, point)
            return False
        self.point, step = point, point.newton_step(self._penalty)
        self.plane, self._movement = point.plane + step, point.movement(step)
        if self._movement <= _SHORT * self.width and self._n_within_reach(point) <= most:
            return True
        self.width *= min(max(self._movement / self.width, _LEAST_FACTOR), 1.0)
        return False

    def _between(self, point: Point, beyond: Point) -> Floats:
        """Return nearly the minimum of the Huberised objective between a point and one beyond the minimum."""
        step, change = beyond.plane - point.plane, beyond.signed_slack - point.signed_slack
        low, high = 0.0, 1.0
        for _ in range(_BISECTIONS):
            length = (low + high) / 2
            shares = np.clip(0.5 + (point.signed_slack + length * change) / (2 * beyond.width), 0.0, 1.0)
            slope = self._penalty * step @ (point.plane + length * step) + (self.costs * shares) @ change
            low, high = (low, length) if slope > 0 else (length, high)
        return point.plane + high * step

    def _n_within_reach(self, point: Point) -> int:
        return int(np.count_nonzero(np.abs(point.signed_slack) <= self._reach))

    def reach(self, least: int) -> float:
        """Return how far the last hyperplane may be from the best one, in units of the margin.

        At least the given number of rows are this near to the margin.
        """
        assert self.point is not None
        return max(self._reach, self.point.distance(least))

    @property
    def _reach(self) -> float:
        return max(self._movement, _HUBER_ERROR * self.width)

    def _look(self, plane: Floats, width: float) -> Point:
        """Look at all rows."""
        function = partial(_looked_at, self.view, plane, width)
        slacks, *parts = zip(*self.problem.map(function, self.problem.y, self.costs), strict=True)
        hinge, written, curvature, weight = (sum(part) for part in parts)
        normal = self._penalty * plane
        return Point(
            plane=plane,
            width=width,
            signed_slack=np.concatenate(slacks),
            value=float(normal @ normal) / 2 + hinge,
            gradient=normal - written,
            curvature=curvature,
            weight=weight,
        )


@np.errstate(all="ignore")
def _looked_at(
    view: RowView, plane: Floats, width: float, _: slice, X: Any, y: NDArray[Any], costs: Floats
) -> tuple[Floats, float, Floats, Floats, float]:
    """Return t, sum c l_h(t), X'(y c l_h'(t)), the curvature and its weight."""
    signed_slack, written = np.empty(len(y)), np.zeros(len(plane))
    curvature, hinge, weight = np.zeros((len(plane), len(plane))), 0.0, 0.0
    for part in blocks(X, view.sizes):
        rows, signs, c = view.centred(X[part]), y[part], costs[part]
        t = signed_slack[part] = view.signed_slack(rows, signs, plane)
        share = np.clip(0.5 + t / (2 * width), 0.0, 1.0)
        near = np.flatnonzero(np.abs(t) < width)
        hinge += float(c @ np.maximum(0.0, t)) + float(c[near] @ _rounding(t[near], width))
        written += view.written(rows, signs, signs * c * share)
        bends = c[near] / (2 * width)
        curvature += view.gram(rows[near], signs[near], np.sqrt(bends))
        weight += float(bends.sum())
    return signed_slack, hinge, written, curvature, weight


def _rounding(t: Floats, width: float) -> Floats:
    """Return l_h(t) - max(0, t) for |t| <= h."""
    return (width - np.abs(t)) ** 2 / (4 * width)
