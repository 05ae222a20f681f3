"""A ruler: an axis with marks, bands and labels, drawn once for a wide page and once for a narrow one."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from maxmargin.reports.drawings.label_placement import SIZE, Label, Placed, n_lanes, place, text_width
from maxmargin.reports.drawings.scales import LinearScale, LogScale, Scale, attribute_of
from maxmargin.reports.drawings.svg import Sheet, both, short

# Widths of the two forms.
WIDE, NARROW = 832.0, 350.0

# Room for the name of a ruler at the left of its wide form.
_GUTTER = 118.0

_BOLD_ROLES = ("truth", "perceptron")
_LANE = SIZE + 4
_TICK, _MARK = 5.0, 11.0
# Width of the part of a ruler for what does not separate.
_RAIL = 112.0


@dataclass(frozen=True, slots=True)
class RulerMark:
    """A number on a ruler.

    Attributes
    ----------
    value : float or None
        None stands on the rail at the left: it does not separate.
    text : str
        Its label; empty for a faint mark without one.
    role : str
        "truth", "perceptron", "bound" or "faint".
    below : bool
        Whether its label stands below the axis.
    name : str
        The name by which a script moves it; empty for none.
    """

    value: float | None
    text: str
    role: str
    below: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class RulerBand:
    """A range of a ruler that is shaded, the middle of it darker.

    Attributes
    ----------
    ends : tuple of (float, float)
        Ranges, each within the one before it.
    text : str
    role : str
    """

    ends: tuple[tuple[float, float], ...]
    text: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruler:
    """A ruler.

    Attributes
    ----------
    key : str
    name, unit : str
        The quantity that it measures and its unit, in a word or two each.
    marks : tuple of RulerMark
        The most important first: it has the first choice of a place for its label.
    bands : tuple of RulerBand
    low, high : float
        The numbers at its ends.
    is_log : bool
    ticks : callable
        Returns the ticks of a scale with their texts.
    finding : str
        A description in a sentence.
    """

    key: str
    name: str
    unit: str
    marks: tuple[RulerMark, ...]
    bands: tuple[RulerBand, ...] = ()
    low: float
    high: float
    is_log: bool = True
    ticks: Callable[[Scale], list[tuple[float, str]]]
    finding: str


def drawn(ruler: Ruler) -> str:
    """Return the markup of the ruler in both widths."""
    return both(_markup(ruler, WIDE, _GUTTER, "w"), _markup(ruler, NARROW, 0.0, "n"))


def _markup(ruler: Ruler, width: float, gutter: float, suffix: str) -> str:
    """Return the ruler drawn in this width, its name in the gutter, or above where there is none."""
    has_rail = any(mark.value is None for mark in ruler.marks)
    start = gutter + (_RAIL if has_rail else 8.0)
    kind = LogScale if ruler.is_log else LinearScale
    scale = kind(ruler.low, ruler.high, start, width - 8.0)
    above = place(_labels(ruler, scale, gutter, below=False), gutter, width)
    below = place(_labels(ruler, scale, gutter, below=True), gutter, width)
    title = 0.0 if gutter else SIZE + 8
    axis = title + n_lanes(above) * _LANE + _MARK + 6
    tick_room = SIZE + 12
    bottom = axis + tick_room + n_lanes(below) * _LANE + (4 if below else 0)
    sheet = Sheet(f"{ruler.key}-{suffix}", width, bottom)
    _name(sheet, ruler, axis, gutter)
    _bands(sheet, ruler, scale, axis)
    sheet.line((start - 8, axis), (width, axis), "axis")
    if has_rail:
        sheet.line((gutter, axis), (gutter + _RAIL - 18, axis), "rail")
        sheet.text((gutter, axis + SIZE + 8), "not separating", "soft")
    _ticks(sheet, ruler, scale, axis, start, [entry.label.at for entry in below])
    for entry in (*above, *below):
        is_below, side = (True, below) if entry in below else (False, above)
        baseline = axis - _MARK - 5 - entry.lane * _LANE
        if is_below:
            baseline = axis + tick_room + (entry.lane + 1) * _LANE - 4
        if not _is_crossed(entry, side):
            _leader(sheet, entry.label, entry.lane, axis, baseline, is_below=is_below)
        sheet.text((entry.start, baseline), entry.label.text, entry.label.role)
    for mark in reversed(ruler.marks):
        _mark(sheet, mark, _position(mark, scale, gutter), axis)
    rail = f' data-rail="{short(gutter + (_RAIL - 18) / 2)}"' if has_rail else ""  # by which a script moves marks
    return sheet.markup(f"Ruler of the {ruler.name}", ruler.finding, attributes=f"{attribute_of(scale)}{rail}")


def _position(mark: RulerMark, scale: Scale, gutter: float) -> float:
    if mark.value is None:
        return gutter + (_RAIL - 18) / 2
    return scale(min(max(mark.value, scale.low), scale.high))


def _labels(ruler: Ruler, scale: Scale, gutter: float, *, below: bool) -> list[Label]:
    of_marks = [
        Label(_position(mark, scale, gutter), mark.text, f"label {mark.role}", mark.role in _BOLD_ROLES)
        for mark in ruler.marks
        if mark.text and mark.below is below
    ]
    if below:
        return of_marks
    middles = ((band.text, sum(map(scale, band.ends[-1])) / 2) for band in ruler.bands if band.text)
    return of_marks + [Label(middle, text, "label soft") for text, middle in middles]


def _name(sheet: Sheet, ruler: Ruler, axis: float, gutter: float) -> None:
    if gutter:
        sheet.text((0, axis - 1), ruler.name, "name")
        sheet.text((0, axis + SIZE + 3), ruler.unit, "soft")
    else:
        sheet.text((0, SIZE), f"{ruler.name}: {ruler.unit}", "name")


def _bands(sheet: Sheet, ruler: Ruler, scale: Scale, axis: float) -> None:
    for band in ruler.bands:
        for low, high in band.ends:
            left, right = scale(low), scale(high)
            sheet.rectangle((left - 1, axis - 5), max(2.0, right - left + 2), 10, f"band {band.role}")


def _ticks(sheet: Sheet, ruler: Ruler, scale: Scale, axis: float, start: float, crossed: list[float]) -> None:
    """Draw the ticks whose texts meet neither the one before nor a line to a label, at the positions `crossed`."""
    end = start - 20 if any(mark.value is None for mark in ruler.marks) else -math.inf
    last = sheet.width
    for value, text in sorted(ruler.ticks(scale)):
        at, half = scale(value), text_width(text) / 2
        left = min(max(at - half, start - 8), last - 2 * half)
        if left < end + 6 or any(left - 3 < position < left + 2 * half + 3 for position in crossed):
            continue
        end = left + 2 * half
        sheet.line((at, axis), (at, axis + _TICK), "axis")
        sheet.text((left, axis + SIZE + 8), text, "tick")


def _is_crossed(entry: Placed, side: list[Placed]) -> bool:
    """Return whether the line from a label to its mark would cross a nearer label: then their marks are one."""
    return any(other.lane < entry.lane and other.start <= entry.label.at <= other.end for other in side)


def _leader(sheet: Sheet, label: Label, lane: int, axis: float, baseline: float, *, is_below: bool) -> None:
    """Draw the line from a mark to its label, where other labels are between them or the ticks are."""
    if is_below:
        sheet.line((label.at, axis + _TICK + 1), (label.at, baseline - SIZE + 1), "leader")
    elif lane:
        sheet.line((label.at, axis - _MARK), (label.at, baseline + 3), "leader")


def _mark(sheet: Sheet, mark: RulerMark, at: float, axis: float) -> None:
    name = f' data-moves="{mark.name}"' if mark.name else ""
    moves = " moves" if mark.name else ""
    half = 5.0 if mark.role == "faint" else _MARK
    if mark.value == math.inf:
        sheet.raw(f'<path{name} class="arrow {mark.role}" d="M{at - 9:.1f} {axis - 5:.1f}l9 5l-9 5"/>')
        return
    low, high = f"{axis - half:.1f}", f"{axis + half:.1f}"
    sheet.raw(f'<line{name} class="mark {mark.role}{moves}" x1="{at:.1f}" x2="{at:.1f}" y1="{low}" y2="{high}"/>')


def spread(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the least and the greatest of the positive finite numbers."""
    found = [value for value in values if value is not None and 0 < value < math.inf]
    return min(found), max(found)


def nested(quantiles: Sequence[Sequence[float]]) -> tuple[tuple[float, float], ...]:
    """Return the whole range of (level, value) pairs, the middle nine tenths and the middle half."""
    by_level = {round(level, 2): value for level, value in quantiles}
    return tuple((by_level[low], by_level[high]) for low, high in ((0.0, 1.0), (0.05, 0.95), (0.25, 0.75)))
