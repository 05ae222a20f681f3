"""Dask arrays and data frames as rows and as labels."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.labels import LabelError, Labels
from maxmargin.data.outofcore.dask.dask_rows import Backend, DaskRows, Summary, Task, backend, summary_of
from maxmargin.data.outofcore.label_coder import Coder
from maxmargin.data.outofcore.row_cache import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.problem.rows import CHUNK_ENTRIES

Reads: TypeAlias = Callable[[Any, None], Any]
"""Returns an object with the attributes `X`, float64 numbers, and `exact`, None if no number was rounded."""


def is_dask(value: object) -> bool:
    """Return whether `value` is a Dask collection, without importing Dask."""
    return type(value).__module__.partition(".")[0] == "dask" and hasattr(value, "to_delayed")


def rows_of(X: Any, read: Reads, chunk_entries: int = CHUNK_ENTRIES) -> tuple[tuple[str, ...] | None, DaskRows]:
    """Return the names of the columns, if they have any, and the rows of a Dask array or data frame.

    With a distributed client the rows are computed once and stay on its cluster, else they are computed by every pass.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
    read : callable
        Reads one part, an array or a data frame in memory, as `maxmargin.data.arrays.features_of` does. Picklable.
    chunk_entries : int
        Matrix entries in one chunk of a pass.

    Raises
    ------
    InvalidProblemError
        X is not a table of finite real numbers.
    """
    from dask.delayed import delayed

    if getattr(X, "ndim", 0) != 2:
        raise InvalidProblemError(f"X has {getattr(X, 'ndim', 0)} dimensions, expected two, (n_samples, n_features)")
    names = tuple(map(str, X.columns)) if hasattr(X, "columns") else None
    n_columns = int(X.shape[1])
    workers = backend()
    prepared = delayed(_prepared, pure=False)
    parts = workers.hold([prepared(part, n_columns, read) for part in _parts(X)])
    return names, held(parts, workers, chunk_entries)


def held(parts: Sequence[Any], workers: Backend, chunk_entries: int) -> DaskRows:
    """Return the rows of parts that are held by the backend: float64 arrays, or texts with their errors.

    Raises
    ------
    InvalidProblemError
        A part is a text, or there are no rows.
    """
    summaries: list[Summary] = []
    for number, summary in enumerate(workers.run(Task(_summary, part, ()) for part in parts)):
        if isinstance(summary, str):
            raise InvalidProblemError(f"partition {number}: {summary}")
        summaries.append(summary)
    if not any(summary.shape[0] for summary in summaries):
        raise InvalidProblemError("X has no rows, expected at least one")
    return DaskRows(parts, summaries, workers, chunk_entries)


def labels_of_collection(y: Any) -> Labels:
    """Return the labels of a Dask array or series; they are computed once.

    Raises
    ------
    InvalidProblemError
        y has several columns, or a label is missing.
    """
    if getattr(y, "ndim", 0) != 1:
        raise InvalidProblemError(f"y has {getattr(y, 'ndim', 0)} dimensions, expected one, (n_samples,)")
    workers = backend()
    coder = Coder()
    tasks = (Task(distinct_labels, part, ()) for part in workers.hold(_parts(y)))
    try:
        for distinct, positions in workers.run(tasks):
            coder.add(distinct, positions)
        return coder.labels()
    except LabelError as error:
        raise InvalidProblemError(f"y{'' if error.row is None else f', row {error.row}'}: {error}") from error


def digest_of_index(index: Any) -> bytes:
    """Return a hash of the names of all rows in order, of a Dask index or one in memory."""
    digest = hashlib.sha256()
    if not is_dask(index):
        digest.update(_hashes(index))
        return digest.digest()
    workers = backend()
    for hashes in workers.run(Task(_hashes, part, ()) for part in workers.hold(_parts(index))):
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


def _prepared(part: Any, n_columns: int, read: Reads) -> Floats | str:
    """Return a part as a float64 array, or its error as a text."""
    if len(part) == 0:
        return np.empty((0, n_columns))
    try:
        found = read(part, None)
    except InvalidProblemError as error:
        return str(error)
    if found.exact is not None:
        return "found Decimals or Fractions that binary64 does not hold, expected binary64 numbers"
    return found.X if isinstance(found.X, np.ndarray) else "found a sparse array, expected a dense one"


def _summary(part: Floats | str) -> Summary | str:
    return part if isinstance(part, str) else summary_of(part)


def distinct_labels(part: Any) -> tuple[list[Any], NDArray[np.integer[Any]]]:
    """Return the different labels of a part, None for a missing one, and for every row which it has."""
    if hasattr(part, "factorize"):
        codes, distinct = part.factorize()
        labels = [*distinct.tolist(), None]
        return labels, np.where(codes < 0, len(labels) - 1, codes).astype(np.min_scalar_type(-len(labels)))
    distinct, positions = np.unique(np.asarray(part), return_inverse=True)
    return distinct.tolist(), positions.astype(np.min_scalar_type(-max(1, len(distinct))))
