"""A hyperplane in the plane of two columns, with the band of its margin and the rows that determine it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from maxmargin.api.measures import Plane
from maxmargin.displays.display import Display
from maxmargin.displays.drawing import colour_on
from maxmargin.displays.plane_view import PlaneView, circle_rows, draw_band, draw_line, draw_rows
from maxmargin.displays.shown_planes import DisplayedRows, ShownPlane, plane_of_estimator, plane_of_result
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.text.number_formats import number

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
class HyperplaneDisplay(Display):
    """A hyperplane among the rows of one or two columns, the band of its margin, and the rows that determine it.

    Make it with `from_result` or `from_estimator`.

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
    def from_result(
        cls,
        result: Any,
        X: Any,
        y: Any = None,
        *,
        positive: object = None,
        ax: "Axes | None" = None,
        legend: bool = True,
    ) -> Self:
        """Draw the hyperplane of a result.

        The band of a hard margin, and of a run or a judged hyperplane that separates, is its proven margin: no row lies
        inside it. The band of a soft margin ends where slack begins. A result without a hyperplane has no band. A
        verdict is drawn by the hyperplane that proves it, and a sensitivity by its maximum margin.

        Parameters
        ----------
        result : HardMargin, Sensitivity, Separability, SoftMargin, NuMargin, PerceptronRun, OnlineRun or PlaneJudgement
            An answer about these rows.
        X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
            The rows from which the result was computed, of one or two columns.
        y : array_like of shape (n_samples,), or str, optional
            Their labels, the name of their column or a formula; None for a Dataset.
        positive : label, optional
            The label that is +1. By default it is the one of the result.
        ax : matplotlib Axes, optional
            The axes to draw on. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw a legend.

        Returns
        -------
        HyperplaneDisplay
            The display, drawn.

        Raises
        ------
        InvalidProblemError
            If there are more than two columns, or the result is about other rows.
        InvalidOptionError
            If the result is of another kind, or `ax` is not an Axes.
        """
        displayed = DisplayedRows.of_result(result, X, y, positive)
        return cls._of(displayed, plane_of_result(result, displayed)).plot(ax, legend=legend)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        positive: object = None,
        ax: "Axes | None" = None,
        legend: bool = True,
    ) -> Self:
        """Draw the decision boundary of a fitted linear model.

        If it has every row strictly on its side, which is checked in exact arithmetic, the band is its margin and the
        rows on the ends of the band are circled; otherwise there is no band, and its errors are circled.

        Parameters
        ----------
        estimator : object
            A fitted linear model with `coef_` and `intercept_`, as in scikit-learn, or with `params`, as in
            statsmodels. Of a pipeline, give the last step, and the X that this step is given.
        X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
            Rows of one or two columns.
        y : array_like of shape (n_samples,), or str, optional
            Their labels, the name of their column or a formula; None for a Dataset.
        positive : label, optional
            The label that is +1, against all others.
        ax : matplotlib Axes, optional
            The axes to draw on. By default they are those of a new figure.
        legend : bool, default True
            Whether to draw a legend.

        Returns
        -------
        HyperplaneDisplay
            The display, drawn.

        Raises
        ------
        InvalidProblemError
            If there are more than two columns.
        InvalidOptionError
            If it is not a fitted linear model of these columns and classes, or `ax` is not an Axes.
        """
        displayed = DisplayedRows.of(X, y, positive)
        return cls._of(displayed, plane_of_estimator(estimator, displayed)).plot(ax, legend=legend)

    @classmethod
    def _of(cls, displayed: DisplayedRows, shown: ShownPlane) -> Self:
        planes: tuple[DrawnPlane, ...] = ()
        if shown.plane is not None:
            band_name = "" if shown.half_width is None else f"band: {number(shown.half_width, 4)} to each side"
            planes = (
                DrawnPlane(
                    plane=shown.plane, colour=shown.colour, half_width=shown.half_width, band_name=band_name
                ),
            )  # fmt: skip
        return cls(view=displayed.view, planes=planes, marked=shown.marked, marked_name=shown.marked_name)

    def _draw(self, ax: "Axes") -> None:
        self.rows_ = draw_rows(self.view, ax)
        self.marked_ = circle_rows(self.view, self.marked, self.marked_name, ax)
        bands = [
            draw_band(
                *self.view.line(drawn.plane), drawn.half_width, ax, colour=drawn.colour, name=drawn.band_name
            )
            for drawn in self.planes
            if drawn.half_width is not None
        ]  # fmt: skip
        self.band_ = bands[0] if bands else None
        self.lines_ = [self._draw_plane(drawn, ax) for drawn in self.planes]
        self.line_ = self.lines_[0] if self.lines_ else None

    def _draw_plane(self, drawn: DrawnPlane, ax: "Axes") -> "Line2D | None":
        colour, name = colour_on(ax, drawn.colour), drawn.plane.name
        return draw_line(*self.view.line(drawn.plane), ax, color=colour, linestyle=drawn.dashes, label=name, zorder=3)
