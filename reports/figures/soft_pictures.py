"""The soft margin over C."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.api.measures import norm
from maxmargin.displays.soft_margin_path_display import SoftMarginPathDisplay
from maxmargin.reports.figures import canvas
from maxmargin.text.number_formats import number, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from maxmargin.reports.study.two_class_study import TwoClassStudy as Study


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
    _path_of(study, "margin").plot(ax)
    ax.set_xlabel("")
    return ax


def plot_soft_counts(study: "Study", ax: "Axes") -> "Axes":
    """Draw errors, rows with slack and support rows over C."""
    return _path_of(study, "rows").plot(ax).ax_


def _path_of(study: "Study", quantity: str) -> SoftMarginPathDisplay:
    points = sorted(study.soft, key=lambda point: point.solution.C)
    C, norms = np.array([point.solution.C for point in points]), np.array([norm(point.w) for point in points])
    objective = np.array([point.solution.objective for point in points])
    return SoftMarginPathDisplay(
        C=C,
        objective=objective,
        lower=np.array([point.solution.lower for point in points]),
        norm=norms,
        slack=(objective - norms**2 / 2) / C,  # rows outside memory keep no slack of their own
        n_support=np.array([point.n_support for point in points]),
        n_slack=np.array([point.n_slack for point in points]),
        n_errors=np.array([point.n_errors for point in points]),
        limit=None if study.maximum is None else study.hard.lower,
        quantities=(quantity,),
    )
