"""The margin achieved along the run, against the maximum margin."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.reports.figures.style import (
    BOUND,
    INK,
    MAXIMUM,
    PERCEPTRON,
    is_far_apart,
    legend_above,
    log_scale,
    thin_grid,
    whole_numbers,
)
from maxmargin.reports.formats import number, plural
from maxmargin.reports.trajectory import trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study import Study

_MOST_MARKED = 30
"""Up to so many checkpoints each has a mark of its own."""

_LEAST_THRESHOLD = 1e-300
"""Where the logarithmic scale begins at the least: scales near the end of binary64 underflow."""

_INVISIBLE = 0.02
"""Share of the range below which the maximum margin needs a logarithmic scale to be seen."""


def plot_margin_path(study: "Study", ax: "Axes") -> "Axes":
    """Draw the margin achieved, its upper bound from the mistakes so far, and the maximum margin."""
    path = trajectory(study)
    size = 3 if len(path.n_mistakes) <= _MOST_MARKED else 1.5
    label = "upper bound of γ* from the mistakes"
    ax.plot(path.n_mistakes, path.upper, color=BOUND, marker="o", markersize=size, label=label)
    if study.maximum is not None:
        ax.axhline(study.hard.lower, color=MAXIMUM, label=f"γ* = {number(study.hard.lower)}")
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.plot(path.n_mistakes, path.margin, color=PERCEPTRON, marker="o", markersize=size, label="achieved margin")
    if is_far_apart(1.0, float(path.n_mistakes[-1])):
        log_scale(ax, "x")
    else:
        whole_numbers(ax.xaxis)
    _scale_margins(ax, study, np.concatenate([path.margin, path.upper]))
    ax.set_xlabel("mistakes made so far")
    ax.set_ylabel("geometric margin")
    thin_grid(ax)
    legend_above(ax)
    return ax


def _scale_margins(ax: "Axes", study: "Study", values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
    """Use a scale that is logarithmic on both sides of 0 where the maximum margin would be too small to see."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if study.maximum is None or study.hard.lower > _INVISIBLE * largest:
        return
    from matplotlib.ticker import FuncFormatter, NullLocator, SymmetricalLogLocator

    exponent = int(np.floor(np.log10(study.hard.lower)))
    threshold = max(10.0**exponent, _LEAST_THRESHOLD)
    ax.set_yscale("symlog", linthresh=threshold, linscale=1.0)
    locator = SymmetricalLogLocator(base=10, linthresh=threshold)
    locator.set_params(numticks=9)
    ax.yaxis.set_major_locator(locator)
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def alt_margin_path(study: "Study") -> str:
    """Return what the figure shows."""
    run = study.run
    known = "" if study.maximum is None else f" The maximum margin is {number(study.hard.lower)}."
    upper = (
        "" if run.margin_upper is None else f" The upper bound from its mistakes ends at {number(run.margin_upper)}."
    )
    return (
        f"Line of the margin achieved over the mistakes: after {plural(run.n_mistakes, 'mistake')} it is "
        f"{number(run.margin)}.{upper}{known}"
    )
