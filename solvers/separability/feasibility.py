"""Are the two classes separable by a hyperplane? Candidates from floats, the answer from exact arithmetic."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from maxmargin.solvers.answers.answer_text import through
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.limits import EXACT_LIMIT, TIME_IS_OVER, Limits
from maxmargin.solvers.engines import balancing_vertex, highs_lp, quadratic
from maxmargin.solvers.engines.dual_coordinate import NAME as DUAL_COORDINATE
from maxmargin.solvers.engines.local_coordinates import working_set
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.exact.simplex import Circuit
from maxmargin.solvers.problem.candidate import Asked, Candidate, EngineRow, SolverRun, always, engines_to_ask
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.scaling import row_units
from maxmargin.solvers.proof.certificate import (
    CommonHullPoint,
    Overlap,
    QuasiSeparation,
    SeparatingHyperplane,
    in_order,
)
from maxmargin.solvers.proof.margins import prove_separable, separating_plane
from maxmargin.solvers.separability.cone.columns import later_column_signs
from maxmargin.solvers.separability.cone.cone_rows import DEFAULT, ConeSettings, SignedRows
from maxmargin.solvers.separability.cone.decide import ZERO_ROWS, Decision, Unfinished, decide
from maxmargin.solvers.separability.cone.strict import RATIONAL_SIMPLEX
from maxmargin.solvers.separability.cone.witness import contradicting_rows, find_common_hull_point
from maxmargin.solvers.separability.proven_verdict import Attempts, Details, ProvenVerdict

METHODS = ("auto", "highs", "cvxpy")

EQUAL_ROWS = "equal rows"

# Smallest size of X (number of entries) for which the quadratic program is solved, or refused, long before the LP.
_MANY_ENTRIES = 1 << 15

# Relative gap of the margin at or below which descent for a separating hyperplane stops.
_ENOUGH = 0.01

# Number of rows per column, with the largest multipliers, that are examined first if descent finds no hyperplane.
_LIKELY_A_COLUMN = 3

# The cheap ways to a hyperplane are given the time divided by this number.
_SHARES_OF_TIME = 4

# Factor of `exact_limit` for sparse rows, whose exact products cost much less.
_SPARSE_FACTOR = 2


def separability(
    problem: Problem,
    *,
    method: str = "auto",
    solver: Asked = None,
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
    if method not in METHODS or solver is not None:
        backends.check_method(method, METHODS, solver, of_cvxpy=("auto", "cvxpy"))
    limits = Limits(time_limit=time_limit, exact_limit=exact_limit)
    is_exact = problem.n_features + problem.bias <= _most_columns(problem, exact_limit)
    cone = SignedRows(problem, settings)
    if limits.is_over():
        return _past_the_limits(problem, None, TIME_IS_OVER, ())
    if not problem.n_features:
        return _decided(cone, None, (), limits, None)
    attempts: list[SolverRun] = []
    point: CommonHullPoint | None = None
    for found in findings(problem, method, solver, limits, is_new=likely is None, is_exact=is_exact):
        attempts.append(found.attempt)
        if isinstance(found.proof, SeparatingHyperplane):
            return _separable(cone, found.proof, found.engine, tuple(attempts), limits)
        likely = likely if found.likely is None else found.likely
        if found.proof is not None:
            point = found.proof
            break
    if not is_exact:
        return _past_the_limits(problem, point, _size_reason(problem, exact_limit), tuple(attempts))
    return _decided(cone, point, tuple(attempts), limits, likely)


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
    plane = separating_plane(problem, direction[: problem.n_features])
    if plane is None:
        raise ArithmeticError("the direction that was found does not separate")
    return plane


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
        f"quasi-separable{through(bias)}: a hyperplane{through(bias)} has {_rows(n_separated)} strictly on "
        f"{'its' if n_separated == 1 else 'their'} side "
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


# The engines, in the order in which they are asked; what they find is checked in exact arithmetic


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an engine found about all rows.

    Attributes
    ----------
    engine : str
    attempt : SolverRun
    proof : SeparatingHyperplane or CommonHullPoint or None
        Checked; None if nothing passed the check.
    likely : ndarray of int or None
        Rows that floating point could not separate.
    """

    engine: str
    attempt: SolverRun
    proof: SeparatingHyperplane | CommonHullPoint | None = None
    likely: Rows | None = None


def findings(
    problem: Problem, method: str, solver: Asked, limits: Limits, *, is_new: bool, is_exact: bool
) -> Iterator[Finding]:
    """Yield what the engines find: those that suit a problem, or the one of the method.

    Parameters
    ----------
    problem : Problem
    method : {"auto", "highs", "cvxpy"}
    solver : str or Solver or None
        The cvxpy solver.
    limits : Limits
    is_new : bool
        Whether the engines of margins were not asked about these rows before.
    is_exact : bool
        Whether exact arithmetic decides afterwards; then linear programs of all rows are not solved before.
    """
    of_all_rows = (EngineRow("highs", always, _linear), EngineRow("cvxpy", always, partial(_of_cvxpy, solver)))
    name = "cvxpy" if solver is not None else method
    table = (*(ENGINES_OF_MARGINS if is_new else ()), *(() if is_exact and name == "auto" else of_all_rows))
    for engine in engines_to_ask(table, name, problem):
        if not limits.is_over():
            yield from engine.ask(problem, limits)


def _checked(problem: Problem, candidate: Candidate, limits: Limits) -> Finding:
    """Return the proof that a candidate, in the original coordinates, leads to."""
    proof: SeparatingHyperplane | CommonHullPoint | None = None
    if candidate.w is not None:
        proof = prove_separable(problem, candidate.w)
    if proof is None and candidate.multipliers is not None:
        proof = find_common_hull_point(problem, candidate.multipliers, limits)
    return Finding(engine=candidate.engine, attempt=candidate.attempt, proof=proof)


def _of_few_rows(problem: Problem, limits: Limits) -> Iterator[Finding]:
    """Find a hyperplane that separates all rows or few rows that balance; else rows that may not be separated."""
    for found in working_set.rounds(problem, limits, is_verdict=True):
        proof: SeparatingHyperplane | CommonHullPoint | None = found.plane
        if proof is None and not found.is_separable:
            weights = np.zeros(problem.n_samples)
            weights[found.rows] = found.multipliers
            proof = find_common_hull_point(problem, weights, limits)
        yield Finding(engine=working_set.NAME, attempt=found.attempt, proof=proof, likely=found.rows)
        if proof is not None or not found.is_separable:
            break


def _by_descent(problem: Problem, limits: Limits) -> Iterator[Finding]:
    """Find a hyperplane that separates all rows, or the rows with the largest multipliers, in a part of the time."""
    from maxmargin.solvers.engines.dual_coordinate.dual_coordinate import search

    share, scaling = limits.part(_SHARES_OF_TIME), problem.scaling
    scaled = Problem(scaling.apply(problem.matrix), problem.y, problem.bias, sizes=problem.sizes)
    found: Candidate | None = None
    for found in map(scaling.bring_home, search(scaled, relative_gap=_ENOUGH, is_over=share.is_over)):
        if found.w is not None and (plane := prove_separable(problem, found.w)) is not None:
            yield Finding(engine=DUAL_COORDINATE, attempt=found.attempt, proof=plane)
            return
    if found is not None and found.multipliers is not None:
        n_most = _LIKELY_A_COLUMN * (problem.n_features + 1)
        likely = np.sort(np.argsort(-found.multipliers, kind="stable")[:n_most])
        yield Finding(engine=DUAL_COORDINATE, attempt=found.attempt, likely=likely)
    if (point := contradicting_rows(problem)) is not None:
        yield Finding(engine=EQUAL_ROWS, attempt=SolverRun(solver=EQUAL_ROWS, status="found"), proof=point)


def _quadratic(problem: Problem, limits: Limits) -> Iterator[Finding]:
    """Find a hyperplane by the program of the maximum margin, in a part of the time."""
    found = problem.scaling.bring_home(quadratic.solve_all(problem, limits.part(_SHARES_OF_TIME)))
    yield _checked(problem, replace(found, multipliers=None), limits)


def _linear(problem: Problem, limits: Limits) -> Iterator[Finding]:
    """Solve the feasibility LP of all rows; once more with rows of size about 1.

    A positive factor of a row does not change the verdict, and outliers do not cost the other rows digits; the
    multiplier is divided by it.
    """
    scaling, y = problem.scaling, problem.y
    found = highs_lp.solve(scaling.apply(problem.matrix), y, bias=problem.bias, time_limit=limits.seconds_left)
    yield _checked(problem, scaling.bring_home(found), limits)
    if problem.is_sparse or limits.is_over():
        return
    scaling = scaling.robust(problem.matrix, bias=problem.bias)
    X = scaling.apply(problem.matrix)
    units = row_units(X)
    found = scaling.bring_home(highs_lp.solve(X, units * y, bias=problem.bias, time_limit=limits.seconds_left))
    if found.multipliers is not None:
        found = replace(found, multipliers=units * found.multipliers)  # units <= 1
    yield _checked(problem, found, limits)


def _of_cvxpy(solver: Asked, problem: Problem, limits: Limits) -> Iterator[Finding]:
    """Solve the textbook program by the solvers of cvxpy in turn."""
    from maxmargin.solvers.engines.textbook import formulations

    X = problem.scaling.apply(problem.matrix)
    for asked in backends.chosen(solver, backends.FEASIBILITY_ORDER):
        if limits.is_over():
            return
        program = formulations.max_t(X, problem.y, bias=problem.bias)
        found = backends.solve(program, asked, time_limit=limits.seconds_left)
        yield _checked(problem, problem.scaling.bring_home(found), limits)


def _has_many_columns(problem: Problem) -> bool:
    return problem.has_many_columns and not problem.has_many_rows


def _is_wide_enough(problem: Problem) -> bool:
    """Return whether the rows are dense and of moderate number, and not so small that exact arithmetic is as quick."""
    is_of_others = problem.is_sparse or problem.has_many_rows or problem.has_many_columns
    return not is_of_others and problem.n_samples * problem.n_features >= _MANY_ENTRIES


# Those of hard margins, which are asked first.
ENGINES_OF_MARGINS = (
    EngineRow("working-set", lambda problem: problem.has_many_rows, _of_few_rows),
    EngineRow("dual-coordinate", _has_many_columns, _by_descent),
    EngineRow("daqp", _is_wide_enough, _quadratic),
)
