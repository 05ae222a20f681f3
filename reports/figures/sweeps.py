"""What changes over a parameter: the soft margin over C, mistakes and bounds over shifts and bias scales."""

from typing import TYPE_CHECKING

from maxmargin.reports.figures import style
from maxmargin.reports.figures.canvas import WIDTH, Picture, stacked
from maxmargin.reports.number_formats import count, number, plural
from maxmargin.reports.study.measures import norm
from maxmargin.theory.translation_study import StudiedPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from maxmargin.reports.study.study import Study

Points = tuple[StudiedPoint, ...]

_HIGHEST = 1e300
"""Largest bound that is drawn as it is: scales near the end of binary64 overflow."""

_BEST_SCALE_BOUND = "(R + |b|)²/γ*², a bound at the best s only"

_LEAST_MISTAKES = 0.7
"""Start of the logarithmic axis of mistakes, so that 1 is visible."""

_ROOM = 1.25
"""Top of the panel of the maximum margin, as a multiple of it."""

_LONG_HANDLE = 2.4
"""Length of the handles of a legend that tells dashed from solid lines, in font sizes."""


def soft_margin(study: "Study") -> Picture:
    """Return the figure of the soft margin over C."""
    first, last = study.soft[0], study.soft[-1]
    widths = ["infinity" if point.plane is None else number(1 / norm(point.w)) for point in (first, last)]
    return Picture(
        key="soft-margin",
        title="The soft margin over C",
        caption="Margin width 1/‖w‖, and the numbers of rows in error, with slack, and with a positive multiplier.",
        alt=f"Two panels over C from {number(first.solution.C)} to {number(last.solution.C)}. The margin width goes "
        f"from {widths[0]} to {widths[1]}; the errors from {plural(first.n_errors, 'row')} to "
        f"{plural(last.n_errors, 'row')}; the support rows from {first.n_support} to {last.n_support}.",
        size=(WIDTH, 4.8),
        draw=stacked([plot_soft_widths, plot_soft_counts], study),
    )


def plot_soft_widths(study: "Study", ax: "Axes") -> "Axes":
    """Draw the margin width 1/||w|| over C, with the maximum margin as its limit."""
    points = [(point.solution.C, 1 / norm(point.w)) for point in study.soft if point.plane is not None]
    limit = [study.hard.lower] if study.maximum is not None else []
    style.log_scale(ax, "x")
    widths = [width for _, width in points] + limit
    if widths and style.is_far_apart(min(widths), max(widths)):
        style.log_scale(ax, "y", span=max(widths) / min(widths))
    else:
        ax.set_ylim(0, 1.08 * max(widths, default=0.0) or 1.0)
    if not points:
        ax.text(0.5, 0.5, "w = 0 at every C: no margin to show", transform=ax.transAxes, ha="center", va="center")
    else:
        ax.plot(*zip(*points, strict=True), color=style.POSITIVE, marker="o", markersize=4, label="soft margin 1/‖w‖")
    for value in limit:
        ax.axhline(value, color=style.MAXIMUM, linestyle=(0, (4, 2)), label=f"γ* = {number(value)}", zorder=1)
    ax.set_ylabel("margin width")
    style.finish(ax)
    return ax


def plot_soft_counts(study: "Study", ax: "Axes") -> "Axes":
    """Draw errors, rows with slack and support rows over C."""
    Cs = [point.solution.C for point in study.soft]
    curves = (
        ("support rows", [p.n_support for p in study.soft], style.BOUND, "s"),
        ("rows with slack", [p.n_slack for p in study.soft], style.POSITIVE, "o"),
        ("errors", [p.n_errors for p in study.soft], style.PERCEPTRON, "^"),
    )
    style.log_scale(ax, "x")
    for label, values, colour, marker in curves:
        ax.plot(Cs, values, color=colour, marker=marker, markersize=4, label=label)
    ax.set_ylim(0, 1.08 * max(max(values) for _, values, _, _ in curves) or 1)
    style.whole_numbers(ax.yaxis)
    ax.set_xlabel("C")
    ax.set_ylabel("rows")
    style.finish(ax)
    return ax


def translations(study: "Study") -> Picture | None:
    """Return the figure of the mistakes and bounds over shifts and bias scales; None where there are none."""
    found = study.translated
    if not found.scales:
        return None

    def draw(figure: "Figure") -> None:
        panels = [panel for panel in ((_plot_shifts, found.shifts), (_plot_scales, found.scales)) if panel[1]]
        axes = figure.subplots(2, len(panels), sharex="col", sharey="row", height_ratios=(4, 1), squeeze=False)
        for (plot, points), upper, lower in zip(panels, *axes, strict=True):
            plot(points, upper, lower)
        axes[0, 0].set_ylabel("mistakes, bounds")
        axes[1, 0].set_ylabel("γ*")
        handles = axes[0, 0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside upper left", ncols=3, handlelength=_LONG_HANDLE)

    return Picture(
        key="translations",
        title="Mistakes and bounds under translation, and the maximum margin",
        caption="The same rows translated, and run with other bias scales: the mistakes of the perceptron and their "
        "bounds may change by orders of magnitude; the maximum margin, in the lower panels, does not.",
        alt=_translations_alt(found.shifts, found.scales),
        size=(WIDTH, 4.4),
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


def _plot_margins(points: Points, ax: "Axes", *, over: str) -> None:
    """Draw the maximum margin at the same points."""
    lower = [point.margin_lower for point in points]
    ax.plot([getattr(point, over) for point in points], lower, color=style.MAXIMUM, marker="o", markersize=3)
    ax.set_ylim(0, _ROOM * max(lower) or 1.0)
    ax.set_yticks([0, lower[0]], ["0", number(lower[0], 3)])
    style.thin_grid(ax)


def _plot_shifts(points: Points, upper: "Axes", lower: "Axes") -> None:
    """Draw the study of shifts, from centred rows, at -1, through the rows as given, at 0."""
    plot_points(points, upper, over="shift")
    _plot_margins(points, lower, over="shift")
    lower.set_xlabel("shift in means of the rows; −1 centres them")
    style.plain_numbers(lower.xaxis)


def _plot_scales(points: Points, upper: "Axes", lower: "Axes") -> None:
    """Draw the study of bias scales, with a line at the best one."""
    plot_points(points, upper, over="bias_scale")
    _plot_margins(points, lower, over="bias_scale")
    style.log_scale(lower, "x", span=points[-1].bias_scale / points[0].bias_scale)
    best = [point.bias_scale for point in points if point.is_best_scale]
    for ax in (upper, lower):
        for scale in best:
            ax.axvline(scale, color=style.INK, linewidth=0.8, linestyle=":")
    lower.set_xlabel("bias scale s; dotted: √(R|b|)" if best else "bias scale s")
