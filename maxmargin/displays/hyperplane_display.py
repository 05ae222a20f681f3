"""A hyperplane in the plane of two columns, with the band of its margin and the rows that determine it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from maxmargin.api.measures import Plane
from maxmargin.displays.drawing import colour_on
from maxmargin.displays.plane_view import PlaneView, circle_rows, draw_band, draw_line, draw_rows
from maxmargin.displays.rows_display import PlaneDisplay
from maxmargin.displays.shown_planes import DisplayedRows, ShownPlane
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.text.number_formats import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnPlane:
    """A hyperplane, and how it is drawn.

    Attributes
    ----------
    plane : Plane
    colour : str
        One of the colours of `maxmargin.displays.drawing`; "" for the colour of text.
    dashes : str or tuple
        As the `linestyle` of matplotlib.
    half_width : float or None
        The distance to the ends of its band; None for no band.
    band_name : str
        The band in the legend; "" for no entry.
    """

    plane: Plane
    colour: str
    dashes: Any = "solid"
    half_width: float | None = None
    band_name: str = ""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class HyperplaneDisplay(PlaneDisplay):
    """A hyperplane among the rows of one or two columns, the band of its margin, and the rows that determine it.

    Make it with `from_result` or `from_estimator`. The band of a hard margin, and of a run or a judged hyperplane that
    separates, is its proven margin: no row lies inside it. The band of a soft margin ends where slack begins. A result
    without a hyperplane has no band. A verdict is drawn by the hyperplane that proves it, and a sensitivity by its
    maximum margin.

    Attributes
    ----------
    view : PlaneView
        The rows in two dimensions.
    planes : tuple of DrawnPlane
        The hyperplanes with their bands; empty if the result has none.
    marked : ndarray of int
        The rows that are circled.
    marked_name : str
        The role of these rows: support rows, rows at the band, errors, or the proof that no hyperplane separates.
    line_ : Line2D or None
        The first hyperplane; None if there is none, or it does not cross the axes.
    lines_ : list of Line2D or None
        Every hyperplane.
    band_ : Polygon or None
        The band of the first hyperplane that has one.
    rows_ : tuple of PathCollection
        The rows of the classes -1 and +1.
    marked_ : PathCollection or None
        The circles; None if no row is marked.
    ax_ : matplotlib Axes
        The axes on which it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    MarginDistributionDisplay : Draw the margins of rows with any number of columns.
    maxmargin.hard_margin : Find the hyperplane of maximum margin.

    Examples
    --------
    >>> import maxmargin as mm
    >>> from matplotlib.figure import Figure
    >>> X, y = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]], [-1, 1, 1]
    >>> ax = Figure().add_subplot()
    >>> display = mm.displays.HyperplaneDisplay.from_result(mm.hard_margin(X, y), X, y, ax=ax)
    >>> display.marked.tolist(), len(display.marked_.get_offsets()), display.ax_ is ax
    ([0, 1], 2, True)
    """

    view: PlaneView
    planes: tuple[DrawnPlane, ...]
    marked: Rows
    marked_name: str
    line_: "Line2D | None" = field(init=False)
    lines_: "list[Line2D | None]" = field(init=False)
    band_: "Polygon | None" = field(init=False)
    rows_: "tuple[PathCollection, PathCollection]" = field(init=False)
    marked_: "PathCollection | None" = field(init=False)

    @classmethod
    def _of_plane(cls, shown: ShownPlane, displayed: DisplayedRows) -> Self:
        planes: tuple[DrawnPlane, ...] = ()
        if shown.plane is not None:
            band_name = "" if shown.half_width is None else f"band: {rounded(shown.half_width, 4)} to each side"
            width, colour = shown.half_width, shown.colour
            planes = (DrawnPlane(plane=shown.plane, colour=colour, half_width=width, band_name=band_name),)
        return cls(view=displayed.view, planes=planes, marked=shown.marked, marked_name=shown.marked_name)

    def _draw(self, ax: "Axes") -> None:
        self.rows_ = draw_rows(self.view, ax)
        self.marked_ = circle_rows(self.view, self.marked, self.marked_name, ax)
        self.band_, self.lines_ = None, []
        for drawn in self.planes:
            line, width = self.view.line(drawn.plane), drawn.half_width
            if width is not None:
                band = draw_band(*line, width, ax, colour=drawn.colour, name=drawn.band_name)
                self.band_ = self.band_ or band
            how: dict[str, Any] = {"color": colour_on(ax, drawn.colour), "linestyle": drawn.dashes, "zorder": 3}
            self.lines_.append(draw_line(*line, ax, label=drawn.plane.name, **how))
        self.line_ = self.lines_[0] if self.lines_ else None
