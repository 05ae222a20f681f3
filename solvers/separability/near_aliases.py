"""Columns that depend linearly on columns before them but for differences of the size of rounding errors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
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

# Relative size of a term up to which it is left out, and relative distance of a short weight from the computed one.
_NEGLIGIBLE = 1e-9

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
    """

    column: int
    weights: Mapping[int, Fraction]
    difference: float


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
    # A relation that holds on the sample may fail on the other rows. So each one is tried on all rows in floating
    # point; the row where it fails worst joins the sample, and the search is repeated. A column whose relation fails on
    # a row of the sample itself is independent after all (`kept`). Every repetition adds a row or a kept column, or is
    # the last.
    if not samples.n_features:
        return ()
    order = [*([samples.n_features] if samples.bias else []), *range(samples.n_features)]
    rows = _spread(samples.n_samples, 2 * len(order) + 50)
    kept: set[int] = set()
    found: list[NearAlias] = []
    for _ in range(_MOST_ROUNDS):
        table, exponents = _balanced(_columns(samples, order, rows))
        found, n_kept, outside = [], len(kept), set[int]()
        for place, hint in _dependent(table, kept):
            shifts = {j: exponents[place] - exponents[j] for j in hint}
            weights = {order[j]: Fraction(weight) * Fraction(2) ** shifts[j] for j, weight in hint.items()}
            excess, worst = _rough_excess(samples, order[place], weights)
            if worst not in rows and not excess <= rounding:
                outside.add(worst)
            elif excess <= _CLOSE:
                alias = _proven(samples, order[place], weights, rounding)
                found += [] if alias is None else [alias]
            else:
                kept.add(place)
        if not outside and len(kept) == n_kept:
            break
        rows = np.union1d(rows, sorted(outside)).astype(np.int64)
    return tuple(found)


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


def _dependent(table: Floats, kept: set[int]) -> Iterator[tuple[int, dict[int, float]]]:
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
            if length <= _CLOSE * total:
                yield place, _refitted(table, place, before, weights * (terms > _NEGLIGIBLE * total))
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


def _refitted(table: Floats, place: int, before: list[int], weights: Floats) -> dict[int, float]:
    """Return the nonzero weights, fitted again with every row in the unit of its own terms."""
    # A relation has to hold in every row up to rounding in that row, but least squares without row scaling fits the
    # largest rows only. The second pass is iterative refinement with the residual of the first (Golub and Wilkinson,
    # Numerische Mathematik 9, 1966).
    used = np.flatnonzero(weights)
    if not used.size:
        return {}
    columns = [before[j] for j in used.tolist()]
    totals = np.abs(table[:, columns]) @ np.abs(weights[used]) + np.abs(table[:, place])
    rows = totals > 0
    part = table[rows][:, [*columns, place]] / totals[rows, None]
    sizes = np.linalg.norm(part, axis=0)
    terms, target = part[:, :-1] / sizes[:-1], part[:, -1]
    fitted = np.zeros(len(columns))
    for _ in range(2):  # the second time for the rounding of the first
        fitted += np.linalg.lstsq(terms, target - terms @ fitted, rcond=None)[0]
    return dict(zip(columns, (fitted / sizes[:-1]).tolist(), strict=True))


def _columns(samples: Samples, columns: Sequence[int], rows: Any = slice(None)) -> Floats:
    """Return some rows and columns of (X, 1)."""
    is_own = np.array(columns) < samples.n_features
    X = samples.X[rows]
    table = np.ones((X.shape[0], len(columns)))
    table[:, is_own] = as_dense(X[:, np.array(columns)[is_own]])
    return table


def _proven(samples: Samples, column: int, weights: Mapping[int, Fraction], rounding: float) -> NearAlias | None:
    """Return the relation, with short weights if it holds with them; None if it is exact, or does not hold.

    The weights are those of the rows X, which may be integers in units of the columns.
    """
    # Short numbers were not rounded: then the relation would be exact, or a near miss by chance.
    columns = [*weights, column]
    if not any(_is_long(samples, j) for j in columns):
        return None
    table, units = _integers(samples, columns)
    some = table[_spread(len(table), 2 * len(columns) + 50)]
    if len(independent_rows(some.T)) < len(columns) and len(independent_rows(table.T)) < len(columns):
        return None
    weights = {j: weight * _unit(samples, column) / _unit(samples, j) for j, weight in weights.items()}
    for tried in ({j: _short(weight) for j, weight in weights.items()}, weights):
        factors = [weight * unit for weight, unit in zip([*tried.values(), Fraction(-1)], units, strict=True)]
        difference, in_rows, of_terms = _differences(table, without_denominators(factors))
        if max(difference, in_rows) <= _CLOSE and of_terms <= rounding:
            return NearAlias(column=column, weights=tried, difference=difference)
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


def _rough_excess(samples: Samples, column: int, weights: Mapping[int, Fraction]) -> tuple[float, int]:
    """Return about the greatest relative difference of the two sides in a row, and the row; NaN where it overflows."""
    table = _columns(samples, [*weights, column])
    exponents = np.frexp(np.abs(table).max(axis=0))[1]
    scaled = [w * Fraction(2) ** int(e - exponents[-1]) for w, e in zip(weights.values(), exponents, strict=False)]
    with np.errstate(all="ignore"):
        terms = np.ldexp(table, -exponents) * np.array([*map(round_up, scaled), -1.0])
        totals = np.abs(terms).sum(axis=1)
        ratios = np.where(totals > 0, np.abs(terms.sum(axis=1)) / totals, 0.0)
    worst = int(ratios.argmax())
    return float(ratios[worst]), worst


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


def _short(weight: Fraction) -> Fraction:
    """Return a number of few digits, or with a small denominator, next to the weight; the weight if there is none."""
    rounded = round_up(weight)
    near = [Fraction(f"{rounded:.{digits}e}") for digits in range(6)] if np.isfinite(rounded) else []
    near.append(weight.limit_denominator(GREATEST_DENOMINATOR))
    return next((number for number in near if abs(number - weight) <= _NEGLIGIBLE * abs(weight)), weight)
