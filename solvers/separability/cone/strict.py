"""One step: a direction on a face that is strictly positive on some rows, or a circuit that excludes it.

Where one circuit at a time would take many steps, the balance of all touching rows is looked for at once.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import balancing_vertex, highs_lp
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.exact.linear import circuit_near, independent_rows, onto_face, pivot_columns
from maxmargin.solvers.exact.simplex import Circuit, StrictDirection, strict_direction
from maxmargin.solvers.problem.candidate import Candidate, SolverRun, numbers
from maxmargin.solvers.separability.cone.cone_rows import ConeRows, StageRows

RATIONAL_SIMPLEX = "rational simplex"

# Largest exponent of a power of two in binary64.
_GREATEST_EXPONENT = 1023

# Smallest number of columns for which linear programs take long; largest density of sparse rows.
_WIDE, _MOST_FILLED = 500, 0.1

# Number of rows by which a candidate circuit may exceed the circuit of a vertex.
_SPARE_ROWS = 8

# Value of min(a_i, 1) above which a row is taken to touch; at a solution it is 0 or 1.
_TOUCHES = 0.5

# Weight, relative to the largest one, up to which a row is left out of the combination of all touching rows.
_CANDIDATE_WEIGHT = 1e-11


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictStage:
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
            v, weights = self._proposed(scaled * factors[:, None], scaled_fixed, limits)
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
        if not isinstance(answer, StrictDirection):
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
        _, weights = self._proposed(scaled * _units(scaled)[:, None], self.cone.scaled(self.fixed), limits)
        if weights is None:
            return []
        likely: list[int] = np.argsort(-weights, kind="stable")[: self.cone.width + 1].tolist()
        return likely

    def _proposed(self, rows: Floats, fixed: Floats, limits: Limits) -> tuple[Floats | None, Floats | None]:
        """Return the direction and the multipliers of the LP in floating point; None for arrays that are not finite."""
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
        found = circuit_near(rows, fixed, as_integers(weights[support])[0].tolist(), limits.stop_check)
        return None if found is None else _in_order(found, support)


def _in_order(circuit: Circuit, support: Rows) -> Circuit:
    """Return the circuit on the positions of the active rows, in increasing order."""
    order = sorted(range(len(circuit.positions)), key=lambda k: support[circuit.positions[k]])
    positions = [int(support[circuit.positions[k]]) for k in order]
    return replace(circuit, positions=positions, weights=[circuit.weights[k] for k in order])


def _seems_positive(rows: Floats, v: Floats) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        return bool((rows @ v > 0).all())


def _units(rows: Floats) -> Floats:
    """Return for every row the power of two that brings its greatest entry to about 1."""
    largest = np.abs(rows).max(axis=1)
    exponents = np.frexp(np.where(largest > 0, largest, 1.0))[1]
    return np.ldexp(1.0, -np.maximum(exponents, -_GREATEST_EXPONENT))


def balance_of_all(
    cone: ConeRows, rows: Rows, limits: Limits, attempts: list[SolverRun]
) -> tuple[list[int], Circuit] | None:
    """Return positive weights that balance on rows which seem to span all that touch, exactly, or None.

    The rows of positive weight in some balance a >= 0, sum a_i z_i = 0 are those that touch; the most of them are found
    by max sum min(a_i, 1). With a basis B of them, minus the sum of B is a combination c >= 0 of them, and a basic one
    has at most as many rows as B: B + c is the balance (Steinitz).
    """
    scaled = cone.scaled(rows)
    shares = highs_lp.largest_support(scaled, attempts, time_limit=limits.seconds_left)
    if shares is None:
        return None
    touching = np.flatnonzero(shares > _TOUCHES)
    if not touching.size:
        return None
    basis = touching[pivot_columns(scaled[touching].T, ())]
    if not basis.size:
        return None
    weights = highs_lp.combination(
        scaled[touching], -scaled[basis].sum(axis=0), attempts, time_limit=limits.seconds_left
    )
    return None if weights is None else _exact(cone, rows, basis, touching, weights, limits)


def _exact(
    cone: ConeRows, rows: Rows, basis: Rows, touching: Rows, weights: Floats, limits: Limits
) -> tuple[list[int], Circuit] | None:
    """Return the basis rows once each, and the exact combination that balances them."""
    is_used = weights > _CANDIDATE_WEIGHT * weights.max(initial=0.0)
    support, weights = touching[is_used], weights[is_used]
    table, _ = cone.integers(rows[np.concatenate([basis, support])])
    of_basis_rows, others = table[: len(basis)], table[len(basis) :]
    # Last comes the sum of the basis, as a row of its own.
    joined = np.vstack([others, of_basis_rows.sum(axis=0)[None, :]])
    found = circuit_near(joined, table[:0], as_integers(np.append(weights, 1.0))[0].tolist(), limits.stop_check)
    if found is None or found.positions[-1] != len(support):
        return None
    *circuit_weights, of_basis = found.weights
    balance = dict.fromkeys(basis.tolist(), of_basis)
    for position, weight in zip(support[found.positions[:-1]].tolist(), circuit_weights, strict=True):
        balance[position] = balance.get(position, 0) + weight
    balancing = rows[list(balance)]
    independent = independent_rows(cone.integers(balancing)[0])
    weights_of = list(balance.values())
    circuit = Circuit(positions=list(balance), weights=weights_of, fixed_weights=[], independent=independent)
    return balancing.tolist(), circuit
