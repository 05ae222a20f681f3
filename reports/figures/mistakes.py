"""Mistakes over epochs, against the bounds."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.reports.figures import style
from maxmargin.reports.number_formats import plural, upper_end

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study.study import Study

_MOST_POINTS = 400
_MOST_TICKED = 10
"""Largest number of epochs for which each has a mark on the curve and a number on the axis."""

_HIGHEST = 1e300
"""Where the axis ends at the latest: scales near the end of binary64 overflow."""

_MOST_ON_A_LINE = 2

_LABEL_ROOM, _LABEL_SHARE = 0.06, 0.1
"""Shares of the height of the axes: what a label needs, and what is kept free above the highest line."""


def plot_mistakes(study: "Study", ax: "Axes") -> "Axes":
    """Draw the cumulative mistakes, and each bound that holds as a line with its name and value."""
    total = np.cumsum(study.run.mistakes_per_epoch)
    shown = _drawn_epochs(len(total))
    bounds = holding(study)
    top = max([float(total[-1]), *bounds.values()])
    scale_mistakes(ax, float(total[0]), top, shown=float(total[-1]))
    marker = "o" if len(total) <= style.MOST_MARKED else ""
    label = f"perceptron: {plural(study.run.n_mistakes, 'mistake')}"
    ax.plot(shown + 1, total[shown], color=style.PERCEPTRON, marker=marker, markersize=4, zorder=3, label=label)
    ax.set_xlim(0, 1.01 * len(total))
    if len(total) <= _MOST_TICKED:
        ax.set_xticks(range(len(total) + 1))
    else:
        style.plain_numbers(ax.xaxis)
    draw_bounds(ax, bounds, label="bounds that hold")
    ax.set_xlabel("epoch")
    ax.set_ylabel("mistakes so far")
    style.finish(ax)
    return ax


def scale_mistakes(ax: "Axes", least: float, top: float, *, shown: float) -> bool:
    """Scale the axis of mistakes up to the top; logarithmically, and return True, where `shown` is far below it.

    A logarithmic axis goes from below the least number to where the label of the top one fits.
    """
    if not style.is_far_apart(shown, top):
        ax.set_ylim(0, top * 1.08)
        style.plain_numbers(ax.yaxis)
        return False
    style.log_scale(ax, "y")
    bottom = max(0.7, least / 2)
    ax.set_ylim(bottom, min(top * (top / bottom) ** _LABEL_SHARE, _HIGHEST))
    return True


def draw_bounds(ax: "Axes", bounds: dict[str, float], *, label: str = "") -> None:
    """Draw every bound as a line with its name and value; the label stands for all of them in the legend."""
    for position, value in enumerate(bounds.values()):
        ax.axhline(value, color=style.BOUND, linewidth=1.4, zorder=2, label="" if position else label)
    _label_lines(ax, bounds)


def holding(study: "Study") -> dict[str, float]:
    """Return the bounds whose assumption holds, by name, from the least to the greatest.

    Those that are at least the number of presentations are left out, but for the least where all are.
    """
    found = [bound for bound in study.bounds if bound.valid and np.isfinite(bound.value)]
    ordered = sorted(found, key=lambda bound: bound.value)
    shown = [bound for bound in ordered if bound.value < study.n_presentations] or ordered[:1]
    return {bound.name: bound.value for bound in shown}


def alt_mistakes(study: "Study") -> str:
    """Return what the figure shows."""
    bounds = [f"{name} {upper_end(value)}" for name, value in holding(study).items()]
    against = f"the bounds that hold are {', '.join(bounds)}" if bounds else "no bound holds"
    return (
        f"Line of the mistakes made so far over the epochs: it rises to {plural(study.run.n_mistakes, 'mistake')} "
        f"after {plural(study.run.n_epochs, 'epoch')}; {against}."
    )


def _drawn_epochs(n: int) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return epochs to draw: the early ones densely, and evenly spaced ones."""
    early = np.geomspace(1, n, min(n, _MOST_POINTS)).astype(np.intp) - 1
    return np.union1d(early, style.thinned(n, _MOST_POINTS))


def _label_lines(ax: "Axes", bounds: dict[str, float]) -> None:
    """Write the names above the lines; lines too close for two labels share one."""
    to_axes = ax.transData + ax.transAxes.inverted()
    groups: list[list[str]] = []
    heights: list[float] = []
    for name, value in bounds.items():
        height = float(to_axes.transform((0, value))[1])
        if not heights or height - heights[-1] >= _LABEL_ROOM:
            groups.append([])
            heights.append(height)
        groups[-1].append(f"{name} {upper_end(value)}")
        heights[-1] = height
    for texts, height in zip(groups, heights, strict=True):
        ax.text(0.01, height + 0.01, _joined(texts), transform=ax.transAxes, va="bottom", fontsize=8.5)


def _joined(texts: list[str]) -> str:
    """Return the labels in one line, as many as fit."""
    shown = texts[:_MOST_ON_A_LINE]
    more = len(texts) - len(shown)
    return ",  ".join([*shown, f"and {more} more"] if more else shown)
