"""A primal-dual interior point method for the soft margin; an iteration costs one weighted Gram matrix.

Mehrotra's predictor and corrector on min 1/2 ||w||^2 + sum c_i xi_i. Newton steps are solved with a matrix of d + 1
rows; fewer rows than columns are first written in as many coordinates as rows. Sparse rows stay sparse.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.blas_threads import one_blas_thread
from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.engines.interior_point.central_path import IterateQuality, PathRows, RowsAtBound
from maxmargin.solvers.engines.interior_point.newton_systems import NewtonSystem, home_of_rows, in_space_of_rows
from maxmargin.solvers.engines.interior_point.row_view import weighted_rows
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.sums import margins_of

NAME = "interior-point"

# Value of `WorkSizes.factorised_side` for sparse rows: it is smaller because other methods exploit sparsity better.
_GREATEST_SPARSE_SIDE = 1000

# Largest order of the matrix for which several threads of BLAS are slower than one.
_SMALL_SIDE = 500

# Distance of the middle of a column from 0, in units of its spread, above which it is centred: below, at most one
# decimal digit is lost.
_FAR_FROM_ZERO = 8.0


# Relative gap of the two objectives, unless another is asked for, and relative imbalance of the multipliers, unless the
# gap that is asked for is larger, at which the method is done.
_GAP, _IMBALANCE = 1e-13, 1e-10

# Relative gap below which the best iterate is kept, and the method may stop for lack of progress; number of iterations
# without a better iterate after which it does; and largest number of all.
_NEAR, _PATIENCE, _MOST_ITERATIONS = 1e-6, 3, 200

# Length of a step, as a fraction of the full step, below which the method stops.
_SHORTEST_STEP = 1e-7

# Fractions of the way to the nearest boundary that a step covers, far from the solution and next to it.
_BOUNDARY, _LAST_BOUNDARY = 0.995, 1 - 1e-9

# Growth of the complementarity in one step above which the next step is cautious: second-order steps can cycle.
_GROWTH = 1.5

# Fraction of the present mu at which a cautious step, of first order only, aims.
_CAUTION = 0.5

# Product of excess and slack at the first iterate around a hyperplane: a smaller one starts too near the boundary.
_SPREAD = 0.2

# Smallest standard deviation of the margins at the start, as a fraction of the greatest margin that is possible.
_LEAST_SPREAD = 0.01

# Smallest size with which a gap of a nu-SVM is compared, relative to the size at the first iterate: where the reduced
# hulls meet, the objective is 0 and has no size of its own.
_LEAST_SIZE = 1e-8


def fits(problem: Problem) -> bool:
    """Return whether the matrices of the method are of a moderate size."""
    greatest = _GREATEST_SPARSE_SIDE if problem.is_sparse else problem.sizes.factorised_side
    return min(problem.n_samples, problem.n_features) <= greatest


def solve(
    problem: Problem,
    costs: Floats,
    *,
    nu: float | None = None,
    start: tuple[Floats, float] | None = None,
    at_bound: RowsAtBound | None = None,
    gap: float = _GAP,
    is_over: Callable[[], bool] = never,
) -> Candidate:
    """Return a hyperplane and multipliers for min 1/2 ||w||^2 + sum c_i xi_i, y_i (w.x_i + b) >= 1 - xi_i, xi >= 0.

    With nu for min 1/2 ||w||^2 - nu rho + sum c_i xi_i, y_i (w.x_i + b) >= rho - xi_i, xi >= 0.

    Parameters
    ----------
    problem : Problem
    costs : ndarray (n_samples,)
        The c_i, positive: the cost of a unit of slack, and the upper bound of the multiplier of each row.
    nu : float, optional
        Between 0 and twice the sum of the costs in either class.
    start : tuple of ndarray (n_features,) and float, optional
        The solution (w, b) for similar costs, which saves about a third of the iterations. Without nu only; not used
        where there are fewer rows than columns.
    at_bound : RowsAtBound, optional
        Further rows, outside the problem, whose multipliers stay at their upper bounds. Without nu only.
    gap : float
        Relative gap of the two objectives at which to stop.
    is_over : callable
        Called before every iteration; the work stops where it returns True.
    """
    with np.errstate(all="ignore"), one_thread_each(problem):
        center = center_of(problem) if at_bound is None else at_bound.center
        is_wide = at_bound is None and problem.n_samples < problem.n_features
        try:
            seen, start = (in_space_of_rows(problem, center), None) if is_wide else (problem, start)
        except np.linalg.LinAlgError as error:  # numbers have left the range of binary64
            return Candidate.failed(NAME, NAME, error)
        system = NewtonSystem(seen, None if is_wide else center, nu, at_bound)
        run = _PathRun(system, _first_rows(costs, system, nu, start), gap)
        run.finish(is_over)
        w = home_of_rows(problem, center, system.problem.X, run.normal) if is_wide else run.normal
    attempt = SolverRun(solver=NAME, status=run.status, message=f"{run.n_iterations} iterations")
    return Candidate(w=w if np.isfinite(w).all() else None, multipliers=run.multipliers, engine=NAME, attempt=attempt)


def _first_rows(costs: Floats, system: NewtonSystem, nu: float | None, start: tuple[Floats, float] | None) -> PathRows:
    """Return the first iterate; the system starts from its hyperplane, if there is one."""
    problem = system.problem
    if nu is not None:
        return _between_the_means(problem, costs, system, nu)
    if start is None:
        return PathRows.start(costs)
    system.start_at(*start)
    return PathRows.around(1.0 - margins_of(problem, *start), costs, _SPREAD)


def _between_the_means(problem: Problem, costs: Floats, system: NewtonSystem, nu: float) -> PathRows:
    """Start from multipliers in proportion to the costs, with sum nu, and from the offsets that suit them."""
    weights = [costs * (problem.y == sign) for sign in (-1.0, 1.0)] if problem.bias else [costs]
    shares = [part / part.sum() for part in weights]
    w = weighted_rows(problem, problem.y * sum(shares) * (nu / len(shares)))
    margins = margins_of(problem, w)
    middles = [float(share @ margins) for share in shares]
    b = (middles[0] - middles[1]) / 2 if problem.bias else 0.0
    rho = sum(middles) / len(middles)
    signed_slack = rho - margins - b * problem.y
    system.start_at(w, b, rho)
    greatest = nu * float(problem.column_sizes @ problem.column_sizes)  # of a margin; w is 0 where the means are one
    spread = max(float(signed_slack.var()), (_LEAST_SPREAD * greatest) ** 2) or 1.0
    return PathRows.around(signed_slack, costs, _SPREAD * spread)


class _PathRun:
    """The iteration, and its best iterate."""

    def __init__(self, system: NewtonSystem, rows: PathRows, gap: float) -> None:
        self.system, self.rows, self.gap = system, rows, gap
        self.normal, self.multipliers = system.normal, rows.a
        self.status, self.n_iterations = "user_limit", 0
        self._best_gap, self._n_worse = np.inf, 0
        self._least_size, self._complementarity = 0.0, np.inf

    def finish(self, is_over: Callable[[], bool]) -> None:
        """Iterate until the gap no longer shrinks, or the time is over."""
        try:
            while self.n_iterations < _MOST_ITERATIONS and not is_over() and self._advance():
                self.n_iterations += 1
        except KeyboardInterrupt:
            self.status = INTERRUPTED
        except (np.linalg.LinAlgError, ArithmeticError):  # numbers have left the range of binary64, or nearly so
            self.status = "stalled"

    def _advance(self) -> bool:
        progress = self.system.linearise(self.rows)
        if not self.n_iterations and not self.system.target:
            self._least_size = _LEAST_SIZE * max(progress.size, progress.complementarity)
        progress = replace(progress, size=max(progress.size, self._least_size))
        self._keep(progress)
        return not self._is_over(progress) and self._step(progress)

    def _keep(self, progress: IterateQuality) -> None:
        is_near = self._best_gap <= _NEAR
        if progress.gap < self._best_gap or not is_near:
            self._best_gap, self._n_worse = progress.gap, 0
            self.normal = self.system.normal
            self.multipliers = self.rows.a.copy() if progress.gap <= _NEAR else self.rows.a
        else:
            self._n_worse += 1

    def _is_over(self, progress: IterateQuality) -> bool:
        if progress.gap <= self.gap and progress.imbalance <= max(self.gap, _IMBALANCE):
            self.status = "optimal"
        elif self._n_worse >= _PATIENCE or not np.isfinite(progress.gap):
            self.status = "stalled"
        return self.status != "user_limit"

    def _step(self, progress: IterateQuality) -> bool:
        """Take a step, or return that it would be too short."""
        prediction = self.system.predict(self.rows)
        now = progress.complementarity
        is_cautious = progress.gap > _NEAR and now > _GROWTH * self._complementarity
        # Mehrotra's rule: the less the prediction leaves, the closer to the end the step aims.
        share = _CAUTION if is_cautious else (prediction.left(now) / now) ** 3
        mu = share * now / (2 * len(self.rows.a))
        self._complementarity = now
        blocking = self.system.correct(self.rows, mu, with_second_order=not is_cautious)
        share = self._share(progress)
        length = share / max(share, blocking)
        if not length > _SHORTEST_STEP:
            self.status = "stalled"
            return False
        self.system.move(self.rows, length)
        return True

    def _share(self, progress: IterateQuality) -> float:
        """Return the share of the way to the boundary: nearly all of it near the end, for quadratic convergence."""
        share = 1.0 - 10.0 * progress.complementarity / progress.size
        return min(max(_BOUNDARY, share), _LAST_BOUNDARY)


def center_of(problem: Problem) -> Floats | None:
    """Return the vector to subtract from the rows so that no column is far from 0; None if every column is near 0."""
    if not problem.bias or problem.is_sparse:
        return None
    low, high = problem.column_bounds
    scaling = problem.scaling
    is_far = np.abs(scaling.center) > _FAR_FROM_ZERO * np.ldexp(1.0, scaling.exponents)
    is_far |= low == high
    return np.where(is_far, scaling.center, 0.0) if is_far.any() else None


def one_thread_each(problem: Problem) -> AbstractContextManager[Any]:
    """Let BLAS use one thread if several threads work on chunks, or if the matrices are too small for more."""
    is_one_chunk = problem.n_samples * problem.n_features <= problem.sizes.chunk_entries
    are_large = min(problem.n_samples, problem.n_features) > _SMALL_SIDE
    return nullcontext() if is_one_chunk and are_large else one_blas_thread()
