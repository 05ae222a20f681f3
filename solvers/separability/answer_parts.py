"""The attributes of a verdict that the words about its terms are made of."""

from dataclasses import dataclass
from typing import Any, Protocol

from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.answers.forms import INTERCEPT, Names
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.separability.details import ColumnSigns, Details, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """A class without rows in a level: its log-odds there can go to minus infinity while no row is on the wrong side.

    Attributes
    ----------
    factor : Factor
        The variable.
    level : str
        The level, which some rows have.
    group : int
        The class, as a number from 0.
    n_rows : int
        The number of rows of the level.
    can_merge : bool
        Whether every class occurs in another level of the variable.
    """

    factor: Factor
    level: str
    group: int
    n_rows: int
    can_merge: bool

    @property
    def is_reference(self) -> bool:
        """Whether the level is the reference, which has no column."""
        return self.level == self.factor.reference

    @property
    def name(self) -> str:
        """What the level is called."""
        return self.factor.level(self.level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the values of the columns say of the infinite terms.

    Attributes
    ----------
    absences : tuple of Absence
        The classes without rows in a level of a variable.
    are_indicators : bool
        Whether every column with an infinite term has no values but 0 and 1.
    together : str
        What the data say where no term has a sign of its own; empty if one has.
    """

    absences: tuple[Absence, ...]
    are_indicators: bool
    together: str


class Answer(Protocol):
    """The attributes of a `Separability` that the words are made of."""

    @property
    def verdict(self) -> Verdict:
        """The verdict."""

    @property
    def bias(self) -> bool:
        """Whether hyperplanes have a bias."""

    @property
    def positive(self) -> Any:
        """The class that is +1."""

    @property
    def negative(self) -> Any:
        """The class that is -1."""

    @property
    def names(self) -> Names:
        """What rows and columns are called."""

    @property
    def n_features(self) -> int | None:
        """The number of columns of X."""

    @property
    def n_inequalities(self) -> int | None:
        """The number of inequalities of more than two classes."""

    @property
    def class_names(self) -> tuple[str, ...] | None:
        """The names of more than two classes."""

    @property
    def touching_rows(self) -> Rows | None:
        """The rows on every hyperplane."""

    @property
    def columns(self) -> ColumnSigns | None:
        """The signs of the coefficients."""

    @property
    def details(self) -> Details | None:
        """The rows."""

    @property
    def findings(self) -> Findings | None:
        """What the values of the columns say."""

    @property
    def remaining_columns(self) -> tuple[int, ...] | None:
        """The coordinates of the finite part, the intercept first."""

    @property
    def infinite_columns(self) -> dict[str | int, str] | None:
        """The infinite coefficients by name."""


def called(answer: Answer, column: int) -> str:
    """Return the name of a column, or its position in words."""
    if column == answer.n_features:
        return INTERCEPT
    return f"column {column}" if answer.names.columns is None else answer.names.columns[column]


def sides(answer: Answer, group: int) -> tuple[Side, Side]:
    """Return the rows of a class, and the others; of two classes 1 is +1."""
    label = answer.names.label or "y"
    if answer.n_inequalities is not None:
        own = answer.class_names[group] if answer.class_names is not None else f"class {group}"
        return Side(label, own), Side(label, own, is_other=True)
    positive, negative = Side(label, "+1"), Side(label, "-1")
    if answer.positive is not None:
        value, is_several = str(answer.positive), answer.negative == "rest"
        positive = Side(label, value)
        negative = Side(label, value, is_other=True) if is_several else Side(label, str(answer.negative))
    return (positive, negative) if group else (negative, positive)
