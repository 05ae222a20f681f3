"""How far all rows lie from a hyperplane: every distance where the rows are in memory, else what passes tell."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.reports.study.measures import Plane
from maxmargin.reports.study.study import Study
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spread:
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
        """Of all rows; None where passes do not tell it."""
        with np.errstate(invalid="ignore"):  # between distances beyond binary64 on both sides there is no middle
            return None if self.values is None else float(np.median(self.values))

    @property
    def reach(self) -> float:
        """The greatest modulus."""
        return max(abs(self.least), abs(self.greatest))

    def points(self, edges: Floats) -> tuple[list[Floats], list[Floats] | None]:
        """Return the margins of the rows of either class, +1 first, or middles of bins and how many rows are there."""
        if self.values is not None:
            positive = self.problem.y > 0
            return [self.values[positive], self.values[~positive]], None
        counts = sum(self.problem.map(partial(_counts, self.plane, edges), self.problem.y), np.zeros((2, 1)))
        return [(edges[:-1] + edges[1:]) / 2] * 2, [*counts]


def spread_of(study: Study, plane: Plane) -> Spread:
    """Return how far the rows of a study lie from a plane."""
    problem = study.problem
    values = plane.distances(problem) if study.dataset.is_in_memory else None
    parts = [*problem.map(partial(_extremes, plane), problem.y)] if values is None else [_extremes_of(values)]
    least, greatest, n_wrong = zip(*parts, strict=True)
    return Spread(
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
