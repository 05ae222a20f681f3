"""Rows and hyperplanes in two dimensions: points, lines and bands on axes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.measures import Plane
from maxmargin.displays import drawing
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.errors import InvalidProblemError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

# Ratio of the two ranges above which equal scales would leave a strip too thin to read.
_STRETCH = 5.0

# Room around the points as a fraction of their range.
_MARGIN_OF_VIEW = 0.07

# Largest number of rows with large points, and the areas of large and small points, in square points.
_FEW_ROWS, _LARGE, _SMALL = 300, 26, 10

# Opacity of the band of a margin.
_FAINT, _FAINT_ON_DARK = 0.13, 0.24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlaneView:
    """Rows and hyperplanes in two dimensions.

    Attributes
    ----------
    points : ndarray (n_shown, 2)
    rows : ndarray (n_shown,) of int
        Which rows these are.
    signs : ndarray (n_shown,)
        Their classes.
    basis : ndarray (n_features, 2)
        Orthonormal columns: a point x is drawn at x @ basis.
    labels : tuple of str
        Of the two axes.
    classes : tuple of str
        The names of the classes -1 and +1.
    """

    points: Floats
    rows: NDArray[np.int64]
    signs: Floats
    basis: Floats
    labels: tuple[str, str]
    classes: tuple[str, str]

    @classmethod
    def of_columns(cls, X: Floats, signs: Floats, names: Sequence[str], classes: tuple[str, str]) -> "PlaneView":
        """Return the view of rows of one column, or of two.

        One column is drawn along the horizontal, the classes one above the other.

        Raises
        ------
        InvalidProblemError
            If there are more columns, which a picture in the plane would distort.
        """
        if X.shape[1] > 2:
            raise InvalidProblemError(
                f"X has {X.shape[1]} columns; expected one or two, as the picture shows the rows themselves "
                "(MarginDistributionDisplay draws the margins of rows with any number of columns)"
            )
        points, basis, labels = X, np.eye(2), (names[0], names[-1])
        if X.shape[1] == 1:
            points = np.column_stack([X[:, 0], signs * (float(np.ptp(X)) or 1.0) / 12])
            basis, labels = np.array([[1.0, 0.0]]), (names[0], "")
        return cls(points=points, rows=np.arange(len(X)), signs=signs, basis=basis, labels=labels, classes=classes)

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


def draw_rows(view: PlaneView, ax: "Axes") -> tuple["PathCollection", "PathCollection"]:
    """Set the limits and the labels of the axes, and draw the rows of the classes -1 and +1."""
    low, high = view.points.min(axis=0), view.points.max(axis=0)
    spans = high - low
    room = _MARGIN_OF_VIEW * np.where(spans > 0, spans, max(float(spans.max()), 1.0))
    if view.is_strip:
        room[1] = max(spans[1] / 2, room[1])
    xlim, ylim = np.column_stack([low - room, high + room]).tolist()
    ax.set(xlim=xlim, ylim=ylim, xlabel=view.labels[0], ylabel=view.labels[1])
    drawing.plain_texts(ax.xaxis.label, ax.yaxis.label)
    if view.is_strip:
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    elif not view.stretched:
        ax.set_aspect("equal")
    marks = ((-1, drawing.NEGATIVE, "^"), (1, drawing.POSITIVE, "o"))
    how: dict[str, Any] = {"s": _area(view), "alpha": 0.75, "linewidths": 0}
    shade = partial(drawing.colour_on, ax)
    negative, positive = (
        ax.scatter(*view.points[view.signs == sign].T, color=shade(colour), marker=mark, label=label, **how)
        for label, (sign, colour, mark) in zip(view.classes, marks, strict=True)
    )
    return negative, positive


def circle_rows(view: PlaneView, rows: Rows, name: str, ax: "Axes") -> "PathCollection | None":
    """Draw circles around these rows; return None if no such row is in view."""
    circled = view.points[np.isin(view.rows, rows)]
    if not len(circled):
        return None
    how: dict[str, Any] = {"facecolors": "none", "edgecolors": drawing.ink(ax), "linewidths": 1, "zorder": 4}
    return ax.scatter(circled[:, 0], circled[:, 1], s=4 * _area(view), label=name, **how)


def _area(view: PlaneView) -> int:
    return _LARGE if len(view.rows) <= _FEW_ROWS else _SMALL


def draw_line(direction: Floats, offset: float, ax: "Axes", **how: Any) -> "Line2D | None":
    """Draw the line direction.p + offset = 0 if it crosses the axes; return None if it does not."""
    corners = _corners(ax)
    values = corners @ direction + offset
    if not values.min() <= 0 < values.max():
        return None
    (line,) = ax.plot(*ends_of_line(direction, offset, corners).T, **how)
    return line


def widen_to(view: PlaneView, planes: Iterable[Plane], ax: "Axes", *, reach: float) -> None:
    """Widen the limits so that lines cross the axes which come near the middle of the points, in units of their ranges.

    These units make the result independent of the scales of the two columns.
    """
    low, high = view.points.min(axis=0), view.points.max(axis=0)
    centre, units = (low + high) / 2, np.where(high > low, high - low, 1.0)
    lines = [view.line(plane) for plane in planes]
    feet = [foot_of_line(direction, offset, centre, units) for direction, offset in lines]
    near = [foot for foot in feet if np.abs(foot).max() <= reach]
    if not near:
        return
    least, greatest = np.min(near, axis=0) - _MARGIN_OF_VIEW, np.max(near, axis=0) + _MARGIN_OF_VIEW
    (left, bottom), (right, top) = centre + least * units, centre + greatest * units
    x, y = ax.get_xlim(), ax.get_ylim()
    ax.set_xlim(min(x[0], left), max(x[1], right))
    if not view.is_strip:
        ax.set_ylim(min(y[0], bottom), max(y[1], top))


def foot_of_line(direction: Floats, offset: float, centre: Floats, units: Floats) -> Floats:
    """Return the point of the line direction.p + offset = 0 that is nearest to the centre.

    Distances are measured in these units of the two axes; the point is relative to the centre, in the same units.
    """
    scaled = direction * units
    square = float(scaled @ scaled)
    return np.asarray(-(direction @ centre + offset) * scaled / square if square else np.full(2, np.inf))


def ends_of_line(direction: Floats, offset: float, corners: Floats) -> Floats:
    """Return two points of the line direction.p + offset = 0, one beyond each side of the rectangle."""
    centre, units = corners.mean(axis=0), np.ptp(corners, axis=0)
    foot, (x, y) = foot_of_line(direction, offset, centre, units), direction * units
    along = 2 * np.array([-y, x]) / np.hypot(x, y)
    return np.asarray(centre + np.array([foot - along, foot + along]) * units)


def draw_band(direction: Floats, offset: float, width: float, ax: "Axes", *, colour: str, name: str = "") -> "Polygon":
    """Shade the points nearer than this width to the line of a direction of norm 1, or of the part of it in view."""
    colour = drawing.colour_on(ax, colour)
    for sign in (-1, 1):
        draw_line(direction, offset + sign * width, ax, color=colour, linewidth=0.8, zorder=2)
    corners = _corners(ax)
    shown = min(width, float(np.abs(corners @ direction + offset).max()))
    lower, upper = (ends_of_line(direction, offset + sign * shown, corners) for sign in (-1, 1))
    ring = np.concatenate([lower, upper[::-1]])
    (band,) = ax.fill(*ring.T, color=colour, alpha=faint(ax), linewidth=0, zorder=0, label=name or None)
    return band


def faint(ax: "Axes") -> float:
    """Return the opacity of areas behind the rows."""
    return _FAINT_ON_DARK if drawing.is_dark(ax) else _FAINT


def _corners(ax: "Axes") -> Floats:
    return np.array([(x, y) for x in ax.get_xlim() for y in ax.get_ylim()])
