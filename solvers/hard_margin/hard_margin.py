"""The maximum margin, as a proven interval."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status, Verdict
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.limits import TIME_IS_OVER, Limits
from maxmargin.solvers.engines import quadratic
from maxmargin.solvers.engines.dual_coordinate import NAME as DUAL_COORDINATE
from maxmargin.solvers.engines.local_coordinates import working_set
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.hard_margin import exact_margin
from maxmargin.solvers.hard_margin.hard_bracket import SUPPORT_WEIGHT, HardBracket, exact_solution, shared_point
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.problem.candidate import Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.scaling import ColumnScaling
from maxmargin.solvers.proof.certificate import Certificate, SeparatingHyperplane
from maxmargin.solvers.proof.hulls import HullPoint
from maxmargin.solvers.proof.margins import best_offset, prove_separable
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

# Relative width (upper - lower)/upper up to which the interval counts as `optimal`.
RELATIVE_GAP = 1e-9

# Default for the largest number of columns (bias included) solved exactly; at this size a solution takes a minute.
EXACT_LIMIT = 500

# Largest numbers of columns and of rows for which exact arithmetic closes a wide interval without being asked to.
_SMALL_COLUMNS, _SMALL_ROWS = 60, 5000

# Time limit for that, in seconds.
_UNASKED_SECONDS = 60.0

# Largest number of columns for which cvxpy hands the textbook program to DAQP: the time grows with the cube.
_MOST_COLUMNS_OF_DAQP = 300

# Relative width of the interval above which the next solver is asked as well.
_NEXT_SOLVER_GAP = 1e-11

# If exact work is asked for, the solvers before it are given the time divided by this number.
_SHARES_OF_TIME = 4

# Size of X up to which DAQP takes milliseconds, and is asked even when the time is over.
_FEW_ENTRIES = 1 << 15

# DAQP is given half of the time if other solvers can follow.
_SHARES_OF_DAQP = 2

# Relative width of the interval at which the working set stops.
_WORKING_SET_GAP = 1e-13

# Relative width of the interval at which descent along single multipliers stops.
_DESCENT_GAP = 1e-12

# Largest size of X (number of entries) for which cvxpy is asked when the working set leaves a wide interval.
_MOST_ENTRIES = 20_000_000

# Seconds of the first step of exact work, divided by the cube of the number of rows it starts from.
_SECONDS_A_CUBE = 1.5e-7

# Steps counted before the end (one more, and the fractions of the answer); seconds by which they may be late.
_STEPS_TO_COME, _OVERTIME = 2, 1.0

METHODS = ("auto", "textbook", "working-set", "dual-coordinate", "daqp", "cvxpy")
# Those that hand programs to cvxpy.
_OF_CVXPY = ("auto", "textbook", "cvxpy")

# The status if it is not decided whether the hulls only touch.
_SHARED = Status.NOT_STRICTLY_SEPARABLE


def hard_margin(
    problem: Problem,
    *,
    method: str = "auto",
    solver: str | None = None,
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
        "working-set" solves for a few rows and looks at all others, "dual-coordinate" descends along single
        multipliers, "daqp" hands the program of all rows to DAQP, "cvxpy" solves it as written in a textbook through
        cvxpy. "auto" takes the first for many rows, the second for many columns, else the third, followed by the last
        if the interval stays wide. "textbook" is "auto" without the third, except beyond 300 columns.
    solver : str, optional
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
        If the method is unknown, the solver is not installed, or a limit makes no sense.

    Examples
    --------
    >>> solution = hard_margin(Problem.validated([[10.0], [40.0], [60.0], [90.0]], [-1, -1, 1, 1]))
    >>> solution.status.value, round(solution.margin, 9)
    ('optimal', 10.0)
    >>> hard_margin(Problem.validated([[0, 0], [1, 0], [0, 1]], [-1, 1, 1]), exact=True).margin_squared
    Fraction(1, 8)
    """
    if method not in METHODS or solver is not None:
        backends.check_method(method, METHODS, solver, of_cvxpy=_OF_CVXPY)
    limits = Limits(time_limit=time_limit, exact_limit=exact_limit)
    solvers = _solvers(method, solver)
    best = HardBracket(problem)
    try:
        return _solved(best, verdict, method, solvers, is_forced=solver is not None, exact=exact, limits=limits)
    except KeyboardInterrupt:
        if best.plane is None:
            raise
        return best.solution(Status.LIMIT, () if verdict is None else verdict.attempts, WHAT_WAS_PROVEN)


def _solvers(method: str, solver: str | None) -> tuple[str, ...]:
    """Return the solvers that cvxpy is to call, in order."""
    if method not in _OF_CVXPY:
        return ()
    return backends.HARD_MARGIN_ORDER if solver is None else backends.chosen(solver, ())


def _solved(
    best: HardBracket,
    verdict: ProvenVerdict | None,
    method: str,
    solvers: tuple[str, ...],
    *,
    is_forced: bool,
    exact: bool,
    limits: Limits,
) -> HardMargin:
    # The order is the point. A maximum margin is the distance of two convex hulls (Bennett and Bredensteiner, "Duality
    # and geometry in SVM classifiers", ICML 2000), so that a hyperplane which passes the exact check proves
    # separability for free. Therefore the engines for large data come first, and the verdict is asked for only if none
    # of them found such a hyperplane: it may cost a linear program and rational elimination. With inseparable data the
    # engines run in vain, but the rows that they could not separate (`likely`) give the verdict a head start.
    problem, likely = best.problem, None
    is_auto = method in ("auto", "textbook") and not is_forced
    candidates = _candidates(problem, method, solvers, limits, n_shares=_SHARES_OF_TIME if exact else 1)
    if verdict is None or verdict.strictly_separable is not False:
        if method == "working-set" or (is_auto and _suits_few_rows(problem)):
            likely = _from_few_rows(best, limits)
        elif method == DUAL_COORDINATE or (is_auto and problem.has_many_columns):
            _by_descent(best, limits)
        elif verdict is None and is_auto and _may_prove_the_verdict(problem, method):
            likely = _from_all_rows(best, candidates)
    if best.plane is None:
        verdict = verdict or separability(problem, time_limit=limits.share(), likely=likely)
        if verdict.strictly_separable is False:
            return _inseparable(best, verdict)
    # From here on a hyperplane separates, or the verdict is undecided; then the hull points still give an upper end.
    attempts = () if verdict is None else verdict.attempts
    if (best.engine != DUAL_COORDINATE or best.relative_gap > RELATIVE_GAP) and not (
        is_auto and _suits_few_rows(problem)
    ):
        _improve(best, candidates, limits)
    # The hyperplane that proved the verdict maximises nothing; it is the lower end only where no engine did better.
    if verdict is not None and isinstance(verdict.certificate, SeparatingHyperplane):
        best.offer_plane(verdict.certificate, verdict.engine)
    if exact:
        return _finish(best, attempts, limits)
    if is_auto and _is_worth_exact_work(best, limits):
        left = limits.share()
        return _finish(best, attempts, Limits(time_limit=min(left or _UNASKED_SECONDS, _UNASKED_SECONDS)))
    status = _status(best, best.stopped_early or limits.is_over())
    return best.solution(status, attempts, _why_stopped(status, limits))


def _by_descent(best: HardBracket, limits: Limits) -> None:
    """Offer the last candidate of descent along single multipliers, also if Ctrl-C ends it."""
    from maxmargin.solvers.engines.dual_coordinate.dual_coordinate import search

    found: Candidate | None = None
    try:
        for better in search(best.problem, relative_gap=_DESCENT_GAP, is_over=limits.is_over):
            found = better
    finally:
        if found is not None:
            best.offer(found)


def _from_few_rows(best: HardBracket, limits: Limits) -> Rows | None:
    """Offer the findings of the working set; return rows that floating point could not separate, if there are any."""
    for found in working_set.rounds(best.problem, limits):
        best.attempts.append(found.attempt)
        if not found.is_separable:
            return found.rows
        if found.plane is not None:
            best.offer_plane(found.plane, working_set.NAME, found.near)
        if found.corrections.any():
            best.offer_corrected(found.rows, found.multipliers, found.corrections)
        else:
            best.offer_weights(found.multipliers, found.rows)
        if best.relative_gap <= _WORKING_SET_GAP:
            break
    return None


def _suits_few_rows(problem: Problem) -> bool:
    """Return whether programs of few rows are worth trying: few of wide sparse rows are as large as all of them."""
    return problem.has_many_rows and not (problem.is_sparse and problem.has_many_columns)


def _from_all_rows(best: HardBracket, candidates: Iterator[Candidate]) -> Rows | None:
    """Offer the findings of the first solver; an empty array of rows says that floating point has been tried."""
    candidate = next(candidates, None)
    if candidate is None:  # the time is over
        return None
    best.offer(candidate)
    best.is_of_all_rows = True
    return np.empty(0, dtype=np.int64)


def _may_prove_the_verdict(problem: Problem, method: str) -> bool:
    """Return whether DAQP is handed all rows before the verdict: a plane that it finds proves the verdict as well."""
    is_small = problem.n_samples * problem.n_features <= _MOST_ENTRIES
    return _asks_daqp(problem, method, is_forced=False) and is_small and not problem.is_sparse


def _asks_daqp(problem: Problem, method: str, *, is_forced: bool) -> bool:
    """Return whether all rows are handed to DAQP directly, before any solver of cvxpy."""
    if method in ("auto", "textbook"):
        return not is_forced and (method == "auto" or problem.n_features > _MOST_COLUMNS_OF_DAQP)
    return method == "daqp"


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
    b, least = best_offset(best.problem, point.normal)
    if least > 0:
        plane = SeparatingHyperplane(problem=best.problem, w=point.normal, b=b, least_functional_margin=least)
        best.offer_plane(plane, exact_margin.NAME)


def _stopped(best: HardBracket) -> Status:
    return Status.UNDECIDED if best.plane is None else Status.LIMIT


def _improve(best: HardBracket, candidates: Iterator[Candidate], limits: Limits) -> None:
    """Ask for candidates until the interval is narrow."""
    while best.relative_gap > _NEXT_SOLVER_GAP and (candidate := next(candidates, None)) is not None:
        best.offer(candidate)
        best.is_of_all_rows = True
    if best.is_of_all_rows and not limits.is_over():
        _polish(best)


def _polish(best: HardBracket) -> None:
    """Offer the plane of least norm with margin 1 on the support rows.

    The margin is insensitive to errors of w, which change it by their square only: a proven gap of 1e-16 allows an
    error of 1e-8 in w.
    """
    if best.plane is None or best.hull is None:
        return
    problem, (rows, weights) = best.problem, best.hull
    support = rows[weights > SUPPORT_WEIGHT * weights.max()]
    if len(support) > 2 * (problem.n_features + 1) or len(support) * problem.n_features > _MOST_ENTRIES:
        return
    w = quadratic.normal_of_support(problem.dense_rows(support), problem.y[support], bias=problem.bias)
    if w is not None and (plane := prove_separable(problem, w)) is not None:
        best.offer_plane(plane, best.engine, is_accurate=True)


def _candidates(
    problem: Problem, method: str, solvers: tuple[str, ...], limits: Limits, *, n_shares: int
) -> Iterator[Candidate]:
    """Yield the solutions of solvers for all rows, within the given part of the time left when the first is asked."""
    limits, n_entries = limits.part(n_shares), problem.n_samples * problem.n_features
    if method in ("auto", "textbook") and n_entries > _MOST_ENTRIES:
        return
    scaling = problem.scaling
    asks_daqp = _asks_daqp(problem, method, is_forced=len(solvers) == 1)
    if asks_daqp and (n_entries <= _FEW_ENTRIES or not limits.is_over()):
        share = limits if method == "daqp" else limits.part(_SHARES_OF_DAQP)
        yield _brought_home(quadratic.solve_all(problem, share), scaling)
    for number, name in enumerate(solvers):
        if (number or asks_daqp) and limits.ends_within(backends.seconds_to_load()):
            if not limits.is_over():
                yield backends.not_asked(name, "loading cvxpy")
            return
        if asks_daqp and method == "textbook" and name == "DAQP":
            continue
        if backends.takes_too_long(n_entries, limits.share()):
            yield backends.not_asked(name, "stating the program")
            continue
        from maxmargin.solvers.engines.textbook import formulations

        X, weights = scaling.apply(problem.matrix), scaling.normal_weights()
        program = formulations.hard_margin(X, problem.y, bias=problem.bias, normal_weights=weights)
        yield _brought_home(backends.solve(program, name, time_limit=limits.share()), scaling)


def _brought_home(candidate: Candidate, scaling: ColumnScaling) -> Candidate:
    """Return the candidate in the original coordinates, with the margin that it claims."""
    if candidate.w is None:
        return candidate
    with np.errstate(all="ignore"):
        claim = float(np.ldexp(1 / np.linalg.norm(scaling.normal_weights() * candidate.w), scaling.unit_exponent))
    attempt = replace(candidate.attempt, claim=claim if math.isfinite(claim) else None)
    return scaling.bring_home(replace(candidate, attempt=attempt))


def _why_stopped(status: Status, limits: Limits) -> str:
    if status is Status.OPTIMAL:
        return ""
    if limits.is_over():
        return TIME_IS_OVER
    is_short = status is Status.LIMIT and limits.time_limit is not None
    return "the time limit is too short for further solvers" if is_short else ""


def _status(best: HardBracket, stopped_early: bool) -> Status:
    if best.plane is None:
        return Status.UNDECIDED
    return best.status_at(RELATIVE_GAP, is_limited=stopped_early)


def _inseparable(best: HardBracket, verdict: ProvenVerdict) -> HardMargin:
    status = _SHARED if verdict.verdict is Verdict.UNDECIDED else Status(verdict.verdict.value)
    runs = (*best.attempts, *verdict.attempts)
    return _zero(best.problem, status, verdict.certificate, verdict.engine, runs)


def _zero(
    problem: Problem, status: Status, certificate: Certificate | None, engine: str, attempts: tuple[SolverRun, ...]
) -> HardMargin:
    return HardMargin(
        status=status,
        margin=0.0,
        lower=0.0,
        upper=0.0,
        support=np.empty(0, dtype=np.int64),
        dual=np.zeros(problem.n_samples),
        engine=engine,
        bias=problem.bias,
        attempts=attempts,
        certificate=certificate,
        margin_squared=Fraction(0),
    )
