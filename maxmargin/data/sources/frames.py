"""Tables of columns in memory: pandas, Polars and Arrow, through narwhals."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data import batches
from maxmargin.data.batches import Choice, Column, InOnePiece, Layout, Roles, Table, distinct_names
from maxmargin.data.labels import CodedLabels
from maxmargin.data.numbers.binary64 import NumberError, Numbers, numbers
from maxmargin.data.numbers.numerals import TEXT_HINT, Texts
from maxmargin.text.data_error import data_error, quoted

if TYPE_CHECKING:
    import narwhals as nw

# The names that pandas gives to the levels of an index without names of their own.
_NAMELESS = re.compile(r"__index_level_\d+__")

# Packages whose objects narwhals reads.
LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "modin", "cudf", "narwhals"})


def is_from_table_library(value: object) -> bool:
    """Return whether `value` is an object of pandas, Polars, Arrow or the like, without importing them."""
    return type(value).__module__.partition(".")[0] in LIBRARIES


def name_of(X: Any) -> str:
    """Return what features are called in messages."""
    return "data frame" if is_from_table_library(X) else "array"


def library_of(*tables: object) -> str | None:
    """Return the library of the first data frame or series among these; None if there is none."""
    for table in tables:
        if is_from_table_library(table):
            import narwhals as nw

            native: Any = nw.to_native(table, pass_through=True)
            return type(native).__module__.partition(".")[0]
    return None


def open_frame(frame: Any, choice: Choice, source: str | None = None) -> InOnePiece:
    """Open a table in memory.

    Raises
    ------
    DataError
        `frame` is not a table.
    """
    library = type(frame).__module__.partition(".")[0]
    source = source or (f"{library} {type(frame).__name__}" if library in LIBRARIES else "source")
    choice.refuse_of_text(source, "a table of columns")
    names, columns = columns_of(frame, source)
    layout = Layout(source=source, names=names, n_columns=len(names), index=index_of(frame, names))
    return InOnePiece(layout=layout, read=partial(table_of_series, dict(enumerate(columns)), layout))


def table_of_series(columns: "Mapping[int, nw.Series[Any]]", layout: Layout, roles: Roles, **rows: Any) -> Table:
    """Return the table of rows whose columns are given by their positions; `rows` are other attributes of `Table`.

    Raises
    ------
    DataError
        A feature holds neither numbers, booleans nor texts.
    """
    read = partial(column_of, source=layout.source, first_row=rows.get("first_row", 0))
    features = ((j, read(columns[j], layout.name_of(j))) for j in roles.features)
    return layout.table(
        roles, label=labels_of_series(columns[roles.label]),
        features=tuple(replace(column, is_named=j in roles.encoded) for j, column in features),
        ids=None if roles.id is None else tuple(str(value) for value in columns[roles.id].to_list()), **rows,
    )  # fmt: skip


def columns_of(frame: Any, source: str) -> "tuple[tuple[str, ...], list[nw.Series[Any]]]":
    """Return the names (as texts) and the columns of a table."""
    import narwhals as nw

    expected = "a file, the name of a data set, or a pandas, Polars or Arrow table"
    if not is_from_table_library(frame):
        raise data_error(source, found=f"an object of type {type(frame).__name__}", expected=expected)
    table = nw.from_native(with_distinct_names(frame, source), eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        hint = "collect() it first" if hasattr(frame, "collect") else ""
        raise data_error(source, found=f"an object of type {type(frame).__name__}", expected=expected, hint=hint)
    return tuple(str(name) for name in table.columns), list(table.iter_columns())


def index_of(frame: Any, names: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the columns of a table that hold the index of a pandas data frame."""
    import narwhals as nw

    schema = getattr(nw.to_native(frame, pass_through=True), "schema", None)
    metadata = getattr(schema, "metadata", None)
    return index_columns(names, metadata if isinstance(metadata, dict) else None)


def with_distinct_names(frame: Any, source: str = "X") -> Any:
    """Return a table whose equal names tell their columns apart; see `distinct_names`.

    Raises
    ------
    DataError
        The names have several levels.
    """
    if type(frame).__name__ == "LazyFrame":
        return frame
    if getattr(getattr(frame, "columns", None), "nlevels", 1) > 1:
        raise data_error(source, found="columns whose names have several levels", expected="one name for each column")
    is_of_arrow = hasattr(frame, "column_names")
    names = [str(name) for name in (frame.column_names if is_of_arrow else getattr(frame, "columns", ()))]
    if len(set(names)) == len(names) and not any(isinstance(name, tuple) for name in getattr(frame, "columns", ())):
        return frame
    apart = list(distinct_names(names) or ())
    return frame.rename_columns(apart) if is_of_arrow else frame.set_axis(apart, axis="columns")


def column_of(series: "nw.Series[Any]", name: str | int, source: str, *, first_row: int = 0) -> Column:
    """Return a column as numbers with NaN where missing, or as texts with None where missing.

    Raises
    ------
    DataError
        The column holds something else, or numbers that do not pass the gate to binary64.
    """
    import narwhals as nw

    if series.dtype in (nw.String, nw.Categorical, nw.Enum):
        values = _list_of(series)
        texts = [None if value is None else str(value) for value in values]
        if len(set(texts)) < len(set(values)):
            twice = next(text for text, count in Counter(map(str, set(values))).items() if count > 1)
            raise data_error(source, column=name, found=f"several levels {quoted(twice)}", expected="different texts")
        is_category = series.dtype in (nw.Categorical, nw.Enum)
        return Column(name=name, values=texts, levels=_declared_levels(series), is_category=is_category)
    try:
        found = _numbers_of(series)
    except NumberError as error:
        raise error.in_source(source, name, first_row=first_row) from error
    if found is None and series.dtype in (nw.Object, nw.Unknown):
        values = _list_of(series)
        if all(value is None or isinstance(value, str) for value in values):
            return Column(name=name, values=values)
    if found is None:
        hint = "leave it out" if source == "X" else TEXT_HINT.partition(" or ")[0]
        raise data_error(source, column=name, found=f"values of type {series.dtype}", expected="numbers", hint=hint)
    is_boolean = series.dtype == nw.Boolean
    return Column(name=name, values=found.nearest, exact=found.exact, is_boolean=is_boolean)


def _declared_levels(series: "nw.Series[Any]") -> tuple[str, ...] | None:
    """Return the levels in the order that a model takes them: pandas' categories, and those of an enumeration."""
    import narwhals as nw

    dtype = series.dtype
    if isinstance(dtype, nw.Enum):
        return tuple(map(str, dtype.categories))
    own: Any = series.to_native().dtype if series.implementation.is_pandas_like() else None
    if dtype == nw.Categorical and hasattr(own, "categories"):  # a dictionary of Arrow in pandas has none
        return tuple(map(str, own.categories))
    return None


def _numbers_of(series: "nw.Series[Any]") -> Numbers | None:
    """Return the numbers of a column; None where it holds something else."""
    import narwhals as nw

    dtype = series.dtype
    # missing floating-point numbers are NaN
    if dtype.is_float() or (_has_array_type(dtype) and series.null_count() == 0):
        return numbers(np.asarray(series.to_numpy()))
    if not (dtype.is_numeric() or dtype in (nw.Boolean, nw.Object, nw.Unknown)):
        return None
    values = _list_of(series)
    objects = [np.nan if value is None else value for value in values]
    is_number = all(value is None or isinstance(value, Real | Decimal | np.bool_) for value in values)
    return numbers(np.array(objects, dtype=object)) if is_number else None


def _has_array_type(dtype: "nw.dtypes.DType") -> bool:
    """Return whether numpy has the type of numbers or booleans: not of decimals, nor of integers of 128 bits."""
    import narwhals as nw

    return dtype.is_float() or dtype == nw.Boolean or (dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128))


def labels_of_series(series: "nw.Series[Any]") -> NDArray[Any] | Texts | CodedLabels:
    """Return the labels of a column: a number or boolean array if nothing is missing, else with None."""
    import narwhals as nw

    dtype = series.dtype
    if dtype == nw.String and series.implementation.is_pyarrow():
        coded = series.to_native().combine_chunks().dictionary_encode()
        distinct = [*coded.dictionary.to_pylist(), None]
        positions = coded.indices.fill_null(len(distinct) - 1) if coded.null_count else coded.indices
        return CodedLabels(distinct, positions.to_numpy(zero_copy_only=False))
    if dtype in (nw.String, nw.Categorical, nw.Enum) and series.implementation.is_pandas():
        with suppress(TypeError):  # a label that cannot be hashed, as a list
            return CodedLabels.of_pandas(series.to_native())
    if _has_array_type(dtype) and series.null_count() == 0:
        return np.asarray(series.to_numpy())
    return _list_of(series)


def _list_of(series: "nw.Series[Any]") -> list[Any]:
    """Return Python values, None for all that the library takes for missing."""
    is_null = series.is_null().to_list()
    return [None if missing else value for missing, value in zip(is_null, series.to_list(), strict=True)]


def index_columns(names: Sequence[str], metadata: Mapping[bytes, bytes] | None = None) -> tuple[int, ...]:
    """Return the positions of the columns into which pandas wrote its index.

    Parameters
    ----------
    names : sequence of str
        Names of all columns.
    metadata : mapping, optional
        Metadata of the schema. A range index, which has no column, is skipped, and so is malformed metadata.

    Examples
    --------
    >>> index_columns(["site", "x", "y"], {b"pandas": b'{"index_columns": ["site"]}'})
    (0,)
    >>> index_columns(["x", "y", "__index_level_0__"])
    (2,)
    """
    stored = _index_names(metadata or {})
    return tuple(j for j, name in enumerate(names) if name in stored or _NAMELESS.fullmatch(name))


def _index_names(metadata: Mapping[bytes, bytes]) -> set[str]:
    try:
        columns = json.loads(metadata.get(b"pandas", b"{}"))["index_columns"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return set()
    return {name for name in columns if isinstance(name, str)} if isinstance(columns, list) else set()


def without_index(frame: Any, formula: str) -> tuple[Any, tuple[str, ...]]:
    """Return a data frame without the columns that hold its index or number its rows, and notes on these.

    A formula without "." has no others than it names, and keeps those.
    """
    names, series = columns_of(frame, "X")
    if "." not in formula or len(names) < 3:
        return frame, ()
    is_named = [bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", formula) is not None for name in names]
    index = [j for j in index_of(frame, names) if not is_named[j]]
    others = (j for j, name in enumerate(names) if batches.is_index_name(name) and not is_named[j] and j not in index)
    numbers = [j for j in others if series[j].dtype.is_numeric() and batches.numbers_rows(series[j].to_numpy())]
    if not (index or numbers):
        return frame, ()
    import narwhals as nw

    notes = (*batches.index_note([names[j] for j in index]), *batches.numbering_notes(names[j] for j in numbers))
    table = nw.from_native(frame, eager_only=True)
    return table.drop([table.columns[j] for j in (*index, *numbers)]).to_native(), notes
