"""The sizes of columns, and changes of coordinates that make a problem easy for floating-point solvers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.solvers.basics.parallel import in_order, slices
from maxmargin.solvers.problem.candidate import Candidate
from maxmargin.solvers.problem.rows import RowSource

# The least and the greatest number of every column, both (n_features,).
Extremes = tuple[Floats, Floats]

# Number of entries of a part of a large array.
_ENTRIES_OF_PART = 2**19

# Number of entries of the long rows of which the extremes are found.
_ENTRIES_TOGETHER = 1000

# Number of rows from which the size of the columns is estimated.
_SAMPLE = 1 << 12

# Number of rows of which medians are taken; how many times as far from 0 as from its numbers the median of a column is
# to be subtracted from them without rounding.
_ROWS_OF_MEDIANS, _FAR_FROM_ZERO = 2000, 8

_LEAST_EXPONENT, _GREATEST_EXPONENT = -1021, 1024  # of normal numbers, as frexp counts


def column_bounds(X: Any) -> Extremes:
    """Return the least and the greatest number of every column of an array or CSR array.

    A column with NaN or infinity has NaN for both.

    Examples
    --------
    >>> column_bounds(np.array([[1.0, np.inf], [3.0, 0.0]]))
    (array([ 1., nan]), array([ 3., nan]))
    """
    if hasattr(X, "tocsr"):
        return _finite_or_nan(X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel())
    return _finite_or_nan(_folded(np.minimum, X), _folded(np.maximum, X))


def _folded(fold: np.ufunc, X: Floats) -> Floats:
    """Return the least or the greatest number of every column."""
    # NumPy folds long rows eight times as fast as short ones: several rows are taken as one first, unless it is columns
    # that are contiguous.
    n_rows, n_columns = X.shape
    together = _ENTRIES_TOGETHER // max(n_columns, 1)
    if together > 1 and n_rows > 2 * together and X.strides[0] > X.itemsize:
        n_whole = n_rows - n_rows % together
        folded = fold.reduce(X[:n_whole].reshape(-1, together * n_columns)).reshape(together, n_columns)
        X = np.concatenate([folded, X[n_whole:]])
    result: Floats = fold.reduce(X)
    return result


def extremes_of(X: Floats) -> Extremes:
    """Return the bounds of the columns of an array, of a large one part by part, in threads."""
    if X.size < 2 * _ENTRIES_OF_PART:
        return column_bounds(X)
    parts = (X[rows] for rows in slices(len(X), max(1, _ENTRIES_OF_PART // X.shape[1])))
    return joined_extremes(in_order(column_bounds, parts))


def joined_extremes(parts: Iterable[Extremes]) -> Extremes:
    """Return the bounds of the columns of all rows from those of parts of the rows."""
    lows, highs = zip(*parts, strict=True)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _finite_or_nan(low: Floats, high: Floats) -> Extremes:
    is_finite = np.isfinite(low) & np.isfinite(high)
    return (low, high) if is_finite.all() else (np.where(is_finite, low, np.nan), np.where(is_finite, high, np.nan))


def extremes_of_rows(row_source: RowSource) -> Extremes:
    """Return the bounds of the columns of all rows, chunk by chunk."""
    return joined_extremes(row_source.map(_extremes_of_chunk))


def _extremes_of_chunk(_: slice, X: Any) -> Extremes:
    return column_bounds(X)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnScaling:
    """Columns x -> (x - center) 2**-exponent, so that each has size about 1.

    Powers of two are exact. Centring (only with bias, and of dense rows) rounds; that is harmless because answers are
    checked exactly on the original rows.

    Attributes
    ----------
    center : ndarray (n_features,)
    exponents : ndarray (n_features,) of int
        0 for columns that are zero after centring.
    varies : ndarray (n_features,) of bool
        False for columns that are zero after centring: their weight is 0.
    """

    center: Floats
    exponents: NDArray[np.int64]
    varies: Mask

    @classmethod
    def of_sizes(cls, size: Floats) -> "ColumnScaling":
        """Choose the power of two above the greatest modulus of every column; nothing is centred."""
        exponents = np.frexp(size)[1].astype(np.int64)
        return cls(center=np.zeros(len(size)), exponents=exponents, varies=size > 0)

    @classmethod
    def of_dense(cls, low: Floats, high: Floats, sample: Floats, *, bias: bool) -> "ColumnScaling":
        """Choose the midpoint of every column, and the power of two next to its root mean square from there.

        Parameters
        ----------
        low, high : ndarray (n_features,)
            The least and the greatest number of every column.
        sample : ndarray (m, n_features)
            Some of the rows, for the root mean squares.
        bias : bool
            Whether columns may be centred.
        """
        center = np.where(low == high, low, low / 2 + high / 2) if bias else np.zeros(len(low))
        size = np.maximum(np.abs(low), np.abs(high)) * ((low < high) | (not bias))
        exponents = _root_mean_square_exponents(sample, center, size)
        return cls(center=center, exponents=exponents, varies=size > 0)

    @classmethod
    def without_rounding(cls, X: Floats, sizes: Floats, *, bias: bool) -> "ColumnScaling":
        """Choose the power of two above the numbers of every column of dense rows, centred only where that is exact.

        A column that is far from 0 is centred at its median: the differences of numbers that near are exact.

        Parameters
        ----------
        X : ndarray (m, n_features)
            Some of the rows; the numbers of others may be larger.
        sizes : ndarray (n_features,)
            The greatest modulus in every column of all rows, for columns in which these rows are all the same.
        bias : bool
            Whether columns may be centred.
        """
        center = np.median(X[:_ROWS_OF_MEDIANS], axis=0) if bias else np.zeros(X.shape[1])
        low, high = column_bounds(X)
        is_far = np.abs(center) / _FAR_FROM_ZERO > np.maximum(high - center, center - low)
        center = np.where(is_far, center, 0.0)
        size = np.maximum(high - center, center - low)
        size = np.where(size > 0, size, np.where(sizes > 0, sizes, 1.0))
        return cls(center=center, exponents=np.frexp(size)[1].astype(np.int64), varies=np.ones(len(size), np.bool_))

    def robust(self, X: Floats, *, bias: bool) -> "ColumnScaling":
        """Return the scaling by medians of dense rows, which a few outliers do not move."""
        middle = len(X) // 2
        center = np.partition(X, middle, axis=0)[middle] if bias else self.center
        distances = np.abs(_centred(X, center, self.exponents))
        median = np.partition(distances, middle, axis=0)[middle]
        exponents = self.exponents + np.where(median > 0, np.frexp(median)[1], 0)
        return ColumnScaling(center=center, exponents=exponents, varies=self.varies)

    def in_one_unit(self) -> "ColumnScaling":
        """Return the same with the unit of the largest column for all."""
        largest = self.exponents.max(initial=2 * _LEAST_EXPONENT, where=self.varies)
        return replace(self, exponents=np.where(self.varies, largest, 0))

    def apply(self, X: Any) -> Any:
        """Return the rows in the new coordinates."""
        if hasattr(X, "tocsr"):
            scaled = X.copy()
            scaled.data = np.ldexp(X.data, -self.exponents[X.indices])
            return scaled
        return _centred(X, self.center, self.exponents)

    @property
    def unit_exponent(self) -> int:
        """The exponent e of the smallest column size 2**e: the original of a new normal w' is q * w' * 2**-e."""
        return int(self.exponents[self.varies].min()) if self.varies.any() else 0

    def normal_weights(self) -> Floats:
        """Return q with ||w|| proportional to ||q * w'|| for normals w' of the new coordinates; the largest is 1."""
        return np.where(self.varies, np.ldexp(1.0, np.minimum(self.unit_exponent - self.exponents, 0)), 1.0)

    def invert(self, w: Floats) -> Floats:
        """Return the normal in the original coordinates, up to a positive factor (a power of two)."""
        w = np.where(self.varies, w, 0.0)
        if not w.any():
            return w
        mantissas, exponents = np.frexp(w)
        exponents = exponents - self.exponents
        smallest, largest = exponents[w != 0].min(), exponents[w != 0].max()
        # The largest entry becomes about 1, or larger if small ones would underflow.
        shift = max(-largest, min(_LEAST_EXPONENT - smallest, _GREATEST_EXPONENT - largest))
        result: Floats = np.ldexp(mantissas, exponents + shift)
        return result

    def bring_home(self, candidate: Candidate) -> Candidate:
        """Return the candidate with its normal in the original coordinates."""
        w = None if candidate.w is None else self.invert(candidate.w)
        return replace(candidate, w=w)


def _centred(X: Floats, center: Floats, exponents: NDArray[np.int64]) -> Floats:
    """Return (X - center) 2**-exponents; scaled first, so that neither large nor small numbers lose digits."""
    is_normal = np.abs(exponents).max(initial=0) < _GREATEST_EXPONENT - 2
    with np.errstate(over="ignore"):
        # Multiplication is faster, and exact if the powers are normal numbers.
        result: Floats = X * np.ldexp(1.0, -exponents) if is_normal else np.ldexp(X, -exponents)
        result -= np.ldexp(center, -exponents)
    return result


def row_units(X: Floats) -> Floats:
    """Return for every row the power of two that brings the larger of 1 and its largest modulus to about 1."""
    largest = np.maximum(1.0, np.abs(X).max(axis=1))
    result: Floats = np.ldexp(1.0, -np.frexp(largest)[1])
    return result


def _root_mean_square_exponents(sample: Floats, center: Floats, largest: Floats) -> NDArray[np.int64]:
    """Return the power of two above the root mean square of every column from its center; 0 where all are 0.

    A regular sample stands for many rows; a column that is 0 in the sample has the size of its largest number.
    """
    exponents = np.where(largest > 0, np.frexp(largest)[1], 0).astype(np.int64)
    scaled = _centred(sample[:: -(-len(sample) // _SAMPLE)], center, exponents)
    mean_square = np.einsum("ij,ij->j", scaled, scaled) / len(scaled)
    return np.where(mean_square > 0, exponents + np.frexp(np.sqrt(mean_square))[1], exponents)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSpace:
    """Orthonormal coordinates of the rows: x = center + basis @ z, and normals w = basis @ v with ||w|| = ||v||.

    Among all w with the same scores w.x_i + b the shortest is a combination of the rows, or with bias of their
    differences (the representer theorem): nothing is lost, and ||w|| does not change. Subtracting the center changes
    the scores by a constant only, which the bias absorbs.

    Attributes
    ----------
    basis : ndarray (n_features, rank)
        Orthonormal columns, not more than rows.
    center : ndarray (n_features,)
        The mean of the rows with bias, 0 without bias.
    """

    basis: Floats
    center: Floats

    @classmethod
    def of(cls, X: Floats, *, bias: bool = True) -> "RowSpace":
        """Return the space of the rows of X by a QR decomposition, in O(n_features n_samples**2).

        A row that depends on others costs one coordinate, and nothing else.

        Examples
        --------
        >>> X = np.array([[1.0, 2.0, 2.0, 0.0], [5.0, 2.0, 2.0, 0.0]])
        >>> space = RowSpace.of(X)
        >>> np.round(np.abs(space.apply(X)), 9).tolist()
        [[2.0], [2.0]]
        """
        center: Floats = X.mean(axis=0) if bias else np.zeros(X.shape[1])
        # The differences from a mean sum to 0: the last one is a combination of the others.
        rows = (X - center)[: len(X) - bias]
        return cls(basis=np.linalg.qr(rows.T)[0], center=center)

    def apply(self, X: Floats) -> Floats:
        """Return the coordinates of rows, (n_rows, rank)."""
        return (X - self.center) @ self.basis

    def invert(self, v: Floats) -> Floats:
        """Return the normal w that has the coordinates v."""
        return self.basis @ v
