"""Columns that depend linearly on columns before them but for differences of the size of rounding errors.

The rounding is to binary64, or to the single precision of binary32, in which some programs store numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.exact.dyadic import (
    Integers,
    as_dense,
    as_integer_columns,
    common_exponent,
    round_up,
    without_denominators,
)
from maxmargin.solvers.exact.linear import independent_rows
from maxmargin.solvers.problem.problem import ClassProblem, Problem, Samples
from maxmargin.solvers.problem.rows import InMemory

# Largest number of columns, and of entries of X, for which such columns are looked for.
MOST_COLUMNS, MOST_ENTRIES = 300, 5_000_000

# Largest difference, relative to the sum of the greatest moduli of the terms, that counts as rounding.
ROUNDING = 4e-15

# Largest difference relative to the greatest modulus of the column, and to the sum of the moduli in every row.
_CLOSE = 1e-12

# Distances of a column from the span of those before it, relative to its length, above which nothing is near: as
# computed, and as the square root of a number that rounding may have changed by 1e-12.
_SUSPICIOUS, _FAR = 1e-6, 1e-2

# Relative size of a term up to which it is left out, and relative distance of a short weight from the computed one. In
# single precision the columns determine the weights less precisely.
_NEGLIGIBLE, _NEGLIGIBLE_IN_SINGLE = 1e-9, 1e-7

# Difference in units in the last place that counts as rounding to single precision: half a unit is rounded away, and
# texts are rounded again; computed weights have errors as well.
_UNITS, _MOST_UNITS = 1.0, 1.5

# How programs write numbers of single precision, by the number of digits: the very number, some digits of it, or the
# shortest text that is read as the same number, which is as good as 18 digits.
_WRITTEN: dict[int, Callable[[Any], Any]] = {
    **{17: np.asarray, 7: partial(np.char.mod, "%.7g"), 8: partial(np.char.mod, "%.8g")},
    **{9: partial(np.char.mod, "%.9g"), 18: lambda numbers: numbers.astype(str)},
}

# Largest number of decimals of fixed-point numbers, such as amounts of money, which are not of single precision.
_FIXED_DECIMALS = 3

# A number of single precision is long if this format does not print it; least number of different ones in a column.
_SHORT_FORMAT, _LEAST_LONG = "%.6g", 10

# Number of rows that are printed first.
_FIRST_ROWS = 100

# Largest number of times that rows are added to the sample on which columns look dependent.
_MOST_ROUNDS = 10

# Greatest denominator of a short weight that is no decimal.
GREATEST_DENOMINATOR = 99

# Numbers count as rounded if, in a unit of their column, one has more bits, or is as great in the decimal reading.
_LONG_BITS, _LONG_INTEGER = 50, 10**14

# Number of binary digits of a relative difference.
_BITS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class NearAlias:
    """A column that is nearly a linear combination of columns before it.

    Attributes
    ----------
    column : int
        Its position.
    weights : dict of int to Fraction
        The weights of the others; the column after the last one is the constant 1 of the bias.
    difference : float
        The greatest modulus of the difference of the two sides, over the greatest modulus of the column; rounded up.
    is_single : bool
        Whether the rounding is to single precision.
    """

    column: int
    weights: Mapping[int, Fraction]
    difference: float
    is_single: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class NearAliases:
    """The nearly dependent columns of a question, and its verdict without them; both are found on first use.

    Attributes
    ----------
    samples : Problem or ClassProblem
        The question.
    decide : callable
        Returns the verdict on a question.
    """

    samples: Problem | ClassProblem
    decide: Callable[[Any], Verdict]

    @cached_property
    def found(self) -> tuple[NearAlias, ...] | None:
        """The columns that are nearly, but not exactly, linear combinations of the bias and of columns before them.

        None if they are not looked for: beyond `MOST_COLUMNS` columns or `MOST_ENTRIES` entries, or if the rows are not
        in memory. They are proposed by floating point on some of the rows, so one may be missed; what is said of those
        found is computed exactly on all rows.
        """
        n_samples, n_features = self.samples.n_samples, self.samples.n_features
        is_large = n_features > MOST_COLUMNS or n_samples * n_features > MOST_ENTRIES
        return None if is_large or not isinstance(self.samples.row_source, InMemory) else near_aliases(self.samples)

    @cached_property
    def verdict_without(self) -> Verdict | None:
        """The verdict on the other columns; None if no column is nearly dependent."""
        if not self.found:
            return None
        dropped = {alias.column for alias in self.found}
        kept = [column for column in range(self.samples.n_features) if column not in dropped]
        if not kept:
            return Verdict.OVERLAP  # the constant 1 has both signs among rows of two classes
        integers = None if self.samples.integers is None else self.samples.integers[:, kept]
        X = self.samples.X[:, kept]
        X = X if self.samples.is_sparse else np.ascontiguousarray(X)
        # A unit of a column changes no verdict.
        return self.decide(replace(self.samples, X=X, integers=integers, units=None, known_bounds=None))


def near_aliases(samples: Samples, *, rounding: float = ROUNDING) -> tuple[NearAlias, ...]:
    """Return the columns that are nearly, but not exactly, linear combinations of the bias and columns before them.

    Floating point proposes them, on rows that are added until the relations hold on all others; one may be missed. The
    differences are computed exactly, on all rows.

    The two sides may also differ by one and a half units in the last place of a column of single precision. A column
    counts as such if all its numbers are of binary32 or texts that print such numbers, if some have more than three
    decimals, and if at least ten different ones are long. Columns that only agree once they are rounded, as times in
    seconds since 1970 do, are no such columns.

    Parameters
    ----------
    samples : Samples
        Rows in memory.
    rounding : float
        The largest difference that counts as rounding, relative to the sum of the greatest moduli of the terms. It is
        also at most 1e-12, relative to the greatest modulus of the column and to the terms of every row.

    Examples
    --------
    >>> age = np.arange(1.0, 20.0)
    >>> problem = Problem.validated(np.column_stack([age, 0.1 * age, 2 * age]), np.where(age < 7, -1, 1))
    >>> [(alias.column, alias.weights) for alias in near_aliases(problem)]
    [(1, {0: Fraction(1, 10)})]
    """
    if not samples.n_features:
        return ()
    order = [*([samples.n_features] if samples.bias else []), *range(samples.n_features)]
    found, independent = _search(samples, order, _Binary64(samples, rounding))
    in_single, _ = _search(samples, independent, _Binary32(samples, _UNITS))
    return tuple(sorted([*found, *in_single], key=lambda alias: alias.column))


def _search(samples: Samples, order: list[int], precision: "_Binary64") -> tuple[list[NearAlias], list[int]]:
    """Return those of the columns that are nearly dependent on columns before them, and the independent ones."""
    # A relation that holds on the sample may fail on the other rows. So each one is tried on all rows in floating
    # point; the row where it fails worst joins the sample, and the search is repeated. A column whose relation fails on
    # a row of the sample itself is independent after all (`kept`). Every repetition adds a row or a kept column, or is
    # the last.
    rows = _spread(samples.n_samples, 2 * len(order) + 50)
    kept: set[int] = set()
    found, independent = list[NearAlias](), order
    for _ in range(_MOST_ROUNDS):
        table, exponents = _balanced(_columns(samples, order, rows))
        found, independent, n_kept, outside = [], list(order), len(kept), set[int]()
        for place, hint in _dependent(table, kept, precision):
            shifts = {j: exponents[place] - exponents[j] for j in hint}
            rough = {order[j]: Fraction(weight) * Fraction(2) ** shifts[j] for j, weight in hint.items()}
            weights = precision.refined(rough, order[place], rows)
            excess, worst = precision.excess(weights, order[place])
            if worst not in rows and not excess <= precision.limit:
                outside.add(worst)
            elif excess <= precision.most:
                alias = _proven(samples, order[place], weights, precision)
                found += [] if alias is None else [alias]
                independent.remove(order[place])
            else:
                kept.add(place)
        if not outside and len(kept) == n_kept:
            break
        rows = np.union1d(rows, sorted(outside)).astype(np.int64)
    return found, independent


class _Binary64:
    """What counts as rounding to binary64.

    A column is examined if its distance from the span of others, relative to the terms, is at most `close`; terms up to
    the relative size `negligible` are left out. In rows that were not used for the weights, an excess up to `limit` is
    rounding; beyond `most` it is none in any row.
    """

    is_single = False
    close, negligible, most = _CLOSE, _NEGLIGIBLE, _CLOSE

    def __init__(self, samples: Samples, limit: float) -> None:
        self.samples, self.limit = samples, limit

    def is_rounded(self, columns: Sequence[int]) -> bool:
        """Return whether numbers were rounded. Short ones were not: a relation is exact, or a near miss by chance."""
        return any(_is_long(self.samples, column) for column in columns)

    def scales(self, table: Floats, columns: Sequence[int], rows: Any) -> Floats:
        """Return the sizes with which differences are compared, for these rows and columns."""
        return np.abs(table)

    def terms(self, weights: Mapping[int, Fraction], column: int, rows: Any = slice(None)) -> tuple[Floats, Floats]:
        """Return the terms of a relation in rows, the column last and negative, and the sums of their scales."""
        columns = [*weights, column]
        table = _columns(self.samples, columns, rows)
        exponents = np.frexp(np.abs(table).max(axis=0))[1]
        scaled = [w * Fraction(2) ** int(e - exponents[-1]) for w, e in zip(weights.values(), exponents, strict=False)]
        vector = np.array([*map(round_up, scaled), -1.0])
        with np.errstate(all="ignore"):
            scales = np.ldexp(self.scales(table, columns, rows), -exponents)
            return np.ldexp(table, -exponents) * vector, scales @ np.abs(vector)

    def refined(self, weights: Mapping[int, Fraction], column: int, rows: Rows) -> Mapping[int, Fraction]:
        """Return the weights fitted again, with every row in the unit of its own scale."""
        # A relation has to hold in every row up to rounding in that row, but least squares without row scaling fits the
        # largest rows only. The second pass is iterative refinement with the residual of the first (Golub and
        # Wilkinson, Numerische Mathematik 9, 1966).
        terms, totals = self.terms(weights, column, rows)
        part = terms[totals > 0] / totals[totals > 0, None]
        sizes = np.linalg.norm(part[:, :-1], axis=0)
        if not (np.isfinite(part).all() and sizes.all()):
            return weights
        others, target, fitted = part[:, :-1] / sizes, -part[:, -1], np.zeros(len(sizes))
        for _ in range(2):  # the second time for the rounding of the first
            fitted += np.linalg.lstsq(others, target - others @ fitted, rcond=None)[0]
        factors = map(Fraction, (fitted / sizes).tolist())
        return {j: weight * factor for (j, weight), factor in zip(weights.items(), factors, strict=True)}

    def excess(self, weights: Mapping[int, Fraction], column: int) -> tuple[float, int]:
        """Return about the greatest difference of the two sides over the scale of its row, and the row; or NaN."""
        terms, totals = self.terms(weights, column)
        with np.errstate(all="ignore"):
            ratios = np.where(totals > 0, np.abs(terms.sum(axis=1)) / totals, 0.0)
        worst = int(ratios.argmax())
        return float(ratios[worst]), worst

    def holds(self, weights: Mapping[int, Fraction], column: int, sizes: Sequence[float]) -> bool:
        """Return whether the exact differences, relative to three sizes, are rounding errors."""
        return max(sizes[:2]) <= _CLOSE and sizes[2] <= self.limit


class _Binary32(_Binary64):
    """What counts as rounding to binary32, of which at least one column is."""

    is_single = True
    close, negligible, most = _SUSPICIOUS, _NEGLIGIBLE_IN_SINGLE, _MOST_UNITS

    def __init__(self, samples: Samples, limit: float) -> None:
        super().__init__(samples, limit)
        self.last_places = cache(partial(_last_places, samples))

    def is_rounded(self, columns: Sequence[int]) -> bool:
        """Return whether a column is of single precision."""
        return any(self.last_places(column) is not None for column in columns)

    def scales(self, table: Floats, columns: Sequence[int], rows: Any) -> Floats:
        """Return units in the last place, and for other columns the rounding to binary64."""
        known = (self.last_places(column) for column in columns)
        other = ROUNDING * np.abs(table)
        return np.column_stack([other[:, k] if units is None else units[rows] for k, units in enumerate(known)])

    def excess(self, weights: Mapping[int, Fraction], column: int) -> tuple[float, int]:
        """Return the excess as for binary64; it is infinite without a column of single precision."""
        return super().excess(weights, column) if self.is_rounded([*weights, column]) else (np.inf, 0)

    def holds(self, weights: Mapping[int, Fraction], column: int, sizes: Sequence[float]) -> bool:
        """Return whether the differences are rounding errors in every row."""
        return self.excess(weights, column)[0] <= self.most


def _last_places(samples: Samples, column: int) -> Floats | None:
    """Return the units in the last place of a column of single precision; None for any other column."""
    x = _columns(samples, [column])[:, 0]
    if (x == np.round(x, _FIXED_DECIMALS)).all():
        return None
    parts: list[Any] = [_spread(len(x), _FIRST_ROWS), slice(None)]  # a few rows refute most other columns
    with np.errstate(all="ignore"):
        single = x.astype(np.float32)
        fits = (n for n, text in _WRITTEN.items() if all((text(single[p]).astype(float) == x[p]).all() for p in parts))
        n_digits = next(fits, None)
        is_long = np.char.mod(_SHORT_FORMAT, single).astype(float) != x
        if n_digits is None or len(np.unique(x[is_long])) < _LEAST_LONG:
            return None
        return np.asarray(np.spacing(np.abs(single)) + 10.0 ** (np.floor(np.log10(np.abs(x))) + 1 - n_digits))


def _spread(n_rows: int, most: int) -> Rows:
    """Return the positions of at most this many rows, evenly spread."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, most)).astype(np.int64))


def _balanced(table: Floats) -> tuple[Floats, list[int]]:
    """Return the table with rows and columns of size about 1, and the exponents of the sizes of its columns."""
    exponents = np.zeros(table.shape[1], dtype=np.int64)
    # Alternating scaling by powers of two, which loses no bit, as for the equilibration of linear systems (Ruiz, "A
    # scaling algorithm to equilibrate both rows and columns norms in matrices", RAL-TR-2001-034); the last is by
    # columns.
    for axis in (0, 1, 0, 1, 0):
        sizes = np.frexp(np.abs(table).max(axis=axis, keepdims=True))[1]
        table = np.ldexp(table, -sizes)
        exponents += sizes[0] * (axis == 0)
    return table, exponents.tolist()


def _dependent(table: Floats, kept: set[int], precision: _Binary64) -> Iterator[tuple[int, dict[int, float]]]:
    """Yield the columns that look dependent on those before them, with the weights of these; not those to be kept."""
    n_rows, width = table.shape
    lengths = np.linalg.norm(table, axis=0)
    if _is_well_conditioned(table, lengths):
        return
    # QR by columns in their given order, where a dependent column is left out of the basis: a library's QR would use
    # the direction of its rounding errors for the columns after it. "Twice is enough" for orthogonality to working
    # precision (Giraud, Langou and Rozloznik, "The loss of orthogonality in the Gram-Schmidt orthogonalization
    # process", 2005).
    basis, triangle, before = np.empty((n_rows, width)), np.zeros((width, width)), list[int]()
    for place in range(width):
        size = len(before)
        if size == n_rows:
            return  # every other column is exactly a combination of these
        rest, Q = table[:, place], basis[:, :size]
        for _ in range(2):  # the second time for the rounding of the first
            inside = Q.T @ rest
            rest = rest - Q @ inside
            triangle[:size, size] += inside
        length = float(np.linalg.norm(rest))
        if length <= _SUSPICIOUS * lengths[place] and place not in kept:
            weights = np.linalg.solve(triangle[:size, :size], triangle[:size, size])
            terms = np.abs(weights) * lengths[before]
            total = terms.sum() + lengths[place]
            if length <= precision.close * total:
                is_used = terms > precision.negligible * total
                yield place, {before[j]: float(weights[j]) for j in np.flatnonzero(is_used).tolist()}
                triangle[:size, size] = 0.0
                continue
        triangle[size, size] = length or 1.0
        basis[:, size] = rest / triangle[size, size]
        before.append(place)


def _is_well_conditioned(table: Floats, lengths: Floats) -> bool:
    """Return whether no column is near the span of those before it, as far as squares of distances say."""
    if not lengths.all():
        return False
    # The pivots of the Cholesky factor of the Gram matrix are the distances that QR finds, much faster. Squares lose
    # half of the digits (Higham, "Accuracy and Stability of Numerical Algorithms", section 20.4): hence `_FAR`.
    directions = table / lengths
    try:
        return bool((np.diag(np.linalg.cholesky(directions.T @ directions)) > _FAR).all())
    except np.linalg.LinAlgError:
        return False


def _columns(samples: Samples, columns: Sequence[int], rows: Any = slice(None)) -> Floats:
    """Return some rows and columns of (X, 1)."""
    is_own = np.array(columns) < samples.n_features
    X = samples.X[rows]
    table = np.ones((X.shape[0], len(columns)))
    table[:, is_own] = as_dense(X[:, np.array(columns)[is_own]])
    return table


def _proven(samples: Samples, column: int, weights: Mapping[int, Fraction], precision: _Binary64) -> NearAlias | None:
    """Return the relation, with short weights if it holds with them; None if it is exact, or does not hold.

    The weights are those of the rows X, which may be integers in units of the columns.
    """
    columns = [*weights, column]
    if not precision.is_rounded(columns):
        return None
    table, units = _integers(samples, columns)
    some = table[_spread(len(table), 2 * len(columns) + 50)]
    if len(independent_rows(some.T)) < len(columns) and len(independent_rows(table.T)) < len(columns):
        return None
    weights = {j: weight * _unit(samples, column) / _unit(samples, j) for j, weight in weights.items()}
    for tried in ({j: _short(weight, precision.negligible) for j, weight in weights.items()}, weights):
        factors = [weight * unit for weight, unit in zip([*tried.values(), Fraction(-1)], units, strict=True)]
        sizes = _differences(table, without_denominators(factors))
        if precision.holds(tried, column, sizes):
            return NearAlias(column=column, weights=tried, difference=sizes[0], is_single=precision.is_single)
    return None


def _is_long(samples: Samples, column: int) -> bool:
    """Return whether a column has numbers with nearly as many digits as binary64 can hold."""
    if column == samples.n_features:
        return False
    if samples.integers is not None:
        return bool(max(map(abs, samples.integers[:, column].tolist())) >= _LONG_INTEGER)
    values = _columns(samples, [column])
    exponent = common_exponent(values)
    return exponent is not None and int(np.frexp(np.abs(values).max())[1]) - exponent > _LONG_BITS


def _differences(table: Integers, factors: Sequence[int]) -> tuple[float, float, float]:
    """Return the greatest modulus of a sum of terms, relative to three sizes, exactly but for being rounded up.

    They are the greatest modulus of the last term, the sum of the moduli in the row, and the sum of the greatest ones.
    """
    vector = np.array(factors, dtype=object)
    errors, totals = np.abs(table @ vector).tolist(), (np.abs(table) @ np.abs(vector)).tolist()
    sizes = [max(map(abs, values)) * abs(factor) for values, factor in zip(table.T.tolist(), factors, strict=True)]
    in_rows = max(-((-error << _BITS) // total) if error else 0 for error, total in zip(errors, totals, strict=True))
    of_column, of_terms = (Fraction(max(errors), size or 1) for size in (sizes[-1], sum(sizes)))
    return round_up(of_column), round_up(Fraction(in_rows, 1 << _BITS)), round_up(of_terms)


def _integers(samples: Samples, columns: Sequence[int]) -> tuple[Integers, list[Fraction]]:
    """Return columns of (X, 1) as integers, and their units."""
    if samples.integers is None:
        table, exponents = as_integer_columns(_columns(samples, columns))
        return table, [Fraction(2) ** exponent for exponent in exponents]
    ones = np.ones((samples.n_samples, 1), dtype=object)
    return np.hstack([samples.integers, ones])[:, list(columns)], [_unit(samples, column) for column in columns]


def _unit(samples: Samples, column: int) -> Fraction:
    """Return the unit in which X and the integers are given."""
    return Fraction(1) if samples.units is None or column == samples.n_features else samples.units.units[column]


def _short(weight: Fraction, tolerance: float) -> Fraction:
    """Return a number of few digits, or with a small denominator, next to the weight; the weight if there is none."""
    rounded = round_up(weight)
    near = [Fraction(f"{rounded:.{digits}e}") for digits in range(6)] if np.isfinite(rounded) else []
    near.append(weight.limit_denominator(GREATEST_DENOMINATOR))
    return next((number for number in near if abs(number - weight) <= tolerance * abs(weight)), weight)
