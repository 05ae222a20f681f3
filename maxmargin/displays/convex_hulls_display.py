"""The convex hulls of the two classes, with two points whose distance bounds the maximum margin."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Self

import numpy as np

from maxmargin.displays import drawing
from maxmargin.displays.display import check_kind
from maxmargin.displays.plane_view import PlaneView, draw_rows, faint
from maxmargin.displays.rows_display import RowsDisplay
from maxmargin.displays.shown_planes import DisplayedRows, check_rows
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import as_fraction
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.hard_margin.margin_sensitivity import Sensitivity
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint, Overlap, QuasiSeparation
from maxmargin.solvers.proof.hulls import weighted_sum
from maxmargin.solvers.proof.margin_certificate import MarginAtMost
from maxmargin.text.number_formats import upper_end

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

# Number of points above which those inside a polygon are left out at once, and number of its corners.
_FEW_POINTS, _N_CORNERS = 1_000, 16

# Doubled area of a triangle, in units of the square of the extent, whose sign rounding does not decide.
_CLEARLY = 1e-9


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class ConvexHullsDisplay(RowsDisplay):
    """The convex hulls of the two classes, and a point of each: half their distance bounds every margin from above.

    If the classes are not separable, the hulls share a point, which is drawn instead. Make it with `from_result`,
    which takes the points from the proof in the result, after its hash is compared with the one of the rows.

    Attributes
    ----------
    view : PlaneView
        The rows in two dimensions.
    hulls : tuple of ndarray
        The vertices of the hulls of the classes -1 and +1, one after the other around the hull, in the coordinates of
        the picture.
    points : ndarray of shape (2, n_features) or None
        The points of the hulls of the classes -1 and +1, rounded; None if the result proves no upper end.
    upper : float
        Half their distance, rounded up, which is the proven upper end of the maximum margin; 0 for a shared point.
    hulls_ : tuple of Line2D
        The boundaries of the hulls.
    points_ : Line2D or None
        The two points and the line that joins them.
    rows_ : tuple of PathCollection
        The rows of the classes -1 and +1.
    ax_ : matplotlib Axes
        The axes on which it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    HyperplaneDisplay : Draw the hyperplane between the hulls.
    maxmargin.hard_margin : Find the maximum margin, and the two points.

    References
    ----------
    .. [1] K. P. Bennett and E. J. Bredensteiner, "Duality and geometry in SVM classifiers", ICML 2000, 57-64.

    Examples
    --------
    >>> import maxmargin as mm
    >>> from matplotlib.figure import Figure
    >>> X, y = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]], [-1, 1, 1]
    >>> best, ax = mm.hard_margin(X, y, exact=True), Figure().add_subplot()
    >>> display = mm.displays.ConvexHullsDisplay.from_result(best, X, y, ax=ax)
    >>> display.points.tolist(), best.margin_squared
    ([[0.0, 0.0], [1.0, 2.0]], Fraction(5, 4))
    """

    view: PlaneView
    hulls: tuple[Floats, Floats]
    points: Floats | None
    upper: float
    hulls_: "tuple[Line2D, Line2D]" = field(init=False)
    points_: "Line2D | None" = field(init=False)
    rows_: "tuple[PathCollection, PathCollection]" = field(init=False)

    @classmethod
    def _of_result(cls, result: HardMargin | Sensitivity, displayed: DisplayedRows) -> Self:
        result = result.margin if isinstance(result, Sensitivity) else result
        check_kind(result, HardMargin, "hard_margin or sensitivity")
        if not result.bias:
            raise InvalidProblemError(
                "the result is about hyperplanes through the origin, whose margin is not the distance of two hulls; "
                "expected bias=True"
            )
        view = displayed.view
        check_rows(result, displayed.problem)
        hulls = _hull(view.points[view.signs < 0]), _hull(view.points[view.signs > 0])
        points = _proven_points(result, displayed.problem)
        return cls(view=view, hulls=hulls, points=points, upper=result.upper)

    def _draw(self, ax: "Axes") -> None:
        self.rows_ = draw_rows(self.view, ax)
        negative, positive = (
            _draw_hull(vertices, drawing.colour_on(ax, colour), ax)
            for vertices, colour in zip(self.hulls, (drawing.NEGATIVE, drawing.POSITIVE), strict=True)
        )
        self.hulls_, self.points_ = (negative, positive), None
        if self.points is None:
            return
        drawn = self.points @ self.view.basis
        if self.view.is_strip:
            drawn[:, 1] = 0.0
        name = f"half the distance: maximum margin γ* ≤ {upper_end(self.upper)}"
        if not self.upper:
            name = "a point of both hulls: no margin is positive"
        (self.points_,) = ax.plot(
            *drawn.T, color=drawing.ink(ax), marker="D", markersize=5, linewidth=1.4, linestyle=(0, (4, 2)), zorder=4,
            label=name,
        )  # fmt: skip


def _draw_hull(vertices: Floats, colour: str, ax: "Axes") -> "Line2D":
    if len(vertices) > 2:
        ax.fill(*vertices.T, color=colour, alpha=faint(ax), linewidth=0, zorder=0)
    (line,) = ax.plot(*np.concatenate([vertices, vertices[:1]]).T, color=colour, linewidth=1.2, zorder=1)
    return line


def _proven_points(result: HardMargin, problem: Problem) -> Floats | None:
    """Return the points of the two hulls that the proof of the result weighs."""
    proof = result.upper_certificate if result.upper else result.certificate
    if not isinstance(proof, MarginAtMost | CommonHullPoint | Overlap | QuasiSeparation):
        return None
    return np.array([mean_of_class(problem, proof.rows, proof.weights, sign) for sign in (-1, 1)])


def mean_of_class(problem: Problem, rows: Sequence[int], weights: Sequence[int], sign: int) -> list[float]:
    """Return the mean of the rows of one class with these weights, rounded to the nearest floats."""
    own = [(row, weight) for row, weight in zip(rows, weights, strict=True) if problem.y[row] == sign]
    total = sum(weight for _, weight in own)
    sums, exponent = weighted_sum(problem, np.array([row for row, _ in own]), [weight for _, weight in own])
    return [float(as_fraction(value, exponent) / total) for value in sums]


def _hull(points: Floats) -> Floats:
    """Return the vertices of the convex hull of points in the plane, by Andrew's monotone chain in exact arithmetic."""
    ordered = np.unique(_outer(points), axis=0)
    if len(ordered) <= 2:
        return ordered
    exact = [(Fraction(x), Fraction(y)) for x, y in ordered.tolist()]
    lower, upper = _chain(exact, range(len(exact))), _chain(exact, range(len(exact) - 1, -1, -1))
    return ordered[[*lower[:-1], *upper[:-1]]]


def _outer(points: Floats) -> Floats:
    """Return the points without most of those that lie inside a polygon of others: these are no vertices."""
    angles = np.arange(_N_CORNERS) * (2 * np.pi / _N_CORNERS)
    corners = points[np.argmax(points @ np.array([np.cos(angles), np.sin(angles)]), axis=0)]
    size = np.ptp(points, axis=0).max()
    is_inside = np.full(len(points), len(points) > _FEW_POINTS and size > 0)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if (start != end).any():
            (x, y), (to_x, to_y) = (end - start) / size, ((points - start) / size).T
            is_inside &= x * to_y - y * to_x > _CLEARLY
    return np.asarray(points[~is_inside])


def _chain(points: list[tuple[Fraction, Fraction]], order: range) -> list[int]:
    """Return the points of one half of the boundary, without those on straight parts of it."""
    chain: list[int] = []
    for new in order:
        while len(chain) > 1 and _turn(points[chain[-2]], points[chain[-1]], points[new]) <= 0:
            chain.pop()
        chain.append(new)
    return chain


def _turn(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction], c: tuple[Fraction, Fraction]) -> Fraction:
    """Return a number above 0 if the way from a over b to c turns left, and 0 if it is straight."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
