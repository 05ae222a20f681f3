"""The soft margin over C."""

from typing import TYPE_CHECKING

from maxmargin.reports.figures.style import BOUND, MAXIMUM, PERCEPTRON, POSITIVE, log_scale, thin_grid
from maxmargin.reports.formats import number, plural
from maxmargin.reports.summary import SLACK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study import Study


def plot_soft_widths(study: "Study", ax: "Axes") -> "Axes":
    """Draw the margin width 1/||w|| over C, with the maximum margin as its limit."""
    points = [(p.solution.C, 1 / _norm(study, i)) for i, p in enumerate(study.soft) if p.plane is not None]
    log_scale(ax, "x")
    log_scale(ax, "y")
    if points:
        ax.plot(*zip(*points, strict=True), color=POSITIVE, marker="o", markersize=4, label="soft margin 1/‖w‖")
    if study.maximum is not None:
        ax.axhline(study.hard.lower, color=MAXIMUM, linestyle=(0, (4, 2)), label="maximum margin γ*", zorder=1)
    ax.set_ylabel("margin width")
    ax.legend(loc="upper right")
    thin_grid(ax)
    return ax


def plot_soft_counts(study: "Study", ax: "Axes") -> "Axes":
    """Draw errors, rows with slack and support rows over C."""
    Cs = [point.solution.C for point in study.soft]
    curves = (
        ("support rows", [len(p.solution.support) for p in study.soft], BOUND, "s"),
        ("rows with slack", [int((p.solution.slack > SLACK).sum()) for p in study.soft], POSITIVE, "o"),
        ("errors", [p.n_errors for p in study.soft], PERCEPTRON, "^"),
    )
    log_scale(ax, "x")
    for label, values, colour, marker in curves:
        ax.plot(Cs, values, color=colour, marker=marker, markersize=4, label=label)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("C")
    ax.set_ylabel("rows")
    ax.legend(loc="upper right")
    thin_grid(ax)
    return ax


def alt_soft_path(study: "Study") -> str:
    """Return what the figure shows."""
    first, last = study.soft[0], study.soft[-1]
    return (
        f"Two panels over C from {number(first.solution.C)} to {number(last.solution.C)}. The margin width goes from "
        f"{_width_text(study, 0)} to {_width_text(study, -1)}; the errors from {plural(first.n_errors, 'row')} to "
        f"{plural(last.n_errors, 'row')}; the support rows from {len(first.solution.support)} to "
        f"{len(last.solution.support)}."
    )


def _width_text(study: "Study", position: int) -> str:
    return "infinity" if study.soft[position].plane is None else number(1 / _norm(study, position))


def _norm(study: "Study", position: int) -> float:
    from maxmargin.reports.measures import norm

    return norm(study.soft[position].solution.w)
