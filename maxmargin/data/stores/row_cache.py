"""The rows outside memory that are cached: those fetched last, and a random sample of all rows.

Engines ask for the same few hundred rows again and again, and start from some rows of a sample.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from maxmargin.data.stores.budget import MemoryBudget
from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.problem.problem import sample_size

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
        if is_new.all():
            found = fetch(numbers)
        else:
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
    sampled: Rows = np.empty(0, np.int64)
    _cache: RowCache

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""

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


class SampledRows(NamedTuple):
    """Rows by their numbers, which increase."""

    numbers: Rows
    values: Floats

    @classmethod
    def nothing(cls, n_columns: int) -> "SampledRows":
        """Return no rows."""
        return cls(np.empty(0, np.int64), np.empty((0, n_columns)))

    @classmethod
    def joined(cls, parts: Sequence["SampledRows"], n_columns: int) -> "SampledRows":
        """Return rows of increasing numbers that came in several parts."""
        numbers, values = zip(cls.nothing(n_columns), *parts, strict=True)
        return cls(np.concatenate(numbers), np.concatenate(values))

    def shifted(self, n_rows: int) -> "SampledRows":
        """Return the rows as numbered in a source whose earlier files have `n_rows` rows."""
        return SampledRows(self.numbers + n_rows, self.values)

    def find(self, numbers: Rows) -> tuple[Mask, Floats]:
        """Return which of these rows are in the sample, and their values in the order of the numbers."""
        if not self.numbers.size:
            return np.zeros(len(numbers), dtype=np.bool_), self.values
        positions = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        is_here = self.numbers[positions] == numbers
        return is_here, self.values[positions[is_here]]


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
