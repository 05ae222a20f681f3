"""The terms of a logistic regression that separation makes infinite: why, in words, and what to do about them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from maxmargin.solvers.answers.forms import Names, counted, intercept, some
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.printable import shown
from maxmargin.solvers.separability.details import ColumnSigns, Details

OPPOSITE = {"+": "-", "-": "+"}

_MOST_TERMS = 8
"""Largest number of terms of an inequality that is printed."""

_MOST_NAMED = 6
"""Largest number of levels that a line of advice names."""

_IN_COMBINATION = "in combination with the others, see below"

_MAY_JOIN = "a small weight may join a combination of the other infinite terms"

_THE_INTERCEPT = "it moves with the other infinite terms"


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
    def infinite_columns(self) -> dict[str | int, str] | None:
        """The infinite coefficients by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term whose estimate is infinite.

    Attributes
    ----------
    name : str or int
        The name of the column, or its position.
    sign : {"+", "-", "either sign"}
        Where the estimate goes.
    reason : str
        What the data say that makes it infinite.
    is_combined : bool
        Whether the reason is an inequality of several terms.
    """

    name: str | int
    sign: str
    reason: str
    is_combined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FinitePart:
    """The rows and columns on which the finite part of the maximum-likelihood estimate is fitted.

    The likelihood approaches its supremum where the strictly separated rows have probability 1, so they say nothing
    about the rest. The other rows overlap. Their maximum-likelihood estimate exists, and is the limit for the terms
    that stay finite [1]_.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The rows that touch every hyperplane, in the columns that are linearly independent there; without the intercept.
    y : ndarray of int, of shape (n_rows,)
        1 for the event, the class +1, and 0 for the other.
    rows : ndarray of int
        The positions of the rows in the data that were asked about.
    columns : tuple of str or int
        The names of the columns, or their positions.
    left_out : tuple of str or int
        The columns that are constant or depend linearly on those before them in these rows.
    has_intercept : bool
        Whether the model of this part has an intercept.
    names : Names
        What the rows and columns are called.

    References
    ----------
    .. [1] C. J. Geyer, "Likelihood inference in exponential families and directions of recession", Electronic Journal
       of Statistics 3 (2009), 259-289.
    """

    X: Any
    y: Any
    rows: Rows
    columns: tuple[str | int, ...]
    left_out: tuple[str | int, ...]
    has_intercept: bool
    names: Names

    def to_frame(self) -> Any:
        """Return the part as a data frame with the labels, 0 and 1, as its last column."""
        columns = {str(name): self.X[:, j] for j, name in enumerate(self.columns)}
        assert self.names.frame is not None  # answers of verbs have one
        return self.names.frame({**columns, self.names.label or "y": self.y})

    def __repr__(self) -> str:
        model = " and an intercept" if self.has_intercept else ""
        rows = counted(len(self.rows), "row")
        return f"<FinitePart {rows}, {counted(len(self.columns), 'column')}{model}>"


def terms_of(answer: Answer) -> tuple[Term, ...] | None:
    """Return the infinite terms with their reasons; None if they are not known."""
    if answer.columns is None or answer.details is None or answer.n_features is None:
        return None
    names = answer.infinite_columns or {}
    signs, terms = answer.columns.infinite, list[Term]()
    reasons = [_reason(answer, coordinate, sign) for coordinate, sign in signs.items()]
    combined, members = _combination(answer) if None in reasons else ("", frozenset())
    for (coordinate, sign), name, reason in zip(signs.items(), names, reasons, strict=True):
        is_member = reason is None and (not members or coordinate in members)
        found = combined if is_member else reason or _MAY_JOIN
        terms.append(Term(name=name, sign=sign, reason=found, is_combined=is_member))
    return tuple(terms)


def _infinite_levels(answer: Answer) -> list[str]:
    """Return the names of the levels of categories that have an infinite term, in whatever class."""
    if answer.columns is None or answer.n_features is None:
        return []
    columns = dict.fromkeys(coordinate % (answer.n_features + answer.bias) for coordinate in answer.columns.infinite)
    names = [_called(answer, column) for column in columns if column < answer.n_features]
    return [name for name in names if "=" in name or "[" in name]


def terms_lines(terms: Sequence[Term], most: int) -> list[str]:
    """Return a line for each of the first terms, and one for the combination of several."""
    names = [shown(str(term.name)) for term in terms[:most]]
    width = max(map(len, names), default=0)
    width_of_sign = max((len(term.sign) for term in terms[:most]), default=0)
    counts = Counter(term.reason for term in terms if term.is_combined)
    lines = [
        f"    {name:<{width}}  {term.sign:<{width_of_sign}}  "
        f"{shown(term.reason) if counts[term.reason] < 2 else _IN_COMBINATION}"
        for name, term in zip(names, terms, strict=False)
    ]
    more = len(terms) - len(names)
    lines += [f"    ... {more} more (--json and to_frame() list them)"] if more else []
    return lines + [f"    the combination: {shown(reason)}" for reason, count in counts.items() if count > 1]


def _reason(answer: Answer, coordinate: int, sign: str) -> str | None:
    """Return why a term is infinite by itself; None if it is in combination with others only."""
    assert answer.details is not None and answer.n_features is not None
    block, column = divmod(coordinate, answer.n_features + answer.bias)
    if column == answer.n_features:
        return _THE_INTERCEPT
    ranges, called = answer.details.ranges, _called(answer, column)
    signs = (sign,) if sign in OPPOSITE else tuple(OPPOSITE)
    groups = [(1, sign) for sign in signs]
    if answer.n_inequalities is not None:
        groups = [(block + 1, sign) for sign in signs] + [(0, OPPOSITE[sign]) for sign in signs]
    for group, direction in groups:
        if ranges.alone(column, group, direction, bias=answer.bias):
            return ranges.reason(column, group, direction, called, *_sides(answer, group))
    return None


def _called(answer: Answer, column: int) -> str:
    return f"column {column}" if answer.names.columns is None else answer.names.columns[column]


def _sides(answer: Answer, group: int) -> tuple[str, str]:
    """Return what the rows of a class have, and what the others have."""
    label = answer.names.label or "y"
    if answer.n_inequalities is not None:
        own = answer.class_names[group] if answer.class_names is not None else f"class {group}"
        return f"{label}={own}", f"{label} other than {own}"
    if answer.positive is None:
        return f"{label}=+1", f"{label}=-1"
    other = f"{label} other than {answer.positive}" if answer.negative == "rest" else f"{label}={answer.negative}"
    return f"{label}={answer.positive}", other


def _combination(answer: Answer) -> tuple[str, frozenset[int]]:
    """Return the inequality that infinite terms satisfy together, in short numbers if there are such, and its columns.

    No columns are returned for an inequality that is not spelt out.
    """
    assert answer.columns is not None and answer.details is not None and answer.n_features is not None
    coordinates = list(answer.columns.infinite)
    direction = answer.details.inequality(coordinates) if coordinates else None
    if direction is None:
        return f"a combination of {counted(len(coordinates), 'term')}; the proof has its weights", frozenset()
    weights = {column: direction[column] for column in range(answer.n_features) if direction[column]}
    if len(weights) > _MOST_TERMS:
        return f"a combination of {counted(len(weights), 'column')}; the proof has its weights", frozenset()
    threshold = -direction[answer.n_features] if answer.bias else Fraction(0)
    inside, outside = _sides(answer, 1)
    sides = f"is at least {threshold} where {inside}, and at most {threshold} where {outside}"
    if answer.verdict is Verdict.SEPARABLE:
        sides = f"is above {threshold} where {inside}, and below {threshold} where {outside}"
    total = _sum_of([(weight, _called(answer, column)) for column, weight in weights.items()])
    return f"{total} {sides}", frozenset(weights)


def _sum_of(weights: Sequence[tuple[Fraction, str]]) -> str:
    text = ""
    for weight, name in weights:
        size = "" if abs(weight) == 1 else f"{abs(weight)} "
        joined = f"{' ' if text else ''}{'-' if weight < 0 else '+' if text else ''}{' ' if text else ''}"
        text += f"{joined}{size}{name}"
    return text


def finite_part_of(answer: Answer) -> FinitePart:
    """Return the rows and columns that remain; the answer is about two classes and has its rows."""
    assert answer.details is not None and answer.touching_rows is not None and answer.n_features is not None
    intercept = answer.n_features
    order = [*([intercept] if answer.bias else []), *range(answer.n_features)]
    kept = answer.details.remaining_columns(order)
    columns = sorted(column for column in kept if column != intercept)
    problem = answer.details.samples
    rows = answer.touching_rows
    called = (lambda j: j) if answer.names.columns is None else answer.names.columns.__getitem__
    return FinitePart(
        X=problem.dense_rows(rows)[:, columns],
        y=(np.asarray(problem.y)[rows] > 0).astype(np.int64),  # type: ignore[union-attr]
        rows=rows,
        columns=tuple(map(called, columns)),
        left_out=tuple(called(j) for j in range(answer.n_features) if j not in kept),
        has_intercept=intercept in kept,
        names=answer.names,
    )


def next_steps(answer: Answer, *, with_columns: bool) -> list[str]:
    """Return what a statistician can do about separated data, with the calls."""
    is_multinomial = answer.n_inequalities is not None
    steps = [
        "penalise, which makes every estimate finite: Firth's penalty,",
        "  firthmodels.FirthLogisticRegression().fit(X, y), or a ridge, LogisticRegression(C=1.0).fit(X, y)",
    ]
    if is_multinomial:
        steps = [
            "penalise, which makes every estimate finite: a ridge, LogisticRegression(C=1.0).fit(X, y), or the",
            "  reduction of bias of R's brglm2, brmultinom(y ~ x, data)",
        ]
    levels = _infinite_levels(answer) if with_columns else []
    if levels:
        steps.append(f"merge with another level, or drop: {some(levels, _MOST_NAMED, '{more} more')}; then check again")
    if is_multinomial:
        return steps
    steps += [
        "condition on the other terms: exact logistic regression (exlogistic in Stata, EXACT in SAS), whose one-sided",
        "  intervals are finite; with strata, statsmodels' ConditionalLogit(y, X, groups=strata)",
    ]
    if answer.touching_rows is None:
        return steps
    if answer.verdict is Verdict.SEPARABLE:
        return [*steps, "if a rule that predicts is enough: maxmargin.hard_margin(X, y) is farthest from all rows"]
    model, overlapping = intercept(answer.bias), counted(len(answer.touching_rows), "row")
    return [
        *steps,
        f"fit the finite part{model}, on the {overlapping} that overlap: in Python, with the answer of",
        "  maxmargin.separability(X, y), part = answer.finite_part(); part.X, part.y",
    ]
