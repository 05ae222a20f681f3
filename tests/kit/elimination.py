"""Rows of fractions and integers: elimination, ranks and null spaces, in plain Python."""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, overload

Row = list[Fraction]
Rows = list[Row]
Integers = list[int]


def fractions_of(X: Any) -> Rows:
    """Return the entries of an array, a sparse matrix or nested sequences as fractions."""
    return [vector_of(row) for row in (X.toarray() if hasattr(X, "toarray") else X)]


def vector_of(values: Any) -> Row:
    """Return the numbers of an array or a sequence as fractions; integers of any size stay what they are."""
    return [Fraction(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]


def signed_rows(X: Any, y: Any, bias: bool) -> Rows:
    """Return the rows y (x, 1), through the origin y x."""
    one = [Fraction(1)] if bias else []
    return [[int(sign) * value for value in (*row, *one)] for row, sign in zip(fractions_of(X), y, strict=True)]


@overload
def dot(a: Sequence[int], b: Sequence[int]) -> int: ...
@overload
def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction: ...
def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Return the scalar product."""
    zero = type(a[0])()  # a fraction where the entries are, lest 0 / 2 be a float
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), zero)


def reduced(row: Integers) -> Integers:
    """Divide by the greatest common divisor."""
    factor = gcd(*row) or 1
    return [value // factor for value in row]


def primitive(row: Sequence[Fraction]) -> Integers:
    """Return the positive multiple whose entries are integers without a common divisor."""
    unit = lcm(*(value.denominator for value in row))
    return reduced([int(value * unit) for value in row])


def eliminated(row: Integers, pivot_row: Integers, column: int) -> Integers:
    """Return a multiple of the row plus a multiple of the pivot row whose entry in the column is 0.

    The factor of the row is positive where the pivot is.
    """
    pivot, entry = pivot_row[column], row[column]
    return reduced([pivot * a - entry * b for a, b in zip(row, pivot_row, strict=True)])


def echelon(rows: Sequence[Integers]) -> tuple[list[Integers], Integers]:
    """Return the reduced echelon form, up to a factor of every row, and the pivot columns."""
    table: list[Integers] = []
    pivots: Integers = []
    for row in rows:
        left = row
        for other, pivot in zip(table, pivots, strict=True):
            left = eliminated(left, other, pivot) if left[pivot] else left
        new = next((j for j, value in enumerate(left) if value), None)
        if new is not None:
            table = [eliminated(other, left, new) if other[new] else other for other in table]
            table.append(reduced(left))
            pivots.append(new)
    return table, pivots


def rank(rows: Sequence[Integers]) -> int:
    """Return the rank of integer rows."""
    return len(echelon(rows)[1])


def null_space(rows: Sequence[Integers], width: int) -> list[Integers]:
    """Return a basis of the vectors that are orthogonal to all rows."""
    table, pivots = echelon(rows)
    basis = []
    for free in sorted(set(range(width)) - set(pivots)):
        vector = [0] * width
        vector[free] = lcm(*(row[pivot] for row, pivot in zip(table, pivots, strict=True)))
        for row, pivot in zip(table, pivots, strict=True):
            vector[pivot] = -row[free] * vector[free] // row[pivot]
        basis.append(reduced(vector))
    return basis


def solved(matrix: Rows, right: Row) -> Row:
    """Solve a regular system of equations."""
    rows = [primitive([*row, -value]) for row, value in zip(matrix, right, strict=True)]
    (vector,) = null_space(rows, len(matrix) + 1)
    return [Fraction(value, vector[-1]) for value in vector[:-1]]
