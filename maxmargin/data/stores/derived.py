"""Rows that are computed from the rows of another source whenever these are read."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from numpy.typing import NDArray

from maxmargin.data.stores.budget import MemoryBudget
from maxmargin.data.stores.row_cache import CachedRows, RowCache
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.problem.rows import RowSource

T = TypeVar("T")


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

    def __init__(self, source: RowSource, change: Callable[[Floats], Floats], bounds: tuple[Floats, Floats]) -> None:
        self.source = source
        self.change = change
        self.bounds = bounds
        budget: MemoryBudget = getattr(source, "budget", MemoryBudget.of())
        self._cache = RowCache(self.shape[1], budget.cache_bytes)
        self.sampled = source.sampled

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.source.shape[0], len(self.bounds[0])

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""
        return self.source.map(partial(_applied, self.change, function), *vectors)

    def _fetched(self, numbers: Rows) -> Floats:
        return self.change(self.source[numbers])


def _applied(
    change: Callable[[Floats], Floats], function: Callable[..., T], rows: slice, X: Floats, *vectors: NDArray[Any]
) -> T:
    return function(rows, change(X), *vectors)
