"""From a table to a matrix of numbers: rows with missing values are left out or refused, texts become columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.column_roles import Choice, Roles
from maxmargin.data.dataset import Matrix
from maxmargin.data.labels import CodedLabels
from maxmargin.data.numbers.binary64 import ExactRows, NumberError, Numbers
from maxmargin.data.numbers.numerals import booleans
from maxmargin.data.numbers.numerals import numbers as parsed_numbers
from maxmargin.data.reading.coding import coded, no_texts
from maxmargin.data.reading.refusals import first_fault
from maxmargin.data.sources.batches import Column, Table, side_by_side
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.extremes import Extremes, extremes_of

_EXACT_HINT = "convert it to binary64 yourself to have it rounded, or allow more memory to have it decided exactly"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assembled:
    """A table without missing values and texts, its matrix of finite numbers, and the extremes of dense columns.

    `exact` holds the numbers themselves if binary64 does not hold some of them; `X` is then their rounding.
    """

    table: Table
    X: Any
    exact: ExactRows | None
    bounds: Extremes | None = None


def assemble(table: Table, choice: Choice) -> Assembled:
    """Turn `table` into numbers.

    Raises
    ------
    DataError
        A missing value (unless `choice.drop_missing`), a text column (unless `choice.one_hot`), Decimals or Fractions
        too different in size.
    """
    if not len(table.label):
        return Assembled(table=table, X=np.empty((0, len(table.names))), exact=None)
    stored = table.features
    known = extremes_of(stored) if isinstance(stored, np.ndarray) else None
    is_complete = known is not None and bool(np.isfinite(known).all())
    is_missing = table.missing_labels() if is_complete else table.missing_rows()
    may_drop = choice.drop_missing and not (choice.is_in_parts and table.missing_labels().any())
    if (is_missing.any() and not may_drop) or (_has_texts(table, choice) and not is_missing.all()):
        raise first_fault(table, choice)
    if is_missing.any():
        if is_missing.all():
            table = replace(table, features=np.empty((len(is_missing), len(table.names))))
        table = _rows_of(table, np.flatnonzero(~is_missing).astype(np.int64), choice)
    if choice.one_hot.named and not isinstance(table.features, tuple):
        raise no_texts(table, choice.one_hot.named[0])
    if choice.needs_texts and isinstance(table.features, tuple):
        table = coded(table, table.features, choice)
    X = stacked(table.features) if isinstance(table.features, tuple) else table.features
    bounds = known if X is stored else extremes_of(X) if isinstance(X, np.ndarray) and len(X) else None
    numbers = (X.data,) if bounds is None else bounds
    if len(table.label) and not all(np.isfinite(values).all() for values in numbers):
        raise first_fault(table, choice)
    return Assembled(table=table, X=X, exact=_exact_rows(X, table, choice), bounds=bounds)


def with_missing(table: Table, roles: Roles) -> Table:
    """Return a table in which the texts that the user says stand for missing values are missing.

    A text without a column is missing in a feature if more than half of its other values are numbers.
    """
    if not roles.missing:
        return table
    label, found = table.label, set[tuple[int | None, str]]()
    texts = roles.missing.get(roles.label)
    if texts is not None:
        coded = CodedLabels.of(label)
        distinct = [None if str(value).strip() in texts else value for value in coded.distinct]
        found = {(roles.label, str(value).strip()) for value in coded.distinct}
        label = CodedLabels(distinct, coded.positions)
    features = stored = table.features
    if isinstance(stored, tuple):
        features = tuple(_with_missing(c, j, table, roles) for j, c in zip(roles.features, stored, strict=True))
        for j, old, new in zip(roles.features, stored, features, strict=True):
            found |= {(k, text) for text in _texts_in(old) - _texts_in(new) for k in (j, None)}
    return replace(table, features=features, label=label, told_missing=frozenset(found & roles.told_missing))


def _texts_in(column: Column) -> set[str]:
    return {text for text in column.values if text is not None} if isinstance(column.values, list) else set()


def _with_missing(column: Column, j: int, table: Table, roles: Roles) -> Column:
    if not isinstance(column.values, list):
        return column
    own, spelling = roles.missing.get(j, frozenset()), table.spelling
    values = [None if text in own else text for text in column.values]
    of_all = roles.missing.get(None, frozenset())
    others = [text for text in values if text is not None and text not in of_all]
    if 2 * sum(map(spelling.is_number, others)) > len(others):
        values = [None if text in of_all else text for text in values]
    plain = ["" if text is None else spelling.swapped(text) for text in values]
    may_be_numbers = table.lines is not None and not column.is_category
    numbers = parsed_numbers(plain) if may_be_numbers else None
    flags = booleans(plain) if may_be_numbers and numbers is None else None
    found = numbers if flags is None else flags
    return replace(column, values=values if found is None else found, is_boolean=flags is not None)


def _has_texts(table: Table, choice: Choice) -> bool:
    """Return whether there is a column of texts that is not to be coded."""
    columns = table.features if isinstance(table.features, tuple) else ()
    return not choice.one_hot.every and any(isinstance(c.values, list) and not c.is_named for c in columns)


def _exact_rows(X: Matrix, table: Table, choice: Choice) -> ExactRows | None:
    columns = tuple(column.exact for column in table.features) if isinstance(table.features, tuple) else ()
    if all(column is None for column in columns):
        return None
    j = 0
    try:
        if not choice.is_in_parts:
            return ExactRows.of(X, columns)
        for j, column in enumerate(columns):
            if column is not None:
                Numbers(nearest=X[:, j], exact=column).as_binary64(_EXACT_HINT)
    except NumberError as error:
        name = table.names[j if error.column is None else error.column]
        raise error.in_source(table.source, name, first_row=table.first_row) from error
    return None


def _rows_of(table: Table, rows: NDArray[np.int64], choice: Choice) -> Table:
    features: Any
    if isinstance(table.features, tuple):
        features = tuple(
            replace(
                c, values=_taken(c.values, rows), exact=_taken(c.exact, rows),
                texts=_taken(c.texts, rows) if choice.keep_texts else None,
            )
            for c in table.features
        )  # fmt: skip
    else:
        features = table.features[rows]
    return replace(
        table, features=features, label=_taken(table.label, rows), ids=_taken(table.ids, rows),
        lines=_taken(table.lines, rows), origin=rows + table.first_row,
    )  # fmt: skip


def _taken(values: Any, rows: NDArray[Any]) -> Any:
    if values is None:
        return None
    if isinstance(values, CodedLabels):
        return CodedLabels(values.distinct, values.positions[rows])
    return values[rows] if isinstance(values, np.ndarray) else type(values)(values[i] for i in rows.tolist())


def stacked(columns: Sequence[Column]) -> Floats:
    """Return columns of numbers side by side."""
    return side_by_side([column.values for column in columns], len(columns[0].values) if columns else 0)
