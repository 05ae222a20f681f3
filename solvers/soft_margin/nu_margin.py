"""The nu-SVM: the soft margin whose parameter is a share of the rows; its objective is a proven interval."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import as_dense, round_down
from maxmargin.solvers.exact.reals import binary64, short_repr
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.candidate import Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.nu_bounds import Shares
from maxmargin.solvers.soft_margin import soft_margin
from maxmargin.solvers.soft_margin.nu_bracket import NuBracket, data_size
from maxmargin.solvers.soft_margin.soft_bracket import for_all_rows
from maxmargin.solvers.soft_margin.soft_solution import NuMargin

METHODS = ("auto", "cvxpy", interior_point.NAME)

# Largest cost of a unit of slack, in units of the mass of a class: no multiplier exceeds 1.
_GREATEST_COST = 2.0

# Largest binary exponent, of either sign, by which rows are rescaled to size 1.
_GREATEST_EXPONENT = 400


def nu_margin(
    problem: Problem,
    nu: float = 0.5,
    *,
    sample_weight: Any = None,
    method: str = "auto",
    solver: str | None = None,
    time_limit: float | None = None,
) -> NuMargin:
    """Solve min 1/2 ||w||^2 - nu rho + sum c_i xi_i subject to y_i (w.x_i + b) >= rho - xi_i, xi_i >= 0.

    b and rho are free, c_i = v_i / sum v. At the optimum the share of the rows with slack is at most nu, and the share
    of the support rows is at least nu. ||w|| is nu times half the distance of the reduced convex hulls (Crisp and
    Burges, 1999): if they share a point, w = 0 and rho = 0. Divided by rho > 0 the hyperplane is the soft margin for
    C = 1/(rho sum v).

    Parameters
    ----------
    problem : Problem
    nu : float
        Positive; with bias at most twice the share of the lighter class, without 1.
    sample_weight : array_like (n_samples,), optional
        The v_i >= 0, finite, or `RowWeights`; by default 1. Rows of weight 0 have no influence. Weights that
        are not floats are rounded to the nearest, unless they differ by group only: these are exact.
    method : {"auto", "cvxpy", "interior-point"}
        "cvxpy": the textbook program. "interior-point": an iteration costs a weighted Gram matrix of the fewer of rows
        and columns. "auto": for small data the first, and the second where the interval is not narrow; else the second,
        where such a matrix is of a moderate size.
    solver : str, optional
        The only cvxpy solver to ask; by default Clarabel, then OSQP until the interval is narrow.
    time_limit : float, optional
        Seconds after which the work stops; the answer is then the interval proven so far, with the status `limit`. The
        time is checked between the steps of the engines.

    Raises
    ------
    InvalidProblemError
        If nu is not in its range, or the weights are not one finite number from 0 a row, with both classes left.
    InvalidOptionError
        If the method is unknown or the solver is not installed.

    Source: Schölkopf, Smola, Williamson and Bartlett, New support vector algorithms, Neural Computation 12 (2000).

    Examples
    --------
    >>> solution = nu_margin(Problem.validated([[-1.0], [1.0]], [-1, 1]), nu=1.0)
    >>> solution.status.value, float(solution.w[0]), solution.rho, solution.C
    ('optimal', 1.0, 1.0, 0.5)
    """
    soft_margin.check_options(problem, METHODS, method, solver)
    solvers, limits = backends.chosen(solver, backends.SOFT_MARGIN_ORDER), Limits(time_limit=time_limit)
    answer_for = partial(_answer, nu=nu, method=method, solvers=solvers, limits=limits)
    if sample_weight is None:
        return answer_for(problem, np.ones(problem.n_samples))
    weights = soft_margin.row_weights(problem, sample_weight)
    kept, part = soft_margin.positive_rows(problem, weights)
    floats = weights.in_floats[kept]
    exponent = int(np.frexp(floats.max())[1])
    in_units: Floats = np.ldexp(floats, -exponent)  # the greatest is about 1
    if not (np.ldexp(in_units, exponent) == floats).all():
        raise InvalidProblemError("sample_weight holds numbers too different in size for binary64")
    answer = answer_for(part, in_units)
    return for_all_rows(answer, problem, kept, weights.nearest, answer.rho)


def _shares(problem: Problem, nu: Any, weights: Floats) -> Shares:
    """Return the weights of the rows and of the classes.

    Raises
    ------
    InvalidProblemError
        If nu is not in its range.
    """
    share = binary64(nu)
    if share is None or not 0 < share <= 1:
        raise InvalidProblemError(f"nu is {short_repr(nu)}; expected a number above 0, at most 1, that binary64 holds")
    shares = Shares.of(problem, weights, share)
    if shares.nu > shares.greatest_nu:
        raise InvalidProblemError(
            f"nu is {nu!r}; with these classes it is at most {round_down(shares.greatest_nu)!r}, "
            "twice the share of the lighter one"
        )
    if float(shares.mass) == 0:
        raise InvalidProblemError(f"nu is {nu!r}; with these weights its share of a class is below those of binary64")
    return shares


def _answer(
    problem: Problem, weights: Floats, *, nu: float, method: str, solvers: tuple[str, ...], limits: Limits
) -> NuMargin:
    """Offer candidates until the interval is narrow."""
    best = NuBracket(problem, weights, shares=_shares(problem, nu, weights))
    best.improve(_candidates(best, method, solvers, limits), limits)
    return best.nu_solution(float(nu))


def _candidates(best: NuBracket, method: str, solvers: tuple[str, ...], limits: Limits) -> Iterator[Candidate]:
    """Yield candidates, the most promising ones first."""
    problem, shares = best.problem, best.shares
    textbook = (_solved(problem, shares, name, limits) for name in solvers)
    is_forced = len(solvers) == 1
    is_textbook = method == "cvxpy" or is_forced
    fits = interior_point.fits(problem)
    if is_textbook or (method == "auto" and (soft_margin.is_small(problem) or not fits)):
        yield next(textbook)
    if not is_textbook and fits:
        yield _structured(problem, shares, limits)
    if not is_forced and best.may_be_zero:
        yield _vertex(problem, shares, limits)
    if not is_forced and shares.spares_no_row:
        yield _hard_margin(problem, shares, limits)
    if is_textbook or (method == "auto" and problem.n_samples * problem.n_features <= soft_margin.MODERATE_ENTRIES):
        yield from textbook


def _costs(shares: Shares) -> Floats:
    """Return the weights in units of the mass: the multipliers of a class then sum to 1."""
    with np.errstate(over="ignore"):
        return np.clip(shares.weights / float(shares.mass), soft_margin.LEAST_COST, _GREATEST_COST)


def _structured(problem: Problem, shares: Shares, limits: Limits) -> Candidate:
    """Return the answer of the interior point, for multipliers that sum to 1 a class, in units of its own.

    With all costs times 4**-e the margins of rows of size 2**e have size 1.
    """
    exponent = int(np.clip(np.frexp(data_size(problem))[1], -_GREATEST_EXPONENT, _GREATEST_EXPONENT))
    unit = 4.0**-exponent
    nu = unit * len(shares.members)
    found = interior_point.solve(problem, unit * _costs(shares), nu=nu, is_over=limits.is_over)
    return _of_mass(found, float(shares.mass) / unit)


def _of_mass(candidate: Candidate, mass: float) -> Candidate:
    """Return the candidate with multipliers whose sum in each class is the mass; the length of w does not matter."""
    multipliers = None if candidate.multipliers is None else candidate.multipliers * mass
    return replace(candidate, multipliers=multipliers)


def _vertex(problem: Problem, shares: Shares, limits: Limits) -> Candidate:
    """Return multipliers of a vertex, which balance: they show that the reduced hulls share a point."""
    scaled = as_dense(problem.scaling.apply(problem.matrix))
    rows = np.column_stack([problem.y[:, None] * scaled, *shares.members])
    target = np.concatenate([np.zeros(problem.n_features), np.ones(len(shares.members))])
    attempts: list[SolverRun] = []
    found = highs_lp.combination(rows, target, attempts, most=_costs(shares), time_limit=limits.share())
    multipliers = None if found is None else found * float(shares.mass)
    return Candidate(w=None, multipliers=multipliers, engine=highs_lp.NAME, attempt=attempts[0])


def _hard_margin(problem: Problem, shares: Shares, limits: Limits) -> Candidate:
    """Return the hard margin, the limit for small nu: its reduced hulls are the hulls."""
    hard = hard_margin(problem, time_limit=limits.share())
    attempt = SolverRun(solver="hard margin", status=hard.status)
    if hard.w is None or hard.hull_weights is None:
        return Candidate(w=None, multipliers=None, engine=hard.engine, attempt=attempt)
    multipliers = hard.hull_weights / hard.hull_weights.max()
    for group in shares.members:
        multipliers[group] *= float(shares.mass) / multipliers[group].sum()
    return Candidate(w=hard.w, multipliers=multipliers, engine=hard.engine, attempt=attempt)


def _solved(problem: Problem, shares: Shares, solver: str, limits: Limits) -> Candidate:
    """Return the direction of the normal in the original coordinates, and the multipliers."""
    from maxmargin.solvers.engines.textbook import formulations

    if backends.takes_too_long(problem.n_samples * problem.n_features, limits.share()):
        return backends.not_asked(solver, "stating the program")
    scaling = problem.scaling
    X, bias, q = scaling.apply(problem.matrix), problem.bias, scaling.normal_weights()
    n_groups, costs = len(shares.members), _costs(shares)
    program = formulations.nu_margin(X, problem.y, n_groups, costs, bias=bias, normal_weights=q)
    return _of_mass(scaling.bring_home(backends.solve(program, solver, time_limit=limits.share())), float(shares.mass))
