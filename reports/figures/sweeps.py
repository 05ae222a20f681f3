"""What changes over a parameter: mistakes over epochs, orders, shifts and bias scales; the soft margin over C."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.api.measures import norm
from maxmargin.displays import drawing
from maxmargin.reports.figures import canvas
from maxmargin.text.number_formats import count, number, percent, plural, upper_end
from maxmargin.theory.order_studies import OrderStudy
from maxmargin.theory.translation_study import StudiedPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from maxmargin.reports.study.study import Study

Points = tuple[StudiedPoint, ...]

_MOST_POINTS = 400
_MOST_TICKED = 10
"""Largest number of epochs for which each has a mark on the curve and a number on the axis."""

_HIGHEST = 1e300
"""Largest end of an axis: scales near the end of binary64 overflow."""

_MOST_ON_A_LINE = 2

_LABEL_ROOM, _LABEL_SHARE = 0.06, 0.1
"""Fractions of the height of the axes: the room for a label, and the room above the highest line."""

_MOST_BARS = 30
_BAR = 0.8
"""Fraction of the distance between two counts that a bar takes."""

_BEYOND = 1_000
"""Multiple of the most mistakes above which a bound counts as far away."""

_FAINT = 0.5
"""Opacity of the bars, and of the points of single orders."""

_BEST_SCALE_BOUND = "(R + |b|)²/γ*², a bound at the best s only"

_LEAST_MISTAKES = 0.7
"""Start of the logarithmic axis of mistakes, so that 1 is visible."""

_ROOM = 1.25
"""Top of the panel of the maximum margin, as a multiple of it."""

_LONG_HANDLE = 2.4
"""Length of the handles of a legend that tells dashed from solid lines, in font sizes."""


def mistakes(study: "Study") -> canvas.Picture:
    """Return the figure of the mistakes of the run over its epochs."""
    bounds = _named(_holding(study))
    against = f"the bounds that hold are {bounds}" if bounds else "no bound holds"
    return canvas.Picture(
        key="mistakes",
        title="Mistakes over epochs, against the bounds",
        caption="Mistakes made by the end of each epoch, and the bounds that hold for this run. Bounds whose "
        "assumption is not proven, or that are not below the number of presentations, are left out; if none remains, "
        "the smallest one that holds is drawn.",
        alt=f"Line of the mistakes made so far over the epochs: it rises to {plural(study.run.n_mistakes, 'mistake')} "
        f"after {plural(study.run.n_epochs, 'epoch')}; {against}.",
        draw=canvas.stacked([plot_mistakes], study),
    )


def _named(bounds: dict[str, float]) -> str:
    return ", ".join(f"{name} {upper_end(value)}" for name, value in bounds.items())


def plot_mistakes(study: "Study", ax: "Axes") -> "Axes":
    """Draw the cumulative mistakes, and each bound that holds as a line with its name and value."""
    total = np.cumsum(study.run.mistakes_per_epoch)
    shown = _drawn_epochs(len(total))
    bounds = _holding(study)
    top = max([float(total[-1]), *bounds.values()])
    _scale_mistakes(ax, float(total[0]), top, shown=float(total[-1]))
    marker = "o" if len(total) <= drawing.MOST_MARKED else ""
    label = f"perceptron: {plural(study.run.n_mistakes, 'mistake')}"
    ax.plot(shown + 1, total[shown], color=drawing.PERCEPTRON, marker=marker, markersize=4, zorder=3, label=label)
    ax.set_xlim(0, 1.01 * len(total))
    if len(total) <= _MOST_TICKED:
        ax.set_xticks(range(len(total) + 1))
    else:
        drawing.plain_numbers(ax.xaxis)
    _draw_bounds(ax, bounds, label="bounds that hold")
    ax.set(xlabel="epoch", ylabel="mistakes so far")
    drawing.finish(ax)
    return ax


def _drawn_epochs(n: int) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return epochs to draw: the early ones densely, and evenly spaced ones."""
    early = np.geomspace(1, n, min(n, _MOST_POINTS)).astype(np.intp) - 1
    return np.union1d(early, drawing.thinned(n, _MOST_POINTS))


def _holding(study: "Study") -> dict[str, float]:
    """Return the bounds whose assumption holds, by name, in increasing order.

    Bounds of at least the number of presentations are left out, except for the smallest one if there are no others.
    """
    found = [bound for bound in study.bounds if bound.valid and np.isfinite(bound.value)]
    ordered = sorted(found, key=lambda bound: bound.value)
    shown = [bound for bound in ordered if bound.value < study.run.n_presentations] or ordered[:1]
    return {bound.name: bound.value for bound in shown}


def _scale_mistakes(ax: "Axes", least: float, top: float, *, shown: float) -> bool:
    """Scale the axis of mistakes up to the top; return whether it is logarithmic, as `shown` is far below the top.

    A logarithmic axis begins below the least number and leaves room for the label of the top one.
    """
    if not drawing.is_far_apart(shown, top):
        ax.set_ylim(0, top * 1.08)
        drawing.plain_numbers(ax.yaxis)
        return False
    drawing.log_scale(ax, "y")
    bottom = max(0.7, least / 2)
    ax.set_ylim(bottom, min(top * (top / bottom) ** _LABEL_SHARE, _HIGHEST))
    return True


def _draw_bounds(ax: "Axes", bounds: dict[str, float], *, label: str = "") -> None:
    """Draw every bound as a line with its name and value; the legend has one label for all of them.

    Lines that are too close for two names share one text.
    """
    to_axes = ax.transData + ax.transAxes.inverted()
    groups: list[tuple[float, list[str]]] = []
    for position, (name, value) in enumerate(bounds.items()):
        ax.axhline(value, color=drawing.BOUND, linewidth=1.4, zorder=2, label="" if position else label)
        height = float(to_axes.transform((0, value))[1])
        is_near = bool(groups) and height - groups[-1][0] < _LABEL_ROOM
        texts = groups.pop()[1] if is_near else []
        groups.append((height, [*texts, f"{name} {upper_end(value)}"]))
    for height, texts in groups:
        ax.text(0.01, height + 0.01, _joined(texts), transform=ax.transAxes, va="bottom", fontsize=8.5)


def _joined(texts: list[str]) -> str:
    """Return the labels in one line, as many as fit."""
    shown = texts[:_MOST_ON_A_LINE]
    more = len(texts) - len(shown)
    return ",  ".join([*shown, f"and {more} more"] if more else shown)


def orders(study: "Study") -> canvas.Picture | None:
    """Return the figure of the mistakes of random orders; None where none were run."""
    found = study.orders
    if found is None:
        return None

    def draw(figure: "Figure") -> None:
        if not shows_margins(found):
            plot_orders(found, figure.add_subplot())
        else:
            left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1))
            plot_orders(found, left)
            plot_order_margins(found, right)
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)

    margins = " Right: the margin that each order achieved; the line is γ*." if shows_margins(found) else ""
    return canvas.Picture(
        key="orders",
        title="Mistakes over random orders of the rows",
        caption="Distribution of the mistakes over random orders, and the bounds that hold for any order. An "
        "adversary may choose, and repeat, any row at any time. Bounds that are vacuous or far away are left out; "
        f"if none remains, the smallest one is drawn.{margins}",
        alt=_orders_alt(found),
        height=4.4,
        draw=draw,
    )


def _orders_alt(study: OrderStudy) -> str:
    quantiles, outcomes = study.quantiles, study.outcomes
    bounds = _named(drawn_bounds(study))
    marks = "; ".join(name for name, *_ in _marks(study))
    until = "until convergence" if study.settings.max_epochs is None else _passes(study, "in")
    text = (
        f"Histogram of the mistakes of {plural(len(outcomes.n_mistakes), 'random order')} {until}: from "
        f"{count(quantiles[0.0])} to {count(quantiles[1.0])}, half of them at most {count(quantiles[0.5])}. {marks}. "
        f"{f'Bounds that hold for any order: {bounds}' if bounds else 'No bound is drawn'}."
    )
    if not shows_margins(study):
        return text
    low, high = (percent(float(value) / study.hard.lower) for value in (outcomes.margin.min(), outcomes.margin.max()))
    return f"{text} Beside it, the achieved margins, from {low} to {high} of the maximum margin."


def plot_orders(study: OrderStudy, ax: "Axes") -> "Axes":
    """Draw how many random orders made how many mistakes, the orders found by search, and the bounds as lines."""
    bounds = drawn_bounds(study)
    top = max([float(study.most_seen), float(study.worst_case or 0), *bounds.values()])
    is_logarithmic = _scale_mistakes(ax, float(study.fewest_seen), top, shown=float(study.quantiles[0.5]))
    ax.hist(
        study.outcomes.n_mistakes, bins=_edges(study, is_logarithmic=is_logarithmic), orientation="horizontal",
        color=drawing.POSITIVE, alpha=_FAINT, rwidth=_BAR,
    )  # fmt: skip
    for name, n_mistakes, colour, marker in _marks(study):
        ax.plot([0], [n_mistakes], color=colour, marker=marker, linestyle="", clip_on=False, zorder=4, label=name)
    _draw_bounds(ax, bounds)
    drawing.whole_numbers(ax.xaxis)
    ylabel = "mistakes" if study.settings.max_epochs is None else _passes(study, "mistakes in")
    ax.set(xlabel="random orders", ylabel=ylabel)
    drawing.thin_grid(ax)
    return ax


def plot_order_margins(study: OrderStudy, ax: "Axes") -> "Axes":
    """Draw the margin that every random order achieved against its mistakes, and the maximum margin."""
    runs = study.outcomes
    ax.plot(runs.margin, runs.n_mistakes, "o", color=drawing.PERCEPTRON, markersize=2, alpha=_FAINT)
    ax.axvline(study.hard.lower, color=drawing.MAXIMUM)
    ax.set(xlim=(0, 1.08 * study.hard.lower), xlabel=f"achieved margin; γ* = {number(study.hard.lower, 3)}")
    ax.locator_params("x", nbins=4)
    drawing.plain_numbers(ax.xaxis)
    drawing.thin_grid(ax)
    return ax


def shows_margins(study: OrderStudy) -> bool:
    """Return whether every random order ended on a hyperplane, whose margin can be compared with the maximum."""
    runs = study.outcomes
    return bool(runs.converged.all() and np.isfinite(runs.margin).all()) and study.hard.lower > 0


def drawn_bounds(study: OrderStudy) -> dict[str, float]:
    """Return the bounds that are drawn, in increasing order: neither vacuous nor far away, else the smallest one."""
    found = sorted((bound for bound in study.bounds if np.isfinite(bound.value)), key=lambda bound: bound.value)
    near = [bound for bound in found if not bound.vacuous and bound.value <= _BEYOND * max(1, study.most_seen)]
    return {bound.name: bound.value for bound in near or found[:1]}


def _marks(study: OrderStudy) -> list[tuple[str, int, str, str]]:
    """Return the marks: name with the number, the number, colour and shape."""
    marks = [
        ("order of the source: ", study.given.n_mistakes, canvas.INK, "o"),
        ("fewest by search: ", study.fewest.n_mistakes, drawing.MAXIMUM, "v"),
        ("most by search: ", study.most.n_mistakes, drawing.PERCEPTRON, "^"),
    ]
    sequence, worst = study.sequence, study.worst_case
    if sequence is not None:
        at_least = "" if sequence.is_complete else "≥ "
        marks.append((f"adversary: {at_least}", sequence.n_mistakes, drawing.PERCEPTRON, "D"))
    if worst is not None:
        marks.append(("worst of all, proven: ", worst, drawing.PERCEPTRON, "*"))
    return [(f"{name}{count(value)}", value, colour, marker) for name, value, colour, marker in marks]


def _edges(study: OrderStudy, *, is_logarithmic: bool) -> list[float]:
    """Return the ends of the bars, half way between whole numbers; each bar holds one count or equally many."""
    counts = study.outcomes.n_mistakes
    least, most = int(counts.min()), int(counts.max())
    if is_logarithmic and most - least >= _MOST_BARS:
        whole = np.unique(np.rint(np.geomspace(max(least, 1), most + 1, _MOST_BARS + 1)))
        return [float(value) - 0.5 for value in whole]
    width = -(-(most - least + 1) // _MOST_BARS)
    return [value - 0.5 for value in range(least, most + width + 1, width)]


def _passes(study: OrderStudy, what: str) -> str:
    return f"{what} {plural(study.settings.max_epochs or 0, 'pass', 'passes')}"


def soft_margin(study: "Study") -> canvas.Picture:
    """Return the figure of the soft margin over C."""
    first, last = study.soft[0], study.soft[-1]
    widths = ["infinity" if point.plane is None else number(1 / norm(point.w)) for point in (first, last)]
    return canvas.Picture(
        key="soft-margin",
        title="The soft margin over C",
        caption="Margin width 1/‖w‖, and the numbers of rows in error, with slack, and with a positive multiplier.",
        alt=f"Two panels over C from {number(first.solution.C)} to {number(last.solution.C)}. The margin width goes "
        f"from {widths[0]} to {widths[1]}; the errors from {plural(first.n_errors, 'row')} to "
        f"{plural(last.n_errors, 'row')}; the support rows from {first.n_support} to {last.n_support}.",
        height=4.8,
        draw=canvas.stacked([plot_soft_widths, plot_soft_counts], study),
    )


def plot_soft_widths(study: "Study", ax: "Axes") -> "Axes":
    """Draw the margin width 1/||w|| over C, with the maximum margin as its limit."""
    points = [(point.solution.C, 1 / norm(point.w)) for point in study.soft if point.plane is not None]
    limit = [study.hard.lower] if study.maximum is not None else []
    drawing.log_scale(ax, "x")
    widths = [width for _, width in points] + limit
    if widths and drawing.is_far_apart(min(widths), max(widths)):
        drawing.log_scale(ax, "y", span=max(widths) / min(widths))
    else:
        ax.set_ylim(0, 1.08 * max(widths, default=0.0) or 1.0)
    if not points:
        ax.text(0.5, 0.5, "w = 0 at every C: no margin to show", transform=ax.transAxes, ha="center", va="center")
    else:
        ax.plot(*zip(*points, strict=True), color=drawing.POSITIVE, marker="o", markersize=4, label="soft margin 1/‖w‖")
    for value in limit:
        ax.axhline(value, color=drawing.MAXIMUM, linestyle=(0, (4, 2)), label=f"γ* = {number(value)}", zorder=1)
    ax.set_ylabel("margin width")
    drawing.finish(ax)
    return ax


def plot_soft_counts(study: "Study", ax: "Axes") -> "Axes":
    """Draw errors, rows with slack and support rows over C."""
    Cs = [point.solution.C for point in study.soft]
    curves = (
        ("support rows", [p.n_support for p in study.soft], drawing.BOUND, "s"),
        ("rows with slack", [p.n_slack for p in study.soft], drawing.POSITIVE, "o"),
        ("errors", [p.n_errors for p in study.soft], drawing.PERCEPTRON, "^"),
    )
    drawing.log_scale(ax, "x")
    for label, values, colour, marker in curves:
        ax.plot(Cs, values, color=colour, marker=marker, markersize=4, label=label)
    ax.set_ylim(0, 1.08 * max(max(values) for _, values, _, _ in curves) or 1)
    drawing.whole_numbers(ax.yaxis)
    ax.set(xlabel="C", ylabel="rows")
    drawing.finish(ax)
    return ax


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
        values = [min(getattr(point, name), _HIGHEST) for point in points]
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
