"""What the perceptron had achieved along its run, rebuilt from the rows it was mistaken on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.reports.measures import plane_of
from maxmargin.reports.study import Study

Floats = NDArray[np.float64]

_MOST_CHECKPOINTS = 200
_FEWEST_CHECKPOINTS = 20
_MOST_ENTRIES_READ = 400_000_000
"""Matrix entries read at all checkpoints together: about a second."""


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
        w = self.sums[1] - self.sums[0]
        b = float(self.counts[1] - self.counts[0]) * self.study.scale**2
        plane = plane_of(w, b, "perceptron")
        return float("nan") if plane is None else float(plane.distances(self.study.problem).min())

    def _upper(self) -> float:
        if not self.study.problem.bias:
            return float(np.linalg.norm(self.sums[1] - self.sums[0]) / self.counts.sum())
        if not self.counts.all():
            return float("nan")
        means = self.sums / self.counts[:, np.newaxis]
        return float(np.linalg.norm(means[1] - means[0]) / 2)
