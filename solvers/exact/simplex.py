"""The rational simplex method: a strict direction or a positive circuit, with no tolerance anywhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.exact.dyadic import Integers

# Bits of the numbers that are handed to floating point, far from overflow.
_FLOAT_BITS = 500

# Relative error of a rounded product, with room to spare.
_FLOAT_ERROR = 2.0**-51

# Number of successive degenerate pivots after which Bland's rule takes over, which cannot cycle.
STALLED_PIVOTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictDirection:
    """Integers v with ``rows @ v > 0`` and ``fixed @ v == 0``."""

    vector: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """Weights a > 0 on some rows and any c with ``sum a_i rows_i + sum c_k fixed_k == 0``.

    Attributes
    ----------
    positions : list of int
    weights : list of int
    fixed_weights : list of int
    independent : list of int, optional
        Which of these rows span them all, modulo the fixed ones. Without it the rows carry no other such weights: then
        they are one more than what they add to the rank, and all but any one of them are independent.
    """

    positions: list[int]
    weights: list[int]
    fixed_weights: list[int]
    independent: list[int] | None = None


def strict_direction(
    rows: Integers,
    fixed: Integers,
    *,
    first: Sequence[int] = (),
    is_over: Callable[[], bool] = lambda: False,
    stalled_pivots: int = STALLED_PIVOTS,
) -> StrictDirection | Circuit | None:
    """Find v with ``rows @ v > 0`` and ``fixed @ v == 0``, or the circuit that excludes it.

    The primal simplex method on the dual of ``max t : rows @ v >= t, fixed @ v == 0, |v_j| <= 1``, that is

        min sum |s_j|  subject to  rows' a + fixed' c = s,  sum a = 1,  a >= 0,

    with the basis inverse held as integers over one determinant (Edmonds 1967). A positive value has a direction as its
    dual solution, the value 0 is a circuit. Bland's rule ends degenerate stretches, so the method always ends.

    Parameters
    ----------
    rows : object array (n_rows, m) of int
        At least one row.
    fixed : object array (n_fixed, m) of int
        Linearly independent.
    first : sequence of int
        Indices of rows that are likely to be in the answer; they are tried before the others.
    is_over : callable
        Asked before every pivot; once true, the answer is None.
    stalled_pivots : int
        Number of successive degenerate pivots after which Bland's rule takes over.
    """
    tableau = _Tableau(rows, fixed, first[0] if len(first) else 0, is_over, stalled_pivots)
    if is_over():
        return None
    tried = [np.array(sorted(first), dtype=np.int64)] if len(first) > 1 else []
    for candidates in (*tried, None):
        while (entering := tableau.entering(candidates)) is not None:
            if is_over():
                return None
            tableau.pivot(entering)
        if tableau.is_circuit:
            return tableau.circuit()
    return StrictDirection(vector=tableau.direction())


def _as_floats(rows: Integers) -> Floats | None:
    """Return the rows rounded, or None where they leave the range in which sums of products stay finite."""
    if max((abs(v).bit_length() for v in rows.ravel().tolist()), default=0) > _FLOAT_BITS:
        return None
    return rows.astype(np.float64)


def _sizes(rows: Floats) -> Floats:
    largest: Floats = np.abs(rows).max(axis=1)
    return np.where(largest > 0, largest, 1.0)


class _Tableau:
    """A basis of m + 1 columns with its inverse ``inverse / determinant``.

    Columns are called by numbers: rows 0 .. n - 1, then the fixed ones, then slacks +e_j, then slacks -e_j.
    """

    def __init__(
        self, rows: Integers, fixed: Integers, start: int, is_over: Callable[[], bool], stalled_pivots: int
    ) -> None:
        self.rows, self.fixed = rows, fixed
        self.n_rows, self.size = rows.shape
        self.n_fixed = len(fixed)
        self.first_slack = self.n_rows + self.n_fixed
        self.inverse = np.zeros((self.size + 1, self.size + 1), dtype=object)
        self.inverse[np.diag_indices(self.size + 1)] = 1
        self.determinant = 1
        self.basis = [self.first_slack + j for j in range(self.size + 1)]  # the last one only until `start` enters
        self.stalled, self.stalled_pivots = 0, stalled_pivots
        self.floats = _as_floats(rows)
        self.sizes = np.ones(self.n_rows) if self.floats is None else _sizes(self.floats)
        for k in range(self.n_fixed):
            if is_over():
                return
            self._enter_fixed(self.n_rows + k)
        self._exchange(self.size, start, self._transformed(start))
        for position in np.flatnonzero(self.inverse[:, -1] < 0).tolist():
            if self.basis[position] >= self.first_slack:
                self.basis[position] += self.size
                self.inverse[position] = -self.inverse[position]

    @property
    def is_circuit(self) -> bool:
        """Whether the value is 0: no slack is in use."""
        return not any(self.inverse[position, -1] for position in self._slack_positions())

    def entering(self, candidates: Rows | None) -> int | None:
        """Return the column to enter; None at the optimum, at a circuit, or once every row is strictly positive."""
        if self.is_circuit:
            return None
        costs = self._costs()
        positions = np.arange(self.n_rows) if candidates is None else candidates
        if self.stalled < self.stalled_pivots and (best := self._best_by_floats(costs, positions)) is not None:
            return None if best < 0 else best
        margins = self.rows[positions].dot(costs[:-1])
        if (margins < 0).all():
            return None
        best = self._first_or_best(margins + costs[-1])
        return self._entering_slack(costs) if best is None else int(positions[best])

    def pivot(self, entering: int) -> None:
        """Let a column enter; the leaving one is found by the ratio test, ties by the least number."""
        column = self._transformed(entering)
        values = self.inverse[:, -1]
        leaving = -1
        for position in range(self.size + 1):
            if column[position] <= 0 or self._is_free(self.basis[position]):
                continue
            if leaving < 0:
                leaving = position
                continue
            left, right = values[position] * column[leaving], values[leaving] * column[position]
            if left < right or (left == right and self.basis[position] < self.basis[leaving]):
                leaving = position
        self.stalled = self.stalled + 1 if values[leaving] == 0 else 0
        self._exchange(leaving, entering, column)

    def direction(self) -> list[int]:
        """Return the dual solution, positive on the rows."""
        return [-int(cost) for cost in self._costs()[:-1]]

    def circuit(self) -> Circuit:
        """Return the basic solution at the value 0."""
        value_of = dict(zip(self.basis, self.inverse[:, -1].tolist(), strict=True))
        positions = sorted(column for column, value in value_of.items() if column < self.n_rows and value)
        return Circuit(
            positions=positions,
            weights=[value_of[position] for position in positions],
            fixed_weights=[value_of[self.n_rows + k] for k in range(self.n_fixed)],
        )

    def _enter_fixed(self, column: int) -> None:
        transformed = self._transformed(column)
        free = (
            position
            for position in range(self.size)
            if self.basis[position] >= self.first_slack and transformed[position]
        )
        self._exchange(next(free), column, transformed)

    def _best_by_floats(self, costs: Integers, positions: Rows) -> int | None:
        """Return the row that violates most, relative to its size, where floating point is sure that it violates.

        Return -1 where floating point is sure that all rows are strictly positive.
        """
        if self.floats is None:
            return None
        largest = max(abs(cost).bit_length() for cost in costs.tolist())
        shift = max(0, largest - _FLOAT_BITS)
        rounded = np.array([float(cost >> shift) for cost in costs.tolist()])
        table, sizes = self.floats[positions], self.sizes[positions]
        with np.errstate(all="ignore"):
            margins = table @ rounded[:-1]
            # Every cost errs by 1 from the shift and 2**-53 from rounding, every entry by 2**-53.
            moduli = np.abs(table) @ (np.abs(rounded[:-1]) * _FLOAT_ERROR * (self.size + 8) + 1)
            if (margins + moduli < 0).all():
                return -1
            reduced = margins + rounded[-1]
            certain = reduced - moduli - (np.abs(rounded[-1]) + np.abs(reduced)) * _FLOAT_ERROR - 1
            score = np.where(certain > 0, reduced / sizes, 0.0)
        best = int(score.argmax())
        return int(positions[best]) if score[best] > 0 else None

    def _first_or_best(self, reduced: Integers) -> int | None:
        """Return the position of the greatest positive entry, the first one while degenerate pivots go on."""
        if self.stalled < self.stalled_pivots:
            best = int(reduced.argmax())
            return best if reduced[best] > 0 else None
        positive = np.flatnonzero(reduced > 0)
        return int(positive[0]) if positive.size else None

    def _entering_slack(self, costs: Integers) -> int | None:
        for j, cost in enumerate(costs[:-1].tolist()):
            if abs(cost) > self.determinant:
                return int(self.first_slack + j + (self.size if cost < 0 else 0))
        return None

    def _costs(self) -> Integers:
        """Return the dual solution times the determinant, which is positive."""
        return np.asarray(self.inverse[self._slack_positions()].sum(axis=0))

    def _slack_positions(self) -> list[int]:
        return [position for position, column in enumerate(self.basis) if column >= self.first_slack]

    def _is_free(self, column: int) -> bool:
        return bool(self.n_rows <= column < self.first_slack)

    def _transformed(self, column: int) -> Integers:
        """Return the inverse of the basis times a column, times the determinant."""
        if column < self.n_rows:
            return np.asarray(self.inverse[:, :-1].dot(self.rows[column]) + self.inverse[:, -1])
        if column < self.first_slack:
            return np.asarray(self.inverse[:, :-1].dot(self.fixed[column - self.n_rows]))
        sign, j = divmod(column - self.first_slack, self.size)
        return np.asarray(-self.inverse[:, j] if sign else self.inverse[:, j])

    def _exchange(self, position: int, column: int, transformed: Integers) -> None:
        pivot, row = transformed[position], self.inverse[position].copy()
        inverse = (self.inverse * pivot - np.outer(transformed, row)) // self.determinant  # divides exactly
        inverse[position] = row
        self.inverse, self.determinant = (inverse, pivot) if pivot > 0 else (-inverse, -pivot)
        self.basis[position] = column
