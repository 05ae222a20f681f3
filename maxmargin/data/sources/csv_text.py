"""CSV and TSV: text with one row a line, its fields separated by commas, semicolons or tabs."""

import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain, islice, tee
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from maxmargin.data.batches import Choice, Column, MemoryBudget, Roles, Table, stacked
from maxmargin.data.labels import CodedLabels
from maxmargin.data.numbers import numerals
from maxmargin.data.numbers.binary64 import EXACT_INTEGERS
from maxmargin.data.sources import csv_layout, opening
from maxmargin.data.sources.csv_layout import NumberedRow, Prelude
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import data_error, quoted
from maxmargin.text.progress import report_bytes_read

# Largest number of bytes of fields in memory at a time, however few rows these are.
MEMORY_AT_ONCE = 2**24

# Number of bytes of a text in memory besides its characters.
BYTES_OF_FIELD = 60

# Smallest part of a block that Arrow parses: smaller ones are read row by row before Arrow is imported.
_LEAST_OF_BLOCK = 1 / 4

# Largest number of columns that Arrow parses: its time for each does not depend on the number of rows of a block.
_MOST_COLUMNS_FOR_ARROW = 2_000


class Block(NamedTuple):
    """Whole lines of a file, and the number of lines before them."""

    text: str
    lines_before: int


class DelimitedText:
    """A CSV or TSV file (also `.gz`), or CSV from the standard input (`-`).

    Fields may be quoted; lines end in LF or CRLF; blank lines are skipped; a UTF-8 byte-order mark is allowed. See
    `separator_of` for the separator, and `names_columns` for the header line.

    Raises
    ------
    DataError
        The file is empty, or no text, or a line is too long.
    """

    def __init__(self, path: str, choice: Choice) -> None:
        self.path, self.choice = path, choice
        self.source = opening.STDIN_NAME if path == opening.STDIN else path
        self._open, self._blocks = ExitStack(), None
        self.n_rows = 0
        if path != opening.STDIN and os.path.isfile(path):
            with opening.open_binary(path) as file:
                self._begun(file)
            self.n_rows = max(1, int(opening.size_of_content(path) / self._bytes_of_row))
        else:  # what is read from a pipe is gone
            self._blocks = self._begun(self._open.enter_context(opening.open_binary(path)))

    def tables(self, roles: Roles, budget: MemoryBudget | None) -> Iterator[Callable[[], Table]]:
        """Yield functions that read consecutive rows; a single one if the texts of the fields are needed."""
        with self._open as stack:
            blocks = self._blocks or self._read_blocks(stack.enter_context(opening.open_binary(self.path)))
            if self.choice.needs_texts:
                blocks = self._prepared(blocks, self.separator)
                rows = [row for some in self._rows_of(blocks) for row in some]
                yield partial(self.table_of_rows, roles, rows)
            else:
                yield from self.tables_of(blocks, roles)

    def store(self, roles: Roles, budget: MemoryBudget) -> None:
        """Return None: a single row cannot be found in text, and reading text takes ten times as long as numbers."""

    # The file in blocks of lines, or row by row

    def _begun(self, file: BinaryIO) -> Iterator[Block]:
        """Find the layout; return the blocks of the file."""
        blocks = self._read_blocks(file)
        first = next(blocks, None)
        if first is None:
            raise opening.empty_file(self.source)
        self._bytes_of_row = len(first.text.encode()) / (first.text.count("\n") + 1)
        self._prelude = Prelude.of(first.text)
        lines = (line for line in io.StringIO(_below(first, self._prelude.n_lines).text) if line.strip())
        self._first_lines = list(islice(lines, csv_layout.LINES_COMPARED))
        separator = self._separator()
        blocks, ahead = tee(chain([first], blocks))
        rows = self._rows(self._prepared(ahead, separator), separator)
        # `rows` is dropped, or all blocks would be kept
        sample = _some(rows, csv_layout.ROWS_OF_SAMPLE + 1, at_least=2)
        if not sample and self._prelude.n_lines:
            raise data_error(self.source, found="comments only", expected="rows, which do not begin with #")
        if not sample:
            raise opening.empty_file(self.source)
        self.separator, hint = separator, partial(csv_layout.separator_hint, self._first_lines, separator)
        self.layout, self.notes = csv_layout.layout_of_rows(
            sample, separator, self.source, self.choice, self._prelude, hint
        )
        return blocks

    def _prepared(self, blocks: Iterable[Block], separator: str) -> Iterator[Block]:
        """Return the blocks below the prelude, with one space for any white space where that separates the fields."""
        below = (_below(block, self._prelude.n_lines) for block in blocks)
        return below if separator != " " else (Block(csv_layout.spaced(text), n_lines) for text, n_lines in below)

    def _separator(self) -> str:
        if self.choice.sep is not None or self._prelude.separator is not None:
            return csv_layout.separator_named(self.choice.sep or self._prelude.separator or "")
        kind, (first_line, *_) = opening.kind_of(self.path, self.choice.format), self._first_lines or [""]
        if kind == ".tsv":
            return "\t"
        if kind in (".txt", ".dat") and not any(char in csv_layout.QUOTED.sub("", first_line) for char in ",;\t"):
            return " "
        return csv_layout.separator_of(first_line, decimal_comma=self.choice.decimal_comma)

    def _read_blocks(self, file: BinaryIO) -> Iterator[Block]:
        """Cut the file at ends of lines into pieces of text."""
        n_lines, parts, n_bytes, n_read = 0, list[bytes](), 0, 0
        while piece := file.read(self.choice.bytes_at_once):
            n_read += len(piece)
            report_bytes_read(self.source, n_read)
            whole, newline, tail = piece.rpartition(b"\n")
            if newline:
                yield Block(opening.decoded(b"".join([*parts, whole, newline]), n_lines, self.source), n_lines)
                n_lines += whole.count(b"\n") + 1
                parts, n_bytes = [], 0
            parts.append(tail)
            n_bytes += len(tail)
            if n_bytes > self.choice.longest_line:
                raise opening.long_line(self.source, n_lines + 1, self.choice.longest_line)
        if n_bytes:
            yield Block(opening.decoded(b"".join(parts), n_lines, self.source), n_lines)

    def _rows(self, blocks: Iterable[Block], separator: str) -> Iterator[NumberedRow]:
        """Yield the line on which a row begins, and its fields; skip blank lines."""
        n_taken = 0

        def counted(lines: Iterable[str]) -> Iterator[str]:
            """Yield lines while the lines of one row, which quotes may join, are not too long."""
            nonlocal n_taken
            for line in lines:
                n_taken += len(line)
                if n_taken > self.choice.longest_line:
                    raise opening.long_line(self.source, begins, self.choice.longest_line)
                yield line

        first = next(blocks := iter(blocks), Block("", 0))
        lines = chain.from_iterable(io.StringIO(block.text, newline="") for block in chain([first], blocks))
        reader = csv.reader(counted(lines), delimiter=separator, skipinitialspace=True, strict=True)
        begins = first.lines_before + 1
        try:
            for fields in reader:
                if len(fields) > 1 or (fields and fields[0].strip()):
                    yield begins, fields
                n_taken, begins = 0, first.lines_before + reader.line_num + 1
        except csv.Error as error:
            hint = csv_layout.separator_hint(self._first_lines, separator)
            found, expected = f"broken CSV: {error}", "fields in CSV"
            raise data_error(self.source, line=begins, found=found, expected=expected, hint=hint) from error

    def _rows_of(self, blocks: Iterable[Block]) -> Iterator[list[NumberedRow]]:
        """Yield the rows below the header, some at a time, all with the same number of fields."""
        rows = self._rows(blocks, self.separator)
        while some := _some(rows, self.choice.rows_at_once):
            if some[0][0] == (self.layout.header_line or 0):
                del some[0]
            for line, fields in some:
                if len(fields) != (expected := self.layout.n_columns):
                    found = f"{len(fields)} field{'s' * (len(fields) != 1)}"
                    hint = csv_layout.separator_hint(self._first_lines, self.separator)
                    raise data_error(self.source, line=line, found=found, expected=str(expected), hint=hint)
            if some:
                yield some

    # Tables

    def tables_of(self, blocks: Iterable[Block], roles: Roles) -> Iterator[Callable[[], Table]]:
        """Yield functions that read whole blocks of plain numbers at once, and all else row by row."""
        prepared = self._prepared(blocks, self.separator)
        for found in prepared:
            block = _without_quotes(found, self.separator)
            if '"' not in block.text:
                yield partial(self.table_of_block, roles, block)
            else:
                for rows in self._rows_of(chain([block], prepared)):
                    yield partial(self.table_of_rows, roles, rows)

    def table_of_block(self, roles: Roles, block: Block) -> Table:
        """Return the rows of a block without quotes that joins no rows with others."""
        # a carriage return alone ends a line of CSV, which then is no line of the block
        has_bare_returns = block.text.count("\r") != block.text.count("\r\n")
        plain = None if has_bare_returns else self._plain(roles, _below(block, self.layout.header_line or 0))
        if plain is not None:
            return plain
        return self.table_of_rows(roles, [row for some in self._rows_of([block]) for row in some])

    def _plain(self, roles: Roles, block: Block) -> Table | None:
        """Return the rows of a block if all features are finite numbers and no line is blank; otherwise None.

        Arrow rounds correctly, as Python does, and is faster, but does not say where a bad field is.
        """
        text, spelling, n_columns = block.text, self.layout.spelling, self.layout.n_columns
        is_for_arrow = len(text) >= _LEAST_OF_BLOCK * self.choice.bytes_at_once and n_columns <= _MOST_COLUMNS_FOR_ARROW
        if not is_for_arrow or (spelling.decimal_comma and self.separator == ","):
            return None
        columns = _parsed_by_arrow(spelling.swapped(text), self.separator, n_columns, roles)
        n_lines = text.count("\n") + (not text.endswith("\n"))
        if columns is None or len(columns[roles.label]) != n_lines:
            return None
        values = stacked([columns[j].to_numpy() for j in roles.features], n_lines)
        if not (np.abs(values) < EXACT_INTEGERS).all():
            return None  # NaN and infinity are refused, and digits looked at, row by row
        written = columns[roles.label].combine_chunks().dictionary_encode()
        distinct = map(spelling.label, map(spelling.swapped, written.dictionary.to_pylist()))
        labels = CodedLabels(numerals.cleaned(list(distinct)), written.indices.to_numpy())
        ids = None if roles.id is None else map(spelling.swapped, columns[roles.id].to_pylist())
        lines = np.arange(block.lines_before + 1, block.lines_before + n_lines + 1)
        return self._table(roles, ids, features=values, label=labels, lines=lines)

    def table_of_rows(self, roles: Roles, rows: Sequence[NumberedRow]) -> Table:
        """Return rows, whose fields may hold anything."""
        spelling = self.layout.spelling
        columns = list(zip(*(fields for _, fields in rows), strict=True)) or [()] * self.layout.n_columns
        features = tuple(self._column(j, columns[j], roles) for j in roles.features)
        if not self.choice.keep_texts:
            self._check_digits(features, rows)
        written = CodedLabels.of(columns[roles.label])
        labels = CodedLabels(numerals.cleaned(list(map(spelling.label, written.distinct))), written.positions)
        lines = np.array([line for line, _ in rows], dtype=np.int64)
        ids = None if roles.id is None else columns[roles.id]
        return self._table(roles, ids, features=features, label=labels, lines=lines)

    def _column(self, j: int, written: Sequence[str], roles: Roles) -> Column:
        name, is_named, texts = self.layout.name_of(j), j in roles.encoded, written
        if self.layout.spelling.decimal_comma:
            texts = list(map(self.layout.spelling.swapped, written))
        values, is_boolean = numerals.numbers_or_booleans(texts)
        found = numerals.cleaned(written) if values is None else values
        return Column(name=name, values=found, texts=texts, is_named=is_named, is_boolean=is_boolean)

    def _check_digits(self, columns: Sequence[Column], rows: Sequence[NumberedRow]) -> None:
        """Refuse whole numbers that binary64 does not tell from their neighbours."""
        for column in columns:
            values = column.values if isinstance(column.values, np.ndarray) else np.empty(0)
            for row in np.flatnonzero(np.abs(values) >= EXACT_INTEGERS).tolist():
                text = column.texts[row].strip() if column.texts else ""
                if numerals.digits_are_changed(text, float(values[row])):
                    raise data_error(
                        self.source, line=rows[row][0], column=column.name, found=quoted(text),
                        expected="a number that binary64 holds",
                        hint=f"{option('decimal')} decides for the digits; name the column with {option('id')} or "
                        f"{option('drop')} if it is no quantity",
                    )  # fmt: skip

    def _table(self, roles: Roles, ids: Iterable[str] | None, **rows: Any) -> Table:
        names = None if ids is None else tuple(text.strip() for text in ids)
        return self.layout.table(roles, self.notes, ids=names, **rows)


def _below(block: Block, line: int) -> Block:
    """Return the part of a block below a line of the file."""
    n_above = max(0, line - block.lines_before)
    return Block(block.text.split("\n", n_above)[-1], block.lines_before + n_above)


def _parsed_by_arrow(text: str, separator: str, n_columns: int, roles: Roles) -> dict[int, Any] | None:
    """Return the columns that have a role, by position, as Arrow parses them in threads; None if it does not."""
    from pyarrow import ArrowException, csv, float64, string

    names = [str(j) for j in range(n_columns)]
    types = {names[j]: float64() for j in roles.features}
    types |= {names[j]: string() for j in (roles.label, roles.id) if j is not None}
    try:
        table = csv.read_csv(
            io.BytesIO(text.encode()),
            csv.ReadOptions(column_names=names),
            csv.ParseOptions(delimiter=separator, quote_char=False),
            csv.ConvertOptions(column_types=types, include_columns=[*types], null_values=[], strings_can_be_null=False),
        )
    except ArrowException:
        return None
    return dict(zip(map(int, types), table.columns, strict=True))


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
