"""Are the two classes separable by a hyperplane? Candidates from floats, the answer from exact arithmetic."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.answer_text import through
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.limits import EXACT_LIMIT, TIME_IS_OVER, Limits
from maxmargin.solvers.engines import balancing_vertex, highs_lp
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.exact.simplex import Circuit
from maxmargin.solvers.problem.candidate import Asked, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import (
    CommonHullPoint,
    Overlap,
    QuasiSeparation,
    SeparatingHyperplane,
    in_order,
)
from maxmargin.solvers.proof.margins import separating_plane
from maxmargin.solvers.separability.cone.columns import later_column_signs
from maxmargin.solvers.separability.cone.cone_rows import DEFAULT, ConeSettings, SignedRows
from maxmargin.solvers.separability.cone.decide import ZERO_ROWS, Decision, Unfinished, decide
from maxmargin.solvers.separability.cone.strict import RATIONAL_SIMPLEX
from maxmargin.solvers.separability.proven_verdict import Attempts, Details, ProvenVerdict
from maxmargin.solvers.separability.verdict_engines import METHODS, findings

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
