"""The rows z_i of a cone {v : z_i.v >= 0}, as floats for the solvers and as integers for the proofs.

With them travel the settings of the decision: sizes, tolerances and the solver that proposes directions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.exact.dyadic import Integers, as_integer_columns, nearest_floats
from maxmargin.solvers.exact.linear import combination
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import ClassProblem, Problem, Samples
from maxmargin.solvers.proof.margins import enclosures, score_enclosures

Vector = Sequence[Fraction]

FaceSolver = Callable[..., tuple[Floats | None, Floats | None, SolverRun]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConeSettings:
    """Sizes and tolerances of the decision of a cone; answers are checked exactly, so that they change its time only.

    Attributes
    ----------
    all_active_rows : int
        Largest number of rows of a cone for which all of them are active from the start.
    first_rows, first_rows_per_column : int
        A larger cone starts with `first_rows` rows and `first_rows_per_column` more for every column.
    rows_added : int
        Largest number of violated rows that become active at a time.
    exact_rows : int
        Number of rows that are turned into integers at a time.
    sign_rows_added : int
        As `rows_added`, for the signs of the columns.
    alias_spare_rows : int
        Linearly dependent columns are looked for on two rows for every column and this number of rows more.
    in_span : float
        Distance from the span of a face, relative to the length of the row, up to which a row is taken for dependent
        on the face until this is checked exactly.
    opposite : float
        Value of a coordinate, of a direction of size about 1, above which the sign in floating point is believed until
        this is checked exactly.
    candidate_weight : float
        Weight, relative to the largest one, up to which a row is left out of a candidate circuit.
    solve_on_face : callable, optional
        Proposes directions and weights in place of `highs_lp.solve_on_face`.
    """

    all_active_rows: int = 4096
    first_rows: int = 500
    first_rows_per_column: int = 10
    rows_added: int = 1000
    exact_rows: int = 4096
    sign_rows_added: int = 100
    alias_spare_rows: int = 50
    in_span: float = 1e-9
    opposite: float = 1e-9
    candidate_weight: float = 1e-12
    solve_on_face: FaceSolver | None = None


DEFAULT = ConeSettings()


class StageRows(Protocol):
    """Vectors z_i in Q^m: the part that a question about some of them needs.

    Attributes
    ----------
    width : int
        Their length m.
    biases : sequence of int
        Coordinates that centring moves.
    settings : ConeSettings
    """

    width: int
    biases: Sequence[int]
    settings: ConeSettings

    def integers(self, rows: Rows) -> tuple[Integers, list[int]]:
        """Return ``(Z, exponents)``: entry j of the vectors is ``Z[:, j] * 2**exponents[j]``."""

    def scaled(self, rows: Rows) -> Floats:
        """Return the vectors, rounded, in coordinates where they have size about 1."""

    def home(self, direction: Floats) -> list[Fraction]:
        """Return the direction in the original coordinates, exactly up to a positive factor."""


class ConeRows(StageRows, Protocol):
    """The rows of a cone, far too many to hold as integers at once.

    Attributes
    ----------
    n_rows : int
        Number of vectors.
    """

    n_rows: int

    def scaled_unit(self, column: int) -> Floats:
        """Return the scaled vector whose product with a direction has the sign of the direction's entry `column`."""

    def enclosures(self, direction: Floats) -> Iterator[tuple[Rows, Floats, Floats]]:
        """Yield ``(rows, lower, upper)`` with lower <= z_i.v <= upper."""

    def exact_products(self, rows: Rows, vectors: Integers) -> Integers:
        """Return the integers ``z_i.v`` up to a positive factor, for the columns v of `vectors`, (m, k)."""

    def enclose(self, direction: Vector) -> Iterator[tuple[Rows, Floats, Floats]]:
        """Yield ``(rows, lower, upper)`` with lower <= z_i.v * factor <= upper for some factor > 0."""
        rounded = nearest_floats(direction)
        if rounded is not None:
            yield from self.enclosures(rounded)
        else:
            everywhere = np.full(self.n_rows, np.inf)
            yield np.arange(self.n_rows), -everywhere, everywhere

    def vanishing(self, rows: Rows, vectors: Integers) -> Mask:
        """Return for which of the rows all ``z_i.v`` are exactly 0."""
        return np.asarray((self.exact_products(rows, vectors) == 0).all(axis=1), dtype=np.bool_)


class SignedRows(ConeRows):
    """The vectors z_i = y_i (x_i, 1) of a two-class problem, through the origin y_i x_i."""

    def __init__(self, problem: Problem, settings: ConeSettings = DEFAULT) -> None:
        self.problem, self.settings = problem, settings
        self.n_rows, self.width = problem.n_samples, problem.n_features + problem.bias
        self.biases = (problem.n_features,) if problem.bias else ()

    def integers(self, rows: Rows) -> tuple[Integers, list[int]]:
        """Return the rows as integers, every column in its own power of two."""
        table, exponents = integer_rows(self.problem, rows)
        return table * self.problem.signs(rows)[:, None], exponents

    def scaled(self, rows: Rows) -> Floats:
        """Return y (x', 1) with centred columns of size about 1."""
        return np.asarray(scaled_rows(self.problem, rows) * self.problem.y[rows, None])

    def home(self, direction: Floats) -> list[Fraction]:
        """Return (w, b) of the original coordinates."""
        return home(self.problem, direction)

    def scaled_unit(self, column: int) -> Floats:
        """Return e_j; the bias in the original coordinates is the scaled one less the effect of centring."""
        return scaled_unit(self.problem, column)

    def enclosures(self, direction: Floats) -> Iterator[tuple[Rows, Floats, Floats]]:
        """Enclose y (w.x + b) in floating point."""
        d = self.problem.n_features
        offset = float(direction[d]) if self.problem.bias else 0.0
        yield from enclosures(self.problem, direction[:d], offset, for_signs=True)

    def exact_products(self, rows: Rows, vectors: Integers) -> Integers:
        """Return y (w.x + b) times a power of two."""
        X, d = self.problem.row_source[rows], self.problem.n_features
        products, exponent = self.problem.exact_products(rows, X, vectors[:d])
        if self.problem.bias:
            products = with_offset(products, exponent, vectors[-1])
        return np.asarray(products * self.problem.signs(rows)[:, None])

    def vanishing(self, rows: Rows, vectors: Integers) -> Mask:
        """Return where w.x + b = 0 for all vectors, in floating point where that is exact."""
        used = np.flatnonzero(vectors.any(axis=1))
        if self.problem.integers is None:
            products = exact_product(self._columns(rows, used), vectors[used])
            if products is not None:
                return np.asarray((products == 0).all(axis=1))
        return super().vanishing(rows, vectors)

    def _columns(self, rows: Rows, columns: Rows) -> Floats:
        """Return some of the columns of (X, 1)."""
        d = self.problem.n_features
        table = np.ones((len(rows), len(columns)))
        own = columns < d
        table[:, own] = self.problem.dense_rows(rows)[:, columns[own]]
        return table


def exact_product(X: Floats, vectors: Integers) -> Floats | None:
    """Return X v up to a power of two for some integer vectors v, (m, k), if floating point makes no error; else None.

    It makes none if all numbers are integers in one unit and the sums of their moduli stay below 2**53.

    Examples
    --------
    >>> exact_product(np.array([[0.5, 1.5]]), np.array([[3], [-1]], dtype=object))
    array([[0.]])
    >>> exact_product(np.array([[1.0, 2.0**-60]]), np.array([[3], [-1]], dtype=object)) is None
    True
    """
    bits = max(sum(map(abs, column)).bit_length() for column in vectors.T.tolist())
    exponent = 53 - 1 - bits - int(np.frexp(np.abs(X).max(initial=0.0))[1])
    if bits >= 53:
        return None
    with np.errstate(over="ignore"):
        table = np.ldexp(X, exponent)
    is_exact = (np.rint(table) == table) & ((table != 0) | (X == 0))
    return np.asarray(table @ vectors.astype(np.float64)) if is_exact.all() else None


def integer_rows(problem: Samples, rows: Rows) -> tuple[Integers, list[int]]:
    """Return ``(integers, exponents)``: column j of (x, 1), or of x, is ``integers[:, j] * 2**exponents[j]``."""
    if problem.integers is not None:
        table, exponents = problem.integers[rows], [0] * problem.n_features
    else:
        table, exponents = as_integer_columns(problem.dense_rows(rows))
    if not problem.bias:
        return table, exponents
    return np.hstack([table, np.ones((len(rows), 1), dtype=object)]), [*exponents, 0]


def scaled_rows(problem: Samples, rows: Any) -> Floats:
    """Return (x', 1), through the origin x', with centred columns x' of size about 1."""
    X: Floats = problem.scaling.apply(problem.dense_rows(rows))
    return np.hstack([X, np.ones((len(X), 1))]) if problem.bias else X


def parts(rows: Rows, size: int) -> Iterator[Rows]:
    """Yield the rows in parts of the given size."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def annihilated(cone: ConeRows, rows: Rows, vectors: Sequence[Sequence[int]]) -> Mask:
    """Return which of the rows are exactly 0 on all vectors."""
    if not vectors:
        return np.ones(len(rows), dtype=np.bool_)
    return cone.vanishing(rows, np.array(vectors, dtype=object).T)


def with_offset(products: Integers, exponent: int, offset: Integers) -> Integers:
    """Return ``products * 2**exponent + offset`` as integers, up to a power of two."""
    if exponent > 0:
        return np.asarray(products * (1 << exponent) + offset)
    return np.asarray(products + offset * (1 << -exponent))


def home(problem: Samples, direction: Floats) -> list[Fraction]:
    """Return ``w_j = w'_j 2**-e_j`` and ``b = b' - sum c_j w_j``, exactly."""
    scaling, n_features = problem.scaling, problem.n_features
    pairs = zip(direction[:n_features].tolist(), scaling.exponents.tolist(), strict=True)
    w = [Fraction(v) / Fraction(2) ** e for v, e in pairs]
    if not problem.bias:
        return w
    moved = sum((Fraction(c) * v for c, v in zip(scaling.center.tolist(), w, strict=True) if c and v), Fraction(0))
    return [*w, Fraction(float(direction[n_features])) - moved]


def scaled_unit(problem: Samples, column: int) -> Floats:
    """Return u with u.(w', b') a positive multiple of entry `column` of (w, b)."""
    unit = np.zeros(problem.n_features + problem.bias)
    unit[column] = 1.0
    if column == problem.n_features:
        with np.errstate(over="ignore"):
            unit[:column] = -np.ldexp(problem.scaling.center, -problem.scaling.exponents)
    return unit


class ClassRows(ConeRows):
    """The vectors z_ik = (x_i, 1) (x) (e_c - e_k), c the class of row i, k another one.

    A direction holds (w_k, b_k) of the classes 1, 2, ...; class 0 is the reference, its scores are 0, because scores
    matter up to a common shift. Vector number i (K - 1) + p is row i against the p-th class that is not its own. The
    matrix of all vectors is never built.
    """

    settings = DEFAULT

    def __init__(self, problem: ClassProblem) -> None:
        self.problem = problem
        self.block, self.n_others = problem.n_features + problem.bias, problem.n_classes - 1
        self.n_rows, self.width = problem.n_samples * self.n_others, self.n_others * self.block
        self.biases = range(self.block - 1, self.width, self.block) if problem.bias else ()

    def pairs(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the samples of the vectors, and the classes with which they are compared."""
        samples, positions = np.divmod(rows, self.n_others)
        return samples, positions + (positions >= self.problem.codes[samples])

    def integers(self, rows: Rows) -> tuple[Integers, list[int]]:
        """Return the vectors as integers, every column of X in its own power of two in all blocks."""
        samples, others = self.pairs(rows)
        table, exponents = integer_rows(self.problem, samples)
        return self._in_blocks(table, samples, others), exponents * self.n_others

    def scaled(self, rows: Rows) -> Floats:
        """Return the vectors with centred columns of size about 1."""
        samples, others = self.pairs(rows)
        return self._in_blocks(scaled_rows(self.problem, samples), samples, others)

    def home(self, direction: Floats) -> list[Fraction]:
        """Return the directions of all classes in the original coordinates."""
        return [v for part in direction.reshape(self.n_others, self.block) for v in home(self.problem, part)]

    def scaled_unit(self, column: int) -> Floats:
        """Return the vector that picks one coordinate of one class."""
        k, j = divmod(column, self.block)
        unit = np.zeros((self.n_others, self.block))
        unit[k] = scaled_unit(self.problem, j)
        return unit.ravel()

    def enclosures(self, direction: Floats) -> Iterator[tuple[Rows, Floats, Floats]]:
        """Enclose the score of the row's own class less the score of the other one."""
        normals = np.vstack([np.zeros(self.block), direction.reshape(self.n_others, self.block)])
        d = self.problem.n_features
        offsets = normals[:, d] if self.problem.bias else np.zeros(len(normals))
        for samples, lower, upper in score_enclosures(self.problem, normals[:, :d], offsets):
            rows = (samples[:, None] * self.n_others + np.arange(self.n_others)).ravel()
            yield rows, *self._differences(rows, samples[0], lower, upper)

    def exact_products(self, rows: Rows, vectors: Integers) -> Integers:
        """Return the differences of scores times a power of two."""
        samples, others = self.pairs(rows)
        unique, positions = np.unique(samples, return_inverse=True)
        entries, exponent = self.problem.exact_rows(unique)
        blocks = vectors.reshape(self.n_others, self.block, -1)
        scores = np.zeros((self.problem.n_classes, len(unique), vectors.shape[1]), dtype=object)
        for k, block in enumerate(blocks, start=1):
            scores[k] = self._scores(entries, exponent, block)
        return np.asarray(scores[self.problem.codes[samples], positions] - scores[others, positions])

    def _scores(self, entries: Integers, exponent: int, block: Integers) -> Integers:
        products: Integers = entries.dot(block[: self.problem.n_features])
        return with_offset(products, exponent, block[-1]) if self.problem.bias else products

    def _differences(self, rows: Rows, first: int, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        samples, others = self.pairs(rows)
        own, position = self.problem.codes[samples], samples - first
        with np.errstate(over="ignore", invalid="ignore"):
            low = np.nextafter(lower[position, own] - upper[position, others], -np.inf)
            high = np.nextafter(upper[position, own] - lower[position, others], np.inf)
        return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)

    def _in_blocks(self, vectors: NDArray[Any], samples: Rows, others: Rows) -> NDArray[Any]:
        """Return rows with the vectors in the blocks of their own class, and minus them in the blocks of the others."""
        blocks = np.zeros((len(vectors), self.n_others, self.block), dtype=vectors.dtype)
        own = self.problem.codes[samples]
        here, there = np.flatnonzero(own > 0), np.flatnonzero(others > 0)
        blocks[here, own[here] - 1] = vectors[here]
        blocks[there, others[there] - 1] = -vectors[there]
        return blocks.reshape(len(vectors), self.width)


def balances(cone: ConeRows, weights: Mapping[int, int]) -> bool:
    """Return whether the weights are positive and sum a_i z_i = 0 exactly."""
    if not weights:
        return True
    table, _ = cone.integers(np.array(list(weights), dtype=np.int64))
    return min(weights.values()) > 0 and not any(combination(table, list(weights.values())))
