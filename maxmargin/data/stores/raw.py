"""Arrays as NumPy stores them, in a file of their own, in an `.npz` archive, or in a temporary file."""

import os
import tempfile
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.numbers.binary64 import NumberError, numbers
from maxmargin.data.opening import unreadable
from maxmargin.data.stores.budget import size_text
from maxmargin.data.stores.stored_matrix import FileStamp, Piece
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.text.data_error import data_error

# Largest distance, in rows, of rows that are read together.
_GAP = 64


class OpenFile:
    """A file that any thread reads from any position, and that is closed once nothing refers to it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        weakref.finalize(self, os.close, descriptor)

    @classmethod
    def of(cls, path: str) -> "OpenFile":
        """Open a file for reading."""
        return cls(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)))

    @classmethod
    def temporary(cls) -> "OpenFile":
        """Create a file without a name, which disappears once it is closed, however the process ends.

        It is in the folder `TMPDIR`, or else in /var/tmp, if that exists, which unlike /tmp is never a part of memory.
        """
        folder = None if os.environ.get("TMPDIR") or not os.path.isdir("/var/tmp") else "/var/tmp"
        with tempfile.TemporaryFile(dir=folder) as file:
            return cls(os.dup(file.fileno()))

    def read_into(self, into: memoryview, offset: int) -> int:
        """Fill `into` from a position in the file; return the number of bytes read, which is less only at its end."""
        n_read = 0
        while n_read < len(into) and (n_more := self._read_some(into[n_read:], offset + n_read)):
            n_read += n_more
        return n_read

    def _read_some(self, into: memoryview, offset: int) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(self._descriptor, [into], offset)
        with self._lock:
            os.lseek(self._descriptor, offset, os.SEEK_SET)
            content = os.read(self._descriptor, len(into))
        into[: len(content)] = content
        return len(content)

    def write(self, content: memoryview) -> None:
        """Append bytes."""
        n_written = 0
        while n_written < len(content):
            n_written += os.write(self._descriptor, content[n_written:])


class Scratch:
    """A temporary file to which the numbers of a source are written once."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.file = OpenFile.temporary()
        self.n_bytes = 0

    def write(self, values: NDArray[Any]) -> None:
        """Append the bytes of an array.

        Raises
        ------
        DataError
            There is no room for them.
        """
        content = _bytes_of(values)
        try:
            self.file.write(content)
        except OSError as error:
            size = size_text(self.n_bytes)
            raise data_error(
                self.source, expected="room for 8 bytes a number",
                found=f"no room for its numbers in a temporary file after {size}: {error.strerror}",
                hint="set TMPDIR to a folder on a larger disk, or use Parquet",
            ) from error  # fmt: skip
        self.n_bytes += len(content)

    def rows(self, n_columns: int) -> "RawRows":
        """Return what was written, as rows of binary64 numbers."""
        layout = ArrayLayout(0, np.dtype(np.float64), (self.n_bytes // (8 * n_columns), n_columns))
        return RawRows(path=self.source, file=self.file, layout=layout, columns=tuple(range(n_columns)))


def _bytes_of(values: NDArray[Any]) -> memoryview:
    return memoryview(values.reshape(-1).view(np.uint8).data)


@dataclass(frozen=True, slots=True)
class ArrayLayout:
    """Where an array lies in a file: its first byte, type and shape; `is_fortran` if by columns."""

    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, int]
    is_fortran: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRows:
    """Some columns of an array in a file, read with plain reads: pages of a mapped file would count as memory.

    Attributes
    ----------
    path : str
        The name of the source in error messages.
    file : OpenFile
    layout : ArrayLayout
    columns : tuple of int
        The positions of the features.
    stamp : FileStamp, optional
        The state of the file when it was validated; None for a temporary file.
    """

    path: str
    file: OpenFile
    layout: ArrayLayout
    columns: tuple[int, ...]
    stamp: FileStamp | None = None
    is_slow_for_rows: ClassVar[bool] = False

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.layout.shape[0], len(self.columns)

    def pieces(self, n_rows: int) -> Iterator[Piece]:
        """Yield all rows in order, up to `n_rows` at a time."""
        if self.stamp is not None:
            self.stamp.check()
        for start in range(0, self.shape[0], n_rows):
            rows = slice(start, min(start + n_rows, self.shape[0]))
            yield Piece(rows, partial(self.read, rows.start, rows.stop))

    def some(self, numbers: Rows) -> Floats:
        """Return the rows of increasing numbers; those that lie close together are read at once."""
        if self.stamp is not None:
            self.stamp.check()
        found = np.empty((len(numbers), len(self.columns)))
        ends = np.flatnonzero(np.diff(numbers, append=np.iinfo(np.int64).max) > _GAP) + 1
        first = 0
        for last in ends.tolist():
            start = int(numbers[first])
            found[first:last] = self.read(start, int(numbers[last - 1]) + 1)[numbers[first:last] - start]
            first = last
        return found

    def read(self, start: int, stop: int) -> Floats:
        """Return consecutive rows.

        Raises
        ------
        DataError
            The file is shorter than it was, or holds an integer that binary64 does not.
        """
        stored = self._stored(start, stop)
        if len(self.columns) < stored.shape[1]:
            stored = stored[:, self.columns]
        try:
            return numbers(stored).as_binary64()
        except NumberError as error:
            raise error.in_source(self.path, self.columns[error.column or 0], first_row=start) from error

    def _stored(self, start: int, stop: int) -> NDArray[Any]:
        n_rows, n_columns = self.layout.shape
        size = self.layout.dtype.itemsize
        if not self.layout.is_fortran:
            values = np.empty((stop - start, n_columns), dtype=self.layout.dtype)
            self._fill(values, self.layout.offset + start * n_columns * size)
            return values
        by_column = np.empty((n_columns, stop - start), dtype=self.layout.dtype)
        for j in self.columns:
            self._fill(by_column[j], self.layout.offset + (j * n_rows + start) * size)
        return by_column.T

    def _fill(self, values: NDArray[Any], offset: int) -> None:
        into = _bytes_of(values)
        try:
            n_read = self.file.read_into(into, offset)
        except OSError as error:
            raise unreadable(self.path, error) from error
        if n_read < len(into):
            raise data_error(self.path, found="a file that ends early", expected="all of its rows")
