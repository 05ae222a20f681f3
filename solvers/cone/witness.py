"""Find exact balancing weights near floating-point ones."""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.cone.circuits import circuit_near
from maxmargin.solvers.cone.rows import signed_integers
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
    table, _ = signed_integers(problem, rows)
    found = circuit_near(table, table[:0], as_integers(weights[rows])[0].tolist())
    if found is None:
        return None
    pairs = sorted(zip(rows[found.places].tolist(), found.weights, strict=True))
    return CommonHullPoint(
        problem=problem, rows=tuple(row for row, _ in pairs), weights=tuple(weight for _, weight in pairs)
    )


def balances(problem: Problem, point: CommonHullPoint) -> bool:
    """Return whether the weights are positive, on different rows of the problem, and balance exactly."""
    rows = set(point.rows)
    if not rows or not len(rows) == len(point.rows) == len(point.weights):
        return False
    if min(point.weights) <= 0 or not rows <= set(range(problem.n_samples)):
        return False
    table, _ = signed_integers(problem, np.array(point.rows, dtype=np.int64))
    return not any(np.array(point.weights, dtype=object).dot(table))


def _most_rows(problem: Problem) -> int:
    """Rows beyond four times the dimension are cut: a vertex has at most d + 2, and exact elimination is cubic."""
    return 4 * (problem.n_features + 2)
