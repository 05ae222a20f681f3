"""Sets of points of a known shape, from simplices to parallel faces, and random ones around a planted answer."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, lcm, pi, tan
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators.family import KIND, SEED, Integer, family
from maxmargin.data.generators.known_answers import OVERLAP, Case, Known, Matrix, Verdict, quasi, separable, two_classes
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.dyadic import Integers

IntArray: TypeAlias = NDArray[np.int64]

# Tangents of half the angles of plane rotations: (3, 4)/5, (4, 3)/5, (5, 12)/13, (15, 8)/17.
_TANGENTS = ((1, 2), (1, 3), (2, 3), (1, 4))

# Number of bits after the point of tan(angle/2) of a point on a circle.
_SLOPE_BITS = 20

# Simplices: every labelling is separable, and the margin has a closed form


@family("simplex", "p unit vectors against q others, in p + q dimensions",
        p=Integer(default=3, least=1, most=100), q=Integer(default=4, least=1, most=100))  # fmt: skip
def _simplex(p: int, q: int) -> Case:
    unit = np.eye(p + q, dtype=np.int64)
    why = "the means are at distance sqrt(1/p + 1/q); through the origin, the signed mean is nearest to 0"
    with_bias = separable((Fraction(1, p) + Fraction(1, q)) / 4)
    return two_classes(unit[:p], unit[p:], with_bias, separable(Fraction(1, p + q)), why)


@family("regular-simplex", "2^m rows, regular, in 2^m - 1 dimensions (Hadamard); p of them, drawn, are -1",
        m=Integer(default=3, least=1, most=8), p=Integer(default=3, least=1, most=255), seed=SEED)  # fmt: skip
def _regular_simplex(m: int, p: int, seed: int) -> Case:
    """With sum a_i = 1, ||sum a_i y_i x_i||^2 = n sum a_i^2 - (sum a_i y_i)^2, as x_i.x_j = n [i = j] - 1."""
    from scipy.linalg import hadamard

    n, q = 2**m, 2**m - p
    if q < 1:
        raise InvalidOptionError(f"found p {p}, expected at most 2^m - 1 = {n - 1}")
    y = np.ones(n, dtype=np.int64)
    y[Random(seed).sample(range(n), p)] = -1
    why = "edges of length sqrt(2n), n = 2^m: the means of the classes are at distance sqrt(n (1/p + 1/q))"
    return Case(
        rows=Matrix.of(hadamard(n)[:, 1:]), y=y, why=why,
        with_bias=separable(Fraction(n, 4) * (Fraction(1, p) + Fraction(1, q))),
        through_origin=separable(Fraction(min(p, q), max(p, q))),
    )  # fmt: skip


@family("corner", "0 against the d unit vectors: d + 1 rows", d=Integer(default=5, least=1, most=200))
def _corner(d: int) -> Case:
    why = "the hull of the unit vectors has distance 1/sqrt(d) from 0; through the origin, 0 touches every hyperplane"
    unit = np.eye(d, dtype=np.int64)
    return two_classes(np.zeros((1, d), dtype=np.int64), unit, separable(Fraction(1, 4 * d)), quasi([0]), why)


@family("radon", "a simplex and its centre: d + 2 rows, the fewest that can exclude separation in general position",
        d=Integer(default=3, least=1, most=200))  # fmt: skip
def _radon(d: int) -> Case:
    corners = np.vstack([np.zeros((1, d), dtype=np.int64), (d + 1) * np.eye(d, dtype=np.int64)])
    why = "the only row of +1 is the mean of the d + 1 corners"
    return two_classes(corners, np.ones((1, d), dtype=np.int64), OVERLAP, OVERLAP, why)


# Pieces of integer lattices at a known distance


@family("boxes", "two boxes of side + 1 lattice points a side: apart, touching in a face or less, or overlapping",
        d=Integer(default=2, least=1, most=5), side=Integer(default=2, least=1, most=6), kind=KIND,
        seed=SEED)  # fmt: skip
def _boxes(d: int, side: int, kind: Verdict, seed: int) -> Case:
    """The distance is sqrt(sum_j max(0, |s_j| - side)^2) for the shift s; columns with |s_j| = side touch."""
    rng = Random(seed)
    least = {"separable": side + 1, "quasi-separable": side, "overlap": 0}[kind]
    most = {"separable": side + 3, "quasi-separable": side, "overlap": side - 1}[kind]
    shift = np.array([rng.randint(-most, most) for _ in range(d)])
    column = rng.randrange(d)
    shift[column] = max(abs(shift[column]), least) * rng.choice((-1, 1))
    start = np.array([rng.randint(-9, 9) for _ in range(d)])
    box = start + np.array(list(product(range(side + 1), repeat=d)))
    why = "in every column two intervals: their gaps are the columns of the shortest difference"
    return two_classes(box, box + shift, _boxes_apart(box, shift, side), None, why)


def _boxes_apart(box: IntArray, shift: IntArray, side: int) -> Known:
    gaps = np.maximum(abs(shift) - side, 0)
    if gaps.any():
        return separable(Fraction(int((gaps**2).sum()), 4))
    touching_columns = np.flatnonzero(abs(shift) == side)
    if not touching_columns.size:
        return OVERLAP
    both = np.vstack([box, box + shift])
    wall = np.where(shift > 0, box.max(axis=0), box.min(axis=0))
    is_touching = (both[:, touching_columns] == wall[touching_columns]).all(axis=1)
    return quasi(np.flatnonzero(is_touching))


@family("layers", "two slanted boxes in parallel lattice hyperplanes: gamma^2 is a fraction of many digits",
        d=Integer(default=3, least=2, most=6), seed=SEED)  # fmt: skip
def _layers(d: int, seed: int) -> Case:
    """The boxes c + sum +-r b_j with b_j orthogonal to a; the shift t has a.t = g, so the layers are g/||a|| apart.

    r is so great that the foot of t lies in the difference of the boxes: then the hulls are just as far apart.
    """
    rng = Random(seed)
    normal = nonzero(rng, d)
    shift = nonzero(rng, d)
    while not (gap := int(normal @ shift)):
        shift = nonzero(rng, d)
    square = int(normal @ normal)
    basis = orthogonal_to(normal)
    foot = [Fraction(int(shift[j])) - Fraction(gap * int(normal[j]), square) for j in range(1, d)]
    reach = max(1, ceil(max(abs(value / int(normal[0])) for value in foot) / 2))
    start = np.array([rng.randint(-9, 9) for _ in range(d)])
    box = start + reach * np.array(list(product((-1, 1), repeat=d - 1))) @ basis
    why = f"layers a.x = c and c + {gap} with ||a||^2 = {square}, one above the other"
    return two_classes(box, box + shift, separable(Fraction(gap * gap, 4 * square)), None, why)


def nonzero(rng: Random, d: int, most: int = 3) -> IntArray:
    """Return a random vector of integers from -most to most whose first entry is not 0."""
    first = rng.choice((-1, 1)) * rng.randint(1, most)
    return np.array([first, *(rng.randint(-most, most) for _ in range(d - 1))], dtype=np.int64)


def orthogonal_to(normal: IntArray) -> IntArray:
    """Return d - 1 independent integer rows orthogonal to a normal whose first entry is not 0."""
    d = len(normal)
    basis = np.zeros((d - 1, d), dtype=np.int64)
    basis[:, 0] = -normal[1:]
    basis[np.arange(d - 1), np.arange(1, d)] = normal[0]
    return basis


# Points on circles: their coordinates are rounded to binary64, and the verdict is about the rounded points


def _circle(n: int) -> Floats:
    """Return n points on the unit circle, nearly evenly spread, none on an axis but for (1, 0).

    They are ((1 - t^2), 2t)/(1 + t^2), with t = tan(angle/2) cut to a few bits and the quotients correctly rounded: the
    same numbers on every machine.
    """
    angles = (pi * (k + 0.25) / n for k in range(n))
    slopes = [Fraction(round(tan(half) * 2**_SLOPE_BITS), 2**_SLOPE_BITS) for half in angles]
    return np.array([[float((1 - t * t) / (1 + t * t)), float(2 * t / (1 + t * t))] for t in slopes])


@family("unit-circle", "n points on the unit circle, the upper half is +1", n=Integer(default=20, least=2, most=10_000))
def _unit_circle(n: int) -> Case:
    points = _circle(n)
    y = np.where(points[:, 1] > 0, 1, -1)
    why = "the second column has the sign of the label, and is never 0"
    return Case(rows=Matrix.of_floats(points), y=y, with_bias=separable(), through_origin=separable(), why=why)


@family("two-circles", "n points on a circle of radius 1, n on one of radius 2: overlap, but for the radius",
        n=Integer(default=20, least=3, most=10_000))  # fmt: skip
def _two_circles(n: int) -> Case:
    inner = _circle(n)
    points = np.vstack([inner, 2 * inner])
    why = "0 lies inside the hulls of both classes"
    y = np.repeat([-1, 1], n)
    return Case(rows=Matrix.of_floats(points), y=y, with_bias=OVERLAP, through_origin=OVERLAP, why=why)


# Two parallel faces at a known distance, at every scale: gaps, touching faces, overlaps, units, offsets

_D = Integer(default=2, least=1, most=6)
_WHY: dict[Verdict, str] = {
    "separable": "parallel faces, -1 at the lower end of the slab and +1 at the upper, one above the other",
    "quasi-separable": "the faces of both classes coincide and one row of each class lies strictly on its side",
    "overlap": "the faces have changed sides, one row of each class lies beyond: 0 is inside both hulls",
}


def slab(kind: Verdict, d: int, *, far: int = 4, exponents: Sequence[int] | None = None) -> Case:
    """Return faces {-1,1}^(d-1) at first coordinate -1 and +1 (or both 0, or swapped), and a row at -far and at far.

    All is symmetric about 0, so the answers with bias and through the origin are the same.
    """
    near = {"separable": -1, "quasi-separable": 0, "overlap": 1}[kind]
    faces = list(product((-1, 1), repeat=d - 1))
    above = (0,) * (d - 1)
    negative = [*((near, *face) for face in faces), (-far, *above)]
    positive = [*((-near, *face) for face in faces), (far, *above)]
    n = len(faces)
    answer = {
        "separable": separable(Fraction(4) ** (exponents[0] if exponents else 0)),
        "quasi-separable": quasi([*range(n), *range(n + 1, 2 * n + 1)]),
        "overlap": OVERLAP,
    }[kind]
    return two_classes(negative, positive, answer, answer, _WHY[kind], exponents=exponents)


@family("gap", "two faces 2^-k apart, either side of 0, and a row far behind each",
        k=Integer(default=40, least=1, most=1073), d=_D)  # fmt: skip
def _gap(k: int, d: int) -> Case:
    return slab("separable", d, far=2 ** (k + 1), exponents=[-(k + 1)] + [0] * (d - 1))


@family("gap-at-one", "two faces 2^-k apart, either side of 1", k=Integer(default=40, least=1, most=51), d=_D)
def _gap_at_one(k: int, d: int) -> Case:
    case = slab("separable", d, far=2 ** (k + 1), exponents=[-(k + 1)] + [0] * (d - 1))
    why = f"{_WHY['separable']}; through the origin the means of both faces lie on one ray"
    return replace(moved(case, [2 ** (k + 1)] + [0] * (d - 1)), through_origin=OVERLAP, why=why)


@family("touching", "two faces that coincide, and a row 2^-k behind each",
        k=Integer(default=40, least=1, most=1073), d=_D)  # fmt: skip
def _touching(k: int, d: int) -> Case:
    return slab("quasi-separable", d, far=1, exponents=[-k] + [0] * (d - 1))


@family("overlap", "two faces that have changed sides by 2^-k, and a row far behind each",
        k=Integer(default=40, least=1, most=1073), d=_D)  # fmt: skip
def _overlap(k: int, d: int) -> Case:
    return slab("overlap", d, far=2 ** (k + 1), exponents=[-(k + 1)] + [0] * (d - 1))


@family(
    "units", "columns in units of 2^-k and 2^k by turns", k=Integer(default=900, least=1, most=900), d=_D, kind=KIND
)
def _units(k: int, d: int, kind: Verdict) -> Case:
    return slab(kind, d, exponents=[k if j % 2 else -k for j in range(d)])


@family("subnormal", "small multiples of 2^-1074, the least positive number", d=_D, kind=KIND)
def _subnormal(d: int, kind: Verdict) -> Case:
    return slab(kind, d, exponents=[-1074] * d)


@family("offset", "integers, 10^k away from 0 in every column",
        k=Integer(default=12, least=1, most=15), d=_D, kind=KIND)  # fmt: skip
def _offset(k: int, d: int, kind: Verdict) -> Case:
    return moved(slab(kind, d), [10**k] * d)


@family("duplicates", "every row several times", copies=Integer(default=5, least=2, most=1000), d=_D, kind=KIND)
def _duplicates(copies: int, d: int, kind: Verdict) -> Case:
    case = slab(kind, d)
    return with_rows(case, [*range(len(case.y))] * copies)


@family("collinear", "d - 1 multiples of one column, and a constant column",
        d=Integer(default=4, least=2, most=100), kind=KIND)  # fmt: skip
def _collinear(d: int, kind: Verdict) -> Case:
    case, factors = slab(kind, 1), np.arange(1, d).astype(object)
    rows = np.hstack([case.rows.integers * factors, np.full((len(case.y), 1), 7, dtype=object)])
    answer = separable((factors**2).sum()) if kind == "separable" else case.with_bias
    return replace(case, rows=Matrix.of(rows), with_bias=answer, through_origin=answer)


@family("rotated", "a slab turned by a rational rotation and multiplied by its denominator: integers",
        d=Integer(default=3, least=2, most=6), kind=KIND, seed=SEED)  # fmt: skip
def _rotated(d: int, kind: Verdict, seed: int) -> Case:
    return turned(slab(kind, d), Random(seed))


# Random integers around a planted answer, of any size

_N = Integer(default=40, least=2, most=100_000)
_DIM = Integer(default=4, least=1, most=1000)
# Bits of an entry of the planted normal; entries of the rows have two bits more.
_BITS = Integer(default=2, least=1, most=20)

_MOST_ENTRIES = 10_000_000


@family("planted", "n random integer rows in d columns with a planted maximum margin; d may exceed n",
        n=_N, d=_DIM, bits=_BITS, seed=SEED)  # fmt: skip
def _planted(n: int, d: int, bits: int, seed: int) -> Case:
    return _with_planted_margin(n, d, largest=2**bits - 1, bits=bits, seed=seed)


@family("planted-gap", "n random integer rows of size 2^bits around a planted gap of about 1",
        n=_N, d=_DIM, bits=_BITS, seed=SEED)  # fmt: skip
def _planted_gap(n: int, d: int, bits: int, seed: int) -> Case:
    return _with_planted_margin(n, d, largest=1, bits=bits, seed=seed)


def _with_planted_margin(n: int, d: int, *, largest: int, bits: int, seed: int) -> Case:
    """-a and a are hull points of the classes, and all rows have y a.x >= ||a||^2."""
    _check_size(n, d)
    rng = Random(seed)
    a = nonzero(rng, d, largest)
    y = _random_signs(rng, n)
    y[rng.sample(range(n), 2)] = -1, 1
    X = _beyond(_random_rows(rng, n, d, bits), a, y, int(a @ a))
    for sign in (-1, 1):
        members = np.flatnonzero(y == sign)
        pair = _orthogonal(rng, a) if len(members) > 1 else 0 * a
        X[members[:2]] = (sign * a + np.array([pair, -pair]))[: len(members)]
    answer = separable(int(a @ a))
    why = f"the means of two rows a class (or one row) are -a and a = {a.tolist()}, and y a.x >= ||a||^2 for all rows"
    return Case(rows=Matrix.of(X), y=y, with_bias=answer, through_origin=answer, why=why)


@family("planted-quasi", "n random integer rows, all but some of them in a flat through 0 where the classes overlap",
        n=_N, d=_DIM, separated=Integer(default=10, least=1, most=100_000), flat=Integer(default=1, least=0, most=999),
        bits=_BITS, seed=SEED)  # fmt: skip
def _planted_quasi(n: int, d: int, separated: int, flat: int, bits: int, seed: int) -> Case:
    """Rows +-b_j of both classes span the flat and balance; the others have y a.x > 0, a orthogonal to the flat."""
    _check_size(n, d)
    least = 4 * flat if flat else 2
    if flat > d - 1:
        raise InvalidOptionError(f"found flat {flat}, expected at most d - 1 = {d - 1}")
    if n - separated < least:
        raise InvalidOptionError(f"found separated {separated}, expected at most n - {least} = {n - least}")
    rng = Random(seed)
    a = nonzero(rng, d, 2**bits - 1)
    basis = orthogonal_to(a)[rng.sample(range(d - 1), flat)]
    inside, labels = _overlapping(rng, basis, n - separated)
    y = np.concatenate([labels, _random_signs(rng, separated)])
    X = np.vstack([inside, _beyond(_random_rows(rng, separated, d, bits), a, y[n - separated :], 1)])
    order = np.array(rng.sample(range(n), n))
    answer = quasi(np.flatnonzero(order < n - separated))
    why = f"the touching rows overlap in a flat of dimension {flat}; the others have y a.x > 0 for a = {a.tolist()}"
    return Case(rows=Matrix.of(X[order]), y=y[order], with_bias=answer, through_origin=answer, why=why)


@family("planted-overlap", "n random integer rows in d columns, with rows of both classes all around 0",
        n=_N, d=_DIM, bits=_BITS, seed=SEED)  # fmt: skip
def _planted_overlap(n: int, d: int, bits: int, seed: int) -> Case:
    _check_size(n, d)
    if n < 4 * d:
        raise InvalidOptionError(f"found n {n}, expected at least 4 d = {4 * d}")
    rng = Random(seed)
    basis = np.triu(np.array([nonzero(rng, d, 2**bits - 1) for _ in range(d)]), 1) + np.diag(nonzero(rng, 1).repeat(d))
    X, y = _overlapping(rng, basis, n)
    order = np.array(rng.sample(range(n), n))
    why = "+-b_j of both classes for a basis b_1, ..., b_d"
    return Case(rows=Matrix.of(X[order]), y=y[order], with_bias=OVERLAP, through_origin=OVERLAP, why=why)


def _overlapping(rng: Random, basis: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Return +-b_j of both classes, and combinations of the b_j of any class: n rows; for an empty basis, zeros."""
    corners = np.vstack([basis, -basis, basis, -basis]) if len(basis) else np.zeros((2, basis.shape[1]), dtype=np.int64)
    labels = np.repeat([-1, 1], len(corners) // 2)
    rest = n - len(corners)
    factors = np.array(rng.choices(range(-2, 3), k=rest * len(basis)), dtype=np.int64).reshape(rest, len(basis))
    return np.vstack([corners, factors @ basis]), np.concatenate([labels, _random_signs(rng, rest)])


def _beyond(X: IntArray, a: IntArray, y: IntArray, least: int) -> IntArray:
    """Move rows along a, by as much as needed for y a.x >= least."""
    missing = np.maximum(least - y * (X @ a), 0)
    steps = -(-missing // int(a @ a))
    return np.asarray(X + (y * steps)[:, None] * a)


def _random_signs(rng: Random, n: int) -> IntArray:
    return np.array(rng.choices((-1, 1), k=n), dtype=np.int64)


def _check_size(n: int, d: int) -> None:
    if n * d > _MOST_ENTRIES:
        raise InvalidOptionError(f"found n d = {n * d:,} entries, expected at most {_MOST_ENTRIES:,}")


def _random_rows(rng: Random, n: int, d: int, bits: int) -> IntArray:
    most = 2 ** (bits + 2)
    span = range(-most, most + 1)
    return np.array(rng.choices(span, k=n * d), dtype=np.int64).reshape(n, d)


def _orthogonal(rng: Random, a: IntArray) -> IntArray:
    """Return a random integer vector orthogonal to a."""
    if len(a) == 1:
        return 0 * a
    factors = np.array(rng.choices((-1, 0, 1), k=len(a) - 1), dtype=np.int64)
    return np.asarray(factors @ orthogonal_to(a))


# Changes that keep the verdict, and their effect on the other answers


def with_answers(case: Case, alter: Callable[[Known], Known]) -> Case:
    """Alter both answers."""
    origin = None if case.through_origin is None else alter(case.through_origin)
    return replace(case, with_bias=alter(case.with_bias), through_origin=origin)


def with_rows(case: Case, positions: Sequence[int]) -> Case:
    """Put the rows at these positions, each at least once, into this order; copies of touching rows touch as well."""
    index = np.array(positions, dtype=np.int64)

    def renumbered(known: Known) -> Known:
        touching = None if known.touching is None else np.flatnonzero(np.isin(index, known.touching))
        return replace(known, touching=None if touching is None else tuple(touching.tolist()))

    rows = Matrix(case.rows.integers[index], case.rows.exponents)
    return with_answers(replace(case, rows=rows, y=case.y[index]), renumbered)


def moved(case: Case, vector: Sequence[int]) -> Case:
    """Add whole numbers, in units of the columns; the answer through the origin is no longer known."""
    rows = Matrix(case.rows.integers + np.array(vector, dtype=object), case.rows.exponents)
    return replace(case, rows=rows, through_origin=None)


def scaled(case: Case, factor: Fraction | None) -> Case:
    """Multiply the squared margins, or forget them."""

    def multiplied(known: Known) -> Known:
        margin = known.margin_squared
        return replace(known, margin_squared=None if margin is None or factor is None else margin * factor)

    return with_answers(case, multiplied)


def turned(case: Case, rng: Random) -> Case:
    """Rotate columns of one unit by a rational rotation, and multiply them by its common denominator."""
    rotation, denominator = rational_rotation(case.rows.integers.shape[1], rng)
    rows = Matrix(case.rows.integers @ rotation, case.rows.exponents)
    return scaled(replace(case, rows=rows), Fraction(denominator) ** 2)


def rational_rotation(d: int, rng: Random) -> tuple[Integers, int]:
    """Return integers Q and D with Q'Q = D^2 I: a product of rotations of planes by Pythagorean triples.

    Cayley's (I - S)(I + S)^-1 with S = (0, -t; t, 0) rotates a plane by the angle whose half has the tangent t.
    """
    rotation = np.eye(d, dtype=object)
    for _ in range(min(d, 4) if d > 1 else 0):
        i, j = rng.sample(range(d), 2)
        t = Fraction(*rng.choice(_TANGENTS))
        cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        rotation[[i, j]] = np.array([[cosine, -sine], [sine, cosine]]) @ rotation[[i, j]]
    denominator = lcm(*(value.denominator for value in rotation.flat))
    return np.vectorize(int, otypes=[object])(rotation * denominator), denominator
