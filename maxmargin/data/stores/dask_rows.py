"""Rows on a Dask cluster, or in a Dask array or data frame that threads compute, and labels of such a collection.

Every pass sends its function to the parts of the rows.
"""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.batches import MemoryBudget, distinct_names
from maxmargin.data.dataset import is_dask
from maxmargin.data.labels import CodedLabels, Coder, LabelError, Labels
from maxmargin.data.stores.outside_memory import CachedRows, by_part
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import in_order, slices
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.problem.rows import CHUNK_ENTRIES
from maxmargin.text.data_error import listed, quoted
from maxmargin.text.progress import report_rows_done

T = TypeVar("T")

# Returns an object with the attributes `X`, float64 numbers, `exact`, None if no number was rounded, and `factors`.
Reads: TypeAlias = Callable[[Any, None], Any]

# Number of times that a task is tried again: if a worker is lost, only its own tasks are repeated.
_RETRIES = 3

# Largest number of rows of one task on a cluster, whose entries of vectors (a few MiB) travel with it.
_MOST_ROWS = 1 << 18

# Number of tasks that are submitted together for every thread of the cluster.
_TASKS_A_THREAD = 8

# What every column of a data frame holds, and advice.
_NUMBERS = (
    "numbers or booleans (its partitions do not know each other's levels: compute() the data frame if it fits into "
    "memory, or code the column first, as dask.dataframe.get_dummies does after categorize())"
)


# A function of a part of the rows, and the part.
Task: TypeAlias = tuple[Callable[[Any], Any], Any]


@dataclass(frozen=True)
class DaskWorkers:
    """The workers of a distributed client, or else threads of this process, which compute a part for every task.

    With a client, parts stay in the memory of its workers, or on their disks, and several tasks may share one.
    """

    client: Any = None

    def hold(self, parts: Sequence[Any]) -> list[Any]:
        """Have a cluster compute and store the parts, and again those of a lost worker; threads need none of it."""
        return list(parts) if self.client is None else list(self.client.compute(list(parts), retries=_RETRIES))

    def run(self, tasks: Iterable[Task]) -> Iterator[Any]:
        """Yield the results of the tasks, in order."""
        if self.client is None:
            yield from in_order(_computed, tasks)
            return
        most, waiting = _TASKS_A_THREAD * max(1, sum(self.client.nthreads().values())), iter(tasks)
        while some := list(islice(waiting, most)):
            yield from self.client.gather([self.client.submit(*task, pure=False, retries=_RETRIES) for task in some])


def workers_of_client() -> DaskWorkers:
    """Return the cluster of the current distributed client, or else threads."""
    distributed = sys.modules.get("distributed")
    try:
        client = None if distributed is None else distributed.default_client()
    except ValueError:  # there is none
        client = None
    # A client that failed to connect is the default all the same.
    return DaskWorkers(None if client is None or client.status != "running" else client)


@dataclass(eq=False, repr=False)
class DaskRows(CachedRows):
    """Rows that other processes hold.

    Parameters
    ----------
    parts : sequence
        Handles of the workers, each of a float64 array of consecutive rows.
    sizes : sequence of int
        Number of rows of every part.
    bounds : pair of ndarray (n_columns,)
        The least and the greatest number of every column.
    workers : DaskWorkers
    """

    parts: Sequence[Any]
    sizes: Sequence[int]
    bounds: tuple[Floats, Floats]
    workers: DaskWorkers

    def __post_init__(self) -> None:
        self.parts = [part for part, size in zip(self.parts, self.sizes, strict=True) if size]
        self._starts = np.cumsum([0, *filter(None, self.sizes)])
        self.sampled = np.empty(0, np.int64)
        self._start(int(self._starts[-1]), MemoryBudget.of())

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""
        n_rows, n_columns = self.shape
        step = max(1, CHUNK_ENTRIES // n_columns)
        for n_done, results in self.workers.run(self._tasks(function, vectors, step)):
            report_rows_done(n_done, n_rows)
            yield from results

    def _tasks(self, function: Callable[..., Any], vectors: tuple[NDArray[Any], ...], step: int) -> Iterator[Task]:
        for part, start, stop in zip(self.parts, self._starts[:-1].tolist(), self._starts[1:].tolist(), strict=True):
            n_rows = stop - start
            for local in slices(n_rows, min(step, _MOST_ROWS) if self.workers.client is not None else n_rows):
                rows = slice(start + local.start, start + local.stop)
                yield partial(_applied, local, rows, step, function, tuple(v[rows] for v in vectors)), part

    def _fetched(self, numbers: Rows) -> Floats:
        held = by_part(numbers, self._starts)
        found = self.workers.run((itemgetter(positions), self.parts[k]) for k, positions in held)
        return np.concatenate([np.empty((0, self.shape[1])), *found])


def _computed(task: Task) -> Any:
    function, part = task
    return function(part.compute(scheduler="synchronous"))


def _applied(
    local: slice, rows: slice, step: int, function: Callable[..., T], vectors: tuple[NDArray[Any], ...], X: Floats
) -> tuple[int, list[T]]:
    """Return the number after the last row, and the results of the function for every chunk of these rows."""
    results = []
    for part in slices(rows.stop - rows.start, step):
        chunk = X[local.start + part.start : local.start + part.stop]
        position = slice(rows.start + part.start, rows.start + part.stop)
        results.append(function(position, chunk, *(v[part] for v in vectors)))
    return rows.stop, results


def rows_of(X: Any, read: Reads) -> tuple[tuple[str, ...] | None, DaskRows]:
    """Return the names of the columns, if they have any, and the rows of a Dask array or data frame.

    With a distributed client the rows are computed once and stay on its cluster, else they are computed by every pass.
    Texts and categories are refused: a part does not know the levels of the others.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
    read : callable
        Reads one part, an array or a data frame in memory, as `maxmargin.data.arrays.features_of` does. Picklable.

    Raises
    ------
    InvalidProblemError
        X is not a table of finite real numbers and booleans.
    """
    from dask.delayed import delayed

    if getattr(X, "ndim", 0) != 2:
        raise InvalidProblemError(f"X has {getattr(X, 'ndim', 0)} dimensions, expected two, (n_samples, n_features)")
    names = _names_of_numbers(X) if hasattr(X, "columns") else None
    n_columns = int(X.shape[1])
    workers = workers_of_client()
    prepared = delayed(_prepared, pure=False)
    columns = list(getattr(X, "columns", ()))
    parts = workers.hold([prepared(part, n_columns, columns, read) for part in _parts(X)])
    summaries = list[tuple[int, Floats, Floats]]()
    for number, summary in enumerate(workers.run((_summary, part) for part in parts)):
        if isinstance(summary, str):
            raise InvalidProblemError(f"partition {number}: {summary}")
        summaries.append(summary)
    sizes, lows, highs = zip(*summaries, strict=True)
    if not any(sizes):
        raise InvalidProblemError("X has no rows, expected at least one")
    return names, DaskRows(parts, sizes, (np.min(lows, axis=0), np.max(highs, axis=0)), workers)


def _names_of_numbers(frame: Any) -> tuple[str, ...]:
    """Return the names of the columns of a Dask data frame, none of which holds texts or objects by its type."""
    for name, kind in zip(frame.columns, frame.dtypes, strict=True):
        if kind.kind in "OSTU":
            raise InvalidProblemError(
                f"X, column {quoted(str(name))}: found values of type {kind}, expected {_NUMBERS}"
            )
    return distinct_names(tuple(map(str, frame.columns))) or ()


def labels_of_collection(y: Any) -> Labels:
    """Return the labels of a Dask array or series; they are computed once.

    Raises
    ------
    InvalidProblemError
        y has several columns, or a label is missing.
    """
    if getattr(y, "ndim", 0) != 1:
        raise InvalidProblemError(f"y has {getattr(y, 'ndim', 0)} dimensions, expected one, (n_samples,)")
    workers = workers_of_client()
    coder = Coder()
    try:
        for labels in workers.run((distinct_labels, part) for part in workers.hold(_parts(y))):
            coder.add(labels)
        return coder.labels()
    except LabelError as error:
        raise InvalidProblemError(f"y{'' if error.row is None else f', row {error.row}'}: {error}") from error


def digest_of_index(index: Any) -> bytes:
    """Return a hash of the names of all rows in order, of a Dask index or one in memory."""
    digest, workers = hashlib.sha256(), workers_of_client()
    parts = workers.hold(_parts(index)) if is_dask(index) else []
    for hashes in workers.run((_hashes, part) for part in parts) if parts else [_hashes(index)]:
        digest.update(hashes)
    return digest.digest()


def _hashes(index: Any) -> bytes:
    from pandas.util import hash_pandas_object

    hashes = hash_pandas_object(index, index=False)  # pyright: ignore[reportCallIssue]  # to pandas.util it is any object
    return np.asarray(hashes).tobytes()


def _parts(collection: Any) -> list[Any]:
    """Return the parts of consecutive rows, delayed."""
    if hasattr(collection, "chunks") and collection.ndim == 2 and len(collection.chunks[1]) > 1:
        collection = collection.rechunk({1: -1})
    return list(np.ravel(collection.to_delayed()))


def _prepared(part: Any, n_columns: int, columns: list[Any], read: Reads) -> Floats | str:
    """Return a part as a float64 array, or its error as a text."""
    if len(part) == 0:
        return np.empty((0, n_columns))
    if columns and list(part.columns) != columns:
        return f"found the columns {listed(part.columns)}, expected {listed(columns)}"
    try:
        found = read(part, None)
    except InvalidProblemError as error:
        return str(error)
    if found.exact is not None:
        return "found Decimals or Fractions that binary64 does not hold, expected binary64 numbers"
    if found.factors:  # the types of its columns are not those of the collection
        return f"found texts in column {quoted(found.factors[0].name)}, expected {_NUMBERS}"
    return found.X if isinstance(found.X, np.ndarray) else "found a sparse array, expected a dense one"


def _summary(part: Floats | str) -> tuple[int, Floats, Floats] | str:
    """Return the number of rows of a part and the extremes of its columns, or its error."""
    if isinstance(part, str):
        return part
    return len(part), part.min(axis=0, initial=np.inf), part.max(axis=0, initial=-np.inf)


def distinct_labels(part: Any) -> CodedLabels:
    """Return the different labels of a part, None for a missing one, and for every row which it has."""
    if hasattr(part, "factorize"):
        return CodedLabels.of_pandas(part)
    values = np.asarray(part)
    if values.dtype.kind == "O":
        return CodedLabels.of(values)
    distinct, positions = np.unique(values, return_inverse=True)
    return CodedLabels(distinct.tolist(), positions.astype(np.min_scalar_type(-max(1, len(distinct)))))
