"""The hyperplanes of a perceptron's run, one after every mistake."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxmargin.api.measures import Plane, plane_of
from maxmargin.displays import drawing
from maxmargin.displays.display import Display, run_of
from maxmargin.displays.plane_view import PlaneView, circle_rows, draw_line, draw_rows, widen_to
from maxmargin.displays.shown_planes import DisplayedRows, plane_of_result
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.text.number_formats import plural
from maxmargin.theory.mistake_traces import MistakeTrace

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

_MOST_LINES = 100

# Largest number of lines that have numbers and arrows, and the length of an arrow in pixels.
_MOST_NUMBERED, _ARROW = 12, 22.0

# Distance from the middle of the rows, in multiples of their extent, up to which hyperplanes are in view.
_REACH = 1.5

# Opacity of the hyperplanes after the first mistake and before the last one.
_FAINTEST, _STRONGEST = 0.2, 0.85


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class PerceptronPathDisplay(Display):
    """The hyperplanes of a perceptron's run on rows of one or two columns, one after every mistake.

    Make it with `from_result`.

    Attributes
    ----------
    view : PlaneView
        The rows in two dimensions.
    planes : dict of int to Plane
        The hyperplanes by the number of mistakes after which the run had them, the last one included. There is none
        where w was 0.
    n_mistakes : int
        The mistakes of the run.
    mistaken : ndarray of int
        The rows on which mistakes were made.
    lines_ : dict of int to Line2D
        The lines of those hyperplanes that cross the axes, by the number of mistakes.
    line_ : Line2D or None
        The hyperplane on which the run ended; None if w is 0, or it does not cross the axes.
    rows_ : tuple of PathCollection
        The rows of the classes -1 and +1.
    mistaken_ : PathCollection or None
        The circles around the rows on which mistakes were made.
    ax_ : matplotlib Axes
        The axes on which it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    ProofCurvesDisplay : Draw the quantities of Novikoff's proof at the mistakes.
    maxmargin.perceptron : Run the perceptron.

    Examples
    --------
    >>> import maxmargin as mm
    >>> from matplotlib.figure import Figure
    >>> X, y = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]], [-1, 1, 1]
    >>> run, ax = mm.perceptron(X, y), Figure().add_subplot()
    >>> display = mm.displays.PerceptronPathDisplay.from_result(run, X, y, ax=ax)
    >>> run.n_mistakes, list(display.planes)
    (3, [2, 3])
    """

    view: PlaneView
    planes: dict[int, Plane]
    n_mistakes: int
    mistaken: Rows
    lines_: "dict[int, Line2D]" = field(init=False)
    line_: "Line2D | None" = field(init=False)
    rows_: "tuple[PathCollection, PathCollection]" = field(init=False)
    mistaken_: "PathCollection | None" = field(init=False)

    @classmethod
    def from_result(
        cls,
        result: PerceptronRun | MistakeTrace,
        X: Any,
        y: Any = None,
        *,
        positive: object = None,
        most_lines: int = _MOST_LINES,
        ax: "Axes | None" = None,
        legend: bool = True,
    ) -> Self:
        """Draw the path of a run.

        Parameters
        ----------
        result : PerceptronRun or MistakeTrace
            The run.
        X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
            The rows from which it was computed, of one or two columns.
        y : array_like of shape (n_samples,), or str, optional
            Their labels, the name of their column or a formula; None for a Dataset.
        positive : label, optional
            The label that is +1. By default it is the one of the result.
        most_lines : int, default 100
            Largest number of hyperplanes. Of a longer run the first ones are drawn, and then fewer and fewer, evenly
            spaced on a logarithmic scale.
        ax : matplotlib Axes, optional
            The axes to draw on. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw a legend.

        Returns
        -------
        PerceptronPathDisplay
            The display, drawn.

        Raises
        ------
        InvalidProblemError
            If there are more than two columns, the result is about other rows, or it does not list all its mistakes.
        InvalidOptionError
            If the result is of another kind, `most_lines` is not positive, or `ax` is not an Axes.
        """
        run = run_of(result)
        most_lines = whole_number("most_lines", most_lines)
        displayed = DisplayedRows.of_result(run, X, y, positive)
        view = displayed.view
        plane_of_result(run, displayed)
        planes = _path(run, displayed.problem, most_lines)
        mistaken = np.flatnonzero(run.mistake_counts)
        return cls(view=view, planes=planes, n_mistakes=run.n_mistakes, mistaken=mistaken).plot(ax, legend=legend)

    def _draw(self, ax: "Axes") -> None:
        self.rows_ = draw_rows(self.view, ax)
        self.mistaken_ = circle_rows(self.view, self.mistaken, "rows with mistakes", ax)
        widen_to(self.view, self.planes.values(), ax, reach=_REACH)
        if ax.get_aspect() != "auto" and ax.get_xscale() == ax.get_yscale() == "linear":
            _fill(ax)
        self.lines_ = {}
        for n, plane in self.planes.items():
            share = n / self.n_mistakes
            how: dict[str, Any] = {"alpha": _FAINTEST + (_STRONGEST - _FAINTEST) * share, "linewidth": 0.8, "zorder": 2}
            if n == self.n_mistakes:
                how = {"linewidth": 2.0, "zorder": 3}
            line = draw_line(*self.view.line(plane), ax, color=drawing.colour_on(ax, drawing.PERCEPTRON), **how)
            if line is not None:
                self.lines_[n] = line
        if len(self.lines_) <= _MOST_NUMBERED and ax.get_xscale() == ax.get_yscale() == "linear":
            for n, line in self.lines_.items():
                self._number(n, line, ax)
        self.line_ = self.lines_.get(self.n_mistakes)
        self._name_lines()
        if self.planes and not self.lines_:
            ax.set_title(f"{plural(len(self.planes), 'hyperplane')} out of view", fontsize="medium")

    def _number(self, n: int, line: "Line2D", ax: "Axes") -> None:
        """Write the number of mistakes near the end of a line, and draw an arrow to its side +1."""
        colour = line.get_color()
        (x0, x1), (y0, y1) = map(sorted, (ax.get_xlim(), ax.get_ylim()))
        start, end = np.asarray(line.get_xydata(), dtype=np.float64)
        points = np.linspace(start, end, 201)
        inside = points[((points >= [x0, y0]) & (points <= [x1, y1])).all(axis=1)]
        if not len(inside):
            return
        # Labels are spread along their lines, so that those of lines that nearly meet do not.
        at = inside[int((0.08 + 0.84 * ((n * 0.618) % 1)) * (len(inside) - 1))]
        direction = self.view.line(self.planes[n])[0]
        per_unit = np.array([ax.bbox.width / (x1 - x0), ax.bbox.height / (y1 - y0)])
        across = direction / per_unit  # the normal as it is seen, in pixels
        tip = at + across / np.linalg.norm(across) * _ARROW / per_unit
        ax.annotate("", xy=tip, xytext=at, arrowprops={"arrowstyle": "->", "color": colour}, annotation_clip=True)
        halo = {"boxstyle": "round,pad=0.15", "facecolor": ax.get_facecolor(), "edgecolor": "none"}
        ax.annotate(str(n), at, color=colour, fontsize=8.5, ha="center", va="center", bbox=halo, annotation_clip=True)

    def animate(self, *, interval: int = 500) -> "FuncAnimation":
        """Return an animation of the run, a frame for each hyperplane that crosses the axes.

        ``display.animate().save("path.gif", writer="pillow")`` writes it to a file.

        Parameters
        ----------
        interval : int, default 500
            Milliseconds between two frames.

        Returns
        -------
        matplotlib.animation.FuncAnimation
            It shows and hides the lines of this display.
        """
        from matplotlib.animation import FuncAnimation

        def show(n: int) -> "list[Line2D]":
            for other, line in self.lines_.items():
                line.set(visible=other == n, alpha=1.0, linewidth=2.0)
            self.ax_.set_title(f"after {plural(n, 'mistake')}", fontsize="medium")
            return [*self.lines_.values()]

        return FuncAnimation(self.figure_.figure, show, frames=[*self.lines_], interval=interval)

    def _name_lines(self) -> None:
        """Give names to the last line and to one of the earlier ones, with the number of those out of view."""
        earlier = [line for n, line in self.lines_.items() if n < self.n_mistakes]
        if earlier:
            n_beyond = sum(n < self.n_mistakes for n in self.planes) - len(earlier)
            beyond = f" ({n_beyond} out of view)" if n_beyond else ""
            earlier[-1].set_label(f"{plural(len(earlier), 'earlier line')}{beyond}")
        if self.line_ is not None:
            self.line_.set_label(f"after {plural(self.n_mistakes, 'mistake')}")


def _fill(ax: "Axes") -> None:
    """Widen the limits so that axes of equal scales are as large as the figure has room for."""
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    width, height = ax.bbox.width, ax.bbox.height
    unit = max((x1 - x0) / width, (y1 - y0) / height)
    ax.set_xlim((x0 + x1 - unit * width) / 2, (x0 + x1 + unit * width) / 2)
    ax.set_ylim((y0 + y1 - unit * height) / 2, (y0 + y1 + unit * height) / 2)


def _path(run: PerceptronRun, problem: Problem, most_lines: int) -> dict[int, Plane]:
    """Return the hyperplanes after some mistakes."""
    mistakes = run.mistake_rows
    if not np.array_equal(np.bincount(mistakes, minlength=problem.n_samples), run.mistake_counts):
        raise InvalidProblemError(
            f"the run lists {len(mistakes):,} of its {run.n_mistakes:,} mistakes in order; expected a run that lists "
            "all of them"
        )
    numbers = np.unique(np.geomspace(1, run.n_mistakes, min(most_lines, run.n_mistakes)).astype(np.int64))
    if most_lines >= run.n_mistakes:
        numbers = np.arange(1, run.n_mistakes + 1)
    numbers[-1:] = run.n_mistakes
    planes = {n: plane_of(*run.weights(n), "perceptron") for n in numbers.tolist()}
    return {n: plane for n, plane in planes.items() if plane is not None}
