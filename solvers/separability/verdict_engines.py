"""The engines of verdicts, in the order in which they are asked; what they find is checked in exact arithmetic."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import highs_lp, quadratic
from maxmargin.solvers.engines.dual_coordinate import NAME as DUAL_COORDINATE
from maxmargin.solvers.engines.local_coordinates import working_set
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.problem.candidate import Asked, Candidate, EngineRow, SolverRun, always, engines_to_ask
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.scaling import row_units
from maxmargin.solvers.proof.certificate import CommonHullPoint, SeparatingHyperplane
from maxmargin.solvers.proof.margins import prove_separable
from maxmargin.solvers.separability.cone.witness import contradicting_rows, find_common_hull_point

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
