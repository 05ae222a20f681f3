"""Random integers around a planted answer, of any size."""

from random import Random

import numpy as np

from maxmargin.data.generators.family import SEED, Integer, family
from maxmargin.data.generators.known_answers import OVERLAP, Case, Matrix, quasi, separable
from maxmargin.data.generators.shapes import IntArray, nonzero, orthogonal_to
from maxmargin.solvers.errors import InvalidOptionError

_N = Integer(default=40, least=2, most=100_000)
_D = Integer(default=4, least=1, most=1000)
# Bits of an entry of the planted normal; entries of the rows have two bits more.
_BITS = Integer(default=2, least=1, most=20)

_MOST_ENTRIES = 10_000_000


@family("planted", "n random integer rows in d columns with a planted maximum margin; d may exceed n",
        n=_N, d=_D, bits=_BITS, seed=SEED)  # fmt: skip
def _planted(n: int, d: int, bits: int, seed: int) -> Case:
    return _with_planted_margin(n, d, largest=2**bits - 1, bits=bits, seed=seed)


@family("planted-gap", "n random integer rows of size 2^bits around a planted gap of about 1",
        n=_N, d=_D, bits=_BITS, seed=SEED)  # fmt: skip
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
        n=_N, d=_D, separated=Integer(default=10, least=1, most=100_000), flat=Integer(default=1, least=0, most=999),
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
        n=_N, d=_D, bits=_BITS, seed=SEED)  # fmt: skip
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
    moved: IntArray = X + (y * steps)[:, None] * a
    return moved


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
    vector: IntArray = factors @ orthogonal_to(a)
    return vector
