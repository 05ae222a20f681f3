"""Parquet and Feather files: whole, or in batches of their rows with little of a file in memory at a time.

The scanner of `pyarrow.dataset` is not used: on a Parquet file of 200 MiB, read three times in chunks of a budget of
64 MiB, its memory grew by 320 to 520 MiB, whatever its read-ahead, and with `iter_batches` by 90 MiB. It took 0.05 s
a pass in place of 0.08 s, which is no reason to exceed the budget.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import narwhals as nw
import numpy as np
import pyarrow
from pyarrow import ipc, parquet, types

from maxmargin.data.batches import Choice, InOnePiece, Layout, MemoryBudget, Roles, Table, stacked, stamp_of
from maxmargin.data.numbers.binary64 import NumberError, numbers
from maxmargin.data.sources.frames import index_columns, labels_of_series, open_frame, table_of_series
from maxmargin.data.sources.opening import is_compressed, kind_of, open_binary, readable
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import size_text
from maxmargin.text.data_error import data_error

# Largest and smallest number of bytes of every column that are read ahead.
_LARGEST_BUFFER, _SMALLEST_BUFFER = 1 << 20, 1 << 14

# Smallest budget, in bytes, with which Arrow reads several columns at once: each thread has memory of its own.
_LEAST_FOR_THREADS = 1 << 27


# Runs of consecutive groups.
Runs: TypeAlias = Iterable[Sequence[int]]


def open_arrow(path: str, choice: Choice) -> "ArrowFile | InOnePiece":
    """Open a Parquet or Feather file (also `.gz`).

    Raises
    ------
    DataError
        The file is broken.
    """
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
        with open_binary(path) as file:  # which says what is wrong with a file, and what is read from a pipe is gone
            self._content = file.read() if is_compressed(path) or not os.path.isfile(path) else None
        self.stamp = stamp_of(path)
        with self._readable():
            schema, group_rows = self._opened()
        self.names = tuple(schema.names)
        index = index_columns(self.names, schema.metadata)
        self.layout = Layout(source=path, names=self.names, n_columns=len(self.names), index=index)
        self.starts: Rows = np.cumsum([0, *group_rows])
        self.n_rows = int(self.starts[-1]) if self._content is None else 0

    @abstractmethod
    def _opened(self) -> tuple[Any, list[int]]:
        """Return the schema of the file, and the number of rows of every group."""

    @abstractmethod
    def whole(self, columns: Sequence[str]) -> Any:
        """Return a table of all rows."""

    @abstractmethod
    def _batches(self, runs: Runs, columns: Sequence[str], budget: MemoryBudget) -> Iterator[tuple[int, Any]]:
        """Yield the record batches of some runs of groups, in order, each with its first row."""

    def _file(self) -> Any:
        return pyarrow.OSFile(self.path) if self._content is None else pyarrow.BufferReader(self._content)

    def _readable(self) -> AbstractContextManager[None]:
        return readable(self.path, f"broken {self.form} data", f"a complete {self.form} file")

    def batches(
        self, columns: Sequence[str], budget: MemoryBudget, runs: Runs | None = None
    ) -> Iterator[tuple[int, Any]]:
        """Yield the record batches of all groups, or of some runs of consecutive ones, each with its first row."""
        with self._readable():
            yield from self._batches([range(len(self.starts) - 1)] if runs is None else runs, columns, budget)

    def _numbered(self, run: Sequence[int], batches: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        first_row = int(self.starts[run[0]]) if run else 0
        for batch in batches:
            yield first_row, batch
            first_row += batch.num_rows

    def tables(self, roles: Roles, budget: MemoryBudget | None) -> Iterator[Callable[[], Table]]:
        """Yield functions that read consecutive rows."""
        wanted = {*roles.features, roles.label, *([] if roles.id is None else [roles.id])}
        columns = [self.names[j] for j in sorted(wanted)]
        if budget is None:
            yield partial(self._table, roles, self.whole(columns))
            return
        for first_row, batch in self.batches(columns, budget):
            yield partial(self._table, roles, batch, first_row=first_row, is_part=True)

    def _table(self, roles: Roles, rows: Any, *, first_row: int = 0, is_part: bool = False) -> Table:
        with self._readable():
            rows.validate(full=True)  # Arrow believes a file, and reads outside its memory if it should not have
        X = plain_matrix(rows.select([self.names[j] for j in roles.features])) if is_part else None
        if X is None:
            series = self._series(rows)
            return table_of_series(series, self.layout, roles, first_row=first_row)
        label = labels_of_series(self._series(rows.select([self.names[roles.label]]))[roles.label])
        return self.layout.table(roles, features=X, label=label, first_row=first_row)

    def _series(self, rows: Any) -> dict[int, Any]:
        """Return the columns of some rows by their positions in the file."""
        table = pyarrow.Table.from_batches([rows]) if isinstance(rows, pyarrow.RecordBatch) else rows
        positions = {name: j for j, name in enumerate(self.names)}
        columns = nw.from_native(table, eager_only=True).iter_columns()
        return {positions[series.name]: series for series in columns}

    def store(self, roles: Roles, budget: MemoryBudget) -> "ArrowRows":
        """Return the features for later passes."""
        columns = tuple(self.names[j] for j in roles.features)
        return ArrowRows(file=self, columns=columns, budget=budget)


class ParquetFile(ArrowFile):
    """A Parquet file."""

    form = "Parquet"

    def _opened(self) -> tuple[Any, list[int]]:
        with parquet.ParquetFile(self._file()) as file:
            self._metadata, schema = file.metadata, file.schema_arrow
        groups = range(self._metadata.num_row_groups)
        return schema, [self._metadata.row_group(group).num_rows for group in groups]

    def whole(self, columns: Sequence[str]) -> Any:
        """Return a table of all rows."""
        with self._readable():
            table = parquet.ParquetFile(self._file(), metadata=self._metadata).read(columns=columns)
            # Arrow may add "a.b", as if it were a part of "a"
            return table if len(set(columns)) < len(columns) else table.select(columns)

    def _batches(self, runs: Runs, columns: Sequence[str], budget: MemoryBudget) -> Iterator[tuple[int, Any]]:
        names, n_rows = list(columns), budget.chunk_rows(len(columns))
        in_threads = budget.memory >= _LEAST_FOR_THREADS
        buffer = max(_SMALLEST_BUFFER, min(_LARGEST_BUFFER, budget.memory // (16 * self.layout.n_columns)))
        opened = parquet.ParquetFile(self.path, metadata=self._metadata, buffer_size=buffer, pre_buffer=False)
        try:
            with opened as file:
                for run in runs:
                    read = file.iter_batches(n_rows, row_groups=list(run), columns=names, use_threads=in_threads)
                    yield from self._numbered(run, (batch.select(names) for batch in read))
        finally:
            pyarrow.default_memory_pool().release_unused()  # otherwise Arrow keeps all memory of the pass


class FeatherFile(ArrowFile):
    """A Feather (Arrow IPC) file; its groups are its record batches."""

    form = "Feather"

    def _opened(self) -> tuple[Any, list[int]]:
        with self._file() as file:
            is_first_version = file.read(4) == b"FEA1"
        if is_first_version:  # of which Arrow's reader crashes where it is damaged
            hint = "write it as Parquet, by pandas.read_feather and to_parquet"
            raise data_error(self.path, found="the first version of Feather", expected="the second version", hint=hint)
        with self._reader() as reader:
            schema = reader.schema
        with self._reader([0]) as reader:
            return schema, [reader.get_batch(group).num_rows for group in range(reader.num_record_batches)]

    def whole(self, columns: Sequence[str]) -> Any:
        """Return a table of all rows."""
        with self._readable(), self._reader(self._positions(columns)) as reader:
            return reader.read_all()

    def _batches(self, runs: Runs, columns: Sequence[str], budget: MemoryBudget) -> Iterator[tuple[int, Any]]:
        n_most, limit = int(np.diff(self.starts).max(initial=0)), budget.memory // 4
        if (n_bytes := 8 * n_most * self.layout.n_columns) > limit:
            raise data_error(
                self.path, found=f"record batches of {n_most} rows ({size_text(n_bytes)})",
                expected=f"at most {size_text(limit)} at a time",
                hint="allow more memory, or write the file with a smaller chunksize",
            )  # fmt: skip
        n_rows = budget.chunk_rows(len(columns))
        with self._reader(self._positions(columns)) as reader:
            for run in runs:
                read = (reader.get_batch(group) for group in run)
                parts = (batch.slice(row, n_rows) for batch in read for row in range(0, batch.num_rows, n_rows))
                yield from self._numbered(run, parts)

    def _positions(self, columns: Sequence[str]) -> list[int]:
        wanted = set(columns)
        return [j for j, name in enumerate(self.names) if name in wanted]

    @contextmanager
    def _reader(self, fields: Sequence[int] = ()) -> Iterator[Any]:
        options = ipc.IpcReadOptions(included_fields=list(fields))  # none stands for all
        with self._file() as file, ipc.open_file(file, options=options) as reader:
            yield reader


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrowRows:
    """Some columns of a file, by name, with the state of the file when it was validated."""

    file: ArrowFile
    columns: tuple[str, ...]
    budget: MemoryBudget
    is_slow_for_rows: ClassVar[bool] = True

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return int(self.file.starts[-1]), len(self.columns)

    @property
    def stamp(self) -> tuple[str, int, int]:
        """The state of the file when it was opened."""
        return self.file.stamp

    def pieces(self, budget: MemoryBudget) -> Iterator[tuple[int, Callable[[], Floats]]]:
        """Yield, for all rows in order and chunk by chunk, their number and a function that reads them."""
        for _, batch in self.file.batches(self.columns, budget):
            yield batch.num_rows, partial(matrix_of, batch)

    def some(self, numbers: Rows) -> Floats:
        """Return the rows of increasing numbers, from the groups that hold them."""
        groups = np.unique(np.searchsorted(self.file.starts, numbers, "right") - 1)
        runs = [run.tolist() for run in np.split(groups, np.flatnonzero(np.diff(groups) > 1) + 1)]
        found = np.empty((len(numbers), len(self.columns)))
        for start, batch in self.file.batches(self.columns, self.budget, runs):
            first, last = np.searchsorted(numbers, (start, start + batch.num_rows))
            if first < last:
                found[first:last] = matrix_of(batch.take(numbers[first:last] - start))
            if last == len(numbers):
                break
        return found


def plain_matrix(batch: Any) -> Floats | None:
    """Return the numbers of a batch; None unless all are of a type that numpy has, and binary64, and none is missing.

    A missing floating-point number is NaN.
    """

    def is_plain(array: Any) -> bool:
        return bool(types.is_floating(array.type) or (types.is_integer(array.type) and array.null_count == 0))

    if set(batch.schema.types) == {pyarrow.float64()}:  # column by column, in half the time
        return np.asarray(batch.to_tensor(null_to_nan=True, row_major=False).to_numpy())
    try:
        return matrix_of(batch) if all(map(is_plain, batch.columns)) else None
    except NumberError:
        return None


def matrix_of(batch: Any) -> Floats:
    """Return the numbers of a batch whose columns were found to hold some that binary64 holds, in every row."""
    return stacked([_numbers_of(array) for array in batch.columns], batch.num_rows)


def _numbers_of(array: Any) -> Floats:
    plain = array.dictionary_decode() if types.is_dictionary(array.type) else array
    return numbers(plain.to_numpy(zero_copy_only=False)).as_binary64()
