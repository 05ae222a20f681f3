"""Batches of rows are checked, and what is found about them is collected until they are a data set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.column_roles import (
    LEAST_ROWS_NUMBERED,
    Choice,
    Layout,
    Roles,
    counts_up,
    missing_notes,
    row_number_notes,
)
from maxmargin.data.dataset import Dataset, dataset_of, frozen
from maxmargin.data.labels import (
    MOST_CLASSES,
    CodedLabels,
    Coder,
    LabelError,
    Labels,
    PositiveClass,
    check_classes,
    check_not_joined,
    positive_class,
)
from maxmargin.data.reading.assemble import Assembled, assemble, with_missing
from maxmargin.data.reading.refusals import nothing_left
from maxmargin.data.sources.batches import Table
from maxmargin.solvers.basics.extremes import Extremes
from maxmargin.text.data_error import data_error
from maxmargin.text.pass_progress import report_rows_done


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRows:
    """Consecutive rows of a source that were found to be fine.

    Attributes
    ----------
    rows : Assembled
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

    rows: Assembled
    labels: CodedLabels
    n_read: int
    lost: Table | None
    numbering: dict[int, float]
    notes: tuple[str, ...]

    def without_features(self) -> "CheckedRows":
        """Return what was found about the rows, without their numbers."""
        return replace(self, rows=replace(self.rows, X=None, table=replace(self.rows.table, features=())), lost=None)


def checked_rows(choice: Choice, roles: Roles, read: Callable[[], Table]) -> CheckedRows:
    """Read some rows, and check them.

    Raises
    ------
    DataError
        A value is missing and rows are not to be left out, or is not a finite number, or a label is none.
    """
    table = with_missing(read(), roles)
    rows = assemble(table, choice)
    try:
        labels = CodedLabels.of(rows.table.label)
    except LabelError as error:
        raise rows.table.error(error.row, table.label_name, found=error.found, expected=error.expected) from error
    features: Any = table.features
    columns = [column.values for column in features] if isinstance(features, tuple) else features.T
    return CheckedRows(
        rows=rows, labels=labels, n_read=len(table.label), lost=table if len(table.label) > len(labels) == 0 else None,
        numbering={k: float(columns[k][0]) for k in roles.row_numbers if counts_up(columns[k])},
        notes=table.notes,
    )  # fmt: skip


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

    def __init__(
        self, layout: Layout, roles: Roles, choice: Choice, positive: object = None, n_expected: int = 0
    ) -> None:
        self.layout, self.roles, self.choice, self.positive = layout, roles, choice, positive
        self.n_expected = n_expected
        self.coder = Coder()
        self.n_read = 0
        self.table: Table | None = None
        self.notes: tuple[str, ...] = ()
        self._matrices: list[Any] = []
        self._ids: list[str] = []
        self._kept: list[NDArray[np.int64]] = []
        self._lines: list[NDArray[np.int64]] = []
        self._bounds: list[Extremes] = []
        self._lost: Table | None = None
        self._numeric, self._boolean = set[int](), set[int]()
        self._first_numbers: dict[int, float | None] = dict.fromkeys(roles.row_numbers)
        self.exact: Any = None
        self._told_missing: frozenset[tuple[int | None, str]] = frozenset()
        self._file, self._n_before_file = "", 0

    def add(self, part: CheckedRows) -> None:
        """Add the next rows.

        Raises
        ------
        DataError
            A column of text holds numbers, and held true and false before; or there are too many labels.
        """
        table, n_rows = part.rows.table, len(part.rows.table.label)
        self._check_kinds(table)
        self._count(part)
        self._told_missing |= table.told_missing
        self.coder.add(part.labels)
        if part.rows.bounds is not None:
            self._bounds.append(part.rows.bounds)
        self._lost = part.lost or self._lost
        if self.choice.drop_missing:
            kept = np.arange(n_rows, dtype=np.int64) if table.origin is None else table.origin - table.first_row
            self._kept.append(kept + self.n_read)
        if self.choice.is_in_parts:
            self._check_number_of_labels()
            report_rows_done(self.coder.n_rows, max(self.n_expected, self.coder.n_rows))
        else:
            self._matrices.append(part.rows.X)
            self._ids += table.ids or ()
            self._lines += [] if table.lines is None else [table.lines]
            self.exact = part.rows.exact
        self.n_read += part.n_read
        if self.table is None or not self.coder.n_rows:
            self.table, self.notes = table, part.notes

    def _check_kinds(self, table: Table) -> None:
        """Refuse true and false beside numbers in one column of text."""
        if table.lines is None or not len(table.label):
            return
        if isinstance(table.features, tuple):
            present = [(j, c) for j, c in enumerate(table.features) if not c.is_missing().all()]
            self._numeric |= {j for j, column in present if not column.is_boolean}
            self._boolean |= {j for j, column in present if column.is_boolean}
        elif len(self._numeric) < len(table.names):
            self._numeric = {*range(len(table.names))}
        both = self._boolean & self._numeric
        if both:
            found, expected = "numbers and true or false in one column", "one of the two"
            raise table.error(0, table.names[min(both)], found=found, expected=expected)

    def _count(self, part: CheckedRows) -> None:
        """Keep in mind which columns have numbered the rows so far, from 0 or 1: of all files, or of each."""
        if part.rows.table.source != self._file:
            self._file, self._n_before_file = part.rows.table.source, self.n_read
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
        if not self._first_numbers or self.n_read < LEAST_ROWS_NUMBERED or self.table is None:
            return None
        left_out = {self.layout.name_of(self.roles.features[k]) for k in self._first_numbers}
        return [j for j, name in enumerate(self.table.names) if name not in left_out] or None

    def read_as(self, source: Any) -> dict[str, Any]:
        """Return the arguments of `load` by which the source was read, with what was found about its header and index.

        A column that was left out as it numbers the rows counts as dropped.
        """
        stated, kept = self.choice.stated_of(source, self.layout.header_line), self.kept_columns()
        if kept is not None:
            numbers = [self.layout.name_of(self.roles.features[k]) for k in self._first_numbers]
            stated["drop"] = [*stated.get("drop", []), *numbers]
        return stated

    def _check_number_of_labels(self) -> None:
        if self.coder.n_distinct > MOST_CLASSES and self.positive is None:
            try:
                check_classes(self.coder.labels().classes, is_positive_chosen=False)
            except LabelError as error:
                raise error.in_source(self.layout.source, self.layout.name_of(self.roles.label)) from error

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
                check_not_joined(labels.classes)
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

    def dataset(self, rows_outside: Any = None, notes_on_files: Sequence[str] = (), **described: Any) -> Dataset:
        """Return the data set, with rows in memory unless others are given.

        Raises
        ------
        DataError
            There are no rows, or the labels make no classes.
        """
        labels, chosen = self._labels()
        table = self.table
        assert table is not None
        n_dropped = self.n_read - self.coder.n_rows
        dropped = f"{n_dropped} row{'s' * (n_dropped != 1)} with missing values left out of {self.n_read}"
        kept, names, bounds, exact = self.kept_columns(), table.names, self.bounds(), self.exact
        numbers = [] if kept is None else [names[j] for j in range(len(names)) if j not in kept]
        first, *others = self._matrices or [None]
        X: Any = np.concatenate([first, *others]) if others else first
        if kept is not None:
            names, exact = tuple(names[j] for j in kept), exact and exact.columns(kept)
            X = X if X is None else np.ascontiguousarray(X[:, kept])
            bounds = bounds and (bounds[0][kept], bounds[1][kept])
        notes = (
            *notes_on_files, *self.notes, *row_number_notes(numbers),
            *[dropped] * bool(n_dropped), *table.notes[len(self.notes) :],
            *missing_notes(self.layout, self.roles, self._told_missing),
        )  # fmt: skip
        return dataset_of(
            X if rows_outside is None else rows_outside, labels, chosen, bounds=bounds, notes=notes,
            exact=exact, feature_names=tuple(map(str, names)), label_name=str(table.label_name),
            source=self.layout.source, row_ids=tuple(self._ids) or None, factors=table.factors,
            header_line=self.layout.header_line or None,
            rows=frozen(np.concatenate(self._kept)) if n_dropped and self._kept else None, **described,
        )  # fmt: skip
