"""The answer about a two-class problem: the verdict, its proof, and the reason in words."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.answer_text import through
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import (
    CommonHullPoint,
    Overlap,
    QuasiSeparation,
    SeparatingHyperplane,
    in_order,
)
from maxmargin.solvers.proof.margins import best_offset
from maxmargin.solvers.separability.cone.columns import later_column_signs
from maxmargin.solvers.separability.cone.cone_rows import SignedRows
from maxmargin.solvers.separability.cone.decide import Decision
from maxmargin.solvers.separability.details import Details
from maxmargin.solvers.separability.proven_verdict import Attempts, ProvenVerdict


def answer_of(
    cone: SignedRows, decision: Decision, limits: Limits, engine: str, attempts: Attempts = ()
) -> ProvenVerdict:
    """Return the answer for a decision about the rows of a two-class problem."""
    problem, columns = cone.problem, later_column_signs(cone, decision, limits)
    if not decision.touching.any():
        plane = _plane(problem, decision.direction)
        return replace(separable(cone, plane, engine, attempts, limits), find_columns=columns)
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


def separable(
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


def past_the_limits(problem: Problem, point: CommonHullPoint | None, limit: str, attempts: Attempts) -> ProvenVerdict:
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
