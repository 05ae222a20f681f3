"""The study of two classes: the data, and the results that its parts compute in turn."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from maxmargin.api.measures import Plane, plane_of
from maxmargin.data.dataset import Dataset, problem_of
from maxmargin.data.preparing import How, prepare
from maxmargin.explaining.separability_answer import Separability
from maxmargin.reports.study.replay import Replay, replay_of
from maxmargin.reports.study.report_settings import OnProgress, ReportSettings
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.dyadic import nearest_floats
from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.problem.problem import ClassProblem, Problem
from maxmargin.solvers.proof.certificate import Certificate, QuasiSeparation
from maxmargin.solvers.proof.margins import n_errors
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin
from maxmargin.text.number_formats import rounded
from maxmargin.theory.context import Context
from maxmargin.theory.mistake_traces import MistakeTrace, Passed, passed_mistakes, trace_of
from maxmargin.theory.order_studies import OrderStudy
from maxmargin.theory.perceptron_bounds import Bound

AnyProblem = TypeVar("AnyProblem", Problem, ClassProblem)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftPoint:
    """A soft margin of the grid.

    Attributes
    ----------
    solution : SoftMargin
        Of rows outside memory without its vectors that have an entry for every row: they are empty.
    w : ndarray (n_features,)
        The normal; 0 where the solution's is 0 up to rounding.
    n_errors : int
        Rows with y(w.x + b) <= 0, counted exactly.
    n_slack, n_support : int
        Rows with slack, as `n_with_slack` counts them, and with a multiplier.
    slack_norm : float
        The Euclidean norm of the slacks.
    achieved_margin : float or None
        The least y(w.x + b)/||w|| over the rows, of these very floats, rounded down; None where w = 0.
    """

    solution: SoftMargin
    w: Floats
    n_errors: int
    n_slack: int
    n_support: int
    slack_norm: float
    achieved_margin: float | None

    @property
    def plane(self) -> Plane | None:
        """The hyperplane, None where w = 0."""
        return plane_of(self.w, self.solution.b, f"soft margin at C = {rounded(self.solution.C)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Centred:
    """The same question after every column was moved to mean 0."""

    problem: Problem
    hard: HardMargin
    run: PerceptronRun


@dataclass(kw_only=True, eq=False)
class TwoClassStudy:
    """The results that a two-class report shows. Its parts compute them in turn, each from those before it.

    Attributes
    ----------
    dataset : Dataset
        As read.
    settings : ReportSettings
        As asked for; the limits of a run are in the run.
    problem : Problem
        The prepared rows: everything below is about them.
    separability : Separability
    hard : HardMargin
    run_problem : Problem
        The problem of the run: `problem`, or the same rows through the origin if ``bias_scale="best"`` requires it.
    run : PerceptronRun
    run_hard : HardMargin
        The maximum margin of the space (x, s) of the run; without multipliers where the rows are outside memory.
    bounds : tuple of Bound
        For the passes that the run made.
    centred : Centred or None
    not_centred : str
        Why `centred` is None.
    standardized : dict or None
        The range of the standard deviations of the columns, and the ends of the maximum margin after they were
        standardized, where their units are very different.
    soft : tuple of SoftPoint
        In the order of the grid of C.
    orders : OrderStudy or None
    why_orders : str
        Why `orders` is None, or of one pass only.
    errors : FewestErrors or None
        Of classes that are not proven to be strictly separable, the fewest errors of any hyperplane, as a proven
        interval.
    why_no_errors : str
        Why `errors` is None.
    seconds : dict of str to float
        The time on the clock that each part of the study took, by its name.
    most_traced : int
        Largest number of mistakes in the trace.
    """

    dataset: Dataset
    settings: ReportSettings
    problem: Problem
    separability: Separability = field(init=False)
    hard: HardMargin = field(init=False)
    run_problem: Problem = field(init=False)
    run: PerceptronRun = field(init=False)
    run_hard: HardMargin = field(init=False)
    bounds: tuple[Bound, ...] = field(init=False)
    centred: Centred | None = field(init=False)
    not_centred: str = field(init=False)
    standardized: dict[str, float | None] | None = field(init=False)
    soft: tuple[SoftPoint, ...] = field(init=False)
    orders: OrderStudy | None = field(init=False)
    why_orders: str = field(init=False)
    errors: FewestErrors | None = field(init=False)
    why_no_errors: str = field(init=False)
    seconds: dict[str, float] = field(default_factory=dict)
    most_traced: int = field(init=False)

    @property
    def scale(self) -> float:
        """The bias coordinate of the run; 0 through the origin."""
        return self.run.settings.bias_scale if self.run_problem.bias else 0.0

    @cached_property
    def maximum(self) -> Plane | None:
        """The maximum-margin hyperplane, None where there is none."""
        return plane_of(self.hard.w, self.hard.b, "maximum margin")

    @cached_property
    def trace(self) -> MistakeTrace:
        """The run along its mistakes, thinned."""
        return trace_of(self.run_problem, self.run, self.run_hard, passed=self._passed)

    @cached_property
    def replay(self) -> Replay:
        """The rows of the first mistakes of the run, and its hyperplane after some mistakes."""
        return replay_of(self.trace, [moment for _, moment in self._passed], self.scale)

    @cached_property
    def _passed(self) -> list[Passed]:
        """The traced mistakes, with the exact state of the run after each."""
        rng = np.random.default_rng(self.settings.seed)
        return passed_mistakes(self.run_problem, self.run, rng=rng, most_points=self.most_traced)

    @cached_property
    def n_errors(self) -> int:
        """The number of rows with y(w.x + b) <= 0 for the hyperplane of the run, counted exactly."""
        return n_errors(self.problem, self.run.w, self.run.b)

    @cached_property
    def proof(self) -> Certificate | None:
        """The strongest proof that was found."""
        return strongest_proof(self.separability, self.hard)

    @cached_property
    def fewest_errors(self) -> SoftPoint | None:
        """The soft margin with the fewest errors, and of these the smallest C; None if each has w = 0."""
        points = [point for point in self.soft if point.plane is not None]
        return min(points, key=lambda point: (point.n_errors, point.solution.C), default=None)

    @property
    def reference(self) -> Plane | None:
        """The hyperplane of comparison: of the maximum margin, the quasi-separating one, or one of few errors.

        Of classes that overlap it is the one with the fewest errors that is known: of their search, else of the soft
        margins.
        """
        soft = None if self.fewest_errors is None else self.fewest_errors.plane
        return self.maximum or self.quasi_separating or self.best_of_search or soft

    @cached_property
    def best_of_search(self) -> Plane | None:
        """The hyperplane that the search for the fewest errors found."""
        return None if self.errors is None else plane_of(self.errors.w, self.errors.b, "hyperplane of fewest errors")

    @property
    def half_width(self) -> float | None:
        """The distance from the hyperplane of comparison to the edges of its band; None where it has none."""
        if self.maximum is not None:
            return self.hard.lower
        soft = self.fewest_errors
        return soft.solution.margin if soft is not None and self.reference is soft.plane else None

    @cached_property
    def found(self) -> Plane | None:
        """The perceptron's hyperplane, None if it ended at w = 0."""
        return plane_of(self.run.w, self.run.b, "perceptron")

    @property
    def planes(self) -> list[Plane]:
        """The hyperplanes that are compared, as far as they are known: the reference and the perceptron's."""
        return [plane for plane in (self.reference, self.found) if plane is not None]

    @cached_property
    def quasi_separating(self) -> Plane | None:
        """The hyperplane that proves quasi-separability: touching rows lie on it, and no row on its wrong side."""
        certificate = self.separability.certificate
        if not isinstance(certificate, QuasiSeparation):
            return None
        numbers = nearest_floats([*certificate.w, certificate.b])
        return None if numbers is None else plane_of(numbers[:-1], float(numbers[-1]), "quasi-separating hyperplane")


@dataclass(slots=True, kw_only=True)
class Workspace:
    """Data that the parts of a study share while they compute, and that the study does not keep.

    Attributes
    ----------
    limits : Limits
        The share of the time limit that the current part may take.
    on_progress : callable or None
        Called while a perceptron runs.
    context : Context
        The context of the bounds of the run, once these are computed.
    """

    limits: Limits
    on_progress: OnProgress | None
    context: Context = field(init=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a study of two classes.

    Attributes
    ----------
    name : str
        The key of its time in seconds.
    n_shares : int
        The part may take the time left when it begins, divided by this number.
    compute : callable
        Computes the part and stores the results in the study.
    fields : callable
        Returns the fields of the part in the summary of a study.
    """

    name: str
    n_shares: int
    compute: Callable[[TwoClassStudy, Workspace], None]
    fields: Callable[[TwoClassStudy], dict[str, Any]]


def strongest_proof(answer: Separability, hard: HardMargin) -> Certificate | None:
    """Return the proof of the maximum margin, else of the verdict, else that no hyperplane separates strictly."""
    if answer.strictly_separable:
        return hard.interval_certificate or answer.certificate
    return answer.certificate or answer.witness


def prepared_problem(dataset: Dataset, settings: ReportSettings) -> Problem:
    """Return the two-class question about the prepared rows.

    Raises
    ------
    InvalidOptionError
        If rows outside memory are to be prepared, or presented in another order than the order of their file.
    """
    if not dataset.is_in_memory:
        _check_needs_no_memory(settings)
    return prepared(problem_of(dataset, bias=settings.bias), settings.prepare)


def prepared(problem: AnyProblem, how: str) -> AnyProblem:
    """Return the question about the rows after a preparation."""
    return problem if how == How.RAW else replace(problem, X=prepare(problem.X, how).X, known_bounds=None)


def _check_needs_no_memory(settings: ReportSettings) -> None:
    """Raise before the first pass, not after hours."""
    if settings.prepare != How.RAW:
        raise InvalidOptionError(
            f"prepare is {settings.prepare!r}, which copies all rows, and these are not in memory; expected 'raw', or "
            "more memory"
        )
    if settings.order != Order.CYCLIC:
        raise InvalidOptionError(f"order is {settings.order!r}; expected 'cyclic' for rows that are not in memory")
