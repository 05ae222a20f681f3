"""Angles and distances of hyperplanes, in floating point."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import times_power_of_two
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.proof.margins import unit
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin

# Exponent of the power of two by which rows are divided if their sums overflow: enough for 2**64 features.
_ROOM = 64


# Slack above which a row of a soft margin is counted as having some.
SLACK = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plane:
    """A hyperplane w.x + b = 0 with w != 0, and its name.

    Attributes
    ----------
    w : ndarray (n_features,)
    b : float
    name : str
    """

    w: Floats
    b: float
    name: str

    @property
    def unit(self) -> Floats:
        """w/||w||."""
        return unit(self.w)

    @property
    def offset(self) -> float:
        """b/||w||."""
        return self.b / norm(self.w)

    def distances(self, problem: Problem, rows: NDArray[np.int64] | slice = slice(None)) -> Floats:
        """Return the geometric margins y(w.x + b)/||w|| of the rows."""
        return self.margins(problem.row_source[rows], problem.y[rows])

    def margins(self, X: Any, y: NDArray[Any]) -> Floats:
        """Return y(w.x + b)/||w|| of some rows, infinite only where it is itself beyond binary64."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores: Floats = np.asarray(X @ self.unit + self.offset)
            broken = ~np.isfinite(scores)
            if broken.any():
                smaller = times_power_of_two(X[broken], -_ROOM) @ self.unit + math.ldexp(self.offset, -_ROOM)
                scores[broken] = np.ldexp(smaller, _ROOM)
        return np.asarray(y * scores)


def plane_of(w: Floats | None, b: float | None, name: str) -> Plane | None:
    """Return the plane, or None where there is no normal."""
    if w is None or b is None or not np.isfinite(w).all() or not w.any():
        return None
    return Plane(w=w, b=b, name=name)


def n_with_slack(solution: SoftMargin) -> int:
    """Return the number of rows with slack at the optimum; where it is not proven, that of the rows above `SLACK`."""
    return int((solution.slack > SLACK).sum()) if solution.n_slack is None else solution.n_slack


def is_flat(problem: Problem, solution: SoftMargin) -> bool:
    """Return whether w = 0 may be as good as the solution, within its proven gap; its w is then rounding noise."""
    weights = np.ones(problem.n_samples) if solution.sample_weight is None else solution.sample_weight
    by_class = [float(weights[problem.y == sign].sum()) for sign in (-1, 1)]
    slack_at_zero = 2 * min(by_class) if problem.bias else sum(by_class)
    return solution.C * slack_at_zero - solution.objective <= solution.gap


def norm(w: Floats) -> float:
    """Return ||w||, without overflow on the way."""
    return math.hypot(*w.tolist())


def cosine(left: Plane, right: Plane) -> float:
    """Return the cosine of the angle between the normals."""
    return float(np.clip(left.unit @ right.unit, -1.0, 1.0))


def angle_degrees(left: Plane, right: Plane) -> float:
    """Return the angle between the normals; from half-angles, so that small ones keep their digits (Kahan)."""
    apart, together = np.linalg.norm(left.unit - right.unit), np.linalg.norm(left.unit + right.unit)
    return math.degrees(2 * math.atan2(float(apart), float(together)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Distances:
    """The geometric margins y(w.x + b)/||w|| of all rows.

    Attributes
    ----------
    problem : Problem
    plane : Plane
    least, greatest : float
    n_wrong : int
        Rows at or below 0.
    values : ndarray (n_samples,), optional
        None for rows outside memory.
    """

    problem: Problem
    plane: Plane
    least: float
    greatest: float
    n_wrong: int
    values: Floats | None

    @property
    def median(self) -> float | None:
        """Median over all rows; None for rows outside memory."""
        with np.errstate(invalid="ignore"):  # between distances beyond binary64 on both sides there is no middle
            return None if self.values is None else float(np.median(self.values))

    @property
    def reach(self) -> float:
        """The largest modulus of a distance."""
        return max(abs(self.least), abs(self.greatest))

    def points(self, edges: Floats) -> tuple[list[Floats], list[Floats] | None]:
        """Return the margins of the rows of each class, +1 first; outside memory, centres of bins and their counts."""
        if self.values is not None:
            positive = self.problem.y > 0
            return [self.values[positive], self.values[~positive]], None
        counts = sum(self.problem.map(partial(_counts, self.plane, edges), self.problem.y), np.zeros((2, 1)))
        return [(edges[:-1] + edges[1:]) / 2] * 2, [*counts]


def distances_of(problem: Problem, plane: Plane) -> Distances:
    """Return the distances of the rows from a plane; for rows outside memory only their extremes and counts."""
    values = plane.distances(problem) if isinstance(problem.row_source, InMemory) else None
    parts = [*problem.map(partial(_extremes, plane), problem.y)] if values is None else [_extremes_of(values)]
    least, greatest, n_wrong = zip(*parts, strict=True)
    return Distances(
        problem=problem, plane=plane, least=min(least), greatest=max(greatest), n_wrong=sum(n_wrong), values=values
    )


def _extremes(plane: Plane, rows: slice, X: Any, y: NDArray[Any]) -> tuple[float, float, int]:
    return _extremes_of(plane.margins(X, y))


def _extremes_of(values: Floats) -> tuple[float, float, int]:
    return float(values.min()), float(values.max()), int((values <= 0).sum())


def _counts(plane: Plane, edges: Floats, rows: slice, X: Any, y: NDArray[Any]) -> Floats:
    """Return how many rows of +1, and of -1, lie between each two edges."""
    values = plane.margins(X, y)
    return np.array([np.histogram(values[y * sign > 0], edges)[0] for sign in (1, -1)], dtype=np.float64)
