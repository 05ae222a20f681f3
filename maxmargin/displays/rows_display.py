"""Base classes of the displays of results among their rows, and of hyperplanes."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from maxmargin.displays.display import Display
from maxmargin.displays.shown_planes import DisplayedRows, ShownPlane, plane_of_estimator, plane_of_result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class RowsDisplay(Display):
    """Base class of the displays that need the rows of a result."""

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
        """Draw a result among the rows from which it was computed.

        Parameters
        ----------
        result : HardMargin, Sensitivity, Separability, SoftMargin, NuMargin, PerceptronRun, OnlineRun or PlaneJudgement
            An answer about these rows. `ConvexHullsDisplay` takes a HardMargin or a Sensitivity, with a bias.
        X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
            The rows from which the result was computed; of one or two columns, except for `MarginDistributionDisplay`.
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
        Self
            The display, drawn.

        Raises
        ------
        InvalidProblemError
            If there are too many columns, the result is about other rows, or it lacks what the display shows.
        InvalidOptionError
            If the result is of another kind, or `ax` is not an Axes.
        """
        return cls._of_result(result, DisplayedRows.of_result(result, X, y, positive)).plot(ax, legend=legend)

    @classmethod
    @abstractmethod
    def _of_result(cls, result: Any, displayed: DisplayedRows) -> Self:
        """Return the display of a result, not yet drawn."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class PlaneDisplay(RowsDisplay):
    """Base class of the displays of a hyperplane, which may be the decision boundary of a fitted model."""

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
        """Draw the decision boundary of a fitted linear model among rows.

        If it has every row strictly on its side, which is checked in exact arithmetic, the band is its margin and the
        rows on the ends of the band are marked; otherwise there is no band, and its errors are marked.

        Parameters
        ----------
        estimator : object
            A fitted linear model with `coef_` and `intercept_`, as in scikit-learn, or with `params`, as in
            statsmodels. Of a pipeline, give the last step, and the X that this step is given.
        X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
            Rows; of one or two columns, except for `MarginDistributionDisplay`.
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
        Self
            The display, drawn.

        Raises
        ------
        InvalidProblemError
            If the data do not state a question about two classes, or there are too many columns.
        InvalidOptionError
            If it is not a fitted linear model of these columns and classes, or `ax` is not an Axes.
        """
        displayed = DisplayedRows.of(X, y, positive)
        return cls._of_plane(plane_of_estimator(estimator, displayed), displayed).plot(ax, legend=legend)

    @classmethod
    def _of_result(cls, result: Any, displayed: DisplayedRows) -> Self:
        return cls._of_plane(plane_of_result(result, displayed), displayed)

    @classmethod
    @abstractmethod
    def _of_plane(cls, shown: ShownPlane, displayed: DisplayedRows) -> Self:
        """Return the display of a hyperplane, not yet drawn."""
