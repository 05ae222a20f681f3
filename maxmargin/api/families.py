"""Questions about the likelihood of a model, asked before a fit: from data, responses and weights to an answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxmargin.api.question import COUNTS, SURVIVAL, Question, names_of, parts_of, separability_of, whole_data
from maxmargin.data.dataset import Dataset, DecimalReading, is_matrix
from maxmargin.data.labels import LabelError, Labels, encode, positive_class
from maxmargin.data.numbers.binary64 import array_of
from maxmargin.data.reading.arrays import (
    Modelled,
    binary64_numbers,
    features_and_labels,
    features_of,
    index_of_rows,
    label_name_of,
    labels_of,
    refused_labels,
)
from maxmargin.data.reading.formulas import column_names
from maxmargin.data.sources.frames import column_of, is_from_table_library, library_of, name_of
from maxmargin.solvers.answers.answer_text import INTERCEPT, Names
from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError, option
from maxmargin.solvers.exact.dyadic import as_dense
from maxmargin.solvers.problem.row_weights import numbers_of_rows
from maxmargin.solvers.proof.checker import OF_ROWS, RESPONSES, TIES
from maxmargin.solvers.proof.likelihood import Likelihood
from maxmargin.text.data_error import DataError, listed, nearest, quoted

if TYPE_CHECKING:
    from maxmargin.explaining.family_answer import FamilySeparability

# The options that each family takes beside weights.
FAMILIES: dict[str, tuple[str, ...]] = {
    "binomial": ("trials",),
    "poisson": (),
    "multinomial": (),
    "ordinal": ("levels",),
    "conditional": ("strata",),
    "cox": ("status", "entry", "strata", "ties"),
}


@dataclass(frozen=True, kw_only=True)
class FamilyOptions:
    """The family of a model, and what its likelihood depends on beside rows and responses.

    Attributes
    ----------
    family : str, optional
        None asks about classes.
    columns : dict of str to str or array_like
        Those of ``checker.OF_ROWS`` that are given: names of columns of the data frame, or a value for every row.
    ties : str, optional
    levels : sequence, optional
        The classes of an ordered response in their order.
    """

    family: str | None
    columns: Mapping[str, Any] = field(default_factory=dict)
    ties: str | None = None
    levels: Sequence[Any] | None = None

    @classmethod
    def of(cls, family: str | None, ties: str | None, levels: Sequence[Any] | None, **columns: Any) -> "FamilyOptions":
        """Return checked options.

        Raises
        ------
        InvalidOptionError
            If there is no such family, or it does not take one of the options.
        """
        if family is not None and family not in FAMILIES:
            raise InvalidOptionError(f"{option('family')} is {family!r}; expected one of {', '.join(FAMILIES)}")
        given = {name: value for name, value in columns.items() if value is not None}
        others = [*given, *(name for name, value in (("ties", ties), ("levels", levels)) if value is not None)]
        for name in others:
            if name != "weights" and name not in FAMILIES.get(family or "", ()):
                takes = [one for one, options in FAMILIES.items() if name in options]
                raise InvalidOptionError(f"{option(name)} is for the family {' and '.join(takes)}")
        if ties is not None and ties not in TIES:
            raise InvalidOptionError(f"{option('ties')} is {ties!r}; expected one of {', '.join(TIES)}")
        if family == "conditional" and "strata" not in given:
            raise InvalidOptionError(
                f"{option('strata')} is missing; a conditional likelihood compares rows of a stratum"
            )
        return cls(family=family, columns=given, ties=ties or (TIES[1] if family == "cox" else None), levels=levels)

    @classmethod
    def of_proof(cls, document: Mapping[str, Any], **columns: Any) -> "FamilyOptions | None":
        """Return the options that a proof states; None if it is about classes, all rows of which count."""
        data, question = document["data"], document["question"]
        given = {name: data.get(name) if columns.get(name) is None else columns[name] for name in OF_ROWS}
        family = question if question in RESPONSES else None
        if family is None and given["weights"] is None:
            return None
        levels = data.get("classes") if question == "ordinal" else None
        named = {name: value for name, value in given.items() if value is not None}
        return cls(family=family, columns=named, ties=data.get("ties"), levels=levels)

    def bias_of(self, document: Mapping[str, Any]) -> bool | None:
        """Return whether the model of a proof has a constant, if its family leaves the choice."""
        return document["data"]["bias"] if self.family in (None, "binomial", "poisson") else None


@dataclass(frozen=True, kw_only=True)
class FamilyQuestion:
    """A question about a likelihood, or about classes of rows that have a weight.

    Attributes
    ----------
    options : FamilyOptions
    dataset : Dataset
        The rows that have a weight, with their responses as labels.
    bias : bool
        Whether the model has a constant.
    kept : ndarray of int
        The positions of these rows in the data.
    names : Names
        The names of the rows of the data, and of the columns.
    strata : sequence, optional
        The stratum of each of the rows.
    likelihood : Likelihood, optional
        None if the question is about classes.
    event : str
        What the response is, in a phrase.
    """

    options: FamilyOptions
    dataset: Dataset
    bias: bool
    kept: Rows
    names: Names
    strata: Sequence[Any] | None
    likelihood: Likelihood | None = None
    event: str = ""

    @classmethod
    def of(
        cls, X: Any, y: Any, options: FamilyOptions, *, bias: bool | None = None, positive: object = None
    ) -> "FamilyQuestion":
        """Return the question about these data.

        Raises
        ------
        InvalidProblemError
            If the responses or the columns are not those of the family.
        InvalidOptionError
            If an option does not fit the data.
        """
        ids, source, library = index_of_rows(X), name_of(X), library_of(X)
        X, y, columns, kept = _weighted(X, y, options)
        if "strata" in columns:
            columns["strata"] = _encoded(columns["strata"], len(kept), "strata")
        strata = columns["strata"].tolist() if "strata" in columns else None
        own: dict[str, Any] = {"options": options, "kept": kept, "strata": strata}
        in_classes = options.family in (None, "multinomial")
        if in_classes or (options.family == "binomial" and not {"trials", "failures"} & {*columns}):
            question = Question.of(X, y, bias=bias, positive=positive)
            dataset = replace(question.dataset, read_as=_stated(question.dataset.read_as, options))
            names = replace(question.names, ids=ids, positions=None)
            return cls(dataset=dataset, bias=question.bias, names=names, **own)
        table = parts_of(X, y, bias=bias)
        found = features_of(table.features, None, has_intercept=table.has_intercept, needs_columns=table.needs_columns)
        if found.exact is not None or not is_matrix(found.X):
            raise InvalidProblemError("X holds numbers that binary64 does not hold, or rows outside memory")
        posed = _posed(table, columns, options, as_dense(found.X), positive)
        notes, factors = (*table.notes, *found.notes), (*table.factors, *found.factors)
        dataset = Dataset(
            X=posed.likelihood.X, y=posed.likelihood.responses[:, 0], labels=posed.likelihood.responses[:, 0],
            classes=posed.classes, positive=None, negative=None, feature_names=found.names, label_name=posed.label,
            source=source, notes=notes, factors=factors, read_as=_stated(table.read_as, options), library=library,
        )  # fmt: skip
        named: Any = found.names if hasattr(table.features, "columns") else range(len(found.names))
        names = replace(names_of(dataset), ids=ids, columns=[*posed.tail, *named])
        likelihood, event = posed.likelihood, posed.event
        return cls(dataset=dataset, bias=likelihood.bias, names=names, likelihood=likelihood, event=event, **own)

    def answer(self, limits: Limits, **how: Any) -> "FamilySeparability":
        """Return the answer; `how` are further options of `separability`."""
        from maxmargin.explaining.family_answer import FamilySeparability

        names, dataset, bias, likelihood = self.names, self.dataset, self.bias, self.likelihood
        if likelihood is not None:
            if how.pop("method", "auto") != "auto" or how.pop("solver", None) is not None:
                raise InvalidOptionError("a likelihood is decided by one engine: leave method and solver out")
            read_as = {**(likelihood.read_as or {}), **dataset.stated_reading}
            likelihood = replace(likelihood, read_as=read_as)
            signed_rows, signs = likelihood.signed_rows()
            stated = Modelled(features=signed_rows, labels=signs, has_intercept=False, needs_columns=False)
            dataset = features_and_labels(stated, positive=None, source="array", feature_names=names.columns)
            bias = False
            names = replace(names, label=names.label if likelihood.question in _SIDES else None)
        reading = DecimalReading.of(dataset)
        inner = separability_of(dataset, reading, names, bias=bias, time_limit=limits.share(), **how)
        if likelihood is not None:
            positive, negative = _SIDES.get(likelihood.question, (None, None))
            inner = replace(inner, positive=positive, negative=negative, positive_reason=None)
        family = self.options.family or ("binomial" if dataset.is_binary else "multinomial")
        return FamilySeparability.about(
            inner, family, self.kept, likelihood=likelihood, strata=self.strata, event=self.event, names=names
        )


# What the rows are called that have the sign + and the sign - where the inequalities are rows of the data.
_SIDES = {"poisson": ("1 or more", "0"), "binomial": ("a success", "a failure")}


class _Posed(NamedTuple):
    """A likelihood, the names of its coefficients beside the columns, and its response in words."""

    likelihood: Likelihood
    tail: list[str]
    label: str
    event: str
    classes: tuple[Any, ...] = ()


def _posed(table: Modelled, columns: Mapping[str, Any], options: FamilyOptions, X: Floats, positive: object) -> _Posed:
    n, label, question = len(X), label_name_of(table), str(options.family)
    pose = partial(Likelihood, question=question, X=X)
    if question == "ordinal":
        codes, levels, classes = _ordered(table.labels, n, options.levels, label)
        tail = [f"{low}|{high}" for low, high in pairwise(levels)]
        likelihood = pose(responses=codes[:, None], read_as={"classes": levels})
        return _Posed(likelihood, tail, label, f"{label} is ordered {' < '.join(levels)}", classes)
    if question == "conditional":
        codes, chosen, reason, classes = _signs(table.labels, n, positive)
        likelihood = pose(responses=np.column_stack([codes, _strata(columns, n)]), positive=chosen)
        return _Posed(likelihood, [], label, f"the event is {label} = {chosen} ({reason}), within strata", classes)
    responses = _responses(question, _numbers(table.labels, n, label), columns, label)
    if question == "cox":
        likelihood = pose(responses=responses, ties=options.ties, read_as={"ties": options.ties})
        return _Posed(likelihood, [], label, f"the time is {label}, ties by {options.ties}")
    event = {"binomial": "counts successes", "poisson": "is a count, and no estimate has a fitted mean of 0"}[question]
    tail = [INTERCEPT] if table.has_intercept else []
    return _Posed(pose(responses=responses, bias=table.has_intercept), tail, label, f"{label} {event}")


def _stated(read_as: Mapping[str, Any] | None, options: FamilyOptions) -> Mapping[str, Any] | None:
    """Return how the data were read, with the names of the columns; None where some have no name."""
    if read_as is None or not all(isinstance(name, str) for name in options.columns.values()):
        return None
    return {**read_as, **options.columns}


def _weighted(X: Any, y: Any, options: FamilyOptions) -> tuple[Any, Any, dict[str, Any], Rows]:
    """Return the rows that have a weight, their responses, the columns of the options, and their positions.

    Of a response of two columns the second is one of the columns.
    """
    whole, columns = whole_data(X), dict(options.columns)
    if whole is not None and (columns or options.family not in ("binomial", "multinomial")):
        given = option("family" if options.family else "weights")
        raise InvalidOptionError(f"{given} needs a data frame, or X and y; X is a Dataset")
    if whole is not None:
        return X, y, columns, np.arange(whole.n_samples)
    y = str(y) if type(y) in (int, float) and is_from_table_library(X) else y  # a column called by a number
    if isinstance(y, str):
        y, columns = response_of(y, options.family, columns)
    X, columns = _taken_out(X, y, columns)
    n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    kept = np.arange(n)
    if "weights" in columns:
        kept = np.flatnonzero(numbers_of_rows(_numbers(columns.pop("weights"), n, "weights"), n))
    if not kept.size:
        raise InvalidProblemError("no row has a weight above 0")
    if len(kept) < n:
        X, y = _taken(X, kept), y if isinstance(y, str) else _taken(y, kept)
        columns = {name: _taken(values, kept) for name, values in columns.items()}
    return X, y, columns, kept


def response_of(y: str, family: str | None, columns: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a formula with a response of one column, and the columns with the second one."""
    for form, own, of, what in (
        (SURVIVAL, "status", "cox", "a status"),
        (COUNTS, "failures", "binomial", "failures"),
    ):
        found = form.fullmatch(y)
        if found is None:
            continue
        if family != of or own in columns or "trials" in columns:
            expected = f"expected {option('family')} {of}, and no column of them beside it"
            raise InvalidOptionError(f"the formula {quoted(y)} names {what}: {expected}")
        first, second, rest = found.groups()
        return f"{first} {rest}", {**columns, own: second.strip("`")}
    return y, dict(columns)


def _taken_out(X: Any, y: Any, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return a data frame without the columns that are named, unless they are terms of a formula, and these columns."""
    named = {own: str(name) for own, name in columns.items() if isinstance(name, str | int)}
    if not named:
        return X, columns
    if not is_from_table_library(X):
        own, name = next(iter(named.items()))
        raise InvalidProblemError(
            f"{option(own)} is {quoted(name)} and X is no data frame; expected a value for every row"
        )
    import narwhals as nw

    table, names = nw.from_native(X, eager_only=True), column_names(X)
    for own, name in ((own, name) for own, name in named.items() if name not in names):
        hint = nearest(name, names)
        expected = f"expected one of the columns {listed(names)}{f' ({hint})' if hint else ''}"
        raise InvalidProblemError(f"{option(own)} is {quoted(name)}; {expected}")
    found = {own: table.get_column(table.columns[names.index(name)]).to_native() for own, name in named.items()}
    right = str(y).partition("~")[2]
    dropped = {name for name in named.values() if not re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", right)}
    left = [own for own, name in zip(table.columns, names, strict=True) if name not in dropped]
    return table.select([nw.col(name) for name in left]).to_native(), {**columns, **found}


def _taken(values: Any, kept: Rows) -> Any:
    if is_from_table_library(values):
        import narwhals as nw

        return nw.from_native(values, eager_only=True, allow_series=True)[kept.tolist()].to_native()
    return values[kept] if hasattr(values, "tocsr") else array_of(values)[kept]


def _numbers(values: Any, n: int, what: str) -> Floats:
    """Return a number for every row; -infinity is one that has no lower end."""
    if is_from_table_library(values):
        import narwhals as nw

        try:
            column = column_of(nw.from_native(values, series_only=True), what, "X")
        except DataError as error:
            raise InvalidProblemError(str(error)) from error
        values = column.values if column.exact is None else column.exact
        if isinstance(values, list):
            raise InvalidProblemError(f"{what} holds texts; expected numbers")
    numbers = binary64_numbers(values, what)
    if numbers.shape != (n,):
        raise InvalidProblemError(f"{what} has shape {numbers.shape}; expected ({n},), a number for every row")
    if np.isnan(numbers).any() or np.isposinf(numbers).any():
        row = int(np.argmax(np.isnan(numbers) | np.isposinf(numbers)))
        raise InvalidProblemError(f"{what}, row {row}: found {numbers[row]}, expected a finite number")
    return numbers


def _responses(question: str, y: Floats, columns: Mapping[str, Any], label: str) -> Floats:
    """Return the responses of a question whose labels are numbers."""
    n, parts = len(y), [y]
    if question == "binomial":
        name, begins = ("failures", y) if "failures" in columns else ("trials", 0.0)
        trials = begins + _numbers(columns[name], n, name)
        parts.append(trials)
        _check(parts, (y >= 0) & (y <= trials) & (y == np.floor(y)) & (trials == np.floor(trials)) & (trials < 2**53),
               f"{label} and trials", "whole numbers from 0, successes at most as many as trials")  # fmt: skip
    elif question == "poisson":
        _check(parts, y >= 0, label, "counts from 0")
    else:
        status = _numbers(columns["status"], n, "status") if "status" in columns else np.ones(n)
        entry = _numbers(columns["entry"], n, "entry") if "entry" in columns else np.full(n, -np.inf)
        _check([status], np.isin(status, (0.0, 1.0)), "status", "1 for an event and 0 for none")
        _check([entry, y], np.isfinite(y) & (entry < y), f"entry and {label}", "an entry before the time")
        parts += [status, entry, _strata(columns, n)]
    return np.column_stack(parts)


def _check(values: Sequence[Floats], is_right: Mask, what: str, expected: str) -> None:
    if not is_right.all():
        row = int(np.argmin(is_right))
        found = ", ".join(f"{float(numbers[row]):g}" for numbers in values)
        raise InvalidProblemError(f"{what}, row {row}: found {found}, expected {expected}")


def _encoded(values: Any, n: int, what: str) -> Labels:
    try:
        return encode(labels_of(values, n))
    except LabelError as error:
        raise refused_labels(error, what) from error


def _strata(columns: Mapping[str, Any], n: int) -> Floats:
    """Return the number of the stratum of every row, in the order of their first rows."""
    if "strata" not in columns:
        return np.zeros(n)
    _, first, codes = np.unique(columns["strata"].codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes].astype(np.float64)


def _signs(values: Any, n: int, positive: object) -> tuple[Floats, Any, str | None, tuple[Any, ...]]:
    """Return -1 and +1, the label that is +1, why it is, and the classes."""
    labels = _encoded(values, n, "y")
    try:
        chosen, reason = positive_class(labels, positive)
    except LabelError as error:
        raise refused_labels(error) from error
    if chosen is None:
        raise InvalidProblemError(f"y has {len(labels.classes)} classes; expected two, or {option('positive')}")
    return np.where(labels.codes == labels.classes.index(chosen), 1.0, -1.0), chosen, reason, labels.classes


def _ordered(
    values: Any, n: int, levels: Sequence[Any] | None, label: str
) -> tuple[Floats, list[str], tuple[Any, ...]]:
    """Return the number of every row's class among those that occur, their names in this order, and the classes."""
    labels = _encoded(values, n, label)
    texts = list(map(str, labels.classes))
    order = None if levels is None else list(map(str, levels))
    if order is None and is_from_table_library(values):
        import narwhals as nw

        declared = column_of(nw.from_native(values, series_only=True), label, "X").levels
        order = None if declared is None else list(declared)
    if order is None and not any(isinstance(one, str) for one in labels.classes):
        order = texts
    if order is None or not {*texts} <= {*order} or len({*order}) < len(order):
        expected = f"{option('levels')} with each of them once, or a column of ordered categories"
        raise InvalidProblemError(
            f"{label} has the classes {listed(texts)}, whose order is not known; expected {expected}"
        )
    if len(texts) < 2:
        raise InvalidProblemError(f"{label} has one class only; expected two at least")
    present = [one for one in order if one in texts]
    ranks = np.array([present.index(text) for text in texts], dtype=np.float64)
    return ranks[labels.codes], present, labels.classes
