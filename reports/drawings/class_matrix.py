"""A matrix of classes with digits in its cells: a triangle for each of two quantities, and one on the diagonal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maxmargin.reports.drawings.label_placement import SIZE, text_width
from maxmargin.reports.drawings.svg import Drawing, Sheet, short
from maxmargin.text.number_formats import one_line

TITLE = "Matrix of the classes"

# Width up to which the columns may have names; with wider ones they have numbers.
WIDTH = 832.0

_LEAST_CELL, _CELL_ROOM, _ROW = 46.0, 12.0, 38.0
_LONGEST_NAME, _LONGEST_COLUMN = 150.0, 92.0
_LINE = SIZE + 4
# The opacities of the colours, at which text in ink stays legible, and how many of them there are.
_FAINTEST, _STRONGEST, _STEPS = 0.10, 0.42, 5


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A cell of the matrix.

    Attributes
    ----------
    lines : tuple of str
        One text or two.
    role : str
        "truth" or "perceptron": the hue of its colour; empty for none.
    strength : float
        From 0 to 1: how strong its colour is.
    """

    lines: tuple[str, ...]
    role: str = ""
    strength: float = 0.0


def class_matrix(
    names: Sequence[Any], cells: Mapping[tuple[int, int], MatrixCell], finding: str, caption: str
) -> Drawing:
    """Return the matrix; `cells` are by row and column, those on the diagonal have a frame."""
    width = max(_LEAST_CELL, *(text_width(line) + _CELL_ROOM for cell in cells.values() for line in cell.lines))
    columns = [one_line(name, 24) for name in names]
    widest = max(map(text_width, columns))
    is_numbered = widest > _LONGEST_COLUMN or (widest > width - 8 and len(names) * (widest + 8) > WIDTH - _LONGEST_NAME)
    if is_numbered:
        columns = [str(k + 1) for k in range(len(names))]
    width = max(width, *(text_width(column) + 8 for column in columns))
    rows = [f"{k + 1}: {name}" if is_numbered else str(name) for k, name in enumerate(names)]
    rows = [fitted(row, _LONGEST_NAME) for row in rows]
    gutter = max(map(text_width, rows)) + 8
    top = SIZE + 8
    sheet = Sheet("matrix", gutter + len(names) * width + 1, top + len(names) * _ROW + 1)
    for k, (row, column) in enumerate(zip(rows, columns, strict=True)):
        sheet.text((0, top + k * _ROW + _ROW / 2 + 4), row, "name")
        sheet.text((gutter + (k + 0.5) * width, SIZE), column, "soft", anchor="middle")
    for (i, j), cell in sorted(cells.items()):
        _draw(sheet, cell, (gutter + j * width, top + i * _ROW), width, is_diagonal=i == j)
    return Drawing(sheet.markup(TITLE, finding, attributes=f' style="width:{short(sheet.width)}px"'), caption)


def _draw(sheet: Sheet, cell: MatrixCell, corner: tuple[float, float], width: float, *, is_diagonal: bool) -> None:
    x, y = corner
    if cell.role:
        step = round(cell.strength * (_STEPS - 1)) / (_STEPS - 1)
        opacity = _FAINTEST + step * (_STRONGEST - _FAINTEST)
        sheet.rectangle((x + 1, y + 1), width - 2, _ROW - 2, f"heat {cell.role}", opacity=opacity)
    if is_diagonal:
        sheet.rectangle((x + 1, y + 1), width - 2, _ROW - 2, "outline")
    first = y + _ROW / 2 + 4 - (len(cell.lines) - 1) * _LINE / 2
    for k, line in enumerate(cell.lines):
        sheet.text((x + width / 2, first + k * _LINE), line, "" if k == 0 else "soft", anchor="middle")


def fitted(name: str, width: float) -> str:
    """Return a name on one line, cut in the middle so that it is no wider than this.

    Examples
    --------
    >>> fitted("setosa", 100.0), fitted("x" * 99, 60.0)
    ('setosa', 'xxx…xxx')
    """
    return next(
        (text for longest in range(40, 3, -1) if text_width(text := one_line(name, longest)) <= width),
        one_line(name, 3),
    )
