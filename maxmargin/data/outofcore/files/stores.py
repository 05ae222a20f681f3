"""Rows as a file of any format gives them to later passes: in pieces, or a few by their numbers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from maxmargin.data.outofcore.row_cache import Floats, RowNumbers


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive rows of a store, and how they are read, in any thread."""

    rows: slice
    read: Callable[[], Floats]

    def shifted(self, n_rows: int) -> "Piece":
        """Return the piece as numbered in a source whose earlier files have `n_rows` rows."""
        return Piece(slice(self.rows.start + n_rows, self.rows.stop + n_rows), self.read)


class Store(Protocol):
    """A matrix in one file."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        ...

    def pieces(self, n_rows: int) -> Iterator[Piece]:
        """Yield all rows in order, up to `n_rows` at a time."""
        ...

    def some(self, numbers: RowNumbers) -> Floats:
        """Return the rows of these increasing numbers."""
        ...
