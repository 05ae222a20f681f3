"""What every source has: columns, the roles that a choice gives them, and rows in batches, as memory allows."""

import operator
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.dataset import Matrix
from maxmargin.data.labels import CodedLabels, is_absent
from maxmargin.data.numbers.numerals import STORED, Spelling, Texts, is_missing, parse_number
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.basics.limits import memory_size, n_threads
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.text.data_error import DataError, data_error, listed, nearest, quoted

ColumnRef: TypeAlias = str | int


_NAME_OF_INDEX = re.compile(r"(?:unnamed: \d+|rownames|row\.names|__index_level_\d+__)?", re.IGNORECASE)

# Smallest number of rows for which a column 1, 2, 3, ... is taken for their numbers.
LEAST_NUMBERED = 10

# Largest number of bytes of a line of text by default: its fields may take thirty times as much memory.
LONGEST_LINE = 2**28


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns of a source, as they are known before its rows are read.

    Attributes
    ----------
    source : str
        Display name.
    names : tuple of str, optional
        Names of all columns; "" for a column without one.
    n_columns : int
    index : tuple of int
        Positions of the columns that hold the index of a pandas data frame.
    only_label : str
        A description of the last column, if no other can be the labels.
    spelling : Spelling
        How the numbers are written; by default they are stored as numbers.
    row_names : int, optional
        Position of a column that names the rows unless another is chosen, and is no feature in either case.
    header_line : int, optional
        The line that names the columns, from 1; 0 if a text file has none, None for other sources.
    """

    source: str
    names: tuple[str, ...] | None
    n_columns: int
    index: tuple[int, ...] = ()
    only_label: str = ""
    spelling: Spelling = STORED
    row_names: int | None = None
    header_line: int | None = None

    def name_of(self, position: int) -> str | int:
        """Return the name of a column where it has one, else its position."""
        return self.names[position] if self.names is not None and self.names[position] else position

    def names_of(self, positions: Iterable[int]) -> tuple[str | int, ...]:
        """Return the names of some columns, or their positions where they have none."""
        return tuple(map(self.name_of, positions))

    def table(self, roles: "Roles", notes: Sequence[str] = (), **rows: Any) -> "Table":
        """Return the table of some rows, with the names of their columns and notes on those left out."""
        dropped = left_out_note("dropped on request", self.names_of(roles.dropped))
        return Table(
            source=self.source, names=self.names_of(roles.features), label_name=self.name_of(roles.label),
            spelling=self.spelling, header_line=self.header_line,
            notes=(*dropped, *index_note(self.names_of(roles.index)), *notes), **rows,
        )  # fmt: skip

    def find(self, wanted: ColumnRef, option: str) -> int:
        """Return the position of the column that has this name, or else this position among those of no index.

        Raises
        ------
        DataError
            There is no such column; the message names the option.
        """
        names, counted = self.names or (), [j for j in range(self.n_columns) if j not in self.index]
        if wanted in names:
            return names.index(wanted)
        error, hint = partial(data_error, self.source, option=option), ""
        twins = [name for name in names if name == f"{wanted} (column {names.index(name)})"]
        if twins:
            raise error(found=f"{len(twins)} columns named {quoted(wanted)}", expected=f"one of {listed(twins)}")
        try:
            position = int(wanted) if isinstance(wanted, str) else operator.index(wanted)
        except (TypeError, ValueError):
            own_names = [name for name in names if name]
            expected = f"a position from 0 to {len(counted) - 1}, as the columns have no names"
            if len(own_names) >= min(2, self.n_columns):
                expected, hint = f"one of {listed(own_names)}, or a position", nearest(str(wanted), own_names)
            raise error(found=f"no column {quoted(wanted)}", expected=expected, hint=hint) from None
        if not counted:
            raise error(found="no columns but those of the index of pandas", expected="a name of one of them")
        if not -len(counted) <= position < len(counted):
            raise error(found=f"position {position}", expected=f"a position from {-len(counted)} to {len(counted) - 1}")
        return counted[position]


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Positions of the label, of the features and of the row names among the columns of a source."""

    label: int
    features: tuple[int, ...]
    id: int | None
    dropped: tuple[int, ...]
    # Features that were named to be encoded.
    encoded: frozenset[int] = frozenset()
    # Columns that hold the index of a pandas data frame, and were left out as nothing was said of them.
    index: tuple[int, ...] = ()
    # Texts that stand for a missing value in one column, or under None in all features that are mostly numbers.
    missing: dict[int | None, frozenset[str]] = field(default_factory=dict)
    # Positions among the features of those that have the name of an index: they are left out if they number rows.
    row_numbers: tuple[int, ...] = ()

    @property
    def told_missing(self) -> set[tuple[int | None, str]]:
        """The columns and texts of `missing`, but for the texts that stand for a missing value anyway."""
        return {(j, text) for j, texts in self.missing.items() for text in texts if not is_missing(text)}

    def missing_notes(self, layout: Layout, found: Set[tuple[int | None, str]]) -> tuple[str, ...]:
        """Say which of the texts that were told to be missing were not found."""
        shown = sorted(text if j is None else f"{layout.name_of(j)}={text}" for j, text in self.told_missing - found)
        why = "a text alone is about features of which most values are numbers"
        return (f"told to be missing, and in no column that it is about: {listed(shown)} ({why})",) if shown else ()


@dataclass(frozen=True, slots=True)
class OneHot:
    """Which text columns are encoded as columns of 0 and 1.

    Attributes
    ----------
    every : bool
        Whether all of them are encoded, where that is sensible.
    named : tuple of columns
        Columns that are encoded however many different texts they hold.
    is_checked : bool
        Whether columns that were not named are refused where they look like numbers, or separate anything. A proof may
        be about such columns all the same.
    """

    every: bool = False
    named: tuple[ColumnRef, ...] = ()
    is_checked: bool = True

    @classmethod
    def of(cls, wanted: "OneHot | bool | ColumnRef | Iterable[ColumnRef]") -> "OneHot":
        """Return the choice that True, False, a column or several columns stand for."""
        if isinstance(wanted, OneHot):
            return wanted
        return cls(every=bool(wanted)) if isinstance(wanted, bool | np.bool_) else cls(named=columns_named(wanted))


def columns_named(columns: ColumnRef | Iterable[ColumnRef] | None) -> tuple[ColumnRef, ...]:
    """Return one column, or several, or none, as a tuple."""
    if columns is None:
        return ()
    return tuple(columns) if isinstance(columns, Iterable) and not isinstance(columns, str) else (columns,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The options of reading: which columns, the treatment of texts and missing values, the format of the source.

    `format` is the format of a file, whatever its name, and `sep` separates the fields of a delimited file; where they
    are None, the source decides. `longest_line` is in bytes. `is_in_parts` says that the rows do not fit into memory,
    and `is_folder` that they are in the files of a folder, so that no text is encoded. Delimited text is converted
    `bytes_at_once` bytes at a time, or `rows_at_once` rows if quotes may enclose the ends of lines. `missing` are texts
    for missing values, each alone or after the name of its column and "=".
    """

    label: ColumnRef = -1
    drop: tuple[ColumnRef, ...] = ()
    id: ColumnRef | None = None
    one_hot: OneHot = OneHot()
    drop_missing: bool = False
    keep_texts: bool = False
    sep: str | None = None
    decimal_comma: bool = False
    header: bool | None = None
    missing: tuple[str, ...] = ()
    format: str | None = None
    longest_line: int = LONGEST_LINE
    is_in_parts: bool = False
    is_folder: bool = False
    bytes_at_once: int = 2**21
    rows_at_once: int = 10_000

    def __post_init__(self) -> None:
        if not isinstance(self.header, bool | None):
            raise InvalidOptionError(f"header is {self.header!r}; expected True, False or None")

    def stated_of(self, source: Any, header_line: int | None) -> dict[str, Any]:
        """Return the arguments of `load` by which a source was read, as a proof states them, in types of JSON.

        `header_line` is the line that was found to name the columns, 0 for none; None where there are no lines.
        """
        said = {
            "source": os.fspath(source) if isinstance(source, str | os.PathLike) else None,
            "label": _plain(self.label), "id": None if self.id is None else _plain(self.id),
            "drop": [_plain(column) for column in self.drop] or None, "one_hot": self.one_hot.every or None,
            "one_hot_columns": [_plain(column) for column in self.one_hot.named] or None,
            "drop_missing": self.drop_missing or None, "sep": self.sep, "decimal_comma": self.decimal_comma or None,
            "header": self.header if header_line is None else header_line > 0, "format": self.format,
            "missing": [*self.missing] or None,
        }  # fmt: skip
        return {name: value for name, value in said.items() if value is not None}

    def refuse_of_text(self, source: str, form: str) -> None:
        """Raise if an option for text in columns was given, but the source has another form.

        Raises
        ------
        DataError
        """
        given = {"sep": self.sep, "decimal_comma": self.decimal_comma or None, "header": self.header}
        said = next((name for name, value in given.items() if value is not None), None)
        if said is not None:
            raise data_error(source, option=said, found=form, expected="CSV or TSV, which this option is for")

    @property
    def needs_texts(self) -> bool:
        """Whether the texts of the features are needed, not their binary64 values alone."""
        return self.one_hot.every or bool(self.one_hot.named) or self.keep_texts

    def roles(self, layout: Layout, decides: str = "label") -> Roles:
        """Resolve names and positions against the columns of a source; the option `decides` gave the label.

        Columns that hold the index of a pandas data frame have names only: positions that the user gives count the
        others, and those that are not named are left out.

        Raises
        ------
        DataError
            A column does not exist, is named twice, has two roles, or no feature is left.
        """
        source, n_columns, index = layout.source, layout.n_columns, layout.index
        if n_columns < 2:
            found = "one column only" if n_columns else "no columns"
            raise data_error(source, found=found, expected="at least two: features and a label")
        label = layout.find(self.label, decides)
        if layout.only_label and label != n_columns - 1:
            found = f"column {self.label!r}"
            raise data_error(source, option="label", found=found, expected=layout.only_label)
        dropped = {layout.find(column, "drop") for column in self.drop}
        own_names = None if layout.row_names in {label, *dropped} else layout.row_names
        row_id = own_names if self.id is None else layout.find(self.id, "id")
        for taken, asked in ((dropped, "drop"), ({row_id}, "id")):
            if label in taken:
                raise data_error(
                    source, column=layout.name_of(label), option=asked, found="the label column",
                    expected="another column", hint=f"choose the label with {option(decides)}",
                )  # fmt: skip
        encoded = frozenset(layout.find(column, "one_hot_column") for column in self.one_hot.named)
        taken = {*dropped, label, row_id, layout.row_names}
        features = tuple(j for j in range(n_columns) if j not in taken and (j in encoded or j not in index))
        if not features:
            raise data_error(source, found="no feature column left", expected="at least one beside the label")
        if not encoded <= set(features):
            raise data_error(
                source, column=layout.name_of(min(encoded - set(features))), option="one_hot_column",
                found="a column that is not a feature", expected="a text column among the features",
            )  # fmt: skip
        return Roles(
            label=label, features=features, id=row_id, dropped=tuple(sorted(dropped)), encoded=encoded,
            index=tuple(j for j in index if j not in {*taken, *features}),
            missing=self._missing(layout), row_numbers=tuple(
                k for k, j in enumerate(features)
                if len(features) > 1 and j not in encoded and layout.names and is_index_name(layout.names[j])
            ),
        )  # fmt: skip

    def _missing(self, layout: Layout) -> dict[int | None, frozenset[str]]:
        """Return the texts for missing values by column: ``TEXT`` is about all, ``COLUMN=TEXT`` about one."""
        found: dict[int | None, frozenset[str]] = {}
        for told in self.missing:
            name, sign, text = told.partition("=")
            position = None
            with suppress(DataError):  # the text itself may hold the sign
                position = layout.find(name, "missing") if sign else None
            text = told.strip() if position is None else text.strip()
            if parse_number(text) is not None and not is_missing(text):
                expected = "a text that is no number; leave such rows out first"
                raise InvalidOptionError(f"{option('missing')} is {text!r}; expected {expected}")
            found[position] = found.get(position, frozenset()) | {text}
        return found


def _plain(column: ColumnRef) -> ColumnRef:
    return str(column) if isinstance(column, str) else int(column)


def is_index_name(name: str) -> bool:
    """Return whether R and pandas call the numbers of rows so where they write them as a column.

    Examples
    --------
    >>> is_index_name("Unnamed: 4"), is_index_name(""), is_index_name("id")
    (True, True, False)
    """
    return _NAME_OF_INDEX.fullmatch(name) is not None


def counts_up(values: Any) -> bool:
    """Return whether these are numbers, each greater by 1 than the one before."""
    if not isinstance(values, np.ndarray) or not values.size or values[-1] != values[0] + (len(values) - 1):
        return False
    return bool((values == values[0] + np.arange(len(values))).all())


def numbers_rows(values: Any) -> bool:
    """Return whether numbers are 0, 1, 2, ... or 1, 2, 3, ... in at least ten rows."""
    return len(values) >= LEAST_NUMBERED and values[0] in (0, 1) and counts_up(values)


def numbering_notes(names: Iterable[str | int]) -> tuple[str, ...]:
    """Say which columns were left out as they number the rows."""
    shown = (f"column {name}" if isinstance(name, int) else repr(name) for name in names)
    return tuple(f"left out, as it numbers the rows: {name}" for name in shown)


def distinct_names(names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return names that differ: several columns called x become ``x (column 0)``, ``x (column 3)``.

    A column without a name is called by its position, unless another has that name.

    Examples
    --------
    >>> distinct_names(["x", "y", "x", "", ""])
    ('x (column 0)', 'y', 'x (column 2)', '', '')
    >>> distinct_names(["", "0", "1"])
    ('Unnamed: 0', '0', '1')
    """
    if names is None:
        return None
    counts = Counter(names)
    apart = [f"{name} (column {j})" if name and counts[name] > 1 else name for j, name in enumerate(names)]
    if len({*apart} - {""}) < len([name for name in apart if name]):  # a name is one of the new ones
        return distinct_names(apart)
    return tuple(f"Unnamed: {j}" if not name and str(j) in counts else name for j, name in enumerate(apart))


def index_note(names: Sequence[str | int]) -> tuple[str, ...]:
    """Say which columns were left out as the index of a pandas data frame."""
    return left_out_note("left out as the index of a pandas data frame", names)


def left_out_note(what: str, names: Sequence[str | int]) -> tuple[str, ...]:
    """Say what was done to some columns, if there are any."""
    return (f"{what}: {', '.join(map(repr, names))}",) if names else ()


# Memory

# Default budget in bytes, in addition to the interpreter and its libraries.
DEFAULT_MEMORY = 1 << 30

# Largest number of threads that work on chunks.
_MOST_WORKERS = 16

# Smallest limit of the length of a line of text, in bytes.
_SHORTEST_LIMIT = 1 << 21

# Largest and smallest number of bytes of a chunk of rows.
_LARGEST_CHUNK, _SMALLEST_CHUNK = 1 << 24, 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBudget:
    """The memory that work on rows outside memory may take, and the sizes that follow from it.

    `MemoryBudget.of` derives all sizes from an amount of memory. A quarter of it is for chunks: each worker holds one
    as it was stored, one as an array, and temporaries of the same size; twice as many chunks wait. An eighth is for
    rows that were fetched one by one, and a sixteenth for a random sample of rows. The rest is for vectors with an
    entry for every row and for the engines. `dataclasses.replace` changes one of the sizes.

    Attributes
    ----------
    memory : int
        Bytes of memory in total.
    n_workers : int
        Threads that work on chunks.
    in_memory_bytes : int
        Data that take no more bytes than this while they are read are read into memory.
    chunk_bytes : int
        Bytes of a chunk of rows.
    chunk_row_limit : int
        Largest number of rows of a chunk, however few columns there are.
    line_bytes : int
        Bytes of a line of text: split into fields it may take thirty times as much.
    cache_bytes : int
        Bytes of the cache of fetched rows.
    collected_bytes : int
        Bytes of the random sample of rows that the first pass collects.
    """

    memory: int
    n_workers: int
    in_memory_bytes: int
    chunk_bytes: int
    chunk_row_limit: int = sys.maxsize
    line_bytes: int
    cache_bytes: int
    collected_bytes: int

    @classmethod
    def of(cls, memory: "str | int | MemoryBudget | None" = None, *, processors: int | None = None) -> "MemoryBudget":
        """Return the sizes for an amount of memory; a budget is returned as it is.

        Parameters
        ----------
        memory : str, int or MemoryBudget, optional
            As `memory_size`. Default: 1 GiB.
        processors : int, optional
            Processors that this process may use. Default: as the system says.

        Raises
        ------
        InvalidOptionError
            `memory` is not a positive size.

        Examples
        --------
        >>> budget = MemoryBudget.of("512MiB")
        >>> budget.cache_bytes == budget.memory // 8, MemoryBudget.of(budget) is budget
        (True, True)
        """
        if isinstance(memory, MemoryBudget):
            return memory
        n_bytes = DEFAULT_MEMORY if memory is None else memory_size(memory)
        n_workers = min(n_threads() if processors is None else processors, _MOST_WORKERS)
        share = n_bytes // (4 * (4 * n_workers + 2))
        return cls(
            memory=n_bytes, n_workers=n_workers, in_memory_bytes=n_bytes,
            chunk_bytes=max(_SMALLEST_CHUNK, min(share, _LARGEST_CHUNK)),
            line_bytes=max(_SHORTEST_LIMIT, n_bytes // 64), cache_bytes=n_bytes // 8, collected_bytes=n_bytes // 16,
        )  # fmt: skip

    def chunk_rows(self, n_columns: int) -> int:
        """Return the number of rows of a chunk."""
        return max(1, min(self.chunk_bytes // (8 * max(n_columns, 1)), self.chunk_row_limit))

    def fits(self, n_rows: int, n_columns: int) -> bool:
        """Return whether data can be read into memory.

        A reader may hold five copies of the numbers for a moment (the file, its table, the columns, the matrix and
        one of its chunks), and a text for every label.
        """
        return n_rows * (40 * n_columns + 150) <= self.in_memory_bytes


# Rows

# Number of rows that are written at a time from columns into a matrix, while both are in the processor's cache.
_ROWS_TURNED_AT_ONCE = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: float64 numbers with NaN where missing, or texts with None where missing.

    The numbers may come with their texts, as the source writes them but with decimal points, or as fractions where
    binary64 does not hold them. `is_named` says that it was named to be encoded. `levels` are the texts in the order
    that the source declares, as pandas' categories do; `is_category` says that its type is that of categories.
    `is_boolean` says that the numbers 1 and 0 are true and false.
    """

    name: str | int
    values: Floats | Texts
    texts: Sequence[str] | None = None
    is_named: bool = False
    exact: NDArray[np.object_] | None = None
    levels: tuple[str, ...] | None = None
    is_boolean: bool = False
    is_category: bool = False

    def is_missing(self) -> Mask:
        """Return which rows have no value."""
        if isinstance(self.values, list):
            return np.array([text is None for text in self.values], dtype=np.bool_)
        return np.isnan(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Features and labels of consecutive rows, with the position from which every row came.

    Attributes
    ----------
    source : str
        Display name.
    names : tuple of str or int
        Names of the features; a column without a name is called by its position in the source.
    features : tuple of Column, or float64 array, or CSR array
        The features. Missing values are NaN (or None in texts).
    label : ndarray, list or CodedLabels
        The labels as stored, None or NaN where missing.
    label_name : str or int
        Name or position of the label column.
    ids : tuple of str, optional
        Names of the rows.
    first_row : int
        Position in the source of the first row.
    lines : int64 array, optional
        Line of every row in a text file, from 1.
    origin : int64 array, optional
        Row in the source of every row, from 0, once some were left out.
    is_whole : bool
        Whether these are all rows of the source.
    notes : tuple of str
        Notes on what was left out.
    factors : tuple of Factor
        The text columns that were coded.
    spelling : Spelling
        How the numbers are written; by default they are stored as numbers.
    header_line : int, optional
        The line that names the columns, from 1; 0 if a text file has none, None for other sources.
    told_missing : frozenset
        The texts that the user told to be missing, as in `Roles.missing`, and that were found.
    """

    source: str
    names: tuple[str | int, ...]
    features: tuple[Column, ...] | Matrix
    label: NDArray[Any] | Texts | CodedLabels
    label_name: str | int
    ids: tuple[str, ...] | None = None
    first_row: int = 0
    lines: NDArray[np.int64] | None = None
    origin: NDArray[np.int64] | None = None
    is_whole: bool = True
    notes: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()
    spelling: Spelling = STORED
    header_line: int | None = None
    told_missing: frozenset[tuple[int | None, str]] = frozenset()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features as columns; of sparse rows those with an entry that is not finite in the first such row."""
        X = self.features
        if isinstance(X, tuple):
            return X
        if isinstance(X, np.ndarray):
            return tuple(Column(name=name, values=X[:, j]) for j, name in enumerate(self.names))
        bad = np.flatnonzero(~np.isfinite(X.data))[:1]
        return tuple(Column(name=self.names[j], values=X[:, [j]].toarray().ravel()) for j in X.indices[bad].tolist())

    def missing_labels(self) -> Mask:
        """Return which rows have no label."""
        label = self.label
        if isinstance(label, CodedLabels):
            return label.missing
        if isinstance(label, list) or label.dtype.kind == "O":
            return np.fromiter(map(is_absent, label), np.bool_, len(label))
        return np.asarray(label != label) if label.dtype.kind == "f" else np.zeros(len(label), dtype=np.bool_)

    def missing_rows(self) -> Mask:
        """Return the rows in which a feature or the label is missing."""
        features, is_missing = self.features, self.missing_labels()
        if isinstance(features, tuple):
            return np.asarray(np.any([is_missing, *(column.is_missing() for column in features)], axis=0))
        if isinstance(features, np.ndarray):
            return np.asarray(is_missing | np.isnan(features).any(axis=1))
        rows = np.repeat(np.arange(len(is_missing)), np.diff(features.indptr))
        is_missing[rows[np.isnan(features.data)]] = True
        return is_missing

    def error(
        self, row: int | None = None, column: str | int | None = None, *, found: str, expected: str, hint: str = ""
    ) -> DataError:
        """Return an error at a row of the table, or about a whole column or the whole source."""
        line = None
        if row is not None and self.lines is not None:
            line, row = int(self.lines[row]), None
        elif row is not None:
            row = self.first_row + row if self.origin is None else int(self.origin[row])
        return data_error(self.source, line=line, row=row, column=column, found=found, expected=expected, hint=hint)


# The path, size and time by which a file is recognised as the one that was validated.
FileStamp: TypeAlias = tuple[str, int, int]


def stamp_of(path: str) -> FileStamp:
    """Return the stamp of a file as it is now.

    Raises
    ------
    DataError
        There is no such file, or it cannot be read.
    """
    try:
        status = os.stat(path)
    except OSError as error:
        raise unreadable(path, error) from error
    return path, status.st_size, status.st_mtime_ns


def unreadable(path: str, error: Exception) -> DataError:
    """Return the error about a file that the system does not let us read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).partition("\n")[0]
    return data_error(path, found=f"a file that cannot be read: {reason}", expected="a readable file")


class StoredMatrix(Protocol):
    """A matrix in one file."""

    # Whether reading a single row takes its neighbours with it.
    is_slow_for_rows: ClassVar[bool]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        ...

    @property
    def stamp(self) -> FileStamp | None:
        """The state of the file when it was validated; None for a temporary file."""

    def pieces(self, budget: MemoryBudget) -> Iterator[tuple[int, Callable[[], Floats]]]:
        """Yield, for all rows in order and chunk by chunk, their number and a function that reads them."""
        ...

    def some(self, numbers: Rows) -> Floats:
        """Return the rows of these increasing numbers."""
        ...


class TableSource(Protocol):
    """Columns, and their rows in batches."""

    @property
    def layout(self) -> Layout:
        """The columns."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows; an estimate if they have to be read to count them, and 0 if they are read in one piece."""
        ...

    def tables(self, roles: Roles, budget: MemoryBudget | None) -> Iterator[Callable[[], Table]]:
        """Yield functions that read consecutive rows, which any thread may call, once.

        Without a budget, all rows fit into memory, and may come as one table.
        """
        ...

    def store(self, roles: Roles, budget: MemoryBudget) -> StoredMatrix | None:
        """Return the features for later passes; None if they have to be written to a temporary file first."""


@dataclass(frozen=True, kw_only=True)
class InOnePiece:
    """A source whose rows are in memory, or are read into memory together."""

    layout: Layout
    read: Callable[[Roles], Table]
    n_rows: int = 0

    def tables(self, roles: Roles, budget: MemoryBudget | None) -> Iterator[Callable[[], Table]]:
        """Yield one function, which returns all rows."""
        yield partial(self.read, roles)

    def store(self, roles: Roles, budget: MemoryBudget) -> None:
        """Return None: there is no store but memory."""


def stacked(columns: Sequence[Any], n_rows: int) -> Floats:
    """Return columns of numbers as the columns of a C-ordered matrix."""
    X = np.empty((n_rows, len(columns)))
    for start in range(0, n_rows, _ROWS_TURNED_AT_ONCE):
        rows = slice(start, start + _ROWS_TURNED_AT_ONCE)
        for j, column in enumerate(columns):
            X[rows, j] = column[rows]
    return X
