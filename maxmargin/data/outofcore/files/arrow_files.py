"""Batches of rows out of Parquet and Feather files, with little of the file in memory at a time.

The scanner of `pyarrow.dataset` is not used: on a Parquet file of 200 MiB, read three times in chunks of a budget of
64 MiB, its memory grew by 320 to 520 MiB, whatever its read-ahead, and with `iter_batches` by 90 MiB. It took 0.05 s
a pass in place of 0.08 s, which is no reason to exceed the budget.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.frames import index_columns
from maxmargin.data.outofcore.budget import Budget, size_text
from maxmargin.data.outofcore.row_cache import RowNumbers
from maxmargin.text.data_error import data_error

_LARGEST_BUFFER, _SMALLEST_BUFFER = 1 << 20, 1 << 14
"""Largest and smallest number of bytes of every column that are read ahead."""

_LEAST_FOR_THREADS = 1 << 27
"""Smallest budget, in bytes, with which Arrow reads several columns at once: each thread has memory of its own."""


class ArrowFile(ABC):
    """A file of columns whose rows are stored in groups.

    Attributes
    ----------
    path : str
    names : tuple of str
    index : tuple of int
        Positions of the columns that hold the index of a pandas data frame.
    starts : ndarray of int
        The first row of every group, and the number of all rows.
    n_rows_at_once : int
        Rows of a batch of all columns.
    """

    def __init__(self, path: str, schema: Any, group_rows: Sequence[int], budget: Budget) -> None:
        self.path = path
        self.names: tuple[str, ...] = tuple(schema.names)
        self.index = index_columns(self.names, schema.metadata)
        self.starts: RowNumbers = np.cumsum([0, *group_rows])
        self.n_rows_at_once = budget.chunk_rows(len(self.names))

    @abstractmethod
    def batches(self, n_rows: int, columns: Sequence[str], groups: Sequence[int] | None = None) -> Iterator[Any]:
        """Yield record batches of up to `n_rows` rows of some groups, in order, with columns as in the file."""


class ParquetFile(ArrowFile):
    """A Parquet file."""

    def __init__(self, path: str, budget: Budget) -> None:
        from pyarrow import parquet

        with readable(path, "Parquet"):
            file = parquet.ParquetFile(path)
            metadata, schema = file.metadata, file.schema_arrow
        group_rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        super().__init__(path, schema, group_rows, budget)
        self._metadata = metadata
        self._in_threads = budget.memory >= _LEAST_FOR_THREADS
        self._buffer = max(_SMALLEST_BUFFER, min(_LARGEST_BUFFER, budget.memory // (16 * max(len(self.names), 1))))

    def batches(self, n_rows: int, columns: Sequence[str], groups: Sequence[int] | None = None) -> Iterator[Any]:
        """Yield record batches of up to `n_rows` rows of some groups, in order, with columns as in the file."""
        from pyarrow import default_memory_pool, parquet

        if self.starts[-1] == 0:
            return
        options = {"row_groups": groups, "columns": list(columns), "use_threads": self._in_threads}
        with readable(self.path, "Parquet"):
            file = parquet.ParquetFile(self.path, metadata=self._metadata, buffer_size=self._buffer, pre_buffer=False)
            try:
                with file:
                    for batch in file.iter_batches(n_rows, **options):
                        yield batch.select(list(columns))  # Arrow may add "a.b", as if it were a part of "a"
            finally:
                default_memory_pool().release_unused()  # otherwise Arrow keeps all memory of the pass


class FeatherFile(ArrowFile):
    """A Feather (Arrow IPC) file; its groups are its record batches."""

    def __init__(self, path: str, budget: Budget) -> None:
        with readable(path, "Feather"), _reader(path, None) as reader:
            schema = reader.schema
        with readable(path, "Feather"), _reader(path, [0]) as reader:
            group_rows = [reader.get_batch(group).num_rows for group in range(reader.num_record_batches)]
        super().__init__(path, schema, group_rows, budget)
        _check_size(path, max(group_rows, default=0), len(self.names), budget.memory // 4)

    def batches(self, n_rows: int, columns: Sequence[str], groups: Sequence[int] | None = None) -> Iterator[Any]:
        """Yield record batches of up to `n_rows` rows of some groups, in order, with columns as in the file."""
        fields = [j for j, name in enumerate(self.names) if name in columns]
        chosen = range(len(self.starts) - 1) if groups is None else groups
        with readable(self.path, "Feather"), _reader(self.path, fields) as reader:
            for group in chosen:
                batch = reader.get_batch(group)
                for start in range(0, batch.num_rows, n_rows):
                    yield batch.slice(start, n_rows)


@contextmanager
def _reader(path: str, fields: list[int] | None) -> Iterator[Any]:
    from pyarrow import OSFile, ipc

    options = ipc.IpcReadOptions() if fields is None else ipc.IpcReadOptions(included_fields=fields)
    with OSFile(path) as file, ipc.open_file(file, options=options) as reader:
        yield reader


def _check_size(path: str, n_rows: int, n_columns: int, limit: int) -> None:
    n_bytes = 8 * n_rows * n_columns
    if n_bytes > limit:
        raise data_error(
            path, found=f"record batches of {n_rows} rows ({size_text(n_bytes)})",
            expected=f"at most {size_text(limit)} at a time",
            hint="allow more memory, or write the file with a smaller chunksize",
        )  # fmt: skip


@contextmanager
def readable(path: str, form: str) -> Iterator[None]:
    """Translate the errors of Arrow about a broken file."""
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise data_error(path, found=f"broken {form} data: {reason}", expected=f"a complete {form} file") from error


def positions_in(starts: RowNumbers, numbers: RowNumbers) -> tuple[list[int], NDArray[np.int64]]:
    """Return the groups that hold the rows, and the positions of the rows where these groups stand one after another.

    Examples
    --------
    >>> groups, positions = positions_in(np.array([0, 10, 20, 30]), np.array([3, 25]))
    >>> groups, positions.tolist()
    ([0, 2], [3, 15])
    """
    groups, group_of = np.unique(np.searchsorted(starts, numbers, "right") - 1, return_inverse=True)
    before = np.cumsum([0, *(starts[groups + 1] - starts[groups])])
    positions = numbers - starts[groups][group_of] + before[group_of]
    return groups.tolist(), positions
