"""The maximum margin of many rows from a few: solve for some rows, look at all, add those that are too near.

The program of a part of the rows bounds the maximum margin from above; one pass over all rows finds how near the
nearest ones are, which bounds it from below. A random part leaves few rows too near (with m of n rows, about d n/m
expected; Clarkson, Las Vegas algorithms for linear and integer programming when the dimension is small, JACM 42, 1995),
so few passes are needed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import quadratic
from maxmargin.solvers.exact.dyadic import as_dense
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import stacked
from maxmargin.solvers.problem.scaling import ColumnScaling
from maxmargin.solvers.proof.certificate import SeparatingHyperplane
from maxmargin.solvers.proof.margins import Lowest, least_score, lowest, offset_between

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

NAME = "working set"

_FEW_ROWS, _FEW_ROWS_A_COLUMN = 4000, 5
"""Numbers of rows, in all and per column, up to which one program of all rows is as fast."""

_MOST_OF_A_CHUNK = 250
"""Largest number of rows of either class that one chunk adds in one pass."""

_FIRST_A_COLUMN = 2
"""Rows of either class in the first program, per column."""

_ADDED_A_COLUMN, _LEAST_ADDED = 1, 20
"""Rows of either class that join the program at a time: as many per column, and no fewer in all."""

_NEAR = 1.2
"""Ratio of a margin to the least margin below which a row stays in the program."""

_FAR = 4.0
"""Ratio of a margin to the least margin from which a row leaves the working set."""

_SAME_MARGIN = 1e-13
"""Relative difference up to which two margins of float arithmetic are taken as equal."""

_NEARER = 1e-14
"""Distance, relative to the margin, by which a row must be nearer than the rows of the program to join them."""

_MOST_PROGRAMS = 200
"""Number of programs of one working set after which it is given up."""

_SUPPORT_WEIGHT = 1e-9
"""Multiplier, relative to the largest, below which a row does not support the plane."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The widest margin between the rows of a working set, as float arithmetic finds it.

    Attributes
    ----------
    w : ndarray (n_features,) or None
        The normal in the original coordinates, up to a positive factor; None if the program has no solution.
    rows : ndarray of int
        Positions of the rows of the program; without a solution, rows that float arithmetic cannot separate.
    multipliers : ndarray
        Of these rows; all 0 without w.
    levels : tuple of float
        The least ``y w.x`` of either class, -1 first, or of all rows.
    attempt : SolverRun
        What the solver said of itself.
    """

    w: Floats | None
    rows: Rows
    multipliers: Floats
    levels: tuple[float, ...]
    attempt: SolverRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The findings of one program and one pass over all rows.

    Attributes
    ----------
    solution : Solution
    plane : SeparatingHyperplane or None
        The hyperplane with the normal of the solution and the best offset, if it separates all rows, checked in exact
        arithmetic.
    near : Problem or None
        Rows next to this plane: the least functional margin of all rows is the least of theirs, also after the entries
        of the plane were divided by a number and rounded.
    """

    solution: Solution
    plane: SeparatingHyperplane | None = None
    near: Problem | None = None


def is_worth_it(problem: Problem) -> bool:
    """Return whether the problem has many rows, of binary64 numbers, so that a part of them may tell of all."""
    n_few = _FEW_ROWS_A_COLUMN * problem.n_features
    is_large = problem.integers is None and problem.n_samples > max(_FEW_ROWS, n_few)
    return is_large and len(problem.sample[0]) >= n_few


def rounds(
    problem: Problem, scaling: ColumnScaling, limits: Limits, *, most: int = _MOST_OF_A_CHUNK
) -> Iterator[Round]:
    """Yield rounds, each with a narrower interval than those before; the last one finds nothing new.

    A round whose program has no solution is the last one as well.

    Parameters
    ----------
    problem : Problem
    scaling : ColumnScaling
    limits : Limits
    most : int
        Largest number of rows of either class that one chunk adds in one pass.
    """
    rows, X = problem.sample
    working_set = WorkingSet(rows, X, problem.y[rows], scaling, bias=problem.bias)
    cached = problem.warm_start.recalled("margin")
    if cached.size:
        working_set.add(cached, problem.row_source[cached], problem.y[cached])
    while True:
        solution = working_set.solve(limits)
        if solution.w is None:
            yield Round(solution=solution)
            return
        groups = lowest(problem, solution.w, by_class=problem.bias, levels=_levels(solution), most=most)
        near, near_X = np.concatenate([group.rows for group in groups]), stacked([group.X for group in groups])
        problem.warm_start.remember(near, near_X, "margin")
        plane = _plane_of(problem, solution.w, groups)
        yield Round(solution=solution, plane=plane, near=_among(problem, near, near_X))
        if limits.is_over() or not working_set.add(near, near_X, problem.y[near]):
            return


def _levels(solution: Solution) -> list[float]:
    """Return the scores below which rows are nearer than those of the program."""
    margin = sum(solution.levels) / len(solution.levels)
    return [level - _NEARER * margin for level in solution.levels]


def _plane_of(problem: Problem, w: Floats, groups: list[Lowest]) -> SeparatingHyperplane | None:
    """Return the hyperplane with normal w and the best offset if it separates, from the lowest rows along w."""
    normal = tuple(map(Fraction, w.tolist()))
    b, least = offset_between([least_score(problem, group, normal) for group in groups])
    if least <= 0:
        return None
    return SeparatingHyperplane(problem=problem, w=normal, b=b, least_functional_margin=least)


def _among(problem: Problem, rows: Rows, X: Any) -> Problem | None:
    """Return the question of some rows; None where the rows themselves are not X."""
    return Problem(X, problem.y[rows], problem.bias, sizes=problem.sizes) if problem.integers is None else None


class WorkingSet:
    """Some rows of a problem, held in memory, a few of which are in the program.

    Parameters
    ----------
    rows : ndarray of int (k,)
        Their positions in the problem, different from one another.
    X : ndarray or CSR array (k, n_features)
    y : ndarray (k,)
    scaling : ColumnScaling
        Coordinates that are easy for floats.
    bias : bool
    """

    def __init__(self, rows: Rows, X: Any, y: Floats, scaling: ColumnScaling, *, bias: bool) -> None:
        self.rows, self.X, self.y, self.bias = rows, X, y, bias
        self.scaling = scaling
        self.easy = as_dense(scaling.apply(X))
        self.multipliers = np.zeros(len(rows))
        self.in_program = self._first()

    def add(self, rows: Rows, X: Any, y: Floats) -> bool:
        """Add the rows that are not in the working set yet; return whether there are any."""
        is_new = ~np.isin(rows, self.rows)
        if not is_new.any():
            return False
        self.rows = np.concatenate([self.rows, rows[is_new]])
        self.X = stacked([self.X, X[is_new]])
        self.easy = np.concatenate([self.easy, as_dense(self.scaling.apply(X[is_new]))])
        self.y = np.concatenate([self.y, y[is_new]])
        n_new = int(is_new.sum())
        self.multipliers = np.concatenate([self.multipliers, np.zeros(n_new)])
        self.in_program = np.concatenate([self.in_program, np.zeros(n_new, dtype=np.bool_)])
        return True

    def solve(self, limits: Limits) -> Solution:
        """Return the widest margin between the rows of the working set, which loses the rows that are far away."""
        for _ in range(_MOST_PROGRAMS):
            w, attempt = self._solve_program(limits)
            if w is None:
                break
            margins = self._margins(self.easy @ w)
            low = np.flatnonzero((margins < 1 - _SAME_MARGIN) & ~self.in_program)
            if not low.size or limits.is_over():
                self._drop_all_but(margins < _FAR)
                return self._solution(w, attempt)
            self.in_program &= (margins < _NEAR) | (self.multipliers > 0)
            self.in_program[self._worst(low, margins)] = True
        return self._solution(None, attempt)

    def _first(self) -> NDArray[np.bool_]:
        """Choose some rows of either class, the same on every run."""
        random = np.random.default_rng(0)
        chosen = np.zeros(len(self.y), dtype=np.bool_)
        for sign in (-1.0, 1.0):
            positions = random.permutation(np.flatnonzero(self.y == sign))
            chosen[positions[: _FIRST_A_COLUMN * (self.easy.shape[1] + 1)]] = True
        return chosen

    def _solve_program(self, limits: Limits) -> tuple[Floats | None, SolverRun]:
        """Solve the program of the chosen rows; return its normal in the easy coordinates."""
        chosen = self.in_program
        found = quadratic.solve(
            self.easy[chosen],
            self.y[chosen],
            bias=self.bias,
            normal_weights=self.scaling.normal_weights(),
            start=self.multipliers[chosen],
            time_limit=limits.share(),
        )
        if found.w is None or found.multipliers is None:
            return None, found.attempt
        self.multipliers = np.zeros(len(self.y))
        self.multipliers[chosen] = found.multipliers
        return found.w, found.attempt

    def _margins(self, scores: Floats) -> Floats:
        """Return functional margins with the best offset for the program, whose least is 1."""
        with np.errstate(all="ignore"):
            return self._in_units(self.y * scores)

    def _in_units(self, signed: Floats) -> Floats:
        levels = self._levels(signed)
        if not self.bias:
            return np.asarray(signed / levels[0])
        negative, positive = levels
        return np.asarray((signed + self.y * (negative - positive) / 2) / ((negative + positive) / 2))

    def _levels(self, signed: Floats) -> tuple[float, ...]:
        """Return the least ``y w.x`` of the rows of the program, in either class or in all."""
        chosen = self.in_program
        groups = [chosen & (self.y < 0), chosen & (self.y > 0)] if self.bias else [chosen]
        return tuple(float(signed[group].min()) for group in groups)

    def _worst(self, low: Rows, margins: Floats) -> Rows:
        """Return the positions of the rows of either class that violate most."""
        most = max(_LEAST_ADDED, int(_ADDED_A_COLUMN * self.easy.shape[1]))
        classes = [low[self.y[low] == sign] for sign in (-1.0, 1.0)]
        return np.concatenate(
            [positions[np.argsort(margins[positions], kind="stable")[:most]] for positions in classes]
        )

    def _drop_all_but(self, is_near: NDArray[np.bool_]) -> None:
        stays = is_near | self.in_program
        self.rows, self.X, self.easy, self.y = self.rows[stays], self.X[stays], self.easy[stays], self.y[stays]
        self.multipliers, self.in_program = self.multipliers[stays], self.in_program[stays]

    def _solution(self, w: Floats | None, attempt: SolverRun) -> Solution:
        rows = self.rows[self.in_program]
        if w is None:
            return Solution(w=None, rows=rows, multipliers=np.zeros(len(rows)), levels=(), attempt=attempt)
        w = self._polished(self.scaling.invert(w))
        return Solution(
            w=w,
            rows=rows,
            multipliers=self.multipliers[self.in_program],
            levels=self._levels_of(w),
            attempt=attempt,
        )

    def _polished(self, w: Floats) -> Floats:
        """Return w, or where it has as wide a margin up to rounding, what the support rows say: the more accurate one.

        The margin tells errors of w only by their square: a gap of 1e-16 leaves 1e-8 in w.
        """
        support = self.multipliers > _SUPPORT_WEIGHT * self.multipliers.max()
        if support.sum() > 2 * (self.easy.shape[1] + 1):
            return w
        other = normal_of_support(as_dense(self.X[support]), self.y[support], bias=self.bias)
        if other is None or self._width(other) < self._width(w) * (1 - _SAME_MARGIN):
            return w
        return other

    def _levels_of(self, w: Floats) -> tuple[float, ...]:
        """Return the levels of a normal in the original coordinates, not finite where they overflow."""
        with np.errstate(all="ignore"):
            return self._levels(self.y * (self.X @ w))

    def _width(self, w: Floats) -> float:
        with np.errstate(all="ignore"):
            return float(sum(self._levels_of(w)) / np.linalg.norm(w))


def normal_of_support(X: Floats, y: Floats, *, bias: bool) -> Floats | None:
    """Return the w of least norm with y (w.x + b) = 1 on these rows for some b (through the origin for b = 0)."""
    with np.errstate(all="ignore"):
        if bias and len(X):
            X, y = X[1:] - X[0], y[1:] - y[0]
        if not X.size or not np.isfinite(X).all():
            return None
        try:
            w = np.asarray(np.linalg.lstsq(X, y, rcond=None)[0], dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
    return w if np.isfinite(w).all() and w.any() else None
