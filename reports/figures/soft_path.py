"""The soft margin over C."""

from typing import TYPE_CHECKING

from maxmargin.reports.figures import style
from maxmargin.reports.number_formats import number, plural
from maxmargin.reports.study.measures import norm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study.study import Study


def plot_soft_widths(study: "Study", ax: "Axes") -> "Axes":
    """Draw the margin width 1/||w|| over C, with the maximum margin as its limit."""
    points = [(point.solution.C, 1 / norm(point.w)) for point in study.soft if point.plane is not None]
    limit = [study.hard.lower] if study.maximum is not None else []
    style.log_scale(ax, "x")
    widths = [width for _, width in points] + limit
    if widths and style.is_far_apart(min(widths), max(widths)):
        style.log_scale(ax, "y", span=max(widths) / min(widths))
    else:
        ax.set_ylim(0, 1.08 * max(widths, default=0.0) or 1.0)
    if not points:
        ax.text(0.5, 0.5, "w = 0 at every C: no margin to show", transform=ax.transAxes, ha="center", va="center")
    else:
        ax.plot(*zip(*points, strict=True), color=style.POSITIVE, marker="o", markersize=4, label="soft margin 1/‖w‖")
    for value in limit:
        ax.axhline(value, color=style.MAXIMUM, linestyle=(0, (4, 2)), label=f"γ* = {number(value)}", zorder=1)
    ax.set_ylabel("margin width")
    style.finish(ax)
    return ax


def plot_soft_counts(study: "Study", ax: "Axes") -> "Axes":
    """Draw errors, rows with slack and support rows over C."""
    Cs = [point.solution.C for point in study.soft]
    curves = (
        ("support rows", [p.n_support for p in study.soft], style.BOUND, "s"),
        ("rows with slack", [p.n_slack for p in study.soft], style.POSITIVE, "o"),
        ("errors", [p.n_errors for p in study.soft], style.PERCEPTRON, "^"),
    )
    style.log_scale(ax, "x")
    for label, values, colour, marker in curves:
        ax.plot(Cs, values, color=colour, marker=marker, markersize=4, label=label)
    ax.set_ylim(0, 1.08 * max(max(values) for _, values, _, _ in curves) or 1)
    style.whole_numbers(ax.yaxis)
    ax.set_xlabel("C")
    ax.set_ylabel("rows")
    style.finish(ax)
    return ax


def alt_soft_path(study: "Study") -> str:
    """Return what the figure shows."""
    first, last = study.soft[0], study.soft[-1]
    return (
        f"Two panels over C from {number(first.solution.C)} to {number(last.solution.C)}. The margin width goes from "
        f"{_width_text(study, 0)} to {_width_text(study, -1)}; the errors from {plural(first.n_errors, 'row')} to "
        f"{plural(last.n_errors, 'row')}; the support rows from {first.n_support} to {last.n_support}."
    )


def _width_text(study: "Study", position: int) -> str:
    plane = study.soft[position].plane
    return "infinity" if plane is None else number(1 / norm(plane.w))
