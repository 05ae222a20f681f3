"""How the potential of Novikoff's proof falls, against what the proof guarantees."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.reports.figures.proof_curves import drawn_bound
from maxmargin.reports.figures.style import (
    BOUND,
    MAXIMUM,
    MOST_MARKED,
    PERCEPTRON,
    is_far_apart,
    legend_above,
    log_scale,
    thin_grid,
    whole_numbers,
)
from maxmargin.reports.number_formats import number, plural, upper_end

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study.study import Study


def plot_potential(study: "Study", ax: "Axes") -> "Axes":
    """Draw what the potential has lost, what it had to lose, and all there was."""
    trace = study.trace
    M, drop = trace.n_mistakes, trace.potential_drop
    end = drawn_bound(trace)
    is_log = is_far_apart(1.0, max(float(M[-1]), float(drop[-1]), end))
    if is_log:
        log_scale(ax, "x", span=float(M[-1]))
        log_scale(ax, "y", span=max(float(drop[-1]), end))
    else:
        whole_numbers(ax.xaxis)
        ax.set_xlim(0, 1.03 * float(M[-1]))
    size = 3 if len(M) <= MOST_MARKED else 0
    if end:
        ax.axhline(end, color=BOUND, label=f"R²/g² = {upper_end(end)}")
    ax.plot(M, drop, color=PERCEPTRON, marker="o", markersize=size, label="lost")
    ax.plot(M, M.astype(np.float64), color=MAXIMUM, marker="o", markersize=size, label="guaranteed: M")
    if not is_log:
        ax.set_ylim(bottom=0)
    ax.set_xlabel("mistakes M")
    ax.set_ylabel("fall of the potential / (R²/2)")
    legend_above(ax)
    thin_grid(ax)
    return ax


def alt_potential(study: "Study") -> str:
    """Return what the figure shows."""
    trace = study.trace
    return (
        f"Curve of the fall of the potential over the mistakes, above the line of one unit a mistake: after "
        f"{plural(study.run.n_mistakes, 'mistake')} it has lost {number(float(trace.potential_drop[-1]))} of the "
        f"{upper_end(trace.bound)} units it had."
    )
