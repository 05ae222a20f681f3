"""The maximum margin of many rows from a few: solve for some rows, look at all, take in those that are too near.

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
from maxmargin.solvers.engines.hard_working_set.active_rows import Pool, PoolAnswer
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import stacked
from maxmargin.solvers.problem.scaling import ColumnScaling
from maxmargin.solvers.proof.certificate import SeparatingHyperplane
from maxmargin.solvers.proof.margins import least_score, offset_between
from maxmargin.solvers.proof.sums.lowest import Lowest, lowest

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

NAME = "working set"

_FEW_ROWS, _FEW_ROWS_A_COLUMN = 4000, 5
"""Up to so many rows, or so many a column, one program of all rows is as fast."""

MOST_OF_A_CHUNK = 250
"""Rows of either class that one chunk adds at most in one pass."""

_ROUNDING = 1e-14
"""Relative to the margin, how much nearer than the rows of the part a row must be to be taken in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What one pass over all rows leaves.

    Attributes
    ----------
    plane : SeparatingHyperplane or None
        With the normal that the part proposes and the best offset, if it separates, checked in exact arithmetic.
    near : Problem or None
        Rows next to this plane: the least functional margin of all rows is one of theirs, also after the entries of
        the plane were divided by a number and rounded.
    rows : ndarray of int
        The rows of the part that were in its program; without a solution, rows that float arithmetic cannot separate.
    multipliers : ndarray
        Of these rows; all 0 without a solution.
    attempt : SolverRun
    has_solution : bool
        Whether the program of the part had a solution.
    """

    plane: SeparatingHyperplane | None
    near: Problem | None
    rows: Rows
    multipliers: Floats
    attempt: SolverRun
    has_solution: bool


def is_worth_it(problem: Problem) -> bool:
    """Return whether there are so many rows, of binary64 numbers, that a part of them may tell of all."""
    n_few = _FEW_ROWS_A_COLUMN * problem.n_features
    is_large = problem.integers is None and problem.n_samples > max(_FEW_ROWS, n_few)
    return is_large and len(problem.sample[0]) >= n_few


def rounds(problem: Problem, scaling: ColumnScaling, limits: Limits, *, most: int = MOST_OF_A_CHUNK) -> Iterator[Round]:
    """Yield rounds, each with a narrower interval than those before; the last one finds nothing new.

    A round without a solution ends it as well. A chunk adds at most so many rows of either class in one pass.
    """
    rows, X = problem.sample
    pool = Pool(rows, X, problem.y[rows], scaling, bias=problem.bias)
    _recall(pool, problem)
    while True:
        answer = pool.settle(limits)
        if answer.w is None:
            yield _round(answer, None, None)
            return
        groups = lowest(problem, answer.w, by_class=problem.bias, levels=_levels(answer), most=most)
        near, near_X = np.concatenate([group.rows for group in groups]), stacked([group.X for group in groups])
        problem.warm_start.remember(near, near_X, "margin")
        yield _round(answer, plane_of(problem, answer.w, groups), _among(problem, near, near_X))
        if limits.is_over() or not pool.add(near, near_X, problem.y[near]):
            return


def _recall(pool: Pool, problem: Problem) -> None:
    """Take in what passes of an earlier process brought along."""
    rows = problem.warm_start.recalled("margin")
    if rows.size:
        pool.add(rows, problem.row_source[rows], problem.y[rows])


def _among(problem: Problem, rows: Rows, X: Any) -> Problem | None:
    """Return the question of some rows; None where the rows themselves are not X."""
    return Problem(X, problem.y[rows], problem.bias, sizes=problem.sizes) if problem.integers is None else None


def _round(answer: PoolAnswer, plane: SeparatingHyperplane | None, near: Problem | None) -> Round:
    return Round(
        plane=plane,
        near=near,
        rows=answer.rows,
        multipliers=answer.multipliers,
        attempt=answer.attempt,
        has_solution=answer.w is not None,
    )


def plane_of(problem: Problem, w: Floats, groups: list[Lowest]) -> SeparatingHyperplane | None:
    """Return the hyperplane with normal w and the best offset if it separates, from the lowest rows along w."""
    normal = tuple(map(Fraction, w.tolist()))
    b, least = offset_between([least_score(problem, group, normal) for group in groups])
    if least <= 0:
        return None
    return SeparatingHyperplane(problem=problem, w=normal, b=b, least_functional_margin=least)


def _levels(answer: PoolAnswer) -> list[float]:
    """Return the scores below which rows are nearer than those of the part."""
    margin = sum(answer.levels) / len(answer.levels)
    return [level - _ROUNDING * margin for level in answer.levels]
