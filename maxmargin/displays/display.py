"""Base class of the displays: draws on given or new axes and stores them in `ax_` and `figure_`."""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxmargin.displays import drawing
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.theory.mistake_traces import MistakeTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Display:
    """Base class of the displays: draws on given or new axes, any number of times, and stores the last ones.

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
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw a legend above the axes and below their title. If the figure has no layout such as
            "constrained", which makes room, the axes become lower by the height of the legend.

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
        self.ax_ = new_axes() if ax is None else checked(ax)
        self.figure_ = self.ax_.figure
        with np.errstate(over="ignore"):
            self._draw(self.ax_)
            if legend:
                drawing.add_legend(self.ax_)
        return self

    @abstractmethod
    def _draw(self, ax: "Axes") -> None:
        """Draw everything but the legend."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def check_kind(result: object, kind: type, verb: str) -> None:
    """Raise unless the result has the type that the verb returns.

    Raises
    ------
    InvalidOptionError
    """
    if not isinstance(result, kind):
        raise InvalidOptionError(f"result is a {type(result).__name__}; expected what {verb} returns")


def run_of(result: object) -> PerceptronRun:
    """Return a run, or the run of a trace.

    Raises
    ------
    InvalidOptionError
        If the result is of another kind.
    """
    run = result.run if isinstance(result, MistakeTrace) else result
    if not isinstance(run, PerceptronRun):
        raise InvalidOptionError(f"result is a {type(run).__name__}; expected a PerceptronRun or a MistakeTrace")
    return run


def new_axes() -> "Axes":
    """Return the axes of a new figure that makes room for a legend above them."""
    from matplotlib import pyplot as plt

    return plt.subplots(layout="constrained")[1]


def checked(ax: Any) -> "Axes":
    """Return the argument if it is an Axes of x and y.

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
    """Raise unless `legend` is True or False.

    Raises
    ------
    InvalidOptionError
    """
    if not isinstance(legend, bool | np.bool_):
        raise InvalidOptionError(f"legend is {legend!r}; expected True or False")
