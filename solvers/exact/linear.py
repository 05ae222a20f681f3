"""Linear algebra over the rationals, by python-flint: null spaces, positive circuits, directions on a face.

Large null spaces are found in small steps, between which the time is looked at. The equations are solved modulo a
prime, and the solution is lifted to powers of it (Dixon, Exact solution of linear equations using p-adic expansions,
Numerische Mathematik 40, 1982): about n^2 operations for every word of the answer. Every vector is checked, so a prime
that hides a part of the rank costs time only.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm, log2
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.blas_threads import one_blas_thread
from maxmargin.solvers.basics.limits import OutOfTime, never
from maxmargin.solvers.exact.dyadic import Integers, over_common_denominator
from maxmargin.solvers.exact.products import digit_parts, sums_of_digits, sums_of_rows
from maxmargin.solvers.exact.simplex import Circuit

# Ranks modulo a prime never exceed the rank over the rationals: independence modulo it is independence. Residues are
# floats.
_BITS = 53
PRIME = (1 << _BITS) - 111

# Number of powers of the prime at which fractions are first sought, and the factor by which it grows.
_FIRST_STEPS, _MORE_STEPS = 16, 1.5

# Largest fraction of nonzero entries for which products skip the zeros.
_MOST_FILLED = 0.1

# Number of unknowns that must be fractions before all are put together.
_FEW_UNKNOWNS = 3

# Largest number of digits of an entry for which products of digits, in floating point, are faster than of integers.
_MOST_DIGITS = 20

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
    with one_blas_thread():
        solved = solutions(square, right, is_over) if pivots else [([], 1)] * len(free)
    if solved is None:
        return None
    vectors = [null_vector(whole.ncols(), pivots, column, *parts) for column, parts in zip(free, solved, strict=True)]
    columns = np.array([vector for _, vector in vectors], dtype=object).T
    return None if Product(matrix)(columns).any() else vectors


def null_vector(
    size: int, pivots: list[int], free: int, numerators: list[int], denominator: int
) -> tuple[int, list[int]]:
    """Return the free column, and the vector with these fractions at the pivots and 1 there, in least integers."""
    vector = [0] * size
    vector[free] = denominator
    for position, value in zip(pivots, numerators, strict=True):
        vector[position] = value
    factor = gcd(*vector)
    return free, [v // factor for v in vector]


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
    from flint import fmpz_mat, nmod_mat

    inverse, times = nmod_mat(fmpz_mat(square), PRIME).inv(), Product(square)
    wanted = residual = np.array(right, dtype=object)
    n, k = len(right), len(right[0])
    n_few = min(n, _FEW_UNKNOWNS)
    digits: list[Any] = []
    of_few: list[Any] = []
    n_wanted, most = float(_FIRST_STEPS), _most_steps(square, right)
    while not is_over():
        modular = inverse * nmod_mat(n, k, (residual % PRIME).ravel().tolist(), PRIME)
        digit = [int(v) for v in modular.entries()]
        digits.append(fmpz_mat(n, k, digit))
        of_few.append(fmpz_mat(n_few, k, digit[: n_few * k]))
        residual = (residual - times(np.array(digit, dtype=object).reshape(n, k))) // PRIME
        if len(digits) >= n_wanted:
            found = _as_fractions(digits) if _as_fractions(of_few) is not None else None
            if found is not None and _solve(times, wanted, found):
                return found
            n_wanted = min(n_wanted * _MORE_STEPS, max(most, n_wanted + 1))
    return None


def _most_steps(square: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> float:
    """Return how many powers of the prime are enough, by Hadamard's bound of the determinants."""
    sizes = [sum(v * v for v in row).bit_length() / 2 for row in square]
    largest = max(abs(v) for row in right for v in row).bit_length()
    return 1 + (2 * sum(sizes) + largest + log2(len(sizes)) + 4) / log2(PRIME)


def _solve(times: "Product", right: Integers, fractions: list[tuple[list[int], int]]) -> bool:
    """Return whether the fractions, one for every column, solve the equations."""
    numerators = np.array([column for column, _ in fractions], dtype=object).T
    denominators = np.array([denominator for _, denominator in fractions], dtype=object)
    return bool((times(numerators) == right * denominators).all())


class Product:
    """Products of an integer matrix with others, at the cost of the entries that are not 0 where these are few."""

    def __init__(self, matrix: Integers | Sequence[Sequence[int]]) -> None:
        from flint import fmpz_mat

        self.table = table = np.asarray(matrix, dtype=object)
        rows, self.columns = np.nonzero(table)
        self.entries = table[rows, self.columns]
        self.starts = np.searchsorted(rows, np.arange(len(table) + 1))
        is_filled = len(self.entries) > _MOST_FILLED * table.size
        self.whole: Any = fmpz_mat(table.tolist()) if is_filled else None

    @cached_property
    def digits(self) -> tuple[Floats, int]:
        """The digits of the entries, and how many bits they have."""
        return digit_parts(self.table.T)

    def __call__(self, other: Integers) -> Integers:
        """Return the matrix times another one."""
        from flint import fmpz_mat

        are_residues = self.whole is not None and 0 <= other.min() <= other.max() < PRIME
        if are_residues and len(self.digits[0]) <= _MOST_DIGITS:
            return sums_of_digits(other.astype(np.float64), _BITS, *self.digits)
        if self.whole is not None:
            found = self.whole * fmpz_mat(other.tolist())
            return np.array([int(v) for v in found.entries()], dtype=object).reshape(len(self.table), other.shape[1])
        return sums_of_rows(self.entries[:, None] * other[self.columns], self.starts)


def _as_fractions(digits: Sequence[Any]) -> list[tuple[list[int], int]] | None:
    """Return the columns of sum_i digits_i p^i as fractions of small numbers; None where they are none."""
    from flint import fmpz

    level, power, modulus = list(digits), fmpz(PRIME), fmpz(PRIME) ** len(digits)
    while len(level) > 1:
        pairs = [low + high * power for low, high in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(pairs) * 2 :]
        power *= power
    found = [_column_as_fractions(column, modulus) for column in level[0].transpose().tolist()]
    return None if any(column is None for column in found) else [column for column in found if column]


def _column_as_fractions(residues: Sequence[Any], modulus: Any) -> tuple[list[int], int] | None:
    bound, denominator = (modulus // 2).isqrt(), 1
    for residue in residues:
        value = _symmetric(residue * denominator, modulus)
        if abs(value) > bound:
            denominator *= _denominator(int(value % modulus), int(modulus), int(bound))
            if denominator > bound:
                return None
    return [int(_symmetric(residue * denominator, modulus)) for residue in residues], denominator


def _symmetric(value: Any, modulus: Any) -> Any:
    value %= modulus
    return value - modulus if 2 * value > modulus else value


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
    factor = gcd(*result) or 1
    return [a // factor for a in result]


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
    return np.asarray(np.linalg.qr(scaled.T, mode="complete")[0][:, len(rows) :])
