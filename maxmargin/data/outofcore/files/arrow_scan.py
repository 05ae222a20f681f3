"""Parquet and Feather files: batches of their rows, with little of a file in memory at a time, as matrices.

The scanner of `pyarrow.dataset` is not used: on a Parquet file of 200 MiB, read three times in chunks of a budget of
64 MiB, its memory grew by 320 to 520 MiB, whatever its read-ahead, and with `iter_batches` by 90 MiB. It took 0.05 s
a pass in place of 0.08 s, which is no reason to exceed the budget.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.frames import index_columns, readable
from maxmargin.data.formats.table import Roles
from maxmargin.data.numbers.binary64 import NumberError, numbers
from maxmargin.data.numbers.numerals import HINTS_OUTSIDE_MEMORY, STORE_NUMBERS, STORED, TEXT_HINT, parse_number
from maxmargin.data.outofcore.budget import MemoryBudget, size_text
from maxmargin.data.outofcore.files.scan import FileStamp, Labelled, Piece, Scan, bounds_of, not_finite
from maxmargin.data.outofcore.row_cache import SampledRows
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.text.data_error import DataError, data_error, quoted

_LARGEST_BUFFER, _SMALLEST_BUFFER = 1 << 20, 1 << 14
"""Largest and smallest number of bytes of every column that are read ahead."""

_LEAST_FOR_THREADS = 1 << 27
"""Smallest budget, in bytes, with which Arrow reads several columns at once: each thread has memory of its own."""

_ROWS_TURNED_AT_ONCE = 2048
"""Number of rows that are written at a time from columns into a matrix, while both are in the processor's cache."""

_EXACT_HINT = "convert it to binary64 yourself to have it rounded, or allow more memory to have it decided exactly"


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

    def __init__(self, path: str, schema: Any, group_rows: Sequence[int], budget: MemoryBudget) -> None:
        self.path = path
        self.names: tuple[str, ...] = tuple(schema.names)
        self.index = index_columns(self.names, schema.metadata)
        self.starts: Rows = np.cumsum([0, *group_rows])
        self.n_rows_at_once = budget.chunk_rows(len(self.names))

    @abstractmethod
    def batches(self, n_rows: int, columns: Sequence[str], groups: Sequence[int] | None = None) -> Iterator[Any]:
        """Yield record batches of up to `n_rows` rows of some groups, in order, with columns as in the file."""


class ParquetFile(ArrowFile):
    """A Parquet file."""

    def __init__(self, path: str, budget: MemoryBudget) -> None:
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

    def __init__(self, path: str, budget: MemoryBudget) -> None:
        with readable(path, "Feather"), _reader(path, None) as reader:
            schema = reader.schema
        with readable(path, "Feather"), _reader(path, [0]) as reader:
            group_rows = [reader.get_batch(group).num_rows for group in range(reader.num_record_batches)]
        super().__init__(path, schema, group_rows, budget)
        n_rows, limit = max(group_rows, default=0), budget.memory // 4
        if (n_bytes := 8 * n_rows * len(self.names)) > limit:
            raise data_error(
                path, found=f"record batches of {n_rows} rows ({size_text(n_bytes)})",
                expected=f"at most {size_text(limit)} at a time",
                hint="allow more memory, or write the file with a smaller chunksize",
            )  # fmt: skip

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

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return int(self.file.starts[-1]), len(self.columns)

    def pieces(self, n_rows: int) -> Iterator[Piece]:
        """Yield all rows in order, up to `n_rows` at a time."""
        self.stamp.check()
        for start, batch in _numbered(self.file.batches(n_rows, self.columns)):
            yield Piece(slice(start, start + batch.num_rows), partial(self._matrix, batch, start))

    def some(self, numbers: Rows) -> Floats:
        """Return the rows of increasing numbers, from the groups that hold them."""
        self.stamp.check()
        groups, positions = positions_in(self.file.starts, numbers)
        found = np.empty((len(numbers), len(self.columns)))
        for start, batch in _numbered(self.file.batches(self.file.n_rows_at_once, self.columns, groups)):
            first, last = np.searchsorted(positions, (start, start + batch.num_rows))
            if first < last:
                found[first:last] = self._matrix(batch.take(positions[first:last] - start), int(numbers[first]))
            if last == len(numbers):
                break
        return found

    def _matrix(self, batch: Any, first_row: int) -> Floats:
        X = np.empty((batch.num_rows, batch.num_columns))
        write_matrix(X, batch, self.file.path, first_row)
        return X


class ArrowScan(Scan):
    """A Parquet or Feather file."""

    def __init__(self, file: ArrowFile, budget: MemoryBudget) -> None:
        self.path = file.path
        self.file = file
        self.budget = budget
        self.names = file.names
        self.index = file.index
        self.n_columns = len(file.names)
        self.n_rows = int(file.starts[-1])
        self._stamp = FileStamp.of(file.path)
        twice = [name for name in dict.fromkeys(file.names) if file.names.count(name) > 1]
        if twice:
            found = f"several columns named {quoted(twice[0])}"
            raise data_error(file.path, found=found, expected="a different name for each")

    def labelled(self, roles: Roles, wanted: Rows) -> Iterator[Labelled]:
        """Read all rows once, and collect those that are wanted."""
        check = partial(self._checked, self.file.names[roles.label], wanted)
        yield from in_order(check, _numbered(self.batches(roles)), n_workers=self.budget.n_workers)

    def batches(self, roles: Roles, groups: Sequence[int] | None = None) -> Iterator[Any]:
        """Yield the batches of some groups, with features and labels."""
        columns = [self.file.names[j] for j in sorted((*roles.features, roles.label))]
        return self.file.batches(self.budget.chunk_rows(len(columns)), columns, groups)

    def part(self, roles: Roles, groups: Sequence[int]) -> tuple[Floats, list[Labelled]]:
        """Return the rows of consecutive groups, checked, with their labels."""
        check = partial(self._checked, self.file.names[roles.label], np.empty(0, np.int64))
        features = [self.file.names[j] for j in roles.features]
        first, last = int(self.file.starts[groups[0]]), int(self.file.starts[groups[-1] + 1])
        X = np.empty((last - first, len(features)))
        labelled = []
        for start, batch in _numbered(self.batches(roles, groups)):
            labelled.append(check((first + start, batch)))
            write_matrix(X[start : start + batch.num_rows], batch.select(features), self.path, first + start)
        return X, labelled

    def _checked(self, label: str, wanted: Rows, numbered: tuple[int, Any]) -> Labelled:
        first_row, batch = numbered
        first, last = np.searchsorted(wanted, (first_row, first_row + batch.num_rows))
        numbers = wanted[first:last]
        sampled = SampledRows(numbers, np.empty((len(numbers), batch.num_columns - 1)))
        bounds = np.empty((2, batch.num_columns - 1))
        for j, name in enumerate(name for name in batch.schema.names if name != label):
            values = values_of(batch.column(name), self.path, name, first_row)
            bounds[:, [j]] = bounds_of(values[:, np.newaxis], self.path, [name], first_row)
            sampled.values[:, j] = values[numbers - first_row]
        return Labelled((bounds[0], bounds[1]), *_distinct(batch.column(label)), sampled=sampled)

    def store(self, roles: Roles) -> ArrowRows:
        """Return the rows."""
        return ArrowRows(file=self.file, columns=tuple(self.file.names[j] for j in roles.features), stamp=self._stamp)


def write_matrix(X: Floats, batch: Any, path: str, first_row: int) -> None:
    """Write the columns of a batch into the columns of X."""
    columns = [
        values_of(array, path, name, first_row) for name, array in zip(batch.schema.names, batch.columns, strict=True)
    ]
    for start in range(0, batch.num_rows, _ROWS_TURNED_AT_ONCE):
        rows = slice(start, start + _ROWS_TURNED_AT_ONCE)
        for j, column in enumerate(columns):
            X[rows, j] = column[rows]


def _numbered(batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the first row of every batch with it."""
    n_rows = 0
    for batch in batches:
        yield n_rows, batch
        n_rows += batch.num_rows


def values_of(array: Any, path: str, name: str, first_row: int) -> Floats:
    """Return the numbers of a column.

    Raises
    ------
    DataError
        One is missing, not a number, or one that binary64 does not hold.
    """
    from pyarrow import types

    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.null_count:
        row = int(np.argmin(array.is_valid().to_numpy(zero_copy_only=False)))
        raise not_finite(np.nan, path, first_row + row, name)
    kind = array.type
    if not any(is_kind(kind) for is_kind in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)):
        raise _no_number(array, path, name, first_row)
    try:
        return numbers(array.to_numpy(zero_copy_only=False)).as_binary64(_EXACT_HINT)
    except NumberError as error:
        raise error.in_source(path, name, first_row=first_row) from error


def _no_number(array: Any, path: str, name: str, first_row: int) -> DataError:
    from pyarrow import types

    if not (types.is_string(array.type) or types.is_large_string(array.type) or types.is_string_view(array.type)):
        hint = TEXT_HINT.partition(" or ")[0]
        return data_error(path, column=name, found=f"values of type {array.type}", expected="numbers", hint=hint)
    texts = array.to_pylist()
    row = next((row for row, text in enumerate(texts) if parse_number(text) is None), 0)
    is_number = parse_number(texts[row]) is not None
    found = f"the text {quoted(texts[row])}" if is_number else quoted(texts[row])
    hint = STORE_NUMBERS if is_number else STORED.hint(texts[row])
    hint = HINTS_OUTSIDE_MEMORY.get(hint, hint)
    return data_error(path, row=first_row + row, column=name, found=found, expected="a number", hint=hint)


def _distinct(array: Any) -> tuple[list[object], NDArray[np.int64]]:
    """Return the different labels, None for a missing one, and for every row which it has."""
    from pyarrow import types

    if not types.is_dictionary(array.type):
        array = array.dictionary_encode()
    distinct = [*array.dictionary.to_pylist(), None]
    positions = array.indices.fill_null(len(distinct) - 1).to_numpy(zero_copy_only=False).astype(np.int64)
    if array.null_count == 0:
        distinct.pop()
    return distinct, positions
