"""Rows in files, read chunk by chunk by every pass."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.stores.budget import MemoryBudget
from maxmargin.data.stores.row_cache import CachedRows, RowCache, SampledRows
from maxmargin.data.stores.stored_matrix import Piece, StoredMatrix
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.text.pass_progress import report_rows_done

T = TypeVar("T")


class OnDisk(CachedRows):
    """Rows that lie in one or more stores, one after another.

    Parameters
    ----------
    stores : sequence of StoredMatrix
        Stores with the same number of columns.
    budget : MemoryBudget
    bounds : pair of ndarray (n_columns,)
        The least and the greatest number of every column.
    sampled : SampledRows
        A random sample of rows, in memory.
    """

    def __init__(
        self, stores: Sequence[StoredMatrix], budget: MemoryBudget, bounds: tuple[Floats, Floats], sampled: SampledRows
    ) -> None:
        self.stores = tuple(stores)
        self.budget = budget
        self.bounds = bounds
        self._starts = np.cumsum([0, *(store.shape[0] for store in self.stores)])
        self._cache = RowCache(self.shape[1], budget.cache_bytes)
        self._sample, self.sampled = sampled, sampled.numbers

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return int(self._starts[-1]), self.stores[0].shape[1]

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""

        def work(piece: Piece) -> tuple[int, T]:
            X = piece.read()
            return piece.rows.stop, function(piece.rows, X, *(v[piece.rows] for v in vectors))

        for n_done, result in in_order(work, self._pieces(), n_workers=self.budget.n_workers):
            report_rows_done(n_done, self.shape[0])
            yield result

    def _pieces(self) -> Iterator[Piece]:
        n_rows = self.budget.chunk_rows(self.shape[1])
        for start, store in zip(self._starts.tolist(), self.stores, strict=False):
            for piece in store.pieces(n_rows):
                yield piece.shifted(start)

    def _fetched(self, numbers: Rows) -> Floats:
        is_sampled, sampled = self._sample.find(numbers)
        if is_sampled.all():
            return sampled
        found = np.empty((len(numbers), self.shape[1]))
        found[is_sampled], found[~is_sampled] = sampled, self._read(numbers[~is_sampled])
        return found

    def _read(self, numbers: Rows) -> Floats:
        parts = []
        for start, stop, store in zip(self._starts[:-1], self._starts[1:], self.stores, strict=True):
            first, last = np.searchsorted(numbers, (start, stop))
            if first < last:
                parts.append(store.some(numbers[first:last] - start))
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, self.shape[1])), *parts])
