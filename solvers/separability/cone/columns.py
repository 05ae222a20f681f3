"""The signs of the coordinates over a cone (zero, one sign, or both), which tell the infinite logistic coefficients."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import Limits, OutOfTime
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.exact.dyadic import Integers
from maxmargin.solvers.exact.linear import independent_rows, null_vectors, orthogonal_complement, rescaled
from maxmargin.solvers.exact.simplex import Circuit
from maxmargin.solvers.separability.cone.cone_rows import ConeRows, annihilated, parts
from maxmargin.solvers.separability.cone.decide import Decision, violated_rows
from maxmargin.solvers.separability.cone.strict import StrictStage

POSITIVE, NEGATIVE, EITHER_SIGN = "+", "-", "either sign"

# Number of rows per column to start with: those with the least product with the interior direction.
_FIRST_ROWS_A_COLUMN = 5

# The strategy of HiGHS that starts a program from the solution of the one before, whose objective was another.
_PRIMAL_SIMPLEX = 4

# Modulus of an entry of v that exceeds its bound of 1 by more than any tolerance.
_MOST = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSigns:
    """The signs of every coordinate over the directions of the cone, where aliased columns have the entry 0.

    Attributes
    ----------
    infinite : dict of column to sign
        "+" or "-": the sign in every direction in which the coordinate is not 0; "either sign": both occur.
    finite : tuple of int
        Coordinates that are 0 in every direction.
    aliased : tuple of int
        Columns that depend linearly on those before them; they have no coefficient of their own.
    dimension : int
        Dimension of the cone, modulo the directions that are 0 on every row.
    """

    infinite: dict[int, str]
    finite: tuple[int, ...]
    aliased: tuple[int, ...]
    dimension: int


def later_column_signs(cone: ConeRows, decision: Decision, limits: Limits) -> Callable[[], ColumnSigns | None]:
    """Return a function that finds the signs of the columns, with a time limit of its own; None once that is over."""
    fresh = partial(Limits, time_limit=limits.share(), exact_limit=limits.exact_limit)

    def found() -> ColumnSigns | None:
        try:
            return column_signs(cone, decision, fresh())
        except OutOfTime:
            return None

    return found


def column_signs(cone: ConeRows, decision: Decision, limits: Limits) -> ColumnSigns:
    """Return the sign of every coordinate over the cone, proven.

    A coordinate has one sign if a positive circuit of the rows and its unit vector excludes the other, and both if
    there is a direction with each: the question of separability itself, with one more row.

    Parameters
    ----------
    cone : ConeRows
    decision : Decision
    limits : Limits

    Raises
    ------
    OutOfTime
        Once the time is over.
    """
    order = sorted(range(cone.width), key=lambda column: column not in cone.biases)  # the biases count as the first
    aliased_of = _aliased(cone, order, limits)
    kept = [column for column in order if column not in aliased_of]
    directions = _face_directions(cone, decision, kept, limits)
    finite = tuple(column for position, column in enumerate(kept) if not any(v[position] for v in directions))
    infinite: dict[int, str] = {}
    if len(finite) < len(kept):
        interior = _without(list(decision.direction), aliased_of)
        search = _Opposites(cone, decision, list(aliased_of), limits, interior)
        infinite = {column: search.sign(column) for column in kept if column not in finite}
    aliased = tuple(column for column in order if column in aliased_of)
    return ColumnSigns(infinite=infinite, finite=finite, aliased=aliased, dimension=len(directions))


def _face_directions(
    cone: ConeRows, decision: Decision, kept: Sequence[int], limits: Limits
) -> Sequence[Sequence[int]]:
    """Return a basis of the space that the cone spans, in the columns that are not aliased, each in its own unit."""
    if not decision.basis:
        basis: list[list[int]] = np.eye(len(kept), dtype=np.int64).tolist()
        return basis
    table, _ = cone.integers(np.array(decision.basis, dtype=np.int64))
    return [vector for _, vector in null_vectors(table[:, list(kept)].tolist(), limits.stop_check)]


class _Opposites:
    """Looks for directions in which a coordinate has the opposite sign of the interior direction."""

    def __init__(
        self, cone: ConeRows, decision: Decision, aliased: Sequence[int], limits: Limits, interior: list[Fraction]
    ) -> None:
        self.cone = _WithUnits(cone)
        self.limits = limits
        self.directions = [interior]
        self.separated = np.flatnonzero(~decision.touching)
        units = [self.cone.unit(column, 1) for column in aliased]
        self.fixed = np.array([*decision.basis, *units], dtype=np.int64)
        self.program = _SignProgram(self.cone.scaled(self.fixed))
        self.active = self.separated[:0]
        self._activate(_nearest(cone, interior, self.separated, _FIRST_ROWS_A_COLUMN * cone.width))

    def sign(self, column: int) -> str:
        """Return the sign of a coordinate that is not 0 on the whole cone; raise `OutOfTime` once the time is over."""
        inner = self.directions[0][column]
        if not inner or any(v[column] * inner < 0 for v in self.directions):
            return EITHER_SIGN
        against = self.cone.unit(column, -1 if inner > 0 else 1)
        is_quick = True
        while not self.limits.is_over():
            answer = self._quick_answer(column, against) if is_quick else self._sure_answer(column, against)
            if answer is None:
                if not is_quick:
                    break
                is_quick = False
                continue
            if isinstance(answer, Circuit):
                return POSITIVE if inner > 0 else NEGATIVE
            wrong = violated_rows(self.cone.rows, answer, self.separated)
            if not wrong.size:
                self.directions.append(answer)
                return EITHER_SIGN
            is_quick = is_quick and not np.isin(wrong, self.active).any()
            self._activate(np.setdiff1d(wrong[: self.cone.settings.sign_rows_added], self.active))
        raise OutOfTime

    def _activate(self, rows: Rows) -> None:
        self.active = np.concatenate([self.active, rows])
        if rows.size:
            self.program.add(self.cone.scaled(rows))

    def _quick_answer(self, column: int, against: int) -> list[Fraction] | Circuit | None:
        """Return a circuit, or a direction of the other sign, exactly on the face; both from floats, or None.

        Whether the direction is positive on the active rows is not checked exactly.
        """
        objective = self.cone.scaled(np.array([against]))[0]
        found = self.program.solve(objective, self.limits.seconds_left)
        if found is None:
            return None
        v, multipliers = found
        rows = np.append(self.active, against)
        stage = StrictStage(cone=self.cone, active=rows, fixed=self.fixed)
        if objective @ v > self.cone.settings.opposite:
            return self._towards_the_interior(stage.direction(v), column)
        return stage.circuit(np.append(multipliers, 1.0), np.ones(len(rows)), self.limits)

    def _towards_the_interior(self, direction: list[Fraction] | None, column: int) -> list[Fraction] | None:
        """Return a direction of the other sign, moved inwards until half of the coordinate is left; else None."""
        interior = self.directions[0]
        if direction is None or direction[column] * interior[column] >= 0:
            return None
        share = -direction[column] / interior[column] / 2
        return [a + share * b for a, b in zip(direction, interior, strict=True)]

    def _sure_answer(self, column: int, against: int) -> list[Fraction] | Circuit | None:
        """Return a circuit, or a direction positive on the active rows, by exact arithmetic if floats fail."""
        stage = StrictStage(cone=self.cone, active=np.append(self.active, against), fixed=self.fixed)
        answer = stage.propose(self.limits)
        if answer is None or (isinstance(answer, list) and not self._is_opposite(answer, column)):
            answer = stage.decide(self.limits)
        return answer

    def _is_opposite(self, direction: list[Fraction], column: int) -> bool:
        """Return whether a proposal has the other sign and is positive on the active rows."""
        is_other = direction[column] * self.directions[0][column] < 0
        return is_other and not violated_rows(self.cone.rows, direction, self.active).size


def _nearest(cone: ConeRows, direction: list[Fraction], among: Rows, n_most: int) -> Rows:
    """Return the rows with the least product with a direction, which are likely to bound other directions first."""
    if len(among) <= n_most:
        return among
    least = np.concatenate([lower for _, lower, _ in cone.enclose(direction)])[among]
    return np.sort(among[np.argpartition(least, n_most)[:n_most]])


class _WithUnits:
    """The rows of a cone, followed by signed unit vectors."""

    def __init__(self, rows: ConeRows) -> None:
        self.rows, self.width, self.biases, self.settings = rows, rows.width, rows.biases, rows.settings
        self.units: list[tuple[int, int]] = []

    def unit(self, column: int, sign: int) -> int:
        """Add a signed unit vector and return its position."""
        self.units.append((column, sign))
        return self.rows.n_rows + len(self.units) - 1

    def integers(self, rows: Rows) -> tuple[Integers, list[int]]:
        """Return the vectors in common units of the columns."""
        table, exponents = self.rows.integers(rows[rows < self.rows.n_rows])
        # The unit vectors are times 2**exponent > 0, which changes no question.
        return self._with_units(rows, table, lambda column: np.arange(self.width) == column), exponents

    def scaled(self, rows: Rows) -> Floats:
        """Return the vectors in the scaled coordinates."""
        return self._with_units(rows, self.rows.scaled(rows[rows < self.rows.n_rows]), self.rows.scaled_unit)

    def _with_units(self, rows: Rows, table: NDArray[Any], unit: Callable[[int], NDArray[Any]]) -> NDArray[Any]:
        """Return the vectors, of which the table has all but the unit vectors."""
        is_unit = rows >= self.rows.n_rows
        result = np.zeros((len(rows), self.width), dtype=table.dtype)
        result[~is_unit] = table
        for position in np.flatnonzero(is_unit).tolist():
            column, sign = self.units[int(rows[position]) - self.rows.n_rows]
            result[position] = sign * unit(column)
        return result

    def home(self, direction: Floats) -> list[Fraction]:
        """Return the direction in the original coordinates, exactly."""
        return self.rows.home(direction)


def _aliased(cone: ConeRows, order: Sequence[int], limits: Limits) -> dict[int, list[Fraction]]:
    """Return, for every column that depends on earlier ones, the null vector that is 1 there and 0 at the others.

    These vectors are a basis of the directions that are 0 on every row, which is checked on every row.
    """
    everything = np.arange(cone.n_rows)
    n_first = min(cone.n_rows, 2 * cone.width + cone.settings.alias_spare_rows)
    sample = np.linspace(0, cone.n_rows - 1, n_first).astype(np.int64)
    while True:
        table, exponents = cone.integers(sample)
        if len(independent_rows(table.T)) == cone.width:
            return {}
        vectors = _null_vectors_in(order, table, exponents, limits)
        outside = _not_annihilated(cone, everything, list(vectors.values()))
        if not outside.size:
            return {column: [Fraction(v, vector[column]) for v in vector] for column, vector in vectors.items()}
        sample = np.concatenate([sample, outside])


def _null_vectors_in(
    order: Sequence[int], table: Integers, exponents: Sequence[int], limits: Limits
) -> dict[int, list[int]]:
    """Return, for every column that depends on those before it in the given order, its null vector."""
    back = np.argsort(order).tolist()
    found = null_vectors(table[:, list(order)].tolist(), limits.stop_check)
    return {order[free]: rescaled([vector[position] for position in back], exponents) for free, vector in found}


def _not_annihilated(cone: ConeRows, rows: Rows, vectors: list[list[int]]) -> Rows:
    """Return some rows on which one of the vectors is not 0."""
    for part in parts(rows, cone.settings.exact_rows):
        wrong = part[~annihilated(cone, part, vectors)]
        if wrong.size:
            return np.asarray(wrong[: cone.settings.sign_rows_added])
    return rows[:0]


def _without(direction: list[Fraction], aliased: dict[int, list[Fraction]]) -> list[Fraction]:
    """Return the direction less the null vectors that leave 0 in the aliased columns."""
    result = direction
    for column, vector in aliased.items():
        factor = result[column]
        if factor:
            result = [v - factor * n for v, n in zip(result, vector, strict=True)]
    return result


class _SignProgram:
    """max c.v subject to rows @ v >= 0, fixed @ v = 0, v bounded; each objective starts from the solution before.

    The rows and the objectives are in coordinates in which they have size about 1. Answers are unchecked.

    Parameters
    ----------
    fixed : ndarray (n_fixed, m)
        Eliminated first: v is a combination of an orthonormal basis of their null space.
    """

    def __init__(self, fixed: Floats) -> None:
        import highspy

        self.basis = orthogonal_complement(fixed) if len(fixed) else None
        self.solver = highs_lp.started(None)
        size = fixed.shape[1] - len(fixed)
        self.solver.setOptionValue("simplex_strategy", _PRIMAL_SIMPLEX)
        for _ in range(size):
            self.solver.addVar(-1.0, 1.0)
        self.solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self.size = size

    def add(self, rows: Floats) -> None:
        """Add rows."""
        starts, columns, values = highs_lp.compressed(np.ascontiguousarray(self._inside(rows)))
        starts, columns, n_rows = starts[:-1].astype(np.int32), columns.astype(np.int32), len(rows)
        infinite = np.full(n_rows, highs_lp.infinity())
        self.solver.addRows(n_rows, np.zeros(n_rows), infinite, len(values), starts, columns, values)

    def solve(self, objective: Floats, time_limit: float | None) -> tuple[Floats, Floats] | None:
        """Return a solution v and the multipliers of the rows, both at a vertex; or None."""
        if time_limit is not None:
            self.solver.setOptionValue("time_limit", self.solver.getRunTime() + time_limit)
        costs = self._inside(objective[None, :])[0]
        self.solver.changeColsCost(self.size, np.arange(self.size, dtype=np.int32), costs)
        found = highs_lp.vertex(self.solver)
        if found is None or np.abs(found[0]).max(initial=0.0) > _MOST:
            return None
        v, multipliers = found
        return v if self.basis is None else self.basis @ v, np.abs(multipliers)

    def _inside(self, vectors: Floats) -> Floats:
        """Return vectors in the coordinates of the basis."""
        return vectors if self.basis is None else np.asarray(vectors @ self.basis)
