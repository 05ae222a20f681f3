"""What the run proves of the maximum margin on its way: the margin achieved, and an upper bound from its mistakes."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxmargin.reports.figures import style
from maxmargin.reports.number_formats import number, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study.study import Study

Floats = NDArray[np.float64]

_LEAST_THRESHOLD = 1e-300
"""Where the logarithmic scale begins at the least: scales near the end of binary64 underflow."""

_ALIKE = 0.9
"""Ratio of the maximum margins of the two spaces above which one picture of both would tell the same."""

_INVISIBLE = 0.02
"""Share of the range below which the maximum margin needs a logarithmic scale to be seen."""


def plot_margin_path(study: "Study", ax: "Axes") -> "Axes":
    """Draw the margin achieved, its upper bound from the mistakes so far, and the maximum margin."""
    trace, best = study.trace, study.hard.lower if study.maximum is not None else None
    _plot_interval(ax, trace.n_mistakes, trace.margin, trace.margin_upper, best, "γ*")
    ax.set_ylabel("geometric margin")
    return ax


def plot_run_margin_path(study: "Study", ax: "Axes") -> "Axes":
    """Draw the same in the space of the run, where the upper bound is ||w||/M."""
    trace, best = study.trace, study.run_hard.lower if study.trace.u is not None else None
    _plot_interval(ax, trace.n_mistakes, trace.lower, trace.upper, best, "g", upper_label="‖w‖/M")
    ax.set_ylabel(f"margin of the rows (x, {number(study.scale)})")
    return ax


def _plot_interval(
    ax: "Axes",
    n_mistakes: NDArray[np.int64],
    lower: Floats,
    upper: Floats,
    best: float | None,
    symbol: str,
    upper_label: str = "upper bound of γ* from the mistakes",
) -> None:
    """Draw both ends over the mistakes, the interval that they have proven by then, and what they close on."""
    size = 3 if len(n_mistakes) <= style.MOST_MARKED else 1.5
    lower = np.where(np.isfinite(lower), lower, np.nan)
    _shade_proven(ax, n_mistakes, lower, upper)
    ax.plot(n_mistakes, upper, color=style.BOUND, marker="o", markersize=size, label=upper_label)
    if best is not None:
        ax.axhline(best, color=style.MAXIMUM, label=f"{symbol} = {number(best)}")
    ax.axhline(0, color=style.INK, linewidth=0.8)
    ax.plot(n_mistakes, lower, color=style.PERCEPTRON, marker="o", markersize=size, label="achieved margin")
    if style.is_far_apart(1.0, float(n_mistakes[-1])):
        style.log_scale(ax, "x")
    else:
        style.whole_numbers(ax.xaxis)
    _scale_margins(ax, best, np.concatenate([lower, upper]))
    style.finish(ax)


def _shade_proven(ax: "Axes", n_mistakes: NDArray[np.int64], lower: Floats, upper: Floats) -> None:
    """Shade from the greatest margin achieved so far, at least 0, to the least upper bound so far."""
    low = np.fmax.accumulate(np.fmax(lower, 0.0))
    high = np.fmin.accumulate(upper)
    ax.fill_between(n_mistakes, low, high, color=style.BOUND, alpha=0.14, linewidth=0, label="proven so far")


def _scale_margins(ax: "Axes", best: float | None, values: Floats) -> None:
    """Use a scale that is logarithmic on both sides of 0 where the maximum margin would be too small to see."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if best is None or best <= 0 or best > _INVISIBLE * largest:  # the least numbers may have a margin that rounds to 0
        return
    from matplotlib.ticker import FuncFormatter, NullLocator, SymmetricalLogLocator

    exponent = int(np.floor(np.log10(best)))
    threshold = max(10.0**exponent, _LEAST_THRESHOLD)
    ax.set_yscale("symlog", linthresh=threshold, linscale=1.0)
    locator = SymmetricalLogLocator(base=10, linthresh=threshold)
    locator.set_params(numticks=9)
    ax.yaxis.set_major_locator(locator)
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def shows_run_space(study: "Study") -> bool:
    """Return whether the maximum margin in the space of the run is so much less that it is drawn as well."""
    return study.trace.u is not None and study.run_hard.upper < _ALIKE * study.hard.lower


def margin_path_caption(study: "Study") -> str:
    """Return what is drawn."""
    text = (
        "The least geometric margin y(w·x + b)/‖w‖ over all rows after so many mistakes: below 0 a row is on the wrong "
        "side. The upper curve bounds γ* from above and needs nothing but the counts of the mistakes. Shaded: what "
        "both have proven of γ* by then."
    )
    if not shows_run_space(study):
        return text
    return (
        f"{text} Below, the same in the space (x, {number(study.scale)}) of the run, in which the bound is ‖w‖/M and "
        "closes on the maximum margin g there: another number than γ*."
    )


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
