"""The hyperplane of a result or of a fitted model, its proven margin on the rows, and the rows that are marked."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np

from maxmargin.api.measures import Plane, is_flat, norm, plane_of
from maxmargin.api.question import Question
from maxmargin.data.dataset import REST, Dataset, problem_of
from maxmargin.displays import drawing
from maxmargin.displays.plane_view import PlaneView
from maxmargin.explaining.separability_answer import Separability
from maxmargin.models.fitted_planes import plane_of_model
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.dyadic import nearest_floats, round_up
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.hard_margin.margin_sensitivity import Sensitivity
from maxmargin.solvers.online.algorithm import OnlineRun
from maxmargin.solvers.perceptron.result import PerceptronRun, RunResult
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import (
    Certificate,
    CommonHullPoint,
    Overlap,
    QuasiSeparation,
    SeparatingHyperplane,
)
from maxmargin.solvers.proof.margins import (
    enclose_functional_margins,
    error_rows,
    geometric_margin,
    least_functional_margin,
    norm_squared,
)
from maxmargin.solvers.soft_margin.soft_solution import MarginWithSlack, NuMargin, SoftMargin
from maxmargin.text.number_formats import one_line, rounded
from maxmargin.theory.plane_judgement import PlaneJudgement

# Largest difference of slacks, relative to the largest of them or to 1, that rounding explains.
_SLACK_TOLERANCE = 1e-6

_EXPECTED = "expected the X, y and positive from which it was computed"

_LONGEST_NAME, _LONGEST_LABEL = 40, 24

# Smallest range of a column, relative to its greatest modulus, that is visible on axes.
_FINEST = 1e-13

# Name of labels that have no name of their own.
_NO_NAME = "y"

# Rows up to this multiple of the least distance are at the band: a hyperplane of floats has one nearest row only.
_AT_THE_BAND = 1 + Fraction(1, 10**6)


@dataclass(frozen=True, kw_only=True, eq=False)
class DisplayedRows:
    """Rows of two classes that are drawn.

    Attributes
    ----------
    dataset : Dataset
    problem : Problem
    """

    dataset: Dataset
    problem: Problem

    @classmethod
    def of(cls, X: Any, y: Any, positive: object) -> Self:
        """Return the rows that a display is given, in memory.

        Raises
        ------
        InvalidProblemError
            If they do not state a question about two classes, are outside memory, or are too large for axes.
        """
        dataset = Question.of(X, y, positive=positive).dataset
        if not dataset.is_in_memory:
            raise InvalidProblemError(
                "X is outside memory; expected rows in memory, such as a sample: maxmargin.margin_report draws others"
            )
        problem = problem_of(dataset)
        check_is_drawn(float(problem.column_sizes.max()), "X has entries of")
        return cls(dataset=dataset, problem=problem)

    @classmethod
    def of_result(cls, result: Any, X: Any, y: Any, positive: object) -> Self:
        """Return the rows that a display of a result is given, with its positive class unless another one is chosen.

        Raises
        ------
        InvalidProblemError
            As `of`.
        """
        displayed = cls.of(X, y, getattr(result, "positive", None) if positive is None else positive)
        label = getattr(getattr(result, "names", None), "label", None)
        if label is None or displayed.dataset.label_name != _NO_NAME:
            return displayed
        return cls(dataset=replace(displayed.dataset, label_name=label), problem=displayed.problem)

    @cached_property
    def view(self) -> PlaneView:
        """The rows in two dimensions.

        Raises
        ------
        InvalidProblemError
            If there are more than two columns, or the numbers of a column cannot be distinguished on axes.
        """
        names = [column_name(name) for name in self.dataset.feature_names[:2]]
        n_features = self.problem.n_features
        rows = self.problem.dense_rows(slice(None)) if n_features <= 2 else np.empty((0, n_features))
        view = PlaneView.of_columns(rows, self.problem.y, names, class_names(self.dataset))
        for name, column in zip(names, rows.T, strict=True):
            _check_is_visible(name, column)
        return view


def column_name(name: str, longest: int = _LONGEST_NAME) -> str:
    """Return the name of a column on one line; columns without names have numbers."""
    return f"column {name}" if name.isdecimal() else one_line(name, longest)


def class_names(dataset: Dataset) -> tuple[str, str]:
    """Return the names of the classes -1 and +1 in a legend: the name of the label column, and the label."""
    column = column_name(dataset.label_name, _LONGEST_LABEL)
    negative, positive = (
        f"{column}: all others"
        if label == REST and len(dataset.classes) > 2
        else f"{column} = {one_line(label, _LONGEST_LABEL)}"
        for label in (dataset.negative, dataset.positive)
    )
    return negative, positive


def check_is_drawn(size: float, what: str) -> None:
    """Raise if numbers of this size overflow or underflow on axes.

    Raises
    ------
    InvalidProblemError
    """
    if size and not drawing.SMALLEST_DRAWN <= size <= drawing.LARGEST_DRAWN:
        raise InvalidProblemError(
            f"{what} modulus {size:g} at most; expected {drawing.SMALLEST_DRAWN:g} to {drawing.LARGEST_DRAWN:g}, which "
            "axes hold: divide the data by a power of two, and ask again"
        )


def _check_is_visible(name: str, column: Floats) -> None:
    span, size = float(np.ptp(column)), float(np.abs(column).max())
    if 0 < span < max(drawing.SMALLEST_DRAWN, _FINEST * size):
        raise InvalidProblemError(
            f"the numbers of {name} differ by {span:g} at most, and the largest has modulus {size:g}: axes do not show "
            "this; expected a column with its mean subtracted, or in smaller units"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownPlane:
    """A hyperplane, its band, and the rows that are marked.

    Attributes
    ----------
    plane : Plane or None
        None if the result has no hyperplane, or its normal is 0.
    half_width : float or None
        The distance from the hyperplane to the ends of its band; None if it has no band.
    is_proven : bool
        Whether it is proven that no row lies inside the band or, without a band, on the wrong side.
    marked : ndarray of int
    marked_name : str
    colour : str
    """

    plane: Plane | None
    half_width: float | None = None
    is_proven: bool = False
    marked: Rows
    marked_name: str
    colour: str = drawing.MAXIMUM


def plane_of_estimator(estimator: Any, displayed: DisplayedRows) -> ShownPlane:
    """Return the decision boundary of a fitted linear model.

    Raises
    ------
    InvalidOptionError
        If it is not a fitted linear model of these columns and classes.
    """
    given = plane_of_model(estimator, displayed.dataset)
    return _judged(displayed.problem, Plane(w=given.w, b=given.b, name=type(estimator).__name__), drawing.MAXIMUM)


def plane_of_result(result: Any, displayed: DisplayedRows) -> ShownPlane:
    """Return the hyperplane of a result about these rows.

    Raises
    ------
    InvalidOptionError
        If it is a result of another kind.
    InvalidProblemError
        If it is about other rows.
    """
    problem = displayed.problem
    if isinstance(result, Separability):
        return _of_verdict(result, problem)
    if isinstance(result, Sensitivity):
        result = result.margin
    if isinstance(result, HardMargin):
        return _of_hard_margin(result, problem)
    if isinstance(result, SoftMargin | NuMargin):
        return _of_slack(result, problem)
    if isinstance(result, RunResult | PlaneJudgement):
        name, colour = "hyperplane", drawing.MAXIMUM
        if isinstance(result, PerceptronRun):
            name, colour = "perceptron", drawing.PERCEPTRON
        elif isinstance(result, OnlineRun):
            if result.space.is_kernel:
                raise InvalidOptionError(
                    "the result is a run with a kernel, whose hyperplane is not one of the columns of X; expected a "
                    "run without"
                )
            name = result.algorithm.name
        plane = plane_of(result.w, result.b, name)
        return _witness(None) if plane is None else _judged(problem, plane, colour, stated=result.margin)
    raise InvalidOptionError(
        f"result is a {type(result).__name__}; expected what hard_margin, sensitivity, separability, soft_margin, "
        "nu_margin, perceptron, online or judge returns"
    )


def check_rows(result: HardMargin | Separability, problem: Problem) -> None:
    """Raise unless the proof of the result has the hash of these rows and signs.

    Raises
    ------
    InvalidProblemError
    """
    proof = result.certificate
    if proof is not None and proof.problem.sha256 != problem.sha256:
        raise InvalidProblemError(f"the proof of the result is about other rows; {_EXPECTED}")


def _of_hard_margin(result: HardMargin, problem: Problem) -> ShownPlane:
    check_rows(result, problem)
    plane = plane_of(result.w, result.b, "maximum margin")
    if plane is None:
        return _witness(result.certificate)
    return ShownPlane(
        plane=plane, half_width=result.margin, is_proven=True, marked=result.support, marked_name="support rows"
    )


def _witness(proof: Certificate | None) -> ShownPlane:
    """Return no hyperplane, and the rows by which a proof shows that none separates strictly."""
    rows = proof.rows if isinstance(proof, CommonHullPoint | Overlap | QuasiSeparation) else ()
    marked = np.array(rows, dtype=np.int64)
    return ShownPlane(plane=None, marked=marked, marked_name="rows that exclude strict separation")


def _of_verdict(result: Separability, problem: Problem) -> ShownPlane:
    """Return the hyperplane that proves the verdict, or the rows by which there is none."""
    proof = result.certificate
    if result.n_inequalities is not None or proof is None:
        found = "is undecided" if proof is None else "is about more than two classes"
        raise InvalidProblemError(f"the result {found}, without a hyperplane; expected a proven verdict on two classes")
    check_rows(result, problem)
    floats = None
    if isinstance(proof, SeparatingHyperplane | QuasiSeparation):
        floats = nearest_floats([*proof.w, proof.b])
    if floats is None:
        return _witness(result.witness or proof)
    w, b = floats[:-1], float(floats[-1])
    if isinstance(proof, SeparatingHyperplane):
        shown = _judged(problem, Plane(w=w, b=b, name="separating hyperplane"), drawing.MAXIMUM)
        if shown.half_width is not None:  # else rounding has moved it over a row
            return shown
    plane, touching = Plane(w=w, b=b, name="hyperplane with no row on its wrong side"), result.touching_rows
    marked, what = np.empty(0, np.int64) if touching is None else touching, "rows on it, and on every such hyperplane"
    return ShownPlane(plane=plane, is_proven=True, marked=marked, marked_name=what)


def _of_slack(result: SoftMargin | NuMargin, problem: Problem) -> ShownPlane:
    if isinstance(result, NuMargin):
        level, name = result.rho, f"nu-SVM, nu = {rounded(result.nu, 3)}"
    else:
        level, name = 1.0, f"soft margin, C = {rounded(result.C, 3)}"
    _check_slack(result, level, problem)
    is_nothing = isinstance(result, SoftMargin) and is_flat(replace(problem, bias=result.bias), result)
    plane = None if is_nothing else plane_of(result.w, result.b, name)
    half_width = None if plane is None or level <= 0 else level / norm(plane.w)
    return ShownPlane(plane=plane, half_width=half_width, marked=result.support, marked_name="support rows")


def _judged(problem: Problem, plane: Plane, colour: str, *, stated: float | None = None) -> ShownPlane:
    """Return a hyperplane with the band of its margin and the rows at its edges, or else with its errors.

    A run holds no hash of its rows, because these may take long to read; its exact margin is compared instead.
    """
    least = None if len(plane.w) != problem.n_features else least_functional_margin(problem, plane.w, plane.b)
    width = None if least is None else geometric_margin(least, norm_squared(plane.w))
    if least is None or stated not in (None, width):
        found = f"{len(plane.w)} columns" if least is None else f"margin {stated!r}, and on these rows it is {width!r}"
        raise InvalidProblemError(f"the hyperplane of the result has {found}; {_EXPECTED}")
    if least <= 0:
        rows = error_rows(problem, plane.w, plane.b)
        return ShownPlane(plane=plane, marked=rows, marked_name="errors", colour=colour)
    lower, _ = enclose_functional_margins(problem, plane.w, plane.b)
    at_the_band = np.flatnonzero(lower <= round_up(least * _AT_THE_BAND))
    return ShownPlane(
        plane=plane, half_width=width, is_proven=True, marked=at_the_band, marked_name="rows at the band", colour=colour
    )


def _check_slack(result: MarginWithSlack, level: float, problem: Problem) -> None:
    """Raise unless the slacks on these rows are those of the result, up to rounding: it holds no hash of its rows."""
    if (len(result.slack), len(result.w)) != (problem.n_samples, problem.n_features):
        raise InvalidProblemError(
            f"the result is about {len(result.slack)} rows of {len(result.w)} columns, and X has {problem.n_samples} "
            f"rows of {problem.n_features}; {_EXPECTED}"
        )
    slack = np.maximum(0.0, level - problem.y * np.asarray(problem.row_source[:] @ result.w + result.b))
    size = max(1.0, float(slack.max()), float(result.slack.max()))
    if not np.allclose(slack, result.slack, rtol=0, atol=_SLACK_TOLERANCE * size):
        raise InvalidProblemError(f"the slacks of the rows of X are not those of the result; {_EXPECTED}")
