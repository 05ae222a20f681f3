"""What the perceptron had achieved along its run, rebuilt from the rows it was mistaken on."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.reports.measures import Plane, plane_of
from maxmargin.reports.spread import margins
from maxmargin.reports.study import Study
from maxmargin.solvers.chunks import slices

Floats = NDArray[np.float64]

_MOST_CHECKPOINTS = 200
_FEWEST_CHECKPOINTS = 20
_MOST_ENTRIES_READ = 400_000_000
"""Matrix entries read at all checkpoints together: about a second."""

_ENTRIES_AT_ONCE = 1 << 17
"""Matrix entries of mistaken rows that are fetched at a time (1 MiB)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trajectory:
    """Margins after so many mistakes, in floating point.

    Attributes
    ----------
    n_mistakes : ndarray of int
        The checkpoints.
    margin : ndarray
        Least y(w.x + b)/||w|| over the rows; nan at w = 0.
    upper : ndarray
        The upper bound of gamma* that the mistakes so far give; nan before both classes have one.
    """

    n_mistakes: NDArray[np.int64]
    margin: Floats
    upper: Floats


def trajectory(study: Study) -> Trajectory:
    """Return the margins at checkpoints spaced evenly on a logarithmic scale."""
    checkpoints = _checkpoints(study)
    if not study.dataset.is_in_memory:
        return _by_passes(study, checkpoints)
    walk = _Walk(study)
    points = [walk.advance(int(stop)) for stop in checkpoints]
    margin, upper = np.array(points, dtype=np.float64).reshape(-1, 2).T
    return Trajectory(n_mistakes=checkpoints, margin=margin, upper=upper)


def _checkpoints(study: Study) -> NDArray[np.int64]:
    n_entries = study.problem.n_samples * study.problem.n_features
    most = int(np.clip(_MOST_ENTRIES_READ // n_entries, _FEWEST_CHECKPOINTS, _MOST_CHECKPOINTS))
    spaced = np.geomspace(1, max(1, study.run.n_mistakes), most)
    return np.unique(np.rint(spaced).astype(np.int64))


class _Walk:
    """The weights as the mistakes are added."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.position = 0
        # Per class (-1, +1): the sum of the mistaken rows, and their number.
        self.sums = np.zeros((2, study.problem.n_features))
        self.counts = np.zeros(2)

    def advance(self, stop: int) -> tuple[float, float]:
        """Add the mistakes up to ``stop``; return the margin achieved and the upper bound."""
        problem = self.study.problem
        mistaken = np.bincount(self.study.run.mistake_rows[self.position : stop], minlength=problem.n_samples)
        self.position = stop
        for side, sign in enumerate((-1.0, 1.0)):
            rows = np.flatnonzero((mistaken > 0) & (problem.y == sign))
            weights = mistaken[rows].astype(np.float64)
            self.sums[side] += weights @ problem.X[rows]
            self.counts[side] += weights.sum()
        return self._margin(), self._upper()

    def _margin(self) -> float:
        plane = _plane(self.study, self.sums, self.counts)
        return float("nan") if plane is None else float(plane.distances(self.study.problem).min())

    def _upper(self) -> float:
        return _upper(self.study, self.sums, self.counts)


def _plane(study: Study, sums: Floats, counts: Floats) -> Plane | None:
    """Return the perceptron's hyperplane from the sums of the mistaken rows, None at w = 0."""
    w = sums[1] - sums[0]
    return plane_of(w, float(counts[1] - counts[0]) * study.scale**2, "perceptron")


def _upper(study: Study, sums: Floats, counts: Floats) -> float:
    """Return the upper bound of gamma* that these mistakes give."""
    if not study.problem.bias:
        return float(np.linalg.norm(sums[1] - sums[0]) / counts.sum())
    if not counts.all():
        return float("nan")
    means = sums / counts[:, np.newaxis]
    return float(np.linalg.norm(means[1] - means[0]) / 2)


def _by_passes(study: Study, checkpoints: NDArray[np.int64]) -> Trajectory:
    """Return the same for rows outside memory: one pass for all hyperplanes."""
    problem = study.problem
    reached = [*zip(*_sums(study, checkpoints), strict=True)]
    planes = {k: plane for k, entry in enumerate(reached) if (plane := _plane(study, *entry)) is not None}
    margin = np.full(len(checkpoints), np.nan)
    if planes:
        least = [*problem.map(partial(_least, tuple(planes.values())), problem.y)]
        margin[list(planes)] = np.min(least, axis=0)
    upper = np.array([_upper(study, *entry) if entry[1].any() else np.nan for entry in reached])
    return Trajectory(n_mistakes=checkpoints, margin=margin, upper=upper)


def _sums(study: Study, checkpoints: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the sums of the mistaken rows of either class (k, 2, d) and their numbers (k, 2) at each checkpoint."""
    from scipy.sparse import csc_array

    problem, mistaken = study.problem, study.run.mistake_rows
    rows, places = np.unique(mistaken, return_inverse=True)
    interval = np.searchsorted(checkpoints, np.arange(len(mistaken)), side="right")
    groups = 2 * interval + (problem.y[mistaken] > 0)
    n_groups = 2 * len(checkpoints)
    weights = csc_array((np.ones(len(mistaken)), (groups, places)), shape=(n_groups, len(rows)))
    sums = np.zeros((n_groups, problem.n_features))
    for part in slices(len(rows), max(1, _ENTRIES_AT_ONCE // problem.n_features)):
        sums += weights[:, part] @ problem.dense_rows(rows[part])
    counts = np.bincount(groups, minlength=n_groups).astype(np.float64)
    return sums.reshape(-1, 2, problem.n_features).cumsum(axis=0), counts.reshape(-1, 2).cumsum(axis=0)


def _least(planes: tuple[Plane, ...], rows: slice, X: Any, y: NDArray[Any]) -> Floats:
    return np.array([margins(plane, X, y).min() for plane in planes])
