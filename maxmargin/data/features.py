"""Feature maps: new columns in which a hyperplane may separate what it does not separate in the old ones.

What is proven of the new columns is proven of the numbers as they are stored. Products of integers up to 2^53 are
exact; other products, radii and angles are rounded to binary64.
"""

import math
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from maxmargin.data.reading.arrays import binary64_numbers
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

# Largest number of columns that are made.
_MOST_COLUMNS = 1_000_000


def products(X: Any) -> Floats:
    """Return the products x_i x_j of all pairs of columns, i < j.

    For x1 xor x2 over {-1,+1}^2 the only product x1 x2 is the label up to its sign, so it separates with margin 1.

    Parameters
    ----------
    X : array_like of shape (n_samples, d)
        Finite numbers.

    Returns
    -------
    ndarray of shape (n_samples, d (d - 1)/2)
        The products in the order x1 x2, x1 x3, ..., x2 x3, ...

    Raises
    ------
    InvalidProblemError
        If X is not a finite matrix with at least two columns, or a product overflows.

    See Also
    --------
    polynomial : Compute the squares and higher powers too.

    Examples
    --------
    >>> products([[1, 2, 3]]).tolist()
    [[2.0, 3.0, 6.0]]
    """
    rows = _matrix(X, least_columns=2)
    return _monomials(rows, list(combinations(range(rows.shape[1]), 2)))


def polynomial(X: Any, degree: int = 2) -> Floats:
    """Return all monomials of the columns up to a degree, without the constant, which is the bias.

    Parameters
    ----------
    X : array_like of shape (n_samples, d)
        Finite numbers.
    degree : int, default 2
        The largest degree, at least 1.

    Returns
    -------
    ndarray of shape (n_samples, C(d + degree, degree) - 1)
        The monomials by degree: x1, ..., xd, x1 x1, x1 x2, ...

    Raises
    ------
    InvalidOptionError
        If the degree is less than 1, or makes more than a million columns.
    InvalidProblemError
        If X is not a finite matrix, or a monomial overflows.

    See Also
    --------
    products : Compute the products of different columns only.

    Examples
    --------
    >>> polynomial([[2, 3]]).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """
    degree = whole_number("degree", degree)
    if degree > _MOST_COLUMNS or math.comb(np.shape(X)[-1] + degree, degree) > _MOST_COLUMNS:
        raise InvalidOptionError(f"degree is {degree}, which makes more than {_MOST_COLUMNS:,} columns; expected fewer")
    rows = _matrix(X)
    columns = range(rows.shape[1])
    return _monomials(rows, [m for k in range(1, degree + 1) for m in combinations_with_replacement(columns, k)])


def polar(X: Any) -> Floats:
    """Return the polar coordinates (r, phi) of points in the plane, -pi <= phi <= pi.

    They separate classes on concentric circles, by r. They do not separate xor over {-1,+1}^2: r is the same for the
    four points, and their labels alternate in phi.

    Parameters
    ----------
    X : array_like of shape (n_samples, 2)
        Finite numbers.

    Returns
    -------
    ndarray of shape (n_samples, 2)
        The radius and the angle of every point, rounded.

    Raises
    ------
    InvalidProblemError
        If X is not a finite matrix of two columns, or a radius overflows.

    See Also
    --------
    polynomial : Compute monomials.

    Examples
    --------
    >>> polar([[0, 2]]).round(4).tolist()
    [[2.0, 1.5708]]
    """
    rows = _matrix(X)
    if rows.shape[1] != 2:
        raise InvalidProblemError(f"X has shape {rows.shape}; expected (n_samples, 2), points in the plane")
    with np.errstate(over="ignore"):
        radii = np.hypot(rows[:, 0], rows[:, 1])
    return _finite(np.column_stack([radii, np.arctan2(rows[:, 1], rows[:, 0])]))


def named_features(X: Any, name: str) -> Floats:
    """Return the features of a name: "polynomial:DEGREE", "products" or "polar".

    Parameters
    ----------
    X : array_like of shape (n_samples, n_features)
        Finite numbers.
    name : str
        "polynomial:DEGREE", "products" or "polar".

    Returns
    -------
    ndarray of shape (n_samples, n_new_features)
        What `polynomial`, `products` or `polar` returns.

    Raises
    ------
    InvalidOptionError
        If there are no features of this name.

    See Also
    --------
    polynomial : Compute monomials.
    products : Compute the products of different columns.
    polar : Compute polar coordinates.

    Examples
    --------
    >>> named_features([[2, 3]], "polynomial:2").tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """
    kind, _, degree = name.partition(":")
    if kind == "polynomial" and degree.isdecimal():
        return polynomial(X, int(degree))
    if name in ("products", "polar"):
        return products(X) if name == "products" else polar(X)
    raise InvalidOptionError(f"features is {name!r}; expected polynomial:DEGREE, products or polar")


def _monomials(rows: Floats, monomials: list[tuple[int, ...]]) -> Floats:
    with np.errstate(over="ignore", under="ignore"):
        return _finite(np.column_stack([rows[:, list(columns)].prod(axis=1) for columns in monomials]))


def _matrix(X: Any, least_columns: int = 1) -> Floats:
    rows = binary64_numbers(X, "X")
    if rows.ndim != 2 or not len(rows) or rows.shape[1] < least_columns:
        expected = f"(n_samples, d), n_samples >= 1 and d >= {least_columns}"
        raise InvalidProblemError(f"X has shape {rows.shape}; expected {expected}")
    if not np.isfinite(rows).all():
        raise InvalidProblemError("X holds NaN or infinity; expected finite numbers")
    return rows


def _finite(features: Floats) -> Floats:
    if not np.isfinite(features).all():
        raise InvalidProblemError("a feature overflows: divide the data by a power of two such as 2**600")
    return features
