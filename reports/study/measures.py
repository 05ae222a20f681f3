"""What is read off a hyperplane: errors, angles, distances. Floating point where it is not said to be exact."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.dyadic import times_power_of_two
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]

_ROOM = 64
"""Binary exponent by which rows are divided whose sums overflow on the way: enough for 2**64 features."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plane:
    """A hyperplane w.x + b = 0 with w != 0, and how it is called.

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
        return self.margins(problem.carrier[rows], problem.y[rows])

    def margins(self, X: Any, y: NDArray[Any]) -> Floats:
        """Return y(w.x + b)/||w|| of some rows, infinite only where it is itself beyond binary64."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores: Floats = np.asarray(X @ self.unit + self.offset)
            broken = ~np.isfinite(scores)
            if broken.any():
                smaller = times_power_of_two(X[broken], -_ROOM) @ self.unit + math.ldexp(self.offset, -_ROOM)
                scores[broken] = np.ldexp(smaller, _ROOM)
        result: Floats = y * scores
        return result


def plane_of(w: Floats | None, b: float | None, name: str) -> Plane | None:
    """Return the plane, or None where there is no normal."""
    if w is None or b is None or not np.isfinite(w).all() or not w.any():
        return None
    return Plane(w=w, b=b, name=name)


def norm(w: Floats) -> float:
    """Return ||w||, without overflow on the way."""
    return math.hypot(*w.tolist())


def unit(w: Floats) -> Floats:
    """Return w/||w|| for w != 0, without underflow on the way."""
    scaled = w / np.abs(w).max()
    result: Floats = scaled / np.linalg.norm(scaled)
    return result


def cosine(left: Plane, right: Plane) -> float:
    """Return the cosine of the angle between the normals."""
    return float(np.clip(left.unit @ right.unit, -1.0, 1.0))


def angle_degrees(left: Plane, right: Plane) -> float:
    """Return the angle between the normals; from half-angles, so that small ones keep their digits (Kahan)."""
    apart, together = np.linalg.norm(left.unit - right.unit), np.linalg.norm(left.unit + right.unit)
    return math.degrees(2 * math.atan2(float(apart), float(together)))
