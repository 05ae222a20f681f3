"""The first pass over a file: what every format says of it before and while its rows are validated."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.table import Roles
from maxmargin.data.numbers.hints import DROP_MISSING_HINT, HINTS_OUTSIDE_MEMORY
from maxmargin.data.outofcore.drawn_rows import DrawnRows
from maxmargin.data.outofcore.files.stores import Store
from maxmargin.data.outofcore.row_cache import Floats, RowNumbers
from maxmargin.text.data_error import DataError, data_error

Bounds: TypeAlias = tuple[Floats, Floats]


class Labelled(NamedTuple):
    """Consecutive rows, found to be finite: the extremes of their columns, their labels as ``distinct[places]``.

    `lines` are those of a text file, from 1; `drawn` are those of the rows that were wanted.
    """

    bounds: Bounds
    distinct: Sequence[object]
    places: NDArray[np.integer[Any]]
    lines: NDArray[np.int64] | None = None
    drawn: DrawnRows | None = None


class Reading(Protocol):
    """A file to be read once and validated."""

    path: str

    @property
    def n_rows(self) -> int:
        """Number of rows; an estimate, where only reading tells."""
        ...

    def label_name(self, roles: Roles) -> str | int:
        """Return the name of the label column."""
        ...

    def labelled(self, roles: Roles, start: int, wanted: RowNumbers) -> Iterator[Labelled]:
        """Read all rows from this one on once, and validate them.

        Bring those of the increasing numbers `wanted` along where it costs a pass to fetch them afterwards.
        """
        ...


class Scan(Reading, Protocol):
    """A file that was opened, and not yet read.

    Attributes
    ----------
    n_columns : int
    index : tuple of int
        Positions of the columns that hold the index of a pandas data frame.
    notes : tuple of str
    numbers_path : str or None
        Where numbers are kept that have to be written to another file; None: in a temporary one.
    """

    n_columns: int
    index: tuple[int, ...]
    notes: tuple[str, ...]
    numbers_path: str | None

    @property
    def starts_inside(self) -> bool:
        """Whether reading can start with any row."""
        ...

    @property
    def paths(self) -> tuple[str, ...]:
        """The file, and what belongs to it."""
        ...

    @property
    def writes_numbers(self) -> bool:
        """Whether the numbers are written to another file on reading, and read from there by later passes."""
        ...

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of all columns."""
        ...

    def known(self, n_rows: int, notes: tuple[str, ...]) -> None:
        """Take what an earlier process has found, all of it, instead of reading the rows once."""
        ...

    def labels(self, roles: Roles, n_rows: int) -> Iterator[tuple[Sequence[object], NDArray[np.integer[Any]]]] | None:
        """Yield ``(distinct, places)`` of the first `n_rows` rows; None where that costs as much as reading all."""
        ...

    def store(self, roles: Roles) -> Store:
        """Return the rows for later passes; to be called after the first."""
        ...


@dataclass(frozen=True, slots=True)
class Mark:
    """What tells that a file is still the one that was validated."""

    path: str
    size: int
    changed: int

    @classmethod
    def of(cls, path: str) -> "Mark":
        """Return the mark of a file as it is now."""
        status = os.stat(path)
        return cls(path, status.st_size, status.st_mtime_ns)

    def check(self) -> None:
        """Raise unless the file is what it was.

        Raises
        ------
        DataError
        """
        try:
            is_same = Mark.of(self.path) == self
        except OSError as error:
            raise unreadable(self.path, error) from error
        if not is_same:
            found = "a file that was written to since its rows were checked"
            raise data_error(self.path, found=found, expected="one that stays as it is while it is worked on")


def unreadable(path: str, error: Exception) -> DataError:
    """Word the error of a file that broke off while it was read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).splitlines()[0]
    return data_error(path, found=f"a file that cannot be read: {reason}", expected="a readable file")


def bounds_of(X: Floats, path: str, names: Sequence[str | int], first_row: int) -> Bounds:
    """Return the least and the greatest number of every column.

    Raises
    ------
    DataError
        A number is missing or infinite.
    """
    with np.errstate(invalid="ignore"):
        low, high = X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)
    if len(X) and not (np.isfinite(low).all() and np.isfinite(high).all()):
        row = int(np.argmin(np.isfinite(X).all(axis=1)))
        column = int(np.argmin(np.isfinite(X[row])))
        raise not_finite(X[row, column], path, first_row + row, names[column])
    return low, high


def not_finite(value: float, path: str, row: int, column: str | int) -> DataError:
    """Word the error of a value that is NaN or infinite."""
    place: dict[str, Any] = {"row": row, "column": column}
    if np.isnan(value):
        hint = HINTS_OUTSIDE_MEMORY[DROP_MISSING_HINT]
        return data_error(path, **place, found="a missing value", expected="a number", hint=hint)
    found = "infinity" if value > 0 else "minus infinity"
    return data_error(path, **place, found=found, expected="a finite number")
