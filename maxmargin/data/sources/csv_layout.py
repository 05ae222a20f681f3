"""The layout of delimited text: its separator, and whether its first line names the columns."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from maxmargin.data.numbers.numerals import POINTS, Spelling, is_missing, is_written_otherwise
from maxmargin.solvers.errors import InvalidOptionError, option

NAMED_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "space": " ", "pipe": "|"}
"""Names of separators; a space stands for any white space within a line."""

LINES_COMPARED = 20
"""Number of lines that are compared to propose a separator."""

NEVER_A_NAME = ("?", "nan", "n/a", "#n/a")
"""Texts for a missing value that show a line to be data; others, such as Na for sodium, may name a column."""

_QUOTED = re.compile(r'"[^"]*"')

_WHITE_SPACE = re.compile(r'("[^"]*")|[ \t]+')
_AT_ENDS = re.compile(r"^ | (?=\r?$)", re.MULTILINE)


def separator_named(text: str) -> str:
    """Return the separator that a name or the character itself stands for.

    Raises
    ------
    InvalidOptionError
        It is neither one of the names nor an ASCII character that no number holds.

    Examples
    --------
    >>> separator_named("tab"), separator_named(";")
    ('\\t', ';')
    """
    char = NAMED_SEPARATORS.get(text, text)
    is_fine = len(char) == 1 and char.isascii() and (char.isprintable() or char == "\t")
    if not is_fine or char.isalnum() or char in '"+-._':
        names = ", ".join(name for name in NAMED_SEPARATORS if name.isalpha())
        raise InvalidOptionError(f"sep is {text!r}; expected {names}, or one character that no number holds")
    return char


def separator_of(first_line: str, *, decimal_comma: bool = False) -> str:
    """Return the separator of the fields of `first_line`: a comma, unless it has none but has semicolons or tabs.

    Where commas are decimal, semicolons and tabs go before them.

    Examples
    --------
    >>> separator_of('"a,b";c;d'), separator_of("1,5;2"), separator_of("1,5;2", decimal_comma=True)
    (';', ',', ';')
    """
    bare = _QUOTED.sub("", first_line)
    return next((char for char in (";\t" if decimal_comma else ",;\t") if char in bare), ",")


def separator_hint(lines: Iterable[str], separator: str) -> str:
    """Propose another separator if it occurs equally often in all of the first lines; otherwise return an empty text.

    Examples
    --------
    >>> from maxmargin.solvers.errors import in_python
    >>> in_python(separator_hint(["a|b", "1|2"], ","))
    "the lines look separated by '|': read them with sep='|'"
    """
    bare = [_QUOTED.sub("", line).strip() for line in islice((line for line in lines if line.strip()), LINES_COMPARED)]
    for char in ";\t|, ".replace(separator, ""):
        counts = {line.count(char) for line in (map(spaced, bare) if char == " " else bare)}
        if len(counts) == 1 and counts != {0}:
            name = "spaces" if char == " " else repr(char)
            value = {"\t": "tab", " ": "space"}.get(char, char)
            return f"the lines look separated by {name}: read them with {option('sep', repr(value))}"
    return ""


def spaced(text: str) -> str:
    """Return lines with one space for every run of spaces and tabs outside quotes, and none at either end.

    Examples
    --------
    >>> spaced("  1.5   2\\t3 \\n")
    '1.5 2 3\\n'
    """
    text = _WHITE_SPACE.sub(lambda found: found[1] or " ", text)
    return _AT_ENDS.sub("", text)


def is_header(rows: Sequence[Sequence[str]], spelling: Spelling = POINTS) -> bool:
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
    if any(_is_data(field, spelling) or field.strip().lower() in NEVER_A_NAME for field in first):
        return False
    if not below or any(_is_data(field, spelling) for field in below[0]):
        return True
    columns = zip(*below, strict=False)
    return not any(name.strip() and name in column for name, column in zip(first, columns, strict=False))


def _is_data(field: str, spelling: Spelling) -> bool:
    """Return whether a field is a number, or looks like one in a spelling other than that of the options."""
    return not is_missing(field) and (spelling.is_number(field) or is_written_otherwise(spelling.swapped(field)))
