"""The geometric margins of all rows under a hyperplane, as a histogram."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.plane_view import faint
from maxmargin.displays.rows_display import PlaneDisplay
from maxmargin.displays.shown_planes import DisplayedRows, ShownPlane, check_is_drawn, class_names
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.text.number_formats import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

_FEWEST_BINS, _MOST_BINS = 12, 48

# Largest number of rows for which each row is marked.
_MOST_TICKS = 200

# Distance of two edges, as a fraction of the width of a bar, below which they are one.
_ALIKE = 1e-6


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class MarginDistributionDisplay(PlaneDisplay):
    """How many rows have which geometric margin y(w.x + b)/||w||: positive for rows on their own side.

    Zero and the ends of the band are ends of bars, so that no bar holds rows on both sides of them: if it is proven
    that no row lies inside the band, no bar stands there. Make it with `from_result` or `from_estimator`.

    Attributes
    ----------
    margins : tuple of ndarray
        The geometric margins of the rows of the classes +1 and -1, or the middles of the bars if there are `counts`.
    counts : list of ndarray or None
        The numbers of rows of these classes in every bar, if the rows are outside memory.
    edges : ndarray
        The ends of the bars.
    name : str
        The name of the hyperplane.
    classes : tuple of str
        The names of the classes +1 and -1 in the legend.
    half_width : float or None
        The distance from the hyperplane to the ends of its band; None if there is no band.
    maximum : float or None
        The maximum margin, which is drawn as a line; None if there is no line.
    bars_ : tuple of BarContainer
        The bars of the classes +1 and -1, the latter on top of the former.
    band_ : Rectangle or None
        The band.
    maximum_ : Line2D or None
        The line at the maximum margin.
    ax_ : matplotlib Axes
        The axes on which it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    HyperplaneDisplay : Draw the rows themselves, if they have one or two columns.
    maxmargin.judge : Compute the margin of a hyperplane exactly.

    Examples
    --------
    >>> import maxmargin as mm
    >>> from matplotlib.figure import Figure
    >>> data, ax = mm.load("iris", positive="setosa"), Figure().add_subplot()
    >>> best = mm.hard_margin(data.X, data.y)
    >>> display = mm.displays.MarginDistributionDisplay.from_result(best, data.X, data.y, ax=ax)
    >>> int(sum(bar.get_height() for bars in display.bars_ for bar in bars))
    150
    """

    margins: tuple[Floats, Floats]
    counts: list[Floats] | None = None
    edges: Floats
    name: str
    classes: tuple[str, str] = ("+1", "−1")
    half_width: float | None = None
    maximum: float | None = None
    bars_: "tuple[BarContainer, ...]" = field(init=False)
    band_: "Rectangle | None" = field(init=False)
    maximum_: "Line2D | None" = field(init=False)

    @classmethod
    def _of_plane(cls, shown: ShownPlane, displayed: DisplayedRows) -> Self:
        if shown.plane is None:
            raise InvalidProblemError("the result has no hyperplane; expected one with w other than None and 0")
        problem = displayed.problem
        values = shown.plane.distances(problem)
        if shown.is_proven:  # rounding may move a row that is on the end of the band, or on the hyperplane
            values = np.maximum(values, shown.half_width or 0.0)
        least, greatest = float(values.min()), float(values.max())
        check_is_drawn(max(-least, greatest), "the rows have geometric margins of")
        negative, positive = class_names(displayed.dataset)
        return cls(
            margins=(values[problem.y > 0], values[problem.y < 0]),
            edges=edges_of(least, greatest, problem.n_samples, shown.half_width or 0.0),
            name=shown.plane.name,
            classes=(positive, negative),
            half_width=shown.half_width,
        )

    def _draw(self, ax: "Axes") -> None:
        colours = [drawing.colour_on(ax, colour) for colour in (drawing.POSITIVE, drawing.NEGATIVE)]
        maximum = drawing.colour_on(ax, drawing.MAXIMUM)
        self.band_ = self.maximum_ = None
        if self.half_width is not None:
            label = f"{self.name}, band ±{rounded(self.half_width, 4)}"
            self.band_ = ax.axvspan(
                -self.half_width, self.half_width, color=maximum, alpha=faint(ax), linewidth=0, zorder=0, label=label
            )
        heights, _, bars = ax.hist(
            [*self.margins], bins=self.edges.tolist(), weights=self.counts, stacked=True, color=colours,
            label=[*self.classes], linewidth=0,
        )  # fmt: skip
        self.bars_ = tuple(bars)  # type: ignore[arg-type]  # two data sets make a list of two containers
        top = float(np.max(heights))
        is_ticked = self.counts is None and sum(map(len, self.margins)) <= _MOST_TICKS
        if is_ticked:
            for values, colour in zip(self.margins, colours, strict=True):
                ax.plot(values, np.full(len(values), -0.05 * top), "|", color=colour, markersize=6)
        ax.axvline(0, color=drawing.ink(ax), linewidth=1)
        if self.maximum is not None:
            self.maximum_ = ax.axvline(self.maximum, color=maximum, linestyle=(0, (4, 2)), label="maximum margin γ*")
        ax.set_ylim(-0.1 * top if is_ticked else 0, 1.06 * top)
        drawing.whole_numbers(ax.yaxis)
        ax.set(xlabel="geometric margin (negative on the wrong side)", ylabel="rows")


def edges_of(least: float, greatest: float, n_rows: int, margin: float) -> Floats:
    """Return the ends of the bars: 0 and the margin are among them, and minus the margin where there are such rows.

    Parameters
    ----------
    least, greatest : float
        The extremes of what is counted.
    n_rows : int
        Number of rows.
    margin : float
        At least 0.
    """
    low, high = min(least, 0.0), max(greatest, margin)
    n_bins = int(np.clip(np.sqrt(n_rows) * 2, _FEWEST_BINS, _MOST_BINS))
    width = (high - low) / n_bins or 1.0
    if margin > width:
        width = margin / np.ceil(margin / width)
    first, last = int(np.floor(low / width)), int(np.ceil(high / width))
    edges = np.arange(first, last + 1, dtype=np.float64) * width
    marks = np.array([mark for mark in (-margin, margin) if mark and low <= mark <= high])
    if marks.size:  # in place of the edges that are equal to them but for rounding
        distances = np.abs(edges[:, np.newaxis] - marks).min(axis=1)
        edges = np.union1d(edges[(distances > _ALIKE * width) | (edges == 0)], marks)
    if high == margin:  # a row at the margin is counted beyond it
        edges = np.append(edges[edges <= margin], margin + width)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges
