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
    their approximate value, so that the others stay near theirs; then rows are dropped until it has one.

    Parameters
    ----------
    weights : ndarray (n_samples,)
        Weights a >= 0 with sum a_i y_i (x_i, 1) near 0, on few rows.

    Returns
    -------
    CommonHullPoint or None
        On at most d + 2 rows (through the origin d + 1); None where the candidate rows carry no exact solution with
        weights >= 0 near the given ones.
    """
    if not np.isfinite(weights).all() or not (weights > 0).any():
        return None
    rows = np.flatnonzero(weights > _CANDIDATE_WEIGHT * weights.max())
    rows = rows[np.argsort(-weights[rows], kind="stable")]
    rows = rows[: _most_rows(problem)]
    columns = _signed_columns(problem, rows)
    exact = _balance(columns, as_integers(weights[rows])[0].tolist())
    return None if exact is None else _reduced(problem, rows, _on_few_rows(columns, exact))


def balances(problem: Problem, point: CommonHullPoint) -> bool:
    """Return whether the weights are positive, on different rows of the problem, and balance exactly."""
    rows = set(point.rows)
    if not rows or not len(rows) == len(point.rows) == len(point.weights):
        return False
    if min(point.weights) <= 0 or not rows <= set(range(problem.n_samples)):
        return False
    columns = _signed_columns(problem, np.array(point.rows, dtype=np.int64))
    return all(sum(z * a for z, a in zip(row, point.weights, strict=True)) == 0 for row in columns)


def _most_rows(problem: Problem) -> int:
    """Rows beyond four times the dimension are cut: a vertex has at most d + 2, and exact elimination is cubic."""
    return 4 * (problem.n_features + 2)


def _signed_columns(problem: Problem, rows: NDArray[np.int64]) -> list[list[int]]:
    """Return the matrix whose columns are y_i (x_i, 1), each coordinate scaled to integers by itself."""
    signs = [1 if sign > 0 else -1 for sign in problem.y[rows].tolist()]
    matrix = []
    for column in _integer_columns(problem, rows):
        matrix.append([value * sign for value, sign in zip(column, signs, strict=True)])
    return [*matrix, signs] if problem.bias else matrix


def _integer_columns(problem: Problem, rows: NDArray[np.int64]) -> list[list[int]]:
    if problem.integers is not None:
        columns: list[list[int]] = problem.integers[rows].T.tolist()
        return columns
    return [as_integers(np.ascontiguousarray(column))[0].tolist() for column in problem.dense_rows(rows).T]


def _balance(matrix: list[list[int]], weights: Sequence[int]) -> list[int] | None:
    """Return integers a >= 0, not all 0, with ``matrix @ a = 0``, near ``weights`` up to a factor."""
    exact = [0] * len(weights)
    for free, vector in _null_vectors(matrix):
        exact = [a + weights[free] * v for a, v in zip(exact, vector, strict=True)]
    return exact if min(exact) >= 0 and any(exact) else None


def _on_few_rows(matrix: list[list[int]], weights: list[int]) -> list[int]:
    """Set weights to 0, the others still >= 0 and balancing, until the null space of the rest has one dimension."""
    kept = [j for j, weight in enumerate(weights) if weight]
    exact = [weights[j] for j in kept]
    vectors = [vector for _, vector in _null_vectors([[row[j] for j in kept] for row in matrix])]
    while len(vectors) > 1:
        # Caratheodory: go along a null vector until the first weight is 0; the other vectors are cleared of that row.
        vector = vectors.pop()
        first = _first_zero(exact, vector)
        moved = _cleared(exact, vector, first)
        if not any(moved):  # the weights are this vector, up to a factor
            break
        exact = moved
        vectors = [_cleared(other, vector, first) for other in vectors]
    weight_of = dict(zip(kept, exact, strict=True))
    return [weight_of.get(j, 0) for j in range(len(weights))]


def _first_zero(weights: list[int], vector: list[int]) -> int:
    """Return the place where ``weights - t * vector`` first becomes 0 as t grows from 0."""
    places = (j for j, v in enumerate(vector) if v > 0)
    first = next(places)
    for j in places:
        if weights[j] * vector[first] < weights[first] * vector[j]:
            first = j
    return first


def _cleared(numbers: list[int], vector: list[int], place: int) -> list[int]:
    """Subtract the multiple of ``vector`` that leaves 0 at ``place``; the result is scaled by a positive factor."""
    if not numbers[place]:
        return numbers
    result = [a * vector[place] - numbers[place] * v for a, v in zip(numbers, vector, strict=True)]
    factor = math.gcd(*result) or 1
    return [a // factor for a in result]


def _null_vectors(matrix: list[list[int]]) -> list[tuple[int, list[int]]]:
    """Return a basis of the null space: vectors with a positive entry at one free column, named first, 0 at others."""
    from flint import fmpz_mat

    reduced, denominator, rank = fmpz_mat(matrix).rref()
    table = [[int(v) for v in row] for row in reduced.tolist()[:rank]]
    pivots = [next(j for j, v in enumerate(row) if v) for row in table]
    n_columns, scale, sign = len(matrix[0]), abs(int(denominator)), 1 if denominator > 0 else -1
    vectors = []
    for free in sorted(set(range(n_columns)) - set(pivots)):
        vector = [0] * n_columns
        vector[free] = scale
        for pivot, row in zip(pivots, table, strict=True):
            vector[pivot] = -sign * row[free]
        vectors.append((free, vector))
    return vectors


def _reduced(problem: Problem, rows: NDArray[np.int64], weights: list[int]) -> CommonHullPoint:
    factor = math.gcd(*weights)
    pairs = sorted((int(row), weight // factor) for row, weight in zip(rows, weights, strict=True) if weight)
    return CommonHullPoint(
        problem=problem, rows=tuple(row for row, _ in pairs), weights=tuple(weight for _, weight in pairs)
    )
