"""The interval of the maximum margin that a run of the perceptron proves, along its mistakes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.display import Display
from maxmargin.displays.plane_view import faint
from maxmargin.displays.proof_curves_display import scale_mistakes_along
from maxmargin.text.number_formats import rounded
from maxmargin.theory.mistake_traces import MistakeTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The columns of the two ends in either space, the symbol of the maximum margin, and the label of the upper end.
_COLUMNS = {
    "data": ("margin", "margin_upper", "γ*", "upper bound of γ* from the mistakes"),
    "run": ("lower", "upper", "g", "upper bound ‖w‖/M"),
}

# Smallest start of a logarithmic scale: scales near the end of binary64 underflow.
_LEAST_THRESHOLD = 1e-300

# Fraction of the range below which the maximum margin is visible on a logarithmic scale only.
_INVISIBLE = 0.02


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class MarginPathDisplay(Display):
    """The margin that a run achieves after each mistake, and the upper bound of the maximum margin from its mistakes.

    Both together prove an interval of the maximum margin, which is shaded.

    Attributes
    ----------
    trace : MistakeTrace
        The run along its mistakes.
    maximum : float or None
        The maximum margin, which is drawn as a line; None if it is not known.
    space : {"data", "run"}
        Whether margins are of the rows x, or of the rows (x, s) of the run, where the upper bound is ||w||/M.
    """

    trace: MistakeTrace
    maximum: float | None = None
    space: Literal["data", "run"] = "data"

    def _draw(self, ax: "Axes") -> None:
        columns, M = self.trace.columns(), self.trace.n_mistakes
        least, greatest, symbol, label = _COLUMNS[self.space]
        lower, upper = np.where(np.isfinite(columns[least]), columns[least], np.nan), columns[greatest]
        bound, achieved = (drawing.colour_on(ax, colour) for colour in (drawing.BOUND, drawing.PERCEPTRON))
        size = 3 if len(M) <= drawing.MOST_MARKED else 1.5
        proven = np.fmax.accumulate(np.fmax(lower, 0.0)), np.fmin.accumulate(upper)
        ax.fill_between(M, *proven, color=bound, alpha=faint(ax), linewidth=0, label="proven so far")
        ax.plot(M, upper, color=bound, marker="o", markersize=size, label=label)
        if self.maximum is not None:
            colour = drawing.colour_on(ax, drawing.MAXIMUM)
            ax.axhline(self.maximum, color=colour, label=f"{symbol} = {rounded(self.maximum)}")
        ax.axhline(0, color=drawing.ink(ax), linewidth=0.8)
        ax.plot(M, lower, color=achieved, marker="o", markersize=size, label="achieved margin")
        scale_mistakes_along(ax, float(M[-1]))
        self._scale_margins(ax, float(np.nanmax(np.abs([lower, upper]), initial=0.0)))
        scale = rounded(self.trace.run.settings.bias_scale)
        of_what = "geometric margin" if self.space == "data" else f"margin of the rows (x, {scale})"
        ax.set(xlabel="mistakes M", ylabel=of_what)
        drawing.thin_grid(ax)

    def _scale_margins(self, ax: "Axes", largest: float) -> None:
        """Use a scale that is logarithmic on both sides of 0 if the maximum margin is too small to be visible."""
        if not self.maximum or self.maximum > _INVISIBLE * largest:
            return
        from matplotlib.ticker import NullLocator, SymmetricalLogLocator

        threshold = max(10.0 ** int(np.floor(np.log10(self.maximum))), _LEAST_THRESHOLD)
        ax.set_yscale("symlog", linthresh=threshold, linscale=1.0)
        locator = SymmetricalLogLocator(base=10, linthresh=threshold)
        locator.set_params(numticks=9)
        ax.yaxis.set_major_locator(locator)
        ax.yaxis.set_minor_locator(NullLocator())
        drawing.plain_numbers(ax.yaxis)
