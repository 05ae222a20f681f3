"""Newton's method for the soft margin with the squared hinge: a step costs one Gram matrix of the rows with slack.

It minimises 1/2 ||w||^2 + sum c_i max(0, t_i)^2 with t_i = 1 - y_i (w.x_i + b). Between two changes of the set of rows
with t > 0 this is quadratic, so that the method ends when a full step leaves the set as it was.

Source: Keerthi and DeCoste, A modified finite Newton method for fast solution of large scale linear SVMs, JMLR 6
(2005).
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.engines.cholesky import CholeskyFactor
from maxmargin.solvers.engines.interior_point.interior_point import center_of, one_thread_each
from maxmargin.solvers.engines.interior_point.newton_systems import home_of_rows, in_space_of_rows
from maxmargin.solvers.engines.interior_point.row_view import RowView
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem

NAME = "newton"

_MOST_STEPS = 200

# Slope at the end of a step, relative to the slope at its begin, that counts as 0.
_ROUNDING = 1e-9


class _AtPlane(NamedTuple):
    """A hyperplane (w, b), and the slacks t, the gradient and the Hessian there."""

    plane: Floats
    t: Floats
    gradient: Floats
    hessian: Floats


def solve(
    problem: Problem, costs: Floats, *, start: tuple[Floats, float] | None = None, is_over: Callable[[], bool] = never
) -> Candidate:
    """Return a hyperplane for min 1/2 ||w||^2 + sum c_i xi_i^2, y_i (w.x_i + b) >= 1 - xi_i, without multipliers.

    Parameters
    ----------
    problem : Problem
    costs : ndarray (n_samples,)
        The c_i, positive.
    start : tuple of ndarray (n_features,) and float, optional
        The solution (w, b) for similar costs; not used where there are fewer rows than columns.
    is_over : callable
        Called before every step; the work stops where it returns True.
    """
    with np.errstate(all="ignore"), one_thread_each(problem):
        center, is_wide = center_of(problem), problem.n_samples < problem.n_features
        try:
            seen = in_space_of_rows(problem, center) if is_wide else problem
        except np.linalg.LinAlgError as error:  # numbers have left the range of binary64
            return Candidate.failed(NAME, NAME, error)
        view = RowView(None if is_wide else center, problem.bias, sizes=problem.sizes)
        plane = np.zeros(seen.n_features + problem.bias) if is_wide or start is None else view.plane_of(*start)
        plane, status, n_steps = _descend(seen, costs, view, plane, is_over)
        normal = plane[: seen.n_features]
        w = home_of_rows(problem, center, seen.X, normal) if is_wide else normal
    attempt = SolverRun(solver=NAME, status=status, message=f"{n_steps} steps")
    return Candidate(w=w if np.isfinite(w).all() else None, multipliers=None, engine=NAME, attempt=attempt)


def _descend(
    problem: Problem, costs: Floats, view: RowView, plane: Floats, is_over: Callable[[], bool]
) -> tuple[Floats, str, int]:
    """Return the last hyperplane, the status and the number of steps."""
    penalty = (np.arange(len(plane)) < problem.n_features).astype(np.float64)
    point = _look(problem, costs, view, plane, penalty)
    for n_steps in range(_MOST_STEPS):
        if is_over():
            return point.plane, "user_limit", n_steps
        try:
            step = CholeskyFactor(point.hessian).solve(-point.gradient)
            beyond = _look(problem, costs, view, point.plane + step, penalty)
            length = _length(point, step, beyond.t - point.t, costs, penalty)
            if length < 1:
                beyond = _look(problem, costs, view, point.plane + length * step, penalty)
        except KeyboardInterrupt:
            return point.plane, INTERRUPTED, n_steps
        except (np.linalg.LinAlgError, ValueError):  # numbers have left the range of binary64, or nearly so
            return point.plane, "stalled", n_steps
        is_same = length == 1 and np.array_equal(beyond.t > 0, point.t > 0)
        point = beyond
        if is_same:
            return point.plane, "optimal", n_steps + 1
    return point.plane, "user_limit", _MOST_STEPS


def _length(point: _AtPlane, step: Floats, change: Floats, costs: Floats, penalty: Floats) -> float:
    """Return the part of a step, at most 1, up to which the objective falls."""
    from scipy.optimize import brentq

    normal = penalty * step

    def slope(length: float) -> float:
        slack = np.maximum(0.0, point.t + length * change)
        return float(normal @ (point.plane + length * step) + 2 * (costs * slack) @ change)

    # At a minimum the slope is 0 up to rounding, of either sign.
    is_lower = slope(1.0) <= _ROUNDING * abs(slope(0.0)) or slope(0.0) >= 0
    return 1.0 if is_lower else float(brentq(slope, 0.0, 1.0))


def _look(problem: Problem, costs: Floats, view: RowView, plane: Floats, penalty: Floats) -> _AtPlane:
    slacks, grams = zip(*problem.map(partial(_looked_at, view, plane), problem.y, costs), strict=True)
    gram = sum(grams)
    return _AtPlane(plane, np.concatenate(slacks), penalty * plane - gram[:-1, -1], np.diag(penalty) + gram[:-1, :-1])


@np.errstate(all="ignore")
def _looked_at(view: RowView, plane: Floats, _: slice, X: Any, y: NDArray[Any], costs: Floats) -> tuple[Floats, Floats]:
    """Return t, and the Gram matrix of the rows with slack times the roots of 2 c, beside them y t."""
    rows = view.centred(X)
    t = view.signed_slack(rows, y, plane)
    inside = np.flatnonzero(t > 0)
    roots = np.sqrt(2 * costs[inside])
    return t, view.gram(rows[inside], y[inside], roots, roots * y[inside] * t[inside])
