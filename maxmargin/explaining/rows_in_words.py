"""Rows and columns in words: names of columns and classes, values of a column, and columns that depend on others."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from maxmargin.solvers.answers.answer_text import INTERCEPT, counted, rounded_up
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.exact.dyadic import round_up
from maxmargin.solvers.separability.details import ColumnRanges
from maxmargin.solvers.separability.near_aliases import GREATEST_DENOMINATOR, NearAlias
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

_MOST_TERMS = 4
"""Largest number of terms of a relation between columns that is spelt out."""


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
    return f"column {name}" if str(name).isdecimal() else str(name)


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
        values = f"at least {_value_text(low)} where {inside}, and at most {_value_text(high)} where {outside}"
        return f"{name} is {values}{separates}"
    ones = int(ranges.n_ones[:, column].sum())
    zeros = int(ranges.n_rows.sum()) - ones
    given, other = (name, f"not {name}") if "=" in name else (f"{name} = 1", f"{name} = 0")
    of_ones, of_zeros = inside.of_all(ones, given), outside.of_all(zeros, other)
    return f"{of_ones}, and {of_zeros}" if low > high else of_ones if low == 0 else of_zeros


def _value_text(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    return repr(float(value) + 0.0).removesuffix(".0")  # where -0 becomes 0


def relation(verdict: ProvenVerdict, alias: NearAlias) -> str:
    """Return the end of a sentence about a nearly aliased column, such as "is 0.1 age up to rounding"."""
    end = f"up to rounding (relative {rounded_up(alias.difference, 1):g})"
    names = [called(verdict, column) for column in alias.weights]
    numbers = [_short_number(abs(weight)) for weight in alias.weights.values()]
    if len(numbers) > _MOST_TERMS or None in numbers:
        return f"depends linearly on {', '.join(names)} {end}"
    total = ""
    for number, name, (column, weight) in zip(numbers, names, alias.weights.items(), strict=True):
        sign = f" {'-' if weight < 0 else '+'} " if total else "-" * (weight < 0)
        is_constant = column == verdict.n_features
        total += sign + " ".join([str(number)] * (number != "1" or is_constant) + [name] * (not is_constant))
    return f"is {total} {end}"


def _short_number(number: Fraction) -> str | None:
    """Return a number of few digits, or with a small denominator, as text; None for any other."""
    decimal = f"{round_up(number):.6g}"
    if Fraction(decimal if decimal != "inf" else 0) == number:
        return decimal
    return str(number) if number.denominator <= GREATEST_DENOMINATOR else None


def near_lines(
    found: Mapping[str | int, str], *, verdict: Verdict, without: Verdict | None, stored: str, most: int
) -> list[str]:
    """Return the text about nearly dependent columns, by name, and about the verdict with and without them."""
    if not found:
        return []
    names = [f"column {name}" if isinstance(name, int) else name for name in found]
    lines = [f"  {printable(f'{name} {words}')}" for name, words in zip(names[:most], found.values(), strict=False)]
    lines += [f"  ... {len(found) - most} more nearly aliased columns (--json lists them)"] * (len(found) > most)
    them = "this column" if len(found) == 1 else f"these {counted(len(found), 'column')}"
    end = " as well" * (without is verdict) + " (proven)" * (without is not Verdict.UNDECIDED)
    return [*lines, f"    the verdict holds for the numbers {stored}; without {them}, the verdict is {without}{end}"]
