"""Problems with closed-form answers, and slow exact references that share no code with the package."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import gcd, lcm
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

# Tests run side by side on shared machines, and compiled code is compiled on first use: no test is about time.
settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")

Rows = list[list[Fraction]]
Whole = list[list[int]]


@dataclass(frozen=True)
class Known:
    """A two-class problem and the square of its maximum margin, exactly; 0 where it is not strictly separable."""

    name: str
    X: np.ndarray
    y: np.ndarray
    bias: bool
    margin_squared: Fraction

    @property
    def margin(self) -> float:
        return float(self.margin_squared) ** 0.5


def _known(name: str, X: Any, y: Any, margin_squared: Fraction | int, *, bias: bool = True) -> Known:
    rows, signs = np.array(X, dtype=np.float64), np.array(y, dtype=np.float64)
    rows.flags.writeable = signs.flags.writeable = False
    return Known(name, rows, signs, bias, Fraction(margin_squared))


def _vertex_and_face(d: int) -> Known:
    """0 against the unit vectors: the distance of 0 to their hull is 1/sqrt(d)."""
    return _known(f"vertex-face-{d}", [[0] * d, *np.eye(d)], [-1, *[1] * d], Fraction(1, 4 * d))


def _faces_of_a_simplex(p: int, q: int) -> Known:
    """p unit vectors against q others: the means have distance sqrt(1/p + 1/q)."""
    return _known(f"simplex-{p}-{q}", np.eye(p + q), [-1] * p + [1] * q, (Fraction(1, p) + Fraction(1, q)) / 4)


def _unit_vectors_through_the_origin(d: int) -> Known:
    """y x = the unit vectors: the distance of 0 to their hull is 1/sqrt(d), and all d rows are support."""
    y = [(-1) ** i for i in range(d)]
    return _known(f"origin-{d}", np.eye(d) * np.array(y)[:, None], y, Fraction(1, d), bias=False)


def _parallel_lattices(d: int, width: int) -> Known:
    """{0, 1, 2}^d at first coordinate 0, and again at ``width``."""
    face = np.array(list(product(range(3), repeat=d)), dtype=float)
    left = np.hstack([np.zeros((len(face), 1)), face])
    right = np.hstack([np.full((len(face), 1), float(width)), face])
    return _known(f"lattices-{d}-{width}", np.vstack([left, right]), [-1] * len(face) + [1] * len(face),
                  Fraction(width, 2) ** 2)  # fmt: skip


def _odd_max_bit(n: int) -> Known:
    """Label = parity of the highest index that is on: 1/gamma^2 = F_n F_{n+1} over {-1, 1}^n."""
    fibonacci = [0, 1]
    while len(fibonacci) < n + 2:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    X = list(product((-1, 1), repeat=n))
    highest = [max((i + 1 for i, bit in enumerate(x) if bit > 0), default=0) for x in X]
    y = [1 if index % 2 else -1 for index in highest]
    return _known(f"odd-max-bit-{n}", X, y, Fraction(1, fibonacci[n] * fibonacci[n + 1]))


def _formula() -> Known:
    """(x1 or x4) and not x3 over {-1, 1}^4: w = (1, 0, -2, 1), b = -1."""
    X = list(product((-1, 1), repeat=4))
    y = [1 if (x[0] > 0 or x[3] > 0) and x[2] < 0 else -1 for x in X]
    return _known("formula", X, y, Fraction(1, 6))


SEPARABLE = (
    _known("two-points", [[1, 2, 3], [4, 6, 3]], [-1, 1], Fraction(25, 4)),
    _known("agresti", [[10], [20], [30], [40], [60], [70], [80], [90]], [-1] * 4 + [1] * 4, 100),
    _known("ten-twelve", [[10], [12]], [-1, 1], 1),
    _known("collinear-columns", [[1, 2], [2, 4], [5, 10]], [-1, -1, 1], Fraction(45, 4)),
    _known("constant-column", [[7, 0], [7, 1], [7, 4]], [-1, -1, 1], Fraction(9, 4)),
    _known("duplicates", [[0, 0]] * 5 + [[3, 4]] * 4, [-1] * 5 + [1] * 4, Fraction(25, 4)),
    _known("wide", np.hstack([np.eye(3), np.zeros((3, 9))]), [-1, 1, 1], (1 + Fraction(1, 2)) / 4),
    _vertex_and_face(2),
    _vertex_and_face(5),
    _faces_of_a_simplex(1, 1),
    _faces_of_a_simplex(3, 4),
    _unit_vectors_through_the_origin(2),
    _unit_vectors_through_the_origin(7),
    _parallel_lattices(1, 1),
    _parallel_lattices(2, 5),
    *(_odd_max_bit(n) for n in range(2, 7)),
    _formula(),
)

INSEPARABLE = (
    _known("xor", [[0, 0], [1, 1], [0, 1], [1, 0]], [-1, -1, 1, 1], 0),
    _known("both-labels", [[1, 2], [1, 2]], [-1, 1], 0),
    _known("touching", [[0, 0], [2, 0], [1, 0], [1, 1]], [-1, -1, 1, 1], 0),
    _known("all-zero", [[0, 0]] * 4, [-1, 1, -1, 1], 0),
    _known("zero-row-origin", [[0, 0], [1, 1]], [-1, 1], 0, bias=False),
    _known("one-two-origin", [[1], [2]], [-1, 1], 0, bias=False),
    _known("agresti-at-50", [[10], [40], [50], [50], [60], [90]], [-1, -1, -1, 1, 1, 1], 0),
)


@pytest.fixture(params=SEPARABLE, ids=lambda known: known.name)
def separable(request: pytest.FixtureRequest) -> Known:
    """A strictly separable problem of known maximum margin."""
    return request.param


@pytest.fixture(params=INSEPARABLE, ids=lambda known: known.name)
def inseparable(request: pytest.FixtureRequest) -> Known:
    """A problem that is not strictly separable."""
    return request.param


@pytest.fixture(params=SEPARABLE + INSEPARABLE, ids=lambda known: known.name)
def known(request: pytest.FixtureRequest) -> Known:
    """A problem of known maximum margin."""
    return request.param


def _fractions(X: Any) -> Rows:
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return [[Fraction(v) for v in row] for row in dense.tolist()]


def _signed(X: Any, y: Any, bias: bool) -> Rows:
    one = [Fraction(1)] if bias else []
    return [[v * int(sign) for v in [*row, *one]] for row, sign in zip(_fractions(X), y, strict=True)]


def _primitive(row: list[Fraction]) -> tuple[int, ...]:
    scale = lcm(*(v.denominator for v in row))
    whole = [int(v * scale) for v in row]
    factor = gcd(*whole) or 1
    return tuple(v // factor for v in whole)


@dataclass(frozen=True)
class Truth:
    """What is true of separability, rows and columns; columns by number, the bias after the others."""

    verdict: str
    separated: tuple[int, ...]
    touching: tuple[int, ...]
    infinite: dict[int, str]
    finite: tuple[int, ...]
    aliased: tuple[int, ...]
    dimension: int


@pytest.fixture(scope="session")
def truth_by_rays() -> Callable[..., Truth]:
    """Decide everything about small data from all extreme rays of the cone, in integers."""
    return _truth


def _truth(problem: Any) -> Truth:
    """Leave out the columns that depend on earlier ones: what remains is pointed, the hull of its extreme rays."""
    rows = _whole_rows(problem)
    width = len(rows[0])
    kept: list[int] = []
    for column in [width - 1, *range(width - 1)] if problem.bias else range(width):
        if _rank([[row[j] for j in [*kept, column]] for row in rows]) > len(kept):
            kept.append(column)
    rows = [[row[j] for j in kept] for row in rows]
    rays = _extreme_rays(rows, len(kept))
    separated = tuple(i for i, row in enumerate(rows) if any(_dot(row, ray) > 0 for ray in rays))
    touching = tuple(i for i in range(len(rows)) if i not in separated)
    signs = {column: {(ray[j] > 0) - (ray[j] < 0) for ray in rays} - {0} for j, column in enumerate(kept)}
    return Truth(
        verdict="separable" if not touching else "quasi-separable" if separated else "overlap",
        separated=separated,
        touching=touching,
        infinite={j: "undetermined" if len(s) == 2 else "+" if 1 in s else "-" for j, s in signs.items() if s},
        finite=tuple(sorted(j for j, s in signs.items() if not s)),
        aliased=tuple(j for j in range(width) if j not in kept),
        dimension=_rank(rays),
    )


def _extreme_rays(rows: Whole, width: int) -> Whole:
    """Return the vectors with all products >= 0 that are 0 on width - 1 independent rows."""
    distinct = [list(row) for row in {tuple(_reduced(row)) for row in rows} if any(row)]
    rays = []
    for few in combinations(distinct, width - 1) if width else ():
        table, pivots = _echelon(list(few))
        if len(pivots) == width - 1:
            ray = _null_vector(table, pivots, width)
            products = [_dot(row, ray) for row in distinct]
            if min(products) >= 0:
                rays.append(ray)
            if max(products) <= 0:
                rays.append([-v for v in ray])
    return rays


def _whole_rows(problem: Any) -> Whole:
    """Return y (x, 1), through the origin y x, all times one positive integer."""
    X = _fractions(problem.X) if problem.integers is None else [list(map(Fraction, r)) for r in problem.integers]
    unit = lcm(*(v.denominator for row in X for v in row))
    bias = [unit] if problem.bias else []
    return [[int(s) * v for v in [*(int(v * unit) for v in row), *bias]] for row, s in zip(X, problem.y, strict=True)]


def _dot(first: Any, second: Any) -> Any:
    return sum(a * b for a, b in zip(first, second, strict=True) if a and b)


def _reduced(row: list[int]) -> list[int]:
    factor = gcd(*row) or 1
    return [v // factor for v in row]


def _eliminated(row: list[int], other: list[int], pivot: int) -> list[int]:
    return _reduced([a * other[pivot] - row[pivot] * b for a, b in zip(row, other, strict=True)])


def _echelon(rows: Whole) -> tuple[Whole, list[int]]:
    """Return the reduced echelon form, up to a factor of every row, and the pivot columns."""
    table: Whole = []
    pivots: list[int] = []
    for row in rows:
        left = row
        for other, pivot in zip(table, pivots, strict=True):
            left = _eliminated(left, other, pivot) if left[pivot] else left
        new = next((j for j, v in enumerate(left) if v), None)
        if new is not None:
            table = [_eliminated(other, left, new) if other[new] else other for other in table]
            table.append(_reduced(left))
            pivots.append(new)
    return table, pivots


def _rank(rows: Whole) -> int:
    return len(_echelon(rows)[1])


def _null_vector(table: Whole, pivots: list[int], width: int) -> list[int]:
    """Return the vector that spans the null space of an echelon form of rank width - 1."""
    free = next(j for j in range(width) if j not in pivots)
    vector = [0] * width
    vector[free] = lcm(*(row[pivot] for row, pivot in zip(table, pivots, strict=True)))
    for row, pivot in zip(table, pivots, strict=True):
        vector[pivot] = -row[free] * vector[free] // row[pivot]
    return vector


@pytest.fixture(scope="session")
def rank_of() -> Callable[[Whole], int]:
    """Return the rank of rows of integers."""
    return _rank


@pytest.fixture(scope="session")
def is_proven() -> Callable[..., bool]:
    """Check the certificate, the witness and the rows of an answer in integers, and that the words beside them fit."""
    return _is_proven


@pytest.fixture(scope="session")
def is_right() -> Callable[..., bool]:
    """Check an answer on small data: its proof, and verdict, rows and columns against the truth."""

    def check(problem: Any, answer: Any, truth: Truth | None = None) -> bool:
        truth = truth or _truth(problem)
        assert _is_proven(problem, answer), answer
        columns = answer.columns
        found = Truth(
            verdict=answer.verdict.value,
            separated=tuple(answer.separated_rows.tolist()),
            touching=tuple(answer.touching_rows.tolist()),
            infinite=columns.infinite,
            finite=tuple(sorted(columns.finite)),
            aliased=tuple(sorted(columns.aliased)),
            dimension=columns.dimension,
        )
        assert found == truth
        return True

    return check


def _is_proven(problem: Any, answer: Any) -> bool:
    proof = answer.certificate
    if answer.verdict == "undecided":
        assert answer.separated_rows is None and answer.touching_rows is None and answer.witness is proof
        assert answer.strictly_separable is (None if proof is None else False)
        return proof is None or _balances(_whole_rows(problem), proof, problem.n_features + problem.bias + 1)
    rows = _whole_rows(problem)
    separated, touching = answer.separated_rows.tolist(), answer.touching_rows.tolist()
    assert sorted(separated + touching) == list(range(len(rows)))
    assert answer.proof == "exact" and answer.reason
    assert answer.verdict == proof.claim
    assert answer.strictly_separable is (answer.verdict == "separable")
    if separated:
        assert _separates(problem, rows, [*proof.w, proof.b] if problem.bias else proof.w, separated, touching)
        assert problem.bias or proof.b == 0
    if not touching:
        assert answer.verdict == "separable" and answer.witness is None
        return _least(problem, proof) == proof.least_functional_margin
    assert answer.verdict == ("quasi-separable" if separated else "overlap")
    assert tuple(answer.witness_rows) == answer.witness.rows
    assert _balances(rows, answer.witness, len(rows[0]) + 1)
    return _always_touch(rows, proof, touching)


def _separates(problem: Any, rows: Whole, v: Any, separated: list[int], touching: list[int]) -> bool:
    assert len(v) == problem.n_features + problem.bias
    return all(_dot(rows[i], v) > 0 for i in separated) and all(_dot(rows[i], v) == 0 for i in touching)


def _least(problem: Any, plane: Any) -> Fraction:
    X = problem.X if problem.integers is None else problem.integers
    v = [*plane.w, plane.b] if problem.bias else plane.w
    return min(Fraction(_dot(row, v)) for row in _signed(X, problem.y, problem.bias))


def _balances(rows: Whole, point: Any, at_most: int) -> bool:
    few = 1 <= len(set(point.rows)) == len(point.rows) == len(point.weights) <= at_most
    sums = [_dot(column, point.weights) for column in zip(*(rows[i] for i in point.rows), strict=True)]
    return few and min(point.weights) > 0 and not any(sums)


def _always_touch(rows: Whole, proof: Any, touching: list[int]) -> bool:
    """Check a positive balance on touching rows, at most twice their rank, that span all touching rows."""
    support = [rows[i] for i in proof.rows]
    rank = _rank(support)
    null_space = [list(vector) for vector in proof.null_space]
    assert set(proof.rows) <= set(touching)
    assert _balances(rows, proof, max(1, 2 * rank))
    assert _rank(null_space) == len(null_space) == len(rows[0]) - rank
    return not any(_dot(rows[i], vector) for i in touching for vector in null_space)


@pytest.fixture(scope="session")
def mistakes_in_integers() -> Callable[..., tuple[list[int], int]]:
    """Run the perceptron in cyclic order in integers; return the rows of its mistakes, and the epochs that it took."""

    def run(problem: Any, scale: float, zero: str, max_epochs: int) -> tuple[list[int], int]:
        constant = [Fraction(scale if problem.bias else 0.0)]
        fractions = [row + constant for row in _fractions(problem.X)]
        unit = lcm(*(v.denominator for row in fractions for v in row))
        rows = [[int(v * unit) for v in row] for row in fractions]
        signs = [int(sign) for sign in problem.y]
        at_zero = {"mistake": 0, "positive": 1, "negative": -1}[zero]
        w = [0] * len(rows[0])
        mistakes: list[int] = []
        for epoch in range(1, max_epochs + 1):
            before = len(mistakes)
            for i, (row, sign) in enumerate(zip(rows, signs, strict=True)):
                score = sum(weight * value for weight, value in zip(w, row, strict=True))
                if ((score > 0) - (score < 0) or at_zero) != sign:
                    w = [weight + sign * value for weight, value in zip(w, row, strict=True)]
                    mistakes.append(i)
            if len(mistakes) == before:
                return mistakes, epoch
        return mistakes, max_epochs

    return run


@pytest.fixture(scope="session")
def truly_separable() -> Callable[..., bool]:
    """Decide strict separability by Fourier-Motzkin elimination of z_i.v > 0, in integers; for small data."""

    def decide(X: Any, y: Any, bias: bool = True) -> bool:
        rows = {_primitive(row) for row in _signed(X, y, bias)}
        while rows and len(next(iter(rows))):
            above = [r for r in rows if r[-1] > 0]
            below = [r for r in rows if r[-1] < 0]
            rows = {r[:-1] for r in rows if r[-1] == 0}
            for p, q in product(above, below):
                combined = [Fraction(a * -q[-1] + c * p[-1]) for a, c in zip(p[:-1], q[:-1], strict=True)]
                rows.add(_primitive(combined) if combined else ())
        return not rows  # what is left says 0 > 0

    return decide


@pytest.fixture(scope="session")
def margins_of() -> Callable[..., list[Fraction]]:
    """Return y(w.x + b) of every row, in fractions."""

    def margins(X: Any, y: Any, w: Any, b: Any) -> list[Fraction]:
        normal = [Fraction(v) for v in np.asarray(w).tolist()]
        return [
            int(s) * (sum((a * v for a, v in zip(row, normal, strict=True)), Fraction(0)) + Fraction(b))
            for row, s in zip(_fractions(X), y, strict=True)
        ]

    return margins


@pytest.fixture(scope="session")
def hull_bound_squared() -> Callable[..., Fraction]:
    """Return the squared half distance of the weighted class means (through the origin: norm of the weighted mean)."""

    def bound(X: Any, y: Any, weights: Any, bias: bool) -> Fraction:
        a = [Fraction(v) for v in weights]
        rows = _fractions(X)
        plus, minus = [sum((v for v, s in zip(a, y, strict=True) if int(s) == sign), Fraction(0)) for sign in (1, -1)]
        point = []
        for column in zip(*rows, strict=True):
            terms = list(zip(column, a, y, strict=True))
            high, low = (sum((x * v for x, v, s in terms if int(s) == sign), Fraction(0)) for sign in (1, -1))
            point.append((high / plus - low / minus) / 2 if bias else (high - low) / (plus + minus))
        return sum((v * v for v in point), Fraction(0))

    return bound


@pytest.fixture(scope="session")
def is_common_hull_point() -> Callable[..., bool]:
    """Return whether the certificate's weights are positive, on few rows, and balance, in fractions."""

    def check(X: Any, y: Any, bias: bool, point: Any) -> bool:
        rows = _signed(X, y, bias)
        sums = [
            sum(rows[i][j] * a for i, a in zip(point.rows, point.weights, strict=True)) for j in range(len(rows[0]))
        ]
        few = len(point.rows) <= len(rows[0]) + 1 and len(set(point.rows)) == len(point.rows) >= 1
        return few and min(point.weights) > 0 and not any(sums)

    return check


def _dot(u: list[Any], v: list[Any]) -> Any:
    return sum(a * b for a, b in zip(u, v, strict=True))


def _solve(matrix: Rows, right: list[Fraction]) -> list[Fraction]:
    """Solve a regular system by elimination."""
    size = len(matrix)
    rows = [[*map(Fraction, row), Fraction(b)] for row, b in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = next(i for i in range(column, size) if rows[i][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for i in range(size):
            if i != column and rows[i][column]:
                factor = rows[i][column] / rows[column][column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def _null_space(rows: Rows, width: int) -> Rows:
    """Return a basis of the vectors orthogonal to all rows."""
    reduced: Rows = []
    pivots: list[int] = []
    for row in rows:
        for done, pivot in zip(reduced, pivots, strict=True):
            if row[pivot]:
                row = [a - row[pivot] * b for a, b in zip(row, done, strict=True)]
        pivot = next((j for j, a in enumerate(row) if a), None)
        if pivot is None:
            continue
        row = [Fraction(a) / row[pivot] for a in row]
        reduced = [[a - done[pivot] * b for a, b in zip(done, row, strict=True)] for done in reduced] + [row]
        pivots.append(pivot)
    basis = []
    for free in sorted(set(range(width)) - set(pivots)):
        vector = [Fraction(0)] * width
        vector[free] = Fraction(1)
        for done, pivot in zip(reduced, pivots, strict=True):
            vector[pivot] = -done[free]
        basis.append(vector)
    return basis


def _nearest_to_zero(
    start: Any, lowest: Callable[[list[Fraction]], tuple[Any, list[Fraction]]]
) -> tuple[Any, list[Any]]:
    """Return the point x of a polytope nearest to 0, and corners that hold it (Wolfe 1976), in fractions.

    ``lowest(x)`` gives a corner with the least x.p; the end, x.p >= x.x for all corners, is the proof.
    """
    corners, weights, x = [start], [Fraction(1)], start[1]
    while True:
        corner = lowest(x)
        if _dot(x, corner[1]) >= _dot(x, x):
            return x, [name for name, _ in corners]
        corners, weights = [*corners, corner], [*weights, Fraction(0)]
        while True:
            gram = [[_dot(p, q) for _, q in corners] + [Fraction(1)] for _, p in corners]
            gram.append([Fraction(1)] * len(corners) + [Fraction(0)])
            goal = _solve(gram, [Fraction(0)] * len(corners) + [Fraction(1)])[:-1]
            if min(goal) > 0:
                weights = goal
                break
            step = min(a / (a - g) for a, g in zip(weights, goal, strict=True) if g <= 0)
            weights = [a + step * (g - a) for a, g in zip(weights, goal, strict=True)]
            kept = [i for i, a in enumerate(weights) if a > 0]
            corners, weights = [corners[i] for i in kept], [weights[i] for i in kept]
        x = [sum(a * p[j] for a, (_, p) in zip(weights, corners, strict=True)) for j in range(len(x))]


def _place_of_least(points: Rows) -> Callable[[list[Fraction]], int]:
    """Return what finds the point with the least x.p; whole numbers take a sixth of the time of fractions."""
    common = lcm(*(a.denominator for point in points for a in point))
    whole = [[int(a * common) for a in point] for point in points]

    def place(x: list[Fraction]) -> int:
        direction = _primitive(x)
        return min(range(len(whole)), key=lambda i: _dot(direction, whole[i]))

    return place


def _nearest_of(points: Rows) -> tuple[list[Fraction], list[int]]:
    place = _place_of_least(points)

    def lowest(x: list[Fraction]) -> tuple[int, list[Fraction]]:
        i = place(x)
        return i, points[i]

    return _nearest_to_zero(min(enumerate(points), key=lambda point: _dot(point[1], point[1])), lowest)


@pytest.fixture(scope="session")
def exact_verdict() -> Callable[..., tuple[str, list[int]]]:
    """Decide separable, quasi-separable, overlap, and which rows every weakly separating hyperplane contains.

    Facial reduction: rows that balance touch; modulo their span, look again among the others; when the point of the
    hull of the others nearest to 0 is not 0, it separates them all.
    """

    def decide(X: Any, y: Any, bias: bool = True) -> tuple[str, list[int]]:
        signed = [[Fraction(a) for a in _primitive(row)] for row in _signed(X, y, bias)]
        width, touching = len(signed[0]), set()
        while True:
            basis = _null_space([signed[i] for i in sorted(touching)], width)
            seen = {i: [_dot(row, vector) for vector in basis] for i, row in enumerate(signed)}
            touching = {i for i, row in seen.items() if not any(row)}
            others = [i for i in seen if i not in touching]
            if not others:
                return "overlap", sorted(touching)
            point, balancing = _nearest_of([[Fraction(a) for a in _primitive(seen[i])] for i in others])
            if any(point):
                return "quasi-separable" if touching else "separable", sorted(touching)
            touching |= {others[i] for i in balancing}

    return decide


@pytest.fixture(scope="session")
def exact_margin_squared() -> Callable[..., Fraction]:
    """Return the square of the maximum margin: the nearest points of the hulls, found and proven in fractions."""

    def square(X: Any, y: Any, bias: bool = True) -> Fraction:
        rows, signs = _fractions(X), [int(sign) for sign in y]
        if not bias:
            point, _ = _nearest_of([[sign * a for a in row] for row, sign in zip(rows, signs, strict=True)])
            return Fraction(_dot(point, point))
        plus, minus = [[row for row, s in zip(rows, signs, strict=True) if s == sign] for sign in (1, -1)]
        of_plus, of_minus = _place_of_least(plus), _place_of_least(minus)

        def lowest(x: list[Fraction]) -> tuple[None, list[Fraction]]:
            p, q = plus[of_plus(x)], minus[of_minus([-a for a in x])]
            return None, [a - b for a, b in zip(p, q, strict=True)]

        point, _ = _nearest_to_zero(lowest([a - b for a, b in zip(plus[0], minus[0], strict=True)]), lowest)
        return Fraction(_dot(point, point)) / 4

    return square
