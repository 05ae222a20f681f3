"""The soft margin over C: objective, norm, margin width, slack and counts of rows, with the limit of large C."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxmargin.api.measures import SLACK, n_with_slack, norm
from maxmargin.displays import drawing
from maxmargin.displays.display import check_kind, check_legend, checked
from maxmargin.displays.plane_view import faint
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin
from maxmargin.text.number_formats import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

# The quantities that can be drawn over C.
QUANTITIES = ("objective", "norm", "margin", "slack", "rows")

_DEFAULT = ("objective", "norm", "slack", "rows")

# Inches: width of a new figure, height of one of its panels, and height of the rest.
_WIDTH, _HEIGHT, _REST = 6.4, 1.75, 0.6

_DASHES = (0, (4, 2))

# Label, name on the axis, label of the limit for large C, and this limit as a function of the maximum margin.
_CURVES: dict[str, tuple[str, str, str, Callable[[float], float] | None]] = {
    "objective": (
        "½‖w‖² + C · total slack, with its proven interval", "objective", "½‖w‖² of the hard margin",
        lambda margin: 0.5 / margin / margin,
    ),
    "norm": ("‖w‖", "norm", "‖w‖ of the hard margin", lambda margin: 1 / margin),
    "margin": ("soft margin 1/‖w‖", "margin width", "maximum margin γ*", lambda margin: margin),
    "slack": ("total slack", "slack", "", None),
}  # fmt: skip


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class SoftMarginPathDisplay:
    """The soft margin over C, in one panel for each quantity, with the hard margin as the limit of large C.

    Make it with `from_result`. The quantities are "objective", the proven interval of 1/2 ||w||^2 + C sum v xi; "norm",
    ||w||; "margin", 1/||w||; "slack", sum v xi; and "rows", the numbers of support rows, of rows with a slack above
    1e-6, and of errors.

    Attributes
    ----------
    C : ndarray
        The costs, in increasing order.
    objective, lower : ndarray
        The proven ends of the optimum.
    norm : ndarray
        ||w||; 0 if the proven interval contains 0.
    slack : ndarray
        The total slack, by weight.
    n_support, n_slack, n_errors : ndarray of int
        The numbers of support rows, of rows with slack, and of errors.
    limit : float or None
        The maximum margin, to which 1/||w|| decreases; None if it is not known.
    is_proven_limit : bool
        Whether it is the proven lower end of the maximum margin, and not the margin of an answer, up to rounding.
    quantities : tuple of str
        The quantities that are drawn.
    axes_ : list of matplotlib Axes
        The axes on which the quantities were drawn last.
    lines_ : dict of str to Line2D
        The curves: "objective", "norm", "margin", "slack", and "support rows", "rows with slack" and "errors".
    limits_ : dict of str to Line2D
        The lines of the limit, by the quantity.
    ax_ : matplotlib Axes
        The first of the axes.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    HyperplaneDisplay : Draw the hyperplane of one C.
    maxmargin.soft_margin_path : Solve for several C.

    Examples
    --------
    >>> import maxmargin as mm
    >>> from matplotlib.figure import Figure
    >>> X, y = [[-1.0], [1.0]], [0, 1]
    >>> path, ax = mm.soft_margin_path(X, y, [0.125, 1.0, 1e6]), Figure().add_subplot()
    >>> display = mm.displays.SoftMarginPathDisplay.from_result(path, quantities=("norm",), ax=ax)
    >>> display.lines_["norm"].get_ydata().round(6).tolist(), round(display.limit, 6)
    ([0.25, 1.0, 1.0], 1.0)
    """

    C: Floats
    objective: Floats
    lower: Floats
    norm: Floats
    slack: Floats
    n_support: Rows
    n_slack: Rows
    n_errors: Rows
    limit: float | None
    is_proven_limit: bool = True
    quantities: tuple[str, ...] = _DEFAULT
    ax_: "Axes" = field(init=False)
    figure_: "Figure | SubFigure" = field(init=False)
    axes_: "list[Axes]" = field(init=False)
    lines_: "dict[str, Line2D]" = field(init=False)
    limits_: "dict[str, Line2D]" = field(init=False)

    @classmethod
    def from_result(
        cls,
        result: Iterable[SoftMargin],
        *,
        hard: HardMargin | None = None,
        quantities: Sequence[str] = _DEFAULT,
        ax: "Axes | Sequence[Axes] | None" = None,
        legend: bool = True,
    ) -> Self:
        """Draw the answers for several C.

        Parameters
        ----------
        result : iterable of SoftMargin
            The answers that `maxmargin.soft_margin_path` returns.
        hard : HardMargin, optional
            The hard margin of the same rows, whose lower end is drawn as the limit of large C. Without it the limit is
            drawn if the answer for the greatest C has no slack above 1e-6: it is then the answer for all greater C.
        quantities : sequence of {"objective", "norm", "margin", "slack", "rows"}, optional
            The quantities to draw, each on axes of its own. By default all but the margin.
        ax : matplotlib Axes or sequence of Axes, optional
            The axes to draw on, one for each quantity: four by default, as ``plt.subplots(4, sharex=True)[1]`` makes
            them, and a single Axes for a single quantity. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw legends.

        Returns
        -------
        SoftMarginPathDisplay
            The display, drawn.

        Raises
        ------
        InvalidProblemError
            If there is no answer, or an optimum is above the one of the hard margin, which is then about other rows.
        InvalidOptionError
            If an answer is of another kind, a quantity is unknown, or there are not as many Axes.
        """
        check_kind(result, Iterable, "soft_margin_path")
        points = [*result]
        for point in points:
            if not isinstance(point, SoftMargin):
                raise InvalidOptionError(f"result has a {type(point).__name__}; expected what soft_margin_path returns")
        if hard is not None and not isinstance(hard, HardMargin):
            raise InvalidOptionError(f"hard is a {type(hard).__name__}; expected what hard_margin returns, or None")
        if not points:
            raise InvalidProblemError("result has no answer; expected at least one SoftMargin")
        points.sort(key=lambda point: point.C)
        display = cls(
            C=np.array([point.C for point in points]),
            objective=np.array([point.objective for point in points]),
            lower=np.array([point.lower for point in points]),
            norm=np.array([_norm(point) for point in points]),
            slack=np.array([np.sum(p.slack if p.sample_weight is None else p.slack * p.sample_weight) for p in points]),
            n_support=np.array([len(point.support) for point in points]),
            n_slack=np.array([n_with_slack(point) for point in points]),
            n_errors=np.array([point.n_errors for point in points]),
            limit=_limit(points, hard),
            is_proven_limit=hard is not None,
            quantities=(quantities,) if isinstance(quantities, str | None) else tuple(quantities),
        )
        return display.plot(ax, legend=legend)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None, *, legend: bool = True) -> Self:
        """Draw the quantities.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            The axes to draw on, one for each quantity: four by default, as ``plt.subplots(4, sharex=True)[1]`` makes
            them, and a single Axes for a single quantity. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw legends.

        Returns
        -------
        Self
            The display, whose attributes that end in ``_`` hold what was drawn.

        Raises
        ------
        InvalidOptionError
            If a quantity is unknown, there are not as many Axes, or `legend` is neither True nor False.
        """
        check_legend(legend)
        unknown = [name for name in self.quantities if name not in QUANTITIES]
        if unknown or not self.quantities:
            found = f"has {unknown[0]!r}" if unknown else "is empty"
            raise InvalidOptionError(f"quantities {found}; expected some of {', '.join(QUANTITIES)}")
        self.axes_ = self._axes(ax)
        self.ax_, self.figure_, self.lines_, self.limits_ = self.axes_[0], self.axes_[0].figure, {}, {}
        with np.errstate(over="ignore"):
            for name, panel in zip(self.quantities, self.axes_, strict=True):
                drawing.log_scale(panel, "x")
                if name == "rows":
                    self._draw_rows(panel)
                else:
                    self._draw(name, panel)
                drawing.thin_grid(panel)
                if legend:
                    drawing.add_legend(panel)
        self.axes_[-1].set_xlabel("C")
        return self

    def _axes(self, ax: Any) -> "list[Axes]":
        n_panels = len(self.quantities)
        if ax is None:
            from matplotlib import pyplot as plt

            size = _WIDTH, _REST + _HEIGHT * n_panels
            return [*plt.subplots(n_panels, sharex=True, squeeze=False, figsize=size, layout="constrained")[1][:, 0]]
        panels = [checked(each) for each in (np.ravel(ax) if isinstance(ax, Sequence | np.ndarray) else [ax])]
        if len(panels) != n_panels:
            raise InvalidOptionError(f"ax has {len(panels)} Axes; expected {n_panels}, one for each of the quantities")
        return panels

    def _draw(self, name: str, ax: "Axes") -> None:
        """Draw the curve of a quantity with its limit, on a logarithmic scale if the numbers are far apart."""
        label, ylabel, limit_label, limit_of = _CURVES[name]
        is_drawn = self.norm > 0 if name == "margin" else np.ones(len(self.C), dtype=bool)
        values = 1 / self.norm[is_drawn] if name == "margin" else getattr(self, name)
        colour = drawing.colour_on(ax, drawing.POSITIVE)
        if name == "objective":
            ax.fill_between(self.C, self.lower, self.objective, color=colour, alpha=faint(ax), linewidth=0)
        if values.size:
            (self.lines_[name],) = ax.plot(
                self.C[is_drawn], values, color=colour, marker="o", markersize=4, label=label
            )  # fmt: skip
        else:
            text = "w = 0 at every C: no margin to show"
            ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=drawing.ink(ax))
        seen, limit = [*values], None if self.limit is None or limit_of is None else limit_of(self.limit)
        if limit is not None and np.isfinite(limit):
            number = f"= {rounded(limit)}" if self.is_proven_limit else f"≈ {rounded(limit, 4)}"
            colour = drawing.colour_on(ax, drawing.MAXIMUM)
            label = f"{limit_label} {number}"
            self.limits_[name] = ax.axhline(limit, color=colour, linestyle=_DASHES, label=label, zorder=1)
            seen.append(limit)
        if name != "slack" and seen and drawing.is_far_apart(min(seen), max(seen)):
            drawing.log_scale(ax, "y", span=max(seen) / min(seen))
        else:
            ax.set_ylim(0, 1.08 * max(seen, default=0.0) or 1.0)
        ax.set_ylabel(ylabel)

    def _draw_rows(self, ax: "Axes") -> None:
        curves = (
            ("support rows", self.n_support, drawing.BOUND, "s"),
            ("rows with slack", self.n_slack, drawing.POSITIVE, "o"),
            ("errors", self.n_errors, drawing.PERCEPTRON, "^"),
        )
        for label, values, colour, marker in curves:
            shade = drawing.colour_on(ax, colour)
            (self.lines_[label],) = ax.plot(self.C, values, color=shade, marker=marker, markersize=4, label=label)
        ax.set_ylim(0, 1.08 * max(int(values.max()) for _, values, _, _ in curves) or 1)
        drawing.whole_numbers(ax.yaxis)
        ax.set_ylabel("rows")


def _norm(point: SoftMargin) -> float:
    """Return ||w||; 0 where the gap hides it, so that w is rounding noise."""
    length = norm(point.w)
    return length if length**2 / 2 > point.gap else 0.0


def _limit(points: Sequence[SoftMargin], hard: HardMargin | None) -> float | None:
    """Return the maximum margin, from the hard margin or from an answer without slack, which no greater C changes."""
    if hard is not None:
        if hard.lower <= 0:
            return None
        most = 0.5 / hard.lower / hard.lower
        for point in points:
            if point.lower > most * (1 + SLACK):
                raise InvalidProblemError(
                    f"at C = {point.C!r} the optimum is at least {point.lower!r}, and the hard margin allows "
                    f"{most!r}; expected answers about the same rows"
                )
        return hard.lower
    last = points[-1]
    has_plane = last.w.any() and float(last.slack.max(initial=0.0)) <= SLACK
    return 1 / norm(last.w) if has_plane else None
