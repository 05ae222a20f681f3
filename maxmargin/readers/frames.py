"""Tables in memory: pandas, Polars, Arrow (through narwhals)."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import data_error, quote
from .numerals import ROUNDED_HINT, first_rounded
from .table import TEXT_HINT, Choice, Column, Table, Texts, drop_note, kept_names, shown_name

if TYPE_CHECKING:
    import narwhals as nw

LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "modin", "cudf", "narwhals"})
"""Packages whose objects narwhals reads."""


def is_from_table_library(value: object) -> bool:
    """Return whether `value` is an object of pandas, Polars, Arrow or the like, without importing them."""
    return type(value).__module__.partition(".")[0] in LIBRARIES


def read_frame(frame: Any, choice: Choice, source: str | None = None) -> Table:
    """Read a table in memory.

    Raises
    ------
    DataError
        `frame` is not a table, or has columns that are neither numbers, booleans nor texts.
    """
    source = source or _called(frame)
    choice.refuse_of_text(source, "a table of columns")
    names, columns = columns_of(frame, source)
    roles = choice.roles(names, len(columns), source)
    return Table(
        source=source,
        names=kept_names(names, roles.features),
        features=tuple(
            Column(
                name=shown_name(names, j),
                values=values_of(columns[j], shown_name(names, j), source),
                is_named=j in roles.encoded,
            )
            for j in roles.features
        ),
        label=labels_of_series(columns[roles.label]),
        label_name=shown_name(names, roles.label),
        ids=None if roles.id is None else tuple(str(value) for value in columns[roles.id].to_list()),
        notes=drop_note(names, roles),
    )


def _called(frame: object) -> str:
    library = type(frame).__module__.partition(".")[0]
    return f"{library} {type(frame).__name__}" if library in LIBRARIES else "source"


def columns_of(frame: Any, source: str) -> "tuple[tuple[str, ...], list[nw.Series[Any]]]":
    """Return the names (as texts) and the columns of a table."""
    import narwhals as nw

    expected = "a file, the name of a data set, or a pandas, Polars or Arrow table"
    if not is_from_table_library(frame):
        raise data_error(source, found=f"an object of type {type(frame).__name__}", expected=expected)
    _refuse_namesakes(frame, source)
    table = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        hint = "collect() it first" if hasattr(frame, "collect") else ""
        raise data_error(source, found=f"an object of type {type(frame).__name__}", expected=expected, hint=hint)
    return tuple(str(name) for name in table.columns), list(table.iter_columns())


def _refuse_namesakes(frame: Any, source: str) -> None:
    """Refuse columns of one name; a pyarrow table has `column_names`, the others `columns`."""
    if type(frame).__name__ == "LazyFrame":
        return
    names = getattr(frame, "column_names" if hasattr(frame, "column_names") else "columns", ())
    twice = [name for name, count in Counter(str(name) for name in names).items() if count > 1]
    if twice:
        raise data_error(source, found=f"several columns named {quote(twice[0])}", expected="a different name for each")


def values_of(series: "nw.Series[Any]", name: str | int, source: str) -> NDArray[np.float64] | Texts:
    """Return the numbers of a column with NaN where missing, or its texts with None where missing.

    Raises
    ------
    DataError
        The column holds something else.
    """
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        if series.null_count() == 0:
            return _converted(series.to_numpy(), name, source)
        return np.asarray([np.nan if value is None else float(value) for value in _list_of(series)], dtype=np.float64)
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return [None if value is None else str(value) for value in _list_of(series)]
    if dtype in (nw.Object, nw.Unknown):
        values = _values_of_objects(_list_of(series))
        if values is not None:
            return values
    raise data_error(
        source, column=name, found=f"values of type {dtype}", expected="numbers", hint=TEXT_HINT.partition(" or ")[0]
    )


def _converted(values: NDArray[Any], name: str | int, source: str) -> NDArray[np.float64]:
    """Return binary64 numbers; raise where one changed on the way to them: a proof would be about another number."""
    converted = np.asarray(values, dtype=np.float64)
    place = first_rounded(values, converted)
    if place is not None:
        expected = "one that binary64 holds exactly"
        found = str(values[place])
        raise data_error(source, row=place[0], column=name, found=found, expected=expected, hint=ROUNDED_HINT)
    return converted


def _values_of_objects(values: Sequence[Any]) -> NDArray[np.float64] | Texts | None:
    if all(value is None for value in values):
        return np.full(len(values), np.nan)
    present = [value for value in values if value is not None]
    if all(isinstance(value, str) for value in present):
        return list(values)
    if all(isinstance(value, bool | int | float) for value in present):
        return np.array([np.nan if value is None else float(value) for value in values])
    return None


def labels_of_series(series: "nw.Series[Any]") -> NDArray[Any] | Texts:
    """Return the labels of a column: a number or boolean array if nothing is missing, else a list with None."""
    import narwhals as nw

    dtype = series.dtype
    is_plain = dtype.is_integer() or dtype.is_float() or dtype == nw.Boolean
    if is_plain and series.null_count() == 0:
        return np.asarray(series.to_numpy())
    return _list_of(series)


def _list_of(series: "nw.Series[Any]") -> list[Any]:
    """Return Python values, None for all that the library takes for missing."""
    is_null = series.is_null().to_list()
    return [None if missing else value for missing, value in zip(is_null, series.to_list(), strict=True)]
