"""Captioned displays of the rows beside the hyperplanes, of their distances from these, and of the soft margins."""

from typing import TYPE_CHECKING

import numpy as np

from maxmargin.api.measures import Plane, distances_of, norm
from maxmargin.displays import drawing
from maxmargin.displays.hyperplane_display import DrawnPlane, HyperplaneDisplay
from maxmargin.displays.margin_distribution_display import MarginDistributionDisplay, edges_of
from maxmargin.displays.plane_view import PlaneView
from maxmargin.displays.shown_planes import class_names
from maxmargin.displays.soft_margin_path_display import SoftMarginPathDisplay
from maxmargin.reports.captioned.captioned_display import CaptionedDisplay, stacked
from maxmargin.reports.study.drawn_rows import DrawnRows, drawn_rows_of
from maxmargin.text.number_formats import count, plural, rounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from maxmargin.reports.study.two_class_study import TwoClassStudy

# Ratio of two ranges of distances below which they do not share an axis.
_OVERLAP = 0.2

_DASHES = (0, (5, 2))


def projection(study: "TwoClassStudy") -> CaptionedDisplay:
    """Return the figure of the rows and both hyperplanes."""
    scene = drawn_rows_of(study)
    display = hyperplane_display(study, scene)
    return CaptionedDisplay(
        key="projection",
        title="The rows and the hyperplanes",
        caption=_caption(study, scene, is_stretched=display.view.stretched),
        alt=_alt(study, scene),
        height=2.6 if scene.is_strip else 5.2,
        draw=stacked([display]),
    )


def hyperplane_display(study: "TwoClassStudy", scene: DrawnRows) -> HyperplaneDisplay:
    """Return the rows and hyperplanes of a scene: in units of the data if the axes are columns, else in its units."""
    points, basis, half_width = scene.points, np.eye(2), scene.half_width
    lines = (scene.reference, scene.reference_name), (scene.found, "perceptron")
    reference, found = (None if line is None else Plane(w=line[0], b=line[1], name=name) for line, name in lines)
    if scene.is_of_columns:
        points, basis, half_width = np.ldexp(points, scene.exponent), scene.basis, study.half_width
        reference, found = study.reference, study.found
    drawn = []
    if reference is not None:
        drawn.append(DrawnPlane(plane=reference, colour=drawing.MAXIMUM, half_width=half_width))
    if found is not None:
        drawn.append(DrawnPlane(plane=found, colour=drawing.PERCEPTRON, dashes=_DASHES))
    view = PlaneView(
        points=points, rows=scene.rows, signs=np.where(scene.is_positive, 1.0, -1.0), basis=basis,
        labels=scene.labels, classes=class_names(study.dataset),
    )  # fmt: skip
    return HyperplaneDisplay(view=view, planes=tuple(drawn), marked=scene.marked, marked_name=scene.marked_name)


def _caption(study: "TwoClassStudy", scene: DrawnRows, *, is_stretched: bool) -> str:
    if scene.is_strip:
        text = "The single feature; the classes are set apart vertically to tell them from each other."
    elif scene.is_of_columns:
        text = "The two features."
    else:
        text = "The rows projected onto the plane of both normals, in which distances from both hyperplanes are true."
    if study.reference is not None and study.half_width is not None:
        text += f" The band extends {rounded(study.half_width)} to each side of the {study.reference.name} hyperplane."
    if study.reference is study.quasi_separating and study.reference is not None:
        text += " The solid hyperplane is from the proof: the touching rows lie on it, and no row on its wrong side."
    if not scene.is_strip and is_stretched:
        text += " The two axes have different scales, so angles are not true."
    if scene.sample_text:
        text += f" Of {plural(study.problem.n_samples, 'row')}, these are drawn: {scene.sample_text}."
    return text


def _alt(study: "TwoClassStudy", scene: DrawnRows) -> str:
    parts = [
        f"Scatter plot of {plural(len(scene.rows), 'row')} in two dimensions; {count(len(scene.marked))} circled, the "
        f"{scene.marked_name}."
    ]
    if study.reference is not None:
        width = study.half_width
        band = "" if width is None else f" with a band of {rounded(width)} on each side"
        parts.append(f"The {study.reference.name.removesuffix(' hyperplane')} hyperplane is a line{band}.")
    if study.found is not None:
        parts.append("The perceptron's hyperplane is a dashed line.")
    return " ".join(parts)


def distances(study: "TwoClassStudy") -> CaptionedDisplay | None:
    """Return the figure of the distances of the rows from both hyperplanes; None if there is neither."""
    planes = study.planes
    if not planes:
        return None
    found = [distances_of(study.problem, plane) for plane in planes]

    def draw(figure: "Figure") -> None:
        displays = [_distribution(study, plane) for plane in planes]
        reaches = [of_plane.reach for of_plane in found]
        stacked(displays, share_x=min(reaches) > _OVERLAP * max(reaches))(figure)
        for display, plane, of_plane in zip(displays, planes, found, strict=True):
            display.ax_.set_title(f"{plane.name}: least {rounded(of_plane.least, 4)}")

    texts = [
        f"{plane.name}: from {rounded(of_plane.least)} to {rounded(of_plane.greatest)},"
        f"{'' if of_plane.median is None else f' median {rounded(of_plane.median)},'} "
        f"{plural(of_plane.n_wrong, 'row')} at or below 0"
        for plane, of_plane in zip(planes, found, strict=True)
    ]
    return CaptionedDisplay(
        key="distances",
        title="Distances of the rows from each hyperplane",
        caption="Distances are positive for rows on their own side of the hyperplane.",
        alt=f"Histograms of the geometric margins of the rows. {'; '.join(texts)}.",
        height=2.6 * len(planes) + 0.5,
        draw=draw,
    )


def _distribution(study: "TwoClassStudy", plane: Plane) -> MarginDistributionDisplay:
    """Return the distribution of y(w.x + b)/||w|| over the rows, with 0 and the maximum margin marked."""
    found, margin = distances_of(study.problem, plane), study.hard.lower
    is_maximum = plane is study.maximum
    edges = edges_of(found.least, found.greatest, study.problem.n_samples, margin)
    values, counts = found.points(edges)
    if is_maximum and counts is None:  # rounding may move a support row into the band, where no row is
        values = [np.maximum(of_class, margin) for of_class in values]
    negative, positive = class_names(study.dataset)
    return MarginDistributionDisplay(
        margins=(values[0], values[1]), counts=counts, edges=edges, name=plane.name, classes=(positive, negative),
        half_width=margin if is_maximum else None, maximum=None if study.maximum is None else margin,
    )  # fmt: skip


def soft_margin(study: "TwoClassStudy") -> CaptionedDisplay:
    """Return the figure of the soft margin over C."""
    first, last = study.soft[0], study.soft[-1]
    widths = ["infinity" if point.plane is None else rounded(1 / norm(point.w)) for point in (first, last)]
    display = _soft_path(study)
    return CaptionedDisplay(
        key="soft-margin",
        title="The soft margin over C",
        caption="Margin width 1/‖w‖, and the numbers of rows in error, with slack, and with a positive multiplier.",
        alt=f"Two panels over C from {rounded(first.solution.C)} to {rounded(last.solution.C)}. The margin width goes "
        f"from {widths[0]} to {widths[1]}; the errors from {plural(first.n_errors, 'row')} to "
        f"{plural(last.n_errors, 'row')}; the support rows from {first.n_support} to {last.n_support}.",
        height=4.8,
        draw=lambda figure: display.plot(figure.subplots(2, 1, sharex=True)),
    )


def _soft_path(study: "TwoClassStudy") -> SoftMarginPathDisplay:
    """Return the two quantities that rows outside memory have as well."""
    points, nothing = sorted(study.soft, key=lambda point: point.solution.C), np.empty(0)
    return SoftMarginPathDisplay(
        C=np.array([point.solution.C for point in points]),
        objective=nothing,
        lower=nothing,
        norm=np.array([norm(point.w) for point in points]),
        slack=nothing,
        n_support=np.array([point.n_support for point in points]),
        n_slack=np.array([point.n_slack for point in points]),
        n_errors=np.array([point.n_errors for point in points]),
        limit=None if study.maximum is None else study.hard.lower,
        quantities=("margin", "rows"),
    )
