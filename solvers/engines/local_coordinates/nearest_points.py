"""Nearest points of two hulls by an interior point whose normal matrix has the heavy rows only.

The program min 1/2 x.Hx - t subject to A x >= t is solved by Mehrotra's predictor and corrector (On the implementation
of a primal-dual interior point method, SIAM Journal on Optimization 2, 1992). Near the optimum all but about k of the m
rows have small weights z/r. The normal matrix is formed of the rows of largest weight, and conjugate gradients, which
it preconditions, account for the others.
"""

from collections.abc import Callable
from typing import Any

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

# Number of heavy rows for each unknown, how many times as many there must be for the others to be left out, and the
# least number of unknowns for which conjugate gradients take less time than the matrix of all rows.
_HEAVY_A_COLUMN, _WORTH_LEAVING, _MANY_COLUMNS = 3, 1.5, 60

# Number of iterations after which all rows are in the normal matrix.
_ALL_ROWS_AFTER = 25

# Largest number of steps of conjugate gradients, and the relative residual at which they end.
_MOST_CG_STEPS, _CG_RESIDUAL = 12, 1e-3

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
    for n_iterations in range(_MOST_ITERATIONS):
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
        if is_enough or not point.step(has_all_rows=n_iterations >= _ALL_ROWS_AFTER):
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
        self.squares = np.einsum("ij,ij->j", self.A, self.A) / m
        self.x, self.r, self.z = self.cost, np.ones(m), z
        self.n_heavy = _HEAVY_A_COLUMN * (k + 1)

    def measure(self) -> float:
        """Compute the residuals; return the relative error."""
        self.gap = float(self.r @ self.z)
        self.primal = self.A @ self.x - self.r
        self.dual = self.G @ self.x + self.cost - self.A.T @ self.z
        self.size = max(float(self.x @ self.G @ self.x), abs(float(self.x[-1])), 1e-3)
        return max(self.gap, 1e-2 * float(np.abs(self.dual).max())) / self.size

    def step(self, *, has_all_rows: bool) -> bool:
        """Take a step of predictor and corrector; return False where the matrix cannot be factorised."""
        if has_all_rows:
            self.n_heavy = len(self.r)
        solve = self._solver()
        if solve is None:
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

    def _solver(self) -> Callable[[Floats], Floats] | None:
        """Return a function that solves systems with the normal matrix ``G + A'DA``, D = z/r."""
        D, m = self.z / self.r, len(self.r)
        is_part = m > _WORTH_LEAVING * self.n_heavy and len(self.x) > _MANY_COLUMNS
        heavy: Any = np.argpartition(-D, self.n_heavy)[: self.n_heavy] if is_part else slice(None)
        rows = self.A[heavy] * np.sqrt(D[heavy])[:, np.newaxis]
        M = rows.T @ rows + self.G
        if is_part:
            M.flat[:: len(M) + 1] += (D.sum() - D[heavy].sum()) * self.squares
        try:
            precondition = CholeskyFactor(M).solve
        except np.linalg.LinAlgError:
            return None
        if not is_part:
            return precondition
        return lambda right: self._conjugate_gradients(precondition, D, right)

    def _conjugate_gradients(self, precondition: Callable[[Floats], Floats], D: Floats, right: Floats) -> Floats:
        """Solve with the matrix of all rows; where that takes long there are more heavy rows from the next step on."""
        v, rest, p = np.zeros(len(right)), right, precondition(right)
        direction, rho = p, float(right @ p)
        enough = _CG_RESIDUAL**2 * rho
        for _ in range(_MOST_CG_STEPS):
            image = self.G @ direction + self.A.T @ (D * (self.A @ direction))
            step = rho / float(direction @ image)
            v, rest = v + step * direction, rest - step * image
            p = precondition(rest)
            before, rho = rho, float(rest @ p)
            if rho <= enough:
                return v
            direction = p + rho / before * direction
        self.n_heavy *= 2
        return v
