"""Rows and columns in words: the names of columns and of classes, and the values of a column in each class."""

from fractions import Fraction
from typing import Any, NamedTuple

from maxmargin.solvers.answers.answer_text import INTERCEPT
from maxmargin.solvers.separability.details import ColumnRanges
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict


class Side(NamedTuple):
    """The rows of a class, or all other rows.

    Attributes
    ----------
    label : str
        What the labels are called.
    value : str
        The class.
    is_other : bool
        Whether the rows of all other classes are meant.
    """

    label: str
    value: str
    is_other: bool = False

    def __str__(self) -> str:
        return f"{self.label} other than {self.value}" if self.is_other else f"{self.label}={self.value}"

    def of_all(self, n_rows: int, given: str) -> str:
        """Return the sentence that all rows with `given`, of which there are this many, are of this side."""
        if n_rows == 1:
            return f"the only row with {given} has {self}"
        if self.is_other:
            return f"none of the {n_rows:,} rows with {given} has {self.label}={self.value}"
        return f"all {n_rows:,} rows with {given} have {self}"


def called(answer: ProvenVerdict, column: int) -> str:
    """Return the name of a column, or its position in words."""
    name = INTERCEPT if column == answer.n_features else answer.feature_name(column)
    return f"column {name}" if isinstance(name, int) else name


def sides(answer: ProvenVerdict, group: int) -> tuple[Side, Side]:
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


def range_reason(
    ranges: ColumnRanges, column: int, group: int, sign: str, name: str, inside: Side, outside: Side, *, bias: bool
) -> str:
    """Return in words why a column that is a direction by itself separates a class from the other rows.

    Parameters
    ----------
    ranges : ColumnRanges
        The values of the columns.
    column, group, sign
        As in `ColumnRanges.alone`, which has to be True.
    name : str
        The name of the column.
    inside, outside : Side
        The rows of the class, and the others.
    bias : bool
        Whether hyperplanes have a bias.
    """
    first, second = ranges.inside_and_outside(column, group)
    if sign == "-":
        (first, inside), (second, outside) = (second, outside), (first, inside)
    (low, _), (_, high) = first, second
    if not ranges.is_indicator[column]:
        is_strict = low > high and (bias or low > 0 > high)
        separates = f": {name} alone separates them" if is_strict else ""
        values = f"at least {_short(low)} where {inside}, and at most {_short(high)} where {outside}"
        return f"{name} is {values}{separates}"
    ones = int(ranges.n_ones[:, column].sum())
    zeros = int(ranges.n_rows.sum()) - ones
    given, other = (name, f"not {name}") if "=" in name else (f"{name} = 1", f"{name} = 0")
    of_ones, of_zeros = inside.of_all(ones, given), outside.of_all(zeros, other)
    return f"{of_ones}, and {of_zeros}" if low > high else of_ones if low == 0 else of_zeros


def _short(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    return repr(float(value) + 0.0).removesuffix(".0")  # where -0 becomes 0
