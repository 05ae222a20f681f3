"""The colours of the reports, in which no class has the hue of a hyperplane; scales, grids and legends of the displays.

The axes of a caller may be light or dark. Texts and thin lines take the colour of the labels of the axes.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.text.number_formats import power_of_ten, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

POSITIVE = "#1f4e79"
NEGATIVE = "#71869c"
MAXIMUM = "#00664a"
PERCEPTRON = "#a84300"
BOUND = "#57606a"

# The colours for a dark background, on which the labels are light.
_ON_DARK = {POSITIVE: "#a9d1f7", NEGATIVE: "#6f89a3", MAXIMUM: "#4fd0a5", PERCEPTRON: "#ff9a5c", BOUND: "#a3abb3"}

# Smallest lightness of labels that count as light.
_LIGHT = 0.5

# Largest modulus of the data, and smallest one that is not 0, for which axes in their units are drawn.
LARGEST_DRAWN, SMALLEST_DRAWN = 1e150, 1e-150

# Largest number of points for which the points of a curve are marked.
MOST_MARKED = 30

# Ratio above which two numbers need a logarithmic scale.
_FAR_APART = 12.0

# Ratio of the ends of a logarithmic axis below which powers of ten alone would be too few ticks.
_NARROW = 200.0

# Number of characters of a legend above axes of the usual width, and width of the mark of an entry in characters.
_LEGEND_CHARACTERS, _HANDLE_CHARACTERS = 84, 6

# Name of the empty axes over the legend.
_SPACE = "space of a legend"

# Largest share of their height that axes give up for a legend, and room below it, as a fraction of the axes.
_MOST_TAKEN, _ROOM_BELOW = 0.6, 0.02

# Width of these axes in inches, and size of the characters in points.
_USUAL_WIDTH, _USUAL_SIZE = 5.58, 8.5


def ink(ax: "Axes") -> Any:
    """Return the colour of the labels of these axes, which is legible on their background."""
    return ax.xaxis.label.get_color()


def is_dark(ax: "Axes") -> bool:
    """Return whether the labels of these axes are light, so that the background is dark."""
    from matplotlib.colors import to_rgb

    return sum(to_rgb(ink(ax))) / 3 > _LIGHT


def colour_on(ax: "Axes", colour: str) -> Any:
    """Return the shade of one of the colours that is legible on the background of these axes; for "", their ink."""
    if not colour:
        return ink(ax)
    return _ON_DARK[colour] if is_dark(ax) else colour


def add_legend(ax: "Axes") -> None:
    """Put the legend above the axes and below their title, in as many columns as fit.

    Without a layout of their figure that makes room, the axes become lower by the height of the legend.
    """
    from matplotlib.transforms import ScaledTranslation

    for child in [child for child in ax.child_axes if child.get_gid() == _SPACE]:
        child.remove()
    if isinstance(ax.get_axes_locator(), _Lowered):
        ax.set_axes_locator(None)  # type: ignore[arg-type]  # None removes it
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    has_layout = ax.figure.get_layout_engine() is not None
    ax.apply_aspect()
    n_columns = max(1, min(len(labels), characters_along(ax) // (max(map(len, labels)) + _HANDLE_CHARACTERS)))
    legend = ax.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1 + _ROOM_BELOW), ncols=n_columns, frameon=False,
        borderaxespad=0.0, labelcolor=ink(ax),
    )  # fmt: skip
    plain_texts(*legend.get_texts())
    figure = ax.figure
    height = legend.get_window_extent().height / figure.dpi + _ROOM_BELOW * inches(ax)[1]
    if not has_layout and ax.get_axes_locator() is None and height < _MOST_TAKEN * inches(ax)[1]:
        lowered: Any = _Lowered(inches=height, subplotspec=ax.get_subplotspec())
        ax.set_axes_locator(lowered)
        ax.apply_aspect(lowered(ax, None))
    beyond = legend.get_window_extent().x1 - figure.bbox.x1
    if not has_layout and beyond > 0:
        legend.set_bbox_to_anchor((-beyond / ax.bbox.width, 1 + _ROOM_BELOW), ax.transAxes)
    to_pixels: Any = ax.transAxes
    from_the_top = figure.dpi_scale_trans + ScaledTranslation(0.0, 1.0, to_pixels)
    space = ax.inset_axes((0.0, 0.0, 1.0, height), transform=from_the_top)  # titles are put above the axes within axes
    space.set(gid=_SPACE, navigate=False)
    space.set_axis_off()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lowered:
    """Locator of axes that give up part of their height, in the protocol of matplotlib."""

    inches: float
    subplotspec: Any

    def get_subplotspec(self) -> Any:
        """Return the place in the grid of the figure, by which `tight_layout` knows the axes."""
        return self.subplotspec

    def __call__(self, ax: "Axes", renderer: object) -> "Bbox":
        place = ax.get_position(original=True)
        place.y1 -= self.inches / (ax.figure.bbox.height / ax.figure.dpi)
        return place


def characters_along(ax: "Axes", size: float | None = None) -> int:
    """Return about how many characters of this size, in points, fit along these axes; by default, of a legend."""
    if size is None:
        from matplotlib import rcParams
        from matplotlib.font_manager import FontProperties

        size = FontProperties(size=rcParams["legend.fontsize"]).get_size_in_points()
    return round(_LEGEND_CHARACTERS * inches(ax)[0] / _USUAL_WIDTH * _USUAL_SIZE / size)


def inches(ax: "Axes") -> tuple[float, float]:
    """Return the width and the height of these axes."""
    return ax.bbox.width / ax.figure.dpi, ax.bbox.height / ax.figure.dpi


def plain_texts(*texts: "Text") -> None:
    """Show names from the data as they are: a dollar sign begins no formula."""
    for text in texts:
        text.set_parse_math(False)


def finish(ax: "Axes") -> None:
    """Draw the grid and the legend."""
    thin_grid(ax)
    add_legend(ax)


def thin_grid(ax: "Axes") -> None:
    """Draw faint horizontal and vertical lines behind the data."""
    ax.grid(visible=True, color=ink(ax), alpha=0.1, linewidth=0.6)
    ax.set_axisbelow(True)


def log_scale(ax: "Axes", direction: str, *, span: float = math.inf) -> None:
    """Make the x or the y axis logarithmic, its numbers written without markup.

    `span` is the ratio of the ends of the axis: where there are few powers of ten between them for the length of the
    axis, 2 and 5 times these are written as well.
    """
    from matplotlib.ticker import LogLocator, NullLocator

    ax.set(**{f"{direction}scale": "log"})
    axis = ax.xaxis if direction == "x" else ax.yaxis
    length = inches(ax)[0] / _USUAL_WIDTH if direction == "x" else 1.0
    factors = (1.0,) if span > _NARROW ** min(1.0, length) else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=factors, numticks=9))
    axis.set_major_formatter(lambda value, _: decade(value) if len(factors) == 1 else rounded(value, 2))
    axis.set_minor_locator(NullLocator())


def whole_numbers(axis: "Axis") -> None:
    """Put the ticks of a linear axis on whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator("auto", integer=True))


def plain_numbers(axis: "Axis") -> None:
    """Write the numbers of a linear axis as the page writes them, with no common factor."""
    axis.set_major_formatter(lambda value, _: rounded(value))


def decade(value: float) -> str:
    """Return a power of ten as the text of a tick."""
    if value <= 0 or math.isinf(value):
        return ""
    exponent = round(float(np.log10(value)))
    return rounded(10.0**exponent) if -3 <= exponent <= 5 else power_of_ten(exponent)


def is_far_apart(smallest: float, largest: float) -> bool:
    """Return whether a logarithmic scale is needed to see both."""
    return smallest > 0 and largest / smallest > _FAR_APART


def thinned(n: int, most: int) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return up to ``most`` evenly spaced positions in 0..n-1, including the first and the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))
