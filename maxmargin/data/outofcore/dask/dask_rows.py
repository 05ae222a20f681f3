"""Rows on a Dask cluster, or in a Dask collection that threads compute: every pass sends its function to them."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.outofcore.announcing import report
from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.outofcore.row_cache import CachedRows, CachedStart, Floats, RowCache, RowNumbers
from maxmargin.solvers.basics.parallel import in_order, slices
from maxmargin.solvers.problem.rows import CHUNK_ENTRIES

T = TypeVar("T")

_RETRIES = 3
"""Number of times that a task is tried again: if a worker is lost, only its own tasks are repeated."""

_MOST_ROWS = 1 << 18
"""Largest number of rows of one task on a cluster, whose entries of vectors (a few MiB) travel with it."""

_TASKS_A_THREAD = 3
"""Number of tasks that are submitted in advance for every thread of the cluster."""


class Task(NamedTuple):
    """A function of a part of the rows and of other arguments."""

    function: Callable[..., Any]
    part: Any
    arguments: tuple[Any, ...]


class Backend(Protocol):
    """Who does the work."""

    splits_parts: bool
    """Whether several tasks share a part; not where every task computes it."""

    def hold(self, parts: Sequence[Any]) -> list[Any]:
        """Return handles of delayed values, computed once where there is a place for them."""
        ...

    def run(self, tasks: Iterable[Task]) -> Iterator[Any]:
        """Yield the results of the tasks, in order; few tasks are submitted at a time."""
        ...


class OnCluster:
    """The workers of a distributed client; parts stay in their memory, or on their disks."""

    splits_parts = True

    def __init__(self, client: Any) -> None:
        self.client = client

    def hold(self, parts: Sequence[Any]) -> list[Any]:
        """Have the parts computed and stored on the cluster; the scheduler recomputes the parts of a lost worker."""
        futures: list[Any] = self.client.compute(list(parts), retries=_RETRIES)
        return futures

    def run(self, tasks: Iterable[Task]) -> Iterator[Any]:
        """Yield the results of the tasks, in order."""
        waiting: deque[Any] = deque()
        most = _TASKS_A_THREAD * max(1, sum(self.client.nthreads().values()))
        try:
            for task in tasks:
                waiting.append(self._submitted(task))
                if len(waiting) >= most:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            self.client.cancel(list(waiting))

    def _submitted(self, task: Task) -> Any:
        return self.client.submit(task.function, task.part, *task.arguments, pure=False, retries=_RETRIES)


class InThreads:
    """Threads of this process, which compute a part every time that it is asked for."""

    splits_parts = False

    def hold(self, parts: Sequence[Any]) -> list[Any]:
        """Return the parts as they are."""
        return list(parts)

    def run(self, tasks: Iterable[Task]) -> Iterator[Any]:
        """Yield the results of the tasks, in order."""
        return in_order(_computed, tasks)


def backend() -> Backend:
    """Return the cluster of the current distributed client, or else threads."""
    client = _current_client()
    return InThreads() if client is None else OnCluster(client)


def _current_client() -> Any:
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        client = distributed.default_client()
    except ValueError:  # there is none
        return None
    return client if client.status == "running" else None  # one that failed to connect is the default all the same


@dataclass(frozen=True, slots=True)
class Summary:
    """The shape of a part, and the extremes of its columns."""

    shape: tuple[int, int]
    low: Floats
    high: Floats


class DaskRows(CachedRows):
    """Rows that other processes hold.

    Parameters
    ----------
    parts : sequence
        Handles of the backend, each of a float64 array of consecutive rows.
    summaries : sequence of Summary
        Of every part.
    workers : Backend
    chunk_entries : int
        Matrix entries in one chunk of rows.
    """

    def __init__(
        self,
        parts: Sequence[Any],
        summaries: Sequence[Summary],
        workers: Backend,
        chunk_entries: int = CHUNK_ENTRIES,
    ) -> None:
        kept = [i for i, summary in enumerate(summaries) if summary.shape[0]]
        self.workers = workers
        self.chunk_entries = chunk_entries
        self.parts = [parts[i] for i in kept]
        self.bounds = (
            np.min([summaries[i].low for i in kept], axis=0),
            np.max([summaries[i].high for i in kept], axis=0),
        )
        self._starts = np.cumsum([0, *(summaries[i].shape[0] for i in kept)])
        self._n_columns = summaries[kept[0]].shape[1]
        self._cache = RowCache(self._n_columns, Budget.of().cache_bytes)
        self.warm_start = CachedStart(self._cache)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return int(self._starts[-1]), self._n_columns

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""
        n_rows, n_columns = self.shape
        step = max(1, self.chunk_entries // n_columns)
        for n_done, results in self.workers.run(self._tasks(function, vectors, step)):
            report(n_done, n_rows)
            yield from results

    def _tasks(self, function: Callable[..., Any], vectors: tuple[NDArray[Any], ...], step: int) -> Iterator[Task]:
        for part, start, stop in zip(self.parts, self._starts[:-1].tolist(), self._starts[1:].tolist(), strict=True):
            n_rows = stop - start
            for local in slices(n_rows, min(step, _MOST_ROWS) if self.workers.splits_parts else n_rows):
                rows = slice(start + local.start, start + local.stop)
                yield Task(_applied, part, (local, rows, step, function, tuple(v[rows] for v in vectors)))

    def _fetched(self, numbers: RowNumbers) -> Floats:
        tasks = []
        for part, start, stop in zip(self.parts, self._starts[:-1], self._starts[1:], strict=True):
            first, last = np.searchsorted(numbers, (start, stop))
            if first < last:
                tasks.append(Task(_taken, part, (numbers[first:last] - start,)))
        return np.concatenate([np.empty((0, self._n_columns)), *self.workers.run(tasks)])


def _computed(task: Task) -> Any:
    return task.function(task.part.compute(scheduler="synchronous"), *task.arguments)


def _applied(
    X: Floats,
    local: slice,
    rows: slice,
    step: int,
    function: Callable[..., T],
    vectors: tuple[NDArray[Any], ...],
) -> tuple[int, list[T]]:
    """Return the number after the last row, and the results of the function for every chunk of these rows."""
    results = []
    for part in slices(rows.stop - rows.start, step):
        chunk = X[local.start + part.start : local.start + part.stop]
        position = slice(rows.start + part.start, rows.start + part.stop)
        results.append(function(position, chunk, *(v[part] for v in vectors)))
    return rows.stop, results


def _taken(X: Floats, numbers: RowNumbers) -> Floats:
    return X[numbers]


def summary_of(X: Floats) -> Summary:
    """Return the shape of a part and the extremes of its columns."""
    return Summary(X.shape, X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf))
