"""The answer about a two-class problem: the verdict, its proof, and the reason in words."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.answers.wording import through
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import (
    CommonHullPoint,
    Overlap,
    QuasiSeparation,
    SeparatingHyperplane,
)
from maxmargin.solvers.proof.margins import best_offset
from maxmargin.solvers.separability.cone.columns import column_signs
from maxmargin.solvers.separability.cone.cone_rows import SignedRows
from maxmargin.solvers.separability.cone.decide import Decision
from maxmargin.solvers.separability.separability_solution import ColumnSigns, Separability

Rows = NDArray[np.int64]
Attempts = tuple[SolverRun, ...]


def answer_of(
    cone: SignedRows, decision: Decision, limits: Limits, engine: str, attempts: Attempts = ()
) -> Separability:
    """Return the answer for a decision about the rows of a two-class problem."""
    columns = _columns_finder(cone, decision, limits)
    if not decision.touching.any():
        plane = _plane(cone.problem, decision.direction)
        return separable(cone, plane, engine, attempts, limits, columns)
    return _touching(cone.problem, decision, engine, attempts, columns)


def _columns_finder(cone: SignedRows, decision: Decision, limits: Limits) -> Callable[[], ColumnSigns | None]:
    fresh = partial(Limits, time_limit=limits.share(), exact_limit=limits.exact_limit)
    return lambda: column_signs(cone, decision, fresh())


def _plane(problem: Problem, direction: tuple[Fraction, ...]) -> SeparatingHyperplane:
    w = direction[: problem.n_features]
    b, least = best_offset(problem, w)
    if least <= 0:
        raise ArithmeticError("the direction that was found does not separate")
    return SeparatingHyperplane(problem=problem, w=w, b=b, least_functional_margin=least)


def separable(
    cone: SignedRows,
    plane: SeparatingHyperplane,
    engine: str,
    attempts: Attempts,
    limits: Limits,
    columns: Callable[[], ColumnSigns | None] | None = None,
) -> Separability:
    """Return the answer for a hyperplane that was checked to separate."""
    problem = cone.problem
    return Separability(
        verdict=Verdict.SEPARABLE,
        strictly_separable=True,
        certificate=plane,
        reason=f"a hyperplane{through(problem.bias)} has all rows strictly on their side, checked in exact arithmetic",
        engine=engine,
        attempts=attempts,
        separated_rows=np.arange(problem.n_samples),
        touching_rows=np.empty(0, dtype=np.int64),
        n_features=problem.n_features,
        bias=problem.bias,
        find_columns=columns or _columns_of_plane(cone, plane, limits),
    )


def _columns_of_plane(
    cone: SignedRows, plane: SeparatingHyperplane, limits: Limits
) -> Callable[[], ColumnSigns | None] | None:
    if cone.width > limits.exact_limit:
        return None
    direction = (*plane.w, plane.b) if cone.problem.bias else tuple(plane.w)
    return lambda: _columns_finder(cone, Decision.separable(direction, cone), limits)()


def _touching(
    problem: Problem,
    decision: Decision,
    engine: str,
    attempts: Attempts,
    columns: Callable[[], ColumnSigns | None],
) -> Separability:
    """Return the answer for data that are not strictly separable."""
    rows = sorted(decision.balance)
    touching = np.flatnonzero(decision.touching)
    separated = np.flatnonzero(~decision.touching)
    is_overlap = not separated.size
    return Separability(
        verdict=Verdict.OVERLAP if is_overlap else Verdict.QUASI_SEPARABLE,
        strictly_separable=False,
        certificate=_overlap(problem, decision) if is_overlap else _quasi_separation(problem, decision),
        witness=common_point(problem, decision.witness),
        reason=_overlap_reason(rows, decision, problem.bias)
        if is_overlap
        else _quasi_reason(separated, touching, rows, problem.bias),
        engine=engine,
        attempts=attempts,
        separated_rows=separated,
        touching_rows=touching,
        n_features=problem.n_features,
        bias=problem.bias,
        find_columns=columns,
    )


def _overlap(problem: Problem, decision: Decision) -> Overlap:
    rows = tuple(sorted(decision.balance))
    weights = tuple(decision.balance[row] for row in rows)
    return Overlap(problem=problem, rows=rows, weights=weights, null_space=decision.null_space)


def _quasi_separation(problem: Problem, decision: Decision) -> QuasiSeparation:
    d, balance = problem.n_features, _overlap(problem, decision)
    return QuasiSeparation(
        problem=problem,
        w=decision.direction[:d],
        b=decision.direction[d] if problem.bias else Fraction(0),
        rows=balance.rows,
        weights=balance.weights,
        null_space=balance.null_space,
    )


def _overlap_reason(rows: list[int], decision: Decision, bias: bool) -> str:
    spans = "which span all others" if decision.null_space else "which span the whole space"
    return f"overlap{through(bias)}: positive weights balance exactly on {_rows(len(rows))}, {spans}"


def _quasi_reason(separated: Rows, touching: Rows, rows: list[int], bias: bool) -> str:
    return (
        f"quasi-separable{through(bias)}: a hyperplane{through(bias)} has {_rows(len(separated))} strictly on their "
        f"side and the other {len(touching)} on it; positive weights that balance exactly on {len(rows)} of these "
        f"prove that every hyperplane{through(bias)} without a row on its wrong side touches them"
    )


def common_point(problem: Problem, witness: dict[int, int]) -> CommonHullPoint:
    """Return the common point of the hulls with these balancing weights of the rows."""
    rows = sorted(witness)
    return CommonHullPoint(problem=problem, rows=tuple(rows), weights=tuple(witness[row] for row in rows))


def past_the_limits(problem: Problem, point: CommonHullPoint | None, limit: str, attempts: Attempts) -> Separability:
    """Return the answer when a limit ends the work: with a common point at least `not strictly separable`."""
    if point is None:
        said = "; ".join(f"{attempt.solver}: {attempt.status}" for attempt in attempts)
        heard = f" (solvers said {said})" if attempts else ""
        reason = f"no candidate passed the exact check{heard}, and {limit}"
    else:
        reason = (
            f"not strictly separable{through(problem.bias)}: {_rows(len(point.rows))} balance exactly; whether the "
            f"data are quasi-separable or overlap is not decided: {limit}"
        )
    return Separability(
        verdict=Verdict.UNDECIDED,
        strictly_separable=None if point is None else False,
        certificate=point,
        witness=point,
        reason=reason,
        engine="none" if point is None else attempts[-1].solver,
        attempts=attempts,
        bias=problem.bias,
    )


def _rows(number: int) -> str:
    return f"{number} row{'s' * (number != 1)}"
