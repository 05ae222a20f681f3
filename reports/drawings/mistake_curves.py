"""Novikoff's proof as curves over the mistakes: the bounds on the length of the weights from both sides."""

import math
from typing import Any

from maxmargin.reports.drawings.scales import LinearScale, LogScale, Scale, attribute_of, count_ticks
from maxmargin.reports.drawings.svg import Drawing, Sheet, short
from maxmargin.reports.phrasing import novikoff_text, space
from maxmargin.text.number_formats import plural, rounded

WIDTH, _HEIGHT = 404.0, 250.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 8.0, 76.0, 10.0, 40.0
# Number of mistakes from which both axes are logarithmic.
_MANY = 60

# Largest bound for which the drawing extends to the point where both curves meet.
_IN_VIEW = 1e30

# Number of line segments of a curve beyond the run.
_STEPS = 8

# Least distance between labels at the ends of curves.
_APART = 15.0

_CURVES = (("norm_at_most", "√M R", "bound"), ("norm", "‖w‖", "perceptron"), ("w_dot_u_at_least", "M g", "truth"))


def mistake_curves(report: dict[str, Any]) -> Drawing | None:
    """Return the drawing; None before the first mistake, or if no curve has positive finite numbers."""
    trace = report["trace"]
    curves = _curves(trace)
    M = trace["n_mistakes"]
    if not M or not curves:
        return None
    end = _end(report)
    x, y = _scales(M, curves, end)
    sheet = Sheet("curves", WIDTH, _HEIGHT)
    _axes(sheet, x, y)
    tops = {}
    for name, (text, role, values) in curves.items():
        points = [(x(m), y(value)) for m, value in zip(M, values, strict=True) if value > 0]
        sheet.curve(points, f"curve {role}")
        last = points[-1]
        if end and name != "norm":
            power = 0.5 if name == "norm_at_most" else 1.0
            further = [M[-1] * (end / M[-1]) ** (k / _STEPS) for k in range(1, _STEPS + 1)]
            beyond = [(x(m), y(m**power * values[0] / M[0] ** power)) for m in further]
            sheet.curve([last, *beyond], f"curve {role} beyond")
            last = beyond[-1]
        tops[name] = (last, text, role)
    _labels(sheet, tops)
    at = short(x(M[-1]))
    sheet.raw(
        f'<line class="cursor moves" data-moves="cursor" x1="{at}" x2="{at}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>'
    )
    markup = sheet.markup("Novikoff's two curves", _finding(report), attributes=attribute_of(x))
    return Drawing(markup, _caption(report, end))


def _curves(trace: dict[str, Any]) -> dict[str, tuple[str, str, list[float]]]:
    """Return the text, the role and the numbers of each curve that is known."""
    found = {}
    for name, text, role in _CURVES:
        values = trace[name]
        if values and all(value is not None and 1e-290 < abs(value) < 1e290 for value in values):
            found[name] = (text, role, [float(value) for value in values])
    return found


def _end(report: dict[str, Any]) -> float:
    """Return the number of mistakes at which the two curves meet if the drawing extends to it; else 0."""
    bound, made = report["trace"]["bound"], report["perceptron"]["n_mistakes"]
    return float(bound) if bound is not None and made < bound <= _IN_VIEW else 0.0


def _scales(M: list[int], curves: dict[str, tuple[str, str, list[float]]], end: float) -> tuple[Scale, Scale]:
    last = max(float(M[-1]), end)
    values = [value for _, _, numbers in curves.values() for value in numbers if value > 0]
    top = max(values)
    if end:
        top = max(top, curves["norm_at_most"][2][0] * math.sqrt(end))
    across, up = (_LEFT, WIDTH - _RIGHT), (_HEIGHT - _BOTTOM, _TOP)
    if last > _MANY:
        return LogScale(1.0, last, *across), LogScale(min(values) / 1.2, top * 1.2, *up)
    return LinearScale(0.0, last, *across), LinearScale(0.0, top * 1.04, *up)


def _axes(sheet: Sheet, x: Scale, y: Scale) -> None:
    bottom = _HEIGHT - _BOTTOM
    sheet.line((_LEFT, bottom), (WIDTH - _RIGHT, bottom), "axis")
    for tick in count_ticks(x, most=5):
        sheet.line((x(tick), bottom), (x(tick), bottom + 4), "axis")
        sheet.text((x(tick), bottom + 17), rounded(tick, 4), "tick", anchor="middle")
    sheet.text(((_LEFT + WIDTH - _RIGHT) / 2, bottom + 34), "mistakes M", "soft", anchor="middle")


def _labels(sheet: Sheet, tops: dict[str, tuple[tuple[float, float], str, str]]) -> None:
    """Write the name of each curve at its end; names that would overlap are moved apart."""
    below = -math.inf
    for (x, y), text, role in sorted(tops.values(), key=lambda entry: entry[0][1]):
        at = max(y, below + _APART)
        below = at
        sheet.text((x + 6, at + 4), text, f"label {role}")


def _finding(report: dict[str, Any]) -> str:
    trace, run = report["trace"], report["perceptron"]
    text = f"After {plural(run['n_mistakes'], 'mistake')} ‖w‖ is {rounded(trace['norm'][-1], 3)}, below √M R = "
    text += f"{rounded(trace['norm_at_most'][-1], 3)}"
    if trace["u_margin"] is None:
        return f"{text}; no line bounds it from below."
    floor = rounded(trace["w_dot_u_at_least"][-1], 3)
    return f"{text} and above M g = {floor}; the two bounds meet at {novikoff_text(trace)} mistakes."


def _caption(report: dict[str, Any], end: float) -> str:
    if report["trace"]["u_margin"] is None:
        known = "separates" if report["strictly_separable"] is False else "is known to separate"
        return f"Each mistake adds at most R² to ‖w‖². No hyperplane {known} all rows, so nothing forces ‖w‖ to grow."
    where = "where both meet" if end else "far to the right of this picture"
    trace, vectors = report["trace"], space(report["perceptron"])
    scales = " Both axes are logarithmic." if max(float(trace["n_mistakes"][-1]), end) > _MANY else ""
    return (
        "Each mistake adds at least g to w·u*, so ‖w‖ ≥ M g; and at most R² to ‖w‖², so ‖w‖ ≤ √M R. Here w are the "
        f"weights after M mistakes, u* is the unit normal of the maximum margin in the space {vectors} of the run, "
        f"g = {rounded(trace['u_margin'], 4)} is its margin there, at most γ*, and R = {rounded(trace['radius'], 4)} "
        "the length of the longest row. So M g ≤ √M R: no run in this space, in any order, makes more than "
        f"R²/g² = {novikoff_text(trace)} mistakes, {where}.{scales}"
    )
