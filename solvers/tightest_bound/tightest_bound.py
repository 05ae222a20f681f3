"""The tightest mistake bounds: the least value of a bound over all v, as a proven interval."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, uninterrupted
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import check_choice, whole_number
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.candidate import Candidate, Solver, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.mistake_bounds import Loss
from maxmargin.solvers.soft_margin.soft_bracket import SUPPORT_WEIGHT, slack_of
from maxmargin.solvers.soft_margin.soft_engines import is_small
from maxmargin.solvers.tightest_bound.tightest_search import NAME, RunCoordinates, TightestSearch
from maxmargin.solvers.tightest_bound.tightest_solution import TightestBound, TightestBracket

METHODS = ("auto", "search", "cvxpy")

# Relative width of the interval below which no other solver is called.
_ENOUGH = 1e-10

# Largest slacks, in units of the margin, at which the search pauses for the maximum margin, and at which it ends.
_LITTLE_SLACK, _NO_SLACK = 0.1, 1e-6


def tightest_bound(
    problem: Problem,
    n_passes: int,
    *,
    loss: str = Loss.SQUARED_HINGE,
    method: str = "auto",
    solver: str | None = None,
    candidates: Iterable[Floats] = (),
    time_limit: float | None = None,
) -> TightestBound:
    """Minimise a bound of the perceptron's mistakes over all v, and prove how close the answer is.

    The rows x_i are those of the run, the constant of its bias included; R is the greatest ||x_i||, and every row is
    presented E = n_passes times, in any order (each update has y w.x <= 0, from w = 0).

    - "squared-hinge": (R ||v|| + sqrt(E sum (1 - y_i v.x_i)_+^2))^2 (Freund and Schapire 1999, for v = u/g).
    - "hinge": ((a + sqrt(a^2 + 4 L))/2)^2 with a = R ||v|| and L = E sum (1 - y_i v.x_i)_+. Its least value never
      exceeds the least value of the other.

    Parameters
    ----------
    problem : Problem
        Without a bias of its own.
    n_passes : int
    loss : {"squared-hinge", "hinge"}
    method : {"auto", "search", "cvxpy"}
        "search": along the solutions of a support vector machine. "cvxpy": the textbook program. "auto": the search,
        and for small data the program where the interval is not narrow.
    solver : str, optional
        The only cvxpy solver to ask; by default Clarabel.
    candidates : iterable of ndarray (n_features,), optional
        Other v: the answer is at least as good as each of them, and as v over its least margin.
    time_limit : float, optional
        Seconds after which the search ends, with the interval that is proven by then. Default: none.

    Raises
    ------
    InvalidOptionError
        If the problem has a bias, n_passes is no whole number from 1, the loss or the method is unknown, or the solver
        is not installed. Until convergence, with no limit of passes, v must leave no slack: then the least value is
        R^2/g^2 with the maximum margin g (see `maxmargin.solvers.hard_margin.hard_margin`).

    Examples
    --------
    >>> run = Problem.validated([[-1.0, 1.0], [1.0, 1.0]], [-1, 1], bias=False)
    >>> answer = tightest_bound(run, 1)
    >>> answer.status.value, round(answer.upper, 6)
    ('optimal', 2.0)
    """
    if problem.bias:
        raise InvalidOptionError("the problem has a bias; expected the rows (x, s) of the run, without one")
    backends.check_method(method, METHODS, solver, of_cvxpy=("auto", "cvxpy"))
    check_choice("loss", loss, Loss)
    to_convergence = ": until convergence the least bound is R^2/g^2 with the maximum margin g"
    n_passes = whole_number("n_passes", n_passes, otherwise=to_convergence)
    limits = Limits(time_limit=time_limit)
    # The rows as a run takes them: in binary64.
    rows = problem if problem.integers is None else replace(problem, integers=None, units=None)
    best = TightestBracket(rows, n_passes, Loss(loss))
    try:
        for v in candidates:
            best.offer_normal(np.asarray(v, dtype=np.float64), "candidate")
        _improve(best, method, solver, limits)
    except KeyboardInterrupt:
        return best.solution(WHAT_WAS_PROVEN)
    return best.solution()


def _improve(best: TightestBracket, method: str, solver: str | None, limits: Limits) -> None:
    """Offer candidates until the interval is narrow."""
    is_forced = method == "cvxpy" or solver is not None
    if best.relative_gap > _ENOUGH and not is_forced:
        _search(best, limits)
    if is_forced or (method == "auto" and is_small(best.problem) and best.relative_gap > _ENOUGH):
        for asked in backends.chosen(solver, backends.TIGHTEST_BOUND_ORDER):
            if not limits.is_over():
                best.offer(_solved(best, asked, limits))


def _search(best: TightestBracket, limits: Limits) -> None:
    """Offer the results of the search, and near the maximum margin also its plane and the best multipliers there."""
    search = TightestSearch(best.problem, best.n_passes, best.square, best.loss, limits.is_over)
    is_wide = best.problem.n_samples < best.problem.n_features
    _offer_found(best, search, _NO_SLACK if is_wide else _LITTLE_SLACK)
    if is_wide and best.separates and best.relative_gap > _ENOUGH:
        # The least v with margin 1 on the rows that weigh something: often the maximum margin.
        rows = np.flatnonzero(best.weights > SUPPORT_WEIGHT * best.weights.max())
        v = _normal_of_support(best.problem.y[rows, np.newaxis] * best.problem.dense_rows(rows))
        if v is not None:
            best.offer_normal(v, NAME)
    if best.separates and best.relative_gap > _ENOUGH and not limits.is_over():
        _offer_hard_margin(best, limits)
    if best.separates and best.relative_gap > _ENOUGH and not is_wide and not limits.is_over():
        _offer_found(best, search, _NO_SLACK)


def _offer_found(best: TightestBracket, search: TightestSearch, least_slack: float) -> None:
    found = search.run(least_slack)
    best.n_iterations = search.n_points
    _offer(best, found)


def _offer(best: TightestBracket, found: Candidate) -> None:
    best.offer(found)
    if best.is_interrupted:
        raise KeyboardInterrupt


def _offer_hard_margin(best: TightestBracket, limits: Limits) -> None:
    """Offer the maximum margin."""
    hard = hard_margin(best.problem, time_limit=limits.share())
    attempt = SolverRun(solver="hard margin", status=hard.status)
    best.offer(Candidate(w=hard.w, multipliers=hard.hull_weights, engine=hard.engine, attempt=attempt))
    uninterrupted(hard)
    if hard.w is not None and best.relative_gap > _ENOUGH and not limits.is_over():
        _offer_near_rows(best, hard.w, limits)


def _offer_near_rows(best: TightestBracket, v: Floats, limits: Limits) -> None:
    """Offer the multipliers of the rows next to the margin of v that are best for the bound."""
    rows = np.flatnonzero(slack_of(best.problem, v, 0.0, 1 + _LITTLE_SLACK))
    search = TightestSearch(best.problem.of_rows(rows), best.n_passes, best.square, best.loss, limits.is_over)
    found = search.run(_NO_SLACK)
    weights = np.zeros(best.problem.n_samples)
    if found.multipliers is not None:
        weights[rows] = found.multipliers
    _offer(best, replace(found, multipliers=weights))


def _solved(best: TightestBracket, solver: Solver, limits: Limits) -> Candidate:
    """Return the solution of the textbook program, which is asked for rows of size 1."""
    from maxmargin.solvers.engines.textbook import formulations

    at = RunCoordinates.of(best.problem, best.square, most_exponent=0)
    states = {Loss.HINGE: formulations.hinge_mistakes, Loss.SQUARED_HINGE: formulations.freund_schapire}
    program = states[best.loss](at.problem.matrix, at.problem.y, best.n_passes, at.radius)
    variables = program.var_dict  # those of the hinge loss are scaled
    v = variables["w"] / (1 + variables["k"]) if best.loss is Loss.HINGE else None
    return at.bring_home(backends.solve(program, solver, time_limit=limits.seconds_left, normal=v))


def _normal_of_support(Z: Floats) -> Floats | None:
    """Return the shortest v with z.v = 1 on these signed rows, as nearly as they allow."""
    with np.errstate(all="ignore"):
        try:
            v = np.asarray(np.linalg.lstsq(Z, np.ones(len(Z)), rcond=None)[0], dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
    return v if np.isfinite(v).all() and v.any() else None
