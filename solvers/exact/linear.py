"""Linear algebra over the rationals, by python-flint."""

from collections.abc import Sequence
from typing import Any

from maxmargin.solvers.exact.dyadic import Integers

PRIME = (1 << 61) - 1
"""Ranks modulo a prime never exceed the rank over the rationals: what is independent here is independent there."""


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
