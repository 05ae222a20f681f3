"""CSV and TSV: text with one row a line, its fields separated by commas, semicolons or tabs."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, tee
from typing import BinaryIO, NamedTuple

from .columns import Columns, NumberedRow
from .errors import DataError, data_error
from .layout import Layout, is_header, separator_of
from .source import STDIN, STDIN_NAME, empty_file, open_binary, suffix_of
from .table import Choice, Table

BYTES_AT_ONCE = 2**21
"""Bytes of the file that are turned into numbers at one time."""

ROWS_AT_ONCE = 10_000
"""Rows that are turned into numbers at one time, where quotes forbid to cut the text at the ends of lines."""

ROWS_OF_SAMPLE = 1_000
"""Rows that are looked at to tell a header from data."""


class Block(NamedTuple):
    """Whole lines of a file, and how many come before them."""

    text: str
    lines_before: int


def read_delimited(path: str, choice: Choice) -> Table:
    """Read a CSV or TSV file (also `.gz`), or CSV from the standard input (`-`).

    Fields may be quoted; lines end in LF or CRLF; blank lines are skipped; a UTF-8 byte-order mark is allowed. See
    :mod:`~maxmargin.readers.layout` for the separator and the header line.

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
        layout, blocks = _layout_and_blocks(file, path, source)
        columns = kind(layout, choice)
        for _ in _read(blocks, layout, columns):
            yield columns


def columns_of_block(block: Block, layout: Layout, choice: Choice, kind: type[Columns] = Columns) -> Columns:
    """Return the columns of one block of a file.

    Raises
    ------
    DataError
        It does not hold rows of finite numbers with labels.
    """
    columns = kind(layout, choice)
    for _ in _read(iter([block]), layout, columns):
        pass
    return columns


def layout_of(path: str) -> Layout:
    """Return how a file is laid out, from its first rows.

    Raises
    ------
    DataError
        It is empty, or no text.
    """
    with open_binary(path) as file:
        return _layout_and_blocks(file, path, path)[0]


def _layout_and_blocks(file: BinaryIO, path: str, source: str) -> tuple[Layout, Iterator[Block]]:
    blocks = _blocks(file, source)
    first = next(blocks, None)
    if first is None:
        raise empty_file(source)
    separator = "\t" if suffix_of(path) == ".tsv" else separator_of(_first_line(first.text))
    blocks, ahead = tee(chain([first], blocks))
    return _layout(ahead, separator, source), blocks  # `ahead` ends here: else it would keep all blocks


def _blocks(file: BinaryIO, source: str) -> Iterator[Block]:
    """Cut the file at ends of lines into pieces of text."""
    n_lines, rest = 0, b""
    while piece := file.read(BYTES_AT_ONCE):
        whole, newline, tail = piece.rpartition(b"\n")
        if newline:
            yield _block(rest + whole + newline, n_lines, source)
            n_lines += rest.count(b"\n") + whole.count(b"\n") + 1
            rest = tail
        else:
            rest += piece
    if rest:
        yield _block(rest, n_lines, source)


def _block(content: bytes, n_lines: int, source: str) -> Block:
    if n_lines == 0:
        content = content.removeprefix(b"\xef\xbb\xbf")
    nul = content.find(b"\0")
    if nul >= 0:
        raise _not_text("a NUL byte", content[:nul], n_lines, source)
    try:
        return Block(content.decode(), n_lines)
    except UnicodeDecodeError as error:
        found = f"byte 0x{content[error.start]:02x}, which is not UTF-8"
        raise _not_text(found, content[: error.start], n_lines, source) from error


def _not_text(found: str, before: bytes, n_lines: int, source: str) -> DataError:
    return data_error(source, line=n_lines + before.count(b"\n") + 1, found=found, expected="text in UTF-8")


def _first_line(text: str) -> str:
    return next((line for line in io.StringIO(text) if line.strip()), "")


def _layout(blocks: Iterable[Block], separator: str, source: str) -> Layout:
    sample = list(islice(_rows(blocks, separator, source), ROWS_OF_SAMPLE))
    if not sample:
        raise empty_file(source)
    (line, fields), *below = sample
    if not is_header([fields for _, fields in sample]):
        return Layout(source=source, separator=separator, names=None, n_columns=len(fields), header_line=0)
    if not below:
        raise data_error(source, line=line, found="a header line only", expected="rows of data below it")
    names = tuple(name.strip() for name in fields)
    return Layout(source=source, separator=separator, names=names, n_columns=len(names), header_line=line)


def _rows(blocks: Iterable[Block], separator: str, source: str) -> Iterator[NumberedRow]:
    """Yield the line on which a row begins, and its fields; skip blank lines."""
    first, *_ = started = list(islice(blocks := iter(blocks), 1))
    lines = chain.from_iterable(io.StringIO(block.text, newline="") for block in chain(started, blocks))
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    begins = first.lines_before + 1
    try:
        for fields in reader:
            if len(fields) > 1 or (fields and fields[0].strip()):
                yield begins, fields
            begins = first.lines_before + reader.line_num + 1
    except csv.Error as error:
        raise data_error(source, line=begins, found=f"broken CSV: {error}", expected="fields in CSV") from error


def _read(blocks: Iterator[Block], layout: Layout, columns: Columns) -> Iterator[None]:
    """Turn the blocks into columns: whole blocks of plain numbers at once, all else row by row; stop after each."""
    for quoted in blocks:
        block = _without_quotes(quoted, layout.separator)
        if '"' in block.text:
            yield from _read_rows(_rows(chain([block], blocks), layout.separator, layout.source), layout, columns)
        elif _has_bare_returns(block.text) or not columns.add_text(*_below_header(block, layout)):
            yield from _read_rows(_rows([block], layout.separator, layout.source), layout, columns)
        yield


def _without_quotes(block: Block, separator: str) -> Block:
    """Take the quotes away if they only enclose whole fields that would be the same without."""
    n_quotes = block.text.count('"')
    if not n_quotes:
        return block
    apart = re.escape(separator)
    # The quote comes first, and then what is before it: so the search skips from quote to quote.
    plain = re.compile(rf'"(?<![^{apart}\n]")[^"{apart}\r\n]*"(?![^{apart}\r\n])')
    if 2 * len(plain.findall(block.text)) < n_quotes:
        return block
    return Block(block.text.replace('"', ""), block.lines_before)


def _has_bare_returns(text: str) -> bool:
    """Return whether a carriage return alone ends some line, which then is not a line for :class:`Block`."""
    return "\r" in text and text.count("\r") != text.count("\r\n")


def _below_header(block: Block, layout: Layout) -> Block:
    n_above = layout.header_line if block.lines_before == 0 else 0
    return Block(block.text.split("\n", n_above)[-1], block.lines_before + n_above)


def _read_rows(rows: Iterator[NumberedRow], layout: Layout, columns: Columns) -> Iterator[None]:
    while some := list(islice(rows, ROWS_AT_ONCE)):
        if some[0][0] == layout.header_line:
            del some[0]
        if some:
            columns.add_rows(some)
            yield
