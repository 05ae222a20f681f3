"""What every reader returns, and how the columns of a source are chosen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import DataError, data_error, listed, nearest, quote

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix: TypeAlias = NDArray[np.float64] | csr_array

ColumnRef: TypeAlias = str | int
Texts: TypeAlias = list[str | None]

DROP_MISSING_HINT = "leave out rows with missing values with --drop-missing"
TEXT_HINT = "drop it with --drop or encode it with --one-hot"

HINTS_OUTSIDE_MEMORY = {
    DROP_MISSING_HINT: "clean the file, leave the column out with --drop, or use --drop-missing with more --memory",
    TEXT_HINT: "drop it with --drop, or use --one-hot with more --memory",
}
"""What to do instead where rows are read in parts: there none is left out, and no text is encoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Positions of the label, of the features and of the row names among the columns of a source."""

    label: int
    features: tuple[int, ...]
    id: int | None
    dropped: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the user asked for: which columns, and what to do with text and missing values."""

    label: ColumnRef = -1
    drop: tuple[ColumnRef, ...] = ()
    id: ColumnRef | None = None
    one_hot: bool = False
    drop_missing: bool = False
    keep_texts: bool = False

    @property
    def needs_texts(self) -> bool:
        """Whether the texts of the features are needed, not their binary64 values alone."""
        return self.one_hot or self.keep_texts

    def roles(self, names: Sequence[str] | None, n_columns: int, source: str) -> Roles:
        """Resolve names and positions against the columns of `source`.

        Raises
        ------
        DataError
            A column does not exist, is named twice, has two roles, or no feature is left.
        """
        if n_columns == 1:
            raise data_error(source, found="one column only", expected="at least two: features and a label")
        columns = _Columns(names=names, n_columns=n_columns, source=source)
        label = columns.find(self.label, "label")
        row_id = None if self.id is None else columns.find(self.id, "id")
        dropped = {columns.find(column, "drop") for column in self.drop}
        for taken, option in ((dropped, "drop"), ({row_id}, "id")):
            if label in taken:
                raise data_error(
                    source, column=columns.shown(label), option=option, found="the label column",
                    expected="another column", hint=f"choose the label with {option('label')}",
                )  # fmt: skip
        features = tuple(j for j in range(n_columns) if j not in dropped and j not in (label, row_id))
        if not features:
            raise data_error(source, found="no feature column left", expected="at least one beside the label")
        return Roles(label=label, features=features, id=row_id, dropped=tuple(sorted(dropped)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    names: Sequence[str] | None
    n_columns: int
    source: str

    def find(self, wanted: ColumnRef, option: str) -> int:
        if isinstance(wanted, str):
            matches = [j for j, name in enumerate(self.names or ()) if name == wanted]
            if len(matches) > 1:
                raise self._error(
                    option, f"{len(matches)} columns named {quote(wanted)}", "one", f"positions {listed(matches)}"
                )
            if matches:
                return matches[0]
        return self._position(wanted, option)

    def _position(self, wanted: ColumnRef, option: str) -> int:
        position = _whole_number(wanted)
        if position is None:
            raise self._unknown(wanted, option)
        if not -self.n_columns <= position < self.n_columns:
            raise self._error(
                option, f"position {position}", f"a position from {-self.n_columns} to {self.n_columns - 1}", ""
            )
        return position % self.n_columns

    def _unknown(self, wanted: ColumnRef, option: str) -> DataError:
        if self.names is None:
            expected = f"a position from 0 to {self.n_columns - 1}, as the columns have no names"
            return self._error(option, f"no column {quote(wanted)}", expected, "")
        expected = f"one of {listed(self.names)}, or a position"
        return self._error(option, f"no column {quote(wanted)}", expected, nearest(wanted, self.names))

    def _error(self, option: str, found: str, expected: str, hint: str) -> DataError:
        return data_error(self.source, option=option, found=found, expected=expected, hint=hint)

    def shown(self, position: int) -> str | int:
        return shown_name(self.names, position)


def _whole_number(wanted: ColumnRef) -> int | None:
    if isinstance(wanted, int):
        return wanted
    try:
        return int(wanted)
    except ValueError:
        return None


def shown_name(names: Sequence[str] | None, position: int) -> str | int:
    """Return the name of a column where it has one, else its position."""
    return names[position] if names is not None and names[position] else position


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: float64 numbers with NaN where missing, or texts with None where missing.

    The numbers may come with their texts, as the source writes them.
    """

    name: str | int
    values: NDArray[np.float64] | Texts
    texts: Sequence[str] | None = None

    def is_missing(self) -> NDArray[np.bool_]:
        """Return which rows have no value."""
        if isinstance(self.values, list):
            return np.array([text is None for text in self.values], dtype=np.bool_)
        return np.isnan(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a reader returns: features and labels, with the place every row came from.

    Attributes
    ----------
    source : str
        Display name.
    names : tuple of str or int
        Names of the features; a column without a name is called by its position in the source.
    features : tuple of Column, or float64 array, or CSR array
        The features. Missing values are NaN (or None in texts).
    label : ndarray or list
        The labels as stored, None or NaN where missing.
    label_name : str or int
        Name or position of the label column.
    ids : tuple of str, optional
        Names of the rows.
    lines : int64 array, optional
        Line of every row in a text file, from 1.
    origin : int64 array, optional
        Row in the source of every row, from 0, once some were left out.
    notes : tuple of str
        What was left out.
    """

    source: str
    names: tuple[str | int, ...]
    features: "tuple[Column, ...] | Matrix"
    label: "NDArray[Any] | Texts"
    label_name: str | int
    ids: tuple[str, ...] | None = None
    lines: NDArray[np.int64] | None = None
    origin: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()

    def error(self, row: int, column: str | int | None, *, found: str, expected: str, hint: str = "") -> DataError:
        """Word an error at a row of the table."""
        if self.lines is None:
            row = row if self.origin is None else int(self.origin[row])
            return data_error(self.source, row=row, column=column, found=found, expected=expected, hint=hint)
        line = int(self.lines[row])
        return data_error(self.source, line=line, column=column, found=found, expected=expected, hint=hint)

    def error_of_source(
        self, *, found: str, expected: str, column: str | int | None = None, hint: str = ""
    ) -> DataError:
        """Word an error of the whole source, or of a whole column."""
        return data_error(self.source, column=column, found=found, expected=expected, hint=hint)


def kept_names(names: Sequence[str] | None, features: Iterable[int]) -> tuple[str | int, ...]:
    """Return the names of the features, or positions in the source where it has no names."""
    return tuple(shown_name(names, j) for j in features)


def drop_note(names: Sequence[str] | None, roles: Roles) -> tuple[str, ...]:
    """Say which columns were left out because the user asked for it."""
    if not roles.dropped:
        return ()
    return (f"dropped on request: {', '.join(repr(shown_name(names, j)) for j in roles.dropped)}",)
