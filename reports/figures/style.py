"""Colours, marks and scales that the figures share (Okabe and Ito 2008: told apart by colour-blind readers)."""

import math
from typing import TYPE_CHECKING

import numpy as np

from maxmargin.reports.number_formats import number, power_of_ten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

INK = "#17191c"
"""Text and axes; a page replaces it by its own text colour."""

POSITIVE = "#0072b2"
NEGATIVE = "#e69f00"
MAXIMUM = "#009e73"
PERCEPTRON = "#d55e00"
BOUND = "#cc79a7"

COLOURS = {
    INK: "ink",
    POSITIVE: "positive",
    NEGATIVE: "negative",
    MAXIMUM: "maximum",
    PERCEPTRON: "perceptron",
    BOUND: "bound",
}
"""The role of every colour."""

MOST_MARKED = 30
"""Largest number of points for which the points of a curve are marked."""

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.unicode_minus": True,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "legend.borderaxespad": 0.0,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "figure.constrained_layout.h_pad": 0.06,
    "figure.constrained_layout.w_pad": 0.06,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "path.simplify": True,
}
"""Matplotlib settings under which pictures are drawn and saved; never set globally."""

_FAR_APART = 12.0
"""Ratio above which two numbers need a logarithmic scale."""

_NARROW = 200.0
"""Ratio of the ends of a logarithmic axis below which powers of ten alone would be too few ticks."""

_LEGEND_CHARACTERS, _HANDLE_CHARACTERS = 84, 6
"""Characters of a legend that fit above the axes, and characters that the mark of one entry takes."""


def legend_above(ax: "Axes") -> None:
    """Put the legend above the axes, in as many columns as fit."""
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    n_columns = max(1, min(len(labels), _LEGEND_CHARACTERS // (max(map(len, labels)) + _HANDLE_CHARACTERS)))
    ax.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.02), ncols=n_columns)


def finish(ax: "Axes") -> None:
    """Draw the grid, and the legend above the axes."""
    thin_grid(ax)
    legend_above(ax)


def thin_grid(ax: "Axes") -> None:
    """Draw faint horizontal and vertical lines behind the data."""
    ax.grid(visible=True, color=INK, alpha=0.1, linewidth=0.6)
    ax.set_axisbelow(True)


def log_scale(ax: "Axes", direction: str, *, span: float = math.inf) -> None:
    """Make the x or the y axis logarithmic, its numbers written without markup.

    `span` is the ratio of the ends of the axis: where there are few powers of ten between them, 2 and 5 times these
    are written as well.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    ax.set(**{f"{direction}scale": "log"})
    axis = ax.xaxis if direction == "x" else ax.yaxis
    factors = (1.0,) if span > _NARROW else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=factors, numticks=9))
    axis.set_major_formatter(FuncFormatter(lambda value, _: decade(value) if len(factors) == 1 else number(value, 2)))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def whole_numbers(axis: "Axis") -> None:
    """Put the ticks of a linear axis on whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator("auto", integer=True))


def plain_numbers(axis: "Axis") -> None:
    """Write the numbers of a linear axis as the page writes them, with no common factor."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def decade(value: float) -> str:
    """Return a power of ten as the text of a tick."""
    if value <= 0 or math.isinf(value):
        return ""
    exponent = round(float(np.log10(value)))
    return number(10.0**exponent) if -3 <= exponent <= 5 else power_of_ten(exponent)


def is_far_apart(smallest: float, largest: float) -> bool:
    """Return whether a logarithmic scale is needed to see both."""
    return smallest > 0 and largest / smallest > _FAR_APART


def thinned(n: int, most: int) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return at most ``most`` of the positions 0..n-1, evenly spaced, the first and the last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))
