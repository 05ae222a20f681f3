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

It ends: the first minor step has positive length, because the weights in the corral were positive and that of the new
row grows, so ||v|| strictly decreases in every major cycle. A corral is known by its rows, and none comes again: there
are finitely many. Every minor cycle but the last drops a row. Nothing is asked of the start but independent rows.

No number of the linear algebra is believed: v is summed anew from the rows and the weights, and optimality is the exact
statement sum_g min_{i in g} v.z_i = ||v||^2, over all rows of the data.
"""

from collections.abc import Callable
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.dyadic import as_integers
from maxmargin.solvers.proof.exact_linear import independent_rows, least_squares
from maxmargin.solvers.proof.hull_point import HullPoint, groups_of, n_groups

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_LEAST_WEIGHT = 1e-9
"""Multiplier, relative to the largest, below which a row is left out of the start."""


def nearest_point(problem: Problem, start: HullPoint, is_late: Callable[[], bool]) -> tuple[HullPoint, bool]:
    """Return the shortest v, and True; or where time is up the present one, and False.

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
        row = most_violated_row(point)
        if row is None:
            return point, True
        point = HullPoint(problem, (*point.rows, row), (*point.weights, 0), point.total)
    return point, False


def start_near(problem: Problem, weights: Floats | None) -> HullPoint:
    """Return a point on independent rows, those of the greatest weights first; any weights will do."""
    rows, integers = _weighted_rows(problem, weights)
    entries, _ = problem.exact_rows(rows)
    groups = groups_of(problem, rows)
    indicators = np.equal.outer(groups, range(n_groups(problem))).astype(int).astype(object)
    kept = independent_rows(np.hstack([entries, indicators]))
    totals = [sum(integers[j] for j in kept if groups[j] == g) for g in range(n_groups(problem))]
    total = prod(totals)
    return HullPoint(
        problem,
        tuple(int(rows[j]) for j in kept),
        tuple(integers[j] * (total // totals[groups[j]]) for j in kept),
        total,
    )


def _weighted_rows(problem: Problem, weights: Floats | None) -> tuple[Rows, list[int]]:
    """Return rows and positive weights, some in every group, the greatest first in each."""
    if weights is None or not np.isfinite(weights).all():
        weights = np.zeros(problem.n_samples)
    groups = np.array(groups_of(problem, np.arange(problem.n_samples)))
    rows: list[int] = []
    chosen = weights.copy()
    for g in range(n_groups(problem)):
        members = np.flatnonzero(groups == g)
        order = members[np.argsort(-weights[members], kind="stable")][: problem.n_features + 2]
        if weights[order[0]] <= 0:
            order = order[:1]
            chosen[order] = 1.0
        rows += order[chosen[order] > _LEAST_WEIGHT * chosen[order[0]]].tolist()
    places = np.array(rows)
    return places, as_integers(chosen[places])[0].tolist()


def most_violated_row(point: HullPoint) -> int | None:
    """Return the row with the least y(w.x + b) < 1; None where there is none, and v is proven the shortest.

    Integers are needed only where the enclosures of all rows leave a doubt.
    """
    lower, upper = point.enclosures()
    if (upper < 0).any():
        return int(np.argmin(upper))
    doubtful = np.setdiff1d(np.flatnonzero(lower < 0), point.rows)
    problem = point.problem
    height = dict(zip(groups_of(problem, point.rows), point.products(point.rows), strict=True))
    if sum(height.values()) != n_groups(problem) ** 2 * point.margin_squared:
        raise ArithmeticError("the weights are not those of the nearest points of the hulls of their rows")
    excess = [p - height[g] for p, g in zip(point.products(doubtful), groups_of(problem, doubtful), strict=True)]
    return int(doubtful[excess.index(min(excess))]) if excess and min(excess) < 0 else None


def _shortest_on(problem: Problem, rows: tuple[int, ...]) -> HullPoint:
    """Return the shortest combination of independent rows with sum 1 in each group, whatever the signs.

    In each group the weight of the first row is 1 minus the others, so that these are free: the least-squares
    problem of the differences from the first rows, in which a common offset of the data is gone.
    """
    entries, _ = problem.exact_rows(np.array(rows))
    signed = entries * problem.y[list(rows)].astype(np.int64).astype(object)[:, None]
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


def _reduced(problem: Problem, rows: tuple[int, ...], weights: list[int], total: int) -> HullPoint:
    factor = gcd(total, *weights)
    return HullPoint(problem, rows, tuple(weight // factor for weight in weights), total // factor)
