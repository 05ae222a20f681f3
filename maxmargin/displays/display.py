"""What all displays share: they are drawn on given or on new axes, and keep these."""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxmargin.displays import drawing
from maxmargin.solvers.errors import InvalidOptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Display:
    """A picture of a result, which can be drawn on several axes, one after the other.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes on which it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.
    """

    ax_: "Axes" = field(init=False)
    figure_: "Figure | SubFigure" = field(init=False)

    def plot(self, ax: "Axes | None" = None, *, legend: bool = True) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw a legend. If the figure has a layout such as "constrained", it stands above the axes. In
            other figures it stands within the axes where it covers nothing, or else above them, and they become lower
            by its height. A title of the axes is above it.

        Returns
        -------
        Self
            The display, whose attributes that end in ``_`` hold what was drawn.

        Raises
        ------
        InvalidOptionError
            If `ax` is not an Axes of x and y, or `legend` is neither True nor False.
        """
        check_legend(legend)
        self._begin(ax)
        with np.errstate(over="ignore"):
            self._draw(self.ax_)
            if legend:
                drawing.add_legend(self.ax_)
        return self

    def _begin(self, ax: "Axes | None") -> None:
        self.ax_ = new_axes() if ax is None else checked(ax)
        self.figure_ = self.ax_.figure

    @abstractmethod
    def _draw(self, ax: "Axes") -> None:
        """Draw everything but the legend."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def check_kind(result: object, kind: type, verb: str) -> None:
    """Raise unless a result is of the kind that a verb returns.

    Raises
    ------
    InvalidOptionError
    """
    if not isinstance(result, kind):
        raise InvalidOptionError(f"result is a {type(result).__name__}; expected what {verb} returns")


def new_axes() -> "Axes":
    """Return the axes of a new figure that makes room for a legend above them."""
    from matplotlib import pyplot as plt

    return plt.subplots(layout="constrained")[1]


def checked(ax: Any) -> "Axes":
    """Return what is given if it is an Axes of two straight axes.

    Raises
    ------
    InvalidOptionError
    """
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise InvalidOptionError(f"ax is a {type(ax).__name__}; expected the Axes of matplotlib to draw on, or None")
    if ax.name != "rectilinear":
        raise InvalidOptionError(
            f"ax has the projection {ax.name!r}; expected Axes of x and y, made without projection="
        )
    return ax


def check_legend(legend: object) -> None:
    """Raise unless this says whether to draw a legend.

    Raises
    ------
    InvalidOptionError
    """
    if not isinstance(legend, bool | np.bool_):
        raise InvalidOptionError(f"legend is {legend!r}; expected True or False")
