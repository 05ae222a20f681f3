"""Some rows of a problem, held in memory, and the widest margin between them from a few of these."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import quadratic
from maxmargin.solvers.exact.dyadic import as_dense
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.rows import stacked
from maxmargin.solvers.problem.scaling import ColumnScaling

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_FIRST_A_COLUMN = 2
"""Rows of either class in the first program, a column."""

_ADDED_A_COLUMN = 1
"""Rows of either class that join the program at a time, a column,"""

_LEAST_ADDED = 20
"""but not fewer."""

_NEAR = 1.2
"""Ratio of a margin to the least margin below which a row stays in the program."""

_KEPT = 4.0
"""Ratio of a margin to the least margin below which a row stays in the pool."""

_ROUNDING = 1e-13
"""Relative, by how much a margin may be below that of the program and still be the same."""

_MOST_PROGRAMS = 200
"""Programs after which a pool that does not settle is given up."""

_SUPPORT_WEIGHT = 1e-9
"""Multiplier, relative to the largest, below which a row does not support the plane."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAnswer:
    """What the program of some rows of a pool says.

    Attributes
    ----------
    w : ndarray (n_features,) or None
        The normal in the original coordinates, up to a positive factor; None where the program has no solution.
    rows : ndarray of int
        Numbers of the rows of the program.
    multipliers : ndarray
        Of these rows; all 0 without w.
    levels : tuple of float
        The least ``y w.x`` of either class, -1 first, or of all.
    attempt : SolverRun
        What the solver said of itself.
    """

    w: Floats | None
    rows: Rows
    multipliers: Floats
    levels: tuple[float, ...]
    attempt: SolverRun


class Pool:
    """Rows of both classes, some of them in the program.

    Parameters
    ----------
    rows : ndarray of int (k,)
        Their numbers in the problem, different from one another.
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
        """Take in those of the rows that are not here yet, into the program too; return whether there were any."""
        is_new = ~_isin(rows, self.rows)
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

    def settle(self, limits: Limits) -> PoolAnswer:
        """Return the widest margin between the rows of the pool, and leave out of it the rows that are far away."""
        for _ in range(_MOST_PROGRAMS):
            w, attempt = self._solve(limits)
            if w is None:
                break
            margins = self._margins(self.easy @ w)
            low = np.flatnonzero((margins < 1 - _ROUNDING) & ~self.in_program)
            if not low.size or limits.is_over():
                self._keep(margins < _KEPT)
                return self._answer(w, attempt)
            self.in_program &= (margins < _NEAR) | (self.multipliers > 0)
            self.in_program[self._worst(low, margins)] = True
        return self._answer(None, attempt)

    def _first(self) -> NDArray[np.bool_]:
        """Choose some rows of either class, the same on every run."""
        random = np.random.default_rng(0)
        chosen = np.zeros(len(self.y), dtype=np.bool_)
        for sign in (-1.0, 1.0):
            positions = random.permutation(np.flatnonzero(self.y == sign))
            chosen[positions[: _FIRST_A_COLUMN * (self.easy.shape[1] + 1)]] = True
        return chosen

    def _solve(self, limits: Limits) -> tuple[Floats | None, SolverRun]:
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

    def _keep(self, is_near: NDArray[np.bool_]) -> None:
        kept = is_near | self.in_program
        self.rows, self.X, self.easy, self.y = self.rows[kept], self.X[kept], self.easy[kept], self.y[kept]
        self.multipliers, self.in_program = self.multipliers[kept], self.in_program[kept]

    def _answer(self, w: Floats | None, attempt: SolverRun) -> PoolAnswer:
        rows = self.rows[self.in_program]
        if w is None:
            return PoolAnswer(w=None, rows=rows, multipliers=np.zeros(len(rows)), levels=(), attempt=attempt)
        w = self._polished(self.scaling.invert(w))
        return PoolAnswer(
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
        if other is None or self._width(other) < self._width(w) * (1 - _ROUNDING):
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


def _isin(rows: Rows, known: Rows) -> NDArray[np.bool_]:
    ordered = np.sort(known)
    positions = np.minimum(np.searchsorted(ordered, rows), len(ordered) - 1)
    return np.asarray(ordered[positions] == rows)
