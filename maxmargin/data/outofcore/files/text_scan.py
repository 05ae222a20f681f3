"""CSV and TSV files: their text is parsed once, and later passes read the numbers from a temporary file.

A single row cannot be found in text, and reading text takes ten times as long as reading its numbers.
"""

import io
from collections.abc import Iterator, Sequence

import numpy as np

from maxmargin.data.formats.csv_columns import Columns
from maxmargin.data.formats.delimited import growing_columns, layout_of
from maxmargin.data.formats.source import open_binary, size_of_content
from maxmargin.data.formats.table import Choice, Roles, shown_name
from maxmargin.data.numbers.numerals import HINTS_OUTSIDE_MEMORY, Complaint, Texts
from maxmargin.data.outofcore.files.raw import ArrayLayout, OpenFile, RawRows, Scratch
from maxmargin.data.outofcore.files.scan import Labelled, Scan, bounds_of
from maxmargin.solvers.basics.array_types import Floats, Rows

_BYTES_OF_SAMPLE = 1 << 16
"""Number of bytes at the beginning of a file from which its number of rows is estimated."""


class ArrowColumns(Columns):
    """Columns whose plain blocks are parsed by Arrow, which rounds correctly too and is faster than NumPy.

    Blocks that it refuses, or that hold other than finite numbers, are read row by row, with the same errors but other
    hints.
    """

    def complain(self, text: str) -> Complaint:
        """Return the error about a text that is not a finite number."""
        said = super().complain(text)
        return said._replace(hint=HINTS_OUTSIDE_MEMORY.get(said.hint, said.hint))

    def _parsed(self, text: str, found: dict[int, list[str]]) -> Floats | None:
        from pyarrow import ArrowException, csv, float64, string

        names = [str(j) for j in range(self.layout.n_columns)]
        kept = [j for j in range(self.layout.n_columns) if j not in self.roles.dropped]
        try:
            table = csv.read_csv(
                io.BytesIO(text.encode()),
                csv.ReadOptions(column_names=names),
                csv.ParseOptions(delimiter=self.layout.separator, quote_char=False),
                csv.ConvertOptions(
                    column_types={names[j]: string() if j in found else float64() for j in kept},
                    include_columns=[names[j] for j in kept], null_values=[], strings_can_be_null=False,
                ),
            )  # fmt: skip
        except ArrowException:
            return None
        for j in found:
            found[j] += table[names[j]].to_pylist()
        values = np.zeros((table.num_rows, len(names)))
        for j in kept:
            if j not in found:
                values[:, j] = table[names[j]].to_numpy()
        return values


class TextScan(Scan):
    """A CSV or TSV file, plain or compressed."""

    def __init__(self, path: str, choice: Choice) -> None:
        self.path = path
        self.choice = choice
        layout = layout_of(path, choice)
        self.names = layout.names
        self.n_columns = layout.n_columns
        self.n_rows = _estimated_rows(path)
        self._numbers: OpenFile | None = None
        self._written = 0

    def labelled(self, roles: Roles, wanted: Rows) -> Iterator[Labelled]:
        """Parse all rows once; no sample is collected, as any row can be read from the temporary file."""
        names = [shown_name(self.names, j) for j in roles.features]
        scratch = Scratch(self.path)
        self._numbers = scratch.file
        for columns in growing_columns(self.path, self.choice, ArrowColumns):
            values, labels, lines = columns.take()
            if not len(values):
                continue
            part = labelled(values, labels, lines, names, self.path)
            scratch.write(values)
            self._written += len(values)
            yield part
            self.notes = columns.notes()

    def store(self, roles: Roles) -> RawRows:
        """Return the rows in the temporary file."""
        n_features = len(roles.features)
        layout = ArrayLayout(0, np.dtype(np.float64), (self._written, n_features))
        numbers = self._numbers or OpenFile.temporary()
        return RawRows(path=self.path, file=numbers, layout=layout, columns=tuple(range(n_features)))


def labelled(values: Floats, labels: Texts, lines: Rows, names: Sequence[str | int], path: str) -> Labelled:
    """Return the labels and extremes of rows that were parsed."""
    distinct = list(dict.fromkeys(labels))
    position_of = {label: position for position, label in enumerate(distinct)}
    positions = np.fromiter(map(position_of.__getitem__, labels), np.int64, len(labels))
    return Labelled(bounds_of(values, path, names, 0), distinct, positions, lines)


def _estimated_rows(path: str) -> int:
    with open_binary(path) as file:
        sample = file.read(_BYTES_OF_SAMPLE)
    return max(1, size_of_content(path) * (sample.count(b"\n") + 1) // max(1, len(sample)))
