"""Everything that is computed for a two-class report, once."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from maxmargin.api.deciding import named
from maxmargin.api.measures import Plane, plane_of
from maxmargin.api.running import run_perceptron, with_bias_scale
from maxmargin.data.dataset import Dataset
from maxmargin.data.preparing import How, prepare
from maxmargin.data.problems import problem_of
from maxmargin.explaining.separability_answer import Separability
from maxmargin.reports.study.error_search import errors_of_report
from maxmargin.reports.study.order_plan import check_orders, orders_of_report
from maxmargin.reports.study.parts_clock import PartsClock
from maxmargin.reports.study.replay import Replay, replay_of
from maxmargin.reports.study.report_settings import OUT_OF_TIME, OnProgress, Settings
from maxmargin.reports.study.soft_grid import SoftPoint, default_grid, soft_points
from maxmargin.reports.study.translated import Translated, moved_to_mean_0, translated
from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines.interior_point.interior_point import one_thread_each
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.dyadic import nearest_floats
from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem, radius
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.proof.certificate import Certificate, QuasiSeparation
from maxmargin.solvers.proof.margins import n_errors
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.theory.context import Context
from maxmargin.theory.mistake_traces import FEWEST_POINTS, MistakeTrace, Passed, passed_mistakes, trace_of
from maxmargin.theory.order_studies import OrderStudy
from maxmargin.theory.perceptron_bounds import Bound, bounds_of

_EPOCHS_WITHOUT_PROOF = 20
"""Limit of epochs of a run that need not converge, if the caller sets none and every epoch reads the rows again."""

_WITH_BIAS_ONLY = ("augmented_b", "best_scale", "best_scale_searched")
"""Bounds that involve the bias coordinate; through the origin they repeat Novikoff's bound."""

_OF_SPECIAL_DATA = ("unit_norm", "conjunction")
"""Bounds that are left out unless their assumption holds."""


class _Shares:
    """Into how many shares the time left is divided when a part of the report begins; the part takes one of them."""

    verdict = 4
    run = 4
    margin = 3
    soft = 3
    errors = 3
    bounds = 2
    centred = 2
    orders = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Centred:
    """The same question after every column was moved to mean 0."""

    problem: Problem
    hard: HardMargin
    run: PerceptronRun


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """The results that a two-class report shows.

    Attributes
    ----------
    dataset : Dataset
        As read.
    settings : Settings
        As asked for; the limits of a run are in the run.
    problem : Problem
        The prepared rows: everything below speaks of them.
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
    soft : tuple of SoftPoint
        In the order of the grid of C.
    orders : OrderStudy or None
    why_orders : str
        Why `orders` is None, or of one pass only.
    translated : Translated
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
    settings: Settings
    problem: Problem
    separability: Separability
    hard: HardMargin
    run_problem: Problem
    run: PerceptronRun
    run_hard: HardMargin
    bounds: tuple[Bound, ...]
    centred: Centred | None
    not_centred: str
    soft: tuple[SoftPoint, ...]
    orders: OrderStudy | None
    why_orders: str
    translated: Translated
    errors: FewestErrors | None
    why_no_errors: str
    seconds: dict[str, float]
    most_traced: int

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
        """The proof of the maximum margin, else that of the verdict, else that no hyperplane separates strictly."""
        if self.separability.strictly_separable:
            return self.hard.interval_certificate or self.separability.certificate
        return self.separability.certificate or self.separability.witness

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


def study(dataset: Dataset, settings: Settings, *, on_progress: OnProgress | None = None) -> Study:
    """Run everything for a data set of two classes.

    Raises
    ------
    InvalidProblemError
        If the data do not state a two-class question, or an option is not one of its values.
    KeyboardInterrupt
        If a part of it was interrupted: half a report would look like a whole one.
    """
    check_orders(settings.orders, is_in_memory=dataset.is_in_memory)
    limits = Limits(time_limit=settings.time_limit)
    problem = prepared_problem(dataset, settings)
    with one_thread_each(problem):
        return _studied(dataset, settings, problem, limits, on_progress)


def _studied(
    dataset: Dataset, settings: Settings, problem: Problem, limits: Limits, on_progress: OnProgress | None
) -> Study:
    """Run everything for these prepared rows."""
    clock, ask = PartsClock(), settings.solvers
    share = limits.share(_Shares.verdict)
    answer = named(clock.timed("verdict", separability, problem, time_limit=share), dataset)
    run_problem, scale = with_bias_scale(problem, settings.bias_scale, limits.part(_Shares.margin))
    affordable = _affordable(settings, problem, answer)
    run = clock.timed("run", run_of, run_problem, affordable, scale, on_progress, limits.share(_Shares.run))
    hard = clock.timed("hard_margin", _hard_margin, problem, answer, settings, limits.share(_Shares.margin))
    grid = settings.Cs or default_grid(problem, hard)
    share, most = limits.share(_Shares.soft), settings.sizes.textbook_numbers
    soft = clock.timed("soft_margin", soft_points, problem, grid, share, ask.soft_margins, most)
    share = limits.share(_Shares.errors)
    errors, why_no_errors = clock.timed("fewest_errors", errors_of_report, dataset, problem, answer, settings, share)
    known = hard if run_problem is problem else None
    context = _context(run_problem, run, known, soft, limits.part(_Shares.bounds))
    bounds = clock.timed("bounds", _bounds, context)
    part = limits.part(_Shares.centred)
    centred, not_centred = clock.timed("centred", _centred, problem, affordable, scale, on_progress, part)
    part = limits.part(_Shares.orders)
    orders, why_orders = clock.timed("orders", orders_of_report, context, bounds, settings, part)
    moved = clock.timed("translated", translated, dataset, problem, answer, settings, limits)
    return Study(
        dataset=dataset, settings=settings, problem=problem, separability=answer, hard=hard,
        run_problem=run_problem, run=run, run_hard=_kept(context.run_hard, problem), bounds=bounds,
        centred=centred, not_centred=not_centred, soft=soft, orders=orders, why_orders=why_orders, translated=moved,
        errors=errors, why_no_errors=why_no_errors, seconds=clock.seconds,
        most_traced=FEWEST_POINTS if limits.is_over() else settings.sizes.traced_mistakes,
    )  # fmt: skip


def _hard_margin(problem: Problem, answer: Separability, settings: Settings, time_limit: float | None) -> HardMargin:
    """Return the maximum margin as the textbook program finds it."""
    solve = settings.solvers.hard_margin
    hard: HardMargin = solve(problem, method="textbook", verdict=answer, time_limit=time_limit)
    return uninterrupted(hard)


def prepared_problem(dataset: Dataset, settings: Settings) -> Problem:
    """Return the two-class question about the prepared rows.

    Raises
    ------
    InvalidOptionError
        If rows outside memory are to be prepared, or presented in another order than the order of their file.
    """
    if not dataset.is_in_memory:
        _check_needs_no_memory(settings)
    problem = problem_of(dataset, bias=settings.bias)
    if settings.prepare == How.RAW:
        return problem
    return replace(problem, X=prepare(problem.X, settings.prepare).X, known_bounds=None)


def _check_needs_no_memory(settings: Settings) -> None:
    """Raise before the first pass, not after hours."""
    if settings.prepare != How.RAW:
        raise InvalidOptionError(
            f"prepare is {settings.prepare!r}, which copies all rows, and these are not in memory; expected 'raw', or "
            "more memory"
        )
    if settings.order != Order.CYCLIC:
        raise InvalidOptionError(f"order is {settings.order!r}; expected 'cyclic' for rows that are not in memory")


def _affordable(settings: Settings, problem: Problem, answer: Separability) -> Settings:
    """Return the settings of the runs: a million mistakes may be hundreds of passes over a disk, without result."""
    if answer.strictly_separable or settings.max_epochs is not None or isinstance(problem.row_source, InMemory):
        return settings
    return replace(settings, max_epochs=_EPOCHS_WITHOUT_PROOF)


def run_of(
    problem: Problem,
    settings: Settings,
    scale: float,
    on_progress: OnProgress | None,
    time_limit: float | None = None,
) -> PerceptronRun:
    """Run the perceptron with these settings and this bias coordinate.

    Raises
    ------
    KeyboardInterrupt
        If the run was interrupted: half a report would look like a whole one.
    """
    run = run_perceptron(
        problem,
        bias_scale=scale,
        zero=settings.zero,
        order=settings.order,
        max_epochs=settings.max_epochs,
        max_mistakes=settings.max_mistakes,
        rng=settings.seed,
        time_limit=time_limit,
        on_progress=on_progress,
    )
    if run.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return run


def _kept(hard: HardMargin, problem: Problem) -> HardMargin:
    """Return the margin of another space, without multipliers for rows outside memory."""
    return hard if isinstance(problem.row_source, InMemory) else replace(hard, dual=np.empty(0))


def _context(
    problem: Problem,
    run: PerceptronRun,
    hard: HardMargin | None,
    soft: tuple[SoftPoint, ...],
    limits: Limits,
) -> Context:
    """Gather the quantities that the bounds of this run need, for the passes that it made."""
    scale = run.settings.bias_scale if problem.bias else 0.0
    reach = math.hypot(radius(problem), scale)

    def root_of_bound(point: SoftPoint) -> float:
        """Return about the square root of Freund and Schapire's bound; any u gives a bound, so the least is chosen."""
        u = point.solution
        length = math.hypot(*u.w.tolist(), u.b / scale if scale else 0.0)
        return reach * length + math.sqrt(run.n_epochs) * point.slack_norm

    tightest = min(soft, key=root_of_bound)
    return Context(
        problem=problem,
        run=run,
        n_passes=max(1, run.n_epochs),  # of a run that the time cut within its first pass
        known_hard=hard,
        known_soft=tightest.solution,
        is_as_far_as_it_went=True,
        limits=limits,
    )


def _bounds(context: Context) -> tuple[Bound, ...]:
    bounds = (bound for bound in bounds_of(context) if bound.valid or bound.name not in _OF_SPECIAL_DATA)
    return tuple(bound for bound in bounds if context.problem.bias or bound.name not in _WITH_BIAS_ONLY)


def _centred(
    problem: Problem, settings: Settings, scale: float, on_progress: OnProgress | None, limits: Limits
) -> tuple[Centred | None, str]:
    """Ask the same question of the centred rows, if a translation does not change it."""
    if not problem.bias:
        return None, "through the origin, the maximum margin itself changes with a translation"
    if settings.prepare in (How.CENTER, How.STANDARDIZE):
        return None, "the data are centred already"
    if limits.is_over():
        return None, OUT_OF_TIME
    try:
        moved = moved_to_mean_0(problem)
    except InvalidProblemError as error:
        return None, str(error)
    run = run_of(moved, settings, scale, on_progress, limits.share(2))
    hard = uninterrupted(settings.solvers.hard_margin(moved, time_limit=limits.share()))
    return Centred(problem=moved, hard=_kept(hard, problem), run=run), ""
