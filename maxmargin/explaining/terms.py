"""The terms of a logistic regression that separation makes infinite, and why, in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from maxmargin.explaining.absences import Absence, absences_of
from maxmargin.solvers.answers.answer_text import INTERCEPT, LISTED_ELSEWHERE, counted, some
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.separability.proven_verdict import ColumnRanges, ProvenVerdict

OPPOSITE = {"+": "-", "-": "+"}

# Largest number of terms of an inequality that is printed.
_MOST_TERMS = 8

_IN_COMBINATION = "in combination with the others, see below"

_MAY_JOIN = "a small weight may join a combination of the other infinite terms"

_TOGETHER = "infinite only together with other terms"

_AS_ABOVE = "the same"

_EITHER = "it may go to infinity with either sign, or stay at any finite value, while other terms go to infinity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term whose estimate is infinite, or not determined while others are infinite.

    Attributes
    ----------
    name : str or int
        The name of the column, or its position.
    sign : {"+", "-", "either sign"}
        Where the estimate goes. With "either sign" it is not determined: it may go to infinity with either sign, or
        stay at any finite value, while other terms go to infinity.
    reason : str
        The property of the data that makes it infinite.
    is_combined : bool
        Whether the reason is an inequality of several terms.
    """

    name: str | int
    sign: str
    reason: str
    is_combined: bool = False


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
        return f"{self.label} is not {self.value}" if self.is_other else f"{self.label}={self.value}"

    def of_all(self, n_rows: int, given: str) -> str:
        """Return the sentence that all rows with `given`, of which there are this many, are of this side."""
        if n_rows == 1:
            return f"the only row with {given} has {self}"
        if self.is_other:
            return f"none of the {n_rows:,} rows with {given} has {self.label}={self.value}"
        return f"all {n_rows:,} rows with {given} have {self}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The evidence in the columns for the infinite terms.

    Attributes
    ----------
    absences : tuple of Absence
        The classes without rows in a level of a variable.
    are_indicators : bool
        Whether every column with an infinite term has no values but 0 and 1.
    together : str
        The common reason if no term has a sign of its own; empty if one has.
    """

    absences: tuple[Absence, ...]
    are_indicators: bool
    together: str


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


def findings_of(answer: ProvenVerdict) -> Findings | None:
    """Return the evidence in the columns; None if the infinite terms are not known."""
    if answer.columns is None or answer.details is None:
        return None
    has_levels = answer.names.factors or any(":" in str(name) for name in answer.names.columns or ())
    signs, found = answer.columns.infinite, absences_of(answer) if has_levels else ()
    columns = sorted({answer.place(coordinate)[1] for coordinate in signs} - {answer.n_features})
    return Findings(
        absences=found,
        are_indicators=not columns or bool(answer.details.ranges.is_indicator[columns].all()),
        together="" if not signs or any(sign in OPPOSITE for sign in signs.values()) else _together(answer, found),
    )


def terms_of(answer: ProvenVerdict, findings: Findings) -> tuple[Term, ...]:
    """Return the infinite terms with their reasons."""
    assert answer.columns is not None
    names = answer.infinite_columns or {}
    signs, terms = answer.columns.infinite, list[Term]()
    reasons = [_reason(answer, findings, coordinate, sign) for coordinate, sign in signs.items()]
    combined, members = _combination(answer) if None in reasons else ("", frozenset())
    for (coordinate, sign), name, reason in zip(signs.items(), names, reasons, strict=True):
        is_member = reason is None and (not members or coordinate in members)
        found = combined if is_member else reason or _MAY_JOIN
        terms.append(Term(name=name, sign=sign, reason=found, is_combined=is_member))
    return tuple(terms)


def terms_lines(answer: ProvenVerdict, terms: Sequence[Term], findings: Findings | None, most: int) -> list[str]:
    """Return a line for each of the first terms with a sign, one for a combination, and one for the other terms."""
    contrast = f"contrasts with {printable(answer.class_names[0])}" if answer.class_names else ""
    signed = [term for term in terms if term.sign in OPPOSITE]
    if signed:
        lines = [f"  infinite coefficients{contrast and f', as {contrast}'}", *_signed_lines(signed, most)]
    else:
        which = f"the coefficients{contrast and f' ({contrast})'}"
        together = "" if findings is None else findings.together
        lines = [f"  {which} go to infinity together: {printable(together)}"]
    either = [term.name for term in terms if term.sign not in OPPOSITE]
    if either:
        said = "each may go to infinity with either sign, or stay at any finite value, while others go to infinity"
        lines.append(f"  not determined ({said}): {some(either, most, LISTED_ELSEWHERE)}")
    return lines


def _signed_lines(terms: Sequence[Term], most: int) -> list[str]:
    names = [printable(str(term.name)) for term in terms[:most]]
    width = max(map(len, names), default=0)
    counts = Counter(term.reason for term in terms if term.is_combined)
    lines, before = list[str](), ""
    for name, term in zip(names, terms, strict=False):
        reason = printable(term.reason) if counts[term.reason] < 2 else _IN_COMBINATION
        is_again = reason == before and reason not in (_IN_COMBINATION, _TOGETHER, _MAY_JOIN)
        lines.append(f"    {name:<{width}}  {term.sign}  {_AS_ABOVE if is_again else reason}")
        before = reason
    more = len(terms) - len(names)
    lines += [f"    ... {LISTED_ELSEWHERE.format(more=more)}"] if more else []
    return lines + [f"    the combination: {printable(reason)}" for reason, count in counts.items() if count > 1]


def _reason_of_absence(answer: ProvenVerdict, absence: Absence, coordinate: int, sign: str) -> str | None:
    """Return the reason in words if an absence sends this coordinate to infinity with this sign; else None."""
    block, column = answer.place(coordinate)
    weight = absence.moves.get(column, 0) * (-1 if absence.group else 1)
    if absence.group not in (0, block + 1) or not weight or (weight > 0) != (sign == "+"):
        return None
    return _words_of_absence(answer, absence)


def _words_of_absence(answer: ProvenVerdict, absence: Absence) -> str:
    """Return the sentence about the rows in which a class does not occur."""
    side = sides(answer, absence.group)[1]
    return side.of_all(absence.n_rows, f"{absence.name}{', the reference level,' * absence.is_reference}")


def _reason(answer: ProvenVerdict, findings: Findings, coordinate: int, sign: str) -> str | None:
    """Return why a term is infinite; None if it is in combination with others only."""
    if sign not in OPPOSITE:
        return _EITHER
    of_absences = (_reason_of_absence(answer, absence, coordinate, sign) for absence in findings.absences)
    is_intercept = answer.place(coordinate)[1] == answer.n_features
    found = next((reason for reason in of_absences if reason is not None), None)
    if found is not None or is_intercept:
        return found or _TOGETHER
    return _alone(answer, coordinate, sign)


def _alone(answer: ProvenVerdict, coordinate: int, sign: str) -> str | None:
    """Return the reason of a term whose column alone separates, in the direction of the sign; else None."""
    assert answer.details is not None
    block, column = answer.place(coordinate)
    ranges = answer.details.ranges
    groups = [(1, sign)]
    if answer.n_inequalities is not None:
        groups = [(block + 1, sign), (0, OPPOSITE[sign])]
    for group, direction in groups:
        if ranges.alone(column, group, direction, bias=answer.bias):
            name, of_classes = called(answer, column), sides(answer, group)
            return _range_reason(ranges, column, group, direction, name, *of_classes, bias=answer.bias)
    return None


def _range_reason(
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


def _together(answer: ProvenVerdict, of_levels: Sequence[Absence]) -> str:
    """Return the common reason of terms without a sign of their own: a level, a column, or several columns together."""
    assert answer.columns is not None
    if of_levels:
        return _words_of_absence(answer, of_levels[0])
    for coordinate in answer.columns.infinite:
        if answer.place(coordinate)[1] == answer.n_features:
            continue
        for sign in OPPOSITE:
            if (found := _alone(answer, coordinate, sign)) is not None:
                return found
    return _combination(answer)[0]


def _combination(answer: ProvenVerdict) -> tuple[str, frozenset[int]]:
    """Return the inequality that infinite terms satisfy together, in short numbers if there are such, and its columns.

    No columns are returned for an inequality that is not spelt out.
    """
    assert answer.columns is not None and answer.details is not None
    coordinates = list(answer.columns.infinite)
    direction = answer.details.inequality(coordinates) if coordinates else None
    if direction is None:
        return _not_spelt_out(len(coordinates), "term"), frozenset()
    weights = {column: direction[column] for column in range(answer.n_features) if direction[column]}
    if len(weights) > _MOST_TERMS:
        return _not_spelt_out(len(weights), "column"), frozenset()
    threshold = -direction[answer.n_features] if answer.bias else Fraction(0)
    inside, outside = sides(answer, 1)
    values = f"is at least {threshold} where {inside}, and at most {threshold} where {outside}"
    if answer.verdict is Verdict.SEPARABLE:
        values = f"is above {threshold} where {inside}, and below {threshold} where {outside}"
    sizes = {column: f"{abs(weight)} " if abs(weight) != 1 else "" for column, weight in weights.items()}
    total = sum_of([(weight, sizes[column] + called(answer, column)) for column, weight in weights.items()])
    return f"{total} {values}", frozenset(weights)


def _not_spelt_out(number: int, noun: str) -> str:
    return f"a combination of {counted(number, noun)}, whose weights are in the proof (certificate, or --proof FILE)"


def sum_of(terms: Sequence[tuple[Fraction, str]]) -> str:
    """Return the sum of terms that are written without their signs, which are those of the given weights."""
    first, *others = (("-" if weight < 0 else "+", text) for weight, text in terms)
    return " ".join([first[0].strip("+") + first[1], *(f"{sign} {text}" for sign, text in others)])
