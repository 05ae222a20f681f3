"""Nearest points of two hulls by an interior point.

The program min 1/2 x.Hx - t subject to A x >= t is solved by Mehrotra's predictor and corrector (On the implementation
of a primal-dual interior point method, SIAM Journal on Optimization 2, 1992).
"""

from collections.abc import Callable

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.cholesky import CholeskyFactor
from maxmargin.solvers.engines.local_coordinates.support import LocalProgram, on_support

_MOST_ITERATIONS = 80

# Relative error below which a step that is not better counts as one; number of such steps after which the work ends. An
# interior point may stall for long while its error is large.
_STALLS_BELOW, _MOST_WORSE = 1e-4, 4

# Relative error at which the support is tried first, and the factor by which the error falls before it is tried again.
_FIRST_FINISH, _FINISH_AGAIN = 1e-7, 30

# Part of the way to the boundary that a step takes, and the most it takes.
_PART_OF_STEP, _MOST_OF_STEP = 0.99, 1 - 1e-6


def nearest_points(
    program: LocalProgram, z: Floats, tolerance: float, *, finish: bool, is_over: Callable[[], bool]
) -> tuple[Floats, Floats]:
    """Return x and the multipliers, of sum 1.

    Parameters
    ----------
    program : LocalProgram
    z : ndarray (m,)
        Positive multipliers of sum 1 to begin with.
    tolerance : float
        Relative error at which the work ends.
    finish : bool
        Whether the support is tried as soon as its rows are told apart.
    is_over : callable
        Asked before every iteration.
    """
    point = _InteriorPoint(program, z)
    best, best_error, n_worse, finish_at = (point.x, point.z), np.inf, 0, _FIRST_FINISH
    for _ in range(_MOST_ITERATIONS):
        error = point.measure()
        if not np.isfinite(error):
            break
        is_better = error < best_error or best_error > _STALLS_BELOW
        if is_better:
            best, best_error, n_worse = (point.x, point.z), error, 0
        n_worse += not is_better
        if finish and is_better and error < finish_at:
            found = on_support(program, point.x[:-1], float(point.x[-1]), point.z)
            if found is not None:
                return found
            finish_at = error / _FINISH_AGAIN
        is_enough = error < tolerance or n_worse > _MOST_WORSE or is_over()
        if is_enough or not point.step():
            break
    return best[0][:-1], best[1]


class _InteriorPoint:
    """A point (x, t), its slacks r > 0 and multipliers z > 0, and the steps from it."""

    def __init__(self, program: LocalProgram, z: Floats) -> None:
        m, k = program.A.shape
        self.A = np.column_stack([program.A, -np.ones(m)])
        self.G = np.zeros((k + 1, k + 1))
        self.G[:k, :k] = program.H
        self.cost = np.append(np.zeros(k), -1.0)
        self.x, self.r, self.z = self.cost, np.ones(m), z

    def measure(self) -> float:
        """Compute the residuals; return the relative error."""
        self.gap = float(self.r @ self.z)
        self.primal = self.A @ self.x - self.r
        self.dual = self.G @ self.x + self.cost - self.A.T @ self.z
        self.size = max(float(self.x @ self.G @ self.x), abs(float(self.x[-1])), 1e-3)
        return max(self.gap, 1e-2 * float(np.abs(self.dual).max())) / self.size

    def step(self) -> bool:
        """Take a step of predictor and corrector; return False where the normal matrix cannot be factorised."""
        rows = self.A * np.sqrt(self.z / self.r)[:, np.newaxis]
        try:
            solve = CholeskyFactor(rows.T @ rows + self.G).solve
        except np.linalg.LinAlgError:
            return False
        dx, dr, dz, length = self._direction(solve, -self.r * self.z)
        left = float((self.r + length * dr) @ (self.z + length * dz))
        target = (left / self.gap) ** 3 * self.gap / len(self.r)
        dx, dr, dz, length = self._direction(solve, target - self.r * self.z - dr * dz)
        length *= min(max(_PART_OF_STEP, 1 - 10 * self.gap / self.size), _MOST_OF_STEP)
        self.x, self.r, self.z = self.x + length * dx, self.r + length * dr, self.z + length * dz
        return True

    def _direction(self, solve: Callable[[Floats], Floats], q: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Return the step for which ``r z`` changes by q, and the part of it that leaves r and z positive."""
        dx = solve(self.A.T @ ((q - self.z * self.primal) / self.r) - self.dual)
        dr = self.A @ dx + self.primal
        dz = (q - self.z * dr) / self.r
        return dx, dr, dz, 1 / max(1.0, -float((dr / self.r).min()), -float((dz / self.z).min()))
