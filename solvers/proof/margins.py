"""Functional margins y(w.x + b): rigorous in floating point first, in integers where that leaves a doubt."""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.dyadic import as_fraction, as_integers, sqrt_down, sqrt_up

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_UNIT_ROUNDOFF = 2.0**-53
_TINIEST_NORMAL = 2.0**-1022


def norm_squared(vector: Floats) -> Fraction:
    """Return ``||vector||^2`` exactly."""
    integers, exponent = as_integers(vector)
    return as_fraction(sum(v * v for v in integers.tolist()), 2 * exponent)


def least_functional_margin(problem: Problem, w: Floats, b: float, *, label: int | None = None) -> Fraction:
    """Return ``min_i y_i (w.x_i + b)`` in exact arithmetic, over all rows or over those with ``y_i == label``.

    Only the rows whose enclosure reaches below every upper end are computed with integers.

    Raises
    ------
    ValueError
        If w or b holds NaN or infinity.
    """
    if not (np.isfinite(w).all() and math.isfinite(b)):
        raise ValueError("the hyperplane holds NaN or infinity")
    cutoff = min(float(upper.min(initial=np.inf)) for _, _, upper in enclosures(problem, w, b, label))
    least: Fraction | None = None
    for rows, lower, _ in enclosures(problem, w, b, label):
        close = rows[lower <= cutoff]
        if close.size:
            value = min(exact_functional_margins(problem, close, w, b))
            least = value if least is None else min(least, value)
    assert least is not None  # the row that gave the cutoff is close
    return least


def best_offset(problem: Problem, w: Floats) -> tuple[Fraction, Fraction]:
    """Return ``(b, m)``: the offset with the greatest least functional margin for this w, and that margin, exactly.

    With bias it is the middle between the two classes; through the origin b = 0.
    """
    if not problem.bias:
        return Fraction(0), least_functional_margin(problem, w, 0.0)
    least_positive = least_functional_margin(problem, w, 0.0, label=1)
    greatest_negative = -least_functional_margin(problem, w, 0.0, label=-1)
    return -(least_positive + greatest_negative) / 2, (least_positive - greatest_negative) / 2


def geometric_margin(problem: Problem, w: Floats, b: float, square: Fraction) -> float:
    """Return ``min_i y_i (w.x_i + b) / sqrt(square)`` rounded down; -infinity where the square is 0."""
    if not square:
        return -math.inf
    least = least_functional_margin(problem, w, b)
    quotient = least**2 / square
    return sqrt_down(quotient) if least >= 0 else -sqrt_up(quotient)


def enclose_functional_margins(problem: Problem, w: Floats, b: float) -> tuple[Floats, Floats]:
    """Return vectors that enclose ``y_i (w.x_i + b)`` from below and above, for every row."""
    parts = [(lower, upper) for _, lower, upper in enclosures(problem, w, b, None)]
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


def enclosures(problem: Problem, w: Floats, b: float, label: int | None) -> Iterator[tuple[Rows, Floats, Floats]]:
    """Yield ``(rows, lower, upper)`` chunk by chunk, of the rows with that label.

    A computed sum of k products in any order errs by at most gamma_k |x|.|w| plus what underflow loses, with
    gamma_k = k u/(1 - k u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1). The
    underflow term allows for processors that flush subnormal numbers to zero. Where an intermediate overflows the
    enclosure is the whole line.
    """
    absolute_w = np.abs(w)
    for chunk in problem.chunks():
        rows = np.arange(chunk.start, chunk.stop)
        X, sign = problem.X[chunk], problem.y[chunk]
        if label is not None:
            picked = np.flatnonzero(sign == label)
            rows, X, sign = rows[picked], X[picked], sign[picked]
        with np.errstate(all="ignore"):
            value = sign * (X @ w + b)
            error = _rounding_error(abs(X) @ absolute_w + abs(b), problem.n_features + 1)
            lower = np.nextafter(value - error, -np.inf)
            upper = np.nextafter(value + error, np.inf)
        broken = ~(np.isfinite(lower) & np.isfinite(upper))
        yield rows, np.where(broken, -np.inf, lower), np.where(broken, np.inf, upper)


def _rounding_error(absolute: Floats, n_terms: int) -> Floats:
    """Return an upper bound of the error of sums of ``n_terms`` products whose moduli sum to about ``absolute``."""
    # Doubled count: one share for the sum itself, one for the rounding of `absolute`, of this expression, and of rows
    # and normals that are roundings themselves.
    relative = 2 * (n_terms + 6) * _UNIT_ROUNDOFF
    result: Floats = absolute * (relative / (1 - relative)) + (2 * n_terms + 4) * _TINIEST_NORMAL
    return result
