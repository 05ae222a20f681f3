"""A face of the cone: the rows that are proven to touch, and the positive balance that proves it."""

from collections.abc import Callable, Sequence
from math import gcd

import numpy as np

from maxmargin.solvers.basics.array_types import Mask, Rows
from maxmargin.solvers.exact.circuits import null_space, orthogonal_complement
from maxmargin.solvers.exact.simplex import Circuit
from maxmargin.solvers.separability.cone.cone_rows import ConeRows, annihilated, parts

_FLOAT_CHUNK = 1 << 15
"""Number of rows that floating point compares with the span at a time."""


class Face:
    """The directions of the cone that are 0 on the rows of some positive circuits.

    Attributes
    ----------
    basis : list of int
        Independent rows; rows in their span are 0 on the face.
    balance : dict of row to weight
        Positive integers with sum a_i z_i = 0, at most two rows for each of the basis; the basis is among them.
    """

    def __init__(self, rows: ConeRows, is_over: Callable[[], bool] | None = None) -> None:
        self.rows = rows
        self.is_over = is_over
        self.basis: list[int] = []
        self.balance: dict[int, int] = {}
        self._seems_inside = np.zeros(rows.n_rows, dtype=np.bool_)
        self._is_guessed = True
        self._null_space: list[list[int]] | None = None

    @property
    def seems_inside(self) -> Mask:
        """Rows that depend on the basis in floating point, except those that an exact check found independent."""
        if not self._is_guessed:
            self._guess()
            self._is_guessed = True
        return self._seems_inside

    @property
    def is_everything(self) -> bool:
        """Whether the basis spans the whole space, so that every row is 0."""
        return len(self.basis) == self.rows.width

    def add(self, circuit_rows: Sequence[int], circuit: Circuit) -> None:
        """Join a positive circuit modulo the span of the basis: all its rows are 0 on the face as well."""
        if len(circuit_rows) == 1 and circuit.independent is None:  # the row depends on the basis
            self.balance = self.balance or {circuit_rows[0]: 1}
            if not self.basis:
                self._guess()  # the other rows of zeros
            self._seems_inside[circuit_rows[0]] = True
            return
        if not self.basis:
            self.balance = {}
        self._join(circuit_rows, circuit)
        positions = range(len(circuit_rows) - 1) if circuit.independent is None else circuit.independent
        self.basis += [circuit_rows[position] for position in positions]
        self._is_guessed, self._null_space = False, None

    def null_space(self) -> list[list[int]]:
        """Return a basis of the directions that are 0 on the basis rows."""
        if self._null_space is None:
            self._null_space = null_space(*self.rows.integers(np.array(self.basis, dtype=np.int64)), self.is_over)
        return self._null_space

    def check(self, rows: Rows) -> None:
        """Check exactly which of the rows depend on the basis, and correct `seems_inside`."""
        if self.is_everything or not rows.size:
            return
        exact_parts = parts(rows, self.rows.settings.exact_rows)
        inside = np.concatenate([annihilated(self.rows, part, self.null_space()) for part in exact_parts])
        self.seems_inside[rows[~inside]] = False

    def _join(self, circuit_rows: Sequence[int], circuit: Circuit) -> None:
        """Add the circuit to a multiple of the balance that keeps every weight positive."""
        needed = 0
        for row, weight in zip(self.basis, circuit.fixed_weights, strict=True):
            if weight < 0:
                needed = max(needed, (-weight // self.balance[row]).bit_length() + 1)
        joined = {row: weight << needed for row, weight in self.balance.items()}
        for row, weight in zip(self.basis, circuit.fixed_weights, strict=True):
            joined[row] += weight
        for row, weight in zip(circuit_rows, circuit.weights, strict=True):
            joined[row] = joined.get(row, 0) + weight
        factor = gcd(*joined.values())
        self.balance = {row: weight // factor for row, weight in joined.items()}

    def _guess(self) -> None:
        """Find the rows near the span of the basis."""
        if self.is_everything:
            self._seems_inside[:] = True
            return
        normals = orthogonal_complement(self.rows.scaled(np.array(self.basis, dtype=np.int64)))
        open_rows = np.flatnonzero(~self._seems_inside)
        for part in parts(open_rows, _FLOAT_CHUNK):
            vectors = self.rows.scaled(part)
            distance = np.linalg.norm(vectors @ normals, axis=1)
            self._seems_inside[part] = distance <= self.rows.settings.in_span * np.linalg.norm(vectors, axis=1)
        self._seems_inside[self.basis] = True
