"""Protocols of files that are read in parts: the first pass, which validates the rows, and later passes."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.source import unreadable
from maxmargin.data.formats.table import Roles, shown_name
from maxmargin.data.numbers.numerals import DROP_MISSING_HINT, HINTS_OUTSIDE_MEMORY
from maxmargin.data.outofcore.row_cache import SampledRows
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.text.data_error import DataError, data_error

Bounds: TypeAlias = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive rows of a store, and how they are read, in any thread."""

    rows: slice
    read: Callable[[], Floats]

    def shifted(self, n_rows: int) -> "Piece":
        """Return the piece as numbered in a source whose earlier files have `n_rows` rows."""
        return Piece(slice(self.rows.start + n_rows, self.rows.stop + n_rows), self.read)


class StoredMatrix(Protocol):
    """A matrix in one file."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        ...

    def pieces(self, n_rows: int) -> Iterator[Piece]:
        """Yield all rows in order, up to `n_rows` at a time."""
        ...

    def some(self, numbers: Rows) -> Floats:
        """Return the rows of these increasing numbers."""
        ...


class Labelled(NamedTuple):
    """Consecutive rows, found to be finite: the extremes of their columns, their labels as ``distinct[positions]``.

    `lines` are line numbers of a text file, from 1; `sampled` are the rows that were wanted.
    """

    bounds: Bounds
    distinct: Sequence[object]
    positions: NDArray[np.integer[Any]]
    lines: NDArray[np.int64] | None = None
    sampled: SampledRows | None = None


class Reading(Protocol):
    """A file to be read once and validated."""

    path: str
    n_rows: int
    """Number of rows; an estimate if the file has to be read to count them."""

    def labelled(self, roles: Roles, wanted: Rows) -> Iterator[Labelled]:
        """Read and validate all rows, once.

        The rows of the increasing numbers `wanted` are returned too where fetching them later would take a pass.
        """
        ...


class Scan(ABC):
    """A file that was opened, and not yet read.

    Attributes
    ----------
    path : str
    n_rows : int
        Number of rows; an estimate if the file has to be read to count them.
    n_columns : int
    names : tuple of str, optional
        Names of all columns.
    index : tuple of int
        Positions of the columns that hold the index of a pandas data frame.
    notes : tuple of str
    """

    path: str
    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    index: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    def label_name(self, roles: Roles) -> str | int:
        """Return the name of the label column, or its position."""
        return shown_name(self.names, roles.label)

    @abstractmethod
    def labelled(self, roles: Roles, wanted: Rows) -> Iterator[Labelled]:
        """Read and validate the rows; see `Reading.labelled`."""

    @abstractmethod
    def store(self, roles: Roles) -> StoredMatrix:
        """Return the rows for later passes; call it after the first pass."""


@dataclass(frozen=True, slots=True)
class FileStamp:
    """The size and time by which a file is recognised as the one that was validated."""

    path: str
    size: int
    changed: int

    @classmethod
    def of(cls, path: str) -> "FileStamp":
        """Return the stamp of a file as it is now."""
        status = os.stat(path)
        return cls(path, status.st_size, status.st_mtime_ns)

    def check(self) -> None:
        """Raise an error if the file has changed.

        Raises
        ------
        DataError
        """
        try:
            is_same = FileStamp.of(self.path) == self
        except OSError as error:
            raise unreadable(self.path, error) from error
        if not is_same:
            found = "a file that was written to since its rows were checked"
            raise data_error(self.path, found=found, expected="one that stays as it is while it is worked on")


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
    """Return the error about a value that is NaN or infinite."""
    position: dict[str, Any] = {"row": row, "column": column}
    if np.isnan(value):
        hint = HINTS_OUTSIDE_MEMORY[DROP_MISSING_HINT]
        return data_error(path, **position, found="a missing value", expected="a number", hint=hint)
    found = "infinity" if value > 0 else "minus infinity"
    return data_error(path, **position, found=found, expected="a finite number")
