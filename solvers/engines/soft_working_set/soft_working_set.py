"""The soft margin of many rows from a few of them; the multipliers of the other rows stay at 0 or at their upper bound.

A sample gives a first hyperplane, and Newton's method with a Huberised hinge one so near the best that only rows next
to the margin may still change sides. The interior point solves the program of these rows, on which rows beyond the
margin have no influence and rows inside it a linear one. One pass over all rows finds those on the other side, which
join the program. If there are none, the solution solves the whole program.
"""

from collections.abc import Callable

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.interior_point.huberised_hinge import HuberisedDescent
from maxmargin.solvers.engines.interior_point.interior_point import InteriorPointSettings
from maxmargin.solvers.engines.interior_point.row_view import RowView
from maxmargin.solvers.engines.soft_working_set.near_rows import NearRows
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import offset_of_least_slack

NAME = "working-set"

# Smallest number of rows, as a multiple of the rows of the sample, for which a sample is worth its time.
_SAMPLES = 4

# Smallest number of rows of the sample for each column: with fewer the first hyperplane is a poor start.
_ROWS_A_COLUMN = 10

# Relative gap to which the sample is solved; the rows outside the sample matter more than a smaller gap.
_SAMPLE_GAP = 1e-3

# Sizes of the program of the rows next to the margin: the fraction of all rows, or number of rows, that it may have,
# and the numbers of rows, for each column and in all, that it has at least.
_NEAR_SHARE, _LEAST_NEAR, _NEAR_A_COLUMN, _FEW_NEAR = 0.03, 1000, 10, 100

# Largest number of matrix entries in the first program of the rows next to the margin.
_MOST_NEAR_ENTRIES = 1 << 23

# Factor by which the reach of the program grows where too many rows are on the wrong side, and number of reaches.
_WIDER, _MOST_WIDTHS = 4, 3

_MOST_ROUNDS = 6

# Largest cost of the rows on the wrong side, relative to the objective, that counts as a rounding error.
_NEGLIGIBLE = 1e-14

# Relative gap of the two objectives, of a program without rows on the wrong side, up to which it counts as solved.
_NARROW = 1e-9

# Largest number of rows of the program that are cached; more are fetched again.
_MOST_CACHED_ROWS = 50_000

ABANDONED = "abandoned"


def fits(problem: Problem) -> bool:
    """Return whether there are at least as many rows as columns, and a moderate number of columns."""
    return interior_point.fits(problem) and problem.n_samples >= problem.n_features


def is_worth_it(problem: Problem) -> bool:
    """Return whether there are enough rows for a sample to locate most of them."""
    n_sample = problem.sample_size
    is_large = problem.n_samples >= max(_SAMPLES * n_sample, _WIDER * most_near(problem))
    return is_large and n_sample >= _ROWS_A_COLUMN * problem.n_features and fits(problem)


def least_near(problem: Problem) -> int:
    """Return the least number of rows in a program."""
    return max(_FEW_NEAR, _NEAR_A_COLUMN * problem.n_features)


def most_near(problem: Problem) -> int:
    """Return the largest number of rows in the first program."""
    share = min(_NEAR_SHARE * problem.n_samples, _MOST_NEAR_ENTRIES / problem.n_features)
    return max(_LEAST_NEAR, 2 * least_near(problem), int(share))


def solve(
    problem: Problem, costs: Floats, *, start: tuple[Floats, float] | None = None, is_over: Callable[[], bool] = never
) -> Candidate:
    """Return a hyperplane and multipliers as `interior_point.solve`; the best so far where this method fails.

    Parameters are those of `interior_point.solve`; any hyperplane near the solution is a good start.
    """
    with np.errstate(all="ignore"), interior_point.one_thread_each(problem):
        view = RowView(interior_point.center_of(problem), problem.bias, sizes=problem.sizes)
        run = _WorkingSetRun(problem, costs, view, is_over)
        try:
            run.finish(start)
        except KeyboardInterrupt:
            run.status = INTERRUPTED
        except (np.linalg.LinAlgError, ArithmeticError):
            run.status = ABANDONED
        if run.status == ABANDONED and is_over():
            run.status = "user_limit"
    attempt = SolverRun(solver=NAME, status=run.status, message=run.message)
    return Candidate(w=run.normal, multipliers=run.multipliers, engine=NAME, attempt=attempt)


class _WorkingSetRun:
    """The search, and the best hyperplane with the multipliers that belong to it."""

    def __init__(self, problem: Problem, costs: Floats, view: RowView, is_over: Callable[[], bool]) -> None:
        self.problem, self.costs, self.view, self.is_over = problem, costs, view, is_over
        self.status, self.message, self.n_programs = ABANDONED, "", 0
        self.normal, self.multipliers = np.zeros(problem.n_features), costs
        self._most = _WIDER * most_near(problem)

    def finish(self, start: tuple[Floats, float] | None) -> None:
        """Search until no row is on the wrong side, or that takes too long; few rows are solved for at once."""
        plane, reach = np.zeros(self.problem.n_features + self.problem.bias), np.inf
        if self.problem.n_samples > self._most:
            start = start or _of_sample(self.problem, self.costs, self.is_over)
            plane, reach = self._descended(self.view.plane_of(*start))
        if reach and not self.is_over():
            self._settle(plane, reach)

    def _descended(self, plane: Floats) -> tuple[Floats, float]:
        """Return where Newton's method ends, and how far rows of the program are from there; 0 if it is not near."""
        descent, least = HuberisedDescent(self.problem, self.costs, self.view, plane), least_near(self.problem)
        try:
            for is_near in descent.run(least, most_near(self.problem)):
                if is_near:
                    return descent.plane, descent.reach(least)
                if self.is_over():
                    break
        finally:
            if descent.point is not None:
                self.normal = descent.point.plane[: self.problem.n_features]
                self.multipliers = descent.point.multipliers(self.costs)
        return descent.plane, 0.0

    def _settle(self, plane: Floats, reach: float) -> None:
        """Solve for the rows within reach; where more than these are on the wrong side, for those further away."""
        for width in (_WIDER**k * reach for k in range(_MOST_WIDTHS)):
            near = NearRows.within(self.problem, self.costs, self.view, plane, width, self._most)
            if near is None or self.is_over():
                return
            self._cache(near)
            if self._is_settled(near) or len(near.rows) == self.problem.n_samples:
                return

    def _is_settled(self, near: NearRows) -> bool:
        """Solve and add the rows on the wrong side, until there are none, or more of them than rows of the program."""
        before = self.normal, self.multipliers
        for _ in range(_MOST_ROUNDS):
            self.n_programs += 1
            self.message = f"{self.n_programs} programs, the last of {len(near.rows)} rows"
            solution = near.solve(self.is_over)
            if solution is None:
                break
            plane, multipliers = solution
            self.normal, self.multipliers = plane[: self.problem.n_features], near.all_multipliers(multipliers)
            wrong = near.wrong_side(plane)
            if wrong.shortfall <= _NEGLIGIBLE * wrong.objective:
                self.status = self._status(wrong.objective)
                return True
            if wrong.are_too_many or self.is_over():
                break
            near.take_in(wrong)
            self._cache(near)
        self.normal, self.multipliers = before
        return False

    def _cache(self, near: NearRows) -> None:
        """Keep the rows of the program, of which the proof reads the support again."""
        if len(near.rows) <= _MOST_CACHED_ROWS:
            self.problem.row_source.cache(near.rows, near.X)

    def _status(self, objective: float) -> str:
        """Return how the search ended; the interior point may have stopped before the two objectives met."""
        if self.is_over():
            return "user_limit"
        dual = float(self.multipliers.sum()) - float(self.normal @ self.normal) / 2
        return "optimal" if abs(objective - dual) <= _NARROW * objective else "stalled"


def _of_sample(problem: Problem, costs: Floats, is_over: Callable[[], bool]) -> tuple[Floats, float]:
    """Return about the hyperplane of a sample, whose rows stand for all of their class."""
    rows, X = problem.sample
    y, shares = problem.y[rows], costs[rows].copy()
    for sign in (-1.0, 1.0):
        shares[y == sign] *= costs[problem.y == sign].sum() / shares[y == sign].sum()
    sample = Problem(X, y, problem.bias, sizes=problem.sizes)
    settings = InteriorPointSettings(gap=_SAMPLE_GAP, imbalance=_SAMPLE_GAP)
    found = interior_point.solve(sample, shares, settings=settings, is_over=is_over)
    if found.w is None:
        raise np.linalg.LinAlgError("the sample has no solution")
    if found.attempt.status == INTERRUPTED:
        raise KeyboardInterrupt
    return found.w, offset_of_least_slack(y - X @ found.w, y, shares) if problem.bias else 0.0
