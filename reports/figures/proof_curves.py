"""Novikoff's proof along the run: M g below, sqrt(M) R above, the weights between, and the fall of the potential."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxmargin.reports.figures import style
from maxmargin.reports.number_formats import number, plural, upper_end

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study.study import Study
    from maxmargin.theory.mistake_traces import MistakeTrace

Floats = NDArray[np.float64]

_NEAR = 1000.0
"""Largest ratio of the bound to the mistakes for which the curves are drawn on to the bound."""

_CURVES = (
    ("norm_at_most", "√M·R", style.BOUND),
    ("root_of_squares", "√(Σ‖x‖²)", style.NEGATIVE),
    ("norm", "‖w‖", style.PERCEPTRON),
    ("w_dot_u", "w·u*", style.POSITIVE),
    ("w_dot_u_at_least", "M g", style.MAXIMUM),
)
"""From the highest to the lowest."""


def plot_proof_curves(study: "Study", ax: "Axes") -> "Axes":
    """Draw the quantities of the proof over the mistakes."""
    trace = study.trace
    M = trace.n_mistakes
    end = drawn_bound(trace)
    is_log = style.is_far_apart(1.0, max(float(M[-1]), end))
    if is_log:
        style.log_scale(ax, "x")
        style.log_scale(ax, "y")
    else:
        style.whole_numbers(ax.xaxis)
        ax.set_xlim(0, 1.03 * max(float(M[-1]), end))
    size = 3 if len(M) <= style.MOST_MARKED else 0
    for name, label, colour in _CURVES:
        values = _drawable(trace.columns()[name], is_log)
        if np.isfinite(values).any():
            ax.plot(M, values, color=colour, marker="o", markersize=size, linewidth=1.4, label=label)
    if end:
        _draw_on(trace, ax, end)
    if not is_log:
        ax.set_ylim(bottom=0)
    ax.set_xlabel("mistakes M")
    style.finish(ax)
    return ax


def drawn_bound(trace: "MistakeTrace") -> float:
    """Return Novikoff's bound where it is near enough to be drawn, else 0."""
    is_near = math.isfinite(trace.bound) and trace.bound <= _NEAR * float(trace.n_mistakes[-1])
    return trace.bound if is_near else 0.0


def _drawable(values: Floats, is_log: bool) -> Floats:
    """Return the values with gaps for what the scale does not have."""
    return np.where(np.isfinite(values) & ((values > 0) | (not is_log)), values, np.nan)


def _draw_on(trace: "MistakeTrace", ax: "Axes", end: float) -> None:
    """Draw the line and the curve on from the last mistake to where they meet."""
    M = np.geomspace(float(trace.n_mistakes[-1]), end, 50)
    for values, colour in ((np.sqrt(M) * trace.radius, style.BOUND), (M * trace.u_margin, style.MAXIMUM)):
        ax.plot(M, values, color=colour, linestyle=(0, (1, 1.5)), linewidth=1.2)
    ax.plot([end], [end * trace.u_margin], "o", color=style.INK, markersize=4)
    ax.annotate(
        f"R²/g² = {upper_end(end)}",
        (end, end * trace.u_margin),
        (-6, 4),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=8.5,
    )


def alt_proof_curves(study: "Study") -> str:
    """Return what the figure shows."""
    trace = study.trace
    last = {name: values[-1] for name, values in trace.columns().items()}
    above = f"√M·R is {number(last['norm_at_most'])} and ‖w‖ is {number(last['norm'])}"
    below = (
        "" if trace.u is None else f", w·u* is {number(last['w_dot_u'])} and M g is {number(last['w_dot_u_at_least'])}"
    )
    meet = f" The line M g and the curve √M·R meet at {upper_end(trace.bound)} mistakes." if trace.u is not None else ""
    return f"Curves over the mistakes: after {plural(study.run.n_mistakes, 'mistake')} {above}{below}.{meet}"


def plot_potential(study: "Study", ax: "Axes") -> "Axes":
    """Draw what the potential has lost, what it had to lose, and all there was."""
    trace = study.trace
    M, drop = trace.n_mistakes, trace.potential_drop
    end = drawn_bound(trace)
    is_log = style.is_far_apart(1.0, max(float(M[-1]), float(drop[-1]), end))
    if is_log:
        style.log_scale(ax, "x", span=float(M[-1]))
        style.log_scale(ax, "y", span=max(float(drop[-1]), end))
    else:
        style.whole_numbers(ax.xaxis)
        ax.set_xlim(0, 1.03 * float(M[-1]))
    size = 3 if len(M) <= style.MOST_MARKED else 0
    if end:
        ax.axhline(end, color=style.BOUND, label=f"R²/g² = {upper_end(end)}")
    ax.plot(M, drop, color=style.PERCEPTRON, marker="o", markersize=size, label="lost")
    ax.plot(M, M.astype(np.float64), color=style.MAXIMUM, marker="o", markersize=size, label="guaranteed: M")
    if not is_log:
        ax.set_ylim(bottom=0)
    ax.set_xlabel("mistakes M")
    ax.set_ylabel("fall of the potential / (R²/2)")
    style.finish(ax)
    return ax


def alt_potential(study: "Study") -> str:
    """Return what the figure shows."""
    trace = study.trace
    return (
        f"Curve of the fall of the potential over the mistakes, above the line of one unit a mistake: after "
        f"{plural(study.run.n_mistakes, 'mistake')} it has lost {number(float(trace.potential_drop[-1]))} of the "
        f"{upper_end(trace.bound)} units it had."
    )
