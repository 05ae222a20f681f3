"""The verdict, the rows and the columns of small data, from all extreme rays of the cone of separating vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import lcm
from typing import Any

from elimination import Integers, dot, fractions_of, null_space, rank, reduced


@dataclass(frozen=True)
class Facts:
    """What holds for separability, rows and columns; columns by number, the bias after the others."""

    verdict: str
    separated: tuple[int, ...]
    touching: tuple[int, ...]
    infinite: dict[int, str]
    finite: tuple[int, ...]
    aliased: tuple[int, ...]
    dimension: int


def facts_by_rays(problem: Any) -> Facts:
    """Leave out the columns that depend on earlier ones: the remaining cone is the hull of its extreme rays."""
    rows = integer_rows(problem)
    width = len(rows[0])
    kept: list[int] = []
    for column in [width - 1, *range(width - 1)] if problem.bias else range(width):
        if rank([[row[j] for j in [*kept, column]] for row in rows]) > len(kept):
            kept.append(column)
    rows = [[row[j] for j in kept] for row in rows]
    rays = _extreme_rays(rows, len(kept))
    separated = tuple(i for i, row in enumerate(rows) if any(dot(row, ray) > 0 for ray in rays))
    touching = tuple(i for i in range(len(rows)) if i not in separated)
    signs = {column: {(ray[j] > 0) - (ray[j] < 0) for ray in rays} - {0} for j, column in enumerate(kept)}
    return Facts(
        verdict="separable" if not touching else "quasi-separable" if separated else "overlap",
        separated=separated,
        touching=touching,
        infinite={j: "either sign" if len(s) == 2 else "+" if 1 in s else "-" for j, s in signs.items() if s},
        finite=tuple(sorted(j for j, s in signs.items() if not s)),
        aliased=tuple(j for j in range(width) if j not in kept),
        dimension=rank(rays),
    )


def integer_rows(problem: Any) -> list[Integers]:
    """Return y (x, 1), through the origin y x, all times one positive integer."""
    X = fractions_of(problem.X if problem.integers is None else problem.integers)
    unit = lcm(*(value.denominator for row in X for value in row))
    bias = [unit] if problem.bias else []
    return [[int(s) * v for v in (*(int(v * unit) for v in row), *bias)] for row, s in zip(X, problem.y, strict=True)]


def _extreme_rays(rows: Sequence[Integers], width: int) -> list[Integers]:
    """Return the vectors whose products are all >= 0 and are 0 on width - 1 independent rows."""
    distinct = [list(row) for row in {tuple(reduced(row)) for row in rows} if any(row)]
    rays = []
    for few in combinations(distinct, width - 1) if width else ():
        vectors = null_space(few, width)
        if len(vectors) == 1:
            ray = vectors[0]
            products = [dot(row, ray) for row in distinct]
            if min(products) >= 0:
                rays.append(ray)
            if max(products) <= 0:
                rays.append([-value for value in ray])
    return rays
