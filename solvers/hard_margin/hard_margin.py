"""The maximum margin, as a proven interval."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status, Verdict
from maxmargin.solvers.basics.limits import TIME_IS_OVER, Limits
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.hard_margin import exact_margin
from maxmargin.solvers.hard_margin.hard_bracket import HardBracket, exact_solution, shared_point
from maxmargin.solvers.hard_margin.hard_engines import METHODS, OF_CVXPY, engines_for, is_narrow
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.problem.candidate import Asked, EngineRow, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import Certificate, SeparatingHyperplane
from maxmargin.solvers.proof.hulls import HullPoint
from maxmargin.solvers.proof.margins import separating_plane
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

# Relative width (upper - lower)/upper up to which the interval counts as `optimal`.
RELATIVE_GAP = 1e-9

# Default for the largest number of columns (bias included) solved exactly; at this size a solution takes a minute.
EXACT_LIMIT = 500

# Largest numbers of columns and of rows for which exact arithmetic closes a wide interval without being asked to.
_SMALL_COLUMNS, _SMALL_ROWS = 200, 100_000

# Time limit for that, in seconds.
_UNASKED_SECONDS = 60.0

# If exact work is asked for, the engines before it are given the time divided by this number.
_SHARES_OF_TIME = 4

# Seconds of the first step of exact work, divided by the cube of the number of rows it starts from.
_SECONDS_A_CUBE = 1.5e-7

# Steps counted before the end (one more, and the fractions of the answer); seconds by which they may be late.
_STEPS_TO_COME, _OVERTIME = 2, 1.0

# The status if it is not decided whether the hulls only touch.
_SHARED = Status.NOT_STRICTLY_SEPARABLE


def hard_margin(
    problem: Problem,
    *,
    method: str = "auto",
    solver: Asked = None,
    exact: bool = False,
    exact_limit: int = EXACT_LIMIT,
    time_limit: float | None = None,
    verdict: ProvenVerdict | None = None,
) -> HardMargin:
    """Solve min 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1, and prove how close the answer is.

    The quadratic program is solved on centred columns of unit size; every plane and every set of multipliers that a
    solver returns is checked on the original rows in exact arithmetic, and the best of each gives the interval. A
    plane that passes proves separability; where none does, separability is decided before further solvers are asked.
    Rational arithmetic goes on to the exact answer if ``exact=True``, and also if ``method="auto"`` or ``"textbook"``
    without a solver leaves a wide interval on small data.

    Parameters
    ----------
    problem : Problem
    method : {"auto", "textbook", "working-set", "dual-coordinate", "daqp", "cvxpy"}
        "working-set" solves programs of a few rows in coordinates around the present plane and looks at all others,
        "dual-coordinate" descends along single multipliers, "daqp" hands the program of all rows to DAQP, "cvxpy"
        solves it as written in a textbook through cvxpy. "auto" asks those of the first three that suit the data until
        the interval is narrow: for many rows the first, for many columns the second, else the third. "textbook" is
        "auto" with cvxpy in place of the third, up to 300 columns.
    solver : str or Solver, optional
        The only cvxpy solver to ask; by default DAQP, then Clarabel until the interval is narrow.
    exact : bool
        Whether to find w, b, the multipliers and the squared margin as fractions.
    exact_limit : int
        The greatest number of columns, the bias counted, for which this is tried.
    time_limit : float, optional
        Seconds after which the work stops; the answer is then the interval proven so far, with the status `limit`. The
        time is checked between solutions of linear systems.
    verdict : ProvenVerdict, optional
        The proven answer of `separability` for this problem, if it is known already.

    Returns
    -------
    HardMargin
        Ctrl-C ends the work with what is proven by then and the reason `WHAT_WAS_PROVEN`; before there is a separating
        plane it raises as usual.

    Raises
    ------
    InvalidOptionError
        If the method is unknown, the solver is not installed or solves no such programs, or a limit makes no sense.

    Examples
    --------
    >>> solution = hard_margin(Problem.validated([[10.0], [40.0], [60.0], [90.0]], [-1, -1, 1, 1]))
    >>> solution.status.value, round(solution.margin, 9)
    ('optimal', 10.0)
    >>> hard_margin(Problem.validated([[0, 0], [1, 0], [0, 1]], [-1, 1, 1]), exact=True).margin_squared
    Fraction(1, 8)
    """
    if method not in METHODS or solver is not None:
        backends.check_method(method, METHODS, solver, of_cvxpy=OF_CVXPY)
    limits, best = Limits(time_limit=time_limit, exact_limit=exact_limit), HardBracket(problem)
    engines = engines_for(problem, method, solver)
    is_auto = method in ("auto", "textbook") and solver is None
    try:
        return _solved(best, verdict, engines, is_auto=is_auto, exact=exact, limits=limits)
    except KeyboardInterrupt:
        if best.plane is None:
            raise
        return best.solution(Status.LIMIT, () if verdict is None else verdict.attempts, WHAT_WAS_PROVEN)


def _solved(
    best: HardBracket,
    verdict: ProvenVerdict | None,
    engines: Iterator[EngineRow],
    *,
    is_auto: bool,
    exact: bool,
    limits: Limits,
) -> HardMargin:
    # The order is the point. A maximum margin is the distance of two convex hulls (Bennett and Bredensteiner, "Duality
    # and geometry in SVM classifiers", ICML 2000), so that a hyperplane which passes the exact check proves
    # separability for free. Therefore engines come first, and the verdict is asked for only if none of them found such
    # a hyperplane: it may cost a linear program and rational elimination. With inseparable data the engines run in
    # vain, but the rows that they could not separate (`likely`) give the verdict a head start.
    share, likely = limits.part(_SHARES_OF_TIME if exact else 1), None
    if verdict is None or verdict.strictly_separable is not False:
        for engine in engines:
            likely = engine.ask(best, share)
            if best.plane is not None or likely is not None or limits.is_over():
                break
    if best.plane is None:
        verdict = verdict or separability(best.problem, time_limit=limits.share(), likely=likely)
        if verdict.strictly_separable is False:
            return _inseparable(best, verdict)
    # From here on a hyperplane separates, or the verdict is undecided; then the hull points still give an upper end.
    attempts = () if verdict is None else verdict.attempts
    _improve(best, engines, share)
    # The hyperplane that proved the verdict maximises nothing; it is the lower end only where no engine did better.
    if verdict is not None and isinstance(verdict.certificate, SeparatingHyperplane):
        best.offer_plane(verdict.certificate, verdict.engine)
    if exact:
        return _finish(best, attempts, limits)
    if is_auto and not limits.is_over() and _is_worth_exact_work(best, limits):
        left = limits.share()
        answer = _finish(best, attempts, Limits(time_limit=min(left or _UNASKED_SECONDS, _UNASKED_SECONDS)))
        is_given_up = limits.time_limit is None and answer.status in (Status.LIMIT, Status.UNDECIDED)
        return _given_up(answer) if is_given_up else answer
    # a solver may stop at a limit of its own
    is_limited = limits.is_over() or (best.stopped_early and limits.time_limit is not None)
    status = Status.UNDECIDED if best.plane is None else best.status_at(RELATIVE_GAP, is_limited=is_limited)
    return best.solution(status, attempts, TIME_IS_OVER if limits.is_over() and status is not Status.OPTIMAL else "")


def _given_up(answer: HardMargin) -> HardMargin:
    """Return what exact work that nobody asked for, or limited, has left."""
    status = Status.NUMERICAL if answer.status is Status.LIMIT else answer.status
    return replace(answer, status=status, reason=f"the exact work was given up after {_UNASKED_SECONDS:g} seconds")


def _is_worth_exact_work(best: HardBracket, limits: Limits) -> bool:
    """Return whether the interval is wide and the data are small."""
    n_columns = best.problem.n_features + best.problem.bias
    is_small = n_columns <= min(_SMALL_COLUMNS, limits.exact_limit) and best.problem.n_samples <= _SMALL_ROWS
    return is_small and best.relative_gap > RELATIVE_GAP


def _finish(best: HardBracket, attempts: tuple[SolverRun, ...], limits: Limits) -> HardMargin:
    """Go on to the exact answer, or as far as the limits allow."""
    problem, n_columns = best.problem, best.problem.n_features + best.problem.bias
    if n_columns > limits.exact_limit:
        reason = f"exact work was limited to {limits.exact_limit} columns (exact_limit), and there are {n_columns}"
        return best.solution(_stopped(best), attempts, reason)
    start = exact_margin.start_near(problem, best.dual)
    point, is_nearest = exact_margin.nearest_point(problem, start, _ExactWorkClock(limits, len(start.rows)))
    tried = (*attempts, *best.attempts)
    if not point.margin_squared:
        return _zero(problem, _SHARED, shared_point(point), exact_margin.NAME, tried)
    if is_nearest:
        return exact_solution(point, tried, exact_margin.NAME)
    _offer_ends(best, point)
    return best.solution(_stopped(best), attempts, "the exact work stopped at the time limit")


class _ExactWorkClock:
    """Return whether the next step of exact work, which cannot be interrupted, would end too late.

    A step takes about as long as the step before; the time of the first grows with the cube of the number of rows.
    """

    def __init__(self, limits: Limits, n_rows: int) -> None:
        self.limits, self.seconds, self.before = limits, _SECONDS_A_CUBE * n_rows**3, math.nan

    def __call__(self) -> bool:
        now = time.monotonic()
        if not math.isnan(self.before):
            self.seconds = now - self.before
        self.before = now
        left = self.limits.seconds_left
        return left is not None and (left == 0 or _STEPS_TO_COME * self.seconds > left + _OVERTIME)


def _offer_ends(best: HardBracket, point: HullPoint) -> None:
    """Offer both ends that v proves before it is the shortest."""
    best.offer_weights(point.rounded_weights())
    if (plane := separating_plane(best.problem, point.normal)) is not None:
        best.offer_plane(plane, exact_margin.NAME)


def _stopped(best: HardBracket) -> Status:
    return Status.UNDECIDED if best.plane is None else Status.LIMIT


def _improve(best: HardBracket, engines: Iterator[EngineRow], limits: Limits) -> None:
    """Ask engines until the interval is narrow."""
    while not is_narrow(best) and not limits.is_over() and (engine := next(engines, None)) is not None:
        engine.ask(best, limits)


def _inseparable(best: HardBracket, verdict: ProvenVerdict) -> HardMargin:
    status = _SHARED if verdict.verdict is Verdict.UNDECIDED else Status(verdict.verdict.value)
    runs = (*best.attempts, *verdict.attempts)
    return _zero(best.problem, status, verdict.certificate, verdict.engine, runs)


def _zero(
    problem: Problem, status: Status, certificate: Certificate | None, engine: str, attempts: tuple[SolverRun, ...]
) -> HardMargin:
    return HardMargin(
        status=status, margin=0.0, lower=0.0, upper=0.0, support=np.empty(0, dtype=np.int64),
        dual=np.zeros(problem.n_samples), engine=engine, bias=problem.bias, attempts=attempts, certificate=certificate,
        margin_squared=Fraction(0),
    )  # fmt: skip
