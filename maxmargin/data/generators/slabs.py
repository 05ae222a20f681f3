"""Two parallel faces at a known distance, at every scale: gaps, touching faces, overlaps, units, offsets."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

from maxmargin.data.generators import transformations
from maxmargin.data.generators.family import KIND, SEED, Integer, family
from maxmargin.data.generators.known_answers import OVERLAP, Case, Verdict, quasi, separable, two_classes

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
    return two_classes(negative, positive, answer, answer, _WHY[kind], axes={0}, exponents=exponents)


@family("gap", "two faces 2^-k apart, either side of 0, and a row far behind each",
        k=Integer(default=40, least=1, most=1073), d=_D)  # fmt: skip
def _gap(k: int, d: int) -> Case:
    return slab("separable", d, far=2 ** (k + 1), exponents=[-(k + 1)] + [0] * (d - 1))


@family("gap-at-one", "two faces 2^-k apart, either side of 1", k=Integer(default=40, least=1, most=51), d=_D)
def _gap_at_one(k: int, d: int) -> Case:
    case = slab("separable", d, far=2 ** (k + 1), exponents=[-(k + 1)] + [0] * (d - 1))
    why = f"{_WHY['separable']}; through the origin the means of both faces lie on one ray"
    moved = transformations.translated(case, [2 ** (k + 1)] + [0] * (d - 1))
    return replace(moved, through_origin=OVERLAP, why=why)


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
    return transformations.translated(slab(kind, d), [10**k] * d)


@family("duplicates", "every row several times", copies=Integer(default=5, least=2, most=1000), d=_D, kind=KIND)
def _duplicates(copies: int, d: int, kind: Verdict) -> Case:
    case = slab(kind, d)
    n = len(case.y)
    for _ in range(copies - 1):
        case = transformations.with_rows_again(case, range(n))
    return case


@family("collinear", "d - 1 multiples of one column, and a constant column",
        d=Integer(default=4, least=2, most=100), kind=KIND)  # fmt: skip
def _collinear(d: int, kind: Verdict) -> Case:
    case = slab(kind, 1)
    for factor in range(2, d):
        case = transformations.with_multiple(case, 0, factor)
    return transformations.with_constant(case, 7)


@family("rotated", "a slab turned by a rational rotation and multiplied by its denominator: integers",
        d=Integer(default=3, least=2, most=6), kind=KIND, seed=SEED)  # fmt: skip
def _rotated(d: int, kind: Verdict, seed: int) -> Case:
    return transformations.rotated(slab(kind, d), Random(seed))
