"""Are the two classes strictly separable by a hyperplane? Candidates from floats, the answer from exact arithmetic."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers import backends
from maxmargin.solvers.candidate import Attempt, Candidate
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint, SeparatingHyperplane
from maxmargin.solvers.proof.margins import best_offset
from maxmargin.solvers.proof.witness import balances, find_common_hull_point
from maxmargin.solvers.scaling import ColumnScaling, row_units
from maxmargin.solvers.solution import Separability, Verdict

Floats = NDArray[np.float64]


def separability(problem: Problem, *, method: str = "auto", solver: str | None = None) -> Separability:
    """Decide strict separability: some (w, b) with y_i (w.x_i + b) > 0 for all i, or weights that exclude it.

    Each candidate from a floating-point solver is checked in exact arithmetic on the data as stored; a solver's
    status decides nothing. Telling quasi-separable from overlapping data needs more than these proofs: where strict
    separation is excluded the verdict is `undecided` beside ``strictly_separable=False``.

    Parameters
    ----------
    problem : Problem
    method : {"auto", "highs", "cvxpy"}
        "highs" hands the feasibility LP to HiGHS directly; "cvxpy" solves the textbook program; "auto" tries both,
        then the hard-margin QP.
    solver : str, optional
        The cvxpy solver for ``method="cvxpy"``.

    Raises
    ------
    InvalidOptionError
        If the method is unknown or the solver is not installed.

    Examples
    --------
    >>> separability(Problem.validated([[1.0], [2.0]], [-1, 1])).verdict.value
    'separable'
    >>> separability(Problem.validated([[1.0], [2.0]], [-1, 1], bias=False)).strictly_separable
    False
    """
    attempts: list[Attempt] = []
    for candidate in _candidates(problem, method, solver):
        attempts.append(candidate.attempt)
        answer = _prove(problem, candidate, tuple(attempts))
        if answer is not None:
            return answer
    return _undecided(tuple(attempts))


def prove_separable(problem: Problem, w: Floats) -> SeparatingHyperplane | None:
    """Return the hyperplane with normal w and the best offset if it separates, checked in exact arithmetic."""
    if not (np.isfinite(w).all() and w.any()):
        return None
    b, least = best_offset(problem, w)
    if least <= 0:
        return None
    normal = tuple(map(Fraction, w.tolist()))
    return SeparatingHyperplane(problem=problem, w=normal, b=b, least_functional_margin=least)


def prove_inseparable(problem: Problem, weights: Floats) -> CommonHullPoint | None:
    """Return exact balancing weights near the given ones, checked, or None."""
    point = find_common_hull_point(problem, weights)
    return point if point is not None and balances(problem, point) else None


def _candidates(problem: Problem, method: str, solver: str | None) -> Iterator[Candidate]:
    """Yield candidates in the original coordinates, cheapest first."""
    if method not in ("auto", "highs", "cvxpy"):
        raise InvalidOptionError(f"method is {method!r}; expected 'auto', 'highs' or 'cvxpy'")
    if method == "highs" and solver is not None:
        raise InvalidOptionError(f"method 'highs' asks no cvxpy solver; found solver={solver!r}, expected none")
    scaling = ColumnScaling.of(problem)
    X = scaling.apply(problem.X)
    if solver is None and method in ("auto", "highs"):
        yield scaling.bring_home(highs_lp.solve(X, problem.y, bias=problem.bias))
        if not problem.is_sparse:
            yield _in_units_of_the_rows(problem)
    if method == "highs":
        return
    from maxmargin.solvers import formulations

    for name in backends.chosen(solver, backends.FEASIBILITY_ORDER):
        program = formulations.feasibility(X, problem.y, bias=problem.bias)
        yield scaling.bring_home(backends.solve(program, name))
    if method == "auto":
        for name in backends.chosen(solver, backends.HARD_MARGIN_ORDER):
            weights = scaling.normal_weights()
            program = formulations.hard_margin(X, problem.y, bias=problem.bias, normal_weights=weights)
            yield scaling.bring_home(backends.solve(program, name))


def _in_units_of_the_rows(problem: Problem) -> Candidate:
    """Solve the LP with rows of size about 1: rows far from the others leave the digits of these alone.

    A positive factor of a row changes no verdict; its multiplier is divided by it.
    """
    scaling = ColumnScaling.robust(problem)
    X = scaling.apply(problem.X)
    units = row_units(X)
    candidate = scaling.bring_home(highs_lp.solve(X, units * problem.y, bias=problem.bias))
    if candidate.multipliers is None:
        return candidate
    return replace(candidate, multipliers=units * candidate.multipliers)


def _prove(problem: Problem, candidate: Candidate, attempts: tuple[Attempt, ...]) -> Separability | None:
    if candidate.w is not None and (plane := prove_separable(problem, candidate.w)) is not None:
        return _separable(problem, plane, candidate.engine, attempts)
    if candidate.multipliers is not None:
        point = prove_inseparable(problem, candidate.multipliers)
        return None if point is None else _inseparable(point, problem.bias, candidate.engine, attempts)
    return None


def _separable(
    problem: Problem, plane: SeparatingHyperplane, engine: str, attempts: tuple[Attempt, ...]
) -> Separability:
    return Separability(
        verdict=Verdict.SEPARABLE,
        strictly_separable=True,
        certificate=plane,
        reason="a hyperplane has all rows strictly on their side, checked in exact arithmetic",
        engine=engine,
        attempts=attempts,
        separated_rows=np.arange(problem.n_samples),
        touching_rows=np.empty(0, dtype=np.int64),
    )


def _inseparable(point: CommonHullPoint, bias: bool, engine: str, attempts: tuple[Attempt, ...]) -> Separability:
    shared = "the convex hulls of the two classes share a point" if bias else "the origin lies in the hull of the y x"
    return Separability(
        verdict=Verdict.UNDECIDED,
        strictly_separable=False,
        certificate=point,
        reason=f"not strictly separable: {shared}, a combination of {_rows(len(point.rows))} that balances exactly; "
        "whether the data are quasi-separable or overlap is not decided",
        engine=engine,
        attempts=attempts,
        witness_rows=np.array(point.rows, dtype=np.int64),
    )


def _undecided(attempts: tuple[Attempt, ...]) -> Separability:
    said = "; ".join(f"{attempt.solver}: {attempt.status}" for attempt in attempts)
    return Separability(
        verdict=Verdict.UNDECIDED,
        strictly_separable=None,
        certificate=None,
        reason=f"no candidate passed the exact check (solvers said {said})",
        engine="none",
        attempts=attempts,
    )


def _rows(number: int) -> str:
    return f"{number} row{'s' * (number != 1)}"
