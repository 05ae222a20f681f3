"""The mistakes and the bounds over shifts of the rows and over bias scales."""

from typing import TYPE_CHECKING

from maxmargin.displays import drawing
from maxmargin.displays.bound_lines import HIGHEST
from maxmargin.reports.figures import canvas
from maxmargin.text.number_formats import count, number
from maxmargin.theory.translation_study import StudiedPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from maxmargin.reports.study.study import Study

Points = tuple[StudiedPoint, ...]

_BEST_SCALE_BOUND = "(R + |b|)²/γ*², a bound at the best s only"

_LEAST_MISTAKES = 0.7
"""Start of the logarithmic axis of mistakes, so that 1 is visible."""

_ROOM = 1.25
"""Top of the panel of the maximum margin, as a multiple of it."""

_LONG_HANDLE = 2.4
"""Length of the handles of a legend that tells dashed from solid lines, in font sizes."""


def translations(study: "Study") -> canvas.Picture | None:
    """Return the figure of the mistakes and bounds over shifts and bias scales; None where there are none."""
    found = study.translated
    if not found.scales:
        return None

    def draw(figure: "Figure") -> None:
        studies = (("shift", found.shifts, _label_shifts), ("bias_scale", found.scales, _label_scales))
        panels = [panel for panel in studies if panel[1]]
        axes = figure.subplots(2, len(panels), sharex="col", sharey="row", height_ratios=(4, 1), squeeze=False)
        for (over, points, label), upper, lower in zip(panels, *axes, strict=True):
            plot_points(points, upper, over=over)
            _plot_margins(points, lower, over=over)
            label(points, upper, lower)
        axes[0, 0].set_ylabel("mistakes, bounds")
        axes[1, 0].set_ylabel("γ*")
        handles = axes[0, 0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside upper left", ncols=3, handlelength=_LONG_HANDLE)

    return canvas.Picture(
        key="translations",
        title="Mistakes and bounds under translation, and the maximum margin",
        caption="The same rows translated, and run with other bias scales: the mistakes of the perceptron and their "
        "bounds may change by orders of magnitude; the maximum margin, in the lower panels, does not.",
        alt=_translations_alt(found.shifts, found.scales),
        height=4.4,
        draw=draw,
    )


def _translations_alt(shifts: Points, scales: Points) -> str:
    texts = []
    if shifts:
        counts = ", ".join(f"{_mistakes(point)} at {number(point.shift)}" for point in shifts)
        texts.append(f"Mistakes over the shift of the rows, in multiples of their mean: {counts}.")
    counts = ", ".join(f"{_mistakes(point)} at {number(point.bias_scale, 3)}" for point in scales)
    texts.append(f"Mistakes over the bias scale: {counts}.")
    margin = number(scales[0].margin_lower)
    return " ".join([*texts, f"Novikoff's bound lies above them; the maximum margin stays {margin} throughout."])


def _mistakes(point: StudiedPoint) -> str:
    return f"{'' if point.converged else 'at least '}{count(point.n_mistakes)}"


def plot_points(points: Points, ax: "Axes", *, over: str) -> "Axes":
    """Draw mistakes and bounds; hollow marks are runs that were stopped before they converged.

    Parameters
    ----------
    points : tuple of StudiedPoint
    ax : Axes
    over : {"shift", "bias_scale"}
    """
    at = [getattr(point, over) for point in points]
    for name, label, line in (("novikoff", "Novikoff", "o-"), ("best_scale_bound", _BEST_SCALE_BOUND, "--")):
        values = [min(getattr(point, name), HIGHEST) for point in points]
        ax.plot(at, values, line, color=drawing.BOUND, markersize=3, label=label)
    counts, label = [point.n_mistakes for point in points], "mistakes (hollow: at least)"
    ax.plot(at, counts, color=drawing.PERCEPTRON, marker="o", markerfacecolor="none", label=label)
    whole = [(x, point.n_mistakes) for x, point in zip(at, points, strict=True) if point.converged]
    ax.plot([x for x, _ in whole], [y for _, y in whole], color=drawing.PERCEPTRON, linestyle="", marker="o")
    drawing.log_scale(ax, "y")
    ax.set_ylim(bottom=_LEAST_MISTAKES, auto=None)  # a second panel that shares the axis may still raise its top
    drawing.thin_grid(ax)
    return ax


def _plot_margins(points: Points, ax: "Axes", *, over: str) -> None:
    """Draw the maximum margin at the same points."""
    lower = [point.margin_lower for point in points]
    ax.plot([getattr(point, over) for point in points], lower, color=drawing.MAXIMUM, marker="o", markersize=3)
    ax.set_ylim(0, _ROOM * max(lower) or 1.0)
    ax.set_yticks([0, lower[0]], ["0", number(lower[0], 3)])
    drawing.thin_grid(ax)


def _label_shifts(points: Points, upper: "Axes", lower: "Axes") -> None:
    """Label the study of shifts, from centred rows, at -1, through the rows as given, at 0."""
    lower.set_xlabel("shift in means of the rows; −1 centres them")
    drawing.plain_numbers(lower.xaxis)


def _label_scales(points: Points, upper: "Axes", lower: "Axes") -> None:
    """Label the study of bias scales, and draw a line at the best one."""
    drawing.log_scale(lower, "x", span=points[-1].bias_scale / points[0].bias_scale)
    best = [point.bias_scale for point in points if point.is_best_scale]
    for ax in (upper, lower):
        for scale in best:
            ax.axvline(scale, color=canvas.INK, linewidth=0.8, linestyle=":")
    lower.set_xlabel("bias scale s; dotted: √(R|b|)" if best else "bias scale s")
