"""Files read by a formula: the columns that it names, and the rows that have a value in all of them."""

import os
import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.column_roles import Choice, OneHot, missing_notes
from maxmargin.data.dataset import Dataset
from maxmargin.data.labels import LabelError, encode, is_absent
from maxmargin.data.numbers.numerals import DROP_MISSING_HINT
from maxmargin.data.reading.arrays import features_and_labels
from maxmargin.data.reading.coding import OF_A_FORMULA, check_levels
from maxmargin.data.reading.collected import with_missing
from maxmargin.data.reading.formulas import check_is_installed, read_formula, variables_of, without_index
from maxmargin.data.sources.batches import Table
from maxmargin.data.sources.by_name import open_source
from maxmargin.data.sources.frames import library_of
from maxmargin.data.stores.budget import MemoryBudget
from maxmargin.text.data_error import data_error

_PLAIN_NAME = re.compile(r"\s*(?:`([^`]+)`|(\w+))\s*")


def load_by_formula(source: Any, formula: str, choice: Choice, positive: object, memory: MemoryBudget) -> Dataset:
    """Read a data set by a formula; the label and the coding of the choice do not count.

    The data are read into memory; the columns that the formula makes of levels may take `memory`.

    Raises
    ------
    DataError, InvalidProblemError
        If the source cannot be read, or does not have what the formula names.
    InvalidOptionError
        If formulaic is not installed.
    """
    check_is_installed(formula)
    response = _PLAIN_NAME.fullmatch(formula.partition("~")[0])
    named = -1 if response is None else response[1] or response[2]
    table = whole_table(source, replace(choice, label=named, one_hot=OneHot(every=True), drop_missing=False))
    if len(table.label) == 0:
        raise table.error(found="no rows", expected="at least one")
    frame, notes = without_index(_frame_of(table), formula)
    variables, plain = variables_of(formula, frame)
    for column in table.features if isinstance(table.features, tuple) else ():
        if isinstance(column.values, list) and not column.is_category and str(column.name) in plain:
            check_levels(table, column, choice, OF_A_FORMULA)
    rows = _complete_rows(table, frame[[*variables]], drop_missing=choice.drop_missing)
    n_dropped = len(frame) - len(rows)
    dropped = f"{n_dropped} row{'s' * (n_dropped != 1)} with missing values left out of {len(frame)}"
    frame = _with_types(table, frame.iloc[rows].reset_index(drop=True))
    modelled = read_formula(formula, frame, memory.memory)
    notes = (*table.notes, *notes, *[dropped] * (n_dropped > 0), *modelled.notes)
    dataset = features_and_labels(modelled._replace(notes=notes), positive=positive, source=table.source)
    stated = choice.stated_of(source, table.header_line)
    del stated["label"]
    return replace(
        dataset, read_as={**stated, "formula": str(formula)}, library=library_of(source),
        header_line=table.header_line or None, has_intercept=modelled.has_intercept,
        row_ids=None if table.ids is None else tuple(table.ids[row] for row in rows.tolist()),
        rows=rows if n_dropped else None,
    )  # fmt: skip


def whole_table(source: Any, choice: Choice) -> Table:
    """Return all rows of a source that is no folder, of a choice that needs the texts of its columns.

    Raises
    ------
    DataError
        The source cannot be read.
    """
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        raise data_error(os.fspath(source), found="a directory", expected="a file")
    (one,), _ = open_source(source, choice)
    roles = choice.roles(one.layout, "formula")
    (read,) = one.tables(roles, None)
    table = with_missing(read(), roles)
    return replace(table, notes=(*table.notes, *missing_notes(one.layout, roles, table.told_missing)))


def _complete_rows(table: Table, frame: Any, *, drop_missing: bool) -> NDArray[np.int64]:
    """Return the rows that have a value in every column of a data frame.

    Raises
    ------
    DataError
        If there are others and they are not to be left out, or no row is left.
    """
    is_missing = frame.isna()
    is_complete = ~is_missing.any(axis=1).to_numpy()
    if not (is_complete.all() or drop_missing):
        first = int(np.argmin(is_complete))
        name = frame.columns[int(np.argmax(is_missing.iloc[first]))]
        hint = f"{DROP_MISSING_HINT}: {np.count_nonzero(~is_complete)} of {len(frame)}"
        raise table.error(first, name, found="a missing value", expected="a value", hint=hint)
    if not is_complete.any():
        raise table.error(found="a missing value in every row", expected="at least one complete row")
    return np.flatnonzero(is_complete).astype(np.int64)


def _frame_of(table: Table) -> Any:
    """Return all columns of a table, the labels as well, as a pandas data frame."""
    import pandas as pd

    names = (f"Unnamed: {n}" if isinstance(n, int) and table.header_line else str(n) for n in table.names)
    if isinstance(table.features, tuple):
        values = [c.values if c.exact is None else c.exact for c in table.features]
    else:
        values = [*(table.features if isinstance(table.features, np.ndarray) else table.features.toarray()).T]
    return pd.DataFrame({**dict(zip(names, values, strict=True)), str(table.label_name): _labels(table)})


def _with_types(table: Table, frame: Any) -> Any:
    """Return complete rows with the types that the source has: true and false, levels in their order, whole numbers."""
    import pandas as pd

    columns = {str(column.name): column for column in table.features} if isinstance(table.features, tuple) else {}

    def typed(values: Any) -> Any:
        column = columns.get(values.name)
        if column is not None and column.is_boolean:
            return values.astype(np.bool_)
        if column is not None and column.levels is not None:
            return values.astype(pd.CategoricalDtype(column.levels))
        if column is not None and column.is_category:
            return values.astype("category")
        return _whole(values.to_numpy())

    return frame.apply(typed)


def _labels(table: Table) -> Any:
    """Return the labels as numbers where all are, otherwise as they are; None where they are missing."""
    labels = table.label if isinstance(table.label, list) else table.label.tolist()
    values = [None if is_absent(label) else label for label in labels]
    present = [value for value in values if value is not None]
    if not present:
        return values
    try:
        encoded = iter(encode(present).tolist())
    except LabelError as error:
        raise table.error(column=table.label_name, found=error.found, expected=error.expected) from error
    return [None if value is None else next(encoded) for value in values]


def _whole(values: Any) -> Any:
    """Return numbers as integers if all are whole and exact."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f" or not np.isfinite(values).all():
        return values
    is_whole = (values == np.floor(values)) & (np.abs(values) < 2**53)
    return values.astype(np.int64) if is_whole.all() else values
