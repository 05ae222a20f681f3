"""Which figures a report has, and which are left out."""

from maxmargin.api.measures import norm
from maxmargin.displays.drawing import LARGEST_DRAWN
from maxmargin.reports.figures import FIGURES
from maxmargin.reports.figures.canvas import Picture
from maxmargin.reports.figures.class_pictures import classes
from maxmargin.reports.figures.curves import margin_path, potential, proof_curves
from maxmargin.reports.figures.mistake_pictures import mistakes, orders, shows_margins
from maxmargin.reports.figures.projection import distances, projection
from maxmargin.reports.figures.soft_pictures import soft_margin
from maxmargin.reports.study.class_study import ClassStudy
from maxmargin.reports.study.two_class_study import TwoClassStudy as Study
from maxmargin.text.number_formats import number

_FARTHEST_DRAWN = 1e300
"""Largest distance of a hyperplane from the origin, and largest margin width, for which their axes are drawn."""

_FIGURES = dict(
    zip(
        FIGURES[:-1],
        (margin_path, proof_curves, potential, mistakes, orders, distances, projection, soft_margin),
        strict=True,
    )
)
"""The figures of a question about two classes."""

_IN_UNITS = {
    "margin-path": "achieved margin",
    "proof-curves": "quantities in Novikoff's proof",
    "orders": "random orders and their margins",
    "distances": "distances of the rows",
    "projection": "rows and the hyperplanes",
    "soft-margin": "soft margin over C",
}
"""The figures with an axis in units of the data, and the subject of each."""


def pictures(study: Study | ClassStudy) -> tuple[Picture, ...]:
    """Return the figures of the study, in the order of the page, without those that are left out."""
    if isinstance(study, ClassStudy):
        return (classes(study),)
    omitted = left_out(study)
    found = (figure(study) for key, figure in _FIGURES.items() if key not in omitted)
    return tuple(picture for picture in found if picture is not None)


def left_out(study: Study | ClassStudy) -> dict[str, str]:
    """Return the keys of the figures that cannot be drawn, each with a sentence that says why."""
    if isinstance(study, ClassStudy):
        return {}
    has = {
        "orders": study.orders is not None and shows_margins(study.orders),
        "distances": bool(study.planes),
    }
    return {
        key: f"The figure of the {name} is left out: its axes cannot hold numbers as large as {number(size)}."
        for key, name in _IN_UNITS.items()
        if has.get(key, True) and (size := _too_large(study, key))
    }


def _too_large(study: Study, key: str) -> float:
    """Return a number on the axes of this figure that is too large for them, 0 if there is none."""
    largest = max(float(study.problem.column_sizes.max()), study.scale)
    if largest > LARGEST_DRAWN:
        return largest
    farthest = 0.0
    if key in {"distances", "projection"}:
        farthest = max((abs(plane.offset) for plane in study.planes), default=0.0)
    elif key == "soft-margin":
        farthest = max((1 / norm(point.w) for point in study.soft if point.plane is not None), default=0.0)
    return farthest if farthest > _FARTHEST_DRAWN else 0.0
