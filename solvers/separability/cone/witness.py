"""Find exact balancing weights near floating-point ones."""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import EXACT_LIMIT, Limits, OutOfTime
from maxmargin.solvers.exact.dyadic import Integers, as_integers
from maxmargin.solvers.exact.linear import circuit_near, combination
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint
from maxmargin.solvers.separability.cone.cone_rows import signed_integers

# Relative weight below which a row is left out of the candidate support.
_CANDIDATE_WEIGHT = 1e-12


def find_common_hull_point(problem: Problem, weights: Floats, limits: Limits | None = None) -> CommonHullPoint | None:
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
    rows = rows[: 4 * (problem.n_features + 2)]  # a vertex has at most d + 2 rows, and exact elimination is cubic
    limits = Limits() if limits is None else limits
    if min(len(rows), problem.n_features + problem.bias) > max(limits.exact_limit, EXACT_LIMIT):
        return None
    table = _table(problem, rows)
    try:
        found = circuit_near(table, table[:0], as_integers(weights[rows])[0].tolist(), limits.stop_check)
    except OutOfTime:
        return None
    if found is None:
        return None
    return CommonHullPoint.by(problem, dict(zip(rows[found.positions].tolist(), found.weights, strict=True)))


def balances(problem: Problem, point: CommonHullPoint) -> bool:
    """Return whether the weights are positive, on different rows of the problem, and balance exactly."""
    rows = set(point.rows)
    if not rows or not len(rows) == len(point.rows) == len(point.weights):
        return False
    if min(point.weights) <= 0 or not rows <= set(range(problem.n_samples)):
        return False
    table = _table(problem, np.array(point.rows, dtype=np.int64))
    return not any(combination(table, point.weights))


def _table(problem: Problem, rows: NDArray[np.int64]) -> Integers:
    """Return y (x, 1) as integers, a column in a power of two of its own; of sparse rows the columns in use only."""
    if problem.integers is None and problem.is_sparse:
        X = problem.row_source[rows]
        used = np.union1d(X.indices, [0])  # rows of zeros have a column as well
        problem, rows = Problem(X[:, used], problem.y[rows], problem.bias, sizes=problem.sizes), np.arange(len(rows))
    return signed_integers(problem, rows)[0]


def contradicting_rows(problem: Problem) -> CommonHullPoint | None:
    """Return two equal rows of different classes, found by the order of a random projection; None where it shows none.

    Examples
    --------
    >>> contradicting_rows(Problem.validated([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], [-1, 1, 1])).rows
    (0, 2)
    """
    if problem.integers is not None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        keys = problem.matrix @ np.random.default_rng(0).standard_normal(problem.n_features)
    order = np.lexsort((problem.y, keys))
    first, second = order[:-1], order[1:]
    are_alike = (keys[first] == keys[second]) & (problem.y[first] != problem.y[second])
    for i, j in zip(first[are_alike].tolist(), second[are_alike].tolist(), strict=True):
        point = CommonHullPoint.by(problem, {i: 1, j: 1})
        if balances(problem, point):
            return point
    return None
