"""Matrices in files: how passes and single rows are read, and whether a file is still the same."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

from maxmargin.data.opening import unreadable
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.text.data_error import data_error


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

    # Whether reading a single row takes its neighbours with it.
    is_slow_for_rows: ClassVar[bool]

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
