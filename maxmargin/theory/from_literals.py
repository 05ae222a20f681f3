"""The bound for conjunctions and disjunctions of Boolean literals."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem.problem import Problem
from maxmargin.theory.bound import Bound, stated
from maxmargin.theory.context import Context

Truth = NDArray[np.bool_]

_MOST_ENTRIES = 20_000_000


def conjunction(context: Context) -> Bound:
    """(d + 1)(k^2 - k + 1) for labels that a conjunction, or a disjunction, of k literals gives."""
    problem = context.problem
    k = n_literals(problem) if context.scale == 1 else None
    value = math.inf if k is None else float((problem.n_features + 1) * (k * k - k + 1))
    of_k = "k literals" if k is None else f"k = {k} literals"
    return stated(
        context,
        "conjunction",
        value,
        k is not None,
        f"features -1 and +1, s = 1, and labels of a conjunction or a disjunction of {of_k}: (d + 1)(k^2 - k + 1)",
        "derived: Novikoff with weights -1 and +1 on the literals and threshold k - 1",
    )


def n_literals(problem: Problem) -> int | None:
    """Return the size of a conjunction or disjunction of literals that gives the labels; None if there is none.

    A conjunction may use the literals that are true in every positive row; of these a few that exclude the negative
    rows are taken one by one, each time the one that excludes most, so there may be a smaller one. A disjunction is
    the negation of a conjunction of the negated literals.
    """
    if problem.n_samples * problem.n_features > _MOST_ENTRIES:
        return None
    low, high = problem.column_bounds
    if not (np.abs(low) == 1).all() or not (np.abs(high) == 1).all():
        return None
    X: Any = problem.dense_rows(slice(None))
    if not (np.abs(X) == 1).all():
        return None
    sizes = [_of_conjunction(X, problem.y * sign) for sign in (1, -1)]
    return min((size for size in sizes if size is not None), default=None)


def _of_conjunction(X: Any, y: NDArray[np.float64]) -> int | None:
    positive, negative = X[y > 0] > 0, X[y < 0] > 0
    allowed = np.hstack([positive.all(axis=0), ~positive.any(axis=0)])
    excludes: Truth = np.hstack([~negative, negative])[:, allowed]
    if not excludes.any(axis=1).all():
        return None
    left, size = excludes, 0
    while len(left):
        best = int(left.sum(axis=0).argmax())
        left, size = left[~left[:, best]], size + 1
    return size
