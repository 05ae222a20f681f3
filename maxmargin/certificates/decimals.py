"""The decimal text of a file as exact numbers: 0.1 is one tenth, which no binary64 number is.

Whether two classes are separable can be asked of both readings, and the answers may differ::

    reading = read_decimal("data.csv")
    answer = separability(reading.problem_of(reading.dataset))  # of the text
    stored = separability(problem_of(reading.dataset))  # of its binary64 values
    proof = reading.restated(answer.certificate)  # in the units of the text
"""

import os
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.batches import Choice, ColumnRef, OneHot, columns_named
from maxmargin.data.dataset import Dataset, DecimalReading
from maxmargin.data.numbers.binary64 import MOST_DIGITS, ExactRows, NumberError
from maxmargin.data.numbers.numerals import BOOLEAN, bounded_fraction
from maxmargin.data.reading.loading import missing_texts, read_dataset
from maxmargin.data.sources.opening import DELIMITED, SUFFIXES, format_of, suffix_of
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import DataError, data_error, quoted

# Suffixes of the formats that have a type of decimal numbers.
TYPED = (".parquet", ".feather")


def read_decimal(
    source: "str | os.PathLike[str]",
    *,
    positive: object = None,
    drop: ColumnRef | Iterable[ColumnRef] = (),
    one_hot: OneHot | bool | ColumnRef | Iterable[ColumnRef] = False,
    **columns: Any,
) -> DecimalReading:
    """Read a data set with the exact numbers that its text writes.

    Parameters
    ----------
    source : str or path
        A .csv or .tsv file (also .gz), or `-` for CSV on the standard input. The text of a bundled data set is its
        shortest decimals. Or a .parquet or .feather file with columns of a decimal type.
    positive, drop, one_hot
        As in `load`.
    **columns
        The arguments `label`, `id`, `drop_missing`, `sep`, `decimal_comma`, `header`, `missing` and `format` of `load`.

    Raises
    ------
    DataError
        If the source is of a format without decimal text, cannot be read as `load` would, or holds numerals too long
        for exact work: of more than 2,000 digits, or in columns whose numbers need integers above 2**1000.
    InvalidOptionError
        If the source is a table in memory.

    Examples
    --------
    >>> reading = read_decimal("iris")
    >>> reading.rows_of(reading.dataset)[0]
    (Fraction(51, 10), Fraction(7, 2), Fraction(7, 5), Fraction(1, 5))
    """
    columns["missing"] = missing_texts(columns.get("missing", ()))
    choice = Choice(drop=columns_named(drop), one_hot=OneHot.of(one_hot), keep_texts=True, **columns)
    _check_source(source, choice)
    dataset, texts = read_dataset(source, choice, positive)
    reading = DecimalReading.of(dataset)
    suffix = format_of(os.fspath(source), choice)
    if reading is None and suffix in TYPED:
        raise _no_decimals(os.fspath(source), suffix)
    return reading or _of_text(dataset, texts)


def _of_text(dataset: Dataset, written: Sequence[Sequence[str] | None]) -> DecimalReading:
    columns = [_column(dataset, j, numerals) for j, numerals in enumerate(written)]
    try:
        exact = ExactRows.of(dataset.X, columns)
    except NumberError as error:
        name = None if error.column is None else dataset.feature_names[error.column]
        raise error.in_source(dataset.source, name) from error
    return DecimalReading(dataset=dataset, exact=exact)


def _check_source(source: object, choice: Choice) -> None:
    if not isinstance(source, str | os.PathLike):
        raise InvalidOptionError(f"found a {type(source).__name__}; decimal text only exists in .csv and .tsv files")
    path = os.fspath(source)
    suffix = format_of(path, choice)
    if (suffix in (*SUFFIXES, ".npy") or choice.format is not None) and suffix not in (*DELIMITED, *TYPED):
        raise _no_decimals(path, suffix)


def _no_decimals(path: str, suffix: str) -> DataError:
    expected = ".csv or .tsv, as decimal text only exists there"
    found = f"the suffix {suffix!r}" if suffix_of(path) == suffix else f"the format {suffix.removeprefix('.')}"
    return data_error(path, found=found, expected=expected)


def _column(dataset: Dataset, j: int, numerals: Sequence[str] | None) -> NDArray[np.object_]:
    """Return the numbers of a column; where it has no text, its shortest decimals."""
    written = list(map(repr, dataset.X[:, j].tolist())) if numerals is None else numerals
    number_of = {text: _number(text, dataset, j) for text in set(written)}
    column = np.empty(len(written), dtype=object)
    column[:] = [number_of[text] for text in written]
    return column


def _number(text: str, dataset: Dataset, j: int) -> Fraction:
    """Return the number that a text of column j states."""
    text = text.strip().lower()
    if text in BOOLEAN:
        return Fraction(BOOLEAN[text])
    exact = bounded_fraction(text)
    if exact is not None:
        return exact
    raise data_error(
        dataset.source, column=dataset.feature_names[j], found=quoted(text),
        expected=f"at most {MOST_DIGITS} digits, and an exponent of that size, for the decimal reading",
    )  # fmt: skip
