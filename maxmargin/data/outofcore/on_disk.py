"""Rows in files, read chunk by chunk by every pass."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.outofcore.files.scan import Piece, Store
from maxmargin.data.outofcore.row_cache import CachedRows, CachedStart, RowCache, SampledRows
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.text.announcing import report

if TYPE_CHECKING:
    from maxmargin.data.outofcore.warmstart.resume import Resumption

T = TypeVar("T")


class OnDisk(CachedRows):
    """Rows that lie in one or more stores, one after another.

    Parameters
    ----------
    stores : sequence of Store
        Stores with the same number of columns.
    budget : Budget
    bounds : pair of ndarray (n_columns,)
        The least and the greatest number of every column.
    sampled : SampledRows
        A random sample of rows, in memory.
    resumption : Resumption, optional
        Saves rows for another process.
    """

    def __init__(
        self,
        stores: Sequence[Store],
        budget: Budget,
        bounds: tuple[Floats, Floats],
        sampled: SampledRows,
        resumption: "Resumption | None" = None,
    ) -> None:
        self.stores = tuple(stores)
        self.budget = budget
        self.bounds = bounds
        self._starts = np.cumsum([0, *(store.shape[0] for store in self.stores)])
        self._cache = RowCache(self.shape[1], budget.cache_bytes)
        self._resumption = resumption
        self._sampled = sampled

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return int(self._starts[-1]), self.stores[0].shape[1]

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""

        def work(piece: Piece) -> tuple[int, T]:
            X = piece.read()
            if self._resumption is not None:
                self._resumption.compare(piece.rows, X, self.bounds)
            return piece.rows.stop, function(piece.rows, X, *(v[piece.rows] for v in vectors))

        for n_done, result in in_order(work, self._pieces(), n_workers=self.budget.n_workers):
            report(n_done, self.shape[0])
            yield result
        if self._resumption is not None:
            self._resumption.end_of_pass()

    def _pieces(self) -> Iterator[Piece]:
        n_rows = self.budget.chunk_rows(self.shape[1])
        for start, store in zip(self._starts.tolist(), self.stores, strict=False):
            for piece in store.pieces(n_rows):
                yield piece.shifted(start)

    @property
    def warm_start(self) -> CachedStart:
        """Hints about the rows, which a resumption saves."""
        return CachedStart(self._cache, self._sampled.numbers, self._resumption, self._confirm)

    def _confirm(self) -> None:
        if self._resumption is not None and not self._resumption.is_compared:
            for _ in self.map(_nothing):
                pass

    def _fetched(self, numbers: Rows) -> Floats:
        fetch = self._sampled_or_read
        return fetch(numbers) if self._resumption is None else self._resumption.rows(numbers, fetch)

    def _sampled_or_read(self, numbers: Rows) -> Floats:
        is_sampled, sampled = self._sampled.find(numbers)
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


def _nothing(rows: slice, X: Floats) -> None:
    return None
