"""The hard-margin program of few rows handed to DAQP directly: no modelling layer, quick to import, milliseconds.

DAQP is a dual active-set method for min 1/2 u'Hu subject to A u >= 1. It needs H > 0, and b has no cost; so b joins
the variables with a proximal term, eps/2 ||u - u_old||^2 for all of u = (w, b), which vanishes as the outer iterations
converge. That is a few solutions of triangular systems once the active rows are found, and it also keeps the rows of
badly scaled data independent.

Source: D. Arnström, A. Bemporad, D. Axehill, A dual active-set solver for embedded quadratic programming using
recursive LDL' updates, IEEE Trans. Automatic Control 67 (2022).
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.exact.dyadic import as_dense
from maxmargin.solvers.problem.candidate import Candidate, SolverRun, numbers
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.scaling import RowSpace

NAME = "DAQP"

# eps, relative to H, and the change of u at which the outer iterations end.
#
# The first is the most accurate; the others are for rows so nearly dependent that they look singular to DAQP, or u so
# large that rounding moves it by more.
_PROXIMAL = ((3e-6, 1e-9), (3e-5, 1e-8), (1e-3, 1e-8))

_OPTIONS: dict[str, float] = {"primal_tol": 1e-10, "dual_tol": 1e-12}

# Largest number of iterations: this, and so many for each column and for each row. Twice as many as programs take that
# are solved; the others would go on to DAQP's own limit of 10,000.
_MOST_ITERATIONS, _FOR_A_COLUMN, _FOR_A_ROW = 500, 5, 0.05

# Largest number of entries of X for which DAQP is asked once more, with another eps, where its iterations end: these
# take milliseconds. Larger programs reach the limit again in nearly every case.
_FEW_ENTRIES = 1 << 15

_STATES = {1: "optimal", 2: "optimal", -1: "infeasible", -2: "cycling", -4: "user_limit", -7: "user_limit"}

_NO_BOUND = 1e30  # DAQP's infinity


def solve_all(problem: Problem, limits: Limits) -> Candidate:
    """Solve the program of all rows of a problem, for its columns scaled."""
    scaling = problem.scaling
    X, weights = as_dense(scaling.apply(problem.matrix)), scaling.normal_weights()
    return solve(X, problem.y, bias=problem.bias, normal_weights=weights, time_limit=limits.share())


def solve(
    X: Floats, y: Floats, *, bias: bool, normal_weights: Floats | None = None, time_limit: float | None = None
) -> Candidate:
    """Solve min 1/2 ||q * w||^2 subject to y_i (w.x_i + b) >= 1, with q = 1 unless given.

    The answer of DAQP is returned unchecked, without numbers if the program is infeasible. With more columns than rows
    the program is solved in the space of the rows.

    Parameters
    ----------
    X : ndarray (n_samples, n_features)
        Dense, entries not far from 1 unless they are 0: what `ColumnScaling.apply` returns.
    y : ndarray (n_samples,)
        -1 and +1.
    bias : bool
        False: b is 0.
    normal_weights : ndarray (n_features,), optional
        Weights 0 < q <= 1 (about) of the entries of w, from `ColumnScaling.normal_weights`.
    time_limit : float, optional
        In seconds.

    Returns
    -------
    Candidate
        w in these coordinates, and the multipliers a >= 0: q**2 w = sum a_i y_i x_i, sum a_i y_i = 0 with bias.

    Examples
    --------
    >>> found = solve(np.array([[-2.0], [3.0], [5.0]]), np.array([-1.0, 1.0, 1.0]), bias=True)
    >>> found.w.round(9).tolist(), found.multipliers.round(9).tolist()
    ([0.4], [0.08, 0.08, 0.0])
    """
    q = np.ones(X.shape[1]) if normal_weights is None else normal_weights
    with np.errstate(all="ignore"):  # numbers that leave the range of binary64 are refused by the checks
        if X.shape[1] <= X.shape[0]:
            return _solve(X, y, bias, q, time_limit)
        # The unknowns are now the coordinates of q * w in the space of the rows x / q.
        rows = X / q
        if not np.isfinite(rows).all():
            attempt = SolverRun(solver=NAME, status="not asked", message="columns too different in size for binary64")
            return Candidate(w=None, multipliers=None, engine=NAME, attempt=attempt)
        space = RowSpace.of(rows, bias=bias)
        coordinates = space.apply(rows)
        found = _solve(coordinates, y, bias, np.ones(coordinates.shape[1]), time_limit)
        return found if found.w is None else replace(found, w=space.invert(found.w) / q)


def _solve(X: Floats, y: Floats, bias: bool, q: Floats, time_limit: float | None) -> Candidate:
    """Divide by the size of the entries, so that tolerances mean the same everywhere, and ask DAQP."""
    unit = _size(X)
    A = X * (y / unit)[:, None]
    if bias:
        A = np.hstack([A, y[:, None]])
    costs = np.append(q * q, np.zeros(int(bias)))
    limits = Limits(time_limit=time_limit)
    for proximal in _PROXIMAL:
        found = _ask(costs, A, proximal, limits)
        if found.w is not None and found.multipliers is not None:
            return replace(found, w=found.w[: X.shape[1]] / unit, multipliers=found.multipliers / unit**2)
        if limits.is_over() or (found.stopped_early and X.size > _FEW_ENTRIES):
            break
    return found


def _size(X: Floats) -> float:
    """Return the power of two next to the root mean square."""
    size = float(np.linalg.norm(X)) / math.sqrt(X.size)
    return math.ldexp(1.0, math.frexp(size)[1]) if 0 < size < math.inf else 1.0


def _ask(costs: Floats, A: Floats, proximal: tuple[float, float], limits: Limits) -> Candidate:
    """Solve min 1/2 sum costs * u**2 subject to A u >= 1."""
    n_rows, n_columns = A.shape
    state = np.zeros(n_rows, dtype=np.intc)
    eps, stationary = proximal
    options: dict[str, Any] = {**_OPTIONS, "eps_prox": eps, "eta_prox": stationary * eps}
    options["time_limit"] = limits.share() or 0.0
    options["iter_limit"] = int(_MOST_ITERATIONS + _FOR_A_COLUMN * n_columns + _FOR_A_ROW * n_rows)
    try:
        import daqp

        u, _, flag, info = daqp.solve(
            np.diag(costs), np.zeros(n_columns), A, np.full(n_rows, _NO_BOUND), np.ones(n_rows), state, **options
        )
    except Exception as error:  # the binding raises anything, and other solvers may succeed
        return Candidate.failed(NAME, NAME, error)
    attempt = SolverRun(solver=NAME, status=_STATES.get(flag, f"exit flag {flag}"))
    u, multipliers = numbers(u, n_columns), numbers(info["lam"], n_rows)
    if attempt.status != "optimal" or u is None or multipliers is None:
        return Candidate(w=None, multipliers=None, engine=NAME, attempt=attempt)
    multipliers = np.maximum(-multipliers, 0.0)
    return Candidate(w=u, multipliers=multipliers, engine=NAME, attempt=attempt)
