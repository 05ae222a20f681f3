"""Parquet and Feather files: whole, or in batches of their rows with little of a file in memory at a time.

The scanner of `pyarrow.dataset` is not used: on a Parquet file of 200 MiB, read three times in chunks of a budget of
64 MiB, its memory grew by 320 to 520 MiB, whatever its read-ahead, and with `iter_batches` by 90 MiB. It took 0.05 s
a pass in place of 0.08 s, which is no reason to exceed the budget.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.column_roles import Choice, Layout, Roles
from maxmargin.data.numbers.binary64 import numbers
from maxmargin.data.opening import is_compressed, kind_of, open_binary, read_bytes
from maxmargin.data.sources.batches import InOnePiece, Table, side_by_side
from maxmargin.data.sources.frames import index_columns, open_frame, readable, table_of_series
from maxmargin.data.stores.budget import MemoryBudget, size_text
from maxmargin.data.stores.stored_matrix import FileStamp, Piece
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.text.data_error import data_error

# Largest and smallest number of bytes of every column that are read ahead.
_LARGEST_BUFFER, _SMALLEST_BUFFER = 1 << 20, 1 << 14

# Smallest budget, in bytes, with which Arrow reads several columns at once: each thread has memory of its own.
_LEAST_FOR_THREADS = 1 << 27


def open_arrow(path: str, choice: Choice) -> "ArrowFile | InOnePiece":
    """Open a Parquet or Feather file (also `.gz`).

    Raises
    ------
    DataError
        The file is broken.
    """
    if kind_of(path, choice.format) == ".feather" and os.path.isfile(path):
        with open_binary(path) as opened:
            is_first_version = opened.read(4) == b"FEA1"
        if is_first_version:  # it is read as a whole
            from pyarrow import BufferReader, feather

            with readable(path, "Feather"):
                table = feather.read_table(BufferReader(read_bytes(path)))
            return open_frame(table, choice, path)
    file = (ParquetFile if kind_of(path, choice.format) == ".parquet" else FeatherFile)(path)
    return file if len(set(file.names)) == len(file.names) else open_frame(file.whole(file.names), choice, path)


class ArrowFile(ABC):
    """A file of columns whose rows are stored in groups.

    Attributes
    ----------
    path : str
    form : str
        The name of the format.
    layout : Layout
    names : tuple of str
    starts : ndarray of int
        The first row of every group, and the number of all rows.
    """

    form: str

    def __init__(self, path: str) -> None:
        self.path = path
        # what is read from a pipe is gone
        self._content = read_bytes(path) if is_compressed(path) or not os.path.isfile(path) else None
        with nullcontext() if self._content else open_binary(path):  # which says what is wrong with a file
            self._stamp = FileStamp.of(path)
        with readable(path, self.form):
            schema, group_rows = self._opened()
        self.names = names = tuple(schema.names)
        self.layout = Layout(
            source=path, names=names, n_columns=len(names), index=index_columns(names, schema.metadata)
        )
        self.starts: Rows = np.cumsum([0, *group_rows])
        self.n_rows = int(self.starts[-1]) if self._content is None else 0

    @abstractmethod
    def _opened(self) -> tuple[Any, list[int]]:
        """Return the schema of the file, and the number of rows of every group."""

    @abstractmethod
    def whole(self, columns: Sequence[str]) -> Any:
        """Return a table of all rows."""

    @abstractmethod
    def batches(
        self, n_rows: int, columns: Sequence[str], budget: MemoryBudget, groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        """Yield record batches of up to `n_rows` rows of some groups, in order, with columns as in the file."""

    def _file(self) -> Any:
        from pyarrow import BufferReader, OSFile

        return OSFile(self.path) if self._content is None else BufferReader(self._content)

    def tables(
        self, roles: Roles, budget: MemoryBudget | None, groups: Sequence[int] | None = None
    ) -> Iterator[Callable[[], Table]]:
        """Yield functions that read consecutive rows; with a budget those of some groups, or of all."""
        wanted = {*roles.features, roles.label, *([] if roles.id is None else [roles.id])}
        columns = [self.names[j] for j in sorted(wanted)]
        if budget is None:
            yield partial(self._table, roles, self.whole(columns), 0)
            return
        first_row = 0 if groups is None else int(self.starts[groups[0]])
        for start, batch in _numbered(self.batches(budget.chunk_rows(len(columns)), columns, budget, groups)):
            yield partial(self._table, roles, batch, first_row + start)

    def _table(self, roles: Roles, rows: Any, first_row: int) -> Table:
        import narwhals as nw
        import pyarrow

        with readable(self.path, self.form):
            rows.validate(full=True)  # Arrow believes a file, and reads outside its memory if it should not have
        is_batch = isinstance(rows, pyarrow.RecordBatch)
        table = nw.from_native(pyarrow.Table.from_batches([rows]) if is_batch else rows, eager_only=True)
        series = dict(zip(map(self.names.index, table.columns), table.iter_columns(), strict=True))
        return table_of_series(series, self.layout, roles, first_row=first_row, is_whole=not is_batch)

    def store(self, roles: Roles, budget: MemoryBudget) -> "ArrowRows":
        """Return the features for later passes."""
        return ArrowRows(
            file=self, columns=tuple(self.names[j] for j in roles.features), stamp=self._stamp, budget=budget
        )


class ParquetFile(ArrowFile):
    """A Parquet file."""

    form = "Parquet"

    def _opened(self) -> tuple[Any, list[int]]:
        from pyarrow import parquet

        with parquet.ParquetFile(self._file()) as file:
            self._metadata, schema = file.metadata, file.schema_arrow
        groups = range(self._metadata.num_row_groups)
        return schema, [self._metadata.row_group(group).num_rows for group in groups]

    def whole(self, columns: Sequence[str]) -> Any:
        """Return a table of all rows."""
        from pyarrow import parquet

        with readable(self.path, self.form):
            table = parquet.ParquetFile(self._file(), metadata=self._metadata).read(columns=columns)
            return (
                table if len(set(columns)) < len(columns) else table.select(columns)
            )  # Arrow may add "a.b", as if it were a part of "a"

    def batches(
        self, n_rows: int, columns: Sequence[str], budget: MemoryBudget, groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        """Yield record batches of up to `n_rows` rows of some groups, in order, with columns as in the file."""
        from pyarrow import default_memory_pool, parquet

        if self.starts[-1] == 0:
            return
        buffer = max(_SMALLEST_BUFFER, min(_LARGEST_BUFFER, budget.memory // (16 * self.layout.n_columns)))
        in_threads = budget.memory >= _LEAST_FOR_THREADS
        with readable(self.path, self.form):
            file = parquet.ParquetFile(self.path, metadata=self._metadata, buffer_size=buffer, pre_buffer=False)
            try:
                with file:
                    read = partial(file.iter_batches, row_groups=groups, columns=list(columns), use_threads=in_threads)
                    for batch in read(n_rows):
                        yield batch.select(list(columns))
            finally:
                default_memory_pool().release_unused()  # otherwise Arrow keeps all memory of the pass


class FeatherFile(ArrowFile):
    """A Feather (Arrow IPC) file; its groups are its record batches."""

    form = "Feather"

    def _opened(self) -> tuple[Any, list[int]]:
        with self._reader(None) as reader:
            schema = reader.schema
        with self._reader([0]) as reader:
            return schema, [reader.get_batch(group).num_rows for group in range(reader.num_record_batches)]

    def whole(self, columns: Sequence[str]) -> Any:
        """Return a table of all rows."""
        with readable(self.path, self.form), self._reader(self._positions(columns)) as reader:
            return reader.read_all()

    def batches(
        self, n_rows: int, columns: Sequence[str], budget: MemoryBudget, groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        """Yield record batches of up to `n_rows` rows of some groups, in order, with columns as in the file."""
        self._check_sizes(budget)
        with readable(self.path, self.form), self._reader(self._positions(columns)) as reader:
            for group in range(len(self.starts) - 1) if groups is None else groups:
                batch = reader.get_batch(group)
                for start in range(0, batch.num_rows, n_rows):
                    yield batch.slice(start, n_rows)

    def _check_sizes(self, budget: MemoryBudget) -> None:
        n_rows, limit = int(np.diff(self.starts).max(initial=0)), budget.memory // 4
        if (n_bytes := 8 * n_rows * self.layout.n_columns) > limit:
            raise data_error(
                self.path, found=f"record batches of {n_rows} rows ({size_text(n_bytes)})",
                expected=f"at most {size_text(limit)} at a time",
                hint="allow more memory, or write the file with a smaller chunksize",
            )  # fmt: skip

    def _positions(self, columns: Sequence[str]) -> list[int]:
        return [j for j, name in enumerate(self.names) if name in columns]

    @contextmanager
    def _reader(self, fields: list[int] | None) -> Iterator[Any]:
        from pyarrow import ipc

        options = ipc.IpcReadOptions() if fields is None else ipc.IpcReadOptions(included_fields=fields)
        with self._file() as file, ipc.open_file(file, options=options) as reader:
            yield reader


def positions_in(starts: Rows, numbers: Rows) -> tuple[list[int], NDArray[np.int64]]:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrowRows:
    """Some columns of a file, by name, with the state of the file when it was validated."""

    file: ArrowFile
    columns: tuple[str, ...]
    stamp: FileStamp
    budget: MemoryBudget
    is_slow_for_rows: ClassVar[bool] = True

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return int(self.file.starts[-1]), len(self.columns)

    def pieces(self, n_rows: int) -> Iterator[Piece]:
        """Yield all rows in order, up to `n_rows` at a time."""
        self.stamp.check()
        for start, batch in _numbered(self.file.batches(n_rows, self.columns, self.budget)):
            yield Piece(slice(start, start + batch.num_rows), partial(matrix_of, batch))

    def some(self, numbers: Rows) -> Floats:
        """Return the rows of increasing numbers, from the groups that hold them."""
        self.stamp.check()
        groups, positions = positions_in(self.file.starts, numbers)
        found = np.empty((len(numbers), len(self.columns)))
        n_rows = self.budget.chunk_rows(self.file.layout.n_columns)
        for start, batch in _numbered(self.file.batches(n_rows, self.columns, self.budget, groups)):
            first, last = np.searchsorted(positions, (start, start + batch.num_rows))
            if first < last:
                found[first:last] = matrix_of(batch.take(positions[first:last] - start))
            if last == len(numbers):
                break
        return found


def matrix_of(batch: Any) -> Floats:
    """Return the numbers of a batch whose columns were found to hold some that binary64 holds, in every row."""
    return side_by_side([_numbers_of(array) for array in batch.columns], batch.num_rows)


def _numbers_of(array: Any) -> Floats:
    from pyarrow import types

    plain = array.dictionary_decode() if types.is_dictionary(array.type) else array
    return numbers(plain.to_numpy(zero_copy_only=False)).as_binary64()


def _numbered(batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the first row of every batch with it."""
    n_rows = 0
    for batch in batches:
        yield n_rows, batch
        n_rows += batch.num_rows
