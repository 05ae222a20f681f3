"""From a table to a matrix of finite numbers: rows with missing values, texts, infinities."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.coding import coded, no_texts, texts_of
from maxmargin.data.formats.advice import advice
from maxmargin.data.formats.table import Choice, Column, Matrix, Table
from maxmargin.data.labels import LabelError, Labels, encode, is_absent
from maxmargin.data.numbers.binary64 import ExactRows, NumberError
from maxmargin.data.numbers.numerals import DROP_MISSING_HINT, Texts, empty_column_hint
from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.text.data_error import DataError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assembled:
    """A table without missing values and texts, its matrix of finite numbers, and its labels.

    `exact` holds the numbers themselves if binary64 does not hold some of them; `X` is then their rounding.
    """

    table: Table
    X: Matrix
    labels: Labels
    exact: ExactRows | None

    @property
    def texts(self) -> tuple[Sequence[str] | None, ...]:
        """The numbers of every column as the source writes them; None for a column that it does not write as text."""
        features = self.table.features
        return tuple(column.texts for column in features) if isinstance(features, tuple) else (None,) * self.X.shape[1]


def assemble(table: Table, choice: Choice) -> Assembled:
    """Turn `table` into numbers.

    Raises
    ------
    DataError
        No rows, a missing value (unless `choice.drop_missing`), an infinite value, a text column (unless
        `choice.one_hot`), labels that are missing or infinite, Decimals or Fractions too different in size.
    """
    if len(table.label) == 0:
        raise table.error(found="no rows", expected="at least one")
    table = _without_missing(table, choice)
    labels = _labels(table)
    if isinstance(table.features, tuple):
        table = coded(table, table.features, choice.one_hot)
    elif choice.one_hot.named:
        raise no_texts(table, choice.one_hot.named[0])
    X = _matrix(table.features)
    _check_finite(X, table)
    return Assembled(table=table, X=X, labels=labels, exact=_exact_rows(X, table))


def _exact_rows(X: Matrix, table: Table) -> ExactRows | None:
    columns = tuple(column.exact for column in table.features) if isinstance(table.features, tuple) else ()
    if all(column is None for column in columns):
        return None
    try:
        return ExactRows.of(X, columns)
    except NumberError as error:
        raise error.in_source(table.source, None if error.column is None else table.names[error.column]) from error


def _labels(table: Table) -> Labels:
    try:
        return encode(table.label)
    except LabelError as error:
        raise table.error(error.row, table.label_name, found=error.found, expected=error.expected) from error


# Missing values


def _without_missing(table: Table, choice: Choice) -> Table:
    is_missing = _missing_features(table) | _missing_labels(table.label)
    if not is_missing.any():
        return table
    if not choice.drop_missing:
        raise _missing_error(table, is_missing, is_coded=choice.one_hot.every)
    kept = np.flatnonzero(~is_missing).astype(np.int64)
    if kept.size == 0:
        raise _nothing_left(table)
    n_dropped = int(is_missing.sum())
    note = f"{n_dropped} row{'s' * (n_dropped != 1)} with missing values left out of {is_missing.size}"
    return _rows_of(table, kept, note)


def _nothing_left(table: Table) -> DataError:
    """Return the error about rows that all lack a value, with the column at fault if there is one."""
    found, expected = "a missing value in every row", "at least one complete row"
    if _missing_labels(table.label).all():
        hint = empty_column_hint(table.label_name, is_label=True)
        return table.error(column=table.label_name, found=found, expected=expected, hint=hint)
    name = next((name for j, name in enumerate(table.names) if _is_empty(table.features, j)), None)
    hint = "" if name is None else empty_column_hint(name, is_label=False)
    return table.error(column=name, found=found, expected=expected, hint=hint)


def _missing_features(table: Table) -> Mask:
    if isinstance(table.features, tuple):
        return _any_in_row(np.column_stack([column.is_missing() for column in table.features]))
    if isinstance(table.features, np.ndarray):
        everything_is_there = is_finite(table.features)
        return np.zeros(len(table.features), np.bool_) if everything_is_there else _any_in_row(np.isnan(table.features))
    is_missing = np.zeros(table.features.shape[0], dtype=np.bool_)
    is_missing[_row_of_entries(table.features)[np.isnan(table.features.data)]] = True
    return is_missing


def _any_in_row(mask: Mask) -> Mask:
    found: Mask = np.logical_or.reduce(mask, axis=1)
    return found


def _missing_labels(label: NDArray[Any] | Texts) -> Mask:
    if isinstance(label, list):
        return np.array([text is None for text in label], dtype=np.bool_)
    if label.dtype.kind == "f":
        missing: Mask = np.isnan(label)
        return missing
    if label.dtype.kind == "O":
        return np.array([is_absent(value) for value in label], dtype=np.bool_)
    return np.zeros(label.shape[0], dtype=np.bool_)


def _missing_error(table: Table, is_missing: Mask, *, is_coded: bool) -> DataError:
    row, n_missing = int(np.argmax(is_missing)), int(is_missing.sum())
    of_all = f"{DROP_MISSING_HINT}: {n_missing} of {is_missing.size}"
    are_missing = _missing_labels(table.label)
    if are_missing[row]:
        hint = empty_column_hint(table.label_name, is_label=True) if are_missing.all() else of_all
        return table.error(row, table.label_name, found="no label", expected="a label", hint=hint)
    if isinstance(table.features, tuple):
        position = next(j for j, column in enumerate(table.features) if column.is_missing()[row])
    else:
        position = int(_bad_columns(table.features, row)[0])
    name = table.names[position]
    hint = empty_column_hint(name, is_label=False) if _is_empty(table.features, position) else DROP_MISSING_HINT
    if isinstance(table.features, tuple):
        counts = {column.name: int(column.is_missing().sum()) for column in table.features}
        incomplete = {name: n for name, n in counts.items() if n}
        has_id, texts = table.ids is not None, texts_of(table.features)
        hint = advice(hint, texts, incomplete, has_id=has_id, is_coded=is_coded)
    hint = of_all if hint == DROP_MISSING_HINT else hint
    return table.error(row, name, found="a missing value", expected="a number", hint=hint)


def _is_empty(features: tuple[Column, ...] | Matrix, position: int) -> bool:
    if isinstance(features, tuple):
        return bool(features[position].is_missing().all())
    return isinstance(features, np.ndarray) and bool(np.isnan(features[:, position]).all())


def _bad_columns(X: Matrix, row: int) -> NDArray[Any]:
    """Return the columns in which a row is not finite."""
    if isinstance(X, np.ndarray):
        return np.flatnonzero(~np.isfinite(X[row]))
    entries = slice(X.indptr[row], X.indptr[row + 1])
    columns: NDArray[Any] = X.indices[entries][~np.isfinite(X.data[entries])]
    return np.sort(columns)


def _row_of_entries(X: Any) -> NDArray[np.int64]:
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))


def _rows_of(table: Table, rows: NDArray[np.int64], note: str) -> Table:
    if isinstance(table.features, tuple):
        features: Any = tuple(
            replace(
                column,
                values=_taken(column.values, rows),
                texts=_taken(column.texts, rows),
                exact=_taken(column.exact, rows),
            )
            for column in table.features
        )
    else:
        features = table.features[rows]
    return replace(
        table,
        features=features,
        label=_taken(table.label, rows),
        ids=None if table.ids is None else tuple(table.ids[i] for i in rows),
        lines=None if table.lines is None else table.lines[rows],
        origin=rows,
        notes=(*table.notes, note),
    )


def _taken(values: Any, rows: NDArray[Any]) -> Any:
    if values is None:
        return None
    return [values[i] for i in rows] if isinstance(values, list) else values[rows]


# Numbers


def _matrix(features: tuple[Column, ...] | Matrix) -> Matrix:
    if isinstance(features, np.ndarray):
        return np.ascontiguousarray(features)
    return stacked(features) if isinstance(features, tuple) else features


def stacked(columns: Sequence[Column]) -> Floats:
    """Return columns of numbers side by side."""
    X = np.empty((len(columns[0].values) if columns else 0, len(columns)), dtype=np.float64)
    for j, column in enumerate(columns):
        X[:, j] = column.values
    return X


def is_finite(values: Floats) -> bool:
    """Return whether all values are finite, in one pass: their sum is, unless it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    return bool(np.isfinite(total)) or bool(np.isfinite(values).all())


def first_not_finite(X: Matrix) -> tuple[int, int] | None:
    """Return the first row and column where `X` is NaN or infinite, or None."""
    if isinstance(X, np.ndarray):
        if is_finite(X):
            return None
        row = int(np.argmin(np.isfinite(X).all(axis=1)))
    else:
        bad = ~np.isfinite(X.data)
        if not bad.any():
            return None
        row = int(_row_of_entries(X)[bad].min())
    return row, int(_bad_columns(X, row)[0])


def _check_finite(X: Matrix, table: Table) -> None:
    position = first_not_finite(X)
    if position is not None:
        row, column = position
        found = "infinity" if X[row, column] > 0 else "minus infinity"
        raise table.error(row, table.names[column], found=found, expected="a finite number")
