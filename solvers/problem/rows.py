"""Access to rows wherever they live: a function is applied to consecutive chunks, and returns small results."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import in_order, slices
from maxmargin.solvers.problem.sizes import CHUNK_ENTRIES

A = TypeVar("A")
T = TypeVar("T")


_CHUNKS_MULTIPLE = 4
"""If there are several chunks their number is a multiple of this, so that two or four threads have equal shares."""


class RowSource(Protocol):
    """A matrix of finite binary64 numbers, in memory or elsewhere."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""

    @property
    def is_sparse(self) -> bool:
        """Whether chunks are SciPy CSR arrays; else they are C-ordered arrays."""

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` for consecutive slices `rows`, in order.

        The function may run in another thread or on another machine: it must not change anything but its result, and
        must be picklable (a function of a module, or a `functools.partial` of one). It must not keep X[rows].
        """

    def __getitem__(self, rows: Any) -> Any:
        """Return the rows of a slice, or of an array of row numbers, as one array or CSR array."""


class InMemory:
    """An array or CSR array; several threads work on chunks of many rows."""

    def __init__(self, X: Any, chunk_entries: int = CHUNK_ENTRIES) -> None:
        self.X = X
        self.chunk_entries = chunk_entries

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return int(self.X.shape[0]), int(self.X.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether X is sparse."""
        return hasattr(self.X, "tocsr")

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield the result of the function for every chunk, in order."""
        n_rows, n_at_once = self.shape[0], self._chunk_rows()
        if n_at_once >= n_rows:
            yield function(slice(0, n_rows), self.X, *vectors)
            return

        def work(rows: slice) -> T:
            return function(rows, self.X[rows], *(v[rows] for v in vectors))

        chunks = list(slices(n_rows, n_at_once))
        yield from in_order(work, chunks, n_ahead=len(chunks))  # no thread waits for a slow reader

    def _chunk_rows(self) -> int:
        """Return the number of rows in a chunk, which is the same on every machine."""
        n_rows, n_columns = self.shape
        n_entries = self.X.nnz if self.is_sparse else n_rows * n_columns
        n_chunks = max(1, -(-n_entries // self.chunk_entries))
        if n_chunks > 1:
            n_chunks = -(-n_chunks // _CHUNKS_MULTIPLE) * _CHUNKS_MULTIPLE
        return max(1, -(-n_rows // n_chunks))

    def __getitem__(self, rows: Any) -> Any:
        """Return some of the rows."""
        return self.X[rows]


def stacked(parts: Sequence[Any]) -> Any:
    """Return arrays, or CSR arrays, stacked on top of one another."""
    first = parts[0]
    if not hasattr(first, "tocsr"):
        return np.concatenate(parts)
    starts = np.cumsum([0, *(part.nnz for part in parts)])
    offsets = [part.indptr[1:] + start for part, start in zip(parts, starts[:-1], strict=True)]
    content = [np.concatenate([part.data for part in parts]), np.concatenate([part.indices for part in parts])]
    shape = sum(part.shape[0] for part in parts), first.shape[1]
    return type(first)((*content, np.concatenate([[0], *offsets])), shape=shape)
