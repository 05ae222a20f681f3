"""Rows outside memory: those fetched last are cached, those on disk are read chunk by chunk by every pass."""

import os
import tempfile
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, BinaryIO, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.batches import FileStamp, MemoryBudget, StoredMatrix, stamp_of, unreadable
from maxmargin.data.numbers.binary64 import numbers
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import size_text
from maxmargin.solvers.basics.parallel import in_order, slices
from maxmargin.solvers.problem.problem import sample_size
from maxmargin.solvers.problem.rows import RowSource
from maxmargin.text.data_error import data_error
from maxmargin.text.progress import report_rows_done

T = TypeVar("T")

# Number of bytes of a cached row besides its numbers: its array object, its key, its entry in the dictionary.
_BYTES_BESIDE = 200

# Rows collected for each row of an engine's sample, half of which come from either class: one class may be rare.
_SAMPLES = 2


class CachedRows(ABC):
    """Rows outside memory of which those used last are cached; passes over them are `map` of each subclass."""

    is_sparse = False
    ndim = 2
    # The least and the greatest number of every column.
    bounds: tuple[Floats, Floats]
    # The increasing numbers of rows that can be had without another pass.
    sampled: Rows

    def _start(self, n_rows: int, budget: MemoryBudget) -> None:
        """Set the shape, and make an empty cache of the most recently used rows that fit into its memory."""
        self.shape = n_rows, len(self.bounds[0])
        self._room = budget.cache_bytes // (8 * self.shape[1] + _BYTES_BESIDE)
        self._cached: dict[int, Floats] = {}

    @abstractmethod
    def _fetched(self, numbers: Rows) -> Floats:
        """Return the rows of increasing numbers."""

    def __getitem__(self, rows: Any) -> Floats:
        """Return the rows of a slice, of an array of row numbers, or of a mask."""
        numbers = row_numbers(rows, self.shape[0])
        if (np.diff(numbers) > 0).all():
            return self._increasing(numbers)
        distinct, positions = np.unique(numbers, return_inverse=True)
        return self._increasing(distinct)[positions]

    def _increasing(self, numbers: Rows) -> Floats:
        if len(numbers) > self._room // 2:
            return self._fetched(numbers)
        wanted = numbers.tolist()
        is_new = np.fromiter((number not in self._cached for number in wanted), np.bool_, len(wanted))
        found = np.empty((len(wanted), self.shape[1]))
        for position in np.flatnonzero(~is_new).tolist():
            found[position] = self._cached[wanted[position]]
        if is_new.any():
            found[is_new] = self._fetched(numbers[is_new])
        self.cache(numbers, found)
        return found

    def cache(self, rows: Rows, X: Any) -> None:
        """Put rows into the cache, from which later reads are answered; the least recently used ones make room."""
        for number, row in zip(rows.tolist(), X, strict=True):
            self._cached.pop(number, None)
            self._cached[number] = row.copy()
        for number in list(self._cached)[: max(0, len(self._cached) - self._room)]:
            del self._cached[number]


@dataclass(eq=False, repr=False)
class Derived(CachedRows):
    """Rows of which only the source and a function are stored.

    Parameters
    ----------
    source : RowSource
        Of dense rows.
    change : callable
        Makes other rows of some rows, in a new C-ordered array; of the same row always the same. Picklable.
    bounds : pair of ndarray (n_columns,)
        The least and the greatest number of every column of the changed rows.
    """

    source: RowSource
    change: Callable[[Floats], Floats]
    bounds: tuple[Floats, Floats]

    def __post_init__(self) -> None:
        self.sampled = self.source.sampled
        self._start(self.source.shape[0], getattr(self.source, "budget", MemoryBudget.of()))

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""
        return self.source.map(partial(_applied, self.change, function), *vectors)

    def _fetched(self, numbers: Rows) -> Floats:
        return self.change(self.source[numbers])


def _applied(
    change: Callable[[Floats], Floats], function: Callable[..., T], rows: slice, X: Floats, *vectors: NDArray[Any]
) -> T:
    return function(rows, change(X), *vectors)


def sampled_numbers(n_rows: int, n_columns: int, budget: MemoryBudget) -> Rows:
    """Return the numbers of the rows to collect, the same on every run."""
    wanted = _SAMPLES * sample_size(n_rows, n_columns)
    most = min(n_rows, wanted, budget.collected_bytes // (8 * n_columns))
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False, shuffle=False))


def row_numbers(rows: Any, n_rows: int) -> Rows:
    """Return the numbers, from 0, that a slice, an array of numbers or a mask stands for.

    Raises
    ------
    IndexError
        There is no such row.

    Examples
    --------
    >>> row_numbers(slice(2, 9, 3), 6).tolist(), row_numbers([-1, 0], 6).tolist()
    ([2, 5], [5, 0])
    """
    if isinstance(rows, slice):
        return np.arange(*rows.indices(n_rows))
    wanted = np.asarray(rows)
    numbers = np.flatnonzero(wanted) if wanted.dtype == np.bool_ else wanted.astype(np.int64)
    if numbers.size and not (-n_rows <= numbers.min() and numbers.max() < n_rows):
        raise IndexError(
            f"there are {n_rows} rows, no row {numbers.max() if numbers.max() >= n_rows else numbers.min()}"
        )
    return np.where(numbers < 0, numbers + n_rows, numbers)


def by_part(numbers: Rows, starts: Rows) -> Iterator[tuple[int, Rows]]:
    """Yield each part that holds some of the rows of increasing numbers, and their numbers within it.

    Examples
    --------
    >>> [(k, rows.tolist()) for k, rows in by_part(np.array([3, 25, 27]), np.array([0, 10, 20, 30]))]
    [(0, [3]), (2, [5, 7])]
    """
    for k, (start, stop) in enumerate(pairwise(starts)):
        first, last = np.searchsorted(numbers, (start, stop))
        if first < last:
            yield k, numbers[first:last] - start


# Largest distance, in rows, of rows that are read together.
_GAP = 64

# Largest number of bytes that are read at a time: unpacked, they are still in the processor's cache when copied.
_BYTES_AT_ONCE = 1 << 18


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
        n_done = 0
        for store in self.stores:
            _check_unchanged(store)
            for n_rows, read in store.pieces(self.budget):
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
    if store.stamp is not None and stamp_of(store.stamp[0]) != store.stamp:
        found = "a file that was written to since its rows were checked"
        raise data_error(store.stamp[0], found=found, expected="one that stays as it is while it is worked on")


# Arrays as NumPy stores them, in a file of their own, in an `.npz` archive, or in a temporary file


def fill(values: NDArray[Any], file: BinaryIO, source: str) -> None:
    """Fill an array with the next bytes of a file.

    Raises
    ------
    DataError
        There are not as many.
    """
    into, n_read = _bytes_of(values), 0
    while n_read < len(into):
        n_more = cast("Any", file).readinto(into[n_read : n_read + _BYTES_AT_ONCE])
        if not n_more:
            raise data_error(source, found="a file that ends early", expected="all of its rows")
        n_read += n_more


def _bytes_of(values: NDArray[Any]) -> memoryview:
    return memoryview(values.reshape(-1).view(np.uint8).data)


def chosen_numbers(stored: NDArray[Any], columns: Sequence[int]) -> Floats:
    """Return some columns of a stored array, or all, as binary64 numbers.

    Raises
    ------
    NumberError
        Binary64 does not hold one.
    """
    return numbers(stored if len(columns) == stored.shape[1] else stored[:, columns]).as_binary64()


class OpenFile:
    """A file that any thread reads from any position, and that is closed once nothing refers to it."""

    def __init__(self, file: BinaryIO, source: str) -> None:
        self.source = source
        self._file, self._lock = file, threading.Lock()
        weakref.finalize(self, file.close)

    def fill(self, values: NDArray[Any], offset: int) -> None:
        """Fill an array with the bytes from a position on.

        Raises
        ------
        DataError
            The file is shorter than it was, or cannot be read.
        """
        try:
            with self._lock:
                self._file.seek(offset)
                fill(values, self._file, self.source)
        except OSError as error:
            raise unreadable(self.source, error) from error


class Scratch(OpenFile):
    """A file without a name, to which the numbers of a source are written once.

    It disappears once it is closed, however the process ends. It is in the folder `TMPDIR`, or else in /var/tmp, if
    that exists, which unlike /tmp is never a part of memory.
    """

    def __init__(self, source: str) -> None:
        folder = None if os.environ.get("TMPDIR") or not os.path.isdir("/var/tmp") else "/var/tmp"
        file = tempfile.TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115  # closed by `OpenFile`
        super().__init__(cast("BinaryIO", file), source)
        self.n_bytes = 0

    def write(self, values: NDArray[Any]) -> None:
        """Append the bytes of an array.

        Raises
        ------
        DataError
            There is no room for them.
        """
        content = _bytes_of(values)
        self.n_bytes += len(content)
        try:
            while content:
                content = content[os.write(self._file.fileno(), content) :]
        except OSError as error:
            size = size_text(self.n_bytes - len(content))
            raise data_error(
                self.source, expected="room for 8 bytes a number",
                found=f"no room for its numbers in a temporary file after {size}: {error.strerror}",
                hint="set TMPDIR to a folder on a larger disk, or use Parquet",
            ) from error  # fmt: skip

    def rows(self, n_columns: int) -> "RawRows":
        """Return what was written, as rows of binary64 numbers."""
        layout = ArrayLayout(0, np.dtype(np.float64), (self.n_bytes // (8 * n_columns), n_columns))
        return RawRows(file=self, layout=layout, columns=tuple(range(n_columns)))


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
    file : OpenFile
    layout : ArrayLayout
    columns : tuple of int
        The positions of the features.
    stamp : FileStamp, optional
        The state of the file when it was validated; None for a temporary file.
    """

    file: OpenFile
    layout: ArrayLayout
    columns: tuple[int, ...] = ()
    stamp: FileStamp | None = None
    is_slow_for_rows: ClassVar[bool] = False

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.layout.shape[0], len(self.columns)

    def pieces(self, budget: MemoryBudget) -> Iterator[tuple[int, Callable[[], Floats]]]:
        """Yield, for all rows in order and chunk by chunk, their number and a function that reads them."""
        for rows in slices(self.shape[0], budget.chunk_rows(self.layout.shape[1])):
            yield rows.stop - rows.start, partial(self.read, rows.start, rows.stop)

    def some(self, numbers: Rows) -> Floats:
        """Return the rows of increasing numbers; those that lie close together are read at once."""
        near = np.split(numbers, np.flatnonzero(np.diff(numbers) > _GAP) + 1)
        return np.concatenate([self.read(int(run[0]), int(run[-1]) + 1)[run - run[0]] for run in near])

    def read(self, start: int, stop: int) -> Floats:
        """Return consecutive rows.

        Raises
        ------
        DataError
            The file is shorter than it was.
        NumberError
            Binary64 does not hold one of their numbers.
        """
        n_rows, n_columns = self.layout.shape
        size = self.layout.dtype.itemsize
        if self.layout.is_fortran:
            columns = np.empty((len(self.columns), stop - start), self.layout.dtype)
            for values, j in zip(columns, self.columns, strict=True):
                self.file.fill(values, self.layout.offset + (j * n_rows + start) * size)
            return numbers(columns.T).as_binary64()
        rows = np.empty((stop - start, n_columns), self.layout.dtype)
        self.file.fill(rows, self.layout.offset + start * n_columns * size)
        return chosen_numbers(rows, self.columns)
