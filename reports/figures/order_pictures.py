"""Mistakes over random orders of the rows, against the bounds, and the margins that these orders achieve."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.reports.figures import style
from maxmargin.reports.figures.mistakes import draw_bounds, scale_mistakes
from maxmargin.reports.number_formats import count, number, percent, plural, upper_end
from maxmargin.theory.order_studies import OrderStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_BARS = 30
_BAR = 0.8
"""Share of the room between two counts that a bar takes."""

_BEYOND = 1_000
"""Multiple of the most mistakes above which a bound is not drawn, unless it is the least one."""

_FAINT = 0.5
"""Opacity of the bars, and of the points of single orders."""


def plot_orders(study: OrderStudy, ax: "Axes") -> "Axes":
    """Draw how many random orders made how many mistakes, the orders found by search, and the bounds as lines."""
    bounds = drawn_bounds(study)
    top = max([float(study.most_seen), float(study.worst_case or 0), *bounds.values()])
    is_logarithmic = scale_mistakes(ax, float(study.fewest_seen), top, shown=float(study.quantiles[0.5]))
    edges = _edges(study, is_logarithmic=is_logarithmic)
    ax.hist(
        study.outcomes.n_mistakes,
        bins=edges,
        orientation="horizontal",
        color=style.POSITIVE,
        alpha=_FAINT,
        rwidth=_BAR,
    )
    for name, n_mistakes, colour, marker in _marks(study):
        ax.plot([0], [n_mistakes], color=colour, marker=marker, linestyle="", clip_on=False, zorder=4, label=name)
    draw_bounds(ax, bounds)
    style.whole_numbers(ax.xaxis)
    ax.set_xlabel("random orders")
    ax.set_ylabel("mistakes" if study.settings.max_epochs is None else _passes(study, "mistakes in"))
    style.thin_grid(ax)
    return ax


def plot_order_margins(study: OrderStudy, ax: "Axes") -> "Axes":
    """Draw the margin that every random order achieved against its mistakes, and the maximum margin."""
    runs = study.outcomes
    ax.plot(runs.margin, runs.n_mistakes, "o", color=style.PERCEPTRON, markersize=2, alpha=_FAINT)
    ax.axvline(study.hard.lower, color=style.MAXIMUM)
    ax.set_xlim(0, 1.08 * study.hard.lower)
    ax.set_xlabel(f"achieved margin; γ* = {number(study.hard.lower, 3)}")
    ax.locator_params("x", nbins=4)
    style.plain_numbers(ax.xaxis)
    style.thin_grid(ax)
    return ax


def shows_margins(study: OrderStudy) -> bool:
    """Return whether every random order ended on a hyperplane, whose margin can be compared with the maximum."""
    return (
        bool(study.outcomes.converged.all()) and study.hard.lower > 0 and bool(np.isfinite(study.outcomes.margin).all())
    )


def drawn_bounds(study: OrderStudy) -> dict[str, float]:
    """Return the bounds that are drawn, from the least: not vacuous, not far away; the least in any case."""
    found = sorted((bound for bound in study.bounds if np.isfinite(bound.value)), key=lambda bound: bound.value)
    near = [bound for bound in found if not bound.vacuous and bound.value <= _BEYOND * max(1, study.most_seen)]
    return {bound.name: bound.value for bound in near or found[:1]}


def _marks(study: OrderStudy) -> list[tuple[str, int, str, str]]:
    """Return what is marked: its name with the number, the number, colour and shape."""
    marks = [
        (f"order of the source: {count(study.given.n_mistakes)}", study.given.n_mistakes, style.INK, "o"),
        (f"fewest by search: {count(study.fewest.n_mistakes)}", study.fewest.n_mistakes, style.MAXIMUM, "v"),
        (f"most by search: {count(study.most.n_mistakes)}", study.most.n_mistakes, style.PERCEPTRON, "^"),
    ]
    sequence, worst = study.sequence, study.worst_case
    if sequence is not None:
        at_least = "" if sequence.is_complete else "≥ "
        marks.append((f"adversary: {at_least}{count(sequence.n_mistakes)}", sequence.n_mistakes, style.PERCEPTRON, "D"))
    if worst is not None:
        marks.append((f"worst of all, proven: {count(worst)}", worst, style.PERCEPTRON, "*"))
    return marks


def _edges(study: OrderStudy, *, is_logarithmic: bool) -> list[float]:
    """Return the ends of the bars, half way between whole numbers: around every count, or around as many each."""
    counts = study.outcomes.n_mistakes
    least, most = int(counts.min()), int(counts.max())
    if is_logarithmic and most - least >= _MOST_BARS:
        whole = np.unique(np.rint(np.geomspace(max(least, 1), most + 1, _MOST_BARS + 1)))
        return [float(value) - 0.5 for value in whole]
    width = -(-(most - least + 1) // _MOST_BARS)
    return [value - 0.5 for value in range(least, most + width + 1, width)]


def _passes(study: OrderStudy, what: str) -> str:
    n_passes = study.settings.max_epochs or 0
    return f"{what} {plural(n_passes, 'pass', 'passes')}"


def alt_orders(study: OrderStudy) -> str:
    """Return what the figure shows."""
    quantiles, outcomes = study.quantiles, study.outcomes
    bounds = [f"{name} {upper_end(value)}" for name, value in drawn_bounds(study).items()]
    marks = "; ".join(name for name, *_ in _marks(study))
    until = "until convergence" if study.settings.max_epochs is None else _passes(study, "in")
    text = (
        f"Histogram of the mistakes of {plural(len(outcomes.n_mistakes), 'random order')} {until}: from "
        f"{count(quantiles[0.0])} to {count(quantiles[1.0])}, half of them at most {count(quantiles[0.5])}. {marks}. "
        f"{'Bounds that hold for any order: ' + ', '.join(bounds) if bounds else 'No bound is drawn'}."
    )
    if not shows_margins(study):
        return text
    low, high = (percent(float(value) / study.hard.lower) for value in (outcomes.margin.min(), outcomes.margin.max()))
    return f"{text} Beside it the achieved margins, from {low} to {high} of the maximum margin."
