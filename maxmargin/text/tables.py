"""Tables: columns of equal width for a terminal; files in CSV for programs, in Markdown and LaTeX for notes."""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from maxmargin.solvers.basics.printable import LEAST_ROOM
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.escaping import latex, markdown
from maxmargin.text.outputs import replacing_text

Row = Sequence[object]

_START_OF_A_NUMBER = tuple("+-(0123456789")


def aligned(
    rows: Sequence[Sequence[str]], *, to_the_left: Collection[int], width: int | None = None, less: Sequence[int] = ()
) -> list[str]:
    """Return the rows as lines with columns of equal width, numbers to the right.

    Parameters
    ----------
    rows : sequence of sequences of str
        All of one length; the first is the head.
    to_the_left : collection of int
        Columns that hold words.
    width : int, optional
        Largest number of characters in a line.
    less : sequence of int
        Columns that are left out, the first ones first, until the lines are so short, or the last column of words can
        be wrapped. A line after the table names them.

    Examples
    --------
    >>> print("\\n".join(aligned([("name", "n"), ("a", "1,000")], to_the_left=[0])))
    name      n
    a     1,000
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    kept, left_out = [*range(len(widths))], iter(less)
    while width is not None and sum(widths[k] + 2 for k in kept) - 2 > width:
        can_wrap = kept[-1] in to_the_left and sum(widths[k] + 2 for k in kept[:-1]) <= width - LEAST_ROOM
        column = None if can_wrap else next(left_out, None)
        if column is None:
            break
        kept.remove(column)
    cells = (_padded(row, widths, to_the_left) for row in rows)
    lines = ["  ".join(row[k] for k in kept).rstrip() for row in cells]
    missing = [name for k, name in enumerate(rows[0]) if k not in kept]
    return [*lines, *([f"(no room for {', '.join(missing)})"] if missing else [])]


def _padded(row: Sequence[str], widths: Sequence[int], to_the_left: Collection[int]) -> list[str]:
    return [
        cell.ljust(width) if column in to_the_left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def markdown_lines(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Collection[int] = (), is_padded: bool = False
) -> list[str]:
    r"""Return a Markdown table, with all cells escaped.

    Parameters
    ----------
    head : sequence of str
    rows : iterable of sequences of str
    numeric : collection of int
        Columns that are set flush right.
    is_padded : bool
        Whether the columns have equal width in the text as well.

    Examples
    --------
    >>> print("\n".join(markdown_lines(["name", "n"], [["a|b", "1,000"]], numeric=[1], is_padded=True)))
    | name |     n |
    |------|------:|
    | a\|b | 1,000 |
    """
    cells = [[markdown(cell) for cell in row] for row in (head, *rows)]
    widths = [max(2, *map(len, column)) if is_padded else 0 for column in zip(*cells, strict=True)]
    words = [column for column in range(len(head)) if column not in numeric]
    rule = ["-" * max(3, width + 2) if k in words else "-" * max(3, width + 1) + ":" for k, width in enumerate(widths)]
    lines = [f"| {' | '.join(_padded(row, widths, words))} |" for row in cells]
    return [lines[0], f"|{'|'.join(rule)}|", *lines[1:]]


def latex_lines(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Collection[int] = (), caption: str = ""
) -> list[str]:
    r"""Return a LaTeX table for the package booktabs, with all texts escaped.

    With a caption it is a longtable, which goes over pages and needs that package as well; without one it is a tabular,
    which fits into a column of text.

    Examples
    --------
    >>> print("\n".join(latex_lines(["name", "s"], [["a_b", "1.5"]], numeric=[1])))
    % needs the package booktabs
    \begin{tabular}{lr}
    \toprule
    name & s \\
    \midrule
    a\_b & 1.5 \\
    \bottomrule
    \end{tabular}
    >>> latex_lines(["name"], [["a"]], caption="Times")[:2]
    ['\\begin{longtable}{l}', '\\caption{Times}\\\\']
    """
    alignment = "".join("r" if column in numeric else "l" for column in range(len(head)))
    begin = rf"\begin{{{'longtable' if caption else 'tabular'}}}{{{alignment}}}"
    lines = [r"\toprule", _latex_row(head), r"\midrule"]
    if caption:
        above = [begin, rf"\caption{{{latex(caption)}}}\\", *lines, r"\endhead", r"\bottomrule", r"\endfoot"]
        return [*above, *map(_latex_row, rows), r"\end{longtable}"]
    return ["% needs the package booktabs", begin, *lines, *map(_latex_row, rows), r"\bottomrule", r"\end{tabular}"]


def _latex_row(cells: Sequence[str]) -> str:
    # A row that begins with a bracket would be read as the optional argument of the line break before it.
    texts = [latex(cell) for cell in cells]
    return " & ".join([f"{{}}{texts[0]}" if texts[0].startswith(("[", "*")) else texts[0], *texts[1:]]) + r" \\"


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


def csv_lines(head: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a table in CSV."""
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
    ".csv": lambda head, rows, _above, _alignment: csv_lines(head, rows),
    ".md": _markdown,
    ".tex": _latex,
}
