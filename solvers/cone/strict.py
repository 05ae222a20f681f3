"""One question: is there a direction on a face that is strictly positive on some rows, or a circuit against it?"""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.candidate import Attempt
from maxmargin.solvers.cone.circuits import circuit_near, onto_face, pivot_columns
from maxmargin.solvers.cone.exact_lp import Circuit, Direction, strict_direction
from maxmargin.solvers.cone.limits import Limits
from maxmargin.solvers.cone.rows import ConeRows
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.proof.certificate import without_denominators
from maxmargin.solvers.proof.dyadic import Integers, as_integers

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

RATIONAL_SIMPLEX = "rational simplex"

_CANDIDATE_WEIGHT = 1e-12
"""Relative weight below which a row is left out of a candidate circuit."""

_SPARE_ROWS = 8
"""By how many rows a candidate circuit may exceed that of a vertex."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The integers of the active and the fixed rows, in common units of the columns.

    Attributes
    ----------
    cone : ConeRows
    active : ndarray of int
        Rows that are to be positive.
    fixed : ndarray of int
        Independent rows that are to be 0.
    """

    cone: ConeRows
    active: Rows
    fixed: Rows
    attempts: list[Attempt] = field(default_factory=list)

    def solve(self, limits: Limits) -> list[Fraction] | Circuit | None:
        """Return a direction, positive on the active rows and 0 on the fixed ones, or a circuit, both exact.

        Floating point proposes, exact arithmetic checks; where nothing passes, the rational simplex method decides.
        None once the time is over.
        """
        rows, fixed, exponents = self._integers()
        proposed = self._proposed(rows, fixed, exponents, limits)
        if isinstance(proposed, Circuit | list):
            return proposed
        likely = np.argsort(-proposed, kind="stable")[: rows.shape[1] + 1] if proposed is not None else ()
        answer = strict_direction(rows, fixed, first=[int(row) for row in likely], is_over=limits.is_over)
        self.attempts.append(Attempt(solver=RATIONAL_SIMPLEX, status="time limit" if answer is None else "optimal"))
        if isinstance(answer, Direction):
            units = (Fraction(2) ** e for e in exponents)
            return [v / unit for v, unit in zip(answer.vector, units, strict=True)]
        return answer

    def _integers(self) -> tuple[Integers, Integers, list[int]]:
        table, exponents = self.cone.integers(np.concatenate([self.active, self.fixed]))
        return table[: len(self.active)], table[len(self.active) :], exponents

    def _proposed(
        self, rows: Integers, fixed: Integers, exponents: list[int], limits: Limits
    ) -> list[Fraction] | Circuit | Floats | None:
        """Return a proposal of floating point that is right, else the multipliers, which are likely to be near."""
        scaled, scaled_fixed = self.cone.scaled(self.active), self.cone.scaled(self.fixed)
        multipliers: Floats | None = None
        for factors in (np.ones(len(scaled)), _units(scaled)):
            v, weights, attempt = highs_lp.solve_on_face(
                scaled * factors[:, None], scaled_fixed, time_limit=limits.seconds_left
            )
            self.attempts.append(attempt)
            if weights is not None and (circuit := _circuit(rows, fixed, weights * factors)) is not None:
                return circuit
            if v is not None and (direction := self._direction(v, rows, fixed, exponents, scaled_fixed)) is not None:
                return direction
            multipliers = weights if weights is not None else multipliers
            if (factors == _units(scaled)).all():
                break
        return multipliers

    def _direction(
        self, v: Floats, rows: Integers, fixed: Integers, exponents: list[int], scaled_fixed: Floats
    ) -> list[Fraction] | None:
        """Return the direction moved exactly onto the face, if it is positive on the active rows."""
        direction = self.cone.home(v)
        if len(fixed):
            moved = onto_face(direction, fixed, exponents, pivot_columns(scaled_fixed, self.cone.biases))
            if moved is None:
                return None
            direction = moved
        return direction if (rows.dot(_in_units(direction, exponents)) > 0).all() else None


def _circuit(rows: Integers, fixed: Integers, weights: Floats) -> Circuit | None:
    """Return the exact circuit near the weights of a vertex."""
    if not (weights > 0).any():
        return None
    support = np.flatnonzero(weights > _CANDIDATE_WEIGHT * weights.max())
    if len(support) > rows.shape[1] + 1 - len(fixed) + _SPARE_ROWS:
        return None
    support = support[np.argsort(-weights[support], kind="stable")]
    found = circuit_near(rows[support], fixed, as_integers(weights[support])[0].tolist())
    if found is None:
        return None
    order = sorted(range(len(found.places)), key=lambda k: support[found.places[k]])
    return Circuit(
        places=[int(support[found.places[k]]) for k in order],
        weights=[found.weights[k] for k in order],
        fixed_weights=found.fixed_weights,
    )


def _in_units(direction: list[Fraction], exponents: list[int]) -> Integers:
    """Return integers proportional to the direction, in the units of the integer rows."""
    units = (Fraction(2) ** e for e in exponents)
    return np.array(without_denominators([v * unit for v, unit in zip(direction, units, strict=True)]), dtype=object)


def _units(rows: Floats) -> Floats:
    """Return for every row the power of two that brings its greatest entry to about 1."""
    largest = np.abs(rows).max(axis=1)
    exponents = np.frexp(np.where(largest > 0, largest, 1.0))[1]
    return np.ldexp(1.0, np.minimum(-exponents, np.finfo(np.float64).maxexp - 1))
