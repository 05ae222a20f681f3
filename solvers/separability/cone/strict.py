"""One step: a direction on a face that is strictly positive on some rows, or a circuit that excludes it."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import balancing_vertex, highs_lp
from maxmargin.solvers.exact.circuits import circuit_near, onto_face, pivot_columns
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.exact.simplex import Circuit, Direction, strict_direction
from maxmargin.solvers.problem.candidate import Candidate, SolverRun, numbers
from maxmargin.solvers.separability.cone.cone_rows import StageRows

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

RATIONAL_SIMPLEX = "rational simplex"

_GREATEST_EXPONENT = 1023
"""Largest exponent of a power of two in binary64."""

_WIDE, _MOST_FILLED = 500, 0.1
"""Smallest number of columns for which linear programs take long; largest density of sparse rows."""

_SPARE_ROWS = 8
"""Number of rows by which a candidate circuit may exceed the circuit of a vertex."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A face and the rows that are to be positive on it.

    Attributes
    ----------
    cone : StageRows
    active : ndarray of int
        Rows that are to be positive.
    fixed : ndarray of int
        Independent rows that are to be 0.
    attempts : list of SolverRun
        The solver runs, to which new ones are added.
    """

    cone: StageRows
    active: Rows
    fixed: Rows
    attempts: list[SolverRun] = field(default_factory=list)

    def propose(self, limits: Limits) -> list[Fraction] | Circuit | None:
        """Return the proposal of floating point: a circuit, which is exact, or a direction exactly on the face.

        Whether the direction is positive on the active rows is not checked exactly.
        """
        scaled, scaled_fixed = self.cone.scaled(self.active), self.cone.scaled(self.fixed)
        if self._is_wide_and_sparse(scaled) and (circuit := self._of_all_rows(scaled, limits)) is not None:
            return circuit
        units = _units(scaled)
        for factors in (np.ones(len(scaled)), units):
            v, weights = self._asked(scaled * factors[:, None], scaled_fixed, limits)
            if weights is not None and (circuit := self.circuit(weights, factors, limits)) is not None:
                return circuit
            if v is not None and _seems_positive(scaled, v) and (direction := self.direction(v)) is not None:
                return direction
            if (units == 1.0).all() or limits.is_over():
                break
        return None

    def decide(self, limits: Limits) -> list[Fraction] | Circuit | None:
        """Return a direction positive on the active rows and 0 on the fixed ones, or a circuit, by rational arithmetic.

        None once the time is over.
        """
        if limits.is_over():
            return None
        table, exponents = self.cone.integers(np.concatenate([self.active, self.fixed]))
        rows, fixed = table[: len(self.active)], table[len(self.active) :]
        answer = strict_direction(rows, fixed, first=self._likely(limits), is_over=limits.is_over)
        self.attempts.append(SolverRun(solver=RATIONAL_SIMPLEX, status="time limit" if answer is None else "optimal"))
        if not isinstance(answer, Direction):
            return answer
        units = (Fraction(2) ** e for e in exponents)
        return [v / unit for v, unit in zip(answer.vector, units, strict=True)]

    def _is_wide_and_sparse(self, scaled: Floats) -> bool:
        """Return whether nothing is fixed yet and linear programs take long."""
        is_sparse = bool(np.count_nonzero(scaled) <= _MOST_FILLED * scaled.size)
        return is_sparse and not len(self.fixed) and self.cone.width >= _WIDE

    def _of_all_rows(self, scaled: Floats, limits: Limits) -> Circuit | None:
        """Return an exact circuit next to a vertex that positive weights on all rows lead to, or None."""
        weights = balancing_vertex.balancing_vertex(scaled, limits.is_over)
        circuit = None if weights is None else self.circuit(weights, np.ones(len(weights)), limits)
        status = "vertex" if circuit is not None else "no vertex"
        self.attempts.append(SolverRun(solver=balancing_vertex.NAME, status=status))
        return circuit

    def _likely(self, limits: Limits) -> list[int]:
        """Return the positions of rows of large multiplier in the units of the rows, which are likely to decide."""
        scaled = self.cone.scaled(self.active)
        _, weights = self._asked(scaled * _units(scaled)[:, None], self.cone.scaled(self.fixed), limits)
        if weights is None:
            return []
        likely: list[int] = np.argsort(-weights, kind="stable")[: self.cone.width + 1].tolist()
        return likely

    def _asked(self, rows: Floats, fixed: Floats, limits: Limits) -> tuple[Floats | None, Floats | None]:
        """Ask floating point; what is not finite numbers of the right shape is no answer."""
        if limits.is_over():
            return None, None
        solve = self.cone.settings.solve_on_face or highs_lp.solve_on_face
        try:
            v, weights, attempt = solve(rows, fixed, time_limit=limits.seconds_left)
        except Exception as error:  # solvers raise anything, and the rational simplex method follows
            v, weights, attempt = None, None, Candidate.failed("HiGHS", highs_lp.NAME, error).attempt
        self.attempts.append(attempt)
        return numbers(v, rows.shape[1]), numbers(weights, len(rows))

    def direction(self, v: Floats) -> list[Fraction] | None:
        """Return the direction moved exactly onto the face, in the original coordinates; None where that fails."""
        direction = self.cone.home(v)
        if not len(self.fixed):
            return direction
        fixed, exponents = self.cone.integers(self.fixed)
        return onto_face(direction, fixed, exponents, pivot_columns(self.cone.scaled(self.fixed), self.cone.biases))

    def circuit(self, multipliers: Floats, factors: Floats, limits: Limits) -> Circuit | None:
        """Return the exact circuit near the weights of a vertex, divided by factors; or None."""
        with np.errstate(over="ignore"):
            weights = multipliers * factors
        if not (np.isfinite(weights).all() and (weights > 0).any()):
            return None
        support = np.flatnonzero(weights > self.cone.settings.candidate_weight * weights.max())
        if len(support) > self.cone.width + 1 - len(self.fixed) + _SPARE_ROWS:
            return None
        support = support[np.argsort(-weights[support], kind="stable")]
        table, _ = self.cone.integers(np.concatenate([self.active[support], self.fixed]))
        rows, fixed = table[: len(support)], table[len(support) :]
        found = circuit_near(rows, fixed, as_integers(weights[support])[0].tolist(), limits.asked)
        return None if found is None else _in_order(found, support)


def _in_order(circuit: Circuit, support: Rows) -> Circuit:
    """Return the circuit on the positions of the active rows, in increasing order."""
    order = sorted(range(len(circuit.positions)), key=lambda k: support[circuit.positions[k]])
    return Circuit(
        positions=[int(support[circuit.positions[k]]) for k in order],
        weights=[circuit.weights[k] for k in order],
        fixed_weights=circuit.fixed_weights,
    )


def _seems_positive(rows: Floats, v: Floats) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        return bool((rows @ v > 0).all())


def _units(rows: Floats) -> Floats:
    """Return for every row the power of two that brings its greatest entry to about 1."""
    largest = np.abs(rows).max(axis=1)
    exponents = np.frexp(np.where(largest > 0, largest, 1.0))[1]
    return np.ldexp(1.0, -np.maximum(exponents, -_GREATEST_EXPONENT))
