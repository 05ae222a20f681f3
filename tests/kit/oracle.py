"""Verdict, maximum margin, soft margin and perceptron of small data, in plain fractions.

Nothing here is shared with the package. Every answer is checked by its own optimality conditions before it is
returned, so that a slip in a pivoting rule shows as an `AssertionError` and not as a wrong truth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

Row = list[Fraction]
Rows = list[Row]


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))


def signed(X: Rows, y: Sequence[int], *, bias: bool) -> Rows:
    """Return the rows y (x, 1), through the origin y x."""
    return [
        [sign * value for value in (*row, *([Fraction(1)] if bias else []))] for row, sign in zip(X, y, strict=True)
    ]


# --- verdicts: two systems of equations in nonnegative numbers, by the simplex method with Bland's rule


def verdict(X: Rows, y: Sequence[int], *, bias: bool = True) -> str:
    """Return "separable", "quasi-separable" or "overlap".

    By Gordan's theorem the data are separable exactly if no a >= 0 with sum a = 1 balances, sum a_i z_i = 0; by
    Stiemke's they overlap exactly if some a with every a_i >= 1 does.
    """
    Z = signed(X, y, bias=bias)
    columns = list(zip(*Z, strict=True))
    one = [Fraction(1)] * len(Z)
    if nonnegative_solution([*columns, one], [Fraction(0)] * len(columns) + [Fraction(1)]) is None:
        return "separable"
    shifted = nonnegative_solution(columns, [-sum(column, Fraction(0)) for column in columns])
    return "quasi-separable" if shifted is None else "overlap"


def nonnegative_solution(A: Sequence[Sequence[Fraction]], b: Sequence[Fraction]) -> Row | None:
    """Return some a >= 0 with A a = b, or None if there is none, which is then proven by Farkas' lemma."""
    rows = [_whole([*row, value]) for row, value in zip(A, b, strict=True)]
    rows = [[-v for v in row] if row[-1] < 0 else row for row in rows]
    n_rows, width = len(rows), len(rows[0]) - 1
    table = [[*row[:-1], *(int(i == j) for j in range(n_rows)), row[-1]] for i, row in enumerate(rows)]
    basis = list(range(width, width + n_rows))
    while True:
        costs = [sum(row[j] * _weight(i, table, basis) for i, row in enumerate(table) if basis[i] >= width)
                 for j in range(width)]  # fmt: skip
        entering = next((j for j in range(width) if j not in basis and costs[j] > 0), None)
        if entering is None:
            break
        ratios = [(Fraction(row[-1], row[entering]), basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        leaving = min(ratios)[2]
        _pivot(table, leaving, entering)
        basis[leaving] = entering
    solution = [Fraction(0)] * (width + n_rows)
    for row, j in zip(table, basis, strict=True):
        solution[j] = Fraction(row[-1], row[j])
    if any(solution[width:]):
        return None if _is_infeasible(rows, table, basis, width) else _raise("the simplex method ended on no proof")
    assert all(v >= 0 for v in solution)
    assert all(dot(list(map(Fraction, row[:-1])), solution[:width]) == row[-1] for row in rows)
    return solution[:width]


def _weight(i: int, table: list[list[int]], basis: list[int]) -> Fraction:
    return Fraction(1, table[i][basis[i]])


def _is_infeasible(rows: list[list[int]], table: list[list[int]], basis: list[int], width: int) -> bool:
    """Return whether the multipliers of phase one prove that no nonnegative solution exists."""
    multipliers = [sum((Fraction(row[width + k], row[basis[i]]) for i, row in enumerate(table) if basis[i] >= width),
                       Fraction(0)) for k in range(len(rows))]  # fmt: skip
    combined = [sum((m * row[j] for m, row in zip(multipliers, rows, strict=True)), Fraction(0))
                for j in range(width + 1)]  # fmt: skip
    return all(v <= 0 for v in combined[:-1]) and combined[-1] > 0


def _pivot(table: list[list[int]], leaving: int, entering: int) -> None:
    """Eliminate a column with integers; every row keeps a positive factor of its own."""
    pivot = table[leaving]
    for i, row in enumerate(table):
        if i != leaving and row[entering]:
            table[i] = _reduced([v * pivot[entering] - row[entering] * p for v, p in zip(row, pivot, strict=True)])
    table[leaving] = _reduced(pivot)


def _whole(row: Sequence[Fraction]) -> list[int]:
    unit = lcm(*(v.denominator for v in row))
    return _reduced([int(v * unit) for v in row])


def _reduced(row: list[int]) -> list[int]:
    factor = gcd(*row) or 1
    return [v // factor for v in row]


def _raise(message: str) -> bool:
    raise AssertionError(message)


# --- quadratic programs: Lemke's method for linear complementarity, lexicographic, so that it ends


def lemke(M: Rows, q: Row) -> Row | None:
    """Return z >= 0 with s = M z + q >= 0 and z.s = 0, or None where the method ends on a ray.

    For a positive semidefinite M a ray proves that the program behind it is infeasible or unbounded.
    """
    n = len(q)
    if all(v >= 0 for v in q):
        return [Fraction(0)] * n
    # Columns: s (n), z (n), the artificial z0, then q. Rows: s - M z - e z0 = q.
    table = [_whole([*(Fraction(i == j) for j in range(n)), *(-v for v in M[i]), Fraction(-1), q[i]]) for i in range(n)]
    basis = list(range(n))
    entering, artificial = 2 * n, 2 * n
    leaving = min(range(n), key=lambda i: [Fraction(v, abs(table[i][2 * n])) for v in (table[i][-1], *table[i][:n])])
    while True:
        _pivot_signed(table, leaving, entering)
        left, basis[leaving] = basis[leaving], entering
        if left == artificial:
            break
        entering = left + n if left < n else left - n
        blocking = [
            (_ratio(table[i], entering, basis[i] == artificial, n), i) for i in range(n) if table[i][entering] > 0
        ]
        if not blocking:
            return None
        leaving = min(blocking)[1]
    z = [Fraction(0)] * n
    for row, j in zip(table, basis, strict=True):
        if n <= j < 2 * n:
            z[j - n] = Fraction(row[-1], row[j])
    slack = [dot(M[i], z) + q[i] for i in range(n)]
    assert all(v >= 0 for v in z) and all(v >= 0 for v in slack) and dot(z, slack) == 0
    return z


def _pivot_signed(table: list[list[int]], leaving: int, entering: int) -> None:
    if table[leaving][entering] < 0:
        table[leaving] = [-v for v in table[leaving]]
    _pivot(table, leaving, entering)


def _ratio(row: list[int], entering: int, is_artificial: bool, n: int) -> list[Fraction]:
    """Return the right side and the inverse basis over the entering entry; on equal right sides z0 leaves first."""
    pivot = row[entering]
    values = [Fraction(v, pivot) for v in (row[-1], *row[:n])]
    return [values[0], Fraction(not is_artificial), *values[1:]]


@dataclass(frozen=True)
class Plane:
    """A hyperplane, and what it is worth: the squared margin, or the soft objective."""

    w: Row
    b: Fraction
    value: Fraction


def hard_margin(X: Rows, y: Sequence[int], *, bias: bool = True) -> Plane | None:
    """Return the maximum-margin hyperplane with functional margin 1 and its squared margin, or None."""
    Q = _gram(X, y)
    multipliers = _solved(Q, y, [None] * len(X), bias=bias)
    if multipliers is None:
        return None
    alpha, b = multipliers
    w = _combined(alpha, X, y)
    assert all(sign * (dot(w, row) + b) >= 1 for row, sign in zip(X, y, strict=True))
    assert dot(w, w) == sum(alpha)  # strong duality
    return Plane(w, b, 1 / dot(w, w))


def soft_margin(X: Rows, y: Sequence[int], prices: Sequence[Fraction], *, bias: bool = True) -> Plane:
    """Return a minimiser of 1/2 ||w||^2 + sum price_i xi_i, and the minimum."""
    solved = _solved(_gram(X, y), y, prices, bias=bias)
    assert solved is not None
    alpha, b = solved
    w = _combined(alpha, X, y)
    value = soft_objective(X, y, prices, w, b)
    assert value == sum(alpha) - dot(w, w) / 2  # strong duality
    return Plane(w, b, value)


def soft_objective(X: Rows, y: Sequence[int], prices: Sequence[Fraction], w: Row, b: Fraction) -> Fraction:
    slack = [max(Fraction(0), 1 - sign * (dot(w, row) + b)) for row, sign in zip(X, y, strict=True)]
    return dot(w, w) / 2 + dot(slack, list(prices))


def _gram(X: Rows, y: Sequence[int]) -> Rows:
    return [[s * t * dot(a, b) for b, t in zip(X, y, strict=True)] for a, s in zip(X, y, strict=True)]


def _combined(alpha: Row, X: Rows, y: Sequence[int]) -> Row:
    terms = [(a * s, row) for a, s, row in zip(alpha, y, X, strict=True) if a]
    return [sum((c * row[j] for c, row in terms), Fraction(0)) for j in range(len(X[0]))]


def _solved(Q: Rows, y: Sequence[int], prices: Sequence[Fraction | None], *, bias: bool) -> tuple[Row, Fraction] | None:
    """Return alpha and b of the program with the given upper bounds of alpha (None: no bound).

    Complementarity: with s_i = (Q alpha)_i + y_i b - 1 + xi_i >= 0, prices - alpha >= 0 beside xi, and b = p - m where
    p >= 0 beside -sum alpha y >= 0 and m >= 0 beside sum alpha y >= 0.
    """
    n = len(y)
    capped = [i for i in range(n) if prices[i] is not None]
    zero = Fraction(0)
    signs = [Fraction(s) for s in y]
    M = [[*Q[i], *(Fraction(i == j) for j in capped), *([signs[i], -signs[i]] if bias else [])] for i in range(n)]
    M += [
        [*(-Fraction(i == j) for j in range(n)), *([zero] * len(capped)), *([zero, zero] if bias else [])]
        for i in capped
    ]
    q = [Fraction(-1)] * n + [prices[i] or zero for i in capped]
    if bias:
        M.append([*(-s for s in signs), *[zero] * (len(capped) + 2)])
        M.append([*signs, *[zero] * (len(capped) + 2)])
        q += [zero, zero]
    z = lemke(M, q)
    if z is None:
        return None
    return z[:n], (z[-2] - z[-1] if bias else zero)


# --- the perceptron


@dataclass(frozen=True)
class Run:
    """A run of the perceptron in exact arithmetic."""

    counts: list[int]
    n_epochs: int
    converged: bool
    mistake_rows: list[int]


def perceptron(X: Rows, y: Sequence[int], *, scale: Fraction, zero: str, max_epochs: int) -> Run:
    """Cycle through the rows (x, scale); a scale of 0 is a run through the origin."""
    unit = lcm(scale.denominator, *(value.denominator for row in X for value in row))
    rows = [[int(value * unit) for value in (*row, scale)] for row in X]
    w = [0] * len(rows[0])
    counts, mistakes = [0] * len(X), []
    for epoch in range(1, max_epochs + 1):
        before = len(mistakes)
        for i, (row, sign) in enumerate(zip(rows, y, strict=True)):
            score = sum(a * b for a, b in zip(w, row, strict=True))
            is_mistake = sign * score < 0 or (score == 0 and (zero == "mistake" or (zero == "positive") == (sign < 0)))
            if is_mistake:
                w = [a + sign * b for a, b in zip(w, row, strict=True)]
                counts[i] += 1
                mistakes.append(i)
        if len(mistakes) == before:
            return Run(counts, epoch, True, mistakes)
    return Run(counts, max_epochs, False, mistakes)


def margin_of(X: Rows, y: Sequence[int], w: Sequence[Fraction], b: Fraction) -> tuple[int, Fraction]:
    """Return (sign, square) of the least geometric margin of a hyperplane with w != 0."""
    least = min(sign * (dot(w, row) + b) for row, sign in zip(X, y, strict=True))
    return (1 if least > 0 else -1 if least < 0 else 0), least * least / dot(w, w)


def squared_distance_of_means(X: Rows, y: Sequence[int], weights: Sequence[Fraction | int], *, bias: bool) -> Fraction:
    """Return the square of the upper bound of the maximum margin that weights of the rows give."""
    sums = {}
    for side in (-1, 1):
        chosen = [(Fraction(c), row) for c, row, s in zip(weights, X, y, strict=True) if c and s == side]
        total = sum((c for c, _ in chosen), Fraction(0))
        sums[side] = (total, [sum((c * row[j] for c, row in chosen), Fraction(0)) for j in range(len(X[0]))])
    (n, below), (p, above) = sums[-1], sums[1]
    if bias:
        difference = [u / p - v / n for u, v in zip(above, below, strict=True)]
        return dot(difference, difference) / 4
    mean = [(u - v) / (n + p) for u, v in zip(above, below, strict=True)]
    return dot(mean, mean)
