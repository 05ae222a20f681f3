"""The nu-SVM: the soft margin whose parameter is a share of the rows; its objective is a proven interval."""

from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import round_down
from maxmargin.solvers.exact.reals import binary64, short_repr
from maxmargin.solvers.problem.candidate import Asked
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.nu_bounds import Shares
from maxmargin.solvers.soft_margin.nu_bracket import NuBracket
from maxmargin.solvers.soft_margin.soft_bracket import WeightedRows
from maxmargin.solvers.soft_margin.soft_engines import NU_METHODS, candidates, check_options
from maxmargin.solvers.soft_margin.soft_solution import NuMargin


def nu_margin(
    problem: Problem,
    nu: float = 0.5,
    *,
    sample_weight: Any = None,
    method: str = "auto",
    solver: Asked = None,
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
    solver : str or Solver, optional
        The only cvxpy solver to ask; by default Clarabel, then OSQP until the interval is narrow.
    time_limit : float, optional
        Seconds after which the work stops; the answer is then the interval proven so far, with the status `limit`. The
        time is checked between the steps of the engines.

    Raises
    ------
    InvalidProblemError
        If nu is not in its range, or the weights are not one finite number from 0 a row, with both classes left.
    InvalidOptionError
        If the method is unknown, or the solver is not installed or solves no such programs.

    Source: Schölkopf, Smola, Williamson and Bartlett, New support vector algorithms, Neural Computation 12 (2000).

    Examples
    --------
    >>> solution = nu_margin(Problem.validated([[-1.0], [1.0]], [-1, 1]), nu=1.0)
    >>> solution.status.value, float(solution.w[0]), solution.rho, solution.C
    ('optimal', 1.0, 1.0, 0.5)
    """
    check_options(problem, NU_METHODS, method, solver)
    rows, limits = WeightedRows.of(problem, sample_weight), Limits(time_limit=time_limit)
    floats = rows.weights.in_floats[rows.kept]
    exponent = int(np.frexp(floats.max())[1])
    weights: Floats = np.ldexp(floats, -exponent)  # the greatest is about 1
    if not (np.ldexp(weights, exponent) == floats).all():
        raise InvalidProblemError("sample_weight holds numbers too different in size for binary64")
    best = NuBracket(rows, weights, weights, limits, shares=_shares(rows.part, nu, weights))
    best.improve(candidates(best, method, solver, limits))
    return best.nu_solution(float(nu))


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
