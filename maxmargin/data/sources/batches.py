"""What every source yields: batches of its rows, as tables of features and labels."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.column_roles import Layout, Roles, index_note, left_out_note
from maxmargin.data.dataset import Matrix
from maxmargin.data.labels import CodedLabels, is_absent
from maxmargin.data.numbers.numerals import STORED, Spelling, Texts
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.text.data_error import DataError, data_error

if TYPE_CHECKING:
    from maxmargin.data.stores.budget import MemoryBudget
    from maxmargin.data.stores.on_disk import StoredMatrix

# Number of rows that are written at a time from columns into a matrix, while both are in the processor's cache.
_ROWS_TURNED_AT_ONCE = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: float64 numbers with NaN where missing, or texts with None where missing.

    The numbers may come with their texts, as the source writes them but with decimal points, or as fractions where
    binary64 does not hold them. `is_named` says that it was named to be encoded. `levels` are the texts in the order
    that the source declares, as pandas' categories do; `is_category` says that its type is that of categories.
    `is_boolean` says that the numbers 1 and 0 are true and false.
    """

    name: str | int
    values: Floats | Texts
    texts: Sequence[str] | None = None
    is_named: bool = False
    exact: NDArray[np.object_] | None = None
    levels: tuple[str, ...] | None = None
    is_boolean: bool = False
    is_category: bool = False

    def is_missing(self) -> Mask:
        """Return which rows have no value."""
        if isinstance(self.values, list):
            return np.array([text is None for text in self.values], dtype=np.bool_)
        return np.isnan(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Features and labels of consecutive rows, with the position from which every row came.

    Attributes
    ----------
    source : str
        Display name.
    names : tuple of str or int
        Names of the features; a column without a name is called by its position in the source.
    features : tuple of Column, or float64 array, or CSR array
        The features. Missing values are NaN (or None in texts).
    label : ndarray, list or CodedLabels
        The labels as stored, None or NaN where missing.
    label_name : str or int
        Name or position of the label column.
    ids : tuple of str, optional
        Names of the rows.
    first_row : int
        Position in the source of the first row.
    lines : int64 array, optional
        Line of every row in a text file, from 1.
    origin : int64 array, optional
        Row in the source of every row, from 0, once some were left out.
    is_whole : bool
        Whether these are all rows of the source.
    notes : tuple of str
        Notes on what was left out.
    factors : tuple of Factor
        The text columns that were coded.
    spelling : Spelling
        How the numbers are written; by default they are stored as numbers.
    header_line : int, optional
        The line that names the columns, from 1; 0 if a text file has none, None for other sources.
    told_missing : frozenset
        The texts that the user told to be missing, as in `Roles.missing`, and that were found.
    """

    source: str
    names: tuple[str | int, ...]
    features: tuple[Column, ...] | Matrix
    label: NDArray[Any] | Texts | CodedLabels
    label_name: str | int
    ids: tuple[str, ...] | None = None
    first_row: int = 0
    lines: NDArray[np.int64] | None = None
    origin: NDArray[np.int64] | None = None
    is_whole: bool = True
    notes: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()
    spelling: Spelling = STORED
    header_line: int | None = None
    told_missing: frozenset[tuple[int | None, str]] = frozenset()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features as columns; of sparse rows those with an entry that is not finite in the first such row."""
        X = self.features
        if isinstance(X, tuple):
            return X
        if isinstance(X, np.ndarray):
            return tuple(Column(name=name, values=X[:, j]) for j, name in enumerate(self.names))
        bad = np.flatnonzero(~np.isfinite(X.data))[:1]
        return tuple(Column(name=self.names[j], values=X[:, [j]].toarray().ravel()) for j in X.indices[bad].tolist())

    def missing_labels(self) -> Mask:
        """Return which rows have no label."""
        label = self.label
        if isinstance(label, CodedLabels):
            return label.missing
        if isinstance(label, list) or label.dtype.kind == "O":
            return np.fromiter(map(is_absent, label), np.bool_, len(label))
        return np.asarray(label != label) if label.dtype.kind == "f" else np.zeros(len(label), dtype=np.bool_)

    def missing_rows(self) -> Mask:
        """Return the rows in which a feature or the label is missing."""
        features, is_missing = self.features, self.missing_labels()
        if isinstance(features, tuple):
            missing: Mask = np.logical_or.reduce([is_missing, *(column.is_missing() for column in features)])
            return missing
        if isinstance(features, np.ndarray):
            found: Mask = is_missing | np.isnan(features).any(axis=1)
            return found
        rows = np.repeat(np.arange(len(is_missing)), np.diff(features.indptr))
        is_missing[rows[np.isnan(features.data)]] = True
        return is_missing

    def error(
        self, row: int | None = None, column: str | int | None = None, *, found: str, expected: str, hint: str = ""
    ) -> DataError:
        """Return an error at a row of the table, or about a whole column or the whole source."""
        line = None
        if row is not None and self.lines is not None:
            line, row = int(self.lines[row]), None
        elif row is not None:
            row = self.first_row + row if self.origin is None else int(self.origin[row])
        return data_error(self.source, line=line, row=row, column=column, found=found, expected=expected, hint=hint)


def table_of(layout: Layout, roles: Roles, notes: Sequence[str] = (), **rows: Any) -> Table:
    """Return the table of some rows of a source, with the names of its columns and notes on those left out."""
    dropped = left_out_note("dropped on request", layout.names_of(roles.dropped))
    return Table(
        source=layout.source, names=layout.names_of(roles.features), label_name=layout.name_of(roles.label),
        spelling=layout.spelling, header_line=layout.header_line,
        notes=(*dropped, *index_note(layout.names_of(roles.index)), *notes), **rows,
    )  # fmt: skip


class TableSource(Protocol):
    """Columns, and their rows in batches."""

    @property
    def layout(self) -> Layout:
        """The columns."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows; an estimate if they have to be read to count them, and 0 if they are read in one piece."""
        ...

    def tables(self, roles: Roles, budget: "MemoryBudget | None") -> Iterator[Callable[[], Table]]:
        """Yield functions that read consecutive rows, which any thread may call, once.

        Without a budget, all rows fit into memory, and may come as one table.
        """
        ...

    def store(self, roles: Roles, budget: "MemoryBudget") -> "StoredMatrix | None":
        """Return the features for later passes; None if they have to be written to a temporary file first."""


@dataclass(frozen=True, kw_only=True)
class InOnePiece:
    """A source whose rows are in memory, or are read into memory together."""

    layout: Layout
    read: Callable[[Roles], Table]
    n_rows: int = 0

    def tables(self, roles: Roles, budget: "MemoryBudget | None") -> Iterator[Callable[[], Table]]:
        """Yield one function, which returns all rows."""
        yield partial(self.read, roles)

    def store(self, roles: Roles, budget: "MemoryBudget") -> None:
        """Return None: there is no store but memory."""


def side_by_side(columns: Sequence[Any], n_rows: int) -> Floats:
    """Return columns of numbers as the columns of a C-ordered matrix."""
    X = np.empty((n_rows, len(columns)))
    for start in range(0, n_rows, _ROWS_TURNED_AT_ONCE):
        rows = slice(start, start + _ROWS_TURNED_AT_ONCE)
        for j, column in enumerate(columns):
            X[rows, j] = column[rows]
    return X
