"""Cover's function-counting theorem, and its check on given points."""

from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from maxmargin.api.verbs import decide
from maxmargin.data.arrays import held_numbers
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.problem.problem import Problem

_MOST_POINTS = 14
"""Their 2^13 pairs of opposite labellings take about half a minute."""


def cover_count(n: int, d: int) -> int:
    """Return 2 sum_{k<d} C(n-1, k): how many labellings of n points in R^d hyperplanes through the origin separate.

    It holds for points of which every d are linearly independent (every n, where n < d), whatever they are (Schläfli
    1852; Cover 1965). With a bias, in general position, it holds with d + 1 for d.

    Raises
    ------
    InvalidOptionError
        Unless n and d are at least 1.

    Examples
    --------
    >>> cover_count(4, 3)
    14
    """
    if n < 1 or d < 1:
        raise InvalidOptionError(f"found n = {n} points and d = {d} dimensions, expected at least 1")
    return 2 * sum(comb(n - 1, k) for k in range(d))


def cover_probability(n: int, d: int) -> Fraction:
    """Return 2^(1-n) sum_{k<d} C(n-1, k): the share of the 2^n labellings that `cover_count` counts.

    Examples
    --------
    >>> cover_probability(12, 5), cover_probability(10, 5)
    (Fraction(281, 1024), Fraction(1, 2))
    """
    return Fraction(cover_count(n, d), 2**n)


def count_dichotomies(X: Any) -> int:
    """Return how many labellings of the rows a hyperplane through the origin separates strictly, each decided exactly.

    Opposite labellings are separated by the same hyperplanes, so one of each pair is decided.

    Parameters
    ----------
    X : array_like (n, d)

    Raises
    ------
    InvalidProblemError
        If X is no finite matrix, or has more than 14 rows.

    Examples
    --------
    >>> count_dichotomies([[1, 0], [1, 1], [1, 2], [1, 3]]), cover_count(4, 2)
    (8, 8)
    """
    rows = _matrix(X)
    signs = product((1.0, -1.0), repeat=len(rows) - 1)
    return 2 * sum(_is_separable(np.array([1.0, *rest])[:, None] * rows) for rest in signs)


def is_in_general_position(X: Any) -> bool:
    """Return whether every d rows are linearly independent (all rows, where they are fewer), in exact arithmetic.

    Raises
    ------
    InvalidProblemError
        As in `count_dichotomies`.

    Examples
    --------
    >>> is_in_general_position([[1, 0], [1, 1], [1, 2]]), is_in_general_position([[1, 0], [1, 1], [2, 2]])
    (True, False)
    """
    from flint import fmpz_mat

    integers, _ = as_integers(_matrix(X))
    size = min(integers.shape)
    return all(
        fmpz_mat(integers[list(rows)].tolist()).rank() == size for rows in combinations(range(len(integers)), size)
    )


def _matrix(X: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    rows = held_numbers(X, "X")
    if rows.ndim != 2 or 0 in rows.shape or not np.isfinite(rows).all():
        raise InvalidProblemError(f"X has shape {rows.shape}; expected finite numbers (n, d), both at least 1")
    if len(rows) > _MOST_POINTS:
        raise InvalidProblemError(f"found {len(rows)} points, expected at most {_MOST_POINTS}")
    return rows


def _is_separable(Z: np.ndarray[Any, np.dtype[np.float64]]) -> bool:
    """Return whether some w has w.z > 0 for all rows z.

    A problem has rows of both labels: the second is the first row once more, negated.
    """
    X, y = np.vstack([Z, -Z[:1]]), np.array([1.0] * len(Z) + [-1.0])
    answer = decide(Problem(X, y, bias=False)).strictly_separable
    assert answer is not None  # without limits every verdict is proven
    return answer
