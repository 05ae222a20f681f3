"""Exact linear algebra on a few rows: positive circuits, null spaces, directions on a face."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import OutOfTime, never
from maxmargin.solvers.exact.dyadic import Integers, over_common_denominator
from maxmargin.solvers.exact.linear import lifted_null_vectors, null_vector
from maxmargin.solvers.exact.simplex import Circuit

_QUICK_SIZE = 150
"""Largest number of rows or columns (whichever is smaller) whose null space takes a tenth of a second."""

_LARGE_SIZE = 500
"""Number of rows or columns (whichever is smaller) above which lifting is faster, also without a time limit."""

_DEPENDENT = 1e-11
"""Pivot below which rows of size 1 count as dependent."""


def circuit_near(
    rows: Integers, fixed: Integers, weights: Sequence[int], is_over: Callable[[], bool] | None = None
) -> Circuit | None:
    """Return a positive circuit on some of the rows next to approximate weights, or None where there is none.

    The null space of the rows and the fixed ones is solved exactly. Where it has more than one dimension the free
    weights keep their value; then rows are dropped (Caratheodory) until it has one.

    Parameters
    ----------
    rows : object array (n, m) of int
    fixed : object array (k, m) of int
        Linearly independent.
    weights : n positive integers
    is_over : callable, optional
        Returns True when the work is to stop.

    Raises
    ------
    OutOfTime
        If the work was stopped.
    """
    n_fixed = len(fixed)
    vectors = null_vectors(np.vstack([fixed, rows]).T.tolist(), is_over)
    if not vectors or min(free for free, _ in vectors) < n_fixed:
        return None
    exact, unit = [0] * (n_fixed + len(rows)), lcm(*(vector[free] for free, vector in vectors))
    for free, vector in vectors:
        factor = weights[free - n_fixed] * (unit // vector[free])
        exact = [a + factor * v for a, v in zip(exact, vector, strict=True)]
    if min(exact[n_fixed:]) < 0 or not any(exact[n_fixed:]):
        return None
    return _on_few_rows(exact, [vector for _, vector in vectors], n_fixed)


def _on_few_rows(exact: list[int], vectors: list[list[int]], n_fixed: int) -> Circuit:
    """Set weights to 0, the others still >= 0 and balancing, until only one null vector lives on the rest."""
    vectors = _living_on(exact, vectors, n_fixed)
    while len(vectors) > 1:
        vector = vectors.pop()
        if max(vector[n_fixed:]) <= 0:
            vector = [-v for v in vector]
        first = _first_zero(exact, vector, n_fixed)
        moved = _cleared(exact, vector, first)
        if not any(moved[n_fixed:]):  # the weights are this vector up to a factor; the others are not
            vectors.insert(0, vector)
            continue
        exact = moved
        vectors = _living_on(exact, [_cleared(other, vector, first) for other in vectors], n_fixed)
    positions = [position for position in range(n_fixed, len(exact)) if exact[position]]
    factor = gcd(*exact)
    return Circuit(
        positions=[position - n_fixed for position in positions],
        weights=[exact[position] // factor for position in positions],
        fixed_weights=[weight // factor for weight in exact[:n_fixed]],
    )


def _living_on(exact: list[int], vectors: list[list[int]], n_fixed: int) -> list[list[int]]:
    """Return a basis of the combinations that are 0 wherever the weights are."""
    for position in range(n_fixed, len(exact)):
        if not exact[position]:
            vectors = _without(vectors, position)
    return vectors


def _without(vectors: list[list[int]], position: int) -> list[list[int]]:
    """Return a basis of the combinations that are 0 at a position."""
    using = [vector for vector in vectors if vector[position]]
    if not using:
        return vectors
    pivot = using[0]
    return [_cleared(vector, pivot, position) for vector in vectors if vector is not pivot]


def _first_zero(weights: list[int], vector: list[int], n_fixed: int) -> int:
    """Return the position where ``weights - t * vector`` first becomes 0 as t grows from 0."""
    positions = (j for j in range(n_fixed, len(vector)) if vector[j] > 0)
    first = next(positions)
    for j in positions:
        if weights[j] * vector[first] < weights[first] * vector[j]:
            first = j
    return first


def _cleared(numbers: list[int], vector: list[int], position: int) -> list[int]:
    """Subtract the multiple of ``vector`` that leaves 0 at ``position``; the result is scaled by a positive factor."""
    if not numbers[position]:
        return numbers
    sign = 1 if vector[position] > 0 else -1
    result = [sign * (a * vector[position] - numbers[position] * v) for a, v in zip(numbers, vector, strict=True)]
    factor = gcd(*result) or 1
    return [a // factor for a in result]


def null_vectors(matrix: list[list[int]], is_over: Callable[[], bool] | None = None) -> list[tuple[int, list[int]]]:
    """Return a basis of the null space: vectors with a positive entry at one free column, named first, 0 at others.

    Raises
    ------
    OutOfTime
        If `is_over` returned True on the way.
    """
    from flint import fmpz_mat

    size = min(len(matrix), len(matrix[0]))
    if size > (_LARGE_SIZE if is_over is None else _QUICK_SIZE):
        found = lifted_null_vectors(matrix, is_over or never)
        if found is not None:
            return found
        if is_over is not None and is_over():
            raise OutOfTime
    reduced, denominator, rank = fmpz_mat(matrix).rref()
    table = [[int(v) for v in row] for row in reduced.tolist()[:rank]]
    pivots = [next(j for j, v in enumerate(row) if v) for row in table]
    n_columns, scale, sign = len(matrix[0]), abs(int(denominator)), 1 if denominator > 0 else -1
    return [
        null_vector(n_columns, pivots, free, [-sign * row[free] for row in table], scale)
        for free in sorted(set(range(n_columns)) - set(pivots))
    ]


def null_space(fixed: Integers, exponents: Sequence[int], is_over: Callable[[], bool] | None = None) -> list[list[int]]:
    """Return a basis of {v : fixed @ (v * 2**exponents) == 0} in integers; the unit vectors where nothing is fixed."""
    if not len(fixed):
        return np.eye(len(exponents), dtype=np.int64).tolist()
    return [rescaled(vector, exponents) for _, vector in null_vectors(fixed.tolist(), is_over)]


def rescaled(vector: list[int], exponents: Sequence[int]) -> list[int]:
    """Return the vector divided by 2**exponents, as integers without a common factor."""
    highest = max((e for v, e in zip(vector, exponents, strict=True) if v), default=0)
    shifted = [v << (highest - e) if v else 0 for v, e in zip(vector, exponents, strict=True)]
    factor = gcd(*shifted)
    return [v // factor for v in shifted]


def onto_face(
    direction: Sequence[Fraction], fixed: Integers, exponents: Sequence[int], pivots: Sequence[int]
) -> list[Fraction] | None:
    """Return the direction with its pivot entries solved again, so that it is exactly 0 on the fixed rows.

    None where the pivot columns of the fixed rows are dependent, or fewer than the rows.
    """
    from flint import fmpq, fmpq_mat, fmpz_mat

    if len(pivots) != len(fixed):
        return None
    units = [Fraction(2) ** e for e in exponents]
    scaled = [v * unit for v, unit in zip(direction, units, strict=True)]
    free = [j for j in range(len(direction)) if j not in set(pivots)]
    given, common = over_common_denominator([scaled[j] for j in free])
    right = (-fixed[:, free].dot(np.array(given, dtype=object))).tolist() if free else [0] * len(fixed)
    try:
        solved = fmpz_mat(fixed[:, list(pivots)].tolist()).solve(fmpz_mat([[int(v)] for v in right]))
    except ZeroDivisionError:
        return None
    assert isinstance(solved, fmpq_mat)
    result = list(direction)
    for position, j in enumerate(pivots):
        value: fmpq = solved[position, 0]
        result[j] = Fraction(int(value.p), int(value.q)) / common / units[j]
    return result


def pivot_columns(rows: Floats, first: Sequence[int]) -> list[int]:
    """Return as many columns as there are rows, on which the rows are far from dependent (complete pivoting).

    The columns `first` are taken before the others, as far as they are not dependent.
    """
    table = rows.copy()
    others = [column for column in range(rows.shape[1]) if column not in set(first)]
    chosen: list[int] = []
    for columns in (list(first), others):
        for _ in range(min(len(columns), len(rows) - len(chosen))):
            row, position = divmod(int(np.abs(table[:, columns]).argmax()), len(columns))
            column = columns[position]
            pivot = table[row, column]
            if abs(pivot) < _DEPENDENT:
                break
            chosen.append(column)
            table = table - np.outer(table[:, column] / pivot, table[row])
            table[row] = 0.0
            table[:, column] = 0.0
    return chosen


def orthogonal_complement(rows: Floats) -> Floats:
    """Return an orthonormal basis, as columns, of the space orthogonal to the rows."""
    if not len(rows):
        return np.eye(rows.shape[1])
    scaled = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    orthogonal: Floats = np.linalg.qr(scaled.T, mode="complete")[0][:, len(rows) :]
    return orthogonal
