"""Mistakes and bounds over a shift of the rows and over the bias scale, with the maximum margin, which stays."""

from typing import TYPE_CHECKING

from maxmargin.reports.figures import style
from maxmargin.reports.number_formats import count, number
from maxmargin.reports.study.translated import Translated
from maxmargin.theory.translation_study import StudiedPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Points = tuple[StudiedPoint, ...]

_HIGHEST = 1e300
"""Bounds beyond are not drawn: scales near the end of binary64 overflow."""

_BEST_SCALE_BOUND = "(R + |b|)²/γ*², a bound at the best s only"

_LEAST_MISTAKES = 0.7
"""Where the logarithmic axis begins at the least, so that 1 is seen."""

_ROOM = 1.25
"""How far above the maximum margin its panel goes."""


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
        values = [min(getattr(point, name), _HIGHEST) for point in points]
        ax.plot(at, values, line, color=style.BOUND, markersize=3, label=label)
    counts = [point.n_mistakes for point in points]
    ax.plot(at, counts, color=style.PERCEPTRON, marker="o", markerfacecolor="none", label="mistakes (hollow: at least)")
    whole = [(x, point.n_mistakes) for x, point in zip(at, points, strict=True) if point.converged]
    ax.plot([x for x, _ in whole], [y for _, y in whole], color=style.PERCEPTRON, linestyle="", marker="o")
    style.log_scale(ax, "y")
    ax.set_ylim(bottom=_LEAST_MISTAKES, auto=None)  # a second panel that shares the axis may still raise its top
    style.thin_grid(ax)
    return ax


def plot_margins(points: Points, ax: "Axes", *, over: str) -> "Axes":
    """Draw the maximum margin at the same points."""
    lower = [point.margin_lower for point in points]
    ax.plot([getattr(point, over) for point in points], lower, color=style.MAXIMUM, marker="o", markersize=3)
    ax.set_ylim(0, _ROOM * max(lower) or 1.0)
    ax.set_yticks([0, lower[0]], ["0", number(lower[0], 3)])
    style.thin_grid(ax)
    return ax


def plot_shifts(points: Points, upper: "Axes", lower: "Axes") -> None:
    """Draw the study of shifts, from centred rows, at -1, through the rows as given, at 0."""
    plot_points(points, upper, over="shift")
    plot_margins(points, lower, over="shift")
    lower.set_xlabel("shift in means of the rows; −1 centres them")
    style.plain_numbers(lower.xaxis)


def plot_scales(points: Points, upper: "Axes", lower: "Axes") -> None:
    """Draw the study of bias scales, with a line at the best one."""
    plot_points(points, upper, over="bias_scale")
    plot_margins(points, lower, over="bias_scale")
    style.log_scale(lower, "x", span=points[-1].bias_scale / points[0].bias_scale)
    for ax in (upper, lower):
        for point in points:
            if point.is_best_scale:
                ax.axvline(point.bias_scale, color=style.INK, linewidth=0.8, linestyle=":")
    best = any(point.is_best_scale for point in points)
    lower.set_xlabel("bias scale s; dotted: √(R|b|)" if best else "bias scale s")


def alt_translations(found: Translated) -> str:
    """Return what the figure shows."""
    texts = []
    if found.shifts:
        counts = ", ".join(f"{_mistakes(point)} at {number(point.shift)}" for point in found.shifts)
        texts.append(f"Mistakes over the shift of the rows, in multiples of their mean: {counts}.")
    counts = ", ".join(f"{_mistakes(point)} at {number(point.bias_scale, 3)}" for point in found.scales)
    texts.append(f"Mistakes over the bias scale: {counts}.")
    margin = number(found.scales[0].margin_lower)
    return " ".join([*texts, f"Novikoff's bound lies above them; the maximum margin stays {margin} throughout."])


def _mistakes(point: StudiedPoint) -> str:
    return f"{'' if point.converged else 'at least '}{count(point.n_mistakes)}"
