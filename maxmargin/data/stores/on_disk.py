"""Rows in files, read chunk by chunk by every pass, and whether a file is still the same."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.opening import unreadable
from maxmargin.data.stores.budget import MemoryBudget
from maxmargin.data.stores.row_cache import CachedRows, by_part
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.text.data_error import data_error
from maxmargin.text.pass_progress import report_rows_done

T = TypeVar("T")


# The path, size and time by which a file is recognised as the one that was validated.
FileStamp: TypeAlias = tuple[str, int, int]


def file_stamp(path: str) -> FileStamp:
    """Return the stamp of a file as it is now.

    Raises
    ------
    DataError
        There is no such file, or it cannot be read.
    """
    try:
        status = os.stat(path)
    except OSError as error:
        raise unreadable(path, error) from error
    return path, status.st_size, status.st_mtime_ns


class StoredMatrix(Protocol):
    """A matrix in one file."""

    # Whether reading a single row takes its neighbours with it.
    is_slow_for_rows: ClassVar[bool]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        ...

    @property
    def stamp(self) -> FileStamp | None:
        """The state of the file when it was validated; None for a temporary file."""
        ...

    def pieces(self, n_rows: int) -> Iterator[tuple[int, Callable[[], Floats]]]:
        """Yield, for all rows in order and up to `n_rows` at a time, their number and a function that reads them."""
        ...

    def some(self, numbers: Rows) -> Floats:
        """Return the rows of these increasing numbers."""
        ...


@dataclass(eq=False, repr=False)
class OnDisk(CachedRows):
    """Rows that lie in one or more stores, one after another.

    Parameters
    ----------
    stores : sequence of StoredMatrix
        Stores with the same number of columns.
    budget : MemoryBudget
    bounds : pair of ndarray (n_columns,)
        The least and the greatest number of every column.
    sampled : ndarray of int
        The increasing numbers of a random sample of rows.
    sample : ndarray
        These rows, in memory.
    """

    stores: Sequence[StoredMatrix]
    budget: MemoryBudget
    bounds: tuple[Floats, Floats]
    sampled: Rows
    sample: Floats

    def __post_init__(self) -> None:
        self._starts = np.cumsum([0, *(store.shape[0] for store in self.stores)])
        self._start(int(self._starts[-1]), self.budget)

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""

        def work(piece: tuple[slice, Callable[[], Floats]]) -> tuple[int, T]:
            rows, read = piece
            return rows.stop, function(rows, read(), *(v[rows] for v in vectors))

        for n_done, result in in_order(work, self._pieces(), n_workers=self.budget.n_workers):
            report_rows_done(n_done, self.shape[0])
            yield result

    def _pieces(self) -> Iterator[tuple[slice, Callable[[], Floats]]]:
        n_done, n_at_once = 0, self.budget.chunk_rows(self.shape[1])
        for store in self.stores:
            _check_unchanged(store)
            for n_rows, read in store.pieces(n_at_once):
                yield slice(n_done, n_done + n_rows), read
                n_done += n_rows

    def _fetched(self, numbers: Rows) -> Floats:
        positions = np.searchsorted(self.sampled, numbers)
        is_sampled = np.append(self.sampled, -1)[positions] == numbers
        found, parts = np.empty((len(numbers), self.shape[1])), [np.empty((0, self.shape[1]))]
        found[is_sampled] = self.sample[positions[is_sampled]]
        for k, rows in by_part(numbers[~is_sampled], self._starts):
            _check_unchanged(self.stores[k])
            parts.append(self.stores[k].some(rows))
        found[~is_sampled] = np.concatenate(parts)
        return found


def _check_unchanged(store: StoredMatrix) -> None:
    """Raise an error if the file of a store has changed.

    Raises
    ------
    DataError
    """
    if store.stamp is not None and file_stamp(store.stamp[0]) != store.stamp:
        found = "a file that was written to since its rows were checked"
        raise data_error(store.stamp[0], found=found, expected="one that stays as it is while it is worked on")
