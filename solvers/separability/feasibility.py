"""Are the two classes separable by a hyperplane? Candidates from floats, the answer from exact arithmetic."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.answer_text import through
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import EXACT_LIMIT, TIME_IS_OVER, Limits
from maxmargin.solvers.engines import balancing_vertex, highs_lp, quadratic
from maxmargin.solvers.engines.dual_coordinate import NAME as DUAL_COORDINATE
from maxmargin.solvers.engines.local_coordinates import working_set
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.exact.simplex import Circuit
from maxmargin.solvers.problem.candidate import Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.scaling import ColumnScaling, row_units
from maxmargin.solvers.proof.certificate import (
    CommonHullPoint,
    Overlap,
    QuasiSeparation,
    SeparatingHyperplane,
    in_order,
)
from maxmargin.solvers.proof.margins import best_offset, prove_separable
from maxmargin.solvers.separability.cone.columns import later_column_signs
from maxmargin.solvers.separability.cone.cone_rows import DEFAULT, ConeSettings, SignedRows
from maxmargin.solvers.separability.cone.decide import ZERO_ROWS, Decision, Unfinished, decide
from maxmargin.solvers.separability.cone.strict import RATIONAL_SIMPLEX
from maxmargin.solvers.separability.cone.witness import balances, contradicting_rows, find_common_hull_point
from maxmargin.solvers.separability.details import Details
from maxmargin.solvers.separability.proven_verdict import Attempts, ProvenVerdict

METHODS = ("auto", "highs", "cvxpy")

EQUAL_ROWS = "equal rows"

# Smallest size of X (number of entries) for which the quadratic program is solved, or refused, long before the LP.
_MANY_ENTRIES = 1 << 15

# Relative gap of the margin at or below which descent for a separating hyperplane stops.
_ENOUGH = 0.01

# Number of rows per column, with the largest multipliers, that are examined first if descent finds no hyperplane.
_LIKELY_A_COLUMN = 3

# Factor of `exact_limit` for sparse rows, whose exact products cost much less.
_SPARSE_FACTOR = 2

# The cheap ways to a hyperplane are given the time divided by this number.
_SHARES_OF_TIME = 4


def separability(
    problem: Problem,
    *,
    method: str = "auto",
    solver: backends.Asked = None,
    time_limit: float | None = None,
    exact_limit: int = EXACT_LIMIT,
    likely: Rows | None = None,
    settings: ConeSettings = DEFAULT,
) -> ProvenVerdict:
    """Decide whether the data are separable, quasi-separable, or overlap.

    Floating point only proposes; every answer is checked in exact arithmetic on the data as stored, and where no
    proposal passes, the rational simplex method decides. The verdict is `undecided` only beyond the limits.

    Parameters
    ----------
    problem : Problem
    method : {"auto", "highs", "cvxpy"}
        The source of the first hyperplane: "highs" hands the feasibility LP to HiGHS directly, "cvxpy" solves the
        textbook program, "auto" solves the quadratic program of the maximum margin if the data are not small, on the
        rows that matter, and then the LP on these rows.
    solver : str or Solver, optional
        The cvxpy solver for ``method="cvxpy"``.
    time_limit : float, optional
        Seconds after which the search is given up.
    exact_limit : int
        The largest number of columns (bias included) for which linear systems are solved exactly; twice as many for
        sparse rows that are not separable.
    likely : ndarray of int, optional
        Rows that floating point could not separate, if that was tried already: exact arithmetic begins with them.
        Empty if it failed on all rows.
    settings : ConeSettings
        Sizes and tolerances of the exact decision, which change the time that it takes.

    Raises
    ------
    InvalidOptionError
        If the method is unknown, the solver is not installed or solves no such programs, or a limit is not positive.

    Examples
    --------
    >>> separability(Problem.validated([[1.0], [2.0]], [-1, 1])).verdict.value
    'separable'
    >>> separability(Problem.validated([[1.0], [2.0], [2.0], [3.0]], [-1, -1, 1, 1])).verdict.value
    'quasi-separable'
    >>> separability(Problem.validated([[1.0], [2.0]], [-1, 1], bias=False)).verdict.value
    'overlap'
    """
    backends.check_method(method, METHODS, solver, of_cvxpy=("auto", "cvxpy"))
    limits = Limits(time_limit=time_limit, exact_limit=exact_limit)
    is_exact = problem.n_features + problem.bias <= _most_columns(problem, exact_limit)
    scaling = problem.scaling
    cone = SignedRows(problem, settings)
    if limits.is_over():
        return _past_the_limits(problem, None, TIME_IS_OVER, ())
    if not problem.n_features:
        return _decided(cone, None, (), limits, None)
    attempts: list[SolverRun] = []
    point: CommonHullPoint | None = None
    if method == "auto" and solver is None and likely is None:
        found, likely, engine = _separating(problem, scaling, limits, attempts)
        if isinstance(found, SeparatingHyperplane):
            return _separable(cone, found, engine, tuple(attempts), limits)
        point = found
        if engine == DUAL_COORDINATE and (point := contradicting_rows(problem)) is not None:
            attempts.append(SolverRun(solver=EQUAL_ROWS, status="found"))
    if not (point is not None or (method == "auto" and solver is None and is_exact)):
        for candidate in _candidates(problem, scaling, method, solver, limits):
            attempts.append(candidate.attempt)
            found = _prove(problem, candidate, limits)
            if isinstance(found, SeparatingHyperplane):
                return _separable(cone, found, candidate.engine, tuple(attempts), limits)
            if found is not None:
                point = found
                break
    if not is_exact:
        return _past_the_limits(problem, point, _size_reason(problem, exact_limit), tuple(attempts))
    return _decided(cone, point, tuple(attempts), limits, likely)


def _separating(
    problem: Problem, scaling: ColumnScaling, limits: Limits, attempts: list[SolverRun]
) -> tuple[SeparatingHyperplane | CommonHullPoint | None, Rows | None, str]:
    """Return what decides all rows, or rows that floating point could not separate, and the engine."""
    if problem.has_many_rows:
        return *_from_few_rows(problem, limits, attempts), working_set.NAME
    if problem.has_many_columns:
        return *_by_descent(problem, scaling, limits, attempts), DUAL_COORDINATE
    if problem.is_sparse or problem.n_samples * problem.n_features < _MANY_ENTRIES:
        return None, None, ""
    share = limits.part(_SHARES_OF_TIME)
    found = scaling.bring_home(quadratic.solve_all(problem, share))
    attempts.append(found.attempt)
    plane = None if found.w is None else prove_separable(problem, found.w)
    return plane, None, found.engine


def _by_descent(
    problem: Problem, scaling: ColumnScaling, limits: Limits, attempts: list[SolverRun]
) -> tuple[SeparatingHyperplane | None, Rows | None]:
    """Return a hyperplane that separates all rows, or the rows with the largest multipliers, in a part of the time."""
    from maxmargin.solvers.engines.dual_coordinate.dual_coordinate import search

    share = limits.part(_SHARES_OF_TIME)
    scaled = Problem(scaling.apply(problem.matrix), problem.y, problem.bias, sizes=problem.sizes)
    found: Candidate | None = None
    for found in map(scaling.bring_home, search(scaled, relative_gap=_ENOUGH, is_over=share.is_over)):
        if found.w is not None and (plane := prove_separable(problem, found.w)) is not None:
            attempts.append(found.attempt)
            return plane, None
    if found is None or found.multipliers is None:
        return None, None
    attempts.append(found.attempt)
    n_most = _LIKELY_A_COLUMN * (problem.n_features + 1)
    return None, np.sort(np.argsort(-found.multipliers, kind="stable")[:n_most])


def _from_few_rows(
    problem: Problem, limits: Limits, attempts: list[SolverRun]
) -> tuple[SeparatingHyperplane | CommonHullPoint | None, Rows | None]:
    """Return a hyperplane that separates all rows or few rows that balance; else rows that may not be separated."""
    rows: Rows | None = None
    for found in working_set.rounds(problem, limits, is_verdict=True):
        attempts.append(found.attempt)
        rows = found.rows
        if found.plane is not None:
            return found.plane, None
        if not found.is_separable:
            weights = np.zeros(problem.n_samples)
            weights[rows] = found.multipliers
            return prove_inseparable(problem, weights, limits), rows
    return None, rows


def prove_inseparable(problem: Problem, weights: Floats, limits: Limits | None = None) -> CommonHullPoint | None:
    """Return exact balancing weights near the given ones, checked, or None."""
    point = find_common_hull_point(problem, weights, limits)
    return point if point is not None and balances(problem, point) else None


def _candidates(
    problem: Problem, scaling: ColumnScaling, method: str, solver: backends.Asked, limits: Limits
) -> Iterator[Candidate]:
    """Yield candidates in the original coordinates, cheapest first."""
    if limits.is_over():
        return
    X = scaling.apply(problem.matrix)
    if solver is None and method in ("auto", "highs"):
        yield scaling.bring_home(highs_lp.solve(X, problem.y, bias=problem.bias, time_limit=limits.seconds_left))
        if not (problem.is_sparse or limits.is_over()):
            yield _in_units_of_the_rows(problem, limits)
    if method == "highs" or limits.is_over():
        return
    from maxmargin.solvers.engines.textbook import formulations

    for asked in backends.chosen(solver, backends.FEASIBILITY_ORDER):
        if limits.is_over():
            return
        program = formulations.max_t(X, problem.y, bias=problem.bias)
        yield scaling.bring_home(backends.solve(program, asked, time_limit=limits.seconds_left))


def _in_units_of_the_rows(problem: Problem, limits: Limits) -> Candidate:
    """Solve the LP with rows of size about 1, so that outliers do not cost the other rows digits.

    A positive factor of a row does not change the verdict; the multiplier is divided by it.
    """
    scaling = problem.scaling.robust(problem.matrix, bias=problem.bias)
    X = scaling.apply(problem.matrix)
    units = row_units(X)
    found = highs_lp.solve(X, units * problem.y, bias=problem.bias, time_limit=limits.seconds_left)
    candidate = scaling.bring_home(found)
    if candidate.multipliers is None:
        return candidate
    return replace(candidate, multipliers=units * candidate.multipliers)  # units <= 1


def _prove(problem: Problem, candidate: Candidate, limits: Limits) -> SeparatingHyperplane | CommonHullPoint | None:
    if candidate.w is not None and (plane := prove_separable(problem, candidate.w)) is not None:
        return plane
    return None if candidate.multipliers is None else prove_inseparable(problem, candidate.multipliers, limits)


def _decided(
    cone: SignedRows, point: CommonHullPoint | None, attempts: Attempts, limits: Limits, likely: Rows | None
) -> ProvenVerdict:
    """Decide by facial reduction, starting from a common point of the hulls if one is known."""
    start = None if likely is None or not likely.size else likely
    known: list[tuple[list[int], Circuit]] = []
    if point is not None:
        rows = list(point.rows)
        known = [(rows, Circuit(positions=rows, weights=list(point.weights), fixed_weights=[]))]
    decision = decide(cone, limits, known=known, start=start)
    attempts = (*attempts, *decision.attempts)
    if isinstance(decision, Unfinished):
        found = CommonHullPoint.by(cone.problem, decision.witness) if decision.witness else None
        return _past_the_limits(cone.problem, found, TIME_IS_OVER, attempts)
    last = attempts[-1].solver if attempts else ""
    engine = last if last in (RATIONAL_SIMPLEX, ZERO_ROWS, balancing_vertex.NAME) else highs_lp.NAME
    return answer_of(cone, decision, limits, engine, attempts)


def _most_columns(problem: Problem, exact_limit: int) -> int:
    return exact_limit * (_SPARSE_FACTOR if problem.is_sparse else 1)


def _size_reason(problem: Problem, exact_limit: int) -> str:
    n_columns = problem.n_features + problem.bias
    of_sparse = f", which is {_most_columns(problem, exact_limit)} for sparse rows" if problem.is_sparse else ""
    return (
        f"{n_columns} columns (bias counted) are past exact_limit={exact_limit}{of_sparse}; a greater one lets exact "
        "arithmetic decide, in a time that grows with the cube of the columns"
    )


def answer_of(
    cone: SignedRows, decision: Decision, limits: Limits, engine: str, attempts: Attempts = ()
) -> ProvenVerdict:
    """Return the answer for a decision about the rows of a two-class problem."""
    problem, columns = cone.problem, later_column_signs(cone, decision, limits)
    if not decision.touching.any():
        plane = _plane(problem, decision.direction)
        return replace(_separable(cone, plane, engine, attempts, limits), find_columns=columns)
    certificate, reason = _certificate(problem, decision), _reason(decision, problem.bias)
    answer = ProvenVerdict.proven(certificate, decision.touching, reason, engine, attempts)
    witness = CommonHullPoint.by(problem, decision.witness)
    return replace(answer, witness=witness, find_columns=columns, find_details=lambda: Details.of_two(cone, decision))


def _plane(problem: Problem, direction: tuple[Fraction, ...]) -> SeparatingHyperplane:
    w = direction[: problem.n_features]
    b, least = best_offset(problem, w)
    if least <= 0:
        raise ArithmeticError("the direction that was found does not separate")
    return SeparatingHyperplane(problem=problem, w=w, b=b, least_functional_margin=least)


def _separable(
    cone: SignedRows, plane: SeparatingHyperplane, engine: str, attempts: Attempts, limits: Limits
) -> ProvenVerdict:
    """Return the answer for a hyperplane that was checked to separate."""
    bias, touches = cone.problem.bias, np.zeros(cone.n_rows, dtype=np.bool_)
    reason = f"a hyperplane{through(bias)} has all rows strictly on their side, checked in exact arithmetic"
    answer = ProvenVerdict.proven(plane, touches, reason, engine, attempts)
    if cone.width > limits.exact_limit:
        return answer
    direction = (*plane.w, plane.b) if bias else tuple(plane.w)
    decision = Decision.separable(direction, cone)
    return replace(
        answer,
        find_columns=lambda: later_column_signs(cone, decision, limits)(),
        find_details=lambda: Details.of_two(cone, decision),
    )


def _certificate(problem: Problem, decision: Decision) -> Overlap | QuasiSeparation:
    """Return the proof for rows of which some touch every hyperplane."""
    (rows, weights), null_space = in_order(decision.balance), decision.null_space
    if decision.touching.all():
        return Overlap(problem=problem, rows=rows, weights=weights, null_space=null_space)
    w, b = decision.direction[: problem.n_features], decision.direction[-1] if problem.bias else Fraction(0)
    return QuasiSeparation(problem=problem, w=w, b=b, rows=rows, weights=weights, null_space=null_space)


def _reason(decision: Decision, bias: bool) -> str:
    n_balancing, n_touching = len(decision.balance), int(decision.touching.sum())
    n_separated = len(decision.touching) - n_touching
    if not n_separated:
        spans = "which span all others" if decision.null_space else "which span the whole space"
        return f"overlap{through(bias)}: positive weights balance exactly on {_rows(n_balancing)}, {spans}"
    return (
        f"quasi-separable{through(bias)}: a hyperplane{through(bias)} has {_rows(n_separated)} strictly on their side "
        f"and the other {n_touching} on it; positive weights that balance exactly on {n_balancing} of these prove that "
        f"every hyperplane{through(bias)} without a row on its wrong side touches them"
    )


def _past_the_limits(problem: Problem, point: CommonHullPoint | None, limit: str, attempts: Attempts) -> ProvenVerdict:
    """Return the answer when a limit ends the work: with a common point at least `not strictly separable`."""
    if point is None:
        said = "; ".join(f"{attempt.solver}: {attempt.status}" for attempt in attempts)
        heard = f" (solvers said {said})" if attempts else ""
        reason = f"no candidate passed the exact check{heard}, and {limit}"
        return ProvenVerdict.undecided(problem, None, reason, "none", attempts)
    reason = (
        f"not strictly separable{through(problem.bias)}: {_rows(len(point.rows))} balance exactly; whether the "
        f"data are quasi-separable or overlap is not decided: {limit}"
    )
    return ProvenVerdict.undecided(problem, point, reason, attempts[-1].solver, attempts)


def _rows(number: int) -> str:
    return f"{number} row{'s' * (number != 1)}"
