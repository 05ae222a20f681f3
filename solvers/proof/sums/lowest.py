"""The lowest rows along a normal: those that may have the least score y w.x, and those below a level."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import stacked
from maxmargin.solvers.proof.sums.rounding import errors, largest_error, whole_line_where_broken
from maxmargin.solvers.proof.sums.sums import functional_margins

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_MANY_ROWS = 1000
"""Number of rows next to the least above which error bounds of their own thin them out before integers are used."""

_BEYOND = 2.0
"""Rows above a level are returned up to this multiple of the distance of the least below it: w may soon lower them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowest:
    """Rows that are lowest along w.

    Attributes
    ----------
    rows : ndarray of int (k,)
    X : ndarray or CSR array (k, n_features)
        The rows themselves.
    scores : ndarray (k,)
        ``y (w.x + b)``, rounded; -infinity if it overflows.
    lower, upper : ndarray (k,)
        Ends between which the exact scores lie.
    """

    rows: Rows
    X: Any
    scores: Floats
    lower: Floats
    upper: Floats

    @property
    def may_be_least(self) -> NDArray[np.bool_]:
        """Whether the exact score may be the least of the group; it is the least of these."""
        return np.asarray(self.lower <= self.upper.min(initial=np.inf))


def lowest(
    problem: Problem,
    w: Floats,
    b: float = 0.0,
    *,
    by_class: bool,
    levels: Sequence[float] = (-np.inf, -np.inf),
    most: int = 0,
) -> list[Lowest]:
    """Return the lowest rows of each class, -1 first, or of all rows, in one pass.

    Parameters
    ----------
    problem : Problem
    w : ndarray (n_features,)
        Finite.
    b : float
    by_class : bool
        Whether each class is a group; else all rows are one group.
    levels : sequence of float, one for each group
        Rows with a smaller score are returned as well, and some above if there are any.
    most : int
        The largest number of such rows per chunk.
    """
    n_groups = 2 if by_class else 1
    search = _Search(
        w=w,
        b=b,
        error=largest_error(problem, w, b),
        levels=tuple(levels[:n_groups]),
        most=most,
        may_merge=problem.integers is None,
    )
    parts = list(problem.map(partial(_lowest_of_chunk, search), problem.y))
    return [_united([part[group] for part in parts]) for group in range(n_groups)]


def whole_group(problem: Problem, rows: Rows) -> Lowest:
    """Return all rows of a group, with the whole line as enclosure."""
    unknown = np.full(len(rows), np.inf)
    return Lowest(rows=rows, X=problem.row_source[rows], scores=-unknown, lower=-unknown, upper=unknown)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """The arguments of a search; rows that are equal in X may be merged unless X is a rounding of the rows."""

    w: Floats
    b: float
    error: float | None
    levels: tuple[float, ...]
    most: int
    may_merge: bool


def _lowest_of_chunk(search: _Search, rows: slice, X: Any, y: Floats) -> list[Lowest]:
    error = float(errors(X, search.w, search.b).max(initial=0.0)) if search.error is None else search.error
    score, least = functional_margins(X, y, search.w, search.b)
    groups: tuple[tuple[Any, float], ...] = ((True, min(least)),)
    if len(search.levels) == 2:
        groups = ((y < 0, least[0]), (y > 0, least[1]))
    found = []
    for level, (is_member, least_score) in zip(search.levels, groups, strict=True):
        positions = _low_positions(score, is_member, least_score, level, search.most, error)
        if len(positions) > _MANY_ROWS and search.may_merge:
            positions = _different(X, y, positions)
        found.append(_looked_at(search, error, rows.start, X, score, positions))
    return found


def _low_positions(score: Floats, is_member: Any, least: float, level: float, most: int, error: float) -> Rows:
    """Return the positions of scores that may be the least of a group, and of at most `most` others near the level.

    The error is more than twice the error of any score (`rounding_error`), and more than fourteen times the change of
    a score when every entry of w is rounded once more: that makes no other score the least either.
    """
    with np.errstate(all="ignore"):
        end = np.nextafter(least + 2 * error, np.inf)
    if not np.isfinite(end):
        return np.flatnonzero((score < np.inf) & is_member)
    near = np.flatnonzero((score <= end) & is_member)
    if not most or level <= end:
        return near
    below = np.flatnonzero((score < level + _BEYOND * (level - least)) & (score > end) & is_member)
    if below.size > most:
        below = below[np.argpartition(score[below], most)[:most]]
    return np.sort(np.concatenate([near, below]))


def _looked_at(search: _Search, error: float, start: int, X: Any, score: Floats, positions: Rows) -> Lowest:
    picked, scores = X[positions], score[positions]
    own = np.full(len(positions), error) if len(positions) <= _MANY_ROWS else errors(picked, search.w, search.b)
    with np.errstate(all="ignore"):
        lower, upper = np.nextafter(scores - own, -np.inf), np.nextafter(scores + own, np.inf)
    lower, upper = whole_line_where_broken(lower, upper)
    return Lowest(rows=positions + start, X=picked, scores=scores, lower=lower, upper=upper)


def _different(X: Any, y: Floats, positions: Rows) -> Rows:
    """Return one position for each set of equal rows (sign and numbers), which have equal scores."""
    if hasattr(X, "tocsr"):
        return positions
    rows = np.column_stack([X[positions], y[positions]])
    as_bytes = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    return np.sort(positions[np.unique(as_bytes, return_index=True)[1]])


def _united(parts: Sequence[Lowest]) -> Lowest:
    return Lowest(
        rows=np.concatenate([part.rows for part in parts]),
        X=stacked([part.X for part in parts]),
        scores=np.concatenate([part.scores for part in parts]),
        lower=np.concatenate([part.lower for part in parts]),
        upper=np.concatenate([part.upper for part in parts]),
    )
