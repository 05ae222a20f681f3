"""The engines of the hard margin, in the order in which they are asked."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import quadratic
from maxmargin.solvers.engines.local_coordinates import working_set
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.hard_margin.hard_bracket import HardBracket
from maxmargin.solvers.problem.candidate import Asked, Candidate, EngineRow, engines_to_ask
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.scaling import ColumnScaling

METHODS = ("auto", "textbook", "working-set", "dual-coordinate", "daqp", "cvxpy")

# Those that hand programs to cvxpy.
OF_CVXPY = ("auto", "textbook", "cvxpy")

# Relative width of the interval above which the next engine is asked as well, and the same for few entries: an angle
# of two hyperplanes, about the root of the width, is then known to 1e-4 degrees.
NEXT_ENGINE_GAP, _NEXT_OF_FEW = 1e-11, 2e-13

# Relative width of the interval at which the working set and descent along single multipliers stop.
_WORKING_SET_GAP, _DESCENT_GAP = 1e-13, 1e-12

# Sizes of X (numbers of entries) up to which DAQP is handed all rows unasked, and up to which it takes milliseconds:
# then it is asked even when the time is over.
_MOST_ENTRIES, _FEW_ENTRIES = 20_000_000, 1 << 15

# Largest number of columns for which cvxpy hands the textbook program to DAQP: the time grows with the cube.
_MOST_COLUMNS_OF_DAQP = 300


def engines_for(problem: Problem, method: str, solver: Asked) -> Iterator[EngineRow]:
    """Yield the engines to ask about a problem, each once: those that suit it, or the one of the method.

    They offer what they find to a `HardBracket`, and return rows that floating point could not separate, an empty array
    if they found that none of all rows can be, or None.
    """
    textbook = EngineRow("cvxpy", lambda _: method == "textbook", partial(_ask_cvxpy, solver))
    # the textbook program is solved by cvxpy's DAQP, which is the same
    is_same = method == "textbook" and problem.n_features <= _MOST_COLUMNS_OF_DAQP
    table = [engine for engine in (*ENGINES, textbook) if not (is_same and engine.name == "daqp")]
    return engines_to_ask(table, "cvxpy" if solver is not None else method, problem)


def is_narrow(best: HardBracket) -> bool:
    """Return whether the interval is so narrow that no other engine is asked."""
    are_few = best.problem.n_samples * best.problem.n_features <= _FEW_ENTRIES
    return best.relative_gap <= (_NEXT_OF_FEW if are_few else NEXT_ENGINE_GAP)


def _ask_working_set(best: HardBracket, limits: Limits) -> Rows | None:
    """Offer the findings of the working set."""
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


def _ask_descent(best: HardBracket, limits: Limits) -> None:
    """Offer the last candidate of descent along single multipliers, also if Ctrl-C ends it."""
    from maxmargin.solvers.engines.dual_coordinate.dual_coordinate import search

    found: Candidate | None = None
    try:
        for better in search(best.problem, relative_gap=_DESCENT_GAP, is_over=limits.is_over):
            found = better
    finally:
        if found is not None:
            best.offer(found)


def _ask_daqp(best: HardBracket, limits: Limits) -> Rows | None:
    """Offer the solution of DAQP for all rows; for few entries, what it says of infeasible rows is worth a verdict."""
    problem = best.problem
    are_few = problem.n_samples * problem.n_features <= _FEW_ENTRIES
    if not are_few and limits.is_over():
        return None
    found = quadratic.solve_all(problem, limits)
    best.offer(_brought_home(found, problem.scaling))
    return np.empty(0, dtype=np.int64) if are_few and found.attempt.status == "infeasible" else None


def _ask_cvxpy(solver: Asked, best: HardBracket, limits: Limits) -> Rows | None:
    """Offer the solutions of cvxpy's solvers for the textbook program, until the interval is narrow."""
    problem, scaling = best.problem, best.problem.scaling
    for number, asked in enumerate(backends.chosen(solver, backends.HARD_MARGIN_ORDER)):
        if number and (best.relative_gap <= NEXT_ENGINE_GAP or limits.is_over()):
            break
        if backends.takes_too_long(problem.n_samples * problem.n_features, limits.share()):
            best.offer(backends.not_asked(asked))
        else:
            from maxmargin.solvers.engines.textbook import formulations

            X, weights = scaling.apply(problem.matrix), scaling.normal_weights()
            program = formulations.hard_margin(X, problem.y, bias=problem.bias, normal_weights=weights)
            best.offer(_brought_home(backends.solve(program, asked, time_limit=limits.share()), scaling))
    return None if best.plane is not None else np.empty(0, dtype=np.int64)


def _brought_home(candidate: Candidate, scaling: ColumnScaling) -> Candidate:
    """Return the candidate in the original coordinates, with the margin that it claims."""
    if candidate.w is None:
        return candidate
    with np.errstate(all="ignore"):
        claim = float(np.ldexp(1 / np.linalg.norm(scaling.normal_weights() * candidate.w), scaling.unit_exponent))
    attempt = replace(candidate.attempt, claim=claim if math.isfinite(claim) else None)
    return scaling.bring_home(replace(candidate, attempt=attempt))


def _is_moderate(problem: Problem) -> bool:
    return problem.n_samples * problem.n_features <= _MOST_ENTRIES


ENGINES = (
    EngineRow("working-set", lambda problem: problem.has_many_rows, _ask_working_set),
    EngineRow("dual-coordinate", lambda problem: problem.has_many_columns, _ask_descent),
    EngineRow("daqp", _is_moderate, _ask_daqp),
    EngineRow("working-set", lambda problem: problem.integers is None, _ask_working_set),
)
