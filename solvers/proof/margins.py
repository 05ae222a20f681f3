"""Functional margins y(w.x + b): rigorous in floating point first, in integers where that leaves a doubt."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem import Problem, Samples
from maxmargin.solvers.proof.dyadic import as_fraction, as_integers, nearest_floats, sqrt_down, sqrt_up

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_UNIT_ROUNDOFF = 2.0**-53
_TINIEST_NORMAL = 2.0**-1022

_CHUNK_ROWS = 4096
"""Rows turned into integers at a time."""

_MANY_ROWS = 1000
"""So many rows next to the least are looked at more closely before they cost integers."""


def norm_squared(vector: Floats) -> Fraction:
    """Return ``||vector||^2`` exactly."""
    integers, exponent = as_integers(vector)
    return as_fraction(sum(v * v for v in integers.tolist()), 2 * exponent)


def least_functional_margin(problem: Problem, w: Floats, b: float) -> Fraction:
    """Return ``min_i y_i (w.x_i + b)`` in exact arithmetic.

    Only the rows whose enclosure reaches below every upper end are computed with integers.

    Raises
    ------
    ValueError
        If w or b holds NaN or infinity.
    """
    if not (np.isfinite(w).all() and math.isfinite(b)):
        raise ValueError("the hyperplane holds NaN or infinity")
    (close,) = _rows_near_the_least(problem, w, b, by_class=False)
    parts = (close[start : start + _CHUNK_ROWS] for start in range(0, len(close), _CHUNK_ROWS))
    return min(min(exact_functional_margins(problem, part, w, b)) for part in parts)


def best_offset(problem: Problem, w: Floats | Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return ``(b, m)``: the offset with the greatest least functional margin for this w, and that margin, exactly.

    With bias it is the middle between the two classes; through the origin b = 0.
    """
    normal = [Fraction(v) for v in (w.tolist() if isinstance(w, np.ndarray) else w)]
    groups = _groups(problem, nearest_floats(normal))
    if not problem.bias:
        return Fraction(0), _least_score(problem, normal, groups[0])
    negative, positive = (_least_score(problem, normal, rows) for rows in groups)
    return (negative - positive) / 2, (positive + negative) / 2


def _groups(problem: Problem, w: Floats | None) -> list[Rows]:
    """Return the rows that may have the least score, with bias of either class; all where w is no vector of floats."""
    if w is not None:
        return _rows_near_the_least(problem, w, 0.0, by_class=problem.bias)
    return _classes(problem) if problem.bias else [np.arange(problem.n_samples)]


def _least_score(problem: Problem, w: Sequence[Fraction], rows: Rows) -> Fraction:
    """Return ``min y_i w.x_i`` over the rows, exactly."""
    common = math.lcm(*(v.denominator for v in w))
    normal = np.array([v.numerator * (common // v.denominator) for v in w], dtype=object)
    least: list[Fraction] = []
    for start in range(0, len(rows), _CHUNK_ROWS):
        part = rows[start : start + _CHUNK_ROWS]
        entries, exponent = problem.exact_rows(part)
        scores = entries.dot(normal) * problem.y[part].astype(np.int64).astype(object)
        least.append(as_fraction(int(scores.min()), exponent))
    return min(least) / common


def _rows_near_the_least(problem: Problem, w: Floats, b: float, *, by_class: bool) -> list[Rows]:
    """Return the rows whose enclosure reaches below every upper end, of all or of either class, -1 first."""
    parts = list(enclosures(problem, w, b, for_signs=True))
    lower, upper = np.concatenate([part[1] for part in parts]), np.concatenate([part[2] for part in parts])
    groups = _classes(problem) if by_class else [np.arange(problem.n_samples)]
    return [_closest(problem, w, b, rows[lower[rows] <= upper[rows].min()]) for rows in groups]


def _closest(problem: Problem, w: Floats, b: float, rows: Rows) -> Rows:
    """Return the rows that remain with an error bound of their own each, where there are many."""
    if len(rows) <= _MANY_ROWS:
        return rows
    X = problem.carrier[rows]
    with np.errstate(all="ignore"):
        value = problem.y[rows] * (X @ w + b)
        error = _rounding_error(abs(X) @ np.abs(w) + abs(b), problem.n_features + 1)
        upper = np.nextafter(value + error, np.inf)
        is_far = value - error > np.nextafter(upper[np.isfinite(upper)].min(initial=np.inf), np.inf)
    return np.asarray(rows[~is_far])


def _classes(problem: Problem) -> list[Rows]:
    return [np.flatnonzero(problem.y < 0), np.flatnonzero(problem.y > 0)]


def geometric_margin(problem: Problem, w: Floats, b: float, square: Fraction) -> float:
    """Return ``min_i y_i (w.x_i + b) / sqrt(square)`` rounded down; -infinity where the square is 0."""
    if not square:
        return -math.inf
    least = least_functional_margin(problem, w, b)
    quotient = least**2 / square
    return sqrt_down(quotient) if least >= 0 else -sqrt_up(quotient)


def enclose_functional_margins(problem: Problem, w: Floats, b: float) -> tuple[Floats, Floats]:
    """Return vectors that enclose ``y_i (w.x_i + b)`` from below and above, for every row."""
    parts = [(lower, upper) for _, lower, upper in enclosures(problem, w, b)]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def exact_functional_margins(problem: Problem, rows: Rows, w: Floats, b: float) -> list[Fraction]:
    """Return ``y_i (w.x_i + b)`` of the given rows as fractions."""
    entries, row_exponent = problem.exact_rows(rows)
    normal, w_exponent = as_integers(np.append(w, 0.0))
    offset = Fraction(b)
    scores = entries.dot(normal[:-1]).tolist()
    exponent = row_exponent + w_exponent
    signs = problem.y[rows].tolist()
    return [
        (as_fraction(int(s), exponent) + offset) * (1 if sign > 0 else -1)
        for s, sign in zip(scores, signs, strict=True)
    ]


def enclosures(
    problem: Problem, w: Floats, b: float, *, for_signs: bool = False
) -> Iterator[tuple[Rows, Floats, Floats]]:
    """Yield ``(rows, lower, upper)`` chunk by chunk.

    A computed sum of k products in any order errs by at most gamma_k |x|.|w| plus what underflow loses, with
    gamma_k = k u/(1 - k u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1). The
    underflow term allows for processors that flush subnormal numbers to zero. Where an intermediate overflows the
    enclosure is the whole line. With `for_signs` one bound of |x| for all rows serves those that are far from 0.
    """
    everywhere = _largest_error(problem, w, b) if for_signs else None
    yield from problem.map(partial(_enclose, w, b, everywhere), problem.y)


def _enclose(
    w: Floats, b: float, everywhere: float | None, rows: slice, X: Any, y: Floats
) -> tuple[Rows, Floats, Floats]:
    with np.errstate(all="ignore"):
        value = X @ w
        value += b
        value *= y
        error = _errors(X, w, b, value, everywhere)
        lower = np.nextafter(value - error, -np.inf)
        upper = np.nextafter(value + error, np.inf)
    return np.arange(rows.start, rows.stop), *_whole_line_where_broken(lower, upper)


def _whole_line_where_broken(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    broken = ~(np.isfinite(lower) & np.isfinite(upper))
    if broken.any():
        return np.where(broken, -np.inf, lower), np.where(broken, np.inf, upper)
    return lower, upper


def score_enclosures(samples: Samples, normals: Floats, offsets: Floats) -> Iterator[tuple[Rows, Floats, Floats]]:
    """Yield ``(rows, lower, upper)`` chunk by chunk: enclosures (len(rows), K) of ``w_k.x + b_k`` for K normals."""
    yield from samples.map(partial(_enclose_scores, normals, offsets))


def _enclose_scores(normals: Floats, offsets: Floats, rows: slice, X: Any) -> tuple[Rows, Floats, Floats]:
    with np.errstate(all="ignore"):
        value = np.asarray(X @ normals.T + offsets)
        error = _rounding_error(abs(X) @ np.abs(normals).T + np.abs(offsets), X.shape[1] + 1)
        lower = np.nextafter(value - error, -np.inf)
        upper = np.nextafter(value + error, np.inf)
    return np.arange(rows.start, rows.stop), *_whole_line_where_broken(lower, upper)


def _errors(X: Any, w: Floats, b: float, value: Floats, everywhere: float | None) -> Floats | float:
    n_terms = len(w) + 1
    if everywhere is None:
        return _rounding_error(abs(X) @ np.abs(w) + abs(b), n_terms)
    near = np.flatnonzero(~(np.abs(value) > 2 * everywhere))
    if not near.size:
        return everywhere
    error = np.full(len(value), everywhere)
    error[near] = _rounding_error(abs(X[near]) @ np.abs(w) + abs(b), n_terms)
    return error


def _largest_error(problem: Problem, w: Floats, b: float) -> float:
    """Return an upper bound of the error for every row; infinity or NaN where that overflows."""
    with np.errstate(all="ignore"):
        absolute = np.array([problem.column_sizes @ np.abs(w) + abs(b)])
        return float(_rounding_error(absolute, problem.n_features + 1)[0])


def _rounding_error(absolute: Floats, n_terms: int) -> Floats:
    """Return an upper bound of the error of sums of ``n_terms`` products whose moduli sum to about ``absolute``."""
    # Doubled count: one share for the sum itself, one for the rounding of `absolute`, of this expression, and of rows
    # and normals that are roundings themselves.
    relative = 2 * (n_terms + 6) * _UNIT_ROUNDOFF
    result: Floats = absolute * (relative / (1 - relative)) + (2 * n_terms + 4) * _TINIEST_NORMAL
    return result
