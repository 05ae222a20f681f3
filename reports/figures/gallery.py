"""Which figures a two-class report has, with their captions."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from maxmargin.reports.figures.canvas import Picture
from maxmargin.reports.figures.distances import alt_distances, plot_distances
from maxmargin.reports.figures.margin_path import (
    alt_margin_path,
    margin_path_caption,
    plot_margin_path,
    plot_run_margin_path,
    shows_run_space,
)
from maxmargin.reports.figures.mistakes import alt_mistakes, plot_mistakes
from maxmargin.reports.figures.order_pictures import alt_orders, plot_order_margins, plot_orders, shows_margins
from maxmargin.reports.figures.projection import (
    alt_projection,
    half_width,
    marked_rows,
    plot_projection,
    sampled_rows,
    shows_touched,
    view_of,
)
from maxmargin.reports.figures.proof_curves import (
    alt_potential,
    alt_proof_curves,
    drawn_bound,
    plot_potential,
    plot_proof_curves,
)
from maxmargin.reports.figures.soft_path import alt_soft_path, plot_soft_counts, plot_soft_widths
from maxmargin.reports.figures.translations import alt_translations, plot_scales, plot_shifts
from maxmargin.reports.number_formats import count, number, plural
from maxmargin.reports.study.measures import Plane, distances_of, norm
from maxmargin.reports.study.study import Study
from maxmargin.reports.study.translated import Translated
from maxmargin.theory.order_studies import OrderStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 7.2
_LONG_HANDLE = 2.4
"""Of a legend that tells dashed lines from others."""

_OVERLAP = 0.2
"""Ratio of two ranges of distances below which they do not share an axis."""

_SHARES = "half of the sample from either class, where it has as many"


_LARGEST_DRAWN = 1e150
"""Largest number of the data, and of the bias coordinate, up to which axes in their units are drawn."""

_FARTHEST_DRAWN = 1e300
"""Greatest distance of a hyperplane from the origin, and margin width, up to which axes with them are drawn."""

_IN_UNITS = {
    "margin-path": "achieved margin",
    "proof-curves": "quantities in Novikoff's proof",
    "orders": "random orders and their margins",
    "translations": "mistakes under translation",
    "distances": "distances of the rows",
    "projection": "rows and the hyperplanes",
    "soft-margin": "soft margin over C",
}
"""The figures that have an axis in units of the data, and what they show."""


def pictures(study: Study) -> tuple[Picture, ...]:
    """Return the figures of the study, in the order of the page, without those that are left out."""
    omitted, planes = left_out(study), _planes(study)
    makers: dict[str, Callable[[], Picture | None]] = {
        "margin-path": lambda: _margin_path(study),
        "proof-curves": lambda: _curves(study),
        "potential": lambda: _potential(study),
        "mistakes": lambda: _mistakes(study),
        "orders": lambda: _orders(study.orders),
        "translations": lambda: _translations(study.translated),
        "distances": lambda: _distances(study, planes) if planes else None,
        "projection": lambda: _projection(study),
        "soft-margin": lambda: _soft(study),
    }
    found = [make() for key, make in makers.items() if key not in omitted]
    return tuple(picture for picture in found if picture is not None)


def left_out(study: Study) -> dict[str, str]:
    """Return the keys of the figures that cannot be drawn, each with a sentence that says why."""
    has = {
        "translations": bool(study.translated.scales),
        "orders": study.orders is not None and shows_margins(study.orders),
        "distances": bool(_planes(study)),
    }
    return {
        key: f"The figure of the {name} is left out: its axes cannot hold numbers as large as {number(size)}."
        for key, name in _IN_UNITS.items()
        if has.get(key, True) and (size := _too_large(study, key))
    }


def _too_large(study: Study, key: str) -> float:
    """Return a number on the axes of this figure that is too large for them, 0 if there is none."""
    largest = max(float(study.problem.column_sizes.max()), study.scale)
    if largest > _LARGEST_DRAWN:
        return largest
    farthest = 0.0
    if key in {"distances", "projection"}:
        farthest = max((abs(plane.offset) for plane in _planes(study)), default=0.0)
    elif key == "soft-margin":
        farthest = max((1 / norm(point.w) for point in study.soft if point.plane is not None), default=0.0)
    return farthest if farthest > _FARTHEST_DRAWN else 0.0


def _planes(study: Study) -> list[Plane]:
    return [plane for plane in (study.reference, study.found) if plane is not None]


def _orders(orders: OrderStudy | None) -> Picture | None:
    if orders is None:
        return None

    def draw(figure: "Figure") -> None:
        if not shows_margins(orders):
            plot_orders(orders, figure.add_subplot())
        else:
            left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1))
            plot_orders(orders, left)
            plot_order_margins(orders, right)
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)

    margins = " Beside it, the margin that each of them achieved; γ* is the line." if shows_margins(orders) else ""
    return Picture(
        key="orders",
        title="Mistakes over random orders of the rows",
        caption="How many random orders made how many mistakes, and the bounds that hold for any order. An "
        "adversary may choose, and repeat, any row at any time. Bounds that "
        f"are vacuous or far away are not drawn, but for the least one.{margins}",
        alt=alt_orders(orders),
        size=(_WIDTH, 4.4),
        draw=draw,
    )


def _translations(found: Translated) -> Picture | None:
    if not found.scales:
        return None

    def draw(figure: "Figure") -> None:
        panels = [panel for panel in ((plot_shifts, found.shifts), (plot_scales, found.scales)) if panel[1]]
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
        caption="The same rows moved, and with other constant coordinates for the bias: the mistakes of the perceptron "
        "and their bounds may change by orders of magnitude, the maximum margin below them does not.",
        alt=alt_translations(found),
        size=(_WIDTH, 4.4),
        draw=draw,
    )


def _curves(study: Study) -> Picture:
    """Return the curves of the proof."""
    return Picture(
        key="proof-curves",
        title=f"The {'two curves' if study.trace.u is not None else 'upper curve'} of Novikoff's proof",
        caption=_curves_caption(study),
        alt=alt_proof_curves(study),
        size=(_WIDTH, 3.9),
        draw=_on_axes(plot_proof_curves, study),
    )


def _potential(study: Study) -> Picture | None:
    """Return the fall of the potential; None where no direction separates."""
    if study.trace.u is None:
        return None
    return Picture(
        key="potential",
        title="The fall of the potential",
        caption="What ½‖c u* − w‖² has lost since w = 0, in units of R²/2. The proof guarantees one unit a mistake; "
        f"there are R²/g² units in all, so there can be no more mistakes than that.{_thinned(study)}",
        alt=alt_potential(study),
        size=(_WIDTH, 3.9),
        draw=_on_axes(plot_potential, study),
    )


def _curves_caption(study: Study) -> str:
    if study.trace.u is None:
        text = "From above ‖w‖ is held by √M·R. No hyperplane is known to separate, so nothing holds it from below."
    else:
        text = (
            "Whatever the perceptron does, w·u* stays on or above the line M g, ‖w‖ on or below the curve √M·R, and "
            "w·u* is at most ‖w‖."
        )
        if drawn_bound(study.trace):
            text += " Dotted: how the line and the curve go on to where they meet, at Novikoff's bound."
    return f"{text}{_thinned(study)}"


def _thinned(study: Study) -> str:
    trace = study.trace
    if trace.is_whole:
        return ""
    return f" {count(len(trace.n_mistakes))} of the {plural(study.run.n_mistakes, 'mistake')} are drawn."


def _mistakes(study: Study) -> Picture:
    return Picture(
        key="mistakes",
        title="Mistakes over epochs, against the bounds",
        caption="The mistakes the perceptron had made after each epoch, and the bounds that hold for this run. "
        "Bounds whose assumption is not proven are not drawn, and those of at least the number of presentations only "
        "where there are no others.",
        alt=alt_mistakes(study),
        size=(_WIDTH, 3.9),
        draw=_on_axes(plot_mistakes, study),
    )


def _margin_path(study: Study) -> Picture:
    def draw(figure: "Figure") -> None:
        panels = (plot_margin_path, plot_run_margin_path)[: 1 + shows_run_space(study)]
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for plot, ax in zip(panels, axes, strict=True):
            plot(study, ax)
        axes[-1].set_xlabel("mistakes made so far")

    return Picture(
        key="margin-path",
        title="The interval of the maximum margin that the run itself proves",
        caption=margin_path_caption(study),
        alt=alt_margin_path(study),
        size=(_WIDTH, 6.2 if shows_run_space(study) else 3.9),
        draw=draw,
    )


def _distances(study: Study, planes: list[Plane]) -> Picture:
    def draw(figure: "Figure") -> None:
        spans = [distances_of(study.problem, plane).reach for plane in planes]
        axes = figure.subplots(len(planes), 1, sharex=min(spans) > _OVERLAP * max(spans), squeeze=False)[:, 0]
        for ax, plane in zip(axes, planes, strict=True):
            plot_distances(study, plane, ax)
        axes[0].legend(loc="upper right")
        axes[-1].set_xlabel("geometric margin y(w·x + b)/‖w‖")

    return Picture(
        key="distances",
        title="Distances of the rows from each hyperplane",
        caption="How far the rows lie from each hyperplane, positive on their own side.",
        alt=alt_distances(study, planes),
        size=(_WIDTH, 2.3 * len(planes) + 0.5),
        draw=draw,
    )


def _projection(study: Study) -> Picture:
    return Picture(
        key="projection",
        title="The rows and the hyperplanes",
        caption=_projection_caption(study),
        alt=alt_projection(study),
        size=(_WIDTH, 2.6 if study.problem.n_features == 1 else 5.2),
        draw=_on_axes(plot_projection, study),
    )


def _projection_caption(study: Study) -> str:
    n_features = study.problem.n_features
    if n_features == 1:
        text = "The one feature, with the classes set apart vertically so that they can be told from each other."
    elif n_features == 2:
        text = "The two features."
    else:
        text = "The rows seen in the plane that both normals span: distances from both hyperplanes are true in it."
    if study.reference is not None:
        text += f" The band reaches {number(half_width(study))} to each side of the {study.reference.name} hyperplane."
    if shows_touched(study):
        text += " The dotted hyperplane is that of the proof: no row on its wrong side, the touching rows on it."
    if n_features > 1 and view_of(study).stretched:
        text += " The two axes have different scales, so angles are not true."
    if not study.dataset.is_in_memory:
        text += f" {_drawn(study)}"
    elif len(view_of(study).rows) < study.problem.n_samples:
        text += f" {len(view_of(study).rows):,} of {study.problem.n_samples:,} rows are drawn."
    return text


def _drawn(study: Study) -> str:
    """Return which rows are drawn of those outside memory."""
    marked, name = marked_rows(study)
    n_random = len(sampled_rows(study)[0])
    if n_random == study.problem.n_samples:
        return "All rows are drawn."
    named = f", and the {name}s" if len(marked) else ""
    return f"A random sample of {n_random:,} of the {study.problem.n_samples:,} rows{named} are drawn: {_SHARES}."


def _soft(study: Study) -> Picture:
    def draw(figure: "Figure") -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        plot_soft_widths(study, upper)
        plot_soft_counts(study, lower)

    return Picture(
        key="soft-margin",
        title="The soft margin over C",
        caption="Margin width 1/‖w‖, and the number of rows in error, with slack, and of positive multiplier.",
        alt=alt_soft_path(study),
        size=(_WIDTH, 4.8),
        draw=draw,
    )


def _on_axes(plot: "Callable[[Study, Axes], object]", study: Study) -> "Callable[[Figure], None]":
    """Return what draws a figure of one pair of axes."""

    def draw(figure: "Figure") -> None:
        plot(study, figure.add_subplot())

    return draw
