"""The program of nearest points, finished on its support: one linear system with a few exchanges of rows."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows

# Number of sets of rows that are tried.
_MOST_EXCHANGES = 5

# Slack, relative to t, up to which a row counts as an equality, and up to which rounding may break it.
_EQUAL, _BROKEN = 1e-9, 1e-11

# Negative multiplier, relative to the largest, that counts as rounding.
_NEGATIVE = 1e-13

# Size of a pivot, relative to the first, below which a row depends on those before it.
_DEPENDENT = 1e-9

# Least weight, relative to the largest multiplier, with which a row takes part in the choice of a basis.
_LEAST_WEIGHT = 1e-3

# Singular values below this fraction of the largest are left out when multipliers of dependent rows are balanced.
_LEAST_SINGULAR = 1e-11

# One of this many columns may bring in a row at an exchange.
_COLUMNS_A_ROW = 20


class LocalProgram(NamedTuple):
    """Minimise ``1/2 x.Hx - t`` subject to ``A x >= t`` in every row; H is positive semidefinite."""

    A: Floats
    H: Floats


def on_support(program: LocalProgram, x: Floats, t: float, z: Floats) -> tuple[Floats, Floats] | None:
    """Return x and the multipliers where the rows with z > r/t are equalities; None if that is not optimal.

    Parameters
    ----------
    program : LocalProgram
    x, t, z : ndarray (k,), float, ndarray (m,)
        A point near the optimum, and its multipliers.
    """
    A = program.A
    rows = np.flatnonzero(z * t > np.maximum(A @ x - t, 0))
    for _ in range(_MOST_EXCHANGES if t > 0 and len(rows) else 0):
        basis = _independent(A[rows], z[rows], _LEAST_WEIGHT * z.max()) if len(rows) > len(x) else np.arange(len(rows))
        found = _equal(program, rows[basis])
        if found is None:
            return None
        x, t, multipliers = found
        slack = A @ x - t
        is_degenerate = len(basis) < len(rows)
        if is_degenerate and (slack[rows] > _EQUAL * t).any():  # rows that are near, but no equalities
            rows = rows[slack[rows] <= _EQUAL * t]
            continue
        if is_degenerate:
            multipliers = _balanced(program, x, rows, z[rows], _LEAST_WEIGHT * z.max())
        low = np.flatnonzero(slack < -_BROKEN * abs(t))
        if multipliers.min() >= -_NEGATIVE * multipliers.max() and not len(low):
            result = np.zeros(len(A))
            result[rows] = np.maximum(multipliers, 0.0)
            return x, result
        worst = low[np.argsort(slack[low])[: max(1, len(x) // _COLUMNS_A_ROW)]]
        rows = np.union1d(rows[multipliers > 0], worst)
        if not len(rows):
            break
    return None


def _weighted(rows: Floats, z: Floats, least: float) -> Floats:
    """Return the rows of A with the column of t, times their multipliers."""
    weighted: Floats = np.column_stack([rows, -np.ones(len(rows))]) * np.maximum(z, least)[:, np.newaxis]
    return weighted


def _independent(rows: Floats, z: Floats, least: float) -> Rows:
    """Return positions of independent rows, of large weight first, that determine x and t."""
    from scipy.linalg import qr

    R, order = qr(_weighted(rows, z, least).T, mode="r", pivoting=True, check_finite=False)
    sizes = np.abs(R.diagonal())
    return np.asarray(order[: min(rows.shape[1], int((sizes > _DEPENDENT * sizes[0]).sum()))])


def _equal(program: LocalProgram, rows: Rows) -> tuple[Floats, float, Floats] | None:
    """Return x, t and the multipliers of the program in which these rows are equalities, refined once."""
    K, k = equalities(program.H, program.A[rows]), len(program.H)
    solve, right = solver_of(K), np.zeros(len(K))
    if solve is None:
        return None
    right[k] = 1
    found = solve(right)
    found = found + solve(right - K @ found)
    return (found[:k], float(found[k]), found[k + 1 :]) if np.isfinite(found).all() else None


def solver_of(K: Floats) -> Callable[[Floats], Floats] | None:
    """Return a function that solves linear systems with a matrix; None if it is singular."""
    from scipy.linalg.lapack import dgetrf, dgetrs

    factors, pivots, is_singular = dgetrf(K)
    return None if is_singular else lambda right: np.asarray(dgetrs(factors, pivots, right)[0])


def equalities(H: Floats, A: Floats) -> Floats:
    """Return the matrix K of the conditions ``K (x, t, z) = (0, 1, 0)`` where ``A x = t`` in every row."""
    n, k = A.shape
    K = np.zeros((k + 1 + n, k + 1 + n))
    K[:k, :k], K[:k, k + 1 :], K[k, k + 1 :] = H, -A.T, 1
    K[k + 1 :, :k], K[k + 1 :, k] = A, -1
    return K


def _balanced(program: LocalProgram, x: Floats, rows: Rows, z: Floats, least: float) -> Floats:
    """Return multipliers of dependent rows, moved to balance, each in proportion to itself."""
    from scipy.linalg import lstsq

    A = program.A[rows]
    missing = np.append(program.H @ x, -1) - np.append(A.T @ z, -z.sum())
    relative = lstsq(_weighted(A, z, least).T, missing, cond=_LEAST_SINGULAR, check_finite=False)[0]
    result: Floats = z * (1 + relative)
    return result
