"""Linear programs over one cone for a sequence of objectives; each starts from the solution before."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.exact.circuits import orthogonal_complement
from maxmargin.solvers.problem.candidate import numbers

Floats = NDArray[np.float64]

_PRIMAL_SIMPLEX = 4

_MOST = 2.0
"""Modulus of an entry of v that exceeds its bound of 1 by more than any tolerance."""


class SignProgram:
    """max c.v subject to rows @ v >= 0, fixed @ v = 0, v bounded; by the simplex method.

    The rows and the objectives are in coordinates in which they have size about 1. Answers are unchecked.

    Parameters
    ----------
    fixed : ndarray (n_fixed, m)
        Eliminated first: v is a combination of an orthonormal basis of their null space.
    """

    def __init__(self, fixed: Floats) -> None:
        self.basis = orthogonal_complement(fixed) if len(fixed) else None
        self.solver = highs_lp.started(None)
        size = fixed.shape[1] - len(fixed)
        self.solver.setOptionValue("simplex_strategy", _PRIMAL_SIMPLEX)
        for _ in range(size):
            self.solver.addVar(-1.0, 1.0)
        self.solver.changeObjectiveSense(_maximize())
        self.size, self.n_rows = size, 0

    def add(self, rows: Floats) -> None:
        """Add rows."""
        table = np.ascontiguousarray(self._inside(rows))
        positions, columns = np.nonzero(table)
        starts = np.searchsorted(positions, np.arange(len(table))).astype(np.int32)
        infinite = np.full(len(table), highs_lp.infinity())
        self.solver.addRows(
            len(table),
            np.zeros(len(table)),
            infinite,
            len(positions),
            starts,
            columns.astype(np.int32),
            table[positions, columns],
        )
        self.n_rows += len(table)

    def solve(self, objective: Floats, time_limit: float | None) -> tuple[Floats, Floats] | None:
        """Return a solution v and the multipliers of the rows, both at a vertex; or None."""
        if time_limit is not None:
            self.solver.setOptionValue("time_limit", self.solver.getRunTime() + time_limit)
        costs = self._inside(objective[None, :])[0]
        self.solver.changeColsCost(self.size, np.arange(self.size, dtype=np.int32), costs)
        try:
            found = highs_lp.vertex(self.solver)
        except Exception:  # the binding raises any exception; the caller has another way
            found = None
        if found is None:
            return None
        v, multipliers = numbers(found[0], self.size), numbers(found[1], self.n_rows)
        if v is None or multipliers is None or np.abs(v).max(initial=0.0) > _MOST:
            return None
        return v if self.basis is None else self.basis @ v, np.abs(multipliers)

    def _inside(self, vectors: Floats) -> Floats:
        """Return vectors in the coordinates of the basis."""
        return vectors if self.basis is None else np.asarray(vectors @ self.basis)


def _maximize() -> Any:
    import highspy

    return highspy.ObjSense.kMaximize
