"""The nearest points of the two hulls in rational arithmetic: Wolfe's algorithm, which ends at the exact answer.

With rows z_i = y_i x_i the dual of the hard margin asks for the shortest v = sum c_i z_i with c >= 0 and sum c_i = 1 in
each *group*: with bias the groups are the two classes, and v joins a point of one hull to a point of the other; through
the origin all rows are one group, and v is a point of the hull of the z_i. With G groups the maximum margin is
||v||/G, and w = G v/||v||^2.

Wolfe (Finding the nearest point in a polytope, Mathematical Programming 11, 1976) keeps a *corral*: rows S whose
vectors (z_i, indicator of the group) are linearly independent, with v the shortest combination of S with these sums,
and all weights positive. Then v.z_i is the same number h_g for all rows of S in the group g.

- *Major cycle.* Rows of the data with v.z_i < h_g are violated; if there are none, v is the shortest of all. Else one
  joins S. The independence lasts: v.z_i - h_g vanishes on S, not on the new row.
- *Minor cycles.* Take the shortest combination of S whatever the signs. If it has negative weights, go towards it from
  the present ones until the first becomes zero, and drop that row. End when all are positive.

It ends: the first minor step has positive length, because the weights in the corral were positive and the weight of the
new row grows, so ||v|| strictly decreases in every major cycle. A corral is determined by its rows, and none comes
again: there are finitely many. Every minor cycle but the last drops a row. Any independent rows will do as a start.

No number of the linear algebra is trusted: v is recomputed from the rows and the weights, and optimality is the exact
statement sum_g min_{i in g} v.z_i = ||v||^2, over all rows of the data.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd, prod

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.exact.dyadic import Integers, as_integers
from maxmargin.solvers.exact.linear import independent_rows, least_squares
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import HullPoint, groups_of, n_groups

NAME = "exact pivoting"

# Multiplier, relative to the largest, below which a row is left out of the start.
_LEAST_WEIGHT = 1e-9

# Rows of a group, for each dimension, among which the start looks for independent ones.
_START_ROWS = 4


def nearest_point(problem: Problem, start: HullPoint, is_late: Callable[[], bool]) -> tuple[HullPoint, bool]:
    """Return the shortest v and True; if the time is over, the present v and False.

    If the hulls share a point, the shortest v is 0.

    Parameters
    ----------
    start : HullPoint
        On independent rows, with positive weights, as `start_near` makes it.
    is_late : callable
        Asked before every solution of a linear system.
    """
    point = start
    while not is_late():
        shortest = _shortest_on(problem, point.rows)
        if min(shortest.weights) <= 0:
            point = _towards(point, shortest)
            continue
        point = shortest
        row = most_violated_row(point) if point.margin_squared else None
        if row is None:
            return point, True
        point = _sorted(problem, (*point.rows, row), (*point.weights, 0), point.total)
    return point, False


def start_near(problem: Problem, weights: Floats | None) -> HullPoint:
    """Return a point on independent rows, greatest weights first; the weights may be any finite numbers, or None."""
    rows, integers = _weighted_rows(problem, np.zeros(problem.n_samples) if weights is None else weights)
    groups = groups_of(problem, rows)
    indicators = np.equal.outer(groups, range(n_groups(problem))).astype(int).astype(object)
    kept = independent_rows(np.hstack([_signed_rows(problem, rows), indicators]))
    totals = [sum(integers[j] for j in kept if groups[j] == g) for g in range(n_groups(problem))]
    total = prod(totals)
    weights_of_kept = [integers[j] * (total // totals[groups[j]]) for j in kept]
    return _sorted(problem, rows[kept].tolist(), weights_of_kept, total)


def _weighted_rows(problem: Problem, weights: Floats) -> tuple[Rows, list[int]]:
    """Return rows and positive weights, the greatest first; in a group without any the first row has weight 1."""
    groups = np.array(groups_of(problem, range(problem.n_samples)))
    weights = np.where(weights > _LEAST_WEIGHT * max(weights.max(), 0.0), weights, 0.0)
    chosen = []
    for g in range(n_groups(problem)):
        members = np.flatnonzero(groups == g)
        if not weights[members].any():
            weights[members[0]] = 1.0
        greatest = members[np.argsort(-weights[members], kind="stable")][: _START_ROWS * (problem.n_features + 2)]
        chosen.append(greatest[weights[greatest] > 0])
    rows = np.concatenate(chosen)
    rows = rows[np.argsort(-weights[rows], kind="stable")]
    return rows, as_integers(weights[rows])[0].tolist()


def most_violated_row(point: HullPoint) -> int | None:
    """Return the row with the least y(w.x + b) < 1; None if there is no such row, so that v is proven the shortest.

    Only rows whose enclosure contains 1 are computed in integers.

    Raises
    ------
    ArithmeticError
        If v is not the shortest combination of its own rows: the linear algebra has failed.
    """
    heights = _heights(point)
    if sum(heights) != n_groups(point.problem) ** 2 * point.margin_squared:
        raise ArithmeticError("the weights are not those of the shortest combination of these rows")
    lower, upper = point.enclosures()
    if (upper < 0).any():
        return int(np.argmin(upper))
    doubtful = np.setdiff1d(np.flatnonzero(lower < 0), point.rows)
    groups = groups_of(point.problem, doubtful)
    excess = [product - heights[g] for product, g in zip(point.products(doubtful), groups, strict=True)]
    return int(doubtful[excess.index(min(excess))]) if excess and min(excess) < 0 else None


def _heights(point: HullPoint) -> list[Fraction]:
    """Return h_g, the least v.z over the rows of the point, for every group."""
    pairs = list(zip(groups_of(point.problem, point.rows), point.products(point.rows), strict=True))
    return [min(product for group, product in pairs if group == g) for g in range(n_groups(point.problem))]


def _shortest_on(problem: Problem, rows: tuple[int, ...]) -> HullPoint:
    """Return the shortest combination of independent rows with sum 1 in each group, whatever the signs.

    In each group the weight of the first row is 1 minus the others, so that these are free: the least-squares
    problem of the differences from the first rows, in which a common offset of the data is gone.
    """
    signed = _signed_rows(problem, np.array(rows))
    groups = groups_of(problem, rows)
    first = [groups.index(g) for g in range(n_groups(problem))]
    others = [j for j in range(len(rows)) if j not in first]
    weights, total = [0] * len(rows), 1
    if others:
        differences = np.array([signed[j] - signed[first[groups[j]]] for j in others])
        free, total = least_squares(differences, (-signed[first].sum(axis=0)).tolist())
        for j, weight in zip(others, free, strict=True):
            weights[j] = weight
    for j in first:
        weights[j] = total - sum(w for w, g in zip(weights, groups, strict=True) if g == groups[j])
    return _reduced(problem, rows, weights, total)


def _signed_rows(problem: Problem, rows: Rows) -> Integers:
    """Return the z = y x as integers up to a common factor."""
    entries, _ = problem.exact_rows(rows)
    signed: Integers = entries * problem.y[rows].astype(np.int64).astype(object)[:, None]
    return signed


def _towards(point: HullPoint, target: HullPoint) -> HullPoint:
    """Go from positive weights towards others until the first becomes zero, and drop the rows of weight zero."""
    a, t = point.weights, target.weights
    # Row i becomes zero at theta = x/(1 + x) with x = (a_i/total)/(-t_i/total'); the least one comes first.
    first, *rest = (i for i, weight in enumerate(t) if weight <= 0)
    for i in rest:
        if a[i] * -t[first] < a[first] * -t[i]:
            first = i
    weights = [a[first] * t_j - a_j * t[first] for a_j, t_j in zip(a, t, strict=True)]
    kept = [j for j, weight in enumerate(weights) if weight]
    total = a[first] * target.total - t[first] * point.total
    return _reduced(point.problem, tuple(point.rows[j] for j in kept), [weights[j] for j in kept], total)


def _sorted(problem: Problem, rows: Sequence[int], weights: Sequence[int], total: int) -> HullPoint:
    pairs = sorted(zip(rows, weights, strict=True))
    return HullPoint(problem, tuple(row for row, _ in pairs), tuple(weight for _, weight in pairs), total)


def _reduced(problem: Problem, rows: tuple[int, ...], weights: list[int], total: int) -> HullPoint:
    factor = gcd(total, *weights)
    return HullPoint(problem, rows, tuple(weight // factor for weight in weights), total // factor)
