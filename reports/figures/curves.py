"""The run along its mistakes: the margins that it proves on its way, and the quantities of Novikoff's proof."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.proof_curves_display import ProofCurvesDisplay, bound_in_view, scale_mistakes_along
from maxmargin.reports.figures import canvas
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.text.number_formats import count, number, plural, upper_end

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study.two_class_study import TwoClassStudy as Study
    from maxmargin.theory.mistake_traces import MistakeTrace


_LEAST_THRESHOLD = 1e-300
"""Smallest start of a logarithmic scale: scales near the end of binary64 underflow."""

_ALIKE = 0.9
"""Ratio of the maximum margins of the two spaces above which a second panel would show the same."""

_INVISIBLE = 0.02
"""Fraction of the range below which the maximum margin is visible on a logarithmic scale only."""


def margin_path(study: "Study") -> canvas.Picture:
    """Return the figure of the margin achieved and of its upper bound from the mistakes."""
    panels = (plot_margin_path, plot_run_margin_path)[: 1 + _shows_run_space(study)]
    run, last = study.run, study.run.margin_upper
    known = "" if study.maximum is None else f" The maximum margin is {number(study.hard.lower)}."
    upper = "" if last is None else f" The upper bound from its mistakes ends at {number(last)}."
    return canvas.Picture(
        key="margin-path",
        title="Interval of the maximum margin that the run itself proves",
        caption=_margin_path_caption(study),
        alt=f"Line of the margin achieved over the mistakes: after {plural(run.n_mistakes, 'mistake')} it is "
        f"{number(run.margin)}.{upper}{known}",
        height=3.9 if len(panels) == 1 else 6.2,
        draw=canvas.stacked(panels, study, "mistakes made so far"),
    )


def _margin_path_caption(study: "Study") -> str:
    text = (
        "Smallest geometric margin y(w·x + b)/‖w‖ over all rows after each number of mistakes; below 0, a row is on "
        "its wrong side. The upper curve bounds γ* from above and uses the counts of the mistakes only. Shaded: the "
        "interval of γ* that is proven by then."
    )
    if not _shows_run_space(study):
        return text
    return (
        f"{text} Below, the same in the space (x, {number(study.scale)}) of the run, in which the upper bound is ‖w‖/M "
        "and the maximum margin is g, which differs from γ*."
    )


def _shows_run_space(study: "Study") -> bool:
    """Return whether the maximum margin in the space of the run is so much less that it is drawn as well."""
    return study.trace.u is not None and study.run_hard.upper < _ALIKE * study.hard.lower


def plot_margin_path(study: "Study", ax: "Axes") -> "Axes":
    """Draw the margin achieved, its upper bound from the mistakes so far, and the maximum margin."""
    trace, best = study.trace, study.hard.lower if study.maximum is not None else None
    ax.set_ylabel("geometric margin")
    ends = trace.margin, trace.margin_upper
    return _plot_interval(ax, trace, ends, "upper bound of γ* from the mistakes", best, "γ*")


def plot_run_margin_path(study: "Study", ax: "Axes") -> "Axes":
    """Draw the same in the space of the run, where the upper bound is ||w||/M."""
    trace = study.trace
    ax.set_ylabel(f"margin of the rows (x, {number(study.scale)})")
    return _plot_interval(ax, trace, (trace.lower, trace.upper), "‖w‖/M", study.run_hard.lower, "g")


def _plot_interval(
    ax: "Axes", trace: "MistakeTrace", ends: tuple[Floats, Floats], label: str, best: float | None, symbol: str
) -> "Axes":
    """Draw both ends over the mistakes, the interval that they have proven so far, and the maximum margin."""
    M, upper = trace.n_mistakes, ends[1]
    lower = np.where(np.isfinite(ends[0]), ends[0], np.nan)
    size = 3 if len(M) <= drawing.MOST_MARKED else 1.5
    proven = np.fmax.accumulate(np.fmax(lower, 0.0)), np.fmin.accumulate(upper)
    ax.fill_between(M, *proven, color=drawing.BOUND, alpha=0.14, linewidth=0, label="proven so far")
    ax.plot(M, upper, color=drawing.BOUND, marker="o", markersize=size, label=label)
    if best is not None:
        ax.axhline(best, color=drawing.MAXIMUM, label=f"{symbol} = {number(best)}")
    ax.axhline(0, color=canvas.INK, linewidth=0.8)
    ax.plot(M, lower, color=drawing.PERCEPTRON, marker="o", markersize=size, label="achieved margin")
    scale_mistakes_along(ax, float(M[-1]))
    _scale_margins(ax, best, np.concatenate([lower, upper]))
    drawing.finish(ax)
    return ax


def _scale_margins(ax: "Axes", best: float | None, values: Floats) -> None:
    """Use a scale that is logarithmic on both sides of 0 if the maximum margin is too small to be visible."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if best is None or best <= 0 or best > _INVISIBLE * largest:  # the least numbers may have a margin that rounds to 0
        return
    from matplotlib.ticker import NullLocator, SymmetricalLogLocator

    threshold = max(10.0 ** int(np.floor(np.log10(best))), _LEAST_THRESHOLD)
    ax.set_yscale("symlog", linthresh=threshold, linscale=1.0)
    locator = SymmetricalLogLocator(base=10, linthresh=threshold)
    locator.set_params(numticks=9)
    ax.yaxis.set_major_locator(locator)
    ax.yaxis.set_minor_locator(NullLocator())
    drawing.plain_numbers(ax.yaxis)


def proof_curves(study: "Study") -> canvas.Picture:
    """Return the figure of the quantities of Novikoff's proof."""
    trace = study.trace
    last = {name: values[-1] for name, values in trace.columns().items()}
    above = f"√M·R is {number(last['norm_at_most'])} and ‖w‖ is {number(last['norm'])}"
    below = meet = ""
    if trace.u is not None:
        below = f", w·u* is {number(last['w_dot_u'])} and M g is {number(last['w_dot_u_at_least'])}"
        meet = f" The line M g and the curve √M·R meet at {upper_end(trace.bound)} mistakes."
    return canvas.Picture(
        key="proof-curves",
        title=f"The {'two curves' if trace.u is not None else 'upper curve'} of Novikoff's proof",
        caption=f"{_curves_caption(trace)}{_thinned(study)}",
        alt=f"Curves over the mistakes: after {plural(study.run.n_mistakes, 'mistake')} {above}{below}.{meet}",
        draw=canvas.stacked([plot_proof_curves], study),
    )


def _curves_caption(trace: "MistakeTrace") -> str:
    if trace.u is None:
        return "√M·R bounds ‖w‖ from above. No separating hyperplane is known, so nothing bounds it from below."
    dotted = (
        " Dotted: the line and the curve up to where they meet, at Novikoff's bound." if bound_in_view(trace) else ""
    )
    return (
        "In every run, w·u* stays on or above the line M g, ‖w‖ stays on or below the curve √M·R, and w·u* does not "
        f"exceed ‖w‖.{dotted}"
    )


def _thinned(study: "Study") -> str:
    n_all, n_drawn = study.run.n_mistakes, len(study.trace.n_mistakes)
    return "" if study.trace.is_whole else f" {count(n_drawn)} of the {plural(n_all, 'mistake')} are drawn."


def plot_proof_curves(study: "Study", ax: "Axes") -> "Axes":
    """Draw the quantities of the proof over the mistakes."""
    return ProofCurvesDisplay(trace=study.trace).plot(ax).ax_


def potential(study: "Study") -> canvas.Picture | None:
    """Return the figure of the fall of the potential; None where no direction separates."""
    trace = study.trace
    if trace.u is None:
        return None
    return canvas.Picture(
        key="potential",
        title="The fall of the potential",
        caption="Decrease of ½‖c u* − w‖² since w = 0, in units of R²/2. The proof guarantees one unit per mistake, "
        f"and there are R²/g² units in all, so there can be no more mistakes than that.{_thinned(study)}",
        alt="Curve of the fall of the potential over the mistakes, above the line of one unit per mistake: after "
        f"{plural(study.run.n_mistakes, 'mistake')} it has lost {number(float(trace.potential_drop[-1]))} of the "
        f"{upper_end(trace.bound)} units it had.",
        draw=canvas.stacked([plot_potential], study),
    )


def plot_potential(study: "Study", ax: "Axes") -> "Axes":
    """Draw the fall of the potential, the fall that the proof guarantees, and the largest possible fall."""
    trace = study.trace
    M, drop, end = trace.n_mistakes, trace.potential_drop, bound_in_view(trace)
    top = max(float(drop[-1]), end)
    is_log = drawing.is_far_apart(1.0, max(float(M[-1]), top))
    if is_log:
        drawing.log_scale(ax, "x", span=float(M[-1]))
        drawing.log_scale(ax, "y", span=top)
    else:
        drawing.whole_numbers(ax.xaxis)
        ax.set_xlim(0, 1.03 * float(M[-1]))
    size = 3 if len(M) <= drawing.MOST_MARKED else 0
    if end:
        ax.axhline(end, color=drawing.BOUND, label=f"R²/g² = {upper_end(end)}")
    ax.plot(M, drop, color=drawing.PERCEPTRON, marker="o", markersize=size, label="lost")
    ax.plot(M, M.astype(np.float64), color=drawing.MAXIMUM, marker="o", markersize=size, label="guaranteed: M")
    if not is_log:
        ax.set_ylim(bottom=0)
    ax.set_xlabel("mistakes M")
    ax.set_ylabel("fall of the potential / (R²/2)")
    drawing.finish(ax)
    return ax
