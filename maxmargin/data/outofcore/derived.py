"""Rows that are made of the rows of a carrier whenever these are read."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.outofcore.on_disk import row_numbers
from maxmargin.data.outofcore.row_cache import Floats, RowCache, RowNumbers
from maxmargin.solvers.problem.rows import Carrier, Found, Use

T = TypeVar("T")


class Derived:
    """A Carrier without rows of its own.

    Parameters
    ----------
    source : Carrier
        Of dense rows.
    change : callable
        Makes other rows of some rows, in a new C-ordered array; of the same row always the same. Picklable.
    bounds : pair of ndarray (n_columns,)
        The least and the greatest number of every column of the changed rows.
    """

    is_sparse = False
    ndim = 2

    def __init__(self, source: Carrier, change: Callable[[Floats], Floats], bounds: tuple[Floats, Floats]) -> None:
        self.source = source
        self.change = change
        self.bounds = bounds
        budget: Budget = getattr(source, "budget", Budget())
        self._cache = RowCache(self.shape[1], budget.cache_bytes)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.source.shape[0], len(self.bounds[0])

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""
        return self.source.map(partial(_applied, self.change, function), *vectors)

    def __getitem__(self, rows: Any) -> Floats:
        """Return the rows of a slice, of an array of row numbers, or of a mask."""
        numbers = row_numbers(rows, self.shape[0])
        distinct, places = np.unique(numbers, return_inverse=True)
        return self._cache.rows(distinct, self._made)[places]

    def remember(self, numbers: RowNumbers, values: Floats, use: Use = "margin") -> None:
        """Keep rows that a pass has brought along: who asks for them next need not read the source again."""
        if use != "sample":
            self._cache.remember(numbers, values)

    def recalled(self, use: Use) -> RowNumbers:
        """Return the numbers of rows of a sample of the source; nothing else is kept for another process."""
        return self.source.recalled(use) if use == "sample" else np.empty(0, np.int64)

    def keep(self, question: str, found: Found) -> None:
        """Keep nothing."""

    def kept(self, question: str) -> Found:
        """Return nothing."""
        return {}

    def confirm(self) -> None:
        """Compare the rows of the source that an earlier process remembered with the data."""
        self.source.confirm()

    def _made(self, numbers: RowNumbers) -> Floats:
        return self.change(self.source[numbers])


def _applied(
    change: Callable[[Floats], Floats], function: Callable[..., T], rows: slice, X: Floats, *vectors: NDArray[Any]
) -> T:
    return function(rows, change(X), *vectors)
