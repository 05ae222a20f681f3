"""The mistakes of the run over its epochs, and of many orders of the rows, against the bounds."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.mistake_bounds_display import MistakeBoundsDisplay
from maxmargin.displays.order_study_display import FAINT, OrderStudyDisplay, drawn_bounds, marks_of
from maxmargin.reports.figures import canvas
from maxmargin.text.number_formats import count, number, percent, plural, upper_end
from maxmargin.theory.order_studies import OrderStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from maxmargin.reports.study.two_class_study import TwoClassStudy as Study


def mistakes(study: "Study") -> canvas.Picture:
    """Return the figure of the mistakes of the run over its epochs."""
    bounds = _named(_holding(study))
    against = f"the bounds that hold are {bounds}" if bounds else "no bound holds"
    return canvas.Picture(
        key="mistakes",
        title="Mistakes over epochs, against the bounds",
        caption="Mistakes made by the end of each epoch, and the bounds that hold for this run. Bounds whose "
        "assumption is not proven, or that are not below the number of presentations, are left out; if none remains, "
        "the smallest one that holds is drawn.",
        alt=f"Line of the mistakes made so far over the epochs: it rises to {plural(study.run.n_mistakes, 'mistake')} "
        f"after {plural(study.run.n_epochs, 'epoch')}; {against}.",
        draw=canvas.stacked([plot_mistakes], study),
    )


def _named(bounds: dict[str, float]) -> str:
    return ", ".join(f"{name} {upper_end(value)}" for name, value in bounds.items())


def plot_mistakes(study: "Study", ax: "Axes") -> "Axes":
    """Draw the cumulative mistakes, and each bound that holds as a line with its name and value."""
    total = np.cumsum(study.run.mistakes_per_epoch)
    display = MistakeBoundsDisplay(mistakes=total, n_mistakes=study.run.n_mistakes, bounds=_holding(study))
    return display.plot(ax).ax_


def _holding(study: "Study") -> dict[str, float]:
    """Return the bounds whose assumption holds, by name, in increasing order.

    Bounds of at least the number of presentations are left out, except for the smallest one if there are no others.
    """
    found = [bound for bound in study.bounds if bound.valid and np.isfinite(bound.value)]
    ordered = sorted(found, key=lambda bound: bound.value)
    shown = [bound for bound in ordered if bound.value < study.run.n_presentations] or ordered[:1]
    return {bound.name: bound.value for bound in shown}


def orders(study: "Study") -> canvas.Picture | None:
    """Return the figure of the mistakes of random orders; None where none were run."""
    found = study.orders
    if found is None:
        return None

    def draw(figure: "Figure") -> None:
        if not shows_margins(found):
            plot_orders(found, figure.add_subplot())
        else:
            left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1))
            plot_orders(found, left)
            plot_order_margins(found, right)
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)

    margins = " Right: the margin that each order achieved; the line is γ*." if shows_margins(found) else ""
    return canvas.Picture(
        key="orders",
        title="Mistakes over random orders of the rows",
        caption="Distribution of the mistakes over random orders, and the bounds that hold for any order. An "
        "adversary may choose, and repeat, any row at any time. Bounds that are vacuous or far away are left out; "
        f"if none remains, the smallest one is drawn.{margins}",
        alt=_orders_alt(found),
        height=4.4,
        draw=draw,
    )


def _orders_alt(study: OrderStudy) -> str:
    quantiles, outcomes = study.quantiles, study.outcomes
    bounds = _named(drawn_bounds(study))
    marks = "; ".join(marks_of(study))
    limit = study.settings.max_epochs
    until = "until convergence" if limit is None else f"in {plural(limit, 'pass', 'passes')}"
    text = (
        f"Histogram of the mistakes of {plural(len(outcomes.n_mistakes), 'random order')} {until}: from "
        f"{count(quantiles[0.0])} to {count(quantiles[1.0])}, half of them at most {count(quantiles[0.5])}. {marks}. "
        f"{f'Bounds that hold for any order: {bounds}' if bounds else 'No bound is drawn'}."
    )
    if not shows_margins(study):
        return text
    low, high = (percent(float(value) / study.hard.lower) for value in (outcomes.margin.min(), outcomes.margin.max()))
    return f"{text} Beside it, the achieved margins, from {low} to {high} of the maximum margin."


def plot_orders(study: OrderStudy, ax: "Axes") -> "Axes":
    """Draw how many random orders made how many mistakes, the orders found by search, and the bounds as lines."""
    return OrderStudyDisplay(study=study, bounds=drawn_bounds(study)).plot(ax, legend=False).ax_


def plot_order_margins(study: OrderStudy, ax: "Axes") -> "Axes":
    """Draw the margin that every random order achieved against its mistakes, and the maximum margin."""
    runs = study.outcomes
    ax.plot(runs.margin, runs.n_mistakes, "o", color=drawing.PERCEPTRON, markersize=2, alpha=FAINT)
    ax.axvline(study.hard.lower, color=drawing.MAXIMUM)
    ax.set(xlim=(0, 1.08 * study.hard.lower), xlabel=f"achieved margin; γ* = {number(study.hard.lower, 3)}")
    ax.locator_params("x", nbins=4)
    drawing.plain_numbers(ax.xaxis)
    drawing.thin_grid(ax)
    return ax


def shows_margins(study: OrderStudy) -> bool:
    """Return whether every random order ended on a hyperplane, whose margin can be compared with the maximum."""
    runs = study.outcomes
    return bool(runs.converged.all() and np.isfinite(runs.margin).all()) and study.hard.lower > 0
