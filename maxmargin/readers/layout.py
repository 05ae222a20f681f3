"""How a delimited file is laid out: its separator, and whether its first line names the columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .numerals import is_missing, number

SEPARATORS = ",;\t"
"""Tried in this order: the first that occurs outside quotes in the first line separates the fields of a .csv file."""

NEVER_A_NAME = frozenset({"?", "nan", "n/a", "#n/a"})
"""Texts for a missing value that show a line to be data; others, such as Na for sodium, may name a column."""

_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What the first rows tell.

    Attributes
    ----------
    source : str
        Display name of the file.
    separator : str
        What separates the fields.
    names : tuple of str, optional
        Names of the columns, if there is a header.
    n_columns : int
        Fields of a row.
    header_line : int
        Line of the header, from 1; 0 if there is none.
    """

    source: str
    separator: str
    names: tuple[str, ...] | None
    n_columns: int
    header_line: int


def separator_of(first_line: str) -> str:
    """Return what separates the fields of `first_line`: a comma unless it has none but has semicolons or tabs.

    Examples
    --------
    >>> separator_of('"a,b";c;d')
    ';'
    """
    bare = _QUOTED.sub("", first_line)
    return next((char for char in SEPARATORS if char in bare), ",")


def is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of `rows` names the columns.

    It does unless one of its fields is a number or "?", "nan", "n/a". When the second row holds no number either, so
    that all columns may be text, a field of the first row that occurs again below it in its column shows it to be data.

    Examples
    --------
    >>> is_header([["5.1", "Iris-setosa"], ["4.9", "Iris-setosa"]])
    False
    >>> is_header([["petal", "species"], ["4.9", "Iris-setosa"]])
    True
    >>> is_header([["sunny", "no"], ["rain", "yes"], ["rain", "no"]])
    False
    """
    first, *below = rows
    if any(_is_number(field) or field.strip().lower() in NEVER_A_NAME for field in first):
        return False
    if not below or any(_is_number(field) for field in below[0]):
        return True
    columns = zip(*below, strict=False)
    return not any(name.strip() and name in column for name, column in zip(first, columns, strict=False))


def _is_number(field: str) -> bool:
    return number(field) is not None and not is_missing(field)
