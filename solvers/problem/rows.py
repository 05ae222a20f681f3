"""Rows wherever they live: a function is applied to consecutive chunks, and returns small results.

Beside the rows are the sizes of data at which work is divided or done differently. They change time and memory, never a
proof.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.parallel import in_order, slices

T = TypeVar("T")

# Matrix entries in one chunk of rows (16 MiB of binary64): bounds the memory of temporaries.
CHUNK_ENTRIES = 1 << 21

# Largest number of matrix entries that are summed in integers, in about a quarter of a second.
EXACT_ENTRIES = 1 << 17

# Largest number of rows in a chunk: vectors with an entry for each stay in the cache of a processor.
_MOST_CHUNK_ROWS = 1 << 17

# If there are several chunks their number is a multiple of this, so that two or four threads have equal shares.
_CHUNKS_MULTIPLE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSizes:
    """Sizes that travel with a problem.

    Attributes
    ----------
    chunk_entries : int
        Matrix entries in one chunk of rows in memory.
    exact_entries : int
        Largest number of matrix entries in support rows that are summed in integers; more are summed in floating
        point, with bounds of the rounding errors.
    last_resort_entries : int
        As `exact_entries`, where floating point overflows.
    integer_rows : int
        Number of rows that are turned into integers at a time.
    exact_rows : int
        Largest number of rows next to the margin whose slack is computed exactly.
    exact_slack_entries : int
        Largest number of matrix entries for which the squared slacks of all rows are computed in integers, in a few
        hundredths of a second.
    least_sample : int
        Smallest number of rows of a sample (all rows if they are fewer).
    fetched_rows : int
        Number of rows that any chunk may contribute to a program of rows near the margin, whatever its share of all
        rows.
    factorised_side : int
        Largest order (the number of rows or of columns, whichever is smaller) of a dense matrix that the interior point
        factorises in every iteration.
    block_entries, block_rows : int
        A pass of the interior point works on blocks of about this number of entries, and of at least this number of
        rows: 2 MiB, with its product, stay in the cache.
    class_entries : int
        Number of entries in the matrix of all inequalities of more than two classes above which the perceptron is tried
        before them.
    call_entries : int
        Largest number of stored entries in one compiled call of dual coordinate descent, which cannot be interrupted:
        some tens of milliseconds.
    """

    chunk_entries: int = CHUNK_ENTRIES
    exact_entries: int = EXACT_ENTRIES
    last_resort_entries: int = 1 << 21
    integer_rows: int = 4096
    exact_rows: int = 2000
    exact_slack_entries: int = 1 << 14
    least_sample: int = 2000
    fetched_rows: int = 1000
    factorised_side: int = 3000
    block_entries: int = 1 << 18
    block_rows: int = 256
    class_entries: int = 1_000_000
    call_entries: int = 1 << 24


DEFAULT_SIZES = WorkSizes()


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

    @property
    def sampled(self) -> Rows:
        """Increasing positions of random rows that can be had without another pass; empty if there are none."""

    def cache(self, rows: Rows, X: Any) -> None:
        """Keep the rows X at these positions, which a pass selected, if fetching them would cost another pass."""


class InMemory:
    """An array or CSR array; several threads work on chunks of many rows."""

    sampled: Rows = np.empty(0, np.int64)

    def __init__(self, X: Any, chunk_entries: int = CHUNK_ENTRIES) -> None:
        self.X, self.chunk_entries = X, chunk_entries
        self.shape, self.is_sparse = (int(X.shape[0]), int(X.shape[1])), hasattr(X, "tocsr")

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
        n_chunks = max(1, -(-n_entries // self.chunk_entries), -(-n_rows // _MOST_CHUNK_ROWS))
        if n_chunks > 1:
            n_chunks = -(-n_chunks // _CHUNKS_MULTIPLE) * _CHUNKS_MULTIPLE
        return max(1, -(-n_rows // n_chunks))

    def __getitem__(self, rows: Any) -> Any:
        """Return some of the rows."""
        return self.X[rows]

    def cache(self, rows: Rows, X: Any) -> None:
        """Do nothing: all rows are in memory."""


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


class ChosenRows:
    """A RowSource of some rows of another one, selected from every chunk as it is read; no copy outlives its chunk.

    Parameters
    ----------
    source : RowSource
    numbers : ndarray of int
        Positions of the rows, increasing.
    """

    def __init__(self, source: RowSource, numbers: NDArray[np.int64]) -> None:
        self.source, self.numbers = source, numbers
        self.shape, self.is_sparse = (len(numbers), source.shape[1]), source.is_sparse

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""
        positions = self._spread(np.arange(len(self.numbers)), -1)
        spread = [self._spread(vector, 0) for vector in vectors]
        for found in self.source.map(partial(_applied, function), positions, *spread):
            yield from found

    def _spread(self, vector: NDArray[Any], fill: int) -> NDArray[Any]:
        """Return the vector with entries for the rows left out as well."""
        spread = np.full((self.source.shape[0], *vector.shape[1:]), fill, dtype=vector.dtype)
        spread[self.numbers] = vector
        return spread

    def __getitem__(self, rows: Any) -> Any:
        """Return the rows of a slice, of an array of row numbers, or of a mask."""
        return self.source[self.numbers[rows]]

    @property
    def sampled(self) -> Rows:
        """Positions, among the chosen rows, of the rows sampled from all."""
        return np.flatnonzero(np.isin(self.numbers, self.source.sampled))

    def cache(self, rows: Rows, X: Any) -> None:
        """Keep chosen rows that a pass selected."""
        self.source.cache(self.numbers[rows], X)


def _applied(
    function: Callable[..., T], _: slice, X: Any, positions: NDArray[np.int64], *vectors: NDArray[Any]
) -> tuple[T, ...]:
    """Return the results of the function for the chosen rows of a chunk; none if no row is chosen there."""
    chosen = np.flatnonzero(positions >= 0)
    if not chosen.size:
        return ()
    first = int(positions[chosen[0]])
    rows = slice(first, first + len(chosen))
    return (function(rows, X[chosen], *(vector[chosen] for vector in vectors)),)
