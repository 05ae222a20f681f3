"""The layout of delimited text: its separator, and whether its first line names the columns."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from maxmargin.data.batches import Choice, Layout, distinct_names
from maxmargin.data.numbers.numerals import POINTS, Spelling, is_missing, is_written_otherwise, parse_number
from maxmargin.data.sources.opening import looks_like_svmlight
from maxmargin.solvers.answers.answer_text import counted
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.text.data_error import data_error, listed

# Names of separators; a space stands for any white space within a line.
NAMED_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "space": " ", "pipe": "|"}

# Number of rows that are compared with the first one to tell a header from data.
ROWS_OF_SAMPLE = 1_000

# Number of lines that are compared to propose a separator.
LINES_COMPARED = 20

# Texts for a missing value that show a line to be data; others, such as Na for sodium, may name a column.
NEVER_A_NAME = ("?", "nan", "n/a", "#n/a")

# Least number of rows and largest number of levels of labels over which a word is likely to be a name.
_FEWEST_ROWS, _MOST_LEVELS = 4, 20

QUOTED = re.compile(r'"[^"]*"')

_SEPARATOR_LINE = re.compile(r'"?sep=([^\n"])"?\r?\n', re.IGNORECASE)
# Comments, which do not begin as the errors of spreadsheets do: #N/A, #DIV/0!.
_COMMENTS = re.compile(r"(?:[ \t]*\r?\n)*(?:#(?!N/A|(?:DIV/0|REF|VALUE|NAME|NUM|NULL)[!?])[^\n]*\n)+")

_WHITE_SPACE = re.compile(r'("[^"]*")|[ \t]+')
_AT_ENDS = re.compile(r"^ | (?=\r?$)", re.MULTILINE)


NumberedRow: TypeAlias = tuple[int, list[str]]


class Prelude(NamedTuple):
    """The lines before the first row: a line ``sep=;``, and comments, which begin with ``#``."""

    n_lines: int
    separator: str | None
    comment: str | None

    @classmethod
    def of(cls, text: str) -> "Prelude":
        """Return the lines of a text that come before its rows.

        Examples
        --------
        >>> Prelude.of("# made by hand\\n# x y\\n1 2\\n")
        Prelude(n_lines=2, separator=None, comment=' x y')
        """
        told = _SEPARATOR_LINE.match(text)
        rest = text if told is None else text[told.end() :]
        comments = _COMMENTS.match(rest)
        lines = [] if comments is None else comments[0].split("\n")[:-1]
        return cls((told is not None) + len(lines), told and told[1], lines[-1].strip().lstrip("#") if lines else None)


def layout_of_rows(
    rows: Sequence[NumberedRow], separator: str, source: str, choice: Choice, prelude: Prelude, hint: Callable[[], str]
) -> tuple[Layout, list[str]]:
    """Return the columns of a file whose first rows are these, and how its first lines were read if that is doubtful.

    Raises
    ------
    DataError
        There is one column only, or nothing below the header; or it is doubtful whether there is a header.
    """
    (line, fields), *below = rows
    if len(fields) == 1 and (advice := hint()):
        raise data_error(source, found="one column only", expected="at least two: features and a label", hint=advice)
    spelling = Spelling(decimal_comma=choice.decimal_comma)
    if spelling.decimal_comma and separator == ",":
        _check_quoted(rows, source, hint())
    names, header_line = _names(rows, separator, source, choice, prelude)
    n_skipped = prelude.n_lines - (prelude.separator is not None) - (0 < header_line <= prelude.n_lines)
    notes = [f"comments skipped before the rows: {counted(n_skipped, 'line')}"] * (n_skipped > 0)
    if names is None:
        notes += [f"no header: line {line} is a row of data"] * (choice.header is None)
    elif header_line == line and not below:
        raise data_error(source, line=line, found="a header line only", expected="rows of data below it")
    elif choice.header is None and any(map(spelling.is_finite_number, names)):
        notes.append(f"line {header_line} names the columns: {listed(names)}")
    n_columns = len((below or rows)[0][1])
    is_short = names is not None and 2 <= len(names) == n_columns - 1 and {len(row) for _, row in below} == {n_columns}
    has_row_names = is_short and _have_names(below, separator)
    notes += ["the first column names the rows, as the header has a field less"] * has_row_names
    layout = Layout(
        source=source, names=distinct_names(("", *names) if has_row_names and names else names),
        n_columns=n_columns if has_row_names else len(fields if names is None else names), spelling=spelling,
        row_names=0 if has_row_names else None, header_line=header_line,
    )  # fmt: skip
    return layout, notes


def _names(
    rows: Sequence[NumberedRow], separator: str, source: str, choice: Choice, prelude: Prelude
) -> tuple[tuple[str, ...] | None, int]:
    """Return the names of the columns and their line; None and 0 if there is no header."""
    (line, fields), *below = rows
    is_short = len(fields) > 1 and bool(below) and all(len(row) == len(fields) + 1 for _, row in below)
    blank = [""] * is_short  # over the names of the rows
    compared = [[*blank, *fields], *(row for _, row in below)]
    look = partial(names_columns, spelling=Spelling(decimal_comma=choice.decimal_comma), label=choice.label)
    is_header, comment = choice.header, prelude.comment or ""
    looks_so = is_header is not False and look(compared)
    told = next(csv.reader([spaced(comment) if separator == " " else comment.strip()], delimiter=separator), [])
    if not looks_so and len(told) == len(fields):
        is_comment = is_header is False and comment.startswith(" ")
        if not (is_header or is_comment) and look([[*blank, *told], *compared]) is False:
            found = f"a comment that may be a row: {listed(told)}"
            hint = "quotes around the first field of a row"
            hint = hint if is_header is False else f"{option('header')} if it names the columns, or {hint}"
            raise data_error(source, line=prelude.n_lines, found=found, expected="to be told", hint=hint)
        if is_header is not False:
            return tuple(name.strip() or "#" for name in told), prelude.n_lines
    is_header = looks_so if is_header is None else is_header
    if is_header is None:
        raise data_error(
            source, line=line, found=f"a line that may name the columns or be a row: {listed(fields)}",
            expected="names that are no numbers, or to be told",
            hint=f"{option('header')} if it names the columns, {option('no_header')} if it is a row",
        )  # fmt: skip
    return (tuple(name.strip() for name in fields), line) if is_header else (None, 0)


def _have_names(rows: Sequence[NumberedRow], separator: str) -> bool:
    """Return whether the first field of every row names it, and the last fields are not all blank.

    They may also have a field too many as one has a decimal comma: 1,5. Names that are no numbers exclude that, and so
    do 1, 2, 3, ... in at least 10 rows.
    """
    names = [fields[0].strip() for _, fields in rows]
    if len(set(names)) < len(names) or not any(fields[-1].strip() for _, fields in rows):
        return False
    if separator != "," or not all(map(_is_digits, names)):
        return True
    columns = list(zip(*(fields for _, fields in rows), strict=False))
    may_be_commas = any(all(map(_is_digits, (*left, *right))) for left, right in pairwise(columns))
    return not may_be_commas or (len(names) >= 10 and names == [str(i + 1) for i in range(len(names))])


def _is_digits(text: str) -> bool:
    return text.strip().lstrip("+-").isdecimal()


def _check_quoted(sample: Iterable[NumberedRow], source: str, hint: str) -> None:
    """Raise unless a number with a decimal comma is quoted: otherwise a comma would also separate the fields."""
    commas = Spelling(decimal_comma=True)
    if not any("," in field and commas.is_number(field) for _, fields in sample for field in fields):
        raise data_error(
            source, option="decimal_comma",
            found=f"fields separated by commas, and no quoted number with one in the first {ROWS_OF_SAMPLE:,} rows",
            expected="another separator, or numbers in quotes",
            hint=hint or f"give the separator with {option('sep')}, or leave {option('decimal_comma')} out",
        )  # fmt: skip


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
    bare = QUOTED.sub("", first_line)
    return next((char for char in (";\t" if decimal_comma else ",;\t") if char in bare), ",")


def separator_hint(lines: Iterable[str], separator: str) -> str:
    """Propose another separator if it occurs equally often in all of the first lines; otherwise return an empty text.

    There may be one less in the first line, as R writes tables with names of rows.

    Examples
    --------
    >>> from maxmargin.solvers.errors import in_python
    >>> in_python(separator_hint(["a|b", "1|2"], ","))
    "the lines look separated by '|': read them with sep='|'"
    """
    lines = [line for line in lines if line.strip()]
    bare = [QUOTED.sub("q", line).strip() for line in lines[:LINES_COMPARED]]
    if looks_like_svmlight("\n".join(lines).encode()):
        return f"the lines look like those of LIBSVM: read them with {option('format', repr('svmlight'))}"
    for char in ";\t|, ".replace(separator, ""):
        first, *below = [line.count(char) for line in (map(spaced, bare) if char == " " else bare)] or [0]
        if first and len({*below}) < 2 and below[:1] in ([], [first], [first + 1]):
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


def names_columns(rows: Sequence[Sequence[str]], spelling: Spelling = POINTS, label: str | int = -1) -> bool | None:
    """Return whether the first of `rows` names the columns; None if that is likely, and not certain.

    It does if none of its fields is a number (`is_of_names`), if a word stands over a column of numbers, or if its
    numbers are 0, 1, 2, ... to at least 2 and one of them is outside its column or over texts, as pandas names columns.
    It is likely if its numbers are 0, 1 or 1, ..., p and one is so; if they increase, are at least three, and all of
    them are outside (years, wavelengths); and if a word stands over labels of which each occurs at least twice, but for
    one in twenty rows. Increasing numbers outside their columns beside labels that all occur twice make a header.

    Examples
    --------
    >>> names_columns([["x", "2020"], ["1.5", "0"]]), names_columns([["5.1", "setosa"], ["4.9", "setosa"]])
    (True, False)
    >>> names_columns([["0", "1", "2"], ["5", "7", "0"], ["3", "9", "1"]])
    True
    >>> names_columns([["0", "1"], ["1", "0"], ["2", "1"]]) is None
    True
    """
    first, *below = rows
    line = _FirstLine(first, below, spelling)
    if not line.numbers and not line.has_other_numbers:
        return line.is_of_names()
    if not below:
        return False
    is_doubtful = line.has_missing or line.has_odd_field or line.has_word_that_recurs
    if line.has_word_over_numbers:
        return None if is_doubtful else True
    return False if is_doubtful else _are_names(line, label)


def _are_names(line: "_FirstLine", label: str | int) -> bool | None:
    """Return whether the numbers of a line name columns, from their values and those below."""
    values = list(line.numbers.values())
    outside = {j: line.is_outside(j) for j in line.numbers}
    position = line.position_of(label)
    are_all_outside = len(values) >= 3 and all(is_out for j, is_out in outside.items() if j != position)
    are_outside = are_all_outside and all(a < b for a, b in pairwise(values))
    is_beyond = any(outside.values()) or any(map(line.is_over_texts, line.numbers))
    if len(values) >= 3 and values == list(range(len(values))) and is_beyond:
        return True
    n_alone = line.levels_alone(position)
    if n_alone is not None:
        return True if are_outside and not n_alone else None
    counts_from_1 = len(values) >= 2 and values == list(range(1, len(values) + 1))
    is_likely = are_outside or (is_beyond and (values == [0, 1] or counts_from_1))
    return None if is_likely else False


class _FirstLine:
    """The first line of a file, compared with the columns below it."""

    def __init__(self, first: Sequence[str], below: Sequence[Sequence[str]], spelling: Spelling) -> None:
        self._spelling = spelling
        self.fields = [field.strip() for field in first]
        self.present = [
            [text.strip() for text in column if not is_missing(text)] for column in zip(*below, strict=False)
        ]
        self.present += [[]] * (len(first) - len(self.present))
        self.is_numeric = [
            bool(texts) and all(self._number(text) is not None for text in texts) for texts in self.present
        ]
        self.numbers = {j: x for j, field in enumerate(self.fields) if (x := self._number(field)) is not None}
        self.words = {j for j, field in enumerate(self.fields) if self._is_word(field)}
        self.has_other_numbers = any(map(self._is_written_otherwise, self.fields))
        self.has_missing = any(field and is_missing(field) for field in self.fields)
        self.has_word_over_numbers = any(self.is_numeric[j] for j in self.words)
        self.has_word_that_recurs = any(self.fields[j] in self.present[j] for j in self.words if not self.is_numeric[j])
        known = {*self.numbers, *self.words}
        self.has_odd_field = any(f and not is_missing(f) and j not in known for j, f in enumerate(self.fields))

    def _number(self, text: str) -> float | None:
        value = None if is_missing(text) else parse_number(self._spelling.swapped(text))
        is_word = text.strip().lower() in ("inf", "infinity")  # which may name a column
        return None if is_word else value

    def _is_written_otherwise(self, text: str) -> bool:
        return is_written_otherwise(self._spelling.swapped(text))

    def _is_word(self, text: str) -> bool:
        is_letters = re.search(r"[^\W\d]", text) is not None and not is_missing(text)
        return is_letters and self._number(text) is None and not self._is_written_otherwise(text)

    def is_of_names(self) -> bool | None:
        """Return whether the fields, none of which is a number, name the columns.

        They do if no field occurs again in its column, and none is "?", "nan" or "n/a". None if a field does or is so,
        and a word stands over numbers.
        """
        recurs = any(field and field in texts for field, texts in zip(self.fields, self.present, strict=False))
        is_of_data = any(field.lower() in NEVER_A_NAME for field in self.fields)
        if self.has_word_over_numbers:
            return None if recurs or is_of_data else True
        return not (is_of_data or recurs)

    def is_outside(self, j: int) -> bool:
        """Return whether a number is less or greater than all those below it."""
        if not self.is_numeric[j]:
            return False
        values = [value for value in map(self._number, self.present[j]) if value is not None]
        return not min(values) <= self.numbers[j] <= max(values)

    def is_over_texts(self, j: int) -> bool:
        """Return whether no number, and some text, is below."""
        return bool(self.present[j]) and all(self._number(text) is None for text in self.present[j])

    def position_of(self, label: str | int) -> int:
        """Return the column that holds the labels, by its name in this line or its position; else the last."""
        if label in self.fields:
            return self.fields.index(str(label))
        is_position = isinstance(label, int) or label.lstrip("-").isdecimal()
        return int(label) % len(self.fields) if is_position else len(self.fields) - 1

    def levels_alone(self, j: int) -> int | None:
        """Return how many levels are in one row only, where a word stands over texts that look like levels, else None.

        There are at least four of them, at most 20 differ, and at most one in twenty rows has one of its own.
        """
        levels = Counter(self.present[j])
        is_alone = j in self.words and not self.is_numeric[j] and self.fields[j] not in levels
        n_alone = sum(count == 1 for count in levels.values())
        are_levels = levels.total() >= _FEWEST_ROWS and len(levels) <= _MOST_LEVELS and 20 * n_alone <= levels.total()
        return n_alone if is_alone and are_levels else None
