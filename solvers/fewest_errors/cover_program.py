"""The linear programs of the search: the relaxed covering program of witnesses, and the one that finds witnesses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines import highs_lp

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]

UNITS = 1 << 24
"""Weights of witnesses are whole multiples of 1/UNITS."""


class CoverProgram:
    """min n.t subject to sum of t over every witness >= 1, t >= 0, with rows taken out of it or kept.

    Parameters
    ----------
    counts : ndarray (n_rows,) of int
        The n, positive.

    Attributes
    ----------
    witnesses : list of ndarray of int
        The rows of each.
    n_through : ndarray (n_rows,) of int
        How many witnesses a row is in.
    """

    def __init__(self, counts: Rows) -> None:
        self.counts = counts
        self.witnesses: list[Rows] = []
        self.solver: Any = highs_lp.started(None)
        program = highs_lp.equalities(np.empty((len(counts), 0)), np.empty(0))
        program.col_cost_ = counts.astype(np.float64)
        self.solver.passModel(program)
        self.n_through = np.zeros(len(counts), dtype=np.int64)
        self._flat = self._starts = np.empty(0, dtype=np.int64)

    def add(self, witness: Rows) -> None:
        """Let a set of rows join, of which at least one has to go."""
        self.witnesses.append(witness)
        self.n_through[witness] += 1
        self._flat = np.concatenate([self._flat, witness])
        self._starts = np.append(self._starts, len(self._flat) - len(witness))
        self.solver.addRow(1.0, highs_lp.infinity(), len(witness), witness.astype(np.int32), np.ones(len(witness)))

    def relaxed(self, dropped: Mask, kept: Mask) -> tuple[Floats, Floats] | None:
        """Return the shares t and the multipliers of the witnesses, hints both; None where HiGHS found no optimum."""
        upper = np.where(kept, 0.0, highs_lp.infinity())
        upper[dropped] = 1.0
        numbers = np.arange(len(self.counts), dtype=np.int32)
        self.solver.changeColsBounds(len(numbers), numbers, dropped.astype(np.float64), upper)
        return highs_lp.vertex(self.solver)

    def has_kept_witness(self, kept: Mask) -> bool:
        """Return whether some witness has all its rows kept, which no hyperplane can do."""
        return bool(self.witnesses) and bool(np.logical_and.reduceat(kept[self._flat], self._starts).any())

    def open_witnesses(self, dropped: Mask) -> Rows:
        """Return the witnesses of which no row is dropped."""
        if not self.witnesses:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(~np.logical_or.reduceat(dropped[self._flat], self._starts))

    def bound(self, multipliers: Floats, dropped: Mask, kept: Mask) -> int:
        """Return a lower bound, proven in integers, of every cover with these rows dropped and those kept."""
        shares = self.packing(multipliers, dropped, kept)
        return int(self.counts[dropped].sum()) - (-int(shares.sum()) // UNITS)

    def packing(self, multipliers: Floats, dropped: Mask, kept: Mask) -> Rows:
        """Return whole shares p >= 0 of the witnesses with sum of p over those through a row <= UNITS times its count.

        A cover t >= 0 has n.t >= sum_i t_i sum_{k through i} p_k >= sum_k p_k, in units: weak duality. Only witnesses
        without a dropped row have a share, and kept rows, whose t is 0, may carry any.
        """
        shares = np.zeros(len(self.witnesses), dtype=np.int64)
        positions = self.open_witnesses(dropped)
        most = UNITS * int(self.counts.max())
        shares[positions] = np.clip(np.floor(multipliers[positions] * UNITS), 0, most).astype(np.int64)
        capacities = UNITS * self.counts
        loads = np.zeros(len(self.counts), dtype=np.int64)
        np.add.at(loads, self._flat, np.repeat(shares, [len(w) for w in self.witnesses]))
        for row in np.flatnonzero((loads > capacities) & ~kept).tolist():
            through = [k for k, witness in enumerate(self.witnesses) if row in witness]
            shares[through] = [share * int(capacities[row]) // int(loads[row]) for share in shares[through].tolist()]
        return shares


class CircuitProgram:
    """The linear program min c.a subject to sum a_i z_i = 0, sum a_i = 1, a >= 0, solved again from the last vertex.

    Its vertices are the irreducible sets of rows that no hyperplane has strictly on their side (Gleeson and Ryan 1990).
    With the shares t of a cover as costs, a vertex of small value is likely a set of which t covers less than 1 (Parker
    and Ryan 1996). The dual solution is a direction with z_i.v >= s - c_i, s the value: where this is positive, rows of
    cost 0 are on their side.

    Parameters
    ----------
    rows : ndarray (n_rows, m)
        Of size about 1; not strictly separable, else there is no solution.
    """

    def __init__(self, rows: Floats) -> None:
        n_rows, width = rows.shape
        self.numbers = np.arange(n_rows, dtype=np.int32)
        self.solver: Any = highs_lp.started(None)
        target = np.append(np.zeros(width), 1.0)
        self.solver.passModel(highs_lp.equalities(np.hstack([rows, np.ones((n_rows, 1))]), target))

    def cheapest(self, costs: Floats) -> tuple[Floats, Floats] | None:
        """Return the weights a at a vertex, and the direction; both are hints. None where HiGHS found no optimum."""
        self.solver.changeColsCost(len(self.numbers), self.numbers, costs)
        found = highs_lp.vertex(self.solver)
        return None if found is None else (found[0], -found[1][:-1])
