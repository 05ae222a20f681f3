"""Linear algebra over the rationals, by python-flint: null spaces, positive circuits, directions on a face.

Large null spaces are found in small steps, between which the time is looked at. The equations are solved modulo a
prime, and the solution is lifted to powers of it (Dixon, Exact solution of linear equations using p-adic expansions,
Numerische Mathematik 40, 1982): about n^2 operations for every word of the answer. Every vector is checked, so a prime
that hides a part of the rank costs time only.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd, isqrt, lcm, log2
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import OutOfTime, never
from maxmargin.solvers.exact.dyadic import Integers, over_common_denominator, without_common_factor
from maxmargin.solvers.exact.simplex import Circuit

# Ranks modulo a prime never exceed the rank over the rationals: independence modulo it is independence.
PRIME = (1 << 53) - 111

# Number of powers of the prime at which fractions are first sought, and the factor by which it grows.
_FIRST_STEPS, _MORE_STEPS = 16, 1.5

# Largest number of rows or columns (whichever is smaller) whose null space takes a tenth of a second.
_QUICK_SIZE = 150

# Number of rows or columns (whichever is smaller) above which lifting is faster, also without a time limit.
_LARGE_SIZE = 500

# Pivot below which rows of size 1 count as dependent.
_DEPENDENT = 1e-11

NullVectors = list[tuple[int, list[int]]]


def independent_rows(matrix: Integers) -> list[int]:
    """Return the positions of rows that are linearly independent, each taken if it is so of those before it.

    The rank is found modulo a prime, so a row may be left out that only depends on the others there.

    Examples
    --------
    >>> import numpy as np
    >>> independent_rows(np.array([[1, 2], [2, 4], [0, 3]], dtype=object))
    [0, 2]
    """
    from flint import nmod_mat

    return pivot_columns_of(nmod_mat([[int(value) % PRIME for value in column] for column in matrix.T], PRIME))


def pivot_columns_of(matrix: Any) -> list[int]:
    """Return the columns of a matrix of FLINT that do not depend on the columns before them."""
    reduced, rank = matrix.rref()
    columns = iter(range(reduced.ncols()))
    return [next(column for column in columns if reduced[i, column]) for i in range(rank)]


def least_squares(rows: Integers, target: Sequence[int]) -> tuple[list[int], int]:
    """Return ``(c, s)``, s > 0, for which ``sum_i c_i rows_i / s`` is the point of the rows' span nearest the target.

    Parameters
    ----------
    rows : ndarray (k, d) of int
        Linearly independent.
    target : sequence of d int

    Examples
    --------
    >>> import numpy as np
    >>> least_squares(np.array([[2, 0], [0, 3]], dtype=object), [1, 1])
    ([3, 2], 6)
    """
    from flint import fmpz_mat

    matrix = fmpz_mat(rows.tolist())
    gram = matrix * matrix.transpose()
    image = matrix * fmpz_mat([[int(value)] for value in target])
    # FLINT lifts p-adically (Dixon): about k^3 operations on numbers of one word, whatever the size of the answer.
    solution: Any = gram.solve(image)  # a matrix of fractions, which the stubs do not say
    numerators, denominator = solution.numer_denom()
    return [int(value) for value in numerators.entries()], int(denominator)


def combination(rows: Integers, weights: Sequence[int]) -> list[int]:
    """Return ``sum_i weights_i rows_i``."""
    from flint import fmpz_mat

    return [int(value) for value in (fmpz_mat([list(weights)]) * fmpz_mat(rows.tolist())).entries()]


def lifted_null_vectors(matrix: Sequence[Sequence[int]], is_over: Callable[[], bool]) -> NullVectors | None:
    """Return a basis of the null space: vectors with a positive entry at one free column, named first, 0 at others.

    The free columns are those that depend on the ones before them. None once the time is over, or where the prime
    hides a part of the rank.

    Examples
    --------
    >>> lifted_null_vectors([[2, 1, 3], [0, 0, 5]], lambda: False)
    [(1, [-1, 2, 0])]
    """
    from flint import fmpz_mat, nmod_mat

    whole = fmpz_mat(matrix)
    pivots = pivot_columns_of(nmod_mat(whole, PRIME))
    free = sorted(set(range(whole.ncols())) - set(pivots))
    if not free:
        return []
    rows = pivot_columns_of(nmod_mat(fmpz_mat([[row[j] for row in matrix] for j in pivots]), PRIME)) if pivots else []
    square = [[matrix[i][j] for j in pivots] for i in rows]
    right = [[-matrix[i][j] for j in free] for i in rows]
    solved = solutions(square, right, is_over) if pivots else [([], 1)] * len(free)
    if solved is None:
        return None
    vectors = []
    for column, (numerators, denominator) in zip(free, solved, strict=True):
        vector = [0] * whole.ncols()
        vector[column] = denominator
        for position, value in zip(pivots, numerators, strict=True):
            vector[position] = value
        vectors.append((column, without_common_factor(vector)))
    columns = fmpz_mat([vector for _, vector in vectors]).transpose()
    return vectors if (whole * columns).is_zero() else None


def solutions(
    square: Sequence[Sequence[int]], right: Sequence[Sequence[int]], is_over: Callable[[], bool]
) -> list[tuple[list[int], int]] | None:
    """Return numerators and a denominator for every column of the solution of square @ X = right.

    None once the time is over. The matrix is not singular modulo the prime.

    Examples
    --------
    >>> solutions([[2, 1], [0, 3]], [[1], [1]], lambda: False)
    [([1, 1], 3)]
    """
    from flint import fmpz, fmpz_mat, nmod_mat

    whole, n, k = fmpz_mat(square), len(right), len(right[0])
    inverse, residual = nmod_mat(whole, PRIME).inv(), fmpz_mat(right)
    total, power, n_steps = fmpz_mat(n, k), fmpz(1), 0
    n_wanted, most = float(_FIRST_STEPS), _most_steps(square, right)
    while not is_over():
        digit = fmpz_mat(n, k, [int(v) for v in (inverse * nmod_mat(residual, PRIME)).entries()])
        residual = fmpz_mat(n, k, [v // PRIME for v in (residual - whole * digit).entries()])
        total, power, n_steps = total + digit * power, power * PRIME, n_steps + 1
        if n_steps >= n_wanted:
            found = [_as_fractions([int(v) for v in column], int(power)) for column in total.transpose().tolist()]
            if None not in found and _solve(whole, right, solved := [column for column in found if column]):
                return solved
            n_wanted = min(n_wanted * _MORE_STEPS, max(most, n_wanted + 1))
    return None


def _most_steps(square: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> float:
    """Return how many powers of the prime are enough, by Hadamard's bound of the determinants."""
    sizes = [sum(v * v for v in row).bit_length() / 2 for row in square]
    largest = max(abs(v) for row in right for v in row).bit_length()
    return 1 + (2 * sum(sizes) + largest + log2(len(sizes)) + 4) / log2(PRIME)


def _solve(whole: Any, right: Sequence[Sequence[int]], fractions: list[tuple[list[int], int]]) -> bool:
    """Return whether the fractions, one for every column, solve the equations."""
    from flint import fmpz_mat

    wanted = [[v * denominator for v, (_, denominator) in zip(row, fractions, strict=True)] for row in right]
    return bool(whole * fmpz_mat([column for column, _ in fractions]).transpose() == fmpz_mat(wanted))


def _as_fractions(residues: Sequence[int], modulus: int) -> tuple[list[int], int] | None:
    """Return numerators and a denominator, all of them small, of fractions with these residues; None without any."""
    bound, denominator = isqrt(modulus // 2), 1
    for residue in residues:
        value = residue * denominator % modulus
        if bound < value < modulus - bound:
            denominator *= _denominator(value, modulus, bound)
            if denominator > bound:
                return None
    values = (residue * denominator % modulus for residue in residues)
    return [value - modulus if 2 * value > modulus else value for value in values], denominator


def _denominator(residue: int, modulus: int, bound: int) -> int:
    """Return the least t > 0 with t * residue at most `bound` in size modulo the modulus (Euclid's algorithm)."""
    high, low, before, last = modulus, residue, 0, 1
    while low > bound:
        quotient, rest = divmod(high, low)
        high, low, before, last = low, rest, last, before - quotient * last
    return abs(last)


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
    return without_common_factor(result)


def null_vectors(matrix: list[list[int]], is_over: Callable[[], bool] | None = None) -> NullVectors:
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
    basis, nullity = fmpz_mat(matrix).nullspace()
    vectors = [without_common_factor([int(v) for v in column]) for column in basis.transpose().tolist()[:nullity]]
    free = [max(j for j, v in enumerate(vector) if v) for vector in vectors]
    return [(j, v if v[j] > 0 else [-entry for entry in v]) for j, v in zip(free, vectors, strict=True)]


def null_space(fixed: Integers, exponents: Sequence[int], is_over: Callable[[], bool] | None = None) -> list[list[int]]:
    """Return a basis of {v : fixed @ (v * 2**exponents) == 0} in integers; the unit vectors where nothing is fixed."""
    if not len(fixed):
        return np.eye(len(exponents), dtype=np.int64).tolist()
    return [rescaled(vector, exponents) for _, vector in null_vectors(fixed.tolist(), is_over)]


def rescaled(vector: list[int], exponents: Sequence[int]) -> list[int]:
    """Return the vector divided by 2**exponents, as integers without a common factor."""
    highest = max((e for v, e in zip(vector, exponents, strict=True) if v), default=0)
    shifted = [v << (highest - e) if v else 0 for v, e in zip(vector, exponents, strict=True)]
    return without_common_factor(shifted)


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
    return np.asarray(np.linalg.qr(scaled.T, mode="complete")[0][:, len(rows) :])
