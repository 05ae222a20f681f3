"""The soft-margin SVM with a free bias; its objective is a proven interval."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.soft_working_set import soft_working_set
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.reals import binary64, short_repr
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.row_weights import RowWeights, checked, numbers_of_rows
from maxmargin.solvers.soft_margin.soft_bracket import NEXT_SOLVER_GAP, RELATIVE_GAP, SoftBracket, for_all_rows
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin

_DUAL_COORDINATE = "dual-coordinate"

METHODS = ("auto", "textbook", "cvxpy", soft_working_set.NAME, interior_point.NAME, _DUAL_COORDINATE)

# Numbers of rows and columns up to which cvxpy solves the textbook program in about a second.
_SMALL_ROWS, _SMALL_COLUMNS = 2000, 100

# Largest X (number of entries) for which cvxpy is also tried when the interval is still wide.
MODERATE_ENTRIES = 1 << 20

# Relative amount by which the normal of the hard margin is lengthened: with rounding errors its functional margins are
# below 1, and every unit of slack costs C.
_STRETCH = 2.0**-48

# Largest slack, in units of the margin, that counts as a rounding error.
_LEAST_SLACK = 1e-8

# Smallest binary exponent of the cost of a row: beside it smaller costs vanish, even relative to each other.
_LEAST_EXPONENT = -1074 - 53

# Smallest cost of a unit of slack that is handed to a solver; the largest is its inverse. Others are clipped.
LEAST_COST = 1e-100


def soft_margin(
    problem: Problem,
    C: float = 1.0,
    *,
    sample_weight: Any = None,
    method: str = "auto",
    solver: str | None = None,
    time_limit: float | None = None,
) -> SoftMargin:
    """Solve min 1/2 ||w||^2 + C sum v_i xi_i subject to y_i (w.x_i + b) >= 1 - xi_i, xi_i >= 0.

    The bias is not penalised. C is LIBSVM's and scikit-learn's; with the objective ||w||^2 + c sum xi it is c/2, with
    lambda ||w||^2 + sum hinge it is 1/(2 lambda).

    Parameters
    ----------
    problem : Problem
    C : float
        Cost of a unit of slack, positive and finite.
    sample_weight : array_like (n_samples,), optional
        The v_i >= 0, finite, or `RowWeights`; by default 1. The interval holds for the exact products C v_i; rows of
        weight 0 have no influence.
    method : {"auto", "textbook", "cvxpy", "working-set", "interior-point", "dual-coordinate"}
        "cvxpy": the textbook program. "working-set": for many rows, a few passes and a program of those next to the
        margin. "interior-point": an iteration costs a weighted Gram matrix of the fewer of rows and columns.
        "dual-coordinate": for many of both, sparse. "auto": one of these by size and shape, and others in turn while
        the interval is not narrow. "textbook": likewise, but small data are handed to cvxpy in any case.
    solver : str, optional
        The only cvxpy solver to ask; by default Clarabel, then the hard margin, then OSQP until the interval is
        narrow.
    time_limit : float, optional
        Seconds after which the work stops; the answer is then the interval proven so far, with the status `limit`. The
        time is checked between the steps of the engines.

    Raises
    ------
    InvalidProblemError
        If C is not a positive finite number, or the weights are not one such number or 0 a row, with both classes left.
    InvalidOptionError
        If the method is unknown or the solver is not installed.

    Examples
    --------
    >>> solution = soft_margin(Problem.validated([[-1.0], [1.0]], [-1, 1]), C=10.0)
    >>> solution.status.value, round(solution.objective, 6)
    ('optimal', 0.5)
    """
    return soft_margin_path(
        problem, (C,), sample_weight=sample_weight, method=method, solver=solver, time_limit=time_limit
    )[0]


def soft_margin_path(problem: Problem, Cs: Iterable[float], **options: Any) -> tuple[SoftMargin, ...]:
    """Return the soft margin for every C, in the order given; the options are those of `soft_margin`.

    The C are solved in increasing order. Above the largest multiplier of the hard margin, if there is one, every answer
    is the hard margin: once no row has slack, an answer is the first candidate for the next C. The time limit applies
    to the whole path.

    Examples
    --------
    >>> problem = Problem.validated([[-1.0], [1.0]], [-1, 1])
    >>> [round(solution.objective, 6) for solution in soft_margin_path(problem, [0.125, 1.0, 1e6])]
    [0.21875, 0.5, 0.5]
    """
    costs = _costs(Cs)
    answers = {answer.C: answer for answer in rising_soft_margins(problem, costs, **options)}
    return tuple(answers[C] for C in costs)


def rising_soft_margins(
    problem: Problem,
    Cs: Iterable[float],
    *,
    sample_weight: Any = None,
    method: str = "auto",
    solver: str | None = None,
    time_limit: float | None = None,
) -> Iterator[SoftMargin]:
    """Yield the answers of `soft_margin_path` one at a time, for each C once and in increasing order.

    With many rows a few answers may fill the memory. Ctrl-C ends the work on a C with the interval proven so far; a
    request for the next answer then raises KeyboardInterrupt.

    Examples
    --------
    >>> problem = Problem.validated([[-1.0], [1.0]], [-1, 1])
    >>> [solution.C for solution in rising_soft_margins(problem, [1.0, 0.125, 1.0])]
    [0.125, 1.0]
    """
    check_options(problem, METHODS, method, solver)
    weights = None if sample_weight is None else row_weights(problem, sample_weight)
    before: SoftMargin | None = None
    limits = Limits(time_limit=time_limit)
    for C in sorted(set(_costs(Cs))):
        if before is not None and before.reason == WHAT_WAS_PROVEN:
            raise KeyboardInterrupt
        before = _answer(problem, C, weights, _PathStep(method, solver, limits, before))
        yield before


def check_options(problem: Problem, methods: tuple[str, ...], method: str, solver: str | None) -> None:
    """Raise an InvalidOptionError unless the method is one of these and suits the problem and the solver."""
    backends.check_method(method, methods, solver, of_cvxpy=("auto", "textbook", "cvxpy"))
    if method == interior_point.NAME and not interior_point.fits(problem):
        raise InvalidOptionError(f"{problem.n_samples} x {problem.n_features} is too large for method={method!r}")
    if method == soft_working_set.NAME and not soft_working_set.fits(problem):
        raise InvalidOptionError(f"{problem.n_samples} x {problem.n_features} has too many columns for {method!r}")


def row_weights(problem: Problem, sample_weight: Any) -> RowWeights:
    """Return the weights of rows, given as numbers or as an object of their own.

    Raises
    ------
    InvalidProblemError
        Unless they are one finite nonnegative number for each row, and positive somewhere in both classes.
    """
    if isinstance(sample_weight, RowWeights):
        return checked(sample_weight, problem.y)
    return checked(RowWeights(numbers=numbers_of_rows(sample_weight, problem.n_samples)), problem.y)


def positive_rows(problem: Problem, weights: RowWeights) -> tuple[Rows, Problem]:
    """Return the rows of positive weight, and the problem of these rows only."""
    kept = np.flatnonzero(weights.are_positive)
    return kept, problem if len(kept) == problem.n_samples else problem.of_rows(kept)


def _costs(Cs: Any) -> list[float]:
    if not isinstance(Cs, Iterable):
        raise InvalidProblemError(f"Cs is {short_repr(Cs)}; expected positive finite numbers")
    costs = []
    for C in Cs:
        cost = binary64(C)
        if cost is None or cost <= 0:
            raise InvalidProblemError(f"C is {short_repr(C)}; expected a positive finite number that binary64 holds")
        costs.append(cost)
    return costs


class _PathStep(NamedTuple):
    """The options and the time limit of a question, and the answer for a smaller C."""

    method: str
    solver: str | None
    limits: Limits
    before: SoftMargin | None

    @property
    def start(self) -> tuple[Floats, float] | None:
        """The hyperplane to start from."""
        return None if self.before is None else (self.before.w, self.before.b)


def _answer(problem: Problem, C: float, weights: RowWeights | None, way: _PathStep) -> SoftMargin:
    if weights is None:
        return _solved_from(SoftBracket(problem, np.full(problem.n_samples, C)), C, way)
    kept, part = positive_rows(problem, weights)
    if way.before is not None:
        way = way._replace(before=replace(way.before, dual=way.before.dual[kept], slack=way.before.slack[kept]))
    low, high = weights.of_rows(kept).times(C)  # the floats next to the exact costs
    exponents = np.frexp(C)[1] + np.frexp(weights.nearest[kept])[1]
    if not np.isfinite(high).all() or exponents.min() < _LEAST_EXPONENT:
        raise InvalidProblemError("C times sample_weight is beyond the range of binary64")
    return for_all_rows(_solved_from(SoftBracket(part, high, low), C, way), problem, kept, weights.nearest)


def _solved_from(best: SoftBracket, C: float, way: _PathStep) -> SoftMargin:
    """Offer candidates until the interval is narrow, or the time is over."""
    best.improve(_candidates(best, way), way.limits)
    return best.solution(C)


def _candidates(best: SoftBracket, way: _PathStep) -> Iterator[Candidate]:
    """Yield candidates, the most promising ones first."""
    # The caller stops asking when the interval is narrow, so that the order decides the time. Small data go to solvers
    # of dense programs; they lose digits if C is beyond the scale of the data, where the solution is the hard margin
    # (for every C above its largest multiplier: Hastie, Rosset, Tibshirani and Zhu, "The entire regularization path for
    # the support vector machine", JMLR 5, 2004). Large data go to engines whose iterations are passes.
    problem, costs, method = best.problem, best.costs, way.method
    if way.before is not None and _is_limit(way.before, costs):
        yield _stretched(way.before)
    elif way.before is not None and way.limits.is_over():
        yield _as_before(way.before)
    if method == "cvxpy" or way.solver is not None:
        yield from _textbook(problem, costs, way)
    elif method not in ("auto", "textbook"):
        yield _structured(problem, costs, method, way)
    elif is_small(problem):
        if _is_beyond_solvers(problem, costs):
            yield _hard_margin(problem, way.limits)
        if method == "auto":
            yield _structured(problem, costs, interior_point.NAME, way)
        textbook = _textbook(problem, costs, way)
        yield next(textbook)
        if method == "textbook":
            yield _structured(problem, costs, interior_point.NAME, way)
        yield from textbook
    else:
        for engine in _engines(problem):
            yield _structured(problem, costs, engine, way)
        is_moderate = _is_moderate(problem)
        is_near_limit = best.has_little_slack and (is_moderate or best.relative_gap > RELATIVE_GAP)
        if is_near_limit:
            yield _hard_margin(problem, way.limits)
        if is_moderate:
            yield from _textbook(problem, costs, way, with_limit=not is_near_limit)


def _textbook(problem: Problem, costs: Floats, way: _PathStep, *, with_limit: bool = True) -> Iterator[Candidate]:
    """Yield the solvers' solutions in turn, and after the first the hard margin, which is the limit for great C."""
    first, *others = backends.chosen(way.solver, backends.SOFT_MARGIN_ORDER)
    yield _solved(problem, costs, first, way.limits)
    if way.solver is None and with_limit:
        yield _hard_margin(problem, way.limits)
    yield from (_solved(problem, costs, name, way.limits) for name in others)


def _engines(problem: Problem) -> Iterator[str]:
    if soft_working_set.is_worth_it(problem):
        yield soft_working_set.NAME
    yield interior_point.NAME if interior_point.fits(problem) else _DUAL_COORDINATE


def _structured(problem: Problem, costs: Floats, engine: str, way: _PathStep) -> Candidate:
    is_over = way.limits.is_over
    if engine == soft_working_set.NAME:
        return soft_working_set.solve(problem, costs, start=way.start, is_over=is_over)
    if engine == interior_point.NAME:
        return interior_point.solve(problem, costs, start=way.start, is_over=is_over)
    from maxmargin.solvers.engines.dual_coordinate import dual_coordinate

    gap = NEXT_SOLVER_GAP if _is_moderate(problem) else RELATIVE_GAP
    return dual_coordinate.solve(problem, costs, relative_gap=gap / 2, is_over=is_over)


def is_small(problem: Problem) -> bool:
    """Return whether cvxpy solves the textbook program in about a second."""
    return problem.n_samples <= _SMALL_ROWS and problem.n_features < _SMALL_COLUMNS


def _is_beyond_solvers(problem: Problem, costs: Floats) -> bool:
    """Return whether the costs are so large that they would be clipped for a solver."""
    with np.errstate(over="ignore"):
        return bool(np.ldexp(costs.min(), 2 * problem.scaling.unit_exponent) > 1 / LEAST_COST)


def _is_moderate(problem: Problem) -> bool:
    return problem.n_samples * problem.n_features <= MODERATE_ENTRIES


def _is_limit(before: SoftMargin, costs: Floats) -> bool:
    """Return whether no multiplier of the answer for a smaller C was at its bound: then it is the hard margin."""
    return bool((before.dual < costs / 2).all() and before.slack.max() < _LEAST_SLACK)


def _stretched(before: SoftMargin) -> Candidate:
    """Return the answer for a smaller C with w a little longer, so that rounding causes no slack."""
    stretch = float(before.slack.max()) + _STRETCH * (1 + abs(before.b))
    return replace(_as_before(before), w=before.w * (1 + stretch))


def _as_before(before: SoftMargin) -> Candidate:
    """Return the answer for a smaller C as it is."""
    attempt = SolverRun(solver=before.engine, status=before.status, message=f"the answer for C = {before.C:g}")
    return Candidate(w=before.w, multipliers=before.dual, engine=before.engine, attempt=attempt)


def _hard_margin(problem: Problem, limits: Limits) -> Candidate:
    """Return the hard margin, which is the limit for large C."""
    hard = hard_margin(problem, time_limit=limits.share())
    attempt = SolverRun(solver="hard margin", status=INTERRUPTED if hard.reason == WHAT_WAS_PROVEN else hard.status)
    w = None
    if hard.w is not None and hard.b is not None and hard.margin is not None:
        least = hard.margin * math.hypot(*hard.w.tolist())  # 1, but where rounding was in the way
        if least > 0:
            with np.errstate(over="ignore"):
                w = hard.w / least * (1 + _STRETCH * (1 + abs(hard.b / least)))
    return Candidate(w=w, multipliers=hard.dual, engine=hard.engine, attempt=attempt)


def _solved(problem: Problem, costs: Floats, solver: str, limits: Limits) -> Candidate:
    """Return the hyperplane in the original coordinates, in the scale of the problem, and the multipliers there."""
    from maxmargin.solvers.engines.textbook import formulations

    if backends.takes_too_long(problem.n_samples * problem.n_features, limits.share()):
        return backends.not_asked(solver, "stating the program")
    scaling = problem.scaling
    exponent = scaling.unit_exponent
    # With w = q * w' * 2**-exponent the objective is 4**-exponent (1/2 ||q * w'||^2 + sum 4**exponent c_i xi_i).
    with np.errstate(over="ignore"):
        scaled = np.clip(np.ldexp(costs, 2 * exponent), LEAST_COST, 1 / LEAST_COST)
    program = formulations.soft_margin(
        scaling.apply(problem.matrix), problem.y, scaled, bias=problem.bias, normal_weights=scaling.normal_weights()
    )
    raw = backends.solve(program, solver, time_limit=limits.share())
    with np.errstate(over="ignore"):
        w = None if raw.w is None else np.ldexp(scaling.normal_weights() * raw.w, -exponent)
        multipliers = None if raw.multipliers is None else np.ldexp(raw.multipliers, -2 * exponent)
    return replace(raw, w=w, multipliers=multipliers)
