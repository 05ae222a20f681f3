"""Find exact balancing weights near floating-point ones."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint
from maxmargin.solvers.proof.dyadic import as_integers

_CANDIDATE_WEIGHT = 1e-12
"""Relative weight below which a row is left out of the candidate support."""


def find_common_hull_point(problem: Problem, weights: NDArray[np.float64]) -> CommonHullPoint | None:
    """Turn approximate balancing weights into exact ones.

    The null space of the candidate rows is solved exactly. Where it has more than one dimension the free weights keep
    their approximate value, so that the others stay near theirs.

    Parameters
    ----------
    weights : ndarray (n_samples,)
        Weights a >= 0 with sum a_i y_i (x_i, 1) near 0, on few rows.

    Returns
    -------
    CommonHullPoint or None
        None where the candidate rows carry no exact solution with weights >= 0 near the given ones.
    """
    if not np.isfinite(weights).all() or not (weights > 0).any():
        return None
    rows = np.flatnonzero(weights > _CANDIDATE_WEIGHT * weights.max())
    rows = rows[np.argsort(-weights[rows], kind="stable")]
    rows = rows[: _most_rows(problem)]
    columns = _signed_columns(problem, rows)
    exact = _balance(columns, as_integers(weights[rows])[0].tolist())
    return None if exact is None else _reduced(rows, exact)


def balances(problem: Problem, point: CommonHullPoint) -> bool:
    """Return whether the weights are non-negative, not all zero, and balance exactly."""
    if not point.weights or min(point.weights) < 0 or not any(point.weights):
        return False
    columns = _signed_columns(problem, np.array(point.rows, dtype=np.int64))
    return all(sum(z * a for z, a in zip(row, point.weights, strict=True)) == 0 for row in columns)


def _most_rows(problem: Problem) -> int:
    """Rows beyond four times the dimension are cut: a vertex has at most d + 2, and exact elimination is cubic."""
    return 4 * (problem.n_features + 2)


def _signed_columns(problem: Problem, rows: NDArray[np.int64]) -> list[list[int]]:
    """Return the matrix whose columns are y_i (x_i, 1), each coordinate scaled to integers by itself."""
    entries = problem.dense_rows(rows)
    signs = [1 if sign > 0 else -1 for sign in problem.y[rows].tolist()]
    matrix = []
    for column in entries.T:
        integers = as_integers(np.ascontiguousarray(column))[0].tolist()
        matrix.append([value * sign for value, sign in zip(integers, signs, strict=True)])
    return [*matrix, signs] if problem.bias else matrix


def _balance(matrix: list[list[int]], weights: Sequence[int]) -> list[int] | None:
    """Return integers a >= 0, not all 0, with ``matrix @ a = 0``, near ``weights`` up to a factor."""
    from flint import fmpz_mat

    reduced, denominator, rank = fmpz_mat(matrix).rref()
    n_columns = len(weights)
    table = [[int(v) for v in row] for row in reduced.tolist()[:rank]]
    pivots = [next(j for j, v in enumerate(row) if v) for row in table]
    free = sorted(set(range(n_columns)) - set(pivots))
    if not free:
        return None
    scale = abs(int(denominator))
    sign = 1 if denominator > 0 else -1
    exact = [0] * n_columns
    for j in free:
        exact[j] = weights[j] * scale
    for pivot, row in zip(pivots, table, strict=True):
        exact[pivot] = -sign * sum(row[j] * weights[j] for j in free)
    return exact if min(exact) >= 0 and any(exact) else None


def _reduced(rows: NDArray[np.int64], weights: list[int]) -> CommonHullPoint:
    factor = math.gcd(*weights)
    pairs = sorted((int(row), weight // factor) for row, weight in zip(rows, weights, strict=True) if weight)
    return CommonHullPoint(rows=tuple(row for row, _ in pairs), weights=tuple(weight for _, weight in pairs))
