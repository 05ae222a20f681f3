"""Rows in files, read chunk by chunk by every pass."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.outofcore.announcing import report
from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.outofcore.drawn_rows import DrawnRows
from maxmargin.data.outofcore.files.stores import Piece, Store
from maxmargin.data.outofcore.row_cache import CachedStart, Floats, RowCache, RowNumbers
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.solvers.problem.warm_start import Found, Use

if TYPE_CHECKING:
    from maxmargin.data.outofcore.warmstart.resume import Resumption

T = TypeVar("T")


class OnDisk:
    """A Carrier of rows that lie in one or more stores, one after another.

    Parameters
    ----------
    stores : sequence of Store
        With as many columns each.
    budget : Budget
    bounds : pair of ndarray (n_columns,), optional
        The least and the greatest number of every column, if they are known.
    resumption : Resumption, optional
        Where rows are kept for another process.
    drawn : DrawnRows, optional
        Rows at hand, drawn at random.
    """

    is_sparse = False
    ndim = 2

    def __init__(
        self,
        stores: Sequence[Store],
        budget: Budget,
        bounds: tuple[Floats, Floats] | None = None,
        resumption: "Resumption | None" = None,
        drawn: DrawnRows | None = None,
    ) -> None:
        self.stores = tuple(stores)
        self.budget = budget
        self.bounds = bounds
        self._starts = np.cumsum([0, *(store.shape[0] for store in self.stores)])
        self._cache = RowCache(self.shape[1], budget.cache_bytes)
        self._resumption = resumption
        self._drawn = DrawnRows.nothing(self.shape[1]) if drawn is None else drawn

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return int(self._starts[-1]), self.stores[0].shape[1]

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""

        def work(piece: Piece) -> tuple[int, T]:
            X = piece.read()
            if self._resumption is not None and self.bounds is not None:
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

    def __getitem__(self, rows: Any) -> Floats:
        """Return the rows of a slice, of an array of row numbers, or of a mask."""
        numbers = row_numbers(rows, self.shape[0])
        if (np.diff(numbers) > 0).all():
            return self._cache.rows(numbers, self._kept_or_fetched)
        distinct, places = np.unique(numbers, return_inverse=True)
        return self._cache.rows(distinct, self._kept_or_fetched)[places]

    @property
    def warm_start(self) -> CachedStart:
        """Hints beside the rows, which a resumption keeps."""
        hints = self._cache, self._drawn.numbers
        return CachedStart(*hints) if self._resumption is None else _KeptStart(self, self._resumption, *hints)

    def _kept_or_fetched(self, numbers: RowNumbers) -> Floats:
        return self._fetched(numbers) if self._resumption is None else self._resumption.rows(numbers, self._fetched)

    def _fetched(self, numbers: RowNumbers) -> Floats:
        is_drawn, drawn = self._drawn.find(numbers)
        if is_drawn.all():
            return drawn
        found = np.empty((len(numbers), self.shape[1]))
        found[is_drawn], found[~is_drawn] = drawn, self._read(numbers[~is_drawn])
        return found

    def _read(self, numbers: RowNumbers) -> Floats:
        parts = []
        for start, stop, store in zip(self._starts[:-1], self._starts[1:], self.stores, strict=True):
            first, last = np.searchsorted(numbers, (start, stop))
            if first < last:
                parts.append(store.some(numbers[first:last] - start))
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, self.shape[1])), *parts])


class _KeptStart(CachedStart):
    """Hints that are kept for another process, and those of an earlier one."""

    def __init__(self, rows: OnDisk, resumption: "Resumption", cache: RowCache, sample: RowNumbers) -> None:
        super().__init__(cache, sample)
        self._rows = rows
        self._resumption = resumption

    def remember(self, rows: RowNumbers, X: Floats, use: Use) -> None:
        """Keep rows in the cache and for another process."""
        super().remember(rows, X, use)
        self._resumption.remember(rows, X, use)

    def recalled(self, use: Use) -> RowNumbers:
        """Return the numbers of rows that an earlier process remembered for a use; for a sample, else those drawn."""
        kept = self._resumption.recalled(use)
        return kept if kept.size else super().recalled(use)

    def keep(self, question: str, found: Found) -> None:
        """Keep the findings on a question for another process."""
        self._resumption.keep(question, found)

    def kept(self, question: str) -> Found:
        """Return an earlier process's findings on a question."""
        return self._resumption.kept(question)

    def confirm(self) -> None:
        """Compare the rows that an earlier process remembered with the data, unless a pass has done so already."""
        if self._resumption.is_unconfirmed:
            for _ in self._rows.map(_nothing):
                pass


def _nothing(rows: slice, X: Floats) -> None:
    return None


def row_numbers(rows: Any, n_rows: int) -> RowNumbers:
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
