"""A program of the rows next to the margin; the multipliers of the other rows stay at 0 or at their upper bound."""

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
from maxmargin.solvers.engines.interior_point.huberised_hinge import blocks
from maxmargin.solvers.engines.interior_point.row_view import RowView
from maxmargin.solvers.problem.candidate import INTERRUPTED
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import offset_of_least_slack
from maxmargin.solvers.problem.rows import WorkSizes, stacked

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
    for part in blocks(X):
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
    t = np.concatenate([view.signed_slack(view.centred(X[part]), y[part], plane) for part in blocks(X)])
    wrong = np.flatnonzero(t * sides < 0)
    hinge, shortfall = float(costs @ np.maximum(0.0, t)), float(costs[wrong] @ np.abs(t[wrong]))
    return hinge, shortfall, chunk.start + wrong, _fetched(X, wrong, share, view.sizes)
