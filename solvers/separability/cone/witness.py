"""Find exact balancing weights near floating-point ones."""

from collections.abc import Callable, Sequence

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import EXACT_LIMIT, Limits, OutOfTime
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.exact.linear import circuit_near
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint
from maxmargin.solvers.separability.cone.cone_rows import ConeRows, SignedRows, balances

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
    try:
        return _common_point(problem, rows, as_integers(weights[rows])[0].tolist(), limits.stop_check)
    except OutOfTime:
        return None


def _common_point(
    problem: Problem, rows: Rows, weights: Sequence[int], is_over: Callable[[], bool] | None = None
) -> CommonHullPoint | None:
    """Return the point of exact weights of these rows, as `exact_circuit`; of sparse rows only the columns in use."""
    part = problem.of_rows(rows)
    if part.integers is None and part.is_sparse:
        used = np.union1d(part.matrix.indices, [0])  # rows of zeros have a column as well
        part = Problem(part.matrix[:, used], part.y, part.bias, sizes=part.sizes)
    circuit = exact_circuit(SignedRows(part), np.arange(len(rows)), weights, is_over)
    if circuit is None:
        return None
    return CommonHullPoint.by(problem, {int(rows[position]): weight for position, weight in circuit.items()})


def exact_circuit(
    cone: ConeRows, rows: Rows, weights: Sequence[int], is_over: Callable[[], bool] | None = None
) -> dict[int, int] | None:
    """Return weights, checked, that balance on some of these rows next to positive ones; None where there are none.

    The rows carry no other such weights (Caratheodory).
    """
    table, _ = cone.integers(rows)
    found = circuit_near(table, table[:0], weights, is_over)
    if found is None:
        return None
    circuit = dict(zip(rows[found.positions].tolist(), found.weights, strict=True))
    return circuit if circuit and balances(cone, circuit) else None


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
    points = (_common_point(problem, pair, [1, 1]) for pair in np.stack([first, second], axis=1)[are_alike])
    return next(filter(None, points), None)
