"""How many labellings of points a hyperplane separates: Cover's theorem, and the threshold functions of the cube."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.question import decide
from maxmargin.data.reading.arrays import binary64_numbers
from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.problem.problem import Problem
from maxmargin.teaching.cube import cube

Indices = NDArray[np.int64]

# Largest number of points whose labellings are counted; the 2^13 pairs of opposite labellings take about 30 s.
_MOST_POINTS = 14

# Largest number of variables whose functions are listed; there are 2^32 functions of 5 variables.
_MOST_VARIABLES = 4


def cover_count(n: int, d: int) -> int:
    """Return the number of labellings of n points in R^d that hyperplanes through the origin separate.

    It is 2 sum_{k<d} C(n-1, k) for all points of which every d (or all n, where n < d) are linearly independent. With a
    bias, and points in general position, the same holds with d + 1 in place of d.

    Parameters
    ----------
    n : int
        The number of points.
    d : int
        The dimension.

    Returns
    -------
    int
        The number of labellings.

    Raises
    ------
    InvalidOptionError
        Unless n and d are at least 1.

    See Also
    --------
    cover_probability : Divide by the number of all labellings.
    count_dichotomies : Count the labellings of given points.

    References
    ----------
    .. [1] T. M. Cover, "Geometrical and statistical properties of systems of linear inequalities with applications in
       pattern recognition", IEEE Transactions on Electronic Computers EC-14 (1965), 326-334.
    .. [2] L. Schläfli, "Theorie der vielfachen Kontinuität" (1852), published 1901.

    Examples
    --------
    >>> cover_count(4, 3)
    14
    """
    if n < 1 or d < 1:
        raise InvalidOptionError(f"found n = {n} points and d = {d} dimensions, expected at least 1")
    return 2 * sum(comb(n - 1, k) for k in range(d))


def cover_probability(n: int, d: int) -> Fraction:
    """Return 2^(1-n) sum_{k<d} C(n-1, k), the fraction of the 2^n labellings that `cover_count` counts.

    Parameters
    ----------
    n : int
        The number of points.
    d : int
        The dimension.

    Returns
    -------
    Fraction
        The probability that a random labelling is separable.

    Raises
    ------
    InvalidOptionError
        Unless n and d are at least 1.

    See Also
    --------
    cover_count : Return the number of labellings.

    References
    ----------
    .. [1] T. M. Cover, "Geometrical and statistical properties of systems of linear inequalities with applications in
       pattern recognition", IEEE Transactions on Electronic Computers EC-14 (1965), 326-334.

    Examples
    --------
    >>> cover_probability(12, 5), cover_probability(10, 5)
    (Fraction(281, 1024), Fraction(1, 2))
    """
    return Fraction(cover_count(n, d), 2**n)


def count_dichotomies(X: Any) -> int:
    """Return the number of labellings of the rows that a hyperplane through the origin separates strictly.

    Every labelling is decided in exact arithmetic. The same hyperplanes separate opposite labellings, so one of each
    pair is decided.

    Parameters
    ----------
    X : array_like of shape (n, d)
        Finite numbers, in at most 14 rows.

    Returns
    -------
    int
        The number of labellings.

    Raises
    ------
    InvalidProblemError
        If X is not a finite matrix, or has more than 14 rows.

    See Also
    --------
    cover_count : Compute the number for points in general position.

    Examples
    --------
    >>> count_dichotomies([[1, 0], [1, 1], [1, 2], [1, 3]]), cover_count(4, 2)
    (8, 8)
    """
    rows = _matrix(X)
    signs = (np.array([1.0, *rest]) for rest in product((1.0, -1.0), repeat=len(rows) - 1))
    # A problem has rows of both labels: the first row is there twice, the second time negated.
    X_twice = np.vstack([rows, -rows[:1]])
    return 2 * sum(_is_separable(X_twice, np.append(y, -1.0), bias=False) for y in signs)


def is_in_general_position(X: Any) -> bool:
    """Return whether every d rows are linearly independent (all n rows, if n < d), in exact arithmetic.

    Parameters
    ----------
    X : array_like of shape (n, d)
        Finite numbers.

    Returns
    -------
    bool
        Whether the rows are in general position.

    Raises
    ------
    InvalidProblemError
        As in `count_dichotomies`.

    See Also
    --------
    count_dichotomies : Count the labellings that are separable.

    Examples
    --------
    >>> is_in_general_position([[1, 0], [1, 1], [1, 2]]), is_in_general_position([[1, 0], [1, 1], [2, 2]])
    (True, False)
    """
    from flint import fmpz_mat

    integers, _ = as_integers(_matrix(X))
    size = min(integers.shape)
    parts = (integers[list(rows)].tolist() for rows in combinations(range(len(integers)), size))
    return all(fmpz_mat(part).rank() == size for part in parts)


def count_threshold_functions(n_variables: int) -> int:
    """Return the number of the 2^(2^n) functions of n Boolean variables that a hyperplane separates strictly.

    The sequence is A000609 of the On-Line Encyclopedia of Integer Sequences.

    Parameters
    ----------
    n_variables : int
        The number n of variables, from 1 to 4.

    Returns
    -------
    int
        The number of functions, including the two constant ones.

    Raises
    ------
    InvalidOptionError
        Unless n is 1, 2, 3 or 4.

    See Also
    --------
    threshold_functions : List the functions.

    Examples
    --------
    >>> count_threshold_functions(3)
    104
    """
    return len(threshold_functions(n_variables))


def threshold_functions(n_variables: int) -> Mask:
    """Return the truth tables of all threshold functions of n variables.

    One function of every class of `symmetry_classes` is decided, in exact arithmetic.

    Parameters
    ----------
    n_variables : int
        The number n of variables, from 1 to 4.

    Returns
    -------
    ndarray of bool, of shape (n_functions, 2**n_variables)
        The truth tables; the columns are the rows of `cube`.

    Raises
    ------
    InvalidOptionError
        Unless n is 1, 2, 3 or 4.

    See Also
    --------
    count_threshold_functions : Return only their number.
    halving : Learn one of the functions.

    Examples
    --------
    >>> threshold_functions(1).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    if not 1 <= n_variables <= _MOST_VARIABLES:
        raise InvalidOptionError(f"found {n_variables} variables, expected 1 to {_MOST_VARIABLES}")
    size = 2**n_variables
    is_threshold = np.zeros(2**size, dtype=np.bool_)
    X = cube(n_variables).astype(np.float64)
    for codes in symmetry_classes(n_variables):
        table = _tables(codes[0], size)
        is_constant = table.all() or not table.any()
        is_threshold[codes] = is_constant or _is_separable(X, np.where(table, 1.0, -1.0), bias=True)
    return _tables(np.flatnonzero(is_threshold), size)


def symmetry_classes(n_variables: int) -> Iterator[Indices]:
    """Yield the codes of the functions of each class that permuting and negating variables, and negation, connect.

    To permute or negate variables maps the cube to itself by a linear map, and to negate the function exchanges the two
    sides, so a hyperplane separates all functions of a class or none.

    Yields
    ------
    ndarray of int
        Bit i of a code is the value of the function at row i of `cube`. A code may occur several times in its class.

    Examples
    --------
    >>> [sorted(set(codes.tolist())) for codes in symmetry_classes(1)]
    [[0, 3], [1, 2]]
    """
    symmetries, size = _symmetries(n_variables), 2**n_variables
    is_known = np.zeros(2**size, dtype=np.bool_)
    for code in range(2**size):
        if not is_known[code]:
            table = _tables(np.array(code), size)
            codes: Indices = np.vstack([table[symmetries], ~table[symmetries]]) @ (1 << np.arange(size))
            is_known[codes] = True
            yield codes


def _symmetries(n_variables: int) -> Indices:
    """Return the row of the cube to which every permutation and negation of the variables takes each row."""
    bits = cube(n_variables, encoding="bits")
    digits = 1 << np.arange(n_variables)[::-1]
    return np.array([(bits[:, p] ^ flips) @ digits for p in permutations(range(n_variables)) for flips in bits])


def _tables(codes: Indices, size: int) -> Mask:
    return (codes[..., None] >> np.arange(size) & 1).astype(np.bool_)


def _is_separable(X: Floats, y: Floats, *, bias: bool) -> bool:
    answer = decide(Problem(X, y, bias=bias)).strictly_separable
    assert answer is not None  # without limits every verdict is proven
    return answer


def _matrix(X: Any) -> Floats:
    rows = binary64_numbers(X, "X")
    if rows.ndim != 2 or 0 in rows.shape or not np.isfinite(rows).all():
        raise InvalidProblemError(f"X has shape {rows.shape}; expected finite numbers (n, d), both at least 1")
    if len(rows) > _MOST_POINTS:
        raise InvalidProblemError(f"found {len(rows)} points, expected at most {_MOST_POINTS}")
    return rows
