"""The maximum margin of many rows from a few: solve for some rows, look at all, add those that are too near.

The program of some of the rows bounds the maximum margin from above; one pass over all rows finds the nearest ones,
which bound it from below. If the first rows are chosen at random, few others are too near (with m of n rows about
d n/m are expected; Clarkson, Las Vegas algorithms for linear and integer programming when the dimension is small, JACM
42, 1995), so that few passes are needed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import quadratic
from maxmargin.solvers.exact.dyadic import as_dense
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import stacked
from maxmargin.solvers.problem.scaling import ColumnScaling
from maxmargin.solvers.proof.certificate import SeparatingHyperplane
from maxmargin.solvers.proof.margins import Lowest, least_score, lowest, offset_between

NAME = "working set"

# Number of rows of either class in the first program, for each column.
_FIRST_A_COLUMN = 2

# Smallest number of rows of either class that may join the program at once; with more columns it is their number.
_LEAST_ADDED = 20

# Ratio of a margin to the least margin below which a row stays in the program.
_NEAR = 1.2

# Ratio of a margin to the least margin below which a row stays in the working set.
_KEPT = 4.0

# Relative amount by which a margin may be below the margin of the program and still count as equal.
_ROUNDING = 1e-13

# Distance, relative to the margin, by which a row must be nearer than the rows of the program to be added.
_NEARER = 1e-14

# Number of programs after which the work on a working set is given up.
_MOST_PROGRAMS = 200

# Multiplier, relative to the largest, below which a row does not support the plane.
_SUPPORT_WEIGHT = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The solution of a working set, and the result of one pass over all rows.

    Attributes
    ----------
    w : ndarray (n_features,) or None
        The normal in the original coordinates, up to a positive factor; None if the program has no solution.
    rows : ndarray of int
        The rows of the program; without a solution, rows that floating point cannot separate.
    multipliers : ndarray
        Of these rows; all 0 without a solution.
    attempt : SolverRun
    plane : SeparatingHyperplane or None
        The plane with the normal w and the best offset, if it separates all rows, checked in exact arithmetic.
    near : Problem or None
        Rows next to this plane: the row of least functional margin is among them, also after the entries of the plane
        were divided by a number and rounded.
    """

    w: Floats | None
    rows: Rows
    multipliers: Floats
    attempt: SolverRun
    plane: SeparatingHyperplane | None = None
    near: Problem | None = None


def rounds(problem: Problem, scaling: ColumnScaling, limits: Limits, *, most: int = 250) -> Iterator[Round]:
    """Yield rounds, each with a narrower interval than those before; the last one adds no rows.

    A round without a solution also ends the work. In one pass a chunk adds at most `most` rows of either class.
    """
    rows, X = problem.sample
    chosen = WorkingSet(rows, X, problem.y[rows], scaling, bias=problem.bias)
    while True:
        found = chosen.solve(limits)
        if found.w is None:
            yield found
            return
        levels = chosen.levels_of(found.w)
        nearest = _NEARER * sum(levels) / len(levels)
        groups = lowest(problem, found.w, by_class=problem.bias, levels=[x - nearest for x in levels], most=most)
        rows, X = np.concatenate([group.rows for group in groups]), stacked([group.X for group in groups])
        problem.row_source.cache(rows, X)
        near = Problem(X, problem.y[rows], problem.bias, sizes=problem.sizes) if problem.integers is None else None
        yield replace(found, plane=_plane_of(problem, found.w, groups), near=near)
        if limits.is_over() or not chosen.add(rows, X, problem.y[rows]):
            return


def _plane_of(problem: Problem, w: Floats, groups: list[Lowest]) -> SeparatingHyperplane | None:
    """Return the hyperplane with the normal w and the best offset if it separates, from the lowest rows along w."""
    normal = tuple(map(Fraction, w.tolist()))
    b, least = offset_between([least_score(problem, group, normal) for group in groups])
    if least <= 0:
        return None
    return SeparatingHyperplane(problem=problem, w=normal, b=b, least_functional_margin=least)


class WorkingSet:
    """Rows of both classes in memory, some of which are in the program.

    Parameters
    ----------
    rows : ndarray of int (k,)
        Their positions in the problem, each once.
    X : ndarray or CSR array (k, n_features)
    y : ndarray (k,)
    scaling : ColumnScaling
        Coordinates that suit floating point.
    bias : bool
    """

    def __init__(self, rows: Rows, X: Any, y: Floats, scaling: ColumnScaling, *, bias: bool) -> None:
        self.rows, self.X, self.y, self.bias = rows, X, y, bias
        self.scaling = scaling
        self.scaled = as_dense(scaling.apply(X))
        self.multipliers = np.zeros(len(rows))
        self.in_program = self._first()

    def add(self, rows: Rows, X: Any, y: Floats) -> bool:
        """Add the rows that are not here yet; return whether there were any."""
        is_new = ~np.isin(rows, self.rows)
        if not is_new.any():
            return False
        self.rows = np.concatenate([self.rows, rows[is_new]])
        self.X = stacked([self.X, X[is_new]])
        self.scaled = np.concatenate([self.scaled, as_dense(self.scaling.apply(X[is_new]))])
        self.y = np.concatenate([self.y, y[is_new]])
        n_new = int(is_new.sum())
        self.multipliers = np.append(self.multipliers, np.zeros(n_new))
        self.in_program = np.append(self.in_program, np.zeros(n_new, dtype=np.bool_))
        return True

    def solve(self, limits: Limits) -> Round:
        """Return the widest margin between the rows, and drop the rows that are far away."""
        for _ in range(_MOST_PROGRAMS):
            w, attempt = self._solve_program(limits)
            if w is None:
                break
            margins = self._margins(w)
            low = np.flatnonzero((margins < 1 - _ROUNDING) & ~self.in_program)
            if not low.size or limits.is_over():
                self._keep(margins < _KEPT)
                return Round(
                    w=self._polished(self.scaling.invert(w)),
                    rows=self.rows[self.in_program],
                    multipliers=self.multipliers[self.in_program],
                    attempt=attempt,
                )
            self.in_program &= (margins < _NEAR) | (self.multipliers > 0)
            self.in_program[self._worst(low, margins)] = True
        rows = self.rows[self.in_program]
        return Round(w=None, rows=rows, multipliers=np.zeros(len(rows)), attempt=attempt)

    def levels_of(self, w: Floats) -> list[float]:
        """Return the least ``y w.x`` of the program, in each class or in all; not finite where products overflow."""
        with np.errstate(all="ignore"):
            return self._levels(self.y * (self.X @ w))

    def _first(self) -> Mask:
        """Choose some rows of either class, the same on every run."""
        random = np.random.default_rng(0)
        chosen = np.zeros(len(self.y), dtype=np.bool_)
        for sign in (-1.0, 1.0):
            positions = random.permutation(np.flatnonzero(self.y == sign))
            chosen[positions[: _FIRST_A_COLUMN * (self.scaled.shape[1] + 1)]] = True
        return chosen

    def _solve_program(self, limits: Limits) -> tuple[Floats | None, SolverRun]:
        """Solve the program of the chosen rows; return its normal in the scaled coordinates."""
        chosen = self.in_program
        found = quadratic.solve(
            self.scaled[chosen],
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

    def _margins(self, w: Floats) -> Floats:
        """Return the functional margins with the best offset for the program, whose least margin is 1."""
        with np.errstate(all="ignore"):
            signed = self.y * (self.scaled @ w)
            levels = self._levels(signed)
            if not self.bias:
                return np.asarray(signed / levels[0])
            negative, positive = levels
            return np.asarray((signed + self.y * (negative - positive) / 2) / ((negative + positive) / 2))

    def _levels(self, signed: Floats) -> list[float]:
        """Return the least ``y w.x`` of the rows of the program, in each class or in all."""
        chosen = self.in_program
        groups = [chosen & (self.y < 0), chosen & (self.y > 0)] if self.bias else [chosen]
        return [float(signed[group].min()) for group in groups]

    def _worst(self, low: Rows, margins: Floats) -> Rows:
        """Return the positions of the rows of either class with the lowest margins."""
        most = max(_LEAST_ADDED, self.scaled.shape[1])
        ordered = low[np.argsort(margins[low], kind="stable")]
        return np.concatenate([ordered[self.y[ordered] == sign][:most] for sign in (-1.0, 1.0)])

    def _keep(self, is_near: Mask) -> None:
        kept = is_near | self.in_program
        self.rows, self.X, self.scaled, self.y = self.rows[kept], self.X[kept], self.scaled[kept], self.y[kept]
        self.multipliers, self.in_program = self.multipliers[kept], self.in_program[kept]

    def _polished(self, w: Floats) -> Floats:
        """Return the normal of the support rows, which is more accurate, if it has the same margin, else w.

        The margin depends on errors of w only by their square: a gap of 1e-16 leaves an error of 1e-8 in w.
        """
        support = self.multipliers > _SUPPORT_WEIGHT * self.multipliers.max()
        if support.sum() > 2 * (self.scaled.shape[1] + 1):
            return w
        other = quadratic.normal_of_support(as_dense(self.X[support]), self.y[support], bias=self.bias)
        if other is None or self._width(other) < self._width(w) * (1 - _ROUNDING):
            return w
        return other

    def _width(self, w: Floats) -> float:
        with np.errstate(all="ignore"):
            return float(sum(self.levels_of(w)) / np.linalg.norm(w))
