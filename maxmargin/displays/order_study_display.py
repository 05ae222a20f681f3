"""The mistakes over many orders of the rows, with the best and the worst that were found, and the bounds."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.bound_lines import draw_bounds, scale_mistakes
from maxmargin.displays.display import Display, check_kind
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.text.number_formats import count, plural
from maxmargin.theory.order_studies import OrderStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

_MOST_BARS = 30
# Fraction of the distance between two counts that a bar takes.
_BAR = 0.8

# Multiple of the most mistakes above which a bound counts as far away.
_BEYOND = 1_000

# Width of the edges of a bar in points, by which a thin one on a logarithmic axis is visible.
_EDGE = 0.6

# Opacity of the bars, and of the points of single orders.
FAINT = 0.5


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class OrderStudyDisplay(Display):
    """How many random orders of the rows made how many mistakes, the best and the worst order found, and the bounds.

    Make it with `from_result`.

    Attributes
    ----------
    study : OrderStudy
        The study that is drawn.
    bounds : dict of str to float
        The bounds that are drawn, by name, in increasing order: those that are neither vacuous nor far away, or else
        the smallest one.
    bars_ : BarContainer
        The histogram; the lengths of its bars sum to the number of random orders.
    marks_ : dict of str to Line2D
        The marks of the order of the source, of the orders found by search, of the adversary's sequence, and of the
        worst of all sequences, by their names in the legend.
    bounds_ : dict of str to Line2D
        The lines of the bounds.
    ax_ : matplotlib Axes
        The axes on which it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    MistakeBoundsDisplay : Draw the mistakes of one run.
    maxmargin.order_study : Run the perceptron in many orders.

    Examples
    --------
    >>> import maxmargin as mm
    >>> from matplotlib.figure import Figure
    >>> study = mm.order_study([[10.0], [12.0], [15.0]], [0, 1, 1], n_orders=20, n_search=50)
    >>> ax = Figure().add_subplot()
    >>> display = mm.displays.OrderStudyDisplay.from_result(study, ax=ax)
    >>> int(sum(bar.get_width() for bar in display.bars_))
    20
    """

    study: OrderStudy
    bounds: dict[str, float]
    bars_: "BarContainer" = field(init=False)
    marks_: "dict[str, Line2D]" = field(init=False)
    bounds_: "dict[str, Line2D]" = field(init=False)

    @classmethod
    def from_result(cls, result: OrderStudy, *, ax: "Axes | None" = None, legend: bool = True) -> Self:
        """Draw a study of orders.

        Parameters
        ----------
        result : OrderStudy
            The study that `maxmargin.order_study` returns.
        ax : matplotlib Axes, optional
            The axes to draw on. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw a legend.

        Returns
        -------
        OrderStudyDisplay
            The display, drawn.

        Raises
        ------
        InvalidOptionError
            If the result is of another kind, or `ax` is not an Axes.
        """
        check_kind(result, OrderStudy, "order_study")
        return cls(study=result, bounds=drawn_bounds(result)).plot(ax, legend=legend)

    def _draw(self, ax: "Axes") -> None:
        study = self.study
        top = max([float(study.most_seen), float(study.worst_case or 0), *self.bounds.values()])
        is_logarithmic = scale_mistakes(ax, float(study.fewest_seen), top, shown=float(study.quantiles[0.5]))
        colour = drawing.colour_on(ax, drawing.POSITIVE)
        mistakes = study.outcomes.n_mistakes
        _, _, self.bars_ = ax.hist(  # type: ignore[assignment]  # one data set makes one container
            mistakes, bins=edges_of_counts(mistakes, is_logarithmic=is_logarithmic), orientation="horizontal",
            color=colour, edgecolor=colour, linewidth=_EDGE, alpha=FAINT, rwidth=_BAR,
        )  # fmt: skip
        self.marks_ = {
            name: ax.plot(
                [0], [n_mistakes], color=drawing.colour_on(ax, colour), marker=marker,
                linestyle="", clip_on=False, zorder=4, label=name,
            )[0]
            for name, n_mistakes, colour, marker in _marks(study)
        }  # fmt: skip
        self.bounds_ = draw_bounds(ax, self.bounds)
        drawing.whole_numbers(ax.xaxis)
        passes = plural(study.settings.max_epochs or 0, "pass", "passes")
        ax.set(
            xlabel="random orders", ylabel="mistakes" if study.settings.max_epochs is None else f"mistakes in {passes}"
        )
        drawing.thin_grid(ax)


def drawn_bounds(study: OrderStudy) -> dict[str, float]:
    """Return the bounds that are drawn, in increasing order: neither vacuous nor far away, else the smallest one."""
    found = sorted((bound for bound in study.bounds if np.isfinite(bound.value)), key=lambda bound: bound.value)
    near = [bound for bound in found if not bound.vacuous and bound.value <= _BEYOND * max(1, study.most_seen)]
    return {bound.name: bound.value for bound in near or found[:1]}


def marks_of(study: OrderStudy) -> list[str]:
    """Return the names of the marks, each with its number."""
    return [name for name, *_ in _marks(study)]


def _marks(study: OrderStudy) -> list[tuple[str, int, str, str]]:
    """Return the marks: name with the number, the number, colour ("" for the colour of text) and shape."""
    marks = [
        ("order of the source: ", study.given.n_mistakes, "", "o"),
        ("fewest by search: ", study.fewest.n_mistakes, drawing.MAXIMUM, "v"),
        ("most by search: ", study.most.n_mistakes, drawing.PERCEPTRON, "^"),
    ]
    sequence, worst = study.adversary, study.worst_case
    if sequence is not None:
        at_least = "" if sequence.is_complete else "≥ "
        marks.append((f"adversary: {at_least}", sequence.n_mistakes, drawing.PERCEPTRON, "D"))
    if worst is not None:
        marks.append(("worst of all, proven: ", worst, drawing.PERCEPTRON, "*"))
    return [(f"{name}{count(value)}", value, colour, marker) for name, value, colour, marker in marks]


def edges_of_counts(counts: Rows, *, is_logarithmic: bool) -> list[float]:
    """Return the ends of the bars, half way between whole numbers; each bar holds one count or equally many."""
    least, most = int(counts.min()), int(counts.max())
    if is_logarithmic and most - least >= _MOST_BARS:
        whole = np.unique(np.rint(np.geomspace(max(least, 1), most + 1, _MOST_BARS + 1)))
        return [float(value) - 0.5 for value in whole]
    width = -(-(most - least + 1) // _MOST_BARS)
    return [value - 0.5 for value in range(least, most + width + 1, width)]
