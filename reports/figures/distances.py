"""How far the rows lie from a hyperplane."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxmargin.reports.figures.style import INK, MAXIMUM, NEGATIVE, POSITIVE, whole_numbers
from maxmargin.reports.formats import number, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.measures import Plane
    from maxmargin.reports.study import Study

_MOST_BINS = 48
_FEWEST_BINS = 12
_MOST_TICKS = 200
"""Up to so many rows each row is marked."""


def plot_distances(study: "Study", plane: "Plane", ax: "Axes") -> "Axes":
    """Draw the distribution of y(w.x + b)/||w|| over the rows, with 0 and the maximum margin marked."""
    values = plane.distances(study.problem)
    positive = study.problem.y > 0
    low, high = min(float(values.min()), 0.0), max(float(values.max()), study.hard.lower)
    n_bins = int(np.clip(np.sqrt(len(values)) * 2, _FEWEST_BINS, _MOST_BINS))
    edges = _edges(low, high, (high - low) / n_bins or 1.0, study.hard.lower)
    heights, _, _ = ax.hist(
        [values[positive], values[~positive]], bins=edges.tolist(), stacked=True, color=[POSITIVE, NEGATIVE],
        label=["+1", "−1"], linewidth=0,
    )  # fmt: skip
    top = float(np.max(heights))
    if len(values) <= _MOST_TICKS:
        for chosen, colour in ((positive, POSITIVE), (~positive, NEGATIVE)):
            ax.plot(values[chosen], np.full(chosen.sum(), -0.05 * top), "|", color=colour, markersize=6)
    ax.axvline(0, color=INK, linewidth=1)
    if study.maximum is not None:
        ax.axvline(study.hard.lower, color=MAXIMUM, linestyle=(0, (4, 2)), label="γ*")
    ax.set_ylim(-0.1 * top if len(values) <= _MOST_TICKS else 0, 1.06 * top)
    whole_numbers(ax.yaxis)
    ax.set_ylabel("rows")
    ax.set_title(f"{plane.name}: least {number(float(values.min()), 4)}")
    return ax


def _edges(low: float, high: float, width: float, margin: float) -> NDArray[np.float64]:
    """Return bin edges of about this width, 0 and the margin among them: no bin mixes rows on both sides of either."""
    if margin > width:
        width = margin / int(margin / width)
    first, last = int(np.floor(low / width)), int(np.ceil(high / width))
    return np.arange(first, last + 1, dtype=np.float64) * width


def alt_distances(study: "Study", planes: "list[Plane]") -> str:
    """Return what the figure shows."""
    parts = []
    for plane in planes:
        values = plane.distances(study.problem)
        n_wrong = int((values <= 0).sum())
        parts.append(
            f"{plane.name}: from {number(float(values.min()))} to {number(float(values.max()))}, median "
            f"{number(float(np.median(values)))}, {plural(n_wrong, 'row')} at or below 0"
        )
    return f"Histograms of the geometric margins of the rows. {'; '.join(parts)}."
