"""The engines of the soft margin and of the nu-SVM, in the order in which they are asked."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import soft_working_set, squared_hinge
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.candidate import (
    INTERRUPTED,
    Asked,
    Candidate,
    EngineRow,
    Solver,
    SolverRun,
    engines_to_ask,
)
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.scaling import ColumnScaling
from maxmargin.solvers.soft_margin.nu_bracket import NuBracket, data_size
from maxmargin.solvers.soft_margin.soft_bracket import (
    NEXT_SOLVER_GAP,
    RELATIVE_GAP,
    SoftBracket,
    SquaredBracket,
    slack_of,
)

if TYPE_CHECKING:
    import cvxpy

METHODS = ("auto", "textbook", "cvxpy", soft_working_set.NAME, interior_point.NAME, "dual-coordinate")

SQUARED_METHODS = ("auto", "textbook", "cvxpy", squared_hinge.NAME)

NU_METHODS = ("auto", "cvxpy", interior_point.NAME)

# Numbers of rows and columns up to which cvxpy solves the textbook program in about a second.
_SMALL_ROWS, _SMALL_COLUMNS = 2000, 100

# Largest X (number of entries) for which cvxpy is also tried when the interval is still wide.
_MODERATE_ENTRIES = 1 << 20

# Relative amount by which the normal of the hard margin is lengthened: with rounding errors its functional margins are
# below 1, and every unit of slack costs C.
_STRETCH = 2.0**-48

# Largest slack, in units of the margin, that counts as a rounding error.
_LEAST_SLACK = 1e-8

# Smallest cost of a unit of slack that is handed to a solver; the largest is its inverse. Others are clipped.
_LEAST_COST = 1e-100

# Largest cost of a unit of slack for a nu-SVM, in units of the mass of a class: no multiplier exceeds 1.
_GREATEST_COST = 2.0

# Largest binary exponent, of either sign, by which rows are rescaled to size 1.
_GREATEST_EXPONENT = 400


def check_options(problem: Problem, methods: tuple[str, ...], method: str, solver: Asked) -> None:
    """Raise an InvalidOptionError unless the method is one of these and suits the problem and the solver."""
    backends.check_method(method, methods, solver, of_cvxpy=("auto", "textbook", "cvxpy"))
    is_squared = methods is SQUARED_METHODS
    if (is_squared or method == interior_point.NAME) and not interior_point.fits(problem):
        method = "loss='squared_hinge'" if is_squared else f"method={method!r}"
        raise InvalidOptionError(f"{problem.n_samples} x {problem.n_features} is too large for {method}")
    if method == soft_working_set.NAME and not soft_working_set.fits(problem):
        raise InvalidOptionError(f"{problem.n_samples} x {problem.n_features} has too many columns for {method!r}")


def candidates(best: SoftBracket, method: str, solver: Asked, limits: Limits) -> Iterator[Candidate]:
    """Yield the candidates of the engines that suit a question, or of the one of the method, each engine once.

    The caller stops asking when the interval is narrow, so that the order decides the time.
    """
    table, solvers = ENGINES[type(best)], backends.chosen(solver, backends.SOFT_MARGIN_ORDER)
    textbook = EngineRow("cvxpy", _is_moderate, partial(_textbook, solvers))
    is_first = method == "textbook" and is_small(best.problem)
    ordered = (table[0], textbook, *table[1:]) if is_first else (*table, textbook)
    for engine in engines_to_ask(ordered, "cvxpy" if solver is not None else method, best):
        yield from engine.ask(best, limits)


def is_small(problem: Problem) -> bool:
    """Return whether cvxpy solves the textbook program in about a second."""
    return problem.n_samples <= _SMALL_ROWS and problem.n_features < _SMALL_COLUMNS


def _is_moderate(best: SoftBracket) -> bool:
    return best.problem.n_samples * best.problem.n_features <= _MODERATE_ENTRIES


def _has_fitting_matrices(best: SoftBracket) -> bool:
    return interior_point.fits(best.problem)


def _has_many_rows(best: SoftBracket) -> bool:
    return not is_small(best.problem) and soft_working_set.is_worth_it(best.problem)


def _is_beyond_the_limit(best: SoftBracket) -> bool:
    """Return whether the answer for a smaller C, with no multiplier at its bound, is the hard margin: so is this one.

    Or whether there is no time for another answer.
    """
    before = best.before
    if before is None:
        return False
    is_limit = bool((before.dual < best.costs / 2).all()) and _greatest_slack(before) < _LEAST_SLACK
    return is_limit or best.limits.is_over()


def _greatest_slack(best: SoftBracket) -> float:
    return float(slack_of(best.problem, best.w, best.b).max())


def _before(best: SoftBracket, _: Limits) -> Iterator[Candidate]:
    """Yield the answer for a smaller C, with w also a little longer, so that rounding causes no slack."""
    if (before := best.before) is not None:
        attempt = SolverRun(solver=before.engine, status="", message=f"the answer for C = {before.C:g}")
        plain = Candidate(w=before.w, multipliers=before.dual, engine=before.engine, attempt=attempt)
        stretch = min(_greatest_slack(before), _LEAST_SLACK) + _STRETCH * (1 + abs(before.b))
        yield replace(plain, w=before.w * (1 + stretch))


def _solved_by(engine: Any, best: SoftBracket, limits: Limits) -> Iterator[Candidate]:
    yield engine.solve(best.problem, best.costs, start=best.start, is_over=limits.is_over)


def _nu_interior_point(best: NuBracket, limits: Limits) -> Iterator[Candidate]:
    """Yield the answer of the interior point, for multipliers that sum to 1 a class, in units of its own.

    With all costs times 4**-e the margins of rows of size 2**e have size 1.
    """
    exponent = int(np.clip(np.frexp(data_size(best.problem))[1], -_GREATEST_EXPONENT, _GREATEST_EXPONENT))
    unit = 4.0**-exponent
    nu = unit * len(best.shares.members)
    found = interior_point.solve(best.problem, unit * _costs(best), nu=nu, is_over=limits.is_over)
    multipliers = None if found.multipliers is None else found.multipliers * (float(best.shares.mass) / unit)
    yield replace(found, multipliers=multipliers)


def _dual_coordinate(best: SoftBracket, limits: Limits) -> Iterator[Candidate]:
    from maxmargin.solvers.engines.dual_coordinate import dual_coordinate

    gap = NEXT_SOLVER_GAP if _is_moderate(best) else RELATIVE_GAP
    yield dual_coordinate.solve(best.problem, best.costs, relative_gap=gap / 2, is_over=limits.is_over)


def _has_little_slack(best: SoftBracket) -> bool:
    is_wide = _is_moderate(best) or best.relative_gap > RELATIVE_GAP
    return is_small(best.problem) or (best.has_little_slack and is_wide)


def _hard_margin(best: SoftBracket, limits: Limits) -> Iterator[Candidate]:
    """Yield the hard margin: the limit for great C, and for small nu, where the reduced hulls are the hulls."""
    hard = hard_margin(best.problem, time_limit=limits.share())
    attempt = SolverRun(solver="hard margin", status=INTERRUPTED if hard.reason == WHAT_WAS_PROVEN else hard.status)
    w, multipliers = None, hard.dual
    if hard.w is not None and hard.b is not None and hard.margin is not None:
        least = hard.margin * math.hypot(*hard.w.tolist())  # 1, but where rounding was in the way
        if least > 0:
            with np.errstate(over="ignore"):
                w = hard.w / least * (1 + _STRETCH * (1 + abs(hard.b / least)))
    if isinstance(best, NuBracket) and hard.hull_weights is not None:
        multipliers = hard.hull_weights / hard.hull_weights.max()
        for group in best.shares.members:
            multipliers[group] *= float(best.shares.mass) / multipliers[group].sum()
    yield Candidate(w=w, multipliers=multipliers, engine=hard.engine, attempt=attempt)


def _textbook(solvers: tuple[Solver, ...], best: SoftBracket, limits: Limits) -> Iterator[Candidate]:
    """Yield what cvxpy's solvers find, in the original coordinates and in the scale of the problem."""
    problem = best.problem
    for solver in solvers:
        if backends.takes_too_long(problem.n_samples * problem.n_features, limits.share()):
            yield backends.not_asked(solver)
            continue
        tuned = backends.WITH_SLACK.get(str(solver.name))
        scaling = problem.scaling.in_one_unit() if tuned is not None else problem.scaling
        program, mass, exponent = _program(best, scaling)
        raw = backends.solve(program, solver, time_limit=limits.share(), tuned=tuned)
        with np.errstate(over="ignore"):
            w = None if raw.w is None else np.ldexp(scaling.normal_weights() * raw.w, -scaling.unit_exponent)
            multipliers = None if raw.multipliers is None else np.ldexp(raw.multipliers * mass, exponent)
        yield replace(raw, w=w, multipliers=multipliers)


def _program(best: SoftBracket, scaling: ColumnScaling) -> "tuple[cvxpy.Problem, float, int]":
    """Return the textbook program for scaled rows, and by what its multipliers are multiplied."""
    from maxmargin.solvers.engines.textbook import formulations

    X, y, bias, q = scaling.apply(best.problem.matrix), best.problem.y, best.problem.bias, scaling.normal_weights()
    if isinstance(best, NuBracket):
        n_groups, mass = len(best.shares.members), float(best.shares.mass)
        return formulations.nu_margin(X, y, n_groups, _costs(best), bias=bias, normal_weights=q), mass, 0
    # With w = q * w' * 2**-e the objective is 4**-e (1/2 ||q * w'||^2 + sum 4**e c_i xi_i).
    exponent = 2 * scaling.unit_exponent
    with np.errstate(over="ignore"):
        costs = np.clip(np.ldexp(best.costs, exponent), _LEAST_COST, 1 / _LEAST_COST)
    return formulations.soft_margin(X, y, costs, bias=bias, normal_weights=q, power=best.power), 1.0, -exponent


def _costs(best: NuBracket) -> Floats:
    """Return the weights in units of the mass: the multipliers of a class then sum to 1."""
    with np.errstate(over="ignore"):
        return np.clip(best.shares.weights / float(best.shares.mass), _LEAST_COST, _GREATEST_COST)


def _is_beyond_solvers(best: SoftBracket) -> bool:
    """Return whether the costs are so large that they would be clipped for a solver."""
    with np.errstate(over="ignore"):
        least = np.ldexp(best.costs.min(), 2 * best.problem.scaling.unit_exponent)
    return is_small(best.problem) and bool(least > 1 / _LEAST_COST)


# Small data go to the interior point; it loses digits if C is beyond the scale of the data, where the solution is the
# hard margin (for every C above its largest multiplier: Hastie, Rosset, Tibshirani and Zhu, "The entire regularization
# path for the support vector machine", JMLR 5, 2004). Large data go to engines whose iterations are passes. After all
# of these cvxpy is asked.
ENGINES: dict[type[SoftBracket], tuple[EngineRow, ...]] = {
    SoftBracket: (
        EngineRow("smaller C", _is_beyond_the_limit, _before),
        EngineRow("hard-margin", _is_beyond_solvers, _hard_margin),
        EngineRow(soft_working_set.NAME, _has_many_rows, partial(_solved_by, soft_working_set)),
        EngineRow(interior_point.NAME, _has_fitting_matrices, partial(_solved_by, interior_point)),
        EngineRow("dual-coordinate", lambda best: not _has_fitting_matrices(best), _dual_coordinate),
        EngineRow("hard-margin", _has_little_slack, _hard_margin),
    ),
    SquaredBracket: (
        EngineRow(squared_hinge.NAME, _has_fitting_matrices, partial(_solved_by, squared_hinge)),
        EngineRow("hard-margin", _has_little_slack, _hard_margin),
    ),
    NuBracket: (
        EngineRow(interior_point.NAME, _has_fitting_matrices, _nu_interior_point),
        EngineRow("hard-margin", lambda best: best.shares.spares_no_row, _hard_margin),
    ),
}
