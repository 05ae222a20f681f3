"""The captioned displays of a report in their order, and why some of them are left out."""

from maxmargin.api.measures import norm
from maxmargin.displays.drawing import LARGEST_DRAWN
from maxmargin.reports.captioned import FIGURES
from maxmargin.reports.captioned.captioned_display import CaptionedDisplay
from maxmargin.reports.captioned.class_matrix_display import classes
from maxmargin.reports.captioned.row_displays import distances, projection, soft_margin
from maxmargin.reports.captioned.run_displays import has_margins, margin_path, mistakes, orders, potential, proof_curves
from maxmargin.reports.study.class_study import ClassStudy
from maxmargin.reports.study.two_class_study import TwoClassStudy
from maxmargin.text.number_formats import rounded

# Largest distance of a hyperplane from the origin, and largest margin width, for which their axes are drawn.
_FARTHEST_DRAWN = 1e300

_OF_TWO_CLASSES = (margin_path, proof_curves, potential, mistakes, orders, distances, projection, soft_margin)

# The figures with an axis in units of the data, and the subject of each.
_IN_UNITS = {
    "margin-path": "achieved margin",
    "proof-curves": "quantities in Novikoff's proof",
    "orders": "random orders and their margins",
    "distances": "distances of the rows",
    "projection": "rows and the hyperplanes",
    "soft-margin": "soft margin over C",
}


def captioned_displays(study: TwoClassStudy | ClassStudy) -> tuple[CaptionedDisplay, ...]:
    """Return the figures of the study, in the order of the page, without those that are left out."""
    if isinstance(study, ClassStudy):
        return (classes(study),)
    omitted = left_out(study)
    found = (make(study) for key, make in zip(FIGURES, _OF_TWO_CLASSES, strict=False) if key not in omitted)
    return tuple(captioned for captioned in found if captioned is not None)


def left_out(study: TwoClassStudy | ClassStudy) -> dict[str, str]:
    """Return the keys of the figures that cannot be drawn, each with a sentence that says why."""
    if isinstance(study, ClassStudy):
        return {}
    has = {"orders": study.orders is not None and has_margins(study.orders), "distances": bool(study.planes)}
    return {
        key: f"The figure of the {name} is left out: its axes cannot hold numbers as large as {rounded(size)}."
        for key, name in _IN_UNITS.items()
        if has.get(key, True) and (size := _too_large(study, key))
    }


def _too_large(study: TwoClassStudy, key: str) -> float:
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
