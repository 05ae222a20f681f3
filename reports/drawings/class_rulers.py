"""A small ruler of margins for each class, all on one axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from maxmargin.reports.drawings.class_matrix import fitted
from maxmargin.reports.drawings.label_placement import SIZE, text_width
from maxmargin.reports.drawings.rulers import NARROW, WIDE, spread
from maxmargin.reports.drawings.scales import LogScale
from maxmargin.reports.drawings.svg import Drawing, Sheet, both
from maxmargin.text.number_formats import rounded

# Room for the name at the left and for the text at the right of the wide form.
_NAME, _TEXT = 140.0, 260.0

_WIDE_ROW, _NARROW_ROW = 24.0, 40.0
_MARK, _UPPER = 8.0, 5.0
_ROOM, _LEAST_SPAN = 1.6, 8.0


@dataclass(frozen=True, slots=True)
class ClassRuler:
    """The margins of one class against the rest.

    Attributes
    ----------
    name : str
    text : str
        The numbers of the marks in words.
    best, achieved, upper : float or None
        The maximum margin, the margin of the perceptron's hyperplane, and its upper bound from the mistakes.
    """

    name: str
    text: str
    best: float | None = None
    achieved: float | None = None
    upper: float | None = None

    @property
    def values(self) -> tuple[float | None, ...]:
        """The numbers of its marks."""
        return self.best, self.achieved, self.upper


def class_rulers(rulers: Sequence[ClassRuler], finding: str, caption: str) -> Drawing | None:
    """Return the rulers, one below the other, or None if they have no marks."""
    values = [value for ruler in rulers for value in ruler.values if value is not None and value > 0]
    if not values:
        return None
    title = "Rulers of the margins of each class against the rest"
    low, high = spread(values)
    low = min(low, high / _LEAST_SPAN)
    ends = max(low / _ROOM, 5e-324), min(high * _ROOM, 1.7e308)
    forms = []
    for suffix, width in (("w", WIDE), ("n", NARROW)):
        forms.append(_sheet(rulers, ends, width, f"class-rulers-{suffix}").markup(title, finding))
    return Drawing(both(*forms), caption)


def _sheet(rulers: Sequence[ClassRuler], ends: tuple[float, float], width: float, key: str) -> Sheet:
    is_wide = width == WIDE
    row = _WIDE_ROW if is_wide else _NARROW_ROW
    bottom = len(rulers) * row
    scale = LogScale(*ends, _NAME + 8 if is_wide else 8.0, width - _TEXT - 8 if is_wide else width - 8)
    sheet = Sheet(key, width, bottom + SIZE + 12)
    _ticks(sheet, scale, bottom)
    for k, ruler in enumerate(rulers):
        axis = (k + 1) * row - _WIDE_ROW / 2 + 2
        _words(sheet, ruler, axis, is_wide=is_wide)
        sheet.line((scale.start - 8, axis), (scale.end + 8, axis), "axis" if any(ruler.values) else "rail")
        for value, kind in ((ruler.upper, "bound"), (ruler.achieved, "perceptron"), (ruler.best, "truth")):
            if value is not None and value > 0:
                half = _UPPER if kind == "bound" else _MARK
                sheet.line((scale(value), axis - half), (scale(value), axis + half), f"mark {kind}")
    return sheet


def _words(sheet: Sheet, ruler: ClassRuler, axis: float, *, is_wide: bool) -> None:
    """Write the name and the text: on either side of the axis, or above it."""
    if is_wide:
        sheet.text((0, axis + 4), fitted(ruler.name, _NAME - 10), "name")
        sheet.text((sheet.width - _TEXT + 12, axis + 4), ruler.text, "soft")
        return
    room = sheet.width - text_width(ruler.text) - 12
    sheet.text((0, axis - _MARK - 4), fitted(ruler.name, room / 1.12), "name halo")
    sheet.text((sheet.width, axis - _MARK - 4), ruler.text, "soft halo", anchor="end")


def _ticks(sheet: Sheet, scale: LogScale, bottom: float) -> None:
    """Draw the powers of ten as lines behind the rulers, with the numbers below."""
    end = -1.0
    for k in scale.decades():
        at, text = scale(10.0**k), rounded(10.0**k)
        half = text_width(text) / 2
        left = min(max(at - half, 0.0), sheet.width - 2 * half)
        sheet.line((at, 0), (at, bottom + 2), "grid")
        if left > end + 6:
            sheet.text((left, bottom + SIZE + 4), text, "tick")
            end = left + 2 * half
