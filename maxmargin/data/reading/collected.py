"""Batches of rows are checked, and what is found about them is collected until they are a data set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.batches import LEAST_NUMBERED, Choice, Layout, Roles, Table, counts_up, numbering_notes, stacked
from maxmargin.data.dataset import Dataset, Matrix, dataset_of, frozen
from maxmargin.data.labels import CodedLabels, Coder, LabelError, Labels, PositiveClass, positive_class, refuse_joined
from maxmargin.data.numbers.binary64 import ExactRows, NumberError, Numbers
from maxmargin.data.reading.coding import coded, equal_row_names, first_fault, no_texts, nothing_left, with_missing
from maxmargin.solvers.problem.scaling import Extremes, column_bounds, extremes_of
from maxmargin.text.data_error import data_error
from maxmargin.text.progress import report_rows_done

_EXACT_HINT = "convert it to binary64 yourself to have it rounded, or allow more memory to have it decided exactly"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CheckedRows:
    """Consecutive rows of a source that were found to be fine.

    Attributes
    ----------
    table : Table
        The rows without missing values and texts.
    X : float64 array or CSR array
        Their finite numbers.
    exact : ExactRows, optional
        The numbers themselves if binary64 does not hold some of them; `X` is then their rounding.
    bounds : pair of ndarray, optional
        The extremes of dense columns.
    labels : CodedLabels
    n_read : int
        Number of rows, those included that were left out.
    lost : Table, optional
        The rows, if all of them were left out.
    numbering : dict
        The first number of each feature, by its position, that counts these rows up by one.
    notes : tuple of str
        Notes about the columns of the source.
    """

    table: Table
    X: Any
    exact: ExactRows | None
    bounds: Extremes | None
    labels: CodedLabels
    n_read: int
    lost: Table | None
    numbering: dict[int, float]
    notes: tuple[str, ...]


def checked_rows(choice: Choice, roles: Roles, read: Callable[[], Table], *, is_whole: bool = False) -> CheckedRows:
    """Read some rows of a source, or all if `is_whole`, and check them.

    Raises
    ------
    DataError
        A value is missing (unless `choice.drop_missing`) or not a finite number, a column holds texts (unless
        `choice.one_hot`), a label is none, or Decimals or Fractions are too different in size.
    """
    table = replace(read(), is_whole=is_whole)
    table = with_missing(table, roles) if roles.missing else table
    rows, X, bounds = _assembled(table, choice)
    try:
        labels = CodedLabels.of(rows.label)
    except LabelError as error:
        raise rows.error(error.row, table.label_name, found=error.found, expected=error.expected) from error
    features: Any = table.features
    columns = [column.values for column in features] if isinstance(features, tuple) else features.T
    return CheckedRows(
        table=rows, X=X, exact=_exact_rows(X, rows, choice), bounds=bounds, labels=labels, n_read=len(table.label),
        lost=table if len(table.label) > len(labels) == 0 else None, notes=table.notes,
        numbering={k: float(columns[k][0]) for k in roles.row_numbers if counts_up(columns[k])},
    )  # fmt: skip


def _assembled(table: Table, choice: Choice) -> tuple[Table, Any, Extremes | None]:
    """Return the rows without missing values and texts, their matrix of finite numbers, and the extremes if dense."""
    if not len(table.label):
        return table, np.empty((0, len(table.names))), None
    stored = table.features
    bounds_of = column_bounds if choice.is_in_parts else extremes_of  # parts are read by several threads
    known = bounds_of(stored) if isinstance(stored, np.ndarray) else None
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
        table = coded(table, choice)
    features: Any = table.features
    X = stacked([c.values for c in features], len(table.label)) if isinstance(features, tuple) else features
    bounds = known if X is stored else bounds_of(X) if isinstance(X, np.ndarray) and len(X) else None
    numbers = (X.data,) if bounds is None else bounds
    if len(table.label) and not all(np.isfinite(values).all() for values in numbers):
        raise first_fault(table, choice)
    return table, X, bounds


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


class Collected:
    """What a pass over a source has found.

    Parameters
    ----------
    layout : Layout
        The columns of the source.
    roles : Roles
    choice : Choice
    positive : label, optional
        The class that is +1, against all others; then there may be many classes.
    n_expected : int
        Number of rows to expect, for the display of progress.
    """

    def __init__(self, layout: Layout, roles: Roles, choice: Choice, positive: object, n_expected: int) -> None:
        self.layout, self.roles, self.choice, self.positive = layout, roles, choice, positive
        self.n_expected = n_expected
        self.coder = Coder()
        self.n_read = 0
        self.table: Table | None = None
        self.notes: tuple[str, ...] = ()
        self._matrices: list[Any] = []
        self._ids: list[str] = []
        self._hashes: dict[str, list[NDArray[np.int64]]] = {}
        self._kept: list[NDArray[np.int64]] = []
        self._lines: list[NDArray[np.int64]] = []
        self._bounds: list[Extremes] = []
        self._lost: Table | None = None
        self._is_boolean: dict[int, bool] = {}
        self._first_numbers: dict[int, float | None] = dict.fromkeys(roles.row_numbers)
        self._exact: Any = None
        self._told_missing: frozenset[tuple[int | None, str]] = frozenset()
        self._file, self._n_before_file = "", 0

    def add(self, part: CheckedRows) -> None:
        """Add the next rows.

        Raises
        ------
        DataError
            A column of text holds numbers, and held true and false before; or there are too many labels.
        """
        table = part.table
        self._check_kinds(table)
        self._count(part)
        self._told_missing |= table.told_missing
        if self.layout.row_names is not None and self.layout.row_names == self.roles.id:
            self._hashes.setdefault(table.source, []).append(np.fromiter(map(hash, table.ids or ()), np.int64))
        self.coder.add(part.labels)
        if part.bounds is not None:
            self._bounds.append(part.bounds)
        self._lost = part.lost or self._lost
        if self.choice.drop_missing:
            kept = np.arange(len(table.label)) if table.origin is None else table.origin - table.first_row
            self._kept.append(kept + self.n_read)
        self.n_read += part.n_read
        if self.choice.is_in_parts:
            if self.coder.has_many and self.positive is None:
                self._labels()  # which refuses them
            report_rows_done(self.coder.n_rows, max(self.n_expected, self.coder.n_rows))
        else:
            self._matrices.append(part.X)
            self._ids += table.ids or ()
            self._lines += [] if table.lines is None else [table.lines]
            self._exact = part.exact
        if self.table is None or not self.coder.n_rows:
            self.table, self.notes = table, part.notes

    def _check_kinds(self, table: Table) -> None:
        """Refuse true and false beside numbers in one column of text."""
        if table.lines is None or not len(table.label):
            return
        if isinstance(table.features, tuple):
            found = {j: c.is_boolean for j, c in enumerate(table.features) if not c.is_missing().all()}
        else:
            found = dict.fromkeys(range(len(table.names)), False)
        both = [j for j, is_boolean in found.items() if self._is_boolean.setdefault(j, is_boolean) != is_boolean]
        if both:
            said = "numbers and true or false in one column"
            raise table.error(0, table.names[both[0]], found=said, expected="one of the two")

    def _count(self, part: CheckedRows) -> None:
        """Keep in mind which columns have numbered the rows so far, from 0 or 1: of all files, or of each."""
        if part.table.source != self._file:
            self._file, self._n_before_file = part.table.source, self.n_read
        for k, first in list(self._first_numbers.items()) if part.n_read else ():
            begins = part.numbering.get(k)
            begun = begins if first is None else first
            expected = () if begun is None else (begun + self.n_read, begun + self.n_read - self._n_before_file)
            if begun not in (0, 1) or begins not in expected:
                del self._first_numbers[k]
            else:
                self._first_numbers[k] = begun

    def kept_columns(self) -> list[int] | None:
        """Return the columns without those that number the rows as an index does; None if there are none of these."""
        if not self._first_numbers or self.n_read < LEAST_NUMBERED or self.table is None:
            return None
        left_out = {self.layout.name_of(self.roles.features[k]) for k in self._first_numbers}
        return [j for j, name in enumerate(self.table.names) if name not in left_out] or None

    def _labels(self) -> tuple[Labels, PositiveClass]:
        """Return the labels of all rows, and the class that is +1."""
        source, label = self.layout.source, self.layout.name_of(self.roles.label)
        if self.n_read == 0:
            raise data_error(source, found="no rows", expected="at least one")
        if self.coder.n_rows == 0 and self.table is not None:
            raise nothing_left(self._lost or self.table)
        try:
            labels = self.coder.labels()
            if self.layout.header_line is not None and self.choice.sep is None:
                refuse_joined(labels.classes)
            return labels, positive_class(labels, self.positive)
        except LabelError as error:
            line = None if error.row is None or not self._lines else int(np.concatenate(self._lines)[error.row])
            raise data_error(
                source, line=line, row=None if line is not None else error.row, column=label, found=error.found,
                expected=error.expected, hint=error.hint,
            ) from error  # fmt: skip

    def bounds(self) -> Extremes | None:
        """Return the least and the greatest number of every column; None for sparse rows."""
        if not self._bounds:
            return None
        lows, highs = zip(*self._bounds, strict=True)
        return np.min(lows, axis=0), np.max(highs, axis=0)

    def dataset(self, source: Any, rows_outside: Any = None, notes_on_files: Sequence[str] = ()) -> Dataset:
        """Return the data set of a source, with rows in memory unless others are given.

        A column that was left out as it numbers the rows counts as dropped.

        Raises
        ------
        DataError
            There are no rows, or the labels make no classes.
        """
        labels, chosen = self._labels()
        table = self.table
        assert table is not None
        for file, hashes in self._hashes.items():
            if len(np.unique(np.concatenate(hashes))) < sum(map(len, hashes)):
                raise equal_row_names(file)
        n_dropped = self.n_read - self.coder.n_rows
        dropped = f"{n_dropped} row{'s' * (n_dropped != 1)} with missing values left out of {self.n_read}"
        kept, names, bounds, exact = self.kept_columns(), table.names, self.bounds(), self._exact
        numbers = [] if kept is None else [names[j] for j in range(len(names)) if j not in kept]
        first, *others = self._matrices or [None]
        X: Any = np.concatenate([first, *others]) if others else first
        stated = self.choice.stated_of(source, self.layout.header_line)
        if kept is not None:
            stated["drop"] = [*stated.get("drop", []), *numbers]
            names, exact = tuple(names[j] for j in kept), exact and exact.columns(kept)
            X = X if X is None else np.ascontiguousarray(X[:, kept])
            bounds = bounds and (bounds[0][kept], bounds[1][kept])
        notes = (
            *notes_on_files, *self.notes, *numbering_notes(numbers),
            *[dropped] * bool(n_dropped), *table.notes[len(self.notes) :],
            *self.roles.missing_notes(self.layout, self._told_missing),
        )  # fmt: skip
        return dataset_of(
            X if rows_outside is None else rows_outside, labels, chosen, bounds=bounds, notes=notes,
            exact=exact, feature_names=tuple(map(str, names)), label_name=str(table.label_name),
            source=self.layout.source, row_ids=tuple(self._ids) or None, factors=table.factors,
            header_line=self.layout.header_line or None, read_as=stated,
            rows=frozen(np.concatenate(self._kept)) if n_dropped and self._kept else None,
        )  # fmt: skip
