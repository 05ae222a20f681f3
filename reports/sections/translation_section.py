"""What shifts, scales and preparations do to mistakes and bounds: as fields of the summary, and as a section."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from maxmargin.reports.document import Block, FigureSlot, Paragraph, Table
from maxmargin.reports.number_formats import count, number, proven, shown
from maxmargin.reports.phrasing import shown_upper
from maxmargin.reports.study.translated import Translated

_PREPARED = {"raw": "raw", "center": "centred", "standardize": "standardised"}


def fields(found: Translated) -> list[dict[str, Any]]:
    """Return every point, with the study it belongs to."""
    studies = {"shift": found.shifts, "scale": found.scales, "preparation": found.preparations}
    return [{"study": name, **asdict(point)} for name, points in studies.items() for point in points]


def blocks(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the section."""
    if report["translations_reason"] is not None:
        return (Paragraph(f"The rows were not moved about: {report['translations_reason']}."),)
    return (
        Paragraph(_opening(report)),
        FigureSlot("translations"),
        _table("Raw, centred, standardised", "Features", _of(report, "preparation"), _preparation),
        *_shift_table(report),
        _table("At other bias scales", "Bias scale s", _of(report, "scale"), _scale),
    )


def _of(report: dict[str, Any], study: str) -> list[dict[str, Any]]:
    return [point for point in report["translations"] if point["study"] == study]


def _opening(report: dict[str, Any]) -> str:
    text = (
        "γ* depends neither on where the origin lies nor on the constant coordinate s that carries the bias. The "
        "mistakes of the perceptron and their bounds do: Novikoff's bound (R² + s²)/g² is that of the rows (x, s). "
        "With the hyperplane of margin γ* and ‖w‖ = 1 it becomes (R² + s²)(1 + b²/s²)/γ*², and the least that a choice "
        "of s makes of that is (R + |b|)²/γ*², at s = √(R|b|) only. Every line is a run in the order of the source, "
        "with y w·x = 0 a mistake; ≥ marks runs that were stopped at a limit."
    )
    if report["shifts_reason"] is not None:
        text += f" The rows were not moved: {report['shifts_reason']}."
    return text


def _shift_table(report: dict[str, Any]) -> tuple[Table, ...]:
    points = _of(report, "shift")
    if not points:
        return ()
    return (
        _table("Moved by so many times the mean of the rows", "Shift", points, lambda point: number(point["shift"])),
    )


def _preparation(point: dict[str, Any]) -> str:
    return _PREPARED[point["preparation"]]


def _scale(point: dict[str, Any]) -> str:
    return f"{number(point['bias_scale'])}{', √(R|b|)' if point['is_best_scale'] else ''}"


def _table(
    caption: str, first: str, points: Iterable[dict[str, Any]], name: "Callable[[dict[str, Any]], str]"
) -> Table:
    rows = tuple(
        (
            name(point),
            number(point["radius"]),
            number(point["offset"]),
            proven(point["margin_lower"], shown_upper(point, "margin_upper"), 7),
            f"{'' if point['converged'] else '≥ '}{count(point['n_mistakes'])}",
            shown(point, "novikoff"),
            shown(point, "best_scale_bound"),
        )
        for point in points
    )
    columns = (first, "R", "|b|/‖w‖", "γ*", "Mistakes", "Novikoff", "(R + |b|)²/γ*²")
    return Table(caption=caption, columns=columns, rows=rows, numeric=frozenset(range(1, len(columns))))
