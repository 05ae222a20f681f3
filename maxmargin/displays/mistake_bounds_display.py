"""The mistakes of a run beside the bounds that hold for it, over the epochs or as bars."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.bound_lines import draw_bounds, scale_mistakes
from maxmargin.displays.display import Display, run_of
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.text.number_formats import count, plural, upper_end
from maxmargin.theory.bound import Bound
from maxmargin.theory.mistake_traces import MistakeTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

_MOST_POINTS = 400
# Largest number of epochs for which each has a mark on the curve and a number on the axis.
_MOST_TICKED = 10

# Ratio of the end of the axis to the greatest bar, or of their logarithms: room for its number.
_LABEL_ROOM = 1.22


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class MistakeBoundsDisplay(Display):
    """The mistakes of a run of the perceptron, beside every bound that holds for it.

    Make it with `from_result`.

    Attributes
    ----------
    mistakes : ndarray of int
        The mistakes made by the end of every epoch.
    n_mistakes : int
        The mistakes of the run.
    bounds : dict of str to float
        The bounds by name, in increasing order.
    kind : {"epochs", "bars"}
        Whether the mistakes are a curve over the epochs and the bounds lines, or all of them bars.
    line_ : Line2D or None
        The curve of the mistakes; None for bars.
    bounds_ : dict of str to Line2D
        The lines of the bounds; empty for bars.
    bars_ : BarContainer or None
        The bars: the mistakes first, then the bounds in their order; None for a curve.
    ax_ : matplotlib Axes
        The axes on which it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    OrderStudyDisplay : Draw the mistakes in many orders.
    maxmargin.mistake_bounds : Compute the bounds.

    Examples
    --------
    >>> import maxmargin as mm
    >>> from matplotlib.figure import Figure
    >>> X, y = [[10.0], [12.0]], [0, 1]
    >>> run, ax = mm.perceptron(X, y), Figure().add_subplot()
    >>> display = mm.displays.MistakeBoundsDisplay.from_result(run, mm.mistake_bounds(X, y, run=run), ax=ax)
    >>> int(display.line_.get_ydata()[-1]), round(display.bounds["novikoff"])
    (233, 17690)
    """

    mistakes: Rows
    n_mistakes: int
    bounds: dict[str, float]
    kind: Literal["epochs", "bars"] = "epochs"
    line_: "Line2D | None" = field(init=False)
    bounds_: "dict[str, Line2D]" = field(init=False)
    bars_: "BarContainer | None" = field(init=False)

    @classmethod
    def from_result(
        cls,
        result: PerceptronRun | MistakeTrace,
        bounds: Iterable[Bound],
        *,
        kind: Literal["epochs", "bars"] = "epochs",
        ax: "Axes | None" = None,
        legend: bool = True,
    ) -> Self:
        """Draw the mistakes of a run beside the bounds that hold.

        Parameters
        ----------
        result : PerceptronRun or MistakeTrace
            The run.
        bounds : iterable of Bound
            The bounds of this run, as `maxmargin.mistake_bounds` returns them for ``run=``. Those that are not valid,
            or infinite, are left out.
        kind : {"epochs", "bars"}, default "epochs"
            Whether to draw the mistakes as a curve over the epochs and the bounds as lines, or all of them as bars.
        ax : matplotlib Axes, optional
            The axes to draw on. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw a legend; bars need none.

        Returns
        -------
        MistakeBoundsDisplay
            The display, drawn.

        Raises
        ------
        InvalidProblemError
            If the run made more mistakes than a bound, which is then about other rows or fewer passes, or if it has no
            epoch.
        InvalidOptionError
            If the result or `kind` is of another kind, or `ax` is not an Axes.
        """
        run = run_of(result)
        if kind not in ("epochs", "bars"):
            raise InvalidOptionError(f"kind is {kind!r}; expected 'epochs' or 'bars'")
        if not len(run.mistakes_per_epoch):
            raise InvalidProblemError("the run ended before its first epoch; expected a run with at least one")
        holding = {bound.name: bound.value for bound in bounds if bound.valid and np.isfinite(bound.value)}
        for name, value in holding.items():
            if value < run.n_mistakes:
                raise InvalidProblemError(
                    f"the run made {run.n_mistakes} mistakes, and the bound {name} is {value!r}; expected bounds for "
                    "the rows and the passes of the run, as mistake_bounds(X, y, run=run) returns them"
                )
        display = cls(
            mistakes=np.cumsum(run.mistakes_per_epoch),
            n_mistakes=run.n_mistakes,
            bounds=dict(sorted(holding.items(), key=lambda item: item[1])),
            kind=kind,
        )
        return display.plot(ax, legend=legend)

    def _draw(self, ax: "Axes") -> None:
        self.line_, self.bounds_, self.bars_ = None, {}, None
        if self.kind == "bars":
            self._draw_bars(ax)
        else:
            self._draw_curve(ax)

    def _draw_curve(self, ax: "Axes") -> None:
        total = self.mistakes
        shown = _drawn_epochs(len(total))
        scale_mistakes(ax, float(total[0]), max([float(total[-1]), *self.bounds.values()]), shown=float(total[-1]))
        how: dict[str, Any] = {"marker": "o" if len(total) <= drawing.MOST_MARKED else "", "markersize": 4, "zorder": 3}
        colour, label = drawing.colour_on(ax, drawing.PERCEPTRON), f"perceptron: {plural(self.n_mistakes, 'mistake')}"
        (self.line_,) = ax.plot(shown + 1, total[shown], color=colour, label=label, **how)
        ax.set_xlim(0, 1.01 * len(total))
        if len(total) <= _MOST_TICKED:
            ax.set_xticks(range(len(total) + 1))
        else:
            drawing.plain_numbers(ax.xaxis)
        self.bounds_ = draw_bounds(ax, self.bounds, label="bounds that hold")
        ax.set(xlabel="epoch", ylabel="mistakes so far")
        drawing.thin_grid(ax)

    def _draw_bars(self, ax: "Axes") -> None:
        names, values = ["mistakes made", *self.bounds], [float(self.n_mistakes), *self.bounds.values()]
        made, allowed = (drawing.colour_on(ax, colour) for colour in (drawing.PERCEPTRON, drawing.BOUND))
        self.bars_ = ax.barh(range(len(names)), values, height=0.7, color=[made, *[allowed] * len(self.bounds)])
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        least, top = min(values), max(values)
        if drawing.is_far_apart(least, top):
            start = 0.5 if least < 10 else least / 10
            end = start * (top / start) ** _LABEL_ROOM
            drawing.log_scale(ax, "x", span=end / start)
            ax.set_xlim(start, end)
        else:
            ax.set_xlim(0, _LABEL_ROOM * (top or 1.0))
            drawing.plain_numbers(ax.xaxis)
        texts = [count(self.n_mistakes), *map(upper_end, self.bounds.values())]
        for text in ax.bar_label(self.bars_, texts, padding=3, fontsize=8.5, color=drawing.ink(ax)):
            drawing.plain_texts(text)
        ax.set_xlabel("mistakes")


def _drawn_epochs(n: int) -> Rows:
    """Return epochs to draw: the early ones densely, and evenly spaced ones."""
    early = np.geomspace(1, n, min(n, _MOST_POINTS)).astype(np.int64) - 1
    return np.union1d(early, drawing.thinned(n, _MOST_POINTS))
