"""Rows outside memory of which those fetched last are cached: engines ask for the same few hundred again and again."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.batches import MemoryBudget
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.problem.problem import sample_size
from maxmargin.solvers.problem.rows import RowSource

T = TypeVar("T")

# Number of bytes of a cached row besides its numbers: its array object, its key, its entry in the dictionary.
_BYTES_BESIDE = 200

# Rows collected for each row of an engine's sample, half of which come from either class: one class may be rare.
_SAMPLES = 2


class RowCache:
    """The most recently used rows that fit into an amount of memory.

    Parameters
    ----------
    n_columns : int
    n_bytes : int
        Memory for the rows.
    """

    def __init__(self, n_columns: int, n_bytes: int) -> None:
        self.n_columns = n_columns
        self.room = n_bytes // (8 * n_columns + _BYTES_BESIDE)
        self._rows: dict[int, Floats] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, numbers: Rows, fetch: Callable[[Rows], Floats]) -> Floats:
        """Return the rows of increasing numbers; `fetch` returns those that are not cached."""
        if len(numbers) > self.room // 2:
            return fetch(numbers)
        wanted = numbers.tolist()
        is_new = np.fromiter((number not in self._rows for number in wanted), np.bool_, len(wanted))
        found = np.empty((len(wanted), self.n_columns))
        for position in np.flatnonzero(~is_new).tolist():
            found[position] = self._rows[wanted[position]]
        if is_new.any():
            found[is_new] = fetch(numbers[is_new])
        self.remember(numbers, found)
        return found

    def remember(self, numbers: Rows, values: Any) -> None:
        """Put rows into the cache; the least recently used ones make room."""
        for number, row in zip(numbers.tolist(), values, strict=True):
            self._rows.pop(number, None)
            self._rows[number] = row.copy()
        for number in list(self._rows)[: max(0, len(self._rows) - self.room)]:
            del self._rows[number]


class CachedRows(ABC):
    """Rows outside memory of which those used last are cached; passes over them are `map` of each subclass."""

    is_sparse = False
    ndim = 2
    # The least and the greatest number of every column.
    bounds: tuple[Floats, Floats]
    # The increasing numbers of rows that can be had without another pass.
    sampled: Rows

    def _start(self, n_rows: int, budget: MemoryBudget) -> None:
        """Set the shape, and make an empty cache."""
        self.shape = n_rows, len(self.bounds[0])
        self._cache = RowCache(self.shape[1], budget.cache_bytes)

    @abstractmethod
    def _fetched(self, numbers: Rows) -> Floats:
        """Return the rows of increasing numbers."""

    def __getitem__(self, rows: Any) -> Floats:
        """Return the rows of a slice, of an array of row numbers, or of a mask."""
        numbers = row_numbers(rows, self.shape[0])
        if (np.diff(numbers) > 0).all():
            return self._cache.rows(numbers, self._fetched)
        distinct, positions = np.unique(numbers, return_inverse=True)
        return self._cache.rows(distinct, self._fetched)[positions]

    def cache(self, rows: Rows, X: Any) -> None:
        """Put rows that a pass selected into the cache, from which later reads of them are answered."""
        self._cache.remember(rows, X)


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
