"""Simplices: every labelling is separable, and the margin has a closed form."""

from fractions import Fraction
from random import Random

import numpy as np

from maxmargin.data.generators.case import OVERLAP, Case, quasi, separable, two_classes
from maxmargin.data.generators.exact_numbers import Matrix
from maxmargin.data.generators.family import SEED, Family, Whole, family
from maxmargin.solvers.errors import InvalidOptionError


@family("simplex", "p unit vectors against q others, in p + q dimensions",
        p=Whole(default=3, least=1, most=100), q=Whole(default=4, least=1, most=100))  # fmt: skip
def _simplex(p: int, q: int) -> Case:
    unit = np.eye(p + q, dtype=np.int64)
    why = "the means are at distance sqrt(1/p + 1/q); through the origin, the signed mean is nearest to 0"
    return two_classes(
        unit[:p], unit[p:],
        with_bias=separable((Fraction(1, p) + Fraction(1, q)) / 4), through_origin=separable(Fraction(1, p + q)),
        why=why,
    )  # fmt: skip


@family("regular-simplex", "2^m rows, regular, in 2^m - 1 dimensions (Hadamard); p of them, drawn, are -1",
        m=Whole(default=3, least=1, most=8), p=Whole(default=3, least=1, most=255), seed=SEED)  # fmt: skip
def _regular_simplex(m: int, p: int, seed: int) -> Case:
    """With sum a_i = 1, ||sum a_i y_i x_i||^2 = n sum a_i^2 - (sum a_i y_i)^2, as x_i.x_j = n [i = j] - 1."""
    n, q = 2**m, 2**m - p
    if q < 1:
        raise InvalidOptionError(f"found p {p}, expected at most 2^m - 1 = {n - 1}")
    hadamard = np.ones((1, 1), dtype=np.int64)
    for _ in range(m):
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    y = np.ones(n, dtype=np.int64)
    y[Random(seed).sample(range(n), p)] = -1
    why = "edges of length sqrt(2n), n = 2^m: the means of the classes are at distance sqrt(n (1/p + 1/q))"
    return Case(
        rows=Matrix.of(hadamard[:, 1:]), y=y, why=why,
        with_bias=separable(Fraction(n, 4) * (Fraction(1, p) + Fraction(1, q))),
        through_origin=separable(Fraction(min(p, q), max(p, q))),
    )  # fmt: skip


@family("corner", "0 against the d unit vectors: d + 1 rows", d=Whole(default=5, least=1, most=200))
def _corner(d: int) -> Case:
    why = "the hull of the unit vectors has distance 1/sqrt(d) from 0; through the origin, 0 touches every hyperplane"
    unit = np.eye(d, dtype=np.int64)
    return two_classes(
        np.zeros((1, d), dtype=np.int64), unit,
        with_bias=separable(Fraction(1, 4 * d)), through_origin=quasi([0]), why=why,
    )  # fmt: skip


@family("radon", "a simplex and its centre: d + 2 rows, the fewest that can exclude separation in general position",
        d=Whole(default=3, least=1, most=200))  # fmt: skip
def _radon(d: int) -> Case:
    corners = np.vstack([np.zeros((1, d), dtype=np.int64), (d + 1) * np.eye(d, dtype=np.int64)])
    why = "the only row of +1 is the mean of the d + 1 corners"
    return two_classes(
        corners, np.ones((1, d), dtype=np.int64), with_bias=OVERLAP, through_origin=OVERLAP, why=why
    )  # fmt: skip


FAMILIES: tuple[Family, ...] = (_simplex, _regular_simplex, _corner, _radon)
