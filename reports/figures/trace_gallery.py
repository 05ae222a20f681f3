"""The figures of Novikoff's proof along the run, with their captions."""

from functools import partial
from typing import TYPE_CHECKING

from maxmargin.reports.figures.canvas import Picture
from maxmargin.reports.figures.potential import alt_potential, plot_potential
from maxmargin.reports.figures.proof_curves import alt_proof_curves, drawn_bound, plot_proof_curves
from maxmargin.reports.number_formats import count, plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from maxmargin.reports.study.study import Study

_SIZE = (7.2, 3.9)


def curves_picture(study: "Study") -> Picture:
    """Return the curves of the proof."""
    return Picture(
        key="proof-curves",
        title=f"The {'two curves' if study.trace.u is not None else 'upper curve'} of Novikoff's proof",
        caption=_curves_caption(study),
        alt=alt_proof_curves(study),
        size=_SIZE,
        draw=partial(_draw, partial(plot_proof_curves, study)),
    )


def potential_picture(study: "Study") -> Picture | None:
    """Return the fall of the potential; None where no direction separates."""
    if study.trace.u is None:
        return None
    return Picture(
        key="potential",
        title="The fall of the potential",
        caption="What ½‖c u* − w‖² has lost since w = 0, in units of R²/2. The proof guarantees one unit a mistake; "
        f"there are R²/g² units in all, so there can be no more mistakes than that.{_thinned(study)}",
        alt=alt_potential(study),
        size=_SIZE,
        draw=partial(_draw, partial(plot_potential, study)),
    )


def _curves_caption(study: "Study") -> str:
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


def _thinned(study: "Study") -> str:
    trace = study.trace
    if trace.is_whole:
        return ""
    return f" {count(len(trace.n_mistakes))} of the {plural(study.run.n_mistakes, 'mistake')} are drawn."


def _draw(plot: "Callable[[Axes], object]", figure: "Figure") -> None:
    plot(figure.add_subplot())
