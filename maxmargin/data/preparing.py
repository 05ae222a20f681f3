"""Preparations of features before a run: none, centring, standardising, rows of norm 1."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.dataset import Matrix, frozen
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import as_dense

# Sparse features with more entries than this (0.8 GB) are not made dense.
MOST_DENSE_ENTRIES = 10**8


class How(StrEnum):
    """The preparations by name."""

    RAW = "raw"
    CENTER = "center"
    STANDARDIZE = "standardize"
    UNIT = "unit"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """Features z made of the features x, and the way back.

    Attributes
    ----------
    X : float64 array or scipy.sparse.csr_array, of shape (n_samples, n_features)
        The features z, read-only where dense: x for raw, x - shift for center, (x - shift) / scale for standardize,
        x / ||x|| for unit.
    how : How
        The preparation.
    shift : ndarray of shape (n_features,), optional
        Column means, in units of x.
    scale : ndarray of shape (n_features,) for standardize, (n_samples,) for unit, optional
        Population standard deviations (1 for constant columns), or the norms of the rows (0 for a zero row), in units
        of x. A norm too large for binary64 is infinite here; z is right all the same.
    """

    X: Matrix
    how: How
    shift: Floats | None = None
    scale: Floats | None = None

    def apply(self, X: Matrix) -> Matrix:
        """Return further rows, prepared with the constants that were found for the first ones."""
        if self.shift is None:
            return prepare(X, self.how).X
        moved = _dense(X, self.how) - self.shift
        return moved if self.scale is None else moved / self.scale

    def invert(self, w: Floats, b: float) -> tuple[Floats, float] | None:
        """Return (w', b') with w'.x + b' = w.z + b up to rounding, or None for unit, where no such plane exists.

        For unit the rows are scaled one by one: the plane through z is a cone in x, unless b is 0.
        """
        if self.how is How.UNIT:
            return None
        if self.shift is None:
            return w, b
        scaled = w if self.scale is None else w / self.scale
        return scaled, float(b - scaled @ self.shift)


def prepare(X: Matrix, how: str) -> Prepared:
    """Prepare features: centre them, standardize them, or scale rows to norm 1.

    Parameters
    ----------
    X : float64 array or scipy.sparse CSR, of shape (n_samples, n_features)
        Finite numbers.
    how : {"raw", "center", "standardize", "unit"}
        "raw" changes nothing. "center" subtracts from every column its mean. "standardize" also divides each column by
        its population standard deviation, except constant columns. "unit" divides every row by its Euclidean norm,
        except rows of zeros. Sparse features stay sparse with "raw" and "unit".

    Returns
    -------
    Prepared
        The features as `X`, with `how` they were prepared and the constants that were used.

    Raises
    ------
    InvalidProblemError
        If `how` is unknown, centring would overflow, or sparse features are too large to be made dense.

    See Also
    --------
    maxmargin.margin_report : Report on prepared features with the option `prepare`.

    Examples
    --------
    >>> prepare(np.array([[1.0], [3.0]]), "center").X.tolist()
    [[-1.0], [1.0]]
    """
    try:
        chosen = How(how)
    except ValueError as error:
        raise InvalidProblemError(f"prepare={how!r}, expected one of {', '.join(map(repr, map(str, How)))}") from error
    if chosen is How.RAW:
        return Prepared(X=X, how=chosen)
    return _unit(X) if chosen is How.UNIT else _centred(_dense(X, chosen), chosen)


def _dense(X: Matrix, how: How) -> Floats:
    n_entries = X.shape[0] * X.shape[1]
    if not isinstance(X, np.ndarray) and n_entries > MOST_DENSE_ENTRIES:
        raise InvalidProblemError(
            f"prepare={str(how)!r} makes sparse features dense: {n_entries:,} entries, expected at most "
            f"{MOST_DENSE_ENTRIES:,}; use 'raw' or 'unit'"
        )
    return as_dense(X)


def _centred(X: Floats, how: How) -> Prepared:
    exponent, is_constant = _exponents(X), X.min(axis=0) == X.max(axis=0)
    mean = np.ldexp(np.ldexp(X, -exponent).mean(axis=0), exponent)
    # The rounded mean of a constant column may differ from its value, and would leave rounding noise behind.
    shift = np.where(is_constant, X[0], mean)
    with np.errstate(over="ignore"):
        Z = X - shift
    if not np.isfinite(Z).all():
        column = int(np.argmin(np.isfinite(Z).all(axis=0)))
        raise InvalidProblemError(f"column {column} cannot be centred: its range is too large for binary64")
    if how is How.CENTER:
        return Prepared(X=frozen(Z), how=how, shift=shift)
    exponent = _exponents(Z)
    np.ldexp(Z, -exponent, out=Z)
    deviation = np.where(is_constant, 1.0, np.sqrt(np.mean(np.square(Z), axis=0)))
    np.divide(Z, deviation, out=Z)
    return Prepared(X=frozen(Z), how=how, shift=shift, scale=np.ldexp(deviation, exponent))


def _exponents(X: Floats) -> NDArray[Any]:
    """Return e such that the greatest modulus of every column is in [2^(e-1), 2^e)."""
    return np.asarray(np.frexp(np.maximum(X.max(axis=0), -X.min(axis=0)))[1])


@np.errstate(over="ignore")
def _unit(X: Any) -> Prepared:
    n_samples, is_dense = X.shape[0], isinstance(X, np.ndarray)
    row_of = np.arange(n_samples)[:, np.newaxis] if is_dense else np.repeat(np.arange(n_samples), np.diff(X.indptr))
    largest = abs(X).max(axis=1)
    exponent = np.frexp(largest if is_dense else largest.toarray().ravel())[1]
    data = np.ldexp(X if is_dense else X.data, -exponent[row_of])
    squares = np.einsum("ij,ij->i", data, data) if is_dense else np.bincount(row_of, np.square(data), n_samples)
    norm = np.sqrt(squares)
    np.divide(data, np.where(norm == 0, 1.0, norm)[row_of], out=data)
    Z = data if is_dense else X.copy()
    if not is_dense:
        Z.data = frozen(data)
    return Prepared(X=frozen(Z) if is_dense else Z, how=How.UNIT, scale=np.ldexp(norm, exponent))
