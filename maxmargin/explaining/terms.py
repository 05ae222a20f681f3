"""The terms of a logistic regression that separation makes infinite, and why, in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from maxmargin.explaining.levels import OPPOSITE, Absence, absences, reason_of, words_of
from maxmargin.explaining.rows_in_words import called, range_reason, sides
from maxmargin.solvers.answers.answer_text import LISTED_ELSEWHERE, counted, some
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

_MOST_TERMS = 8
"""Largest number of terms of an inequality that is printed."""

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


def findings_of(answer: ProvenVerdict) -> Findings | None:
    """Return the evidence in the columns; None if the infinite terms are not known."""
    if answer.columns is None or answer.details is None:
        return None
    signs, found = answer.columns.infinite, absences(answer)
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


def _reason(answer: ProvenVerdict, findings: Findings, coordinate: int, sign: str) -> str | None:
    """Return why a term is infinite; None if it is in combination with others only."""
    if sign not in OPPOSITE:
        return _EITHER
    of_levels = (reason_of(answer, absence, coordinate, sign) for absence in findings.absences)
    is_intercept = answer.place(coordinate)[1] == answer.n_features
    found = next((reason for reason in of_levels if reason is not None), None)
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
            return range_reason(ranges, column, group, direction, name, *of_classes, bias=answer.bias)
    return None


def _together(answer: ProvenVerdict, of_levels: Sequence[Absence]) -> str:
    """Return the common reason of terms without a sign of their own: a level, a column, or several columns together."""
    assert answer.columns is not None
    if of_levels:
        return words_of(answer, of_levels[0])
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
    total = _sum_of([(weight, called(answer, column)) for column, weight in weights.items()])
    return f"{total} {values}", frozenset(weights)


def _not_spelt_out(number: int, noun: str) -> str:
    return f"a combination of {counted(number, noun)}, whose weights are in the proof (certificate, or --proof FILE)"


def _sum_of(weights: Sequence[tuple[Fraction, str]]) -> str:
    text = ""
    for weight, name in weights:
        size = "" if abs(weight) == 1 else f"{abs(weight)} "
        joined = f"{' ' if text else ''}{'-' if weight < 0 else '+' if text else ''}{' ' if text else ''}"
        text += f"{joined}{size}{name}"
    return text
