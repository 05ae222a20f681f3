"""The data of one two-class question."""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.dyadic import Integers, as_dense, as_fraction, as_integers, times_power_of_two
from maxmargin.solvers.exact.products import exact_products, exact_squares
from maxmargin.solvers.exact.units import ColumnUnits
from maxmargin.solvers.problem.rows import DEFAULT_SIZES, ChosenRows, InMemory, RowSource, WorkSizes
from maxmargin.solvers.problem.scaling import ColumnScaling, Extremes, extremes_of_rows

T = TypeVar("T")

# Largest number of rows of a sample.
_GREATEST_SAMPLE = 20_000

# Largest number of matrix entries of a sample.
_SAMPLE_ENTRIES = 50_000_000

# Largest number of rows, in all or for each column, for which one program of all rows is as fast as a working set.
_FEW_ROWS, _FEW_ROWS_A_COLUMN = 4000, 5

# Smallest numbers of columns, and of matrix entries, for which descent along multipliers is worth its compilation.
_MANY_COLUMNS, _MANY_POSITIONS = 300, 1 << 20

# Draw the sample from the rows at hand if they make up at least this fraction of it.
_ENOUGH = 0.25


class Samples:
    """The common part of problems of two and of more classes: rows of numbers, and whether there is a bias."""

    X: Any
    bias: bool
    integers: Integers | None
    units: ColumnUnits | None
    known_bounds: Extremes | None
    positive: str | int | float | bool | None = None
    read_as: Mapping[str, Any] | None = None
    sizes: WorkSizes
    question: ClassVar[str] = "two-class"

    def __post_init__(self) -> None:
        if self.bias not in (True, False):
            raise InvalidOptionError(f"bias is {self.bias!r}; expected True or False")
        object.__setattr__(self, "bias", bool(self.bias))

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns of X (the bias is not one)."""
        return int(self.X.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether rows come as SciPy sparse arrays."""
        return self.row_source.is_sparse

    @cached_property
    def row_source(self) -> RowSource:
        """Where the rows live."""
        is_in_memory = isinstance(self.X, np.ndarray) or hasattr(self.X, "tocsr")
        return InMemory(self.X, self.sizes.chunk_entries) if is_in_memory else self.X

    @property
    def matrix(self) -> Any:
        """All rows as one array or CSR array, read into memory if they are elsewhere."""
        return self.row_source[:]

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, as `RowSource.map`."""
        return self.row_source.map(function, *vectors)

    def dense_chunks(self) -> Iterator[Floats]:
        """Yield all rows in order, in dense arrays of a moderate size."""
        if not self.is_sparse:
            yield from self.map(_whole)
            return
        for rows in slices(self.n_samples, max(1, self.sizes.chunk_entries // self.n_features)):
            yield self.dense_rows(rows)

    def dense_rows(self, rows: Any) -> Floats:
        """Return the given rows of X as a dense array."""
        return as_dense(self.X[rows])

    @cached_property
    def sample(self) -> tuple[Rows, Any]:
        """Positions of some rows (all if they are few), and the rows: a dense array, or CSR.

        They are chosen at random, the same on every run, half of them from each of two classes that are large enough.
        """
        most = self.sample_size
        if self.n_samples <= most:
            return np.arange(self.n_samples), self.row_source[:]
        rows = self._drawn(most)
        return rows, self.row_source[rows]

    @property
    def sample_size(self) -> int:
        """About how many rows the sample of many rows has."""
        return sample_size(self.n_samples, self.n_features, self.sizes)

    def _drawn(self, most: int) -> Rows:
        """Return the positions of this many rows, or of fewer if enough are at hand."""
        rows = np.arange(self.n_samples)
        return np.sort(_drawn_from(rows, self.row_source.sampled, most, np.random.default_rng(0)))

    @cached_property
    def column_bounds(self) -> Extremes:
        """Return the least and the greatest number of every column."""
        return self.known_bounds or extremes_of_rows(self.row_source)

    @property
    def column_sizes(self) -> Floats:
        """The greatest modulus in every column."""
        low, high = self.column_bounds
        return np.maximum(np.abs(low), np.abs(high))

    @cached_property
    def scaling(self) -> ColumnScaling:
        """A change of the columns that makes the problem easy for floating point."""
        if self.is_sparse:
            return ColumnScaling.of_sizes(self.column_sizes)
        return ColumnScaling.of_dense(*self.column_bounds, self.sample[1], bias=self.bias)

    @property
    def reading(self) -> str:
        """`decimal` if the rows are the exact text of a file, else `binary64`."""
        return "binary64" if self.integers is None else "decimal"

    def exact_rows(self, rows: Any) -> tuple[Integers, int]:
        """Return the given rows as ``(integers, exponent)``: ``integers * 2**exponent``, exactly."""
        if self.integers is not None:
            return self.integers[rows], 0
        return as_integers(self.dense_rows(rows))

    def exact_products(self, rows: Rows, X: Any, vectors: Integers) -> tuple[Integers, int]:
        """Return ``(products, exponent)``: the given rows times vectors of integers, exactly.

        X are the rows themselves. The cost is linear in their stored entries.
        """
        if self.integers is not None:
            return self.integers[rows].dot(vectors), 0
        return exact_products(X, vectors)

    @property
    def label_bytes(self) -> bytes:
        """The signs or the numbers of the classes, as they are hashed."""
        raise NotImplementedError

    @cached_property
    def sha256(self) -> str:
        """Hash of the shape, the rows and the labels; the same for dense and sparse storage.

        The rows are hashed as binary64, in the decimal reading as the reduced fractions of the text.
        """
        if self.integers is not None:
            units = self.units or ColumnUnits((Fraction(1),) * self.n_features)
            return units.sha256(self.integers, self.label_bytes)
        digest = hashlib.sha256()
        for part in self.hashed_parts():
            digest.update(part)
        return digest.hexdigest()

    def hashed_parts(self) -> Iterator[bytes]:
        """Yield, in parts, the bytes that are hashed in the reading `binary64`."""
        yield f"{self.n_samples} {self.n_features}\n".encode()
        for X in self.dense_chunks():
            numbers = X + 0.0  # -0.0 and 0.0 are the same number
            yield np.ascontiguousarray(numbers, dtype="<f8").tobytes()
        yield self.label_bytes


@dataclass(frozen=True)
class Problem(Samples):
    """Rows with signs, and whether the hyperplane has a bias.

    Attributes
    ----------
    X : ndarray (n_samples, n_features) of float64, C order, a SciPy CSR array, or a RowSource
        Finite numbers.
    y : ndarray (n_samples,) of float64
        -1.0 or +1.0, both present.
    bias : bool
        True: hyperplanes ``w.x + b = 0``. False: ``w.x = 0``.
    integers : ndarray (n_samples, n_features) of int, optional
        The rows themselves if they are integers beyond binary64; X is then their rounding. By default the rows are X,
        exactly.
    units : ColumnUnits, optional
        The unit of the integers in each column of a file's text; by default 1. Verdicts and weights are the same for
        the text; hyperplanes and margins belong to the integers until they are converted back.
    known_bounds : tuple of two ndarray (n_features,), optional
        The least and the greatest number of every column, where somebody has looked already.
    positive : str, int, float or bool, optional
        The label that is +1, by which proofs name it. Without it, it is the greater one of two.
    read_as : mapping, optional
        How the rows were read, as proofs state it.
    sizes : WorkSizes
        Sizes of data at which work is divided or done in another way.

    The constructor trusts its arguments; `Problem.validated` checks them.
    """

    X: Any
    y: Floats
    bias: bool = True
    integers: Integers | None = None
    units: ColumnUnits | None = None
    known_bounds: Extremes | None = None
    positive: str | int | float | bool | None = None
    read_as: Mapping[str, Any] | None = None
    sizes: WorkSizes = DEFAULT_SIZES

    @classmethod
    def validated(cls, X: Any, y: Any, *, bias: bool = True) -> "Problem":
        """Check shapes, signs and finiteness, and return the problem.

        Raises
        ------
        InvalidProblemError
            If X is not a finite n x d matrix with n, d >= 1, or y is not n signs of both kinds.

        Examples
        --------
        >>> Problem.validated([[1.0], [2.0]], [-1, 1]).n_features
        1
        """
        if not hasattr(X, "tocsr"):
            X = np.ascontiguousarray(X, dtype=np.float64)
        signs = np.ascontiguousarray(y, dtype=np.float64)
        if X.ndim != 2 or 0 in X.shape:
            raise InvalidProblemError(f"X has shape {X.shape}; expected (n_samples, n_features), both at least 1")
        if signs.shape != (X.shape[0],):
            raise InvalidProblemError(f"y has shape {signs.shape}; expected ({X.shape[0]},), one sign a row of X")
        values = X.data if hasattr(X, "tocsr") else X
        if not np.isfinite(values).all():
            raise InvalidProblemError("X holds NaN or infinity; expected finite numbers")
        if not ((signs == 1) | (signs == -1)).all():
            raise InvalidProblemError("y holds other values than -1 and +1")
        if (signs == signs[0]).all():
            raise InvalidProblemError("y holds one class only; expected both -1 and +1")
        return cls(X, signs, bias)

    @property
    def has_many_rows(self) -> bool:
        """Whether programs of a few rows are far smaller than that of all: there are many, of binary64 numbers."""
        n_few = _FEW_ROWS_A_COLUMN * self.n_features
        is_large = self.integers is None and self.n_samples > max(_FEW_ROWS, n_few)
        return is_large and len(self.sample[0]) >= n_few and not (self.is_sparse and self.has_many_columns)

    @property
    def has_many_columns(self) -> bool:
        """Whether the rows are in memory, with enough columns for descent to be faster than a working set."""
        if not isinstance(self.row_source, InMemory):
            return False
        n_rows, n_columns = self.n_samples, self.n_features
        n_least = n_columns if self.is_sparse else min(n_rows, n_columns)
        return n_least >= _MANY_COLUMNS and n_rows * n_columns >= _MANY_POSITIONS

    def of_rows(self, rows: Rows) -> "Problem":
        """Return the problem of some of the rows, which stay where they are unless they are in memory."""
        integers = None if self.integers is None else self.integers[rows]
        is_in_memory = isinstance(self.row_source, InMemory)
        X = self.row_source[rows] if is_in_memory else ChosenRows(self.row_source, rows)
        return Problem(X, self.y[rows], self.bias, integers, self.units, sizes=self.sizes)

    def signs(self, rows: Rows) -> Integers:
        """Return the signs of rows as integers."""
        return self.y[rows].astype(np.int64).astype(object)

    def _drawn(self, most: int) -> Rows:
        random, at_hand, parts = np.random.default_rng(0), self.row_source.sampled, []
        for sign in (-1, 1):
            rows = np.flatnonzero(self.y == sign)
            parts.append(_drawn_from(rows, at_hand[self.y[at_hand] == sign], most // 2, random))
        return np.sort(np.concatenate(parts))

    @property
    def label_bytes(self) -> bytes:
        """The signs as bytes."""
        return self.y.astype(np.int8).tobytes()


@dataclass(frozen=True)
class ClassProblem(Samples):
    """Rows of several classes: scores w_k.x + b_k, one for each class, are to put every row's own class first.

    Attributes
    ----------
    X, bias, integers, units, known_bounds, read_as, sizes
        As in `Problem`.
    codes : ndarray (n_samples,) of int
        The classes, as numbers 0 .. n_classes - 1.
    n_classes : int
        At least 2.
    """

    X: Any
    codes: NDArray[np.int64]
    n_classes: int
    bias: bool = True
    integers: Integers | None = None
    units: ColumnUnits | None = None
    known_bounds: Extremes | None = None
    read_as: Mapping[str, Any] | None = None
    sizes: WorkSizes = DEFAULT_SIZES
    question: ClassVar[str] = "multinomial"

    @property
    def label_bytes(self) -> bytes:
        """The codes as bytes."""
        return self.codes.astype("<i4").tobytes()


def sample_size(n_rows: int, n_columns: int, sizes: WorkSizes = DEFAULT_SIZES) -> int:
    """Return about how many rows the sample of many rows has.

    The number is 2 sqrt(d n), within limits: about d n/m of the other rows violate the solution for m rows
    (Clarkson 1995).
    """
    wanted = int(2 * math.sqrt(n_rows * n_columns))
    bounded = min(max(wanted, sizes.least_sample), _GREATEST_SAMPLE)
    return max(2, min(bounded, _SAMPLE_ENTRIES // max(n_columns, 1)))


def _drawn_from(rows: Rows, at_hand: Rows, most: int, random: np.random.Generator) -> Rows:
    """Return this many of the rows at random; fewer if enough of them are at hand, so that no row has to be fetched."""
    if len(rows) <= most:
        return rows
    source = at_hand if len(at_hand) >= _ENOUGH * most else rows
    return source[random.choice(len(source), min(most, len(source)), replace=False)]


def _whole(rows: slice, X: Any) -> Any:
    return X


def radius(problem: Problem) -> float:
    """Return R = max ||x_i||, without overflow on the way."""
    return max(problem.map(_greatest_norm))


def _greatest_norm(rows: slice, X: Any) -> float:
    squares, exponent = squared_norms(X)
    try:
        return math.ldexp(math.sqrt(float(squares.max())), exponent)
    except OverflowError:
        return math.inf


def radius_squared(samples: Samples) -> Fraction:
    """Return R^2 = max ||x_i||^2 exactly."""
    return max(samples.map(_greatest_square))


def _greatest_square(rows: slice, X: Any) -> Fraction:
    """Return the greatest squared norm exactly; only rows within rounding of it are computed with integers."""
    squares, _ = squared_norms(X)
    exact, exponent = exact_squares(X[squares >= squares.max() * (1 - 4e-16 * (X.shape[1] + 4))])
    return as_fraction(max(exact.tolist()), 2 * exponent)


def squared_norms(X: Any) -> tuple[Floats, int]:
    """Return ``(squares, e)`` with ``||x_i||^2 = squares_i 4**e`` up to rounding, for dense or sparse rows."""
    exponent = int(np.frexp(abs(X).max())[1])
    scaled = times_power_of_two(X, -exponent)
    if hasattr(X, "tocsr"):
        return np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel(), exponent
    return np.asarray(np.einsum("ij,ij->i", scaled, scaled)), exponent
