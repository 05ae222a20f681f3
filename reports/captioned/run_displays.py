"""Captioned displays of the run along its mistakes, of its epochs, and of other orders of the rows."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.mistake_bounds_display import MistakeBoundsDisplay
from maxmargin.displays.order_study_display import FAINT, OrderStudyDisplay, drawn_bounds, marks_of
from maxmargin.displays.proof_curves_display import ProofCurvesDisplay, bound_in_view
from maxmargin.reports.captioned.captioned_display import CaptionedDisplay, stacked
from maxmargin.reports.captioned.margin_path_display import MarginPathDisplay
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import count, percent, plural, rounded, upper_end
from maxmargin.theory.order_studies import OrderStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from maxmargin.reports.study.two_class_study import TwoClassStudy

# Ratio of the maximum margins of the two spaces above which a second panel would show the same.
_ALIKE = 0.9


def margin_path(study: "TwoClassStudy") -> CaptionedDisplay:
    """Return the figure of the margin achieved and of its upper bound from the mistakes."""
    run, last = study.run, study.run.margin_upper
    best = None if study.maximum is None else study.hard.lower
    panels = [MarginPathDisplay(trace=study.trace, maximum=best)]
    caption = wording("margin_path")
    if study.trace.u is not None and study.run_hard.upper < _ALIKE * study.hard.lower:
        panels.append(MarginPathDisplay(trace=study.trace, maximum=study.run_hard.lower, space="run"))
        caption += (
            f" Below, the same in the space (x, {rounded(study.scale)}) of the run, in which the upper bound is ‖w‖/M "
            "and the maximum margin is g, which differs from γ*."
        )
    known = "" if best is None else f" The maximum margin is {rounded(best)}."
    upper = "" if last is None else f" The upper bound from its mistakes ends at {rounded(last)}."
    return CaptionedDisplay(
        key="margin-path",
        title="Interval of the maximum margin that the run itself proves",
        caption=caption,
        alt=f"Line of the margin achieved over the mistakes: after {plural(run.n_mistakes, 'mistake')} it is "
        f"{rounded(run.margin)}.{upper}{known}",
        height=3.9 if len(panels) == 1 else 6.2,
        draw=stacked(panels),
    )


def proof_curves(study: "TwoClassStudy") -> CaptionedDisplay:
    """Return the figure of the quantities of Novikoff's proof."""
    trace = study.trace
    last = {name: values[-1] for name, values in trace.columns().items()}
    below = meet = ""
    caption = "√M·R bounds ‖w‖ from above. No separating hyperplane is known, so nothing bounds it from below."
    if trace.u is not None:
        below = f", w·u* is {rounded(last['w_dot_u'])} and M g is {rounded(last['w_dot_u_at_least'])}"
        meet = f" The line M g and the curve √M·R meet at {upper_end(trace.bound)} mistakes."
        dotted = " Dotted: the line and the curve up to where they meet, at Novikoff's bound."
        caption = wording("proof_curves") + (dotted if bound_in_view(trace) else "")
    return CaptionedDisplay(
        key="proof-curves",
        title=f"The {'two curves' if trace.u is not None else 'upper curve'} of Novikoff's proof",
        caption=f"{caption}{_thinned(study)}",
        alt=f"Curves over the mistakes: after {plural(study.run.n_mistakes, 'mistake')} √M·R is "
        f"{rounded(last['norm_at_most'])} and ‖w‖ is {rounded(last['norm'])}{below}.{meet}",
        draw=stacked([ProofCurvesDisplay(trace=trace)]),
    )


def _thinned(study: "TwoClassStudy") -> str:
    n_all, n_drawn = study.run.n_mistakes, len(study.trace.n_mistakes)
    return "" if study.trace.is_whole else f" {count(n_drawn)} of the {plural(n_all, 'mistake')} are drawn."


def potential(study: "TwoClassStudy") -> CaptionedDisplay | None:
    """Return the figure of the fall of the potential; None if no direction is known to separate."""
    trace = study.trace
    if trace.u is None:
        return None
    return CaptionedDisplay(
        key="potential",
        title="The fall of the potential",
        caption=wording("potential") + _thinned(study),
        alt="Curve of the fall of the potential over the mistakes, above the line of one unit per mistake: after "
        f"{plural(study.run.n_mistakes, 'mistake')} it has lost {rounded(float(trace.potential_drop[-1]))} of the "
        f"{upper_end(trace.bound)} units it had.",
        draw=stacked([ProofCurvesDisplay(trace=trace, kind="potential")]),
    )


def mistakes(study: "TwoClassStudy") -> CaptionedDisplay:
    """Return the figure of the mistakes of the run over its epochs."""
    run, holding = study.run, _holding(study)
    against = f"the bounds that hold are {_named(holding)}" if holding else "no bound holds"
    total = np.cumsum(run.mistakes_per_epoch)
    return CaptionedDisplay(
        key="mistakes",
        title="Mistakes over epochs, against the bounds",
        caption=wording("mistakes_over_epochs"),
        alt=f"Line of the mistakes made so far over the epochs: it rises to {plural(run.n_mistakes, 'mistake')} "
        f"after {plural(run.n_epochs, 'epoch')}; {against}.",
        draw=stacked([MistakeBoundsDisplay(mistakes=total, n_mistakes=run.n_mistakes, bounds=holding)]),
    )


def _named(bounds: dict[str, float]) -> str:
    return ", ".join(f"{name} {upper_end(value)}" for name, value in bounds.items())


def _holding(study: "TwoClassStudy") -> dict[str, float]:
    """Return the bounds whose assumption holds, by name, in increasing order.

    Bounds that are not below the number of presentations are left out, except for the smallest one if there are no
    others.
    """
    found = [bound for bound in study.bounds if bound.valid and np.isfinite(bound.value)]
    ordered = sorted(found, key=lambda bound: bound.value)
    shown = [bound for bound in ordered if bound.value < study.run.n_presentations] or ordered[:1]
    return {bound.name: bound.value for bound in shown}


def orders(study: "TwoClassStudy") -> CaptionedDisplay | None:
    """Return the figure of the mistakes of random orders; None if none were run."""
    found = study.orders
    if found is None:
        return None
    shows = has_margins(found)

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(1, 1 + shows, sharey=True, squeeze=False, width_ratios=(2, 1)[: 1 + shows])
        OrderStudyDisplay(study=found, bounds=drawn_bounds(found)).plot(axes[0, 0], legend=False)
        if shows:
            _draw_margins(found, axes[0, 1])
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=3)

    margins = " Right: the margin that each order achieved; the line is γ*." if shows else ""
    return CaptionedDisplay(
        key="orders",
        title="Mistakes over random orders of the rows",
        caption=wording("mistakes_of_orders") + margins,
        alt=_orders_alt(found),
        height=4.4,
        draw=draw,
    )


def _orders_alt(study: OrderStudy) -> str:
    quantiles, outcomes = study.quantiles, study.outcomes
    bounds = drawn_bounds(study)
    limit = study.settings.max_epochs
    until = "until convergence" if limit is None else f"in {plural(limit, 'pass', 'passes')}"
    text = (
        f"Histogram of the mistakes of {plural(len(outcomes.n_mistakes), 'random order')} {until}: from "
        f"{count(quantiles[0.0])} to {count(quantiles[1.0])}, half of them at most {count(quantiles[0.5])}. "
        f"{'; '.join(marks_of(study))}. "
        f"{f'Bounds that hold for any order: {_named(bounds)}' if bounds else 'No bound is drawn'}."
    )
    if not has_margins(study):
        return text
    low, high = (percent(float(value) / study.hard.lower) for value in (outcomes.margin.min(), outcomes.margin.max()))
    return f"{text} Beside it, the achieved margins, from {low} to {high} of the maximum margin."


def _draw_margins(study: OrderStudy, ax: "Axes") -> None:
    """Draw the margin that every random order achieved against its mistakes, and the maximum margin."""
    runs = study.outcomes
    ax.plot(runs.margin, runs.n_mistakes, "o", color=drawing.PERCEPTRON, markersize=2, alpha=FAINT)
    ax.axvline(study.hard.lower, color=drawing.MAXIMUM)
    ax.set(xlim=(0, 1.08 * study.hard.lower), xlabel=f"achieved margin; γ* = {rounded(study.hard.lower, 3)}")
    ax.locator_params("x", nbins=4)
    drawing.plain_numbers(ax.xaxis)
    drawing.thin_grid(ax)


def has_margins(study: OrderStudy) -> bool:
    """Return whether every random order ended on a hyperplane, whose margin can be compared with the maximum."""
    runs = study.outcomes
    return bool(runs.converged.all() and np.isfinite(runs.margin).all()) and study.hard.lower > 0
