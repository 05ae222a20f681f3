"""The rows and the hyperplanes: in the plane that both normals span, and the distances of the rows from each."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.measures import Plane, distances_of
from maxmargin.displays import drawing
from maxmargin.displays.hyperplane_display import DrawnPlane, HyperplaneDisplay
from maxmargin.displays.margin_distribution_display import MarginDistributionDisplay, edges_of
from maxmargin.displays.plane_view import View
from maxmargin.reports.figures import canvas
from maxmargin.reports.phrasing import name_of
from maxmargin.reports.study.drawn_rows import across_of, marked_rows, widest_across
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.text.number_formats import count, number, one_line, plural, side

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from maxmargin.reports.study.two_class_study import TwoClassStudy as Study


_OVERLAP = 0.2
"""Ratio of two ranges of distances below which they do not share an axis."""

_MOST_ROWS = 2_000


def view_of(study: "Study") -> View:
    """Return one feature, or the two features if there are two, else the plane of the two normals."""
    rows, sample = _rows(study)
    signs = study.problem.y[rows]
    names = [one_line(name, 40) for name in study.dataset.feature_names[:2]]
    if study.problem.n_features <= 2:
        return View.of_columns(sample, signs, names, _classes(study), rows)
    basis, labels = _basis(study, sample)
    points = sample @ basis
    return View(points=points, rows=rows, signs=signs, basis=basis, labels=labels, classes=_classes(study))


def _classes(study: "Study") -> tuple[str, str]:
    """Return the names of the classes -1 and +1 in the legend."""
    negative, positive = study.dataset.negative, study.dataset.positive
    return f"{side(-1)}  {one_line(name_of(negative), 24)}", f"{side(1)}  {one_line(name_of(positive), 24)}"


def _rows(study: "Study") -> tuple[NDArray[np.int64], Floats]:
    """Return the rows to draw: all, or evenly spaced or sampled ones and all that are marked."""
    problem, marked = study.problem, marked_rows(study)[0]
    if study.dataset.is_in_memory:
        rows = np.union1d(drawing.thinned(problem.n_samples, _MOST_ROWS), marked).astype(np.int64)
        return rows, problem.dense_rows(rows)
    rows, sample = _sampled_rows(study)  # which is read already
    others = np.setdiff1d(marked, rows)
    if not others.size:
        return rows, sample
    return np.concatenate([rows, others]), np.concatenate([sample, problem.dense_rows(others)])


def _sampled_rows(study: "Study") -> tuple[NDArray[np.int64], Floats]:
    """Return some rows of the random sample."""
    rows, sample = study.problem.sample
    positions = drawing.thinned(len(rows), _MOST_ROWS)
    return rows[positions], sample[positions]


def _basis(study: "Study", sample: Floats) -> tuple[Floats, tuple[str, str]]:
    reference, found = study.reference, study.found
    first = reference or found
    axis = np.eye(study.problem.n_features)[0] if first is None else first.unit
    name = "first feature" if first is None else f"along the normal of the {first.name}"
    across = None if reference is None or found is None else across_of(found.unit, axis)
    label = "across it, in the plane of both normals"
    if across is None:
        across, label = widest_across(sample, axis), "across it, where the rows vary most"
    return np.column_stack([axis, across]), (name, label)


def projection(study: "Study") -> canvas.Picture:
    """Return the figure of the rows and both hyperplanes."""
    return canvas.Picture(
        key="projection",
        title="The rows and the hyperplanes",
        caption=_caption(study),
        alt=_alt(study),
        height=2.6 if study.problem.n_features == 1 else 5.2,
        draw=canvas.stacked([plot_projection], study),
    )


def _caption(study: "Study") -> str:
    n_features, view = study.problem.n_features, view_of(study)
    if n_features == 1:
        text = "The single feature; the classes are set apart vertically to tell them from each other."
    elif n_features == 2:
        text = "The two features."
    else:
        text = "The rows projected onto the plane of both normals, in which distances from both hyperplanes are true."
    if study.reference is not None and study.half_width is not None:
        text += f" The band extends {number(study.half_width)} to each side of the {study.reference.name} hyperplane."
    if study.reference is study.quasi_separating and study.reference is not None:
        text += " The solid hyperplane is from the proof: the touching rows lie on it, and no row on its wrong side."
    if n_features > 1 and view.stretched:
        text += " The two axes have different scales, so angles are not true."
    if not study.dataset.is_in_memory:
        text += f" {_drawn(study)}"
    elif len(view.rows) < study.problem.n_samples:
        text += f" {len(view.rows):,} of {study.problem.n_samples:,} rows are drawn."
    return text


def _drawn(study: "Study") -> str:
    """Say which rows are drawn of data outside memory."""
    marked, names = marked_rows(study)
    n_random = len(_sampled_rows(study)[0])
    if n_random == study.problem.n_samples:
        return "All rows are drawn."
    named = f", and the {names}" if len(marked) else ""
    return (
        f"A random sample of {n_random:,} of the {study.problem.n_samples:,} rows{named} are drawn: half of the sample "
        "is from either class, if it has as many rows."
    )


def _alt(study: "Study") -> str:
    rows, names = marked_rows(study)
    n_rows = plural(study.problem.n_samples if study.dataset.is_in_memory else len(_sampled_rows(study)[0]), "row")
    parts = [f"Scatter plot of {n_rows} in two dimensions; {count(len(rows))} circled, the {names}."]
    if study.reference is not None:
        width = study.half_width
        band = "" if width is None else f" with a band of {number(width)} on each side"
        parts.append(f"The {study.reference.name.removesuffix(' hyperplane')} hyperplane is a line{band}.")
    if study.found is not None:
        parts.append("The perceptron's hyperplane is a dashed line.")
    return " ".join(parts)


def plot_projection(study: "Study", ax: "Axes") -> "Axes":
    """Draw the rows, both hyperplanes, and the band of the margin around the better one."""
    planes = (
        (study.reference, drawing.MAXIMUM, "solid", study.half_width),
        (study.found, drawing.PERCEPTRON, (0, (5, 2)), None),
    )
    drawn = tuple(
        DrawnPlane(plane=plane, colour=colour, dashes=dashes, half_width=width)
        for plane, colour, dashes, width in planes
        if plane is not None
    )
    rows, names = marked_rows(study)
    return HyperplaneDisplay(view=view_of(study), planes=drawn, marked=rows, marked_name=names).plot(ax).ax_


def distances(study: "Study") -> canvas.Picture | None:
    """Return the figure of the distances of the rows from both hyperplanes; None where there is neither."""
    planes = study.planes
    if not planes:
        return None

    def draw(figure: "Figure") -> None:
        reaches = [distances_of(study.problem, plane).reach for plane in planes]
        axes = figure.subplots(len(planes), 1, sharex=min(reaches) > _OVERLAP * max(reaches), squeeze=False)[:, 0]
        for ax, plane in zip(axes, planes, strict=True):
            plot_distances(study, plane, ax)
        axes[0].legend(loc="upper right")
        axes[-1].set_xlabel("geometric margin y(w·x + b)/‖w‖")

    texts = "; ".join(_distances_alt(study, plane) for plane in planes)
    return canvas.Picture(
        key="distances",
        title="Distances of the rows from each hyperplane",
        caption="Distances are positive for rows on their own side of the hyperplane.",
        alt=f"Histograms of the geometric margins of the rows. {texts}.",
        height=2.3 * len(planes) + 0.5,
        draw=draw,
    )


def _distances_alt(study: "Study", plane: Plane) -> str:
    found = distances_of(study.problem, plane)
    median = "" if found.median is None else f" median {number(found.median)},"
    return (
        f"{plane.name}: from {number(found.least)} to {number(found.greatest)},{median} "
        f"{plural(found.n_wrong, 'row')} at or below 0"
    )


def plot_distances(study: "Study", plane: Plane, ax: "Axes") -> "Axes":
    """Draw the distribution of y(w.x + b)/||w|| over the rows, with 0 and the maximum margin marked."""
    found, margin = distances_of(study.problem, plane), study.hard.lower
    is_maximum = study.maximum is not None and plane is study.maximum
    edges = edges_of(found.least, found.greatest, study.problem.n_samples, margin)
    values, counts = found.points(edges)
    if is_maximum and counts is None:  # rounding may move a support row into the band, where none is
        values = [np.maximum(of_class, margin) for of_class in values]
    display = MarginDistributionDisplay(
        margins=(values[0], values[1]), counts=counts, edges=edges, name=plane.name,
        half_width=margin if is_maximum else None, maximum=None if study.maximum is None else margin,
    )  # fmt: skip
    display.plot(ax, legend=False)
    ax.set(xlabel="", title=f"{plane.name}: least {number(found.least, 4)}")
    return ax
