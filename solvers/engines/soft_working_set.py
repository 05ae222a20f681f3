"""The soft margin of many rows from a few of them; the multipliers of the other rows stay at 0 or at their upper bound.

A sample gives a first hyperplane, and Newton's method with a Huberised hinge one so near the best that only rows next
to the margin may still change sides. The interior point solves the program of these rows, on which rows beyond the
margin have no influence and rows inside it a linear one. One pass over all rows finds those on the other side, which
join the program. If there are none, the solution solves the whole program.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.interior_point.central_path import RowsAtBound
from maxmargin.solvers.engines.interior_point.huberised_hinge import HuberisedDescent
from maxmargin.solvers.engines.interior_point.row_view import RowView, blocks
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import offset_of_least_slack
from maxmargin.solvers.problem.rows import WorkSizes, stacked

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

    def _is_settled(self, near: "NearRows") -> bool:
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

    def _cache(self, near: "NearRows") -> None:
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
    found = interior_point.solve(sample, shares, gap=_SAMPLE_GAP, is_over=is_over)
    if found.w is None:
        raise np.linalg.LinAlgError("the sample has no solution")
    if found.attempt.status == INTERRUPTED:
        raise KeyboardInterrupt
    return found.w, offset_of_least_slack(y - X @ found.w, y, shares) if problem.bias else 0.0


# The program of the rows next to the margin

# Tolerance of sum y a, relative to sum a.
_BALANCE_ERROR = 1e-9

# Largest contribution of a chunk to the rows near the margin, as a multiple of its share: rows may be sorted.
_UNEVEN = 8


class WrongSide(NamedTuple):
    """The results of a pass over the rows outside the program.

    Attributes
    ----------
    objective : float
        1/2 ||w||^2 + sum c max(0, t) over all rows.
    shortfall : float
        sum c |t| over the rows on the wrong side: what the multipliers fall short of the objective by.
    rows : ndarray of int
        Those on the wrong side.
    X
    are_too_many : bool
        Whether there are about as many as rows that are solved for, or more; then not all of them are here.
    """

    objective: float
    shortfall: float
    rows: Rows
    X: Any
    are_too_many: bool


@dataclass
class NearRows:
    """The program of some rows.

    Attributes
    ----------
    problem : Problem
        Of all rows.
    costs : ndarray (n_samples,)
    view : RowView
    sides : ndarray (n_samples,) of int
        1 for a row whose multiplier is at its upper bound, -1 for one whose multiplier is 0, 0 for rows of the program.
    rows : ndarray of int
        The latter.
    X
    sums_at_bound : ndarray (k + 1,)
        Sum of c, and sum of c y (x, 1), over the rows whose multipliers are at their upper bounds.
    offset : float
        The offset b, in the coordinates of the view, by which the pass divided the rows into two sides.
    """

    problem: Problem
    costs: Floats
    view: RowView
    sides: NDArray[np.int8]
    rows: Rows
    X: Any
    sums_at_bound: Floats
    offset: float

    @classmethod
    def within(
        cls, problem: Problem, costs: Floats, view: RowView, plane: Floats, width: float, most: int
    ) -> "NearRows | None":
        """Look at all rows, and choose those with |t| <= width; None if there are more than `most` of them."""
        share = most / problem.n_samples
        sides, rows, X, sums = zip(
            *problem.map(partial(_sorted_out, view, plane, width, share), problem.y, costs), strict=True
        )
        if sum(map(len, rows)) > most or any(part is None for part in X):
            return None
        return cls(
            problem, costs, view, np.concatenate(sides), np.concatenate(rows), stacked(X), sum(sums), float(plane[-1])
        )

    def solve(self, is_over: Callable[[], bool] = never) -> tuple[Floats, Floats] | None:
        """Return the hyperplane of the program and its multipliers; None where the rows are too few for a solution.

        Raises
        ------
        KeyboardInterrupt
            If the interior point was interrupted.
        """
        y, costs, d = self.problem.y[self.rows], self.costs[self.rows], self.problem.n_features
        total, balance = float(self.sums_at_bound[0]), float(self.sums_at_bound[-1]) if self.view.bias else 0.0
        if not self.rows.size:
            return self._without_rows() if abs(balance) <= _BALANCE_ERROR * total else None
        rows_at_bound = RowsAtBound(total, balance, self.sums_at_bound[1 : d + 1], self.view.center)
        found = interior_point.solve(
            Problem(self.X, y, self.view.bias, sizes=self.problem.sizes), costs, at_bound=rows_at_bound, is_over=is_over
        )
        if found.attempt.status == INTERRUPTED:
            raise KeyboardInterrupt
        w, multipliers = found.w, found.multipliers
        if w is None or multipliers is None or not np.isfinite(multipliers).all():
            return None
        if not self.view.bias:
            return w, multipliers
        if abs(balance + y @ multipliers) > _BALANCE_ERROR * (total + multipliers.sum()):
            return None
        kinks = y - self.view.centred(self.X) @ w
        return np.append(w, offset_of_least_slack(kinks, y, costs, balance)), multipliers

    def _without_rows(self) -> tuple[Floats, Floats]:
        """Return the solution where all multipliers are at bounds; any b that keeps the sides is as good."""
        w = self.sums_at_bound[1 : self.problem.n_features + 1]
        return np.append(w, self.offset) if self.view.bias else w, np.empty(0)

    def all_multipliers(self, multipliers: Floats) -> Floats:
        """Return the multipliers of all rows, given the multipliers of the rows in the program."""
        result = np.where(self.sides > 0, self.costs, 0.0)
        result[self.rows] = multipliers
        return result

    def wrong_side(self, plane: Floats) -> WrongSide:
        """Look at all rows, and return those on the wrong side."""
        share = len(self.rows) / self.problem.n_samples
        function = partial(_looked_at, self.view, plane, share)
        hinges, shortfalls, rows, X = zip(
            *self.problem.map(function, self.problem.y, self.costs, self.sides), strict=True
        )
        w = plane[: self.problem.n_features]
        objective = float(w @ w) / 2 + sum(hinges)
        are_too_many = sum(map(len, rows)) > len(self.rows) or any(part is None for part in X)
        brought = stacked([part for part in X if part is not None] or [self.X[:0]])
        return WrongSide(objective, sum(shortfalls), np.concatenate(rows), brought, are_too_many)

    def take_in(self, wrong: WrongSide) -> None:
        """Solve for these rows as well."""
        at_bound = self.sides[wrong.rows] > 0
        rows = wrong.rows[at_bound]
        self.sums_at_bound = self.sums_at_bound - _sums_at_bound(
            self.view, self.view.centred(wrong.X[at_bound]), self.problem.y[rows], self.costs[rows]
        )
        self.sides[wrong.rows] = 0
        self.rows, self.X = np.concatenate([self.rows, wrong.rows]), stacked([self.X, wrong.X])


@np.errstate(all="ignore")
def _sorted_out(
    view: RowView, plane: Floats, width: float, share: float, chunk: slice, X: Any, y: NDArray[Any], costs: Floats
) -> tuple[NDArray[np.int8], Rows, Any, Floats]:
    """Return the sides, the rows near the margin, and the sums of the rows at their upper bounds."""
    sides, sums = np.empty(len(y), np.int8), np.zeros(len(plane) + 1)
    for part in blocks(X, view.sizes):
        rows = view.centred(X[part])
        t = view.signed_slack(rows, y[part], plane)
        sides[part] = np.where(np.abs(t) <= width, 0, np.sign(t))
        sums += _sums_at_bound(view, rows, y[part], np.where(sides[part] > 0, costs[part], 0.0))
    near = np.flatnonzero(sides == 0)
    return sides, chunk.start + near, _fetched(X, near, share, view.sizes), sums


def _fetched(X: Any, rows: Rows, share: float, sizes: WorkSizes) -> Any:
    """Return these rows of a chunk, None where they are many times the share that all chunks may contribute."""
    return X[rows] if len(rows) <= sizes.fetched_rows + _UNEVEN * share * X.shape[0] else None


def _sums_at_bound(view: RowView, rows: Any, y: NDArray[Any], multipliers: Floats) -> Floats:
    return np.append(multipliers.sum(), view.written(rows, y, y * multipliers))


@np.errstate(all="ignore")
def _looked_at(
    view: RowView,
    plane: Floats,
    share: float,
    chunk: slice,
    X: Any,
    y: NDArray[Any],
    costs: Floats,
    sides: NDArray[np.int8],
) -> tuple[float, float, Rows, Any]:
    """Return sum c max(0, t), sum c |t| on the wrong side, and the rows there."""
    t = np.concatenate([view.signed_slack(view.centred(X[part]), y[part], plane) for part in blocks(X, view.sizes)])
    wrong = np.flatnonzero(t * sides < 0)
    hinge, shortfall = float(costs @ np.maximum(0.0, t)), float(costs[wrong] @ np.abs(t[wrong]))
    return hinge, shortfall, chunk.start + wrong, _fetched(X, wrong, share, view.sizes)
