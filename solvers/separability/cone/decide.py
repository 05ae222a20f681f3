"""Facial reduction in exact arithmetic: which rows of a cone can be strictly positive, and which are always 0.

An older decision, given as a balance and a direction, is rechecked exactly without any search.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.basics.limits import Limits, OutOfTime
from maxmargin.solvers.exact.dyadic import without_denominators
from maxmargin.solvers.exact.linear import independent_rows, null_space, orthogonal_complement
from maxmargin.solvers.exact.simplex import Circuit
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.separability.cone.cone_rows import ConeRows, annihilated, balances, parts
from maxmargin.solvers.separability.cone.strict import StrictStage, balance_of_all
from maxmargin.solvers.separability.cone.witness import exact_circuit

# Number of circuits after which all touching rows are looked for at once.
_STAGES = 8

# Name of the way to a balance where there are no columns.
ZERO_ROWS = "zero rows"

# Number of rows that floating point compares with the span at a time.
_FLOAT_CHUNK = 1 << 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The relative interior of a cone, with the proof that it is all of it.

    Attributes
    ----------
    direction : tuple of Fraction
        0 on the touching rows, positive on the others; all 0 if every row touches.
    touching : ndarray of bool (n_rows,)
        Rows that are 0 on the whole cone.
    balance : dict of row to weight
        Positive weights that balance on touching rows which span them all; empty if no row touches.
    null_space : tuple of vectors
        A basis of the directions that are 0 on these rows.
    basis : tuple of int
        Independent touching rows that span them all.
    circuits : tuple of (rows, Circuit)
        The steps, each a circuit modulo the rows (but the last) of the circuits before it.
    active : ndarray of int
        The separated rows that were active at the end.
    witness : dict of row to weight
        A circuit: positive weights that balance on at most m + 1 rows; empty if no row touches.
    attempts : tuple of SolverRun
    """

    direction: tuple[Fraction, ...]
    touching: Mask
    active: Rows
    balance: dict[int, int] = field(default_factory=dict)
    null_space: tuple[tuple[int, ...], ...] = ()
    basis: tuple[int, ...] = ()
    circuits: tuple[tuple[list[int], Circuit], ...] = ()
    witness: dict[int, int] = field(default_factory=dict)
    attempts: tuple[SolverRun, ...] = ()

    @classmethod
    def separable(cls, direction: tuple[Fraction, ...], cone: ConeRows) -> "Decision":
        """Return the decision by a direction that is positive on all rows."""
        touching, active = np.zeros(cone.n_rows, np.bool_), np.arange(min(cone.n_rows, cone.settings.all_active_rows))
        return cls(direction=direction, touching=touching, active=active)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """The state when the time is over.

    Attributes
    ----------
    witness : dict of row to weight
        A circuit, which excludes a direction positive on all rows; empty if none was found yet.
    attempts : tuple of SolverRun
    """

    witness: dict[int, int]
    attempts: tuple[SolverRun, ...]


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


class _ConeSearch:
    """The state of the search: the face so far, the rows that are active on it."""

    def __init__(self, cone: ConeRows, limits: Limits, start: Rows | None) -> None:
        self.cone = cone
        self.limits = limits
        self.face = Face(cone, limits.stop_check)
        self.active: Rows = np.unique(_first_rows(cone) if start is None else start)
        self.was_active = np.zeros(cone.n_rows, dtype=np.bool_)
        self._activate(self.active)
        self.circuits: list[tuple[list[int], Circuit]] = []
        self.attempts: list[SolverRun] = []
        self.witness: dict[int, int] = {}

    def run(self) -> "Decision | Unfinished":
        """Return the decision, or the state when the time is over."""
        while self._has_active_rows():
            answer, violated = (None, self.active) if self.limits.is_over() else self._of_stage()
            if answer is None:
                return Unfinished(witness=self.witness, attempts=tuple(self.attempts))
            if isinstance(answer, Circuit):
                self.add(self.active[answer.positions].tolist(), answer)
                if len(self.circuits) == _STAGES:
                    self._try_all_at_once()
            elif violated.size:
                self._activate(np.concatenate([self.active, violated[: self.cone.settings.rows_added]]))
            else:
                return self._decision(answer)
        return self._decision(None)

    def _has_active_rows(self) -> bool:
        """Drop the rows that touch, look for others if no row is left, and return whether there are any."""
        self.active = self.active[~self.face.seems_inside[self.active]]
        if not self.active.size:
            self._activate(self._rows_outside()[: self.cone.settings.rows_added])
        return bool(self.active.size)

    def _activate(self, rows: Rows) -> None:
        self.active = rows
        self.was_active[rows] = True

    def _of_stage(self) -> tuple[list[Fraction] | Circuit | None, Rows]:
        """Return a circuit, or a direction with the rows that violate it: none of them active."""
        fixed = np.array(self.face.basis, dtype=np.int64)
        stage = StrictStage(cone=self.cone, active=self.active, fixed=fixed, attempts=self.attempts)
        answer = stage.propose(self.limits)
        violated = self._violated(answer)
        if answer is None or np.isin(violated, self.active).any():
            answer = stage.decide(self.limits)
            violated = self._violated(answer)
        return answer, violated

    def add(self, rows: list[int], circuit: Circuit) -> None:
        """Move to the face on which the rows of a circuit are 0."""
        self.face.add(rows, circuit)
        self.circuits.append((rows, circuit))
        if not self.witness and circuit.independent is None:
            self.witness = dict(zip(rows, circuit.weights, strict=True))

    def _try_all_at_once(self) -> None:
        """Restart from all touching rows, if they are found and their rank exceeds the rank of the circuits so far."""
        found = balance_of_all(self.cone, np.flatnonzero(self.was_active), self.limits, self.attempts)
        if found is not None and len(found[1].independent or ()) > len(self.face.basis):
            self.face, self.circuits = Face(self.cone, self.limits.stop_check), []
            self.add(*found)

    def _rows_outside(self) -> Rows:
        """Return the rows that do not depend on the basis of the face, checked exactly."""
        maybe = np.flatnonzero(~self.face.seems_inside)
        if maybe.size:
            return maybe
        self.face.check(np.arange(self.cone.n_rows))
        return np.flatnonzero(~self.face.seems_inside)

    def _violated(self, direction: list[Fraction] | Circuit | None) -> Rows:
        """Return rows that are negative, or 0 without depending on the basis; in floating point worst first."""
        if not isinstance(direction, list):
            return self.active[:0]
        wrong, unclear, clear = sorted_by_floats(self.cone, direction)
        self.face.seems_inside[clear] = False
        outside = unclear[~self.face.seems_inside[unclear]]
        wrong = np.concatenate([wrong, _not_positive(self.cone, outside, direction)])
        if wrong.size:
            return wrong
        guessed = unclear[self.face.seems_inside[unclear]]
        self.face.check(guessed)
        return _not_positive(self.cone, guessed[~self.face.seems_inside[guessed]], direction)

    def _decision(self, direction: list[Fraction] | None) -> Decision:
        touching = np.zeros(self.cone.n_rows, dtype=np.bool_)
        if self.face.balance:
            touching[self.face.seems_inside] = True
        vectors = self.face.null_space() if self.face.balance else []
        self.witness = self.witness or circuit_of(self.cone, self.face.balance, self.limits.stop_check)
        if not (balances(self.cone, self.face.balance) and balances(self.cone, self.witness)):
            raise ArithmeticError("the weights that were found do not balance")
        return Decision(
            direction=tuple(direction) if direction is not None else (Fraction(0),) * self.cone.width,
            touching=touching,
            balance=self.face.balance,
            null_space=tuple(map(tuple, vectors)),
            basis=tuple(self.face.basis),
            circuits=tuple(self.circuits),
            active=self.active,
            witness=self.witness,
            attempts=tuple(self.attempts),
        )


def decide(
    cone: ConeRows, limits: Limits, *, known: Sequence[tuple[list[int], Circuit]] = (), start: Rows | None = None
) -> Decision | Unfinished:
    """Decide for every row whether it can be strictly positive on the cone {v : z_i.v >= 0}.

    Facial reduction (Borwein and Wolkowicz 1981), every step exact: a direction positive on all rows that are not yet
    proven to touch ends the search; else Gordan's alternative is a positive circuit modulo the span of the touching
    rows, whose rows touch as well. A circuit of k + 1 rows raises the rank by k, so the balance has at most twice the
    rank as rows. If there are many rows, some are active at first, and violated ones join them. If the circuits are
    small and many, all touching rows are looked for at once.

    Parameters
    ----------
    cone : ConeRows
    limits : Limits
    known : sequence of (rows, Circuit)
        Known circuits, as in `Decision.circuits`.
    start : ndarray of int, optional
        Rows that are active at first.

    Returns
    -------
    Decision, or Unfinished once the time is over.
    """
    search = _ConeSearch(cone, limits, start)
    if not cone.width:
        # A row without entries is the zero vector, which balances alone.
        known = [([0], Circuit(positions=[0], weights=[1], fixed_weights=[]))]
        search.attempts.append(SolverRun(solver=ZERO_ROWS, status="found"))
    try:
        for rows, circuit in known:
            search.add(rows, circuit)
        return search.run()
    except OutOfTime:
        return Unfinished(witness=search.witness, attempts=tuple(search.attempts))


def circuit_of(cone: ConeRows, balance: dict[int, int], is_over: Callable[[], bool] | None = None) -> dict[int, int]:
    """Return positive weights that balance on a part of the rows that carries no other such weights (Caratheodory)."""
    if not balance or not cone.width:
        return dict([*balance.items()][:1])
    found = exact_circuit(cone, np.array(list(balance), dtype=np.int64), list(balance.values()), is_over)
    if found is None:
        raise ArithmeticError("the weights that were found do not balance")
    return found


def violated_rows(cone: ConeRows, direction: list[Fraction], among: Rows) -> Rows:
    """Return the rows that are not positive in a direction; in floating point worst first."""
    wrong, unclear, _ = sorted_by_floats(cone, direction)
    is_asked = np.zeros(cone.n_rows, dtype=np.bool_)
    is_asked[among] = True
    return np.concatenate([wrong[is_asked[wrong]], _not_positive(cone, unclear[is_asked[unclear]], direction)])


def sorted_by_floats(cone: ConeRows, direction: list[Fraction]) -> tuple[Rows, Rows, Rows]:
    """Return the rows proven negative (worst first), the rows of unknown sign, and all rows of proven sign."""
    negative: list[Rows] = []
    depth: list[Floats] = []
    is_clear = np.zeros(cone.n_rows, dtype=np.bool_)
    for rows, lower, upper in cone.enclose(direction):
        is_clear[rows] = (lower > 0) | (upper < 0)
        negative.append(rows[upper < 0])
        depth.append(upper[upper < 0])
    worst_first = np.argsort(np.concatenate(depth), kind="stable")
    return np.concatenate(negative)[worst_first], np.flatnonzero(~is_clear), np.flatnonzero(is_clear)


def _not_positive(cone: ConeRows, rows: Rows, direction: list[Fraction]) -> Rows:
    return rows[_exact_signs(cone, rows, direction) <= 0]


def _exact_signs(cone: ConeRows, rows: Rows, direction: list[Fraction]) -> NDArray[np.int64]:
    vector = np.array([without_denominators(direction)], dtype=object).T
    products = [cone.exact_products(part, vector).ravel() for part in parts(rows, cone.settings.exact_rows)]
    return np.concatenate([np.empty(0, dtype=np.int64), *(np.sign(part).astype(np.int64) for part in products)])


def _first_rows(cone: ConeRows) -> Rows:
    """Return all rows if they are few, else a sample, the same on every run."""
    settings = cone.settings
    if cone.n_rows <= settings.all_active_rows:
        return np.arange(cone.n_rows)
    n_first = min(cone.n_rows, settings.first_rows + settings.first_rows_per_column * cone.width)
    return np.sort(np.random.default_rng(0).choice(cone.n_rows, n_first, replace=False))


def recheck(cone: ConeRows, direction: Sequence[Fraction] | None, balance: dict[int, int]) -> Decision | None:
    """Return the decision by a direction and a balance, or None if they do not decide these rows.

    Parameters
    ----------
    cone : ConeRows
    direction : sequence of Fraction, optional
        Must be positive on all rows but the touching ones; without it every row must touch.
    balance : dict of row to weight
        Positive weights, which must balance on rows that span all touching rows. Empty if no row touches.
    """
    n_rows = cone.n_rows
    zero = np.arange(n_rows) if direction is None else _zero_rows(cone, list(direction))
    if zero is None or (zero.size > 0) != bool(balance):
        return None
    if not balance:
        assert direction is not None  # with neither, every row would have to touch
        return Decision.separable(tuple(direction), cone)
    rows = np.array(sorted(balance), dtype=np.int64)
    touching = np.zeros(n_rows, dtype=np.bool_)
    touching[zero] = True
    table, exponents = cone.integers(rows)
    if not touching[rows].all() or not balances(cone, balance):
        return None
    vectors = null_space(table, exponents)
    if not all(annihilated(cone, part, vectors).all() for part in parts(zero, cone.settings.exact_rows)):
        return None
    return Decision(
        direction=tuple(direction) if direction is not None else (Fraction(0),) * cone.width,
        touching=touching,
        balance=balance,
        null_space=tuple(map(tuple, vectors)),
        basis=tuple(rows[independent_rows(table)].tolist()),
        witness=circuit_of(cone, balance),
        active=np.flatnonzero(~touching)[: cone.settings.all_active_rows],
    )


def _zero_rows(cone: ConeRows, direction: list[Fraction]) -> Rows | None:
    """Return the rows on which the direction is 0; None if it is negative on one."""
    negative, unclear, _ = sorted_by_floats(cone, direction)
    if negative.size:
        return None
    signs = _exact_signs(cone, unclear, direction)
    return None if (signs < 0).any() else unclear[signs == 0]
