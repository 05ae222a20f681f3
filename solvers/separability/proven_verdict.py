"""The verdict on two or more classes with its proof, and the facts about the rows that are the evidence for it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.answer_text import INTERCEPT, Named, through, without_intercepts
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.exact.dyadic import nearest_floats, without_denominators
from maxmargin.solvers.exact.linear import independent_rows, null_vectors, rescaled
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import ClassProblem, Problem, Samples
from maxmargin.solvers.proof.certificate import Certificate, ClassWitness, CommonHullPoint
from maxmargin.solvers.separability.cone.columns import ColumnSigns
from maxmargin.solvers.separability.cone.cone_rows import SignedRows
from maxmargin.solvers.separability.cone.decide import Decision, violated_rows

Attempts = tuple[SolverRun, ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProvenVerdict(Named):
    """The verdict on two or more classes as the solvers prove it.

    `maxmargin.explaining.separability_answer.Separability` adds the words and describes the attributes.
    """

    n_features: int
    verdict: Verdict
    strictly_separable: bool | None
    certificate: Certificate | None
    reason: str
    engine: str
    witness: CommonHullPoint | ClassWitness | None = None
    attempts: Attempts = ()
    separated_rows: Rows | None = None
    touching_rows: Rows | None = None
    partly_separated_rows: Rows | None = None
    find_columns: Callable[[], ColumnSigns | None] | None = None
    find_details: "Callable[[], Details] | None" = None
    n_inequalities: int | None = None
    n_strict: int | None = None
    bias: bool = True
    class_names: tuple[str, ...] | None = None

    @classmethod
    def proven(
        cls, certificate: Certificate, touches: Mask, reason: str, engine: str, attempts: Attempts
    ) -> "ProvenVerdict":
        """Return the answer that a certificate proves; `touches` says which rows lie on every hyperplane."""
        verdict = Verdict(certificate.claim)
        return cls(
            verdict=verdict,
            strictly_separable=verdict is Verdict.SEPARABLE,
            certificate=certificate,
            reason=reason,
            engine=engine,
            attempts=attempts,
            separated_rows=np.flatnonzero(~touches),
            touching_rows=np.flatnonzero(touches),
            n_features=certificate.problem.n_features,
            bias=certificate.problem.bias,
        )

    @classmethod
    def undecided(
        cls,
        samples: Samples,
        witness: CommonHullPoint | ClassWitness | None,
        reason: str,
        engine: str,
        attempts: Attempts,
    ) -> "ProvenVerdict":
        """Return the answer when a limit ends the work: with a witness, the data are not strictly separable."""
        return cls(
            verdict=Verdict.UNDECIDED,
            strictly_separable=None if witness is None else False,
            certificate=witness,
            witness=witness,
            reason=reason,
            engine=engine,
            attempts=attempts,
            n_features=samples.n_features,
            bias=samples.bias,
        )

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        kind = through(self.bias) if self.n_inequalities is None else without_intercepts(self.bias)
        if self.verdict is not Verdict.UNDECIDED:
            return f"{self.verdict.value}{kind} (proven)"
        if self.strictly_separable is False:
            return f"not strictly separable{kind} (proven; quasi-separable or overlap: undecided)"
        return f"undecided{kind}"

    @property
    def proof(self) -> str | None:
        """``"exact"`` where `strictly_separable` is proven, else None."""
        return None if self.certificate is None else "exact"

    @property
    def witness_rows(self) -> Rows | None:
        """The rows of the common hull point, as positions in X; `to_dict` and `to_frame` number those of the source."""
        match self.witness:
            case CommonHullPoint(rows=rows):
                return np.array(rows, dtype=np.int64)
            case ClassWitness(pairs=pairs):
                return np.array(sorted({row for row, _ in pairs}), dtype=np.int64)
        return None

    @cached_property
    def columns(self) -> ColumnSigns | None:
        """The exact signs of all columns over the hyperplanes without a row on the wrong side; found on first use."""
        return None if self.find_columns is None else self.find_columns()

    @cached_property
    def details(self) -> "Details | None":
        """The rows, from which the reasons and the finite part are found; None for an answer from a pickle."""
        return None if self.find_details is None else self.find_details()

    @cached_property
    def remaining_columns(self) -> tuple[int, ...] | None:
        """The coordinates of the finite part, the intercept first; None without the rows, or for more classes."""
        if self.details is None or self.n_inequalities is not None:
            return None
        order = [*([self.n_features] if self.bias else []), *range(self.n_features)]
        return tuple(sorted(self.details.remaining_columns(order), key=order.index))

    @property
    def infinite_columns(self) -> dict[str | int, str] | None:
        """Columns whose logistic coefficient is infinite, with its sign: "+", "-" or "either sign".

        ``"(Intercept)"`` is the bias. With "either sign" the likelihood rises towards its supremum along directions of
        both signs.
        """
        if self.columns is None:
            return None
        return {self._name(column): sign for column, sign in self.columns.infinite.items()}

    @property
    def finite_columns(self) -> tuple[str | int, ...] | None:
        """Columns whose logistic coefficient stays finite."""
        return None if self.columns is None else tuple(map(self._name, self.columns.finite))

    @property
    def aliased_columns(self) -> tuple[str | int, ...] | None:
        """Columns that depend linearly on the bias and the columns before them; the other lists leave them out."""
        return None if self.columns is None else tuple(map(self._name, self.columns.aliased))

    @property
    def dimension(self) -> int | None:
        """Dimension of the cone of hyperplanes without a row on the wrong side, modulo those that contain all rows."""
        return None if self.columns is None else self.columns.dimension

    def place(self, coordinate: int) -> tuple[int, int]:
        """Return the block of a coordinate, which is 0 for two classes, and its column; the bias is the last column."""
        return divmod(coordinate, self.n_features + self.bias)

    def _name(self, column: int) -> str | int:
        block, position = self.place(column)
        name = INTERCEPT if position == self.n_features else self.feature_name(position)
        if self.n_inequalities is None:
            return name
        other = self.class_names[block + 1] if self.class_names is not None else f"class {block + 1}"
        return f"{other}: {name}"

    def feature_name(self, column: int) -> str | int:
        """Return the name of a column of X, or its position."""
        name = column if self.names.columns is None else self.names.columns[column]
        return f"{name} (column {column})" if name == INTERCEPT and self.bias else name


# Facts beside the verdict: ranges of columns, a short inequality, and the columns that stay finite

# Largest number of significant digits of a weight in a short inequality.
_MOST_DIGITS = 6

# Largest number of entries (rows times columns) for which a sparse inequality is looked for, in about a second.
_MOST_ENTRIES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnRanges:
    """The values of every column within every class.

    Attributes
    ----------
    least, greatest : ndarray of shape (n_classes, n_features)
        Floats, or Fractions where the rows are exact numbers beyond binary64.
    n_ones : ndarray of int, of shape (n_classes, n_features)
        Number of rows of the class in which the column is not 0.
    n_rows : ndarray of int, of shape (n_classes,)
        Number of rows of the class.
    is_indicator : ndarray of bool, of shape (n_features,)
        Whether the column has no values but 0 and 1.
    """

    least: NDArray[Any]
    greatest: NDArray[Any]
    n_ones: NDArray[np.int64]
    n_rows: NDArray[np.int64]
    is_indicator: Mask

    def alone(self, column: int, group: int, sign: str, *, bias: bool) -> bool:
        """Return whether the column alone, with this sign, puts no row of a class or of the others on the wrong side.

        Then, for some threshold t (0 without a bias), sign (x - t) >= 0 in all rows of the class, and <= 0 in all
        others.
        """
        inside, outside = self.inside_and_outside(column, group)
        if sign == "-":
            inside, outside = outside, inside
        (low, _), (_, high) = inside, outside
        return bool(low >= high and (bias or low >= 0 >= high))

    def inside_and_outside(self, column: int, group: int) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Return the least and the greatest value of a column in the rows of a class, and those in all other rows."""
        others = np.arange(len(self.n_rows)) != group
        least, greatest = self.least[:, column], self.greatest[:, column]
        return (least[group], greatest[group]), (least[others].min(), greatest[others].max())


@dataclass(frozen=True, kw_only=True, eq=False)
class Details:
    """Facts about the rows of a question beyond its verdict, each of which is computed on first use.

    Attributes
    ----------
    samples : Problem or ClassProblem
        The rows.
    n_classes : int
    cone : SignedRows, optional
        The cone of a question about two classes.
    decision : Decision, optional
        Its decision.
    """

    samples: Problem | ClassProblem
    n_classes: int
    cone: SignedRows | None = None
    decision: Decision | None = None

    @classmethod
    def of_two(cls, cone: SignedRows, decision: Decision) -> "Details":
        """Return the details of a question about two classes."""
        return cls(samples=cone.problem, n_classes=2, cone=cone, decision=decision)

    @cached_property
    def ranges(self) -> ColumnRanges:
        """The values of every column within every class."""
        return _merged([_ranges_of_chunk(self.n_classes, X, codes) for X, codes in self.chunks()])

    def chunks(self) -> Iterator[tuple[NDArray[Any], NDArray[np.int64]]]:
        """Yield the rows, as floats or as Fractions, with the numbers of their classes."""
        if isinstance(self.samples, Problem):
            codes = (np.asarray(self.samples.y) > 0).astype(np.int64)
        else:
            codes = self.samples.codes
        if self.samples.integers is not None:
            units = (Fraction(1),) * self.samples.n_features if self.samples.units is None else self.samples.units.units
            yield np.array(self.samples.integers, dtype=object) * np.array(units, dtype=object), codes
            return
        start = 0
        for X in self.samples.dense_chunks():
            yield X, codes[start : start + len(X)]
            start += len(X)

    def inequality(self, coordinates: Sequence[int]) -> list[Fraction] | None:
        """Return a direction on these coordinates that is positive on all separated rows and 0 on the others.

        Its entries have few digits and many are 0, where such a direction is found; it is checked on all rows in exact
        arithmetic. None if there is none with few digits.
        """
        if self.cone is None or self.decision is None:
            return None
        found = _short_direction(self.cone, self.decision, list(coordinates))
        units, bias = self.samples.units, self.samples.bias
        return found if found is None or units is None else units.direction(found, bias=bias)

    def remaining_columns(self, order: Sequence[int]) -> list[int]:
        """Return the coordinates that are linearly independent on the touching rows, the first ones in this order."""
        if self.cone is None or self.decision is None or not self.decision.basis:
            return []
        table, _ = self.cone.integers(np.array(self.decision.basis, dtype=np.int64))
        return [order[position] for position in independent_rows(table[:, list(order)].T)]


def _ranges_of_chunk(n_classes: int, X: NDArray[Any], codes: NDArray[np.int64]) -> ColumnRanges:
    shape, kind = (n_classes, X.shape[1]), X.dtype
    least, greatest = np.full(shape, np.inf, dtype=kind), np.full(shape, -np.inf, dtype=kind)
    n_ones, n_rows = np.zeros(shape, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    for code in range(n_classes):
        rows = X[codes == code]
        if len(rows):
            least[code], greatest[code] = rows.min(axis=0), rows.max(axis=0)
            n_ones[code], n_rows[code] = (rows != 0).sum(axis=0), len(rows)
    is_indicator = np.asarray(((X == 0) | (X == 1)).all(axis=0), dtype=np.bool_)
    return ColumnRanges(least=least, greatest=greatest, n_ones=n_ones, n_rows=n_rows, is_indicator=is_indicator)


def _merged(parts: Sequence[ColumnRanges]) -> ColumnRanges:
    return ColumnRanges(
        least=np.min([part.least for part in parts], axis=0),
        greatest=np.max([part.greatest for part in parts], axis=0),
        n_ones=np.sum([part.n_ones for part in parts], axis=0),
        n_rows=np.sum([part.n_rows for part in parts], axis=0),
        is_indicator=np.all([part.is_indicator for part in parts], axis=0),
    )


# A direction with few digits


def _short_direction(cone: SignedRows, decision: Decision, coordinates: list[int]) -> list[Fraction] | None:
    separated = np.flatnonzero(~decision.touching)
    basis = _integer_basis(cone, decision, coordinates)
    if not basis:
        return None
    for target in (_sparse(cone, separated, coordinates, basis), _of_decision(decision, coordinates, basis)):
        for digits in range(1, _MOST_DIGITS + 1):
            weights = None if target is None else _rounded(target, digits)
            direction = None if weights is None else _combined(cone.width, coordinates, basis, weights)
            if direction is not None and not violated_rows(cone, direction, separated).size:
                return direction
    return None


def _integer_basis(cone: SignedRows, decision: Decision, coordinates: list[int]) -> list[list[int]]:
    """Return a basis, on these coordinates, of the directions that are 0 on all touching rows."""
    if not decision.basis:
        identity: list[list[int]] = np.eye(len(coordinates), dtype=np.int64).tolist()
        return identity
    table, exponents = cone.integers(np.array(decision.basis, dtype=np.int64))
    own = [exponents[column] for column in coordinates]
    return [rescaled(vector, own) for _, vector in null_vectors(table[:, coordinates].tolist())]


def _sparse(cone: SignedRows, separated: Rows, coordinates: list[int], basis: list[list[int]]) -> Floats | None:
    """Return the combination of the basis with the least weighted sum of moduli that is at least 1 on all rows."""
    if len(separated) * len(coordinates) > _MOST_ENTRIES:
        return None
    problem = cone.problem
    rows = problem.dense_rows(separated)
    rows = np.hstack([rows, np.ones((len(rows), 1))])[:, coordinates] * np.asarray(problem.y)[separated, None]
    with np.errstate(all="ignore"):
        sizes = np.abs(rows).max(axis=0)
        vectors = np.array(basis, dtype=np.float64).T
        products, moduli = rows @ vectors, sizes[:, None] * vectors
    if not (np.isfinite(products).all() and np.isfinite(moduli).all()):
        return None
    return highs_lp.least_moduli(products, moduli)


def _of_decision(decision: Decision, coordinates: list[int], basis: list[list[int]]) -> Floats | None:
    """Return the direction of the decision as a combination of the basis, approximately."""
    target = nearest_floats([decision.direction[column] for column in coordinates])
    with np.errstate(all="ignore"):
        vectors = np.array(basis, dtype=np.float64).T
    if target is None or not np.isfinite(vectors).all():
        return None
    return np.asarray(np.linalg.lstsq(vectors, target, rcond=None)[0])


def _rounded(weights: Floats, digits: int) -> list[Fraction] | None:
    """Return the weights over the greatest of them, each rounded to this number of significant digits."""
    greatest = np.abs(weights).max(initial=0.0)
    if not (0 < greatest < np.inf):
        return None
    return [Fraction(f"{weight / greatest:.{digits - 1}e}") for weight in weights.tolist()]


def _combined(
    width: int, coordinates: list[int], basis: list[list[int]], weights: list[Fraction]
) -> list[Fraction] | None:
    """Return the combination in whole numbers without a common factor; None if they have too many digits."""
    entries = [
        sum((w * v[j] for w, v in zip(weights, basis, strict=True)), Fraction(0)) for j in range(len(coordinates))
    ]
    if not any(entries):
        return None
    direction = [Fraction(0)] * width
    whole = without_denominators(entries)
    for column, entry in zip(coordinates, whole, strict=True):
        direction[column] = Fraction(entry)
    if max(len(str(abs(entry)).rstrip("0")) for entry in whole) > _MOST_DIGITS:
        return None
    return direction
