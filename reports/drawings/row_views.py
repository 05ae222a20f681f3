"""Two drawings of the rows of a scene: in a plane with both hyperplanes, and by their distances from each."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from maxmargin.api.measures import norm
from maxmargin.displays.plane_view import ends_of_line
from maxmargin.reports.drawings.label_placement import text_width
from maxmargin.reports.drawings.scales import LinearScale, Scale, SignedLogScale, attribute_of
from maxmargin.reports.drawings.svg import Drawing, Sheet, dots, joined, short
from maxmargin.reports.study.drawn_rows import DrawnRows, Strip
from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.solvers.proof.margins import unit
from maxmargin.text.number_formats import count, one_line, plural, rounded

WIDTH = 404.0
HEIGHT = 356.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 10.0, 6.0, 8.0, 36.0
# Room around the points as a fraction of their range.
_ROOM = 0.07

# Ratio of the two ranges above which equal scales would leave a thin strip.
_STRETCH = 5.0

# Range of an axis, in units of the data, below which binary64 has no round numbers on it.
_LEAST_SPAN = 1e-300

# Width of the band, as a fraction of the drawing, below which an inset shows it.
_THIN = 0.06

_INSET = (150.0, 108.0)
# Half the width of the inset, in multiples of the half width of the band.
_IN_INSET = 3.0

# Largest numbers of rows with large marks, and of circled rows with large circles.
_FEW, _FEW_RINGS = 300, 24
# Largest distance, in units of the strips, that a linear scale shows.
_WITHIN_REACH = 12.0

_STRIP_AT = (92.0, 262.0)
_STRIP_HALF = 40.0
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class _Frame:
    """The two scales of a drawing."""

    x: LinearScale
    y: LinearScale

    def at(self, point: Floats) -> tuple[float, float]:
        return self.x(float(point[0])), self.y(float(point[1]))


def scatter(scene: DrawnRows) -> Drawing:
    """Return the rows and the hyperplanes in two dimensions."""
    sheet = Sheet("rows", WIDTH, HEIGHT)
    frame = _frame(scene)
    left, top = frame.x.start, frame.y.end
    width, height = frame.x.end - left, frame.y.start - top
    shape = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
    sheet.raw(f'<clipPath id="{sheet.key}-clip">{shape}</clipPath><g clip-path="url(#{sheet.key}-clip)">')
    _band(sheet, scene, frame)
    sheet.raw(f'<g id="{sheet.key}-points">')
    _draw_classes(sheet, scene.is_positive, [frame.at(point) for point in scene.points], _size(scene))
    sheet.raw('</g><path class="lit" d="M0 0"/>')
    has_inset = scene.has_margin and not scene.is_of_columns and _band_share(scene, frame) < _THIN
    if not has_inset:
        _rings(sheet, scene, frame)
    _lines(sheet, scene, frame)
    sheet.raw("</g>")
    sheet.rectangle((left, top), width, height, "frame")
    _axes(sheet, scene, frame)
    if has_inset:
        _inset(sheet, scene, frame)
    return Drawing(sheet.markup("Rows and hyperplanes", _finding(scene)))


def axes_of(scene: DrawnRows) -> list[Floats]:
    """Return three vectors a, c, e with which a hyperplane is drawn as (w.a) x + (w.c) y + w.e + b = 0.

    If its normal is not in the plane of the drawing, this is the intersection of both at the mean of the rows.
    """
    frame, rest = _frame(scene), scene.centre.copy()
    found = []
    for axis, scale in enumerate((frame.x, frame.y)):
        pixels = (scale.end - scale.start) / (scale.high - scale.low)
        start = scale.start + pixels * (float(scene.shift[axis]) - scale.low)
        vector = np.ldexp(scene.basis[:, axis] / (pixels * float(scene.factor[axis])), scene.exponent)
        rest -= start * vector
        found.append(vector)
    return [*found, rest]


def run_snapshots(scene: DrawnRows, states: Iterable[tuple[int, Floats, float]]) -> str:
    """Return a small drawing for each state of a run (number of mistakes, w, b), for readers without scripts."""
    pictures = []
    for n_mistakes, w, b in states:
        sheet = Sheet(f"moment-{n_mistakes}", WIDTH, HEIGHT)
        sheet.raw('<use href="#rows-points"/>')
        ends = _line_in_scatter(scene, w, b)
        if ends is not None:
            sheet.curve(ends, "plane perceptron")
        title = f"After {plural(n_mistakes, 'mistake')}"
        pictures.append(f"<figure>{sheet.markup(title, title)}<figcaption>{title}.</figcaption></figure>")
    return "".join(pictures)


def _line_in_scatter(scene: DrawnRows, w: Floats, b: float) -> list[tuple[float, float]] | None:
    """Return the ends of the line of a hyperplane in the scatter plot; None if the line does not cross it.

    If its normal is not in the plane of the drawing, it is the intersection of both at the mean of the rows.
    """
    length = norm(w)
    if not 0 < length < math.inf:
        return None
    normal = unit(w)
    direction = normal @ scene.basis / scene.factor
    offset = float(np.ldexp(b / length + float(normal @ scene.centre), -scene.exponent) - direction @ scene.shift)
    frame = _frame(scene)
    ends = _ends(direction, offset, frame) if math.isfinite(offset) else None
    return None if ends is None else [frame.at(point) for point in ends]


def _frame(scene: DrawnRows) -> _Frame:
    low, high = _limits(scene)
    start, end = np.array([_LEFT, HEIGHT - _BOTTOM]), np.array([WIDTH - _RIGHT, _TOP])
    spans, sizes = high - low, np.abs(end - start)
    if scene.is_of_columns and not scene.is_strip and spans.min() * _STRETCH >= spans.max():
        unit = float((spans / sizes).max())  # equal scales: angles are true
        middle = (low + high) / 2
        low, high = middle - unit * sizes / 2, middle + unit * sizes / 2
    return _Frame(
        LinearScale(float(low[0]), float(high[0]), float(start[0]), float(end[0])),
        LinearScale(float(low[1]), float(high[1]), float(start[1]), float(end[1])),
    )


def _limits(scene: DrawnRows) -> tuple[Floats, Floats]:
    low, high = scene.points.min(axis=0), scene.points.max(axis=0)
    for foot in scene.feet():
        low, high = np.minimum(low, foot), np.maximum(high, foot)
    spans = high - low
    largest = float(spans.max()) or float(np.abs(high).max()) or 1.0
    room = np.where(spans > 0, _ROOM * spans, largest / 2)
    return low - room, high + room


def shows_band(scene: DrawnRows) -> bool:
    """Return whether both edges of the band are in view."""
    return len(_band_edges(scene, _frame(scene))) == 2


def _band_edges(scene: DrawnRows, frame: _Frame) -> list[tuple[Floats, Floats]]:
    if scene.reference is None or scene.half_width is None:
        return []
    direction, offset = scene.reference
    edges = (_ends(direction, offset + sign * scene.half_width, frame) for sign in (-1, 1))
    return [edge for edge in edges if edge is not None]


def _band(sheet: Sheet, scene: DrawnRows, frame: _Frame) -> None:
    edges = [(frame.at(p), frame.at(q)) for p, q in _band_edges(scene, frame)]
    if len(edges) < 2:
        return
    (a, b), (c, d) = edges
    sheet.path("M" + "L".join(f"{short(x)} {short(y)}" for x, y in (a, b, d, c)) + "z", "margin-band")
    for start, end in edges:
        sheet.line(start, end, "truth thin")


def _lines(sheet: Sheet, scene: DrawnRows, frame: _Frame) -> None:
    for plane, role, name in ((scene.reference, "plane truth", ""), (scene.found, "plane perceptron", "found")):
        ends = None if plane is None else _ends(*plane, frame)
        if ends is not None:
            sheet.curve([frame.at(ends[0]), frame.at(ends[1])], role, name=name)
        elif name:
            sheet.path("M0 0", role, name=name)


def _ends(direction: Floats, offset: float, frame: _Frame) -> tuple[Floats, Floats] | None:
    """Return two points of the line direction.p + offset = 0 beyond the frame; None if the line does not cross it."""
    corners = np.array([(x, y) for x in (frame.x.low, frame.x.high) for y in (frame.y.low, frame.y.high)])
    values = corners @ direction + offset
    scaled = direction * np.ptp(corners, axis=0)
    if not values.min() <= 0 <= values.max() or not np.linalg.norm(scaled) > 0:  # which may underflow
        return None
    start, end = ends_of_line(direction, offset, corners)
    return start, end


def _size(scene: DrawnRows) -> str:
    return "" if len(scene.rows) <= _FEW else " small"


def _draw_classes(sheet: Sheet, is_positive: Mask, at: list[tuple[float, float]], size: str) -> None:
    for name, is_of_class in (("negative", ~is_positive), ("positive", is_positive)):
        sheet.path(dots(point for point, is_in in zip(at, is_of_class, strict=True) if is_in), f"{name}{size}")


def _rings(sheet: Sheet, scene: DrawnRows, frame: _Frame) -> None:
    points = scene.points[np.isin(scene.rows, scene.marked)]
    radius = 7.5 if len(points) <= _FEW_RINGS and len(scene.rows) <= _FEW else 4.5
    for point in points[np.abs(points[:, 0] - (frame.x.low + frame.x.high) / 2) <= (frame.x.high - frame.x.low) / 2]:
        sheet.circle(frame.at(point), radius, "ring")


def _axes(sheet: Sheet, scene: DrawnRows, frame: _Frame) -> None:
    """Draw ticks along the horizontal and the names of both axes; the vertical has ticks where it is a column."""
    names = [one_line(name, 60) for name in scene.labels]
    for at in _tick_texts(sheet, [(frame.x(tick), text) for tick, text in _ticks(scene, frame.x)], frame.y.start):
        sheet.line((at, frame.y.start), (at, frame.y.start + 4), "axis")
    sheet.text((WIDTH / 2, frame.y.start + 33), names[0], "soft", anchor="middle")
    if names[1]:
        scale = "" if scene.is_of_columns else "; other scale"
        sheet.text((frame.x.start + 5, frame.y.end + 15), f"↑ {names[1]}{scale}", "soft halo")


def _tick_texts(sheet: Sheet, ticks: list[tuple[float, str]], bottom: float) -> list[float]:
    """Write the texts of ticks that fit and do not meet the one before; return the positions of these ticks."""
    drawn, end = [], -math.inf
    for at, text in ticks:
        half = text_width(text) / 2
        if at - half >= max(end + 8, 0) and at + half <= WIDTH:
            end = at + half
            drawn.append(at)
            sheet.text((at, bottom + 17), text, "tick", anchor="middle")
    return drawn


def _ticks(scene: DrawnRows, scale: LinearScale) -> list[tuple[float, str]]:
    """Return the ticks with their texts: round numbers in the units of the data, where the axis is in these."""
    exponent = scene.exponent if scene.is_of_columns else 0
    with np.errstate(over="ignore"):
        low, high = map(float, np.ldexp([scale.low, scale.high], exponent))
    if not _LEAST_SPAN < high - low < math.inf:
        return []
    ticks = LinearScale(low, high, scale.start, scale.end).ticks(5)
    return [(math.ldexp(tick, -exponent), rounded(tick, 4)) for tick in ticks]


def _band_share(scene: DrawnRows, frame: _Frame) -> float:
    assert scene.half_width is not None
    return 2 * scene.half_width / (frame.x.high - frame.x.low)


def _inset(sheet: Sheet, scene: DrawnRows, frame: _Frame) -> None:
    """Draw the rows near the band again, in a corner, with the horizontal stretched."""
    assert scene.half_width is not None
    reach = _IN_INSET * scene.half_width
    near = np.abs(scene.points[:, 0]) <= reach
    low, high = float(scene.points[near, 1].min()), float(scene.points[near, 1].max())
    room = 0.15 * (high - low) or 1.0
    width, height = _INSET
    left, top = _emptier_corner(scene, frame)
    inner = _Frame(
        LinearScale(-reach, reach, left, left + width), LinearScale(low - room, high + room, top + height, top)
    )
    sheet.rectangle((left, top), width, height, "inset")
    band = inner.x(-scene.half_width), inner.x(scene.half_width)
    sheet.rectangle((band[0], top), band[1] - band[0], height, "margin-band")
    sheet.line((inner.x(0), top), (inner.x(0), top + height), "plane truth")
    _draw_classes(sheet, scene.is_positive[near], [inner.at(point) for point in scene.points[near]], " small")
    _rings(sheet, scene, inner)
    sheet.text((left + 5, top + height - 6), f"±{rounded(_IN_INSET)} γ*, stretched", "tick halo")


def _emptier_corner(scene: DrawnRows, frame: _Frame) -> tuple[float, float]:
    """Return the corner of the frame where an inset covers the fewest rows."""
    width, height = _INSET
    at = np.array([frame.at(point) for point in scene.points])
    across, along = (frame.x.end - width - 6, frame.x.start + 6), (frame.y.end + 26, frame.y.start - height - 6)
    corners = [(x, y) for y in along for x in across]

    def covered(corner: tuple[float, float]) -> int:
        inside = (at >= corner).all(axis=1) & (at <= np.add(corner, _INSET)).all(axis=1)
        return int(inside.sum())

    return min(corners, key=covered)


def _finding(scene: DrawnRows) -> str:
    parts = [f"{plural(len(scene.rows), 'row')} drawn; {count(len(scene.marked))} circled, the {scene.marked_name}."]
    if scene.reference is not None:
        parts.append(f"Solid: {scene.reference_name}{'' if scene.half_width is None else ' with its band'}.")
    if scene.found is not None:
        parts.append("Dashed: the perceptron's hyperplane.")
    return " ".join(parts)


def strips(scene: DrawnRows) -> Drawing | None:
    """Return each row as a mark at its distance from either hyperplane, with lines that join the marks of a row."""
    if not scene.strips:
        return None
    sheet = Sheet("distances", WIDTH, HEIGHT)
    scale = strip_scale(scene)
    _grid(sheet, scene, scale)
    at = [_positions(strip, scale, y) for strip, y in zip(scene.strips, _STRIP_AT, strict=False)]
    if len(at) == 2:
        sheet.path(joined((at[0][k], at[1][k]) for k in scene.joined), "joins")
    for strip, y, places in zip(scene.strips, _STRIP_AT, at, strict=False):
        sheet.raw(f'<g id="distances-{strip.role}"{attribute_of(scale)}>')
        _draw_classes(sheet, scene.is_positive, places, _size(scene))
        sheet.raw('</g><path class="lit" d="M0 0"/>')
        sheet.text((0, y - _STRIP_HALF - 12), strip.name, f"label {strip.role} halo")
    # the replay writes how many rows are beyond either end of the axis
    for x, anchor in ((0, "start"), (WIDTH, "end")):
        sheet.text((x, _STRIP_AT[0] + _STRIP_HALF + 18), "", "tick halo beyond", anchor=anchor)
    return Drawing(sheet.markup("Distances of the rows", _strips_finding(scene)))


def strip_scale(scene: DrawnRows) -> LinearScale | SignedLogScale:
    """Return the scale of the distances, in units of the scene."""
    values = np.concatenate([strip.distances for strip in scene.strips])
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    if scene.has_margin:
        low, high = min(low, -0.5), max(high, 1.5)
    high += high == low
    room = 0.04 * (high - low)
    kind = LinearScale if max(high, -low) <= _WITHIN_REACH else SignedLogScale
    return kind(low - room, high + room, 8.0, WIDTH - 8.0)


def _positions(strip: Strip, scale: Scale, y: float) -> list[tuple[float, float]]:
    heights = y + _STRIP_HALF * (2 * np.mod(_GOLDEN * np.arange(len(strip.distances)), 1) - 1)
    return [(scale(float(d)), float(height)) for d, height in zip(strip.distances, heights, strict=True)]


def _grid(sheet: Sheet, scene: DrawnRows, scale: LinearScale | SignedLogScale) -> None:
    bottom = HEIGHT - _BOTTOM
    ticks = scale.ticks()
    if scene.has_margin and isinstance(scale, LinearScale):
        ticks = sorted({*ticks, 0.0, 1.0})
    for tick in sorted(ticks, key=lambda value: (value not in (0.0, 1.0), value)):
        role = "zero" if tick == 0 else "truth thin" if tick == 1 and scene.has_margin else "grid"
        sheet.line((scale(tick), _TOP), (scale(tick), bottom), role)
    _tick_texts(sheet, [(scale(tick), rounded(tick, 3)) for tick in sorted(ticks)], bottom)
    unit = "γ*" if scene.has_margin else scene.unit_name
    sheet.text((WIDTH / 2, bottom + 33), f"distance on the correct side, in {unit}", "soft", anchor="middle")


def _strips_finding(scene: DrawnRows) -> str:
    texts = [
        f"{strip.name}: distances from {rounded(float(strip.distances.min()), 3)} to "
        f"{rounded(float(strip.distances.max()), 3)}, {plural(int((strip.distances <= 0).sum()), 'row')} at or below 0"
        for strip in scene.strips
    ]
    return f"{'; '.join(texts)}, in {'units of γ*' if scene.has_margin else scene.unit_name}."


def drawn_rows_text(scene: DrawnRows, n_samples: int) -> str:
    """Return which rows are drawn where it is not all."""
    if len(scene.rows) == n_samples:
        return ""
    return f"{count(len(scene.rows))} of {count(n_samples)} rows are drawn: {scene.sample_text}."
