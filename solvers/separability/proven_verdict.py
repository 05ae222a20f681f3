"""The verdict on two or more classes with its proof, and the coefficients of a logistic model that are infinite."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from maxmargin.solvers.answers.answer_text import INTERCEPT, Named, through, without_intercepts
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Mask, Rows
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import Samples
from maxmargin.solvers.proof.certificate import Certificate, ClassWitness, CommonHullPoint
from maxmargin.solvers.separability.cone.columns import ColumnSigns
from maxmargin.solvers.separability.details import Details

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
    find_details: Callable[[], Details] | None = None
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
    def details(self) -> Details | None:
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
