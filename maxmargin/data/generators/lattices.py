"""Pieces of integer lattices at a known distance."""

from fractions import Fraction
from itertools import product
from math import ceil
from random import Random

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators.case import OVERLAP, Case, Known, Verdict, quasi, separable, two_classes
from maxmargin.data.generators.family import KIND, SEED, Family, Whole, family

Vector = NDArray[np.int64]


@family("boxes", "two boxes of side + 1 lattice points a side: apart, touching in a face or less, or overlapping",
        d=Whole(default=2, least=1, most=5), side=Whole(default=2, least=1, most=6), kind=KIND, seed=SEED)  # fmt: skip
def _boxes(d: int, side: int, kind: Verdict, seed: int) -> Case:
    """The distance is sqrt(sum_j max(0, |s_j| - side)^2) for the shift s; columns with |s_j| = side touch."""
    rng = Random(seed)
    shift = np.array([_shift(rng, side, kind) for _ in range(d)])
    column = rng.randrange(d)
    least = {"separable": side + 1, "quasi-separable": side, "overlap": 0}[kind]
    shift[column] = max(abs(shift[column]), least) * rng.choice((-1, 1))
    start = np.array([rng.randint(-9, 9) for _ in range(d)])
    box = start + np.array(list(product(range(side + 1), repeat=d)))
    answer, axes = _boxes_apart(box, shift, side)
    return two_classes(
        box, box + shift, with_bias=answer, axes=axes,
        why="in every column two intervals: their gaps are the columns of the shortest difference",
    )  # fmt: skip


def _shift(rng: Random, side: int, kind: Verdict) -> int:
    most = {"separable": side + 3, "quasi-separable": side, "overlap": side - 1}[kind]
    return rng.randint(-most, most)


def _boxes_apart(box: Vector, shift: Vector, side: int) -> tuple[Known, frozenset[int] | None]:
    gaps = np.maximum(abs(shift) - side, 0)
    if gaps.any():
        square = Fraction(int((gaps**2).sum()), 4)
        return separable(square), frozenset(np.flatnonzero(gaps).tolist())
    touching_columns = np.flatnonzero(abs(shift) == side)
    if not touching_columns.size:
        return OVERLAP, None
    both = np.vstack([box, box + shift])
    wall = np.where(shift > 0, box.max(axis=0), box.min(axis=0))
    is_touching = (both[:, touching_columns] == wall[touching_columns]).all(axis=1)
    return quasi(np.flatnonzero(is_touching)), None


@family("layers", "two slanted boxes in parallel lattice hyperplanes: gamma^2 is a fraction of many digits",
        d=Whole(default=3, least=2, most=6), seed=SEED)  # fmt: skip
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
    return two_classes(box, box + shift, with_bias=separable(Fraction(gap * gap, 4 * square)), why=why)


def nonzero(rng: Random, d: int, most: int = 3) -> Vector:
    """Return a random vector of integers from -most to most whose first entry is not 0."""
    first = rng.choice((-1, 1)) * rng.randint(1, most)
    return np.array([first, *(rng.randint(-most, most) for _ in range(d - 1))], dtype=np.int64)


def orthogonal_to(normal: Vector) -> NDArray[np.int64]:
    """Return d - 1 independent integer rows orthogonal to a normal whose first entry is not 0."""
    d = len(normal)
    basis = np.zeros((d - 1, d), dtype=np.int64)
    basis[:, 0] = -normal[1:]
    basis[np.arange(d - 1), np.arange(1, d)] = normal[0]
    return basis


FAMILIES: tuple[Family, ...] = (_boxes, _layers)
