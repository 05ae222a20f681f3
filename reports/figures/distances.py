"""How far the rows lie from a hyperplane."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxmargin.reports.figures import style
from maxmargin.reports.figures.canvas import WIDTH, Picture
from maxmargin.reports.number_formats import number, plural
from maxmargin.reports.study.measures import distances_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from maxmargin.reports.study.measures import Plane
    from maxmargin.reports.study.study import Study

_OVERLAP = 0.2
"""Ratio of two ranges of distances below which they do not share an axis."""

_MOST_BINS = 48
_FEWEST_BINS = 12
_MOST_TICKS = 200
"""Largest number of rows for which each row is marked."""


def distances(study: "Study") -> Picture | None:
    """Return the figure of the distances of the rows from both hyperplanes; None where there is neither."""
    planes = study.planes
    if not planes:
        return None

    def draw(figure: "Figure") -> None:
        reaches = [distances_of(study.problem, plane).reach for plane in planes]
        axes = figure.subplots(len(planes), 1, sharex=min(reaches) > _OVERLAP * max(reaches), squeeze=False)[:, 0]
        for ax, plane in zip(axes, planes, strict=True):
            plot_distances(study, plane, ax)
        axes[0].legend(loc="upper right")
        axes[-1].set_xlabel("geometric margin y(w·x + b)/‖w‖")

    return Picture(
        key="distances",
        title="Distances of the rows from each hyperplane",
        caption="How far the rows lie from each hyperplane, positive on their own side.",
        alt=f"Histograms of the geometric margins of the rows. {'; '.join(_alt(study, plane) for plane in planes)}.",
        size=(WIDTH, 2.3 * len(planes) + 0.5),
        draw=draw,
    )


def _alt(study: "Study", plane: "Plane") -> str:
    found = distances_of(study.problem, plane)
    median = "" if found.median is None else f" median {number(found.median)},"
    return (
        f"{plane.name}: from {number(found.least)} to {number(found.greatest)},{median} "
        f"{plural(found.n_wrong, 'row')} at or below 0"
    )


def plot_distances(study: "Study", plane: "Plane", ax: "Axes") -> "Axes":
    """Draw the distribution of y(w.x + b)/||w|| over the rows, with 0 and the maximum margin marked."""
    found = distances_of(study.problem, plane)
    low, high = min(found.least, 0.0), max(found.greatest, study.hard.lower)
    n_bins = int(np.clip(np.sqrt(study.problem.n_samples) * 2, _FEWEST_BINS, _MOST_BINS))
    edges = _edges(low, high, (high - low) / n_bins or 1.0, study.hard.lower)
    points, weights = found.points(edges)
    heights, _, _ = ax.hist(
        points, bins=edges.tolist(), weights=weights, stacked=True, color=[style.POSITIVE, style.NEGATIVE],
        label=["+1", "−1"], linewidth=0,
    )  # fmt: skip
    top = float(np.max(heights))
    is_ticked = weights is None and study.problem.n_samples <= _MOST_TICKS
    if is_ticked:
        for values, colour in zip(points, (style.POSITIVE, style.NEGATIVE), strict=True):
            ax.plot(values, np.full(len(values), -0.05 * top), "|", color=colour, markersize=6)
    ax.axvline(0, color=style.INK, linewidth=1)
    if study.maximum is not None:
        ax.axvline(study.hard.lower, color=style.MAXIMUM, linestyle=(0, (4, 2)), label="γ*")
    ax.set_ylim(-0.1 * top if is_ticked else 0, 1.06 * top)
    style.whole_numbers(ax.yaxis)
    ax.set_ylabel("rows")
    ax.set_title(f"{plane.name}: least {number(found.least, 4)}")
    return ax


def _edges(low: float, high: float, width: float, margin: float) -> NDArray[np.float64]:
    """Return bin edges of about this width, 0 and the margin among them: no bin mixes rows on both sides of either."""
    if margin > width:
        width = margin / int(margin / width)
    first, last = int(np.floor(low / width)), int(np.ceil(high / width))
    return np.arange(first, last + 1, dtype=np.float64) * width
