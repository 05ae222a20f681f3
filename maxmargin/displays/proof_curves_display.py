"""The quantities of Novikoff's proof along the mistakes of a run."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.display import Display, check_kind
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.text.number_formats import upper_end
from maxmargin.theory.mistake_traces import MistakeTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# Largest ratio of the bound to the mistakes for which the curves are extended to the bound.
_NEAR = 1000.0

# Room for the name of the bound above the curves, as a fraction of the height.
_HEADROOM = 0.08

# Column, label and colour of the curves of either kind, from the highest to the lowest.
_CURVES = {
    "lengths": (
        ("norm_at_most", "√M·R, upper bound of ‖w‖", drawing.BOUND),
        ("root_of_squares", "√(Σ‖x‖²) over the mistakes", drawing.NEGATIVE),
        ("norm", "‖w‖, norm of the weights", drawing.PERCEPTRON),
        ("w_dot_u", "w·u*, along the unit normal u*", drawing.POSITIVE),
        ("w_dot_u_at_least", "M·g, lower bound of w·u*", drawing.MAXIMUM),
    ),
    "potential": (
        ("potential_drop", "fall of the potential", drawing.PERCEPTRON),
        ("n_mistakes", "M, the fall that is guaranteed", drawing.MAXIMUM),
    ),
}


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class ProofCurvesDisplay(Display):
    """The two curves of Novikoff's proof along the mistakes M, and the quantities between them.

    M g <= w.u* <= ||w|| <= sqrt(sum ||x||^2) <= sqrt(M) R: the line from below and the curve from above meet at the
    bound R^2/g^2. Without a separating hyperplane, only the curves from above are drawn. The other form of the proof is
    the fall of the potential 1/2 ||c u* - w||^2: it is at least one unit R^2/2 per mistake, and there are R^2/g^2 units
    in all. Make it with `from_result`.

    Attributes
    ----------
    trace : MistakeTrace
        The run along its mistakes.
    kind : {"lengths", "potential"}
        The form of the proof.
    lines_ : dict of str to Line2D
        The curves by the name of the column of the trace: "norm_at_most", "root_of_squares", "norm", "w_dot_u" and
        "w_dot_u_at_least", or "potential_drop" and "n_mistakes"; columns without positive numbers have none.
    meeting_ : Line2D or None
        The point where the bounds from both sides meet; None if it is too far away to be drawn, or unknown.
    ax_ : matplotlib Axes
        The axes on which it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    PerceptronPathDisplay : Draw the hyperplanes at the mistakes.
    maxmargin.mistake_trace : Follow the proof along a run.

    Examples
    --------
    >>> import maxmargin as mm
    >>> from matplotlib.figure import Figure
    >>> trace, ax = mm.mistake_trace([[1.0], [2.0]], [0, 1]), Figure().add_subplot()
    >>> display = mm.displays.ProofCurvesDisplay.from_result(trace, ax=ax)
    >>> bool((display.lines_["w_dot_u"].get_ydata() <= display.lines_["norm"].get_ydata()).all())
    True
    """

    trace: MistakeTrace
    kind: Literal["lengths", "potential"] = "lengths"
    lines_: "dict[str, Line2D]" = field(init=False)
    meeting_: "Line2D | None" = field(init=False)

    @classmethod
    def from_result(
        cls,
        result: MistakeTrace,
        *,
        kind: Literal["lengths", "potential"] = "lengths",
        ax: "Axes | None" = None,
        legend: bool = True,
    ) -> Self:
        """Draw the proof along a run.

        Parameters
        ----------
        result : MistakeTrace
            The trace that `maxmargin.mistake_trace` returns.
        kind : {"lengths", "potential"}, default "lengths"
            Whether to draw ||w|| and w.u* between their bounds, or the fall of the potential.
        ax : matplotlib Axes, optional
            The axes to draw on. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw a legend.

        Returns
        -------
        ProofCurvesDisplay
            The display, drawn.

        Raises
        ------
        InvalidProblemError
            If the run made no mistake, or no hyperplane is known to separate, which the potential needs.
        InvalidOptionError
            If the result or `kind` is of another kind, or `ax` is not an Axes.
        """
        check_kind(result, MistakeTrace, "mistake_trace")
        if kind not in _CURVES:
            raise InvalidOptionError(f"kind is {kind!r}; expected 'lengths' or 'potential'")
        if not len(result.n_mistakes):
            raise InvalidProblemError("the run made no mistake; expected a run with at least one")
        if kind == "potential" and result.u is None:
            raise InvalidProblemError("no hyperplane is known to separate; expected a trace with a direction u")
        return cls(trace=result, kind=kind).plot(ax, legend=legend)

    def _draw(self, ax: "Axes") -> None:
        trace = self.trace
        M, end = trace.n_mistakes, bound_in_view(trace)
        is_log = scale_mistakes_along(ax, float(M[-1]), furthest=end)
        if is_log:
            drawing.log_scale(ax, "y")
        else:
            ax.set_xlim(0, 1.03 * max(float(M[-1]), end))
        size = 3 if len(M) <= drawing.MOST_MARKED else 0
        self.lines_, self.meeting_ = {}, None
        for name, label, colour in _CURVES[self.kind]:
            column = trace.columns()[name]
            values = np.where(np.isfinite(column) & ((column > 0) | (not is_log)), column, np.nan)
            if np.isfinite(values).any():
                shade = drawing.colour_on(ax, colour)
                self.lines_[name] = ax.plot(
                    M, values, color=shade, marker="o", markersize=size, linewidth=1.4, label=label
                )[0]
        if end:
            self._draw_on(ax, end)
        low, high = ax.get_ylim()
        ax.set_ylim(*(low, high * (high / low) ** _HEADROOM) if is_log else (0, high * (1 + _HEADROOM)))
        margin = "" if trace.u is None else ", g: margin of u*"
        constant = " (rows with the constant)" if trace.run.bias else ""
        ax.set_xlabel(f"mistakes M\nR: greatest norm of a row{margin}{constant}")
        if self.kind == "potential":
            ax.set_ylabel("fall of the potential / (R²/2)")
        drawing.thin_grid(ax)

    def _draw_on(self, ax: "Axes", end: float) -> None:
        """Extend the bounds from both sides from the last mistake to where they meet."""
        trace = self.trace
        M = np.geomspace(float(trace.n_mistakes[-1]), end, 50)
        upper, lower = np.sqrt(M) * trace.radius, M * trace.u_margin
        if self.kind == "potential":
            upper, lower = np.full(len(M), end), M
        for values, colour in ((upper, drawing.BOUND), (lower, drawing.MAXIMUM)):
            ax.plot(M, values, color=drawing.colour_on(ax, colour), linestyle=(0, (1, 1.5)), linewidth=1.2)
        meeting = end, float(lower[-1])
        (self.meeting_,) = ax.plot(*meeting, "o", color=drawing.ink(ax), markersize=4)
        ax.annotate(
            f"R²/g² = {upper_end(end)}", meeting, (-6, 4), textcoords="offset points", ha="right", va="bottom",
            fontsize=8.5, color=drawing.ink(ax),
        )  # fmt: skip


def bound_in_view(trace: MistakeTrace) -> float:
    """Return Novikoff's bound if it is near enough to be drawn, else 0."""
    return trace.bound if trace.bound <= _NEAR * float(trace.n_mistakes[-1]) else 0.0


def scale_mistakes_along(ax: "Axes", last: float, *, furthest: float = 0.0) -> bool:
    """Scale the horizontal axis of the mistakes, logarithmically for a wide range; return whether it is logarithmic."""
    is_log = drawing.is_far_apart(1.0, max(last, furthest))
    if is_log:
        drawing.log_scale(ax, "x")
    else:
        drawing.whole_numbers(ax.xaxis)
    return is_log
