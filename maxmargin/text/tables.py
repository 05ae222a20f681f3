"""Tables: columns of equal width for a terminal; files in CSV for programs, in Markdown and LaTeX for notes."""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.outputs import replacing_text

Row = Sequence[object]

_START_OF_A_NUMBER = tuple("+-(0123456789")


def aligned(rows: Sequence[Sequence[str]], *, to_the_left: Collection[int]) -> list[str]:
    """Return the rows as lines with columns of equal width, numbers to the right.

    Parameters
    ----------
    rows : sequence of sequences of str
        All of one length; the first is the head.
    to_the_left : collection of int
        Columns that hold words.

    Examples
    --------
    >>> print("\\n".join(aligned([("name", "n"), ("a", "1,000")], to_the_left=[0])))
    name      n
    a     1,000
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths, to_the_left) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], to_the_left: Collection[int]) -> str:
    cells = (
        cell.ljust(width) if column in to_the_left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()


def check_table_suffix(path: Path) -> None:
    """Raise unless the path ends in .csv, .md or .tex.

    Raises
    ------
    InvalidOptionError
    """
    if path.suffix not in _WRITERS:
        raise InvalidOptionError(f"{path}: unknown suffix {path.suffix!r}; expected {', '.join(_WRITERS)}")


def write_table(path: Path, head: Row, rows: Iterable[Row], *, above: str = "", alignment: str = "") -> None:
    """Write a table, one line a row, in the format that the suffix of the file names.

    Parameters
    ----------
    path : path
        Ends in .csv, .md or .tex.
    head : sequence
        Titles of the columns.
    rows : iterable of sequences
        Taken one by one. In LaTeX a cell that begins like a number is set as mathematics.
    above : str
        A line above the table: a paragraph in Markdown, a comment in LaTeX. CSV has none.
    alignment : str
        A letter a column, for LaTeX; by default numbers, to the right.

    Raises
    ------
    InvalidOptionError
        If the path ends in something else.
    OSError
        If the file cannot be written.
    """
    check_table_suffix(path)
    with replacing_text(path) as file:
        for line in _WRITERS[path.suffix](head, rows, above, alignment or "r" * len(head)):
            file.write(f"{line}\n")


def _csv(head: Row, rows: Iterable[Row], _above: str, _alignment: str) -> Iterator[str]:
    for row in chain([head], rows):
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\r\n").writerow(row)  # what ends a line is quoted inside a cell
        yield buffer.getvalue().removesuffix("\r\n")


def _markdown(head: Row, rows: Iterable[Row], above: str, _alignment: str) -> Iterator[str]:
    yield from (above, "")
    yield f"| {' | '.join(map(str, head))} |"
    yield "|" + "---:|" * len(head)
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"


def _latex(head: Row, rows: Iterable[Row], above: str, alignment: str) -> Iterator[str]:
    if above:
        yield f"% {above}"
    yield rf"\begin{{tabular}}{{{alignment}}}"
    yield " & ".join(map(str, head)) + r" \\ \hline"
    for row in rows:
        yield " & ".join(f"${cell}$" if str(cell)[:1] in _START_OF_A_NUMBER else str(cell) for cell in row) + r" \\"
    yield r"\end{tabular}"


_WRITERS: dict[str, Callable[[Row, Iterable[Row], str, str], Iterator[str]]] = {
    ".csv": _csv,
    ".md": _markdown,
    ".tex": _latex,
}
