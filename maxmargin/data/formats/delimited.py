"""CSV and TSV: text with one row a line, its fields separated by commas, semicolons or tabs."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, tee
from typing import BinaryIO, NamedTuple

from maxmargin.data.formats.csv_columns import Columns, CsvLayout, NumberedRow
from maxmargin.data.formats.source import STDIN, STDIN_NAME, decoded, empty_file, kind_of, long_line, open_binary
from maxmargin.data.formats.table import Choice, Table
from maxmargin.data.numbers.numerals import POINTS, Spelling, is_missing, is_written_otherwise
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.text.data_error import data_error

BYTES_AT_ONCE = 2**21
"""Number of bytes of the file that are converted to numbers at a time."""

ROWS_AT_ONCE = 10_000
"""Number of rows that are converted to numbers at a time if quotes may enclose the ends of lines."""

ROWS_OF_SAMPLE = 1_000
"""Number of rows that are compared to tell a header from data."""

MEMORY_AT_ONCE = 2**24
"""Largest number of bytes of fields in memory at a time, however few rows these are."""

BYTES_OF_FIELD = 60
"""Number of bytes of a text in memory besides its characters."""


NAMED_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "space": " ", "pipe": "|"}
"""Names of separators; a space stands for any white space within a line."""

_LINES_COMPARED = 20
"""Number of lines that are compared to propose a separator."""

NEVER_A_NAME = ("?", "nan", "n/a", "#n/a")
"""Texts for a missing value that show a line to be data; others, such as Na for sodium, may name a column."""

_QUOTED = re.compile(r'"[^"]*"')

_WHITE_SPACE = re.compile(r'("[^"]*")|[ \t]+')
_AT_ENDS = re.compile(r"^ | (?=\r?$)", re.MULTILINE)


class Block(NamedTuple):
    """Whole lines of a file, and the number of lines before them."""

    text: str
    lines_before: int


def read_delimited(path: str, choice: Choice) -> Table:
    """Read a CSV or TSV file (also `.gz`), or CSV from the standard input (`-`).

    Fields may be quoted; lines end in LF or CRLF; blank lines are skipped; a UTF-8 byte-order mark is allowed. See
    `separator_of` for the separator, and `is_header` for the header line.

    Raises
    ------
    DataError
        The file cannot be read as a table of finite numbers with a label column.
    """
    *_, columns = growing_columns(path, choice)
    return columns.table()


def growing_columns(path: str, choice: Choice, kind: type[Columns] = Columns) -> Iterator[Columns]:
    """Yield the columns of a file each time that rows were added to them; `Columns.take` makes room for the next.

    Raises
    ------
    DataError
        As `read_delimited`.
    """
    source = STDIN_NAME if path == STDIN else path
    with open_binary(path) as file:
        layout, blocks = _layout_and_blocks(file, path, source, choice)
        columns = kind(layout, choice)
        for _ in _read(blocks, columns):
            yield columns


def columns_of_block(block: Block, layout: CsvLayout, choice: Choice, kind: type[Columns]) -> Columns:
    """Return the columns of one block of a file.

    Raises
    ------
    DataError
        It does not hold rows of finite numbers with labels.
    """
    columns = kind(layout, choice)
    for _ in _read(_separable(iter([block]), layout.separator), columns):
        pass
    return columns


def layout_of(path: str, choice: Choice) -> CsvLayout:
    """Return the layout of a file, from its first rows.

    Raises
    ------
    DataError
        It is empty, or no text, or a line is too long.
    """
    with open_binary(path) as file:
        return _layout_and_blocks(file, path, path, choice)[0]


def _layout_and_blocks(file: BinaryIO, path: str, source: str, choice: Choice) -> tuple[CsvLayout, Iterator[Block]]:
    blocks = _blocks(file, source, choice)
    first = next(blocks, None)
    if first is None:
        raise empty_file(source)
    separator = _separator(first, path, choice)
    hint = separator_hint(io.StringIO(first.text), separator)
    blocks, ahead = tee(_separable(chain([first], blocks), separator))
    spelling = Spelling(decimal_comma=choice.decimal_comma)
    rows = _rows(ahead, separator, source, choice.longest_line)
    return _layout(rows, separator, source, spelling, hint), blocks  # `rows` is dropped, or all blocks would be kept


def _separator(first: Block, path: str, choice: Choice) -> str:
    if choice.sep is not None:
        return separator_named(choice.sep)
    if kind_of(path, choice.format) == ".tsv":
        return "\t"
    first_line = next((line for line in io.StringIO(first.text) if line.strip()), "")
    return separator_of(first_line, decimal_comma=choice.decimal_comma)


def _separable(blocks: Iterator[Block], separator: str) -> Iterator[Block]:
    """Return the blocks with one space for any white space within a line, where that separates the fields."""
    if separator != " ":
        return blocks
    return (Block(spaced(block.text), block.lines_before) for block in blocks)


def _blocks(file: BinaryIO, source: str, choice: Choice) -> Iterator[Block]:
    """Cut the file at ends of lines into pieces of text."""
    n_lines, parts, n_bytes = 0, list[bytes](), 0
    while piece := file.read(choice.bytes_at_once or BYTES_AT_ONCE):
        whole, newline, tail = piece.rpartition(b"\n")
        if newline:
            yield Block(decoded(b"".join([*parts, whole, newline]), n_lines, source), n_lines)
            n_lines += whole.count(b"\n") + 1
            parts, n_bytes = [], 0
        parts.append(tail)
        n_bytes += len(tail)
        if n_bytes > choice.longest_line:
            raise long_line(source, n_lines + 1, choice.longest_line)
    if n_bytes:
        yield Block(decoded(b"".join(parts), n_lines, source), n_lines)


def _layout(rows: Iterator[NumberedRow], separator: str, source: str, spelling: Spelling, hint: str) -> CsvLayout:
    sample = _some(rows, ROWS_OF_SAMPLE, at_least=2)
    if not sample:
        raise empty_file(source)
    (line, fields), *below = sample
    if len(fields) == 1 and hint:
        raise data_error(source, found="one column only", expected="at least two: features and a label", hint=hint)
    if spelling.decimal_comma and separator == ",":
        _check_quoted(sample, source, hint)
    names, header_line = None, 0
    if is_header([fields for _, fields in sample], spelling):
        if not below:
            raise data_error(source, line=line, found="a header line only", expected="rows of data below it")
        names, header_line = tuple(name.strip() for name in fields), line
    return CsvLayout(
        source=source, separator=separator, names=names, n_columns=len(fields), header_line=header_line,
        spelling=spelling, hint=hint,
    )  # fmt: skip


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


def _rows(blocks: Iterable[Block], separator: str, source: str, longest: int) -> Iterator[NumberedRow]:
    """Yield the line on which a row begins, and its fields; skip blank lines."""
    n_taken = 0

    def counted(lines: Iterable[str]) -> Iterator[str]:
        """Yield lines while the lines of one row, which quotes may join, are not too long."""
        nonlocal n_taken
        for line in lines:
            n_taken += len(line)
            if n_taken > longest:
                raise long_line(source, begins, longest)
            yield line

    first, *_ = started = list(islice(blocks := iter(blocks), 1))
    lines = chain.from_iterable(io.StringIO(block.text, newline="") for block in chain(started, blocks))
    reader = csv.reader(counted(lines), delimiter=separator, skipinitialspace=True, strict=True)
    begins = first.lines_before + 1
    try:
        for fields in reader:
            if len(fields) > 1 or (fields and fields[0].strip()):
                yield begins, fields
            n_taken, begins = 0, first.lines_before + reader.line_num + 1
    except csv.Error as error:
        raise data_error(source, line=begins, found=f"broken CSV: {error}", expected="fields in CSV") from error


def _read(blocks: Iterator[Block], columns: Columns) -> Iterator[None]:
    """Turn the blocks into columns: whole blocks of plain numbers at once, all else row by row; stop after each."""
    for quoted in blocks:
        block = _without_quotes(quoted, columns.layout.separator)
        if '"' in block.text:
            yield from _read_rows(chain([block], blocks), columns)
        else:
            # a carriage return alone ends a line of CSV, which then is no line of the block
            has_bare_returns = block.text.count("\r") != block.text.count("\r\n")
            if has_bare_returns or not columns.add_text(*_below_header(block, columns.layout)):
                yield from _read_rows([block], columns)
        yield


def _without_quotes(block: Block, separator: str) -> Block:
    """Take the quotes away if they only enclose whole fields that would be the same without."""
    n_quotes = block.text.count('"')
    if not n_quotes:
        return block
    apart = re.escape(separator)
    # The pattern begins with the quote and looks back from it, so that the search skips from quote to quote.
    plain = re.compile(rf'"(?<![^{apart}\n]")[^"{apart}\r\n]*"(?![^{apart}\r\n])')
    if 2 * len(plain.findall(block.text)) < n_quotes:
        return block
    return Block(block.text.replace('"', ""), block.lines_before)


def _below_header(block: Block, layout: CsvLayout) -> Block:
    n_above = layout.header_line if block.lines_before == 0 else 0
    return Block(block.text.split("\n", n_above)[-1], block.lines_before + n_above)


def _read_rows(blocks: Iterable[Block], columns: Columns) -> Iterator[None]:
    layout = columns.layout
    rows = _rows(blocks, layout.separator, layout.source, columns.choice.longest_line)
    while some := _some(rows, columns.choice.rows_at_once or ROWS_AT_ONCE):
        if some[0][0] == layout.header_line:
            del some[0]
        if some:
            columns.add_rows(some)
            yield


def _some(rows: Iterator[NumberedRow], most: int, at_least: int = 1) -> list[NumberedRow]:
    """Return the next rows, up to `most` of them, or fewer if they are long."""
    some: list[NumberedRow] = []
    n_bytes = 0
    for row in rows:
        some.append(row)
        n_bytes += sum(map(len, row[1])) + BYTES_OF_FIELD * len(row[1])
        if len(some) >= most or (n_bytes >= MEMORY_AT_ONCE and len(some) >= at_least):
            break
    return some


# The layout of a file: its separator, and whether its first line names the columns


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
    bare = [_QUOTED.sub("", line).strip() for line in islice((line for line in lines if line.strip()), _LINES_COMPARED)]
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
