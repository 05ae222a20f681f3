"""Functional margins y(w.x + b): bounded in floating point, and computed in integers where the bounds do not decide."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.exact.dyadic import (
    FloatFractions,
    Integers,
    as_fraction,
    as_integers,
    centred,
    nearest_floats,
    over_common_denominator,
    sqrt_down,
    sqrt_up,
)
from maxmargin.solvers.exact.products import exact_squares
from maxmargin.solvers.problem.distinct_rows import signed_keys
from maxmargin.solvers.problem.problem import Problem, Samples
from maxmargin.solvers.problem.rows import stacked
from maxmargin.solvers.proof.certificate import SeparatingHyperplane
from maxmargin.solvers.proof.sums import (
    enclosure,
    errors,
    errors_where_near,
    functional_margins,
    largest_error,
    n_products,
    rounding_error,
)

# Number of rows next to the least above which error bounds of their own thin them out before integers are used.
_MANY_ROWS = 1000

# Rows above a level are returned up to this multiple of the distance of the least below it: w may soon lower them.
_BEYOND = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowest:
    """Rows that are lowest along w.

    Attributes
    ----------
    rows : ndarray of int (k,)
    X : ndarray or CSR array (k, n_features)
        The rows themselves.
    scores : ndarray (k,)
        ``y (w.x + b)``, rounded; -infinity if it overflows.
    lower, upper : ndarray (k,)
        Ends between which the exact scores lie.
    """

    rows: Rows
    X: Any
    scores: Floats
    lower: Floats
    upper: Floats

    @property
    def may_be_least(self) -> Mask:
        """Whether the exact score may be the least of the group; it is the least of these."""
        return np.asarray(self.lower <= self.upper.min(initial=np.inf))


def lowest(
    problem: Problem,
    w: Floats,
    b: float = 0.0,
    *,
    by_class: bool,
    levels: Sequence[float] = (-np.inf, -np.inf),
    most: int = 0,
) -> list[Lowest]:
    """Return the lowest rows of each class, -1 first, or of all rows, in one pass.

    Parameters
    ----------
    problem : Problem
    w : ndarray (n_features,)
        Finite.
    b : float
    by_class : bool
        Whether each class is a group; else all rows are one group.
    levels : sequence of float, one for each group
        Rows with a smaller score are returned as well, and some above if there are any.
    most : int
        The largest number of such rows per chunk.
    """
    n_groups = 2 if by_class else 1
    error, may_merge = largest_error(problem, w, b), problem.integers is None
    search = _LowestSearch(w, b, error, tuple(levels[:n_groups]), most, may_merge)
    parts = list(problem.map(partial(_lowest_of_chunk, search), problem.y))
    return [_united([part[group] for part in parts]) for group in range(n_groups)]


def whole_group(problem: Problem, rows: Rows) -> Lowest:
    """Return all rows of a group, with the whole line as enclosure."""
    unknown = np.full(len(rows), np.inf)
    return Lowest(rows=rows, X=problem.row_source[rows], scores=-unknown, lower=-unknown, upper=unknown)


class _LowestSearch(NamedTuple):
    """The arguments of a search; rows that are equal in X may be merged unless X is a rounding of the rows."""

    w: Floats
    b: float
    error: float | None
    levels: tuple[float, ...]
    most: int
    may_merge: bool


def _lowest_of_chunk(search: _LowestSearch, rows: slice, X: Any, y: Floats) -> list[Lowest]:
    error = float(errors(X, search.w, search.b).max(initial=0.0)) if search.error is None else search.error
    score, found = functional_margins(X, y, search.w, search.b), []
    own = np.empty_like(score) if len(search.levels) == 2 else score
    for level, sign in zip(search.levels, (-1, 1), strict=False):
        if own is not score:
            np.maximum(score, np.multiply(y, -sign * np.inf, out=own), out=own)  # infinity for the other class
        positions = _low_positions(own, level, search.most, error)
        if len(positions) > _MANY_ROWS and search.may_merge:
            positions = _different(X, y, positions)
        picked, scores = X[positions], score[positions]
        own_error = error if len(positions) <= _MANY_ROWS else errors(picked, search.w, search.b)
        lower, upper = enclosure(scores, own_error)
        found.append(Lowest(rows=positions + rows.start, X=picked, scores=scores, lower=lower, upper=upper))
    return found


def _low_positions(score: Floats, level: float, most: int, error: float) -> Rows:
    """Return the positions of scores that may be the least of a group, and of at most `most` others near the level.

    Rows of score +infinity are not of the group. The error is more than twice the error of any score
    (`rounding_error`), and more than fourteen times the change of a score when every entry of w is rounded once more:
    that makes no other score the least either.
    """
    least = score.min()
    with np.errstate(all="ignore"):
        end = np.nextafter(least + 2 * error, np.inf)
        reach = max(end, level + _BEYOND * (level - least)) if most and level > end else end
    if not np.isfinite(end):
        return np.flatnonzero(score < np.inf)
    low = np.flatnonzero(score <= reach)
    is_near = score[low] <= end
    if len(low) - np.count_nonzero(is_near) <= most:
        return low
    beyond = low[~is_near]
    return np.sort(np.concatenate([low[is_near], beyond[np.argpartition(score[beyond], most)[:most]]]))


def _different(X: Any, y: Floats, positions: Rows) -> Rows:
    """Return one position for each set of equal rows (sign and numbers), which have equal scores."""
    if hasattr(X, "tocsr"):
        return positions
    return np.sort(positions[np.unique(signed_keys(X[positions], y[positions]), return_index=True)[1]])


def _united(parts: Sequence[Lowest]) -> Lowest:
    if len(parts) == 1:
        return parts[0]
    names = [entry.name for entry in fields(Lowest)]
    return Lowest(**{name: stacked([getattr(part, name) for part in parts]) for name in names})


def norm_squared(vector: Floats | Sequence[Fraction]) -> Fraction:
    """Return ``||vector||^2`` exactly, in one unit: fractions added one by one cost a greatest common divisor each."""
    vector = vector.floats if isinstance(vector, FloatFractions) else vector
    if isinstance(vector, np.ndarray):
        squares, exponent = exact_squares(vector[np.newaxis])
        return as_fraction(int(squares[0]), 2 * exponent)
    numerators, denominator = over_common_denominator(vector)
    return Fraction(sum(numerator**2 for numerator in numerators), denominator**2)


def least_functional_margin(problem: Problem, w: Floats, b: float) -> Fraction:
    """Return ``min_i y_i (w.x_i + b)`` in exact arithmetic.

    Only rows whose enclosure reaches below every upper end are computed in integers.

    Raises
    ------
    ValueError
        If w or b holds NaN or infinity.
    """
    if not (np.isfinite(w).all() and math.isfinite(b)):
        raise ValueError("the hyperplane holds NaN or infinity")
    if not w.any():
        return min(Fraction(float(sign)) * Fraction(b) for sign in np.unique(problem.y))
    (close,) = lowest(problem, w, b, by_class=False)
    return least_score(problem, close, w, Fraction(b))


def best_offset(problem: Problem, w: Floats | Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return ``(b, m)``: the offset with the greatest least functional margin for this w, and that margin, exactly.

    With bias it is the middle between the two classes; through the origin b = 0.
    """
    return offset_between([least_score(problem, group, w) for group in _lowest_groups(problem, w)])


def prove_separable(problem: Problem, w: Floats) -> SeparatingHyperplane | None:
    """Return the hyperplane with normal w and the best offset if it separates, checked in exact arithmetic."""
    if not (np.isfinite(w).all() and w.any()):
        return None
    return separating_plane(problem, FloatFractions(w))


def separating_plane(
    problem: Problem, w: Sequence[Fraction], groups: Sequence[Lowest] | None = None
) -> SeparatingHyperplane | None:
    """Return the hyperplane with this normal and the best offset if it separates, from the lowest rows along it."""
    groups = _lowest_groups(problem, w) if groups is None else groups
    b, least = offset_between([least_score(problem, group, w) for group in groups])
    if least <= 0:
        return None
    return SeparatingHyperplane(problem=problem, w=w, b=b, least_functional_margin=least)


def unit(w: Floats) -> Floats:
    """Return w/||w|| for w != 0, without underflow on the way."""
    scaled = w / np.abs(w).max()
    return np.asarray(scaled / np.linalg.norm(scaled))


def offset_between(least: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the best b and the least functional margin from the least ``y w.x`` of each class, or of all rows."""
    if len(least) == 1:
        return Fraction(0), least[0]
    negative, positive = least
    return (negative - positive) / 2, (positive + negative) / 2


def _lowest_groups(problem: Problem, normal: Floats | Sequence[Fraction]) -> list[Lowest]:
    """Return the rows that may have the least score, with bias in each class; all rows if w does not fit in floats."""
    w = centred(normal) if isinstance(normal, np.ndarray) else nearest_floats(normal)
    if w is None:
        classes = [problem.y < 0, problem.y > 0] if problem.bias else [problem.y != 0]
        return [whole_group(problem, np.flatnonzero(is_member)) for is_member in classes]
    return lowest(problem, w, by_class=problem.bias)


def least_score(problem: Problem, group: Lowest, w: Floats | Sequence[Fraction], b: Fraction = Fraction(0)) -> Fraction:
    """Return ``min y_i (w.x_i + b)`` exactly, over the rows of the group that may have it."""
    w = w.floats if isinstance(w, FloatFractions) else w
    positions = np.flatnonzero(group.may_be_least)
    least: list[Fraction] = []
    for start in range(0, len(positions), problem.sizes.integer_rows):
        part = positions[start : start + problem.sizes.integer_rows]
        X, columns = _stored_columns(problem, group.X[part])
        normal, w_unit = in_units(w if columns is None else _entries(w, columns))
        scores, exponent = problem.exact_products(group.rows[part], X, normal)
        unit, signs = as_fraction(1, exponent) * w_unit, problem.y[group.rows[part]]
        for sign in (-1, 1):
            own = scores[signs == sign] * sign
            if own.size:
                least.append(int(own.min()) * unit + sign * b)
    return min(least)


def _stored_columns(problem: Problem, X: Any) -> tuple[Any, Rows | None]:
    """Return sparse rows without their empty columns, and the positions of the columns that remain."""
    if problem.integers is not None or not hasattr(X, "tocsr"):
        return X, None
    columns, positions = np.unique(X.indices, return_inverse=True)
    return type(X)((X.data, positions, X.indptr), shape=(X.shape[0], len(columns))), columns


def _entries(w: Floats | Sequence[Fraction], columns: Rows) -> Floats | Sequence[Fraction]:
    return w[columns] if isinstance(w, np.ndarray) else [w[column] for column in columns.tolist()]


def in_units(w: Floats | Sequence[Fraction]) -> tuple[Integers, Fraction]:
    """Return the numbers as integers, and their common unit."""
    w = w.floats if isinstance(w, FloatFractions) else w
    if isinstance(w, np.ndarray):
        integers, exponent = as_integers(w)
        return integers, as_fraction(1, exponent)
    numerators, denominator = over_common_denominator(w)
    return np.array(numerators, dtype=object), Fraction(1, denominator)


def geometric_margin(least: Fraction, square: Fraction) -> float:
    """Return the least functional margin over the root of the square, rounded down; -infinity if the square is 0."""
    if not square:
        return -math.inf
    quotient = least**2 / square
    return sqrt_down(quotient) if least >= 0 else -sqrt_up(quotient)


def enclose_functional_margins(problem: Problem, w: Floats, b: float) -> tuple[Floats, Floats]:
    """Return vectors that enclose ``y_i (w.x_i + b)`` from below and above, for every row."""
    parts = [(lower, upper) for _, lower, upper in enclosures(problem, w, b)]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def enclose_excess(problem: Problem, numbers: Sequence[Fraction]) -> tuple[Floats, Floats]:
    """Return vectors that enclose ``y_i (w.x_i + b) - level`` of (w, b, level), up to a positive factor."""
    rounded = nearest_floats(numbers)
    if rounded is None:
        return np.full(problem.n_samples, -np.inf), np.full(problem.n_samples, np.inf)
    lower, upper = enclose_functional_margins(problem, rounded[:-2], float(rounded[-2]))
    # The level is a rounding as well; a difference of floats has the sign of the exact difference.
    with np.errstate(over="ignore"):  # an end that overflows is infinite, on its own side
        return lower - np.nextafter(rounded[-1], np.inf), upper - np.nextafter(rounded[-1], -np.inf)


def exact_functional_margins(problem: Problem, rows: Rows, w: Floats, b: float) -> list[Fraction]:
    """Return ``y_i (w.x_i + b)`` of the given rows as fractions."""
    normal, w_exponent = as_integers(w)
    scores, row_exponent = problem.exact_products(rows, problem.row_source[rows], normal)
    offset, exponent = Fraction(b), row_exponent + w_exponent
    pairs = zip(scores.tolist(), problem.signs(rows).tolist(), strict=True)
    return [(as_fraction(int(score), exponent) + offset) * sign for score, sign in pairs]


def enclosures(
    problem: Problem, w: Floats, b: float, *, for_signs: bool = False
) -> Iterator[tuple[Rows, Floats, Floats]]:
    """Yield ``(rows, lower, upper)`` chunk by chunk, with lower <= ``y (w.x + b)`` <= upper.

    If an intermediate result overflows the enclosure is the whole line. With `for_signs` rows far from 0 share one
    error bound.
    """
    everywhere = largest_error(problem, w, b) if for_signs else None
    yield from problem.map(partial(_enclose, w, b, everywhere), problem.y)


def _enclose(
    w: Floats, b: float, everywhere: float | None, rows: slice, X: Any, y: Floats
) -> tuple[Rows, Floats, Floats]:
    with np.errstate(all="ignore"):
        value = X @ w
        value += b
        value *= y
        error = errors(X, w, b) if everywhere is None else errors_where_near(X, w, b, value, everywhere)
    return np.arange(rows.start, rows.stop), *enclosure(value, error)


def score_enclosures(samples: Samples, normals: Floats, offsets: Floats) -> Iterator[tuple[Rows, Floats, Floats]]:
    """Yield ``(rows, lower, upper)`` chunk by chunk: enclosures (len(rows), K) of ``w_k.x + b_k`` for K normals."""
    yield from samples.map(partial(_enclose_scores, normals, offsets))


def _enclose_scores(normals: Floats, offsets: Floats, rows: slice, X: Any) -> tuple[Rows, Floats, Floats]:
    with np.errstate(all="ignore"):
        value = np.asarray(X @ normals.T + offsets)
        error = rounding_error(abs(X) @ np.abs(normals).T + np.abs(offsets), n_products(X) + 1)
    return np.arange(rows.start, rows.stop), *enclosure(value, error)


def n_errors(problem: Problem, w: Floats, b: float) -> int:
    """Return how many rows have y(w.x + b) <= 0, exactly.

    Examples
    --------
    >>> n_errors(Problem.validated([[0.0], [1.0], [2.0]], [-1, -1, 1]), np.array([1.0]), -1.0)
    1
    """
    return len(error_rows(problem, w, b))


def error_rows(problem: Problem, w: Floats, b: float) -> Rows:
    """Return the rows that have y(w.x + b) <= 0, exactly, in increasing order.

    Examples
    --------
    >>> error_rows(Problem.validated([[0.0], [1.0], [2.0]], [-1, -1, 1]), np.array([1.0]), -1.0).tolist()
    [1]
    """
    return np.concatenate(list(_errors_of_chunks(problem, w, b)))


def _errors_of_chunks(problem: Problem, w: Floats, b: float) -> Iterator[Rows]:
    """Yield the rows of each chunk that have y(w.x + b) <= 0."""
    if not w.any() and b == 0:
        yield np.arange(problem.n_samples)
        return
    for rows, lower, upper in enclosures(problem, w, b, for_signs=True):
        wrong, doubtful = upper <= 0, np.flatnonzero((lower <= 0) & (upper > 0))
        if doubtful.size:
            exact = exact_functional_margins(problem, rows[doubtful], w, b)
            wrong[doubtful] = [value <= 0 for value in exact]
        yield rows[wrong]
