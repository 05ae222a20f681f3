"""Where an interior point of the soft margin starts: a hyperplane, and rows that suit it."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.interior_point.central_path import Aim, Rows
from maxmargin.solvers.engines.interior_point.column_system import ColumnSystem
from maxmargin.solvers.engines.interior_point.row_system import RowSystem
from maxmargin.solvers.engines.interior_point.row_view import weighted_rows
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]
Systems = ColumnSystem | RowSystem
"""The linear systems of the Newton steps, with the hyperplane that moves with the rows."""

_SPREAD = 0.2
"""Product of excess and slack at the first iterate around a hyperplane: a smaller one starts too near the boundary."""

_LEAST_SPREAD = 0.01
"""Of the margins to start from, in units of the greatest that rows and multipliers of this size can have."""


def first_rows(problem: Problem, costs: Floats, systems: Systems, aim: Aim, start: tuple[Floats, float] | None) -> Rows:
    """Return the first iterate; the systems get the hyperplane, if there is one."""
    if aim.nu is not None:
        return _between_the_means(problem, costs, systems, aim.nu)
    if start is None:
        return Rows.start(costs)
    systems.start_at(*start)
    return Rows.around(aim.target - _margins(problem, *start), costs, _SPREAD)


def _between_the_means(problem: Problem, costs: Floats, systems: Systems, nu: float) -> Rows:
    """Start at multipliers in proportion to the costs, which add up to nu: rho has the size that the rows give it."""
    weights = [costs * (problem.y == sign) for sign in (-1.0, 1.0)] if problem.bias else [costs]
    shares = [part / part.sum() for part in weights]
    w = weighted_rows(problem, problem.y * sum(shares) * (nu / len(shares)))
    margins = _margins(problem, w, 0.0)
    middles = [float(share @ margins) for share in shares]
    b = (middles[0] - middles[1]) / 2 if problem.bias else 0.0
    rho = sum(middles) / len(middles)
    signed_slack = rho - margins - b * problem.y
    systems.start_at(w, b, rho)
    greatest = nu * float(problem.column_sizes @ problem.column_sizes)  # of a margin; w is 0 where the means are one
    spread = max(float(signed_slack.var()), (_LEAST_SPREAD * greatest) ** 2) or 1.0
    return Rows.around(signed_slack, costs, _SPREAD * spread)


def _margins(problem: Problem, w: Floats, b: float) -> Floats:
    return np.concatenate(list(problem.map(partial(_margins_of_chunk, w, b), problem.y)))


@np.errstate(all="ignore")
def _margins_of_chunk(w: Floats, b: float, _: slice, X: Any, y: Floats) -> Floats:
    return np.asarray(y * (X @ w + b))
