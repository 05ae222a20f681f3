"""The search for the tightest mistake bound of many rows: along support vector machines, first on a sample.

The search takes place in coordinates in which the rows have size 1 and at most as many columns as there are rows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.exact.dyadic import as_dense, sqrt_up, times_power_of_two
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.problem.scaling import RowSpace
from maxmargin.solvers.proof.mistake_bounds import Loss, exponent_of_root
from maxmargin.solvers.tightest_bound.trade_off import PenaltyFamily, Search

# Largest number of entries of rows, fewer than columns, that are rotated into the space that they span.
_MOST_DENSE_ENTRIES = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCoordinates:
    """Rows through the origin in units of a power of two, in the space that they span where columns are more.

    Attributes
    ----------
    problem : Problem
        The rows there.
    radius : float
        The greatest norm of them.
    exponent : int
        Of the unit.
    space : RowSpace or None
    """

    problem: Problem
    radius: float
    exponent: int
    space: RowSpace | None

    @classmethod
    def of(cls, problem: Problem, square: Fraction, *, most_exponent: int) -> "RunCoordinates":
        """Choose them for rows of the greatest squared norm R^2; rows outside memory stay as they are.

        So do those that are shorter than 2**most_exponent, and longer than its inverse.
        """
        n, d = problem.row_source.shape
        is_in_memory = isinstance(problem.row_source, InMemory)
        exponent = exponent_of_root(square) if square and is_in_memory else 0
        exponent = exponent if abs(exponent) > most_exponent else 0
        radius = sqrt_up(square / Fraction(4) ** exponent)
        if exponent:
            problem = Problem(times_power_of_two(problem.X, -exponent), problem.y, bias=False, sizes=problem.sizes)
        if not (is_in_memory and n < d and n * d <= _MOST_DENSE_ENTRIES):
            return cls(problem=problem, radius=radius, exponent=exponent, space=None)
        X = as_dense(problem.X)
        space = RowSpace.of(X, bias=False)
        turned = Problem(np.ascontiguousarray(space.apply(X)), problem.y, bias=False, sizes=problem.sizes)
        return cls(problem=turned, radius=radius, exponent=exponent, space=space)

    def bring_home(self, candidate: Candidate) -> Candidate:
        """Return the candidate with its normal in the original coordinates; none where that overflows."""
        if candidate.w is None:
            return candidate
        v = candidate.w if self.space is None else self.space.invert(candidate.w)
        with np.errstate(over="ignore"):
            home = np.ldexp(v, -self.exponent)
        return replace(candidate, w=home if np.isfinite(home).all() else None)


NAME = "trade-off"

# Relative widths of the interval, in floating point, at which the search ends on all rows and on a sample.
_GAP, _SAMPLE_GAP = 1e-11, 1e-3

# Largest slack on a sample, in units of the margin, at which its penalty falls no further: other rows have more.
_SAMPLE_SLACK = 0.1

# Smallest number of rows, as a multiple of the rows of the sample, for which the search starts on a sample.
_SAMPLES = 4

# Largest binary exponent, of either sign, of the size of rows that are not rescaled to size 1.
_MODERATE_EXPONENT = 100


class TightestSearch:
    """The search, which may pause and go on.

    Parameters
    ----------
    problem : Problem
        Without a bias.
    n_passes : int
    square : Fraction
        The square of the greatest norm of a row, not 0.
    loss : Loss
    is_over : callable
        Where it returns True the search ends with what it has seen.
    """

    def __init__(
        self, problem: Problem, n_passes: int, square: Fraction, loss: Loss, is_over: Callable[[], bool]
    ) -> None:
        self._at = RunCoordinates.of(problem, square, most_exponent=_MODERATE_EXPONENT)
        self._n_passes, self._loss, self._is_over = n_passes, loss, is_over
        self._search: Search | None = None

    def run(self, least_slack: float) -> Candidate:
        """Return v and weights for which the ends of the bound meet, or the best of those seen until the search pauses.

        That is where v slacks no margin by more than `least_slack` and shorter ones are no better.
        """
        status = "ended"
        with np.errstate(all="ignore"), interior_point.one_thread_each(self._at.problem):
            try:
                self._search = self._search or self._started()
                self._search.run(least_slack, self._is_over)
            except KeyboardInterrupt:
                status = INTERRUPTED
            except (np.linalg.LinAlgError, ArithmeticError):
                status = "stalled"
        attempt = SolverRun(solver=NAME, status=status, message=f"{self.n_points} iterations")
        best = None if self._search is None else self._search.best
        best_lower = None if self._search is None else self._search.best_lower
        v, weights = None if best is None else best.v, None if best_lower is None else best_lower.weights
        return self._at.bring_home(Candidate(w=v, multipliers=weights, engine=NAME, attempt=attempt))

    @property
    def n_points(self) -> int:
        """Number of solutions that were computed, without those of a sample."""
        return 0 if self._search is None else self._search.n_points

    def _started(self) -> Search:
        """Return the search on all rows, which starts where one on a sample ends."""
        problem = self._at.problem
        penalty, near = self._at.radius**2 * math.sqrt(problem.n_samples / self._n_passes), None
        if problem.n_samples >= _SAMPLES * problem.sample_size:
            rows, X = problem.sample
            share = len(rows) / problem.n_samples
            part = Problem(X, problem.y[rows], bias=False)
            search = Search(self._family(part, self._n_passes / share), penalty * share, gap=_SAMPLE_GAP)
            search.run(_SAMPLE_SLACK, self._is_over)
            penalty, near = search.penalty / share, search.near
        return Search(self._family(problem, self._n_passes), penalty, near, gap=_GAP)

    def _family(self, problem: Problem, n_passes: float) -> PenaltyFamily:
        """Return the family of the loss; for matrices beyond a moderate size, the hinge family for either loss."""
        from maxmargin.solvers.tightest_bound.slack_families import Hinge, SquaredHinge

        if self._loss is Loss.SQUARED_HINGE and interior_point.fits(problem):
            return SquaredHinge(problem, n_passes, self._at.radius)
        return Hinge(problem, n_passes, self._at.radius)
