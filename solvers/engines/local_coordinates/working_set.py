"""The maximum margin of many rows: programs of few rows around the present hyperplane, and passes over all rows.

The program is solved on a few rows, then on a sample, then on all rows: an optimum of m random rows is broken by about
(d + 1)(n - m)/m of n (Clarkson, Las Vegas algorithms for linear and integer programming when the dimension is small,
JACM 42, 1995), so that all rows add few to those of the sample. The program of some of the
rows bounds the maximum margin from above; a pass over all rows finds the nearest ones, which bound it from below. Rows
that a pass fetched stay at hand, and the work ends when passes find no row nearer than these.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.blas_threads import one_blas_thread
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import quadratic
from maxmargin.solvers.engines.balancing_vertex import pushed_to_vertex
from maxmargin.solvers.engines.local_coordinates.local_plane import LocalPlane
from maxmargin.solvers.engines.local_coordinates.sliced_rows import Pair, SlicedRows
from maxmargin.solvers.exact.dyadic import FloatFractions, as_dense
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.distinct_rows import signed_keys
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import stacked
from maxmargin.solvers.problem.scaling import ColumnScaling
from maxmargin.solvers.proof.certificate import SeparatingHyperplane
from maxmargin.solvers.proof.margins import lowest, separating_plane
from maxmargin.solvers.proof.sums import UNIT_ROUNDOFF

NAME = "working set"

# For each unknown: rows in the first program, largest number of rows that join a program at once, and of those that a
# pass over all rows fetches.
_FIRST, _ADDED, _FETCHED = 3, 3, 240

# One row in so many unknowns may be nearer than the program's before its plane is that of a sample.
_A_FEW = 16

# Ratio of a score to the least score of the program up to which a row joins it: rows that are nearly too near do too.
_NEAR = 2.0

# Number of rows a column that are taken to the next level, and the multiplier, relative to the largest, of others that
# are.
_KEPT_A_COLUMN, _KEPT_WEIGHT = 3, 1e-3

# Relative errors of the program: of samples, or where only a verdict is wanted; of all rows.
_ROUGH, _ACCURATE = 0.1, 1e-12

# Relative width of the interval of a program at which it is solved well enough: as above.
_ROUGHLY_CLOSED = 0.3

# Relative width of the interval up to which plane and multipliers are not refined.
_NARROW = 5e-14

# Part of the width of the interval that a turn of refinement leaves at most, or it is the last.
_REFINED = 0.3

# Number of entries of a program up to which DAQP is asked first: it takes a tenth of a millisecond.
_FEW_ENTRIES = 1 << 13

# Largest number of columns, as there are matrices with as many rows and columns.
_MOST_COLUMNS = 3_000

# Largest entry of rows in local columns, which are scaled by other rows.
_LARGEST = 2.0**300

# Number of turns of refinement, and the turn after which a program without a separating plane has none.
_MOST_TURNS, _TURNS_WITHOUT_PLANE = 6, 3

# Bound of the margin, relative to the size of scores, below which hulls meet as far as floating point knows.
_NOTHING = 1e-14

# Number of passes without a narrower interval after which the work ends.
_MOST_IDLE = 3

# Largest number of rows of a class that a chunk of rows contributes to a pass: for a margin, or a verdict.
_MOST_OF_A_CHUNK, _MOST_FOR_A_VERDICT = 250, 25

# Multiplier, relative to the largest, of rows that set the size of scores where none is positive, and of rows that
# balance where no plane separates them.
_SUPPORTING, _BALANCING = 1e-3, 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The solution of a program of few rows, and the result of one pass over all rows.

    Attributes
    ----------
    rows : ndarray of int
        The rows of the program; without a solution, rows that floating point cannot separate.
    multipliers, corrections : ndarray
        Of these rows: the multipliers, and what they lack of numbers of twice the precision.
    attempt : SolverRun
    plane : SeparatingHyperplane or None
        The plane of the program with the best offset, if it separates all rows, checked in exact arithmetic.
    near : Problem or None
        Rows next to this plane: the row of least functional margin is among them, also after the entries of the plane
        were divided by a number and rounded.
    is_separable : bool
        Whether the rows of the program can be separated, as far as floating point knows.
    """

    rows: Rows
    multipliers: Floats
    corrections: Floats
    attempt: SolverRun
    plane: SeparatingHyperplane | None = None
    near: Problem | None = None
    is_separable: bool = True


def rounds(problem: Problem, limits: Limits, *, is_verdict: bool = False) -> Iterator[Round]:
    """Yield rounds, each with the program of more rows than the one before.

    A round whose rows cannot be separated ends the work, and so do passes that do not narrow the interval. Where only
    the verdict is wanted, programs are solved roughly.
    """
    if problem.n_features > _MOST_COLUMNS:
        return
    # LinAlgError: numbers that floating point cannot work with, as other engines may
    with one_blas_thread(), suppress(np.linalg.LinAlgError):
        yield from _Search(problem, limits, is_verdict=is_verdict).rounds()


class _LocalRows(NamedTuple):
    """Some of the rows: their positions in the problem, the rows in local columns, and their signs."""

    numbers: Rows
    X: Floats
    y: Floats

    def taken(self, which: Any) -> "_LocalRows":
        """Return some of them."""
        return _LocalRows(self.numbers[which], self.X[which], self.y[which])

    def with_others(self, others: "_LocalRows") -> "_LocalRows":
        """Return them with others."""
        return _LocalRows(*(np.concatenate(pair) for pair in zip(self, others, strict=True)))

    def joined(self, others: "_LocalRows") -> "_LocalRows":
        """Return them with others, each row once."""
        rows = self.with_others(others)
        return rows.taken(np.sort(np.unique(signed_keys(rows.X, rows.y), return_index=True)[1]))


class _Search:
    """The present plane, and the rows of its program."""

    @np.errstate(all="ignore")
    def __init__(self, problem: Problem, limits: Limits, *, is_verdict: bool) -> None:
        self.problem, self.limits, self.bias, self.is_verdict = problem, limits, problem.bias, is_verdict
        self.k = problem.n_features + 1
        n_first, self.n_added, self.n_fetched = (n * self.k for n in (_FIRST, _ADDED, _FETCHED))
        numbers, X = problem.sample
        order, n_begun = _both_classes_first(problem.y[numbers], n_first)
        X = as_dense(X[order])
        self.columns = ColumnScaling.without_rounding(X, problem.column_sizes, bias=self.bias)
        self.sample = _LocalRows(numbers[order], self.columns.apply(X), problem.y[numbers[order]])
        self.program = self.sample.taken(slice(0, n_begun))
        self.plane = LocalPlane.fitted(self.columns, self.program.X, self.program.y, bias=self.bias)
        self.seen = self.solved = self.program.numbers
        self.multipliers, self.corrections, self.scores = np.zeros((3, n_begun))
        self.level, self.is_changed, self.is_accurate = 0.0, True, False

    def rounds(self) -> Iterator[Round]:
        """Yield rounds, after the program of the sample."""
        if not self.is_solved_on(self.sample, n_ignored=self.k // _A_FEW):
            yield self.without_plane()
            return
        self.leave_far_rows_out()
        yield from self.over_all_rows()

    @np.errstate(all="ignore")
    def is_solved_on(self, rows: _LocalRows, n_ignored: int = 0) -> bool:
        """Move to about the plane of these rows, but for a few; return False where they cannot be separated."""
        while not self.limits.is_over() and (self.is_changed or self._are_joined_from(rows, n_ignored)):
            if not self._is_solved(_ROUGH, finish=False):
                return False
        return True

    def _are_joined_from(self, rows: _LocalRows, n_ignored: int = 0) -> bool:
        """Let the nearest of these rows join the program, as `_are_joined`."""
        scores = self.plane.rough_scores(rows.X, rows.y)
        low = np.flatnonzero(scores <= _NEAR * self.level + 2 * UNIT_ROUNDOFF * self.plane.size)
        low = low[np.argsort(scores[low])[: self.n_added]]
        return self._are_joined(rows.taken(low), scores[low], n_ignored)

    def leave_far_rows_out(self) -> None:
        """Take rows far from the plane out of the program."""
        if self.is_changed:  # the time is over
            return
        is_kept = self.multipliers > _KEPT_WEIGHT * self.multipliers.max()
        is_kept[np.argsort(self.scores)[: _KEPT_A_COLUMN * self.k]] = True
        self.program, self.multipliers, self.corrections, self.scores = (
            self.program.taken(is_kept), self.multipliers[is_kept], self.corrections[is_kept], self.scores[is_kept]
        )  # fmt: skip
        self.seen = self.solved = self.program.numbers

    def _are_joined(self, rows: _LocalRows, scores: Floats, n_ignored: int = 0) -> bool:
        """Let rows join the program that did not before, if some of them are nearer than its rows; return whether.

        Rows that are equal to others in the program join in name only, so that they are not looked at again.
        """
        is_new = ~np.isin(rows.numbers, self.seen)
        if np.count_nonzero(scores[is_new] < self.level * (1 - _ACCURATE)) <= n_ignored:
            return False
        self.seen = np.concatenate([self.seen, rows.numbers[is_new]])
        self.program, self.is_changed = self.program.joined(rows.taken(is_new)), True
        return True

    def over_all_rows(self) -> Iterator[Round]:
        """Yield rounds, each with a pass over all rows, until no row is nearer than those that were fetched."""
        fetched, n_idle, finish = self.program, 0, len(self.sample.y) == self.problem.n_samples
        while n_idle < _MOST_IDLE:
            if not self._is_finished_on(fetched, finish=finish and not self.is_verdict):
                yield self.without_plane()
                return
            if (passed := self._pass()) is None:
                return
            found, candidates, X = passed
            yield found
            if self.limits.is_over():
                return
            low, scores = self._nearest(candidates, X)
            if not np.abs(low.X).max(initial=0.0) < _LARGEST:
                return
            is_new = ~np.isin(low.numbers, fetched.numbers)
            n_idle += not (scores[is_new] < self.level * (1 - _ACCURATE)).any()
            self._are_joined(low.taken(slice(self.n_added)), scores[: self.n_added])
            fetched, finish = fetched.with_others(low.taken(is_new)), True

    def _is_finished_on(self, rows: _LocalRows, *, finish: bool) -> bool:
        """Move to the plane of these rows, as accurately as asked; return False where they cannot be separated.

        Far rows leave the program once only, as the same rows might leave and join without end.
        """
        while self.is_accurate or self.is_solved_on(rows):
            if not finish or self.limits.is_over():
                return True
            if not self.is_accurate:
                self.leave_far_rows_out()
                self.is_accurate = True
            if not self._is_solved(_ACCURATE, finish=True):
                return False
            if not self._are_joined_from(rows):
                return True
        return False

    @np.errstate(all="ignore")
    def without_plane(self) -> Round:
        """Return few rows that balance, as far as floating point knows."""
        z, some = self.multipliers, self.multipliers > _BALANCING * self.multipliers.max()
        X, y = self.program.X[some], self.program.y[some]
        signed = np.column_stack([X * y[:, np.newaxis], *[y] * self.bias])
        vertex = pushed_to_vertex(signed, z[some], self.limits.is_over)
        weights = z[some] if vertex is None else vertex
        return Round(
            rows=self.program.numbers[some][weights > 0], multipliers=weights[weights > 0], is_separable=False,
            corrections=np.zeros(np.count_nonzero(weights > 0)), attempt=SolverRun(solver=NAME, status="infeasible"),
        )  # fmt: skip

    @np.errstate(all="ignore")
    def _is_solved(self, tolerance: float, *, finish: bool) -> bool:
        """Move to the plane of the program, with refinement; return False where no plane separates its rows."""
        rows, open_before = SlicedRows(self.program.X), np.inf
        if self.program.X.size <= _FEW_ENTRIES and self._is_solved_by_daqp(rows, finish=finish):
            return True
        self.scores = self.plane.scores(rows, self.program.y)
        sigma = float(np.median(np.abs(self.scores))) or 1.0
        for turn in range(_MOST_TURNS):
            self._move(rows, sigma, _ACCURATE if turn else tolerance, finish=finish)
            least, bound = float(self.scores.min()), self._bound()
            if self.limits.is_over():
                break
            if bound < _NOTHING * self.plane.size or (least <= 0 and turn >= _TURNS_WITHOUT_PLANE):
                return False
            is_closed = bound - least <= (_ACCURATE if finish else _ROUGHLY_CLOSED) * bound
            if least > 0 and (is_closed or bound - least > _REFINED * open_before):
                break
            open_before, sigma = bound - least, least if least > 0 else self._size_of_support() or 1.0
        self.level, self.is_changed = max(least, 0.0), False
        return True

    def _is_solved_by_daqp(self, rows: SlicedRows, *, finish: bool) -> bool:
        """Move to the plane of a program that is small and easy; return False where the interval stays wide."""
        X, y, before = self.program.X, self.program.y, self.plane
        weights, seconds = self.columns.normal_weights(), self.limits.share()
        found = quadratic.solve(X, y, bias=self.bias, normal_weights=weights, time_limit=seconds)
        if found.w is None or found.multipliers is None or not (found.w.any() and found.multipliers.any()):
            return False
        self.plane = LocalPlane.between(self.columns, found.w, X, y, bias=self.bias)
        self.multipliers, self.corrections = found.multipliers / found.multipliers.sum(), np.zeros(len(y))
        self.solved = self.program.numbers
        self.scores = self.plane.scores(rows, y)
        if finish:
            self._refine(rows)
        least, bound = float(self.scores.min()), self._bound()
        if least > 0 and bound - least <= (_ACCURATE if finish else _ROUGHLY_CLOSED) * bound:
            self.level, self.is_changed = least, False
            return True
        self.plane = before
        return False

    def _move(self, rows: SlicedRows, sigma: float, tolerance: float, *, finish: bool) -> None:
        X, y, is_over = self.program.X, self.program.y, self.limits.is_over
        found = self.plane.moved(X, y, self.scores, sigma, tolerance, finish=finish, is_over=is_over)
        self.plane, self.multipliers = found
        self.scores, self.corrections = self.plane.scores(rows, self.program.y), np.zeros(len(y))
        self.solved = self.program.numbers
        if finish:
            self._refine(rows)

    def _refine(self, rows: SlicedRows) -> None:
        """Refine plane and multipliers of a small support if the interval is not narrow; keep what narrows it."""
        X, y, some = self.program.X, self.program.y, self.multipliers > 0
        if np.count_nonzero(some) > X.shape[1] + self.bias:
            return
        plain, bound = (self.multipliers, self.corrections), self._bound()
        if bound - self.scores.min() <= _NARROW * bound:
            return
        plane, refined = self.plane.refined(X[some], y[some], self.multipliers[some])
        is_positive = refined.high > 0
        self.multipliers, self.corrections = np.zeros((2, len(y)))
        self.multipliers[some] = np.where(is_positive, refined.high, 0.0)
        self.corrections[some] = np.where(is_positive, refined.low, 0.0)
        if not self._bound() < bound:
            self.multipliers, self.corrections = plain
        scores = plane.scores(rows, y)
        if scores.min() > self.scores.min():
            self.plane, self.scores = plane, scores

    def _size_of_support(self) -> float:
        return float(np.abs(self.scores[self.multipliers > _SUPPORTING * self.multipliers.max()]).max())

    def _bound(self) -> float:
        """Return the upper end of the margin that the multipliers give, in local units."""
        z, y = self.multipliers, self.program.y
        some = z > 0
        signed = Pair(y[some] * z[some], y[some] * self.corrections[some])
        point = SlicedRows(np.ascontiguousarray(self.program.X[some].T)).products(signed)
        return float(np.linalg.norm(point / self.columns.normal_weights())) / float(z.sum())

    @np.errstate(all="ignore")
    def _pass(self) -> tuple[Round, Rows, Any] | None:
        """Look at all rows; return the round, and the positions and rows of those that may be near to the plane.

        None where binary64 does not hold the normal in the original columns.
        """
        home, problem = self.plane.home(), self.problem
        if home is None:
            return None
        noise = 2 * UNIT_ROUNDOFF * float(np.abs(home.w) @ problem.column_sizes)
        signs = np.array([-1.0, 1.0] if self.bias else [0.0])
        levels = np.ldexp(_NEAR * self.level - signs * home.b, home.shift) + noise
        most = _MOST_FOR_A_VERDICT if self.is_verdict else _MOST_OF_A_CHUNK
        groups = lowest(problem, home.w, by_class=self.bias, levels=levels.tolist(), most=most)
        numbers, X = np.concatenate([group.rows for group in groups]), stacked([group.X for group in groups])
        problem.row_source.cache(numbers, X)
        is_stored = problem.integers is None
        near = Problem(X, problem.y[numbers], self.bias, sizes=problem.sizes) if is_stored else None
        normal = FloatFractions(home.w) if self.is_verdict else home.normal
        plane, attempt = separating_plane(problem, normal, groups), SolverRun(solver=NAME, status="optimal")
        found = Round(
            rows=self.solved, multipliers=self.multipliers, corrections=self.corrections, attempt=attempt, plane=plane,
            near=near,
        )  # fmt: skip
        return found, numbers, X

    @np.errstate(all="ignore")
    def _nearest(self, numbers: Rows, X: Any) -> tuple[_LocalRows, Floats]:
        """Return the rows nearest to the plane among these, which may join, and their scores."""
        rows = _LocalRows(numbers, self.columns.apply(as_dense(X)), self.problem.y[numbers])
        scores = self.plane.scores(SlicedRows(rows.X), rows.y)
        order = np.argsort(scores)[: self.n_fetched]
        return rows.taken(order), scores[order]


def _both_classes_first(y: Floats, n_first: int) -> tuple[Rows, int]:
    """Return the positions of signs in random order, but with both equally often at first, and how many are first."""
    order = np.random.default_rng(0).permutation(len(y))
    first = np.concatenate([order[y[order] == sign][: max(1, n_first // 2)] for sign in (-1.0, 1.0)])
    return np.concatenate([first, order[~np.isin(order, first)]]), len(first)
