"""Changes of a data set that keep its verdict, and their effect on the other known answers. All are exact."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from math import lcm
from random import Random
from typing import Any

import numpy as np

from maxmargin.data.generators.known_answers import Case, Known, Matrix

# Tangents of half the angles of plane rotations: (3, 4)/5, (4, 3)/5, (5, 12)/13, (15, 8)/17.
_TANGENTS = ((1, 2), (1, 3), (2, 3), (1, 4))


def swapped(case: Case) -> Case:
    """Exchange the two classes: (w, b) becomes (-w, -b)."""
    return replace(case, y=-case.y)


def with_rows_again(case: Case, again: Iterable[int]) -> Case:
    """Append copies of these rows; a copy of a touching row touches as well."""
    return with_rows(case, [*range(len(case.y)), *again])


def with_rows(case: Case, positions: Sequence[int]) -> Case:
    """Put the rows at these positions, each at least once, into this order."""
    index = np.array(positions, dtype=np.int64)

    def renumbered(known: Known) -> Known:
        touching = None if known.touching is None else np.flatnonzero(np.isin(index, known.touching))
        return replace(known, touching=None if touching is None else tuple(touching.tolist()))

    rows = Matrix(case.rows.integers[index], case.rows.exponents)
    return _with_answers(replace(case, rows=rows, y=case.y[index]), renumbered)


def with_units(case: Case, exponents: Sequence[int]) -> Case:
    """Multiply the columns by powers of two; the margin is known if those its normal lies in have the same unit."""
    rows = Matrix(case.rows.integers, tuple(a + b for a, b in zip(case.rows.exponents, exponents, strict=True)))
    units = {exponents[j] for j in _axes(case)}
    factor = Fraction(4) ** units.pop() if len(units) == 1 else None
    return _scaled(replace(case, rows=rows), factor)


def translated(case: Case, vector: Sequence[int]) -> Case:
    """Add whole numbers, in units of the columns; the answer through the origin is no longer known."""
    shift = np.array(vector, dtype=object)
    rows = Matrix(case.rows.integers + shift, case.rows.exponents)
    return replace(case, rows=rows, through_origin=case.through_origin if not any(vector) else None)


def with_constant(case: Case, value: int) -> Case:
    """Append a column of a constant that is not 0: through the origin it is a bias.

    A margin that is the same with bias and through the origin stays the same: no plane has a greater one with a bias.
    """
    column = np.full((len(case.y), 1), value, dtype=object)
    rows = Matrix(np.hstack([case.rows.integers, column]), (*case.rows.exponents, 0))
    with_bias, origin = case.with_bias, case.through_origin
    same_margin = origin is not None and origin.margin_squared == with_bias.margin_squared
    origin = with_bias if same_margin else replace(with_bias, margin_squared=None)
    return replace(case, rows=rows, through_origin=origin, axes=_axes(case))


def with_multiple(case: Case, column: int, factor: int) -> Case:
    """Append a multiple of a column: w_j of this column alone may become w_j (1, factor)/sqrt(1 + factor^2)."""
    copy = case.rows.integers[:, [column]] * factor
    rows = Matrix(np.hstack([case.rows.integers, copy]), (*case.rows.exponents, case.rows.exponents[column]))
    axes = _axes(case)
    if column not in axes or factor == 0:
        return replace(case, rows=rows, axes=axes)
    wider = replace(case, rows=rows, axes=axes | {case.rows.integers.shape[1]})
    squares = [ratio * ratio for j in axes if (ratio := _ratio(case, j, column)) is not None]
    if len(squares) < len(axes):
        return _scaled(wider, None)
    total = sum(squares, Fraction(0))
    return _scaled(wider, (total + factor * factor) / total)


def _ratio(case: Case, column: int, other: int) -> Fraction | None:
    """Return r such that a column is r times another that is not 0; None if there is no such r."""
    values, others = case.rows.integers[:, [column, other]].T
    row = int(np.argmax(others != 0))
    if not others[row] or (values * others[row] != values[row] * others).any():
        return None
    exponents = case.rows.exponents
    return Fraction(values[row], others[row]) * Fraction(2) ** (exponents[column] - exponents[other])


def sheared(case: Case, source: int, target: int, factor: int) -> Case:
    """Add a multiple of a column to another one, in their common unit; the margin is no longer known."""
    rows = case.rows.with_common_exponent()
    integers = rows.integers.copy()
    integers[:, target] += factor * integers[:, source]
    return _scaled(replace(case, rows=Matrix(integers, rows.exponents), axes=None), None)


def rotated(case: Case, rng: Random) -> Case:
    """Rotate by a rational rotation and multiply by its common denominator, which multiplies the margin too."""
    rotation, denominator = rational_rotation(case.rows.integers.shape[1], rng)
    rows = case.rows.with_common_exponent()
    turned = Matrix(rows.integers @ rotation, rows.exponents)
    return _scaled(replace(case, rows=turned, axes=None), Fraction(denominator) ** 2)


def rational_rotation(d: int, rng: Random) -> tuple[Any, int]:
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


def _axes(case: Case) -> Set[int]:
    return set(range(case.rows.integers.shape[1])) if case.axes is None else case.axes


def _scaled(case: Case, factor: Fraction | None) -> Case:
    """Multiply the squared margins, or forget them."""

    def scaled(known: Known) -> Known:
        margin = known.margin_squared
        return replace(known, margin_squared=None if margin is None or factor is None else margin * factor)

    return _with_answers(case, scaled)


def _with_answers(case: Case, alter: Callable[[Known], Known]) -> Case:
    origin = None if case.through_origin is None else alter(case.through_origin)
    return replace(case, with_bias=alter(case.with_bias), through_origin=origin)
