"""How many orders of the rows made how many mistakes, with the order of the source marked."""

import math

import numpy as np

from maxmargin.displays.order_study_display import edges_of_counts
from maxmargin.reports.drawings.label_placement import Label, n_lanes, place
from maxmargin.reports.drawings.scales import LinearScale, LogScale, Scale, count_ticks
from maxmargin.reports.drawings.svg import Drawing, Sheet
from maxmargin.text.number_formats import count, plural, rounded
from maxmargin.theory.order_studies import OrderStudy

WIDTH = 404.0
_BARS, _LANE = 132.0, 16.0
# Ratio of the most and the fewest mistakes above which the axis is logarithmic.
_FAR_APART = 12.0


def order_histogram(study: OrderStudy) -> Drawing | None:
    """Return the drawing; None if all orders make the same number of mistakes."""
    mistakes = study.outcomes.n_mistakes
    if mistakes.min() == mistakes.max():
        return None
    source = study.given.n_mistakes
    scale = _scale(min(int(mistakes.min()), source), max(int(mistakes.max()), source))
    edges = np.minimum(edges_of_counts(mistakes, is_logarithmic=isinstance(scale, LogScale)), scale.high)
    counts = np.histogram(mistakes, edges)[0] / np.maximum(np.floor(edges[1:]) - np.floor(edges[:-1]), 1)  # per count
    at = scale(max(source, scale.low))
    labels = place([Label(at, f"order of the source {count(source)}", "label perceptron")], 0, WIDTH)
    top = 6 + n_lanes(labels) * _LANE
    sheet = Sheet("orders", WIDTH, top + _BARS + 40)
    bottom = top + _BARS
    for low, high, number_of in zip(edges[:-1], edges[1:], counts, strict=True):
        if number_of:
            left, right = scale(float(low)), scale(float(high))
            height = _BARS * float(number_of) / float(counts.max())
            sheet.rectangle((left + 0.5, bottom - height), max(right - left - 1, 1.0), height, "column perceptron")
    _axis(sheet, scale, bottom, f"mistakes{_until(study)}")
    sheet.line((at, top), (at, bottom), "mark perceptron")
    for entry in labels:
        sheet.text((entry.start, top - 5), entry.label.text, entry.label.role)
    finding = _finding(study)
    return Drawing(sheet.markup("Mistakes over random orders", finding), finding)


def _scale(low: int, high: int) -> Scale:
    if low > 0 and high > _FAR_APART * low:
        return LogScale(max(low - 0.5, 0.7), high + 0.5, 4.0, WIDTH - 4.0)
    return LinearScale(low - 0.5, high + 0.5, 4.0, WIDTH - 4.0)


def _axis(sheet: Sheet, scale: Scale, bottom: float, name: str) -> None:
    sheet.line((0, bottom), (WIDTH, bottom), "axis")
    ticks = count_ticks(scale, most=5)
    if isinstance(scale, LogScale) and len(ticks) < 2:
        ticks = sorted({*ticks, *(k * 10.0 ** math.floor(math.log10(scale.high)) for k in (1, 2, 5))})
    for tick in (tick for tick in ticks if scale.low <= tick <= scale.high):
        sheet.line((scale(tick), bottom), (scale(tick), bottom + 4), "axis")
        where = "middle" if 20 < scale(tick) < WIDTH - 20 else "start" if scale(tick) <= 20 else "end"
        sheet.text((scale(tick), bottom + 17), rounded(tick), "tick", anchor=where)
    sheet.text((WIDTH / 2, bottom + 34), name, "soft", anchor="middle")


def _finding(study: OrderStudy) -> str:
    quantiles = study.quantiles
    tried = plural(len(study.outcomes.n_mistakes), "random order")
    return (
        f"{tried}{_until(study)}: half make {count(quantiles[0.5])} mistakes or "
        f"fewer, nine in ten between {count(quantiles[0.05])} and {count(quantiles[0.95])}; the order of the source "
        f"makes {count(study.given.n_mistakes)}."
    )


def _until(study: OrderStudy) -> str:
    """Return the passes that the counts are of, "" where the runs went on until convergence."""
    limit = study.settings.max_epochs
    return "" if limit is None else f" in {plural(limit, 'pass', 'passes')}"
