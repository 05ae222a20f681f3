"""The rows and the hyperplanes: in the plane that both normals span, and the distances of the rows from each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.measures import Plane, distances_of
from maxmargin.displays import drawing
from maxmargin.reports.figures import canvas
from maxmargin.reports.phrasing import name_of
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.text.number_formats import number, one_line, plural, side

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from maxmargin.reports.study.study import Study


_OVERLAP = 0.2
"""Ratio of two ranges of distances below which they do not share an axis."""

_FEWEST_BINS, _MOST_BINS = 12, 48

_MOST_TICKS = 200
"""Largest number of rows for which each row is marked."""

_MOST_ROWS = 2_000
_STRETCH = 5.0
"""Ratio of the two ranges above which equal scales would leave a strip too thin to read."""
_PARALLEL = 1e-9
_MARGIN_OF_VIEW = 0.07


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """Rows and hyperplanes in two dimensions.

    Attributes
    ----------
    points : ndarray (n_shown, 2)
    rows : ndarray (n_shown,) of int
        Which rows these are.
    basis : ndarray (n_features, 2)
        Orthonormal columns: a point x is drawn at x @ basis.
    labels : tuple of str
        Of the two axes.
    """

    points: Floats
    rows: NDArray[np.int64]
    basis: Floats
    labels: tuple[str, str]

    @property
    def stretched(self) -> bool:
        """Whether the two axes need different scales."""
        spans = np.ptp(self.points, axis=0)
        return bool(spans.min() * _STRETCH < spans.max())

    @property
    def is_strip(self) -> bool:
        """Whether there is one feature only."""
        return len(self.basis) == 1

    def line(self, plane: Plane) -> tuple[Floats, float]:
        """Return (u, c): the plane is drawn as u.p + c = 0; distances from it are true if its normal lies in view."""
        return plane.unit @ self.basis, plane.offset


def view_of(study: "Study") -> View:
    """Return one feature, or the two features if there are two, else the plane of the two normals."""
    rows, sample = _rows(study)
    names = tuple(one_line(name, 40) for name in study.dataset.feature_names[:2])
    match study.problem.n_features:
        case 1:  # along the horizontal, the classes one above the other
            heights = study.problem.y[rows] * (float(np.ptp(sample)) or 1.0) / 12
            points = np.column_stack([sample[:, 0], heights])
            return View(points=points, rows=rows, basis=np.array([[1.0, 0.0]]), labels=(names[0], ""))
        case 2:
            return View(points=sample, rows=rows, basis=np.eye(2), labels=(names[0], names[1]))
    basis, labels = _basis(study, sample)
    return View(points=sample @ basis, rows=rows, basis=basis, labels=labels)


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


def marked_rows(study: "Study") -> tuple[NDArray[np.int64], str]:
    """Return the rows to circle, and the name of one of them.

    They are the support rows; for quasi-separable data, the touching or the separated rows, whichever are fewer; else
    the witness.
    """
    answer = study.separability
    rows, name = answer.witness_rows, "witness row"
    if study.maximum is not None:
        rows, name = study.hard.support, "support row"
    elif answer.verdict is Verdict.QUASI_SEPARABLE:
        assert answer.touching_rows is not None and answer.separated_rows is not None
        kinds = ((answer.touching_rows, "touching row"), (answer.separated_rows, "strictly separated row"))
        rows, name = min(kinds, key=lambda kind: len(kind[0]))
    rows = np.empty(0, dtype=np.int64) if rows is None else rows
    return rows[:_MOST_ROWS].astype(np.int64), name


def _basis(study: "Study", sample: Floats) -> tuple[Floats, tuple[str, str]]:
    reference, found = study.reference, study.found
    first = reference or found
    axis = np.eye(study.problem.n_features)[0] if first is None else first.unit
    name = "first feature" if first is None else f"along the normal of the {first.name}"
    across = None if reference is None or found is None else _across(found.unit, axis)
    label = "across it, in the plane of both normals"
    if across is None:
        across, label = _widest_across(sample, axis), "across it, where the rows vary most"
    return np.column_stack([axis, across]), (name, label)


def _across(vector: Floats, axis: Floats) -> Floats | None:
    """Return the direction of the part of a vector at right angles to the axis; None where they are parallel."""
    rest = vector - (vector @ axis) * axis
    if np.linalg.norm(rest) <= _PARALLEL:
        return None
    rest -= (rest @ axis) * axis
    result: Floats = rest / np.linalg.norm(rest)
    return result


def _widest_across(sample: Floats, axis: Floats) -> Floats:
    """Return the direction at right angles to the axis in which the rows vary most."""
    rest = sample - np.outer(sample @ axis, axis)
    across = _across(np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)[2][0], axis)
    if across is None:  # the rows lie on a line along the axis
        across = _across(np.eye(len(axis))[np.argmin(np.abs(axis))], axis)
    assert across is not None
    result: Floats = across * np.sign(across[np.argmax(np.abs(across))])
    return result


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
    if study.reference is not None:
        text += f" The band extends {number(half_width(study))} to each side of the {study.reference.name} hyperplane."
    if shows_touched(study):
        text += " The dotted hyperplane is from the proof: the touching rows lie on it, and no row on its wrong side."
    if n_features > 1 and view.stretched:
        text += " The two axes have different scales, so angles are not true."
    if not study.dataset.is_in_memory:
        text += f" {_drawn(study)}"
    elif len(view.rows) < study.problem.n_samples:
        text += f" {len(view.rows):,} of {study.problem.n_samples:,} rows are drawn."
    return text


def _drawn(study: "Study") -> str:
    """Say which rows are drawn of data outside memory."""
    marked, name = marked_rows(study)
    n_random = len(_sampled_rows(study)[0])
    if n_random == study.problem.n_samples:
        return "All rows are drawn."
    named = f", and the {name}s" if len(marked) else ""
    return (
        f"A random sample of {n_random:,} of the {study.problem.n_samples:,} rows{named} are drawn: half of the sample "
        "is from either class, if it has as many rows."
    )


def _alt(study: "Study") -> str:
    rows, name = marked_rows(study)
    n_rows = plural(study.problem.n_samples if study.dataset.is_in_memory else len(_sampled_rows(study)[0]), "row")
    parts = [f"Scatter plot of {n_rows} in two dimensions; {plural(len(rows), name)} circled."]
    if study.reference is not None:
        band = f"with a band of {number(half_width(study))} on each side"
        parts.append(f"The {study.reference.name} hyperplane is a line {band}.")
    if study.found is not None:
        parts.append("The perceptron's hyperplane is a dashed line.")
    if shows_touched(study):
        parts.append("A hyperplane that the touching rows lie on, with no row on its wrong side, is a dotted line.")
    return " ".join(parts)


def plot_projection(study: "Study", ax: "Axes") -> "Axes":
    """Draw the rows, both hyperplanes, and the band of the margin around the better one."""
    view = view_of(study)
    _limits(view, ax)
    _scatter(study, view, ax)
    if study.reference is not None:
        _draw_band(study.reference, half_width(study), view, ax)
    planes = (
        (study.reference, drawing.MAXIMUM, "solid"),
        (study.found, drawing.PERCEPTRON, (0, (5, 2))),
        (study.touched if shows_touched(study) else None, canvas.INK, (0, (1, 1.5))),
    )
    for plane, colour, dashes in planes:
        if plane is not None:
            _draw_line(*view.line(plane), ax, color=colour, linestyle=dashes, label=plane.name, zorder=3)
    ax.set(xlabel=view.labels[0], ylabel=view.labels[1])
    if view.is_strip:
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    elif not view.stretched:
        ax.set_aspect("equal")
    drawing.legend_above(ax)
    return ax


def shows_touched(study: "Study") -> bool:
    """Return whether the hyperplane that rows touch is drawn: where its normal lies in the view."""
    return study.touched is not None and study.problem.n_features <= 2


def _limits(view: View, ax: "Axes") -> None:
    low, high = view.points.min(axis=0), view.points.max(axis=0)
    spans = high - low
    room = _MARGIN_OF_VIEW * np.where(spans > 0, spans, max(float(spans.max()), 1.0))
    if view.is_strip:
        room[1] = spans[1] / 2
    xlim, ylim = np.column_stack([low - room, high + room]).tolist()
    ax.set(xlim=xlim, ylim=ylim)


def _scatter(study: "Study", view: View, ax: "Axes") -> None:
    size = 26 if len(view.rows) <= 300 else 10
    signs = study.problem.y[view.rows]
    negative, positive = (
        (study.dataset.negative, drawing.NEGATIVE, "^"),
        (study.dataset.positive, drawing.POSITIVE, "o"),
    )
    for sign, (label, colour, marker) in ((-1, negative), (1, positive)):
        x, y = view.points[signs == sign].T
        name = f"{side(sign)}  {one_line(name_of(label), 24)}"
        ax.scatter(x, y, s=size, color=colour, marker=marker, alpha=0.75, linewidths=0, label=name)
    rows, name = marked_rows(study)
    circled = view.points[np.isin(view.rows, rows)]
    if len(circled):
        how: dict[str, Any] = {"facecolors": "none", "edgecolors": canvas.INK, "linewidths": 1, "zorder": 4}
        ax.scatter(circled[:, 0], circled[:, 1], s=4 * size, label=f"{name}s", **how)


def _draw_line(direction: Floats, offset: float, ax: "Axes", **how: Any) -> None:
    """Draw the line direction.p + offset = 0 where it crosses the axes."""
    corners = _corners(ax) @ direction + offset
    if corners.min() <= 0 < corners.max():
        ax.plot(*_ends(direction, offset, ax).T, **how)


def _draw_band(plane: Plane, width: float, view: View, ax: "Axes") -> None:
    """Shade the points nearer to the plane than its margin."""
    direction, offset = view.line(plane)
    for sign in (-1, 1):
        _draw_line(direction, offset + sign * width, ax, color=drawing.MAXIMUM, linewidth=0.8, zorder=2)
    shown = min(width, float(np.abs(_corners(ax) @ direction + offset).max()))
    ring = np.concatenate([_ends(direction, offset - shown, ax), _ends(direction, offset + shown, ax)[::-1]])
    ax.fill(*ring.T, color=drawing.MAXIMUM, alpha=0.13, linewidth=0, zorder=0)


def _corners(ax: "Axes") -> Floats:
    return np.array([(x, y) for x in ax.get_xlim() for y in ax.get_ylim()])


def _ends(direction: Floats, offset: float, ax: "Axes") -> Floats:
    """Return two points of the line direction.p + offset = 0, one beyond each side of the axes."""
    corners = _corners(ax)
    centre, reach = corners.mean(axis=0), np.linalg.norm(np.ptp(corners, axis=0))
    length = np.linalg.norm(direction)
    normal = direction / length
    foot = centre - (centre @ normal + offset / length) * normal
    across = reach * np.array([-normal[1], normal[0]])
    return np.array([foot - across, foot + across])


def half_width(study: "Study") -> float:
    """Return the distance from the better plane to the edge of its band: gamma*, or 1/||w|| of the soft margin."""
    if study.maximum is not None:
        return study.hard.lower
    assert study.fewest_errors is not None
    return 1 / float(np.linalg.norm(study.fewest_errors.solution.w))


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
    found = distances_of(study.problem, plane)
    low, high = min(found.least, 0.0), max(found.greatest, study.hard.lower)
    n_bins = int(np.clip(np.sqrt(study.problem.n_samples) * 2, _FEWEST_BINS, _MOST_BINS))
    edges = _edges(low, high, (high - low) / n_bins or 1.0, study.hard.lower)
    points, weights = found.points(edges)
    heights, _, _ = ax.hist(
        points, bins=edges.tolist(), weights=weights, stacked=True, color=[drawing.POSITIVE, drawing.NEGATIVE],
        label=["+1", "−1"], linewidth=0,
    )  # fmt: skip
    top = float(np.max(heights))
    is_ticked = weights is None and study.problem.n_samples <= _MOST_TICKS
    if is_ticked:
        for values, colour in zip(points, (drawing.POSITIVE, drawing.NEGATIVE), strict=True):
            ax.plot(values, np.full(len(values), -0.05 * top), "|", color=colour, markersize=6)
    ax.axvline(0, color=canvas.INK, linewidth=1)
    if study.maximum is not None:
        ax.axvline(study.hard.lower, color=drawing.MAXIMUM, linestyle=(0, (4, 2)), label="γ*")
    ax.set_ylim(-0.1 * top if is_ticked else 0, 1.06 * top)
    drawing.whole_numbers(ax.yaxis)
    ax.set_ylabel("rows")
    ax.set_title(f"{plane.name}: least {number(found.least, 4)}")
    return ax


def _edges(low: float, high: float, width: float, margin: float) -> Floats:
    """Return bin edges of about this width, 0 and the margin among them: no bin mixes rows on both sides of either."""
    if margin > width:
        width = margin / int(margin / width)
    first, last = int(np.floor(low / width)), int(np.ceil(high / width))
    return np.arange(first, last + 1, dtype=np.float64) * width
