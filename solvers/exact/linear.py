"""Linear algebra over the rationals, by python-flint; null spaces in small steps between which the time is looked at.

The equations of a null space are solved modulo a prime, and the solution is lifted to powers of it (Dixon, Exact
solution of linear equations using p-adic expansions, Numerische Mathematik 40, 1982): about n^2 operations for every
word of the answer. Every vector is checked, so a prime that hides a part of the rank costs time only.
"""

from collections.abc import Callable, Sequence
from math import gcd, log2
from typing import Any

import numpy as np

from maxmargin.solvers.exact.dyadic import Integers
from maxmargin.solvers.exact.products import sums_of_rows

PRIME = (1 << 61) - 1
"""Ranks modulo a prime never exceed the rank over the rationals: independence modulo it is independence."""

_FIRST_STEPS, _MORE_STEPS = 16, 1.5
"""Number of powers of the prime at which fractions are first sought, and the factor by which it grows."""

_MOST_FILLED = 0.1
"""Largest fraction of nonzero entries for which products skip the zeros."""

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
    pivots, column = [], 0
    for i in range(rank):
        while not reduced[i, column]:
            column += 1
        pivots.append(column)
    return pivots


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
    digits: list[Any] = []
    n_wanted, most = float(_FIRST_STEPS), _most_steps(square, right)
    while not is_over():
        modular = inverse * nmod_mat(n, k, (residual % PRIME).ravel().tolist(), PRIME)
        digit = [int(v) for v in modular.entries()]
        digits.append(fmpz_mat(n, k, digit))
        residual = (residual - times(np.array(digit, dtype=object).reshape(n, k))) // PRIME
        if len(digits) >= n_wanted:
            found = _as_fractions(digits)
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

        table = np.asarray(matrix, dtype=object)
        self.shape = table.shape
        rows, self.columns = np.nonzero(table)
        self.entries = table[rows, self.columns]
        self.starts = np.searchsorted(rows, np.arange(len(table) + 1))
        is_filled = len(self.entries) > _MOST_FILLED * table.size
        self.whole: Any = fmpz_mat(table.tolist()) if is_filled else None

    def __call__(self, other: Integers) -> Integers:
        """Return the matrix times another one."""
        from flint import fmpz_mat

        if self.whole is not None:
            found = self.whole * fmpz_mat(other.tolist())
            return np.array([int(v) for v in found.entries()], dtype=object).reshape(self.shape[0], other.shape[1])
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
