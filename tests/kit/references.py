"""Verdicts, maximum margins, soft margins and runs of the perceptron on small data, in plain fractions.

Nothing here is shared with the package. The nearest points, the planes and the multipliers fulfil their conditions of
optimality before they are returned, so that a slip in a pivoting rule is an `AssertionError` and not a wrong answer.
Verdicts come by three ways that are independent on purpose, and that tests compare: `exact_verdict`, which also names
the touching rows, `is_separable` by elimination, and `rays.facts_by_rays`, which also decides the columns.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product, repeat
from math import lcm
from typing import Any

from elimination import (
    Integers,
    Row,
    Rows,
    dot,
    eliminated,
    fractions_of,
    null_space,
    primitive,
    signed_rows,
    solved,
    vector_of,
)

Corner = tuple[int, Row]


@dataclass(frozen=True)
class Plane:
    """A hyperplane, and its value: the squared margin, or the soft objective."""

    w: Row
    b: Fraction
    value: Fraction


@dataclass(frozen=True)
class Run:
    """A run of the perceptron in exact arithmetic."""

    mistake_rows: list[int]
    mistakes_per_epoch: list[int]
    converged: bool

    @property
    def n_epochs(self) -> int:
        return len(self.mistakes_per_epoch)


def is_separable(X: Any, y: Any, bias: bool = True) -> bool:
    """Decide strict separability by Fourier-Motzkin elimination of z_i.v > 0."""
    rows = {tuple(primitive(row)) for row in signed_rows(X, y, bias)}
    while rows and len(next(iter(rows))):
        above = [row for row in rows if row[-1] > 0]
        below = [row for row in rows if row[-1] < 0]
        rows = {row[:-1] for row in rows if row[-1] == 0}
        for p, q in product(above, below):
            rows.add(tuple(eliminated(list(p), [-value for value in q], -1)[:-1]))
    return not rows  # an empty row says 0 > 0


def exact_verdict(X: Any, y: Any, bias: bool = True) -> tuple[str, list[int]]:
    """Return the verdict, and the rows that every weakly separating hyperplane contains.

    Facial reduction: rows that balance touch; modulo their span, look again among the others; when the point of the
    hull of the others nearest to 0 is not 0, it separates them all.
    """
    rows = [primitive(row) for row in signed_rows(X, y, bias)]
    touching: set[int] = set()
    while True:
        basis = null_space([rows[i] for i in sorted(touching)], len(rows[0]))
        seen = [[Fraction(dot(row, vector)) for vector in basis] for row in rows]
        touching = {i for i, row in enumerate(seen) if not any(row)}
        others = [i for i in range(len(rows)) if i not in touching]
        if not others:
            return "overlap", sorted(touching)
        point, balancing = _nearest_of([list(map(Fraction, primitive(seen[i]))) for i in others])
        if any(point):
            return "quasi-separable" if touching else "separable", sorted(touching)
        touching |= {others[i] for i in balancing}


def exact_hard_margin(X: Any, y: Any, bias: bool = True) -> Plane | None:
    """Return the maximum-margin hyperplane with functional margin 1 and its squared margin, or None."""
    if bias:
        point = [value / 2 for value in _nearest_difference(fractions_of(X), [int(sign) for sign in y])]
    else:
        point, _ = _nearest_of(signed_rows(X, y, bias))
    square = dot(point, point)
    if not square:
        return None
    w = [value / square for value in point]
    b = 1 - min(dot(w, row) for row, sign in zip(fractions_of(X), y, strict=True) if sign > 0) if bias else Fraction(0)
    assert min(margins_of(X, y, w, b)) >= 1
    return Plane(w, b, square)


def exact_margin_squared(X: Any, y: Any, bias: bool = True) -> Fraction:
    """Return the square of the maximum margin, 0 where there is none."""
    plane = exact_hard_margin(X, y, bias)
    return plane.value if plane else Fraction(0)


def exact_soft_margin(X: Any, y: Any, C: Sequence[Fraction], bias: bool = True) -> Plane:
    """Return a minimiser of 1/2 ||w||^2 + sum C_i xi_i, and the minimum.

    Complementarity: with s_i = (Q alpha)_i + y_i b - 1 + xi_i >= 0, C - alpha >= 0 beside xi, and b = p - m where
    p >= 0 beside -sum alpha y >= 0 and m >= 0 beside sum alpha y >= 0.
    """
    n, zero = len(C), Fraction(0)
    Z = signed_rows(X, y, False)
    sides = [[Fraction(int(sign)), Fraction(-int(sign))] if bias else [] for sign in y]
    identity = [[Fraction(i == j) for j in range(n)] for i in range(n)]
    M = [[*(dot(a, b) for b in Z), *identity[i], *sides[i]] for i, a in enumerate(Z)]
    M += [[*(-value for value in row), *[zero] * (n + 2 * bias)] for row in identity]
    M += [[*(-value for value in side), *[zero] * (n + 2)] for side in zip(*sides, strict=True)]
    z = _lemke(M, [Fraction(-1)] * n + list(C) + [zero, zero] * bias)
    assert z is not None
    alpha, b = z[:n], z[-2] - z[-1] if bias else zero
    w = [dot(alpha, column) for column in zip(*Z, strict=True)]
    value = soft_objective(X, y, C, w, b)
    assert value == sum(alpha) - dot(w, w) / 2  # strong duality
    return Plane(w, b, value)


def exact_slack(X: Any, y: Any, C: Sequence[Fraction], bias: bool = True) -> tuple[Row, tuple[Fraction, Fraction]]:
    """Return the slacks of the optimum whose offset is in the middle, and the ends of the optimal offsets."""
    w = exact_soft_margin(X, y, C, bias).w
    kinks = [int(sign) * (1 - m) for sign, m in zip(y, margins_of(X, y, w, 0), strict=True)] if bias else [Fraction(0)]
    values = {b: soft_objective(X, y, C, w, b) for b in kinks}
    best = [b for b in kinks if values[b] == min(values.values())]
    ends = min(best), max(best)
    return [max(Fraction(0), 1 - m) for m in margins_of(X, y, w, sum(ends) / 2)], ends


def soft_objective(X: Any, y: Any, C: Sequence[Fraction], w: Any, b: Any) -> Fraction:
    """Return 1/2 ||w||^2 + sum C_i xi_i of a hyperplane."""
    slack = [max(Fraction(0), 1 - margin) for margin in margins_of(X, y, w, b)]
    normal = vector_of(w)
    return dot(normal, normal) / 2 + dot(slack, C)


def margins_of(X: Any, y: Any, w: Any, b: Any) -> Row:
    """Return y (w.x + b) of every row."""
    normal, offset = vector_of(w), Fraction(b)
    return [int(sign) * (dot(row, normal) + offset) for row, sign in zip(fractions_of(X), y, strict=True)]


def errors_of(X: Any, y: Any, w: Any, b: Any) -> list[int]:
    """Return the rows with y (w.x + b) <= 0."""
    return [row for row, margin in enumerate(margins_of(X, y, w, b)) if margin <= 0]


def geometric_margin_squared(X: Any, y: Any, w: Any, b: Any) -> Fraction:
    """Return the square of the least geometric margin of a hyperplane, with the sign of the margin."""
    least, normal = min(margins_of(X, y, w, b)), vector_of(w)
    return least * abs(least) / dot(normal, normal)


def hull_bound_squared(X: Any, y: Any, weights: Any, bias: bool) -> Fraction:
    """Return the squared half distance of the weighted class means (through the origin: norm of the weighted mean)."""
    columns = list(zip(*fractions_of(X), strict=True))
    a = list(zip(vector_of(weights), y, strict=True))
    plus, minus = ([value if int(s) == sign else Fraction(0) for value, s in a] for sign in (1, -1))
    n_plus, n_minus = sum(plus, Fraction(0)), sum(minus, Fraction(0))
    if bias:
        point = [(dot(column, plus) / n_plus - dot(column, minus) / n_minus) / 2 for column in columns]
    else:
        point = [(dot(column, plus) - dot(column, minus)) / (n_plus + n_minus) for column in columns]
    return dot(point, point)


def exact_perceptron(
    X: Any,
    y: Any,
    scale: Fraction | float,
    zero: str,
    max_epochs: int,
    *,
    orders: Iterable[Sequence[int]] | None = None,
    is_random: bool = False,
    max_mistakes: int | None = None,
) -> Run:
    """Run through the rows (x, scale), in integers; a scale of 0 is a run through the origin.

    The order is cyclic unless every epoch has its own. After an epoch of random presentations without a mistake, all
    rows are looked at.
    """
    fractions = [[*row, Fraction(scale)] for row in fractions_of(X)]
    unit = lcm(*(value.denominator for row in fractions for value in row))
    rows = [[int(value * unit) for value in row] for row in fractions]
    signs = [int(sign) for sign in y]
    sign_of_zero = {"mistake": 0, "positive": 1, "negative": -1}[zero]
    w = [0] * len(rows[0])
    mistakes: list[int] = []
    per_epoch: list[int] = []

    def is_mistake(i: int) -> bool:
        score = dot(w, rows[i])
        return ((score > 0) - (score < 0) or sign_of_zero) != signs[i]

    for order in islice(orders or repeat(range(len(rows))), max_epochs):
        per_epoch.append(0)
        for i in filter(is_mistake, order):
            w[:] = [weight + signs[i] * value for weight, value in zip(w, rows[i], strict=True)]
            mistakes.append(i)
            per_epoch[-1] += 1
            if len(mistakes) == max_mistakes:
                return Run(mistakes, per_epoch, False)
        if not per_epoch[-1] and not is_random:
            return Run(mistakes, per_epoch, True)
        if not per_epoch[-1] and len(per_epoch) < max_epochs and not any(map(is_mistake, range(len(rows)))):
            return Run(mistakes, [*per_epoch, 0], True)
    return Run(mistakes, per_epoch, False)


# Nearest points: Wolfe's method (1976)


def _nearest_to_zero(start: Corner, lowest: Callable[[Row], Corner]) -> tuple[Row, list[int]]:
    """Return the point x of a polytope nearest to 0, and the names of corners that hold it.

    ``lowest(x)`` gives a corner with the least x.p; the end, x.p >= x.x for all corners, is the proof.
    """
    corners, weights, x = [start], [Fraction(1)], start[1]
    while True:
        corner = lowest(x)
        if dot(x, corner[1]) >= dot(x, x):
            return x, [name for name, _ in corners]
        corners, weights = _nearest_inside([*corners, corner], [*weights, Fraction(0)])
        x = [dot(weights, column) for column in zip(*(point for _, point in corners), strict=True)]


def _nearest_inside(corners: list[Corner], weights: Row) -> tuple[list[Corner], Row]:
    """Drop corners until the point of their affine hull nearest to 0 has positive weights, which are returned too."""
    while True:
        gram = [[*(dot(p, q) for _, q in corners), Fraction(1)] for _, p in corners]
        gram.append([Fraction(1)] * len(corners) + [Fraction(0)])
        goal = solved(gram, [Fraction(0)] * len(corners) + [Fraction(1)])[:-1]
        if min(goal) > 0:
            return corners, goal
        step = min(a / (a - g) for a, g in zip(weights, goal, strict=True) if g <= 0)
        moved = [a + step * (g - a) for a, g in zip(weights, goal, strict=True)]
        corners = [corner for corner, a in zip(corners, moved, strict=True) if a > 0]
        weights = [a for a in moved if a > 0]


def _index_of_lowest(points: Rows) -> Callable[[Row], int]:
    """Return a function that finds the point with the least x.p; integers take a sixth of the time of fractions."""
    unit = lcm(*(value.denominator for point in points for value in point))
    whole = [[int(value * unit) for value in point] for point in points]

    def index(x: Row) -> int:
        direction = primitive(x)
        return min(range(len(whole)), key=lambda i: dot(direction, whole[i]))

    return index


def _nearest_of(points: Rows) -> tuple[Row, list[int]]:
    """Return the point of the hull of some points nearest to 0, and the indices of points that hold it."""
    index = _index_of_lowest(points)

    def lowest(x: Row) -> Corner:
        i = index(x)
        return i, points[i]

    return _nearest_to_zero(min(enumerate(points), key=lambda corner: dot(corner[1], corner[1])), lowest)


def _nearest_difference(rows: Rows, signs: list[int]) -> Row:
    """Return the shortest difference of a point of one hull and a point of the other."""
    plus, minus = ([row for row, s in zip(rows, signs, strict=True) if s == sign] for sign in (1, -1))
    of_plus, of_minus = _index_of_lowest(plus), _index_of_lowest(minus)

    def difference(i: int, j: int) -> Corner:
        return i * len(minus) + j, [a - b for a, b in zip(plus[i], minus[j], strict=True)]

    def lowest(x: Row) -> Corner:
        return difference(of_plus(x), of_minus([-value for value in x]))

    return _nearest_to_zero(difference(0, 0), lowest)[0]


# Linear complementarity: Lemke's method, lexicographic, so that it ends


def _lemke(M: Rows, q: Row) -> Row | None:
    """Return z >= 0 with s = M z + q >= 0 and z.s = 0, or None where the method ends on a ray.

    For a positive semidefinite M a ray proves that the program behind it is infeasible or unbounded.
    """
    n = len(q)
    if all(value >= 0 for value in q):
        return [Fraction(0)] * n
    # Columns: s (n), z (n), the artificial z0, then q. Rows: s - M z - e z0 = q.
    identity = [[Fraction(i == j) for j in range(n)] for i in range(n)]
    table = [primitive([*identity[i], *(-value for value in M[i]), Fraction(-1), q[i]]) for i in range(n)]
    basis = list(range(n))
    entering, artificial = 2 * n, 2 * n
    leaving = min(range(n), key=lambda i: [Fraction(v, abs(table[i][2 * n])) for v in (table[i][-1], *table[i][:n])])
    while True:
        _pivot(table, leaving, entering)
        left, basis[leaving] = basis[leaving], entering
        if left == artificial:
            break
        entering = left + n if left < n else left - n
        blocking = [
            (_ratio(row, entering, basis[i] == artificial, n), i) for i, row in enumerate(table) if row[entering] > 0
        ]
        if not blocking:
            return None
        leaving = min(blocking)[1]
    z = [Fraction(0)] * n
    for row, j in zip(table, basis, strict=True):
        if n <= j < 2 * n:
            z[j - n] = Fraction(row[-1], row[j])
    slack = [dot(row, z) + value for row, value in zip(M, q, strict=True)]
    assert min(*z, *slack) >= 0 == dot(z, slack)
    return z


def _pivot(table: list[Integers], leaving: int, entering: int) -> None:
    """Eliminate a column in integers; every row keeps a positive factor of its own."""
    if table[leaving][entering] < 0:
        table[leaving] = [-value for value in table[leaving]]
    for i, row in enumerate(table):
        if i != leaving and row[entering]:
            table[i] = eliminated(row, table[leaving], entering)


def _ratio(row: Integers, entering: int, is_artificial: bool, n: int) -> Row:
    """Return the right side and the inverse basis over the entering entry; on equal right sides z0 leaves first."""
    pivot = row[entering]
    values = [Fraction(v, pivot) for v in (row[-1], *row[:n])]
    return [values[0], Fraction(not is_artificial), *values[1:]]
