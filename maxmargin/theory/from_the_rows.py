"""Bounds that follow from the rows alone, by Novikoff's theorem: they hold for every sequence of these rows.

They come from the maximum margin, in the space of the run or with the bias made explicit, or from a hyperplane that
separates the labels of a Boolean concept.
"""

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.problem.problem import Problem, squared_norms
from maxmargin.solvers.proof.margins import least_functional_margin, norm_squared
from maxmargin.theory.bound import ROUNDING_ALLOWANCE, Bound, norm_bound, quotient_up, space_of, stated
from maxmargin.theory.context import Context, augmented

# Largest number of entries of X for which the best scale is searched, which solves several maximum margins.
_MOST_ENTRIES = 5_000_000

# Largest number of entries of X for which a Boolean concept is searched.
_MOST_BOOLEAN_ENTRIES = 20_000_000

# Largest number of scales that the search for the best one tries.
_MOST_SCALES = 30

# Largest deviation of ||x||^2 from 1, from the rounding of a row that was normalised.
_NEAR_ONE = 1e-12

# Relative improvement at which the search for the best scale ends.
_NO_GAIN = 1e-9


def novikoff(context: Context) -> Bound:
    """R^2/g^2 with R and the maximum margin g through the origin of the space of the run."""
    square = context.run_margin_squared
    value = quotient_up(context.run_square, square)
    assumption = f"strictly separable {space_of(context)}: R^2/g^2 with R and the maximum margin g there"
    return stated(context, "novikoff", value, square > 0, assumption, "Novikoff 1962; Block 1962")


def augmented_offset(context: Context) -> Bound:
    """(R^2 + s^2)(1 + b^2/s^2)/gamma^2, from the margin with bias; through the origin it is R^2/gamma^2."""
    plane = context.hard
    value = math.inf if plane.w is None or plane.b is None else norm_bound(context, plane.w, plane.b)
    assumption = "strictly separable through the origin: there is no bias coordinate, and this is R^2/gamma^2"
    if context.scale:
        assumption = (
            "strictly separable with bias: (R^2 + s^2)(1 + b^2/s^2)/gamma^2 with the maximum-margin hyperplane's b"
        )
    return stated(context, "augmented_b", value, math.isfinite(value), assumption, "Novikoff 1962 in the space (x, s)")


def best_scale(context: Context) -> Bound:
    """(R + |b|)^2/gamma^2, the least value of the above over s: at s^2 = R |b|."""
    plane, square = context.hard, context.square
    value, scale, is_best = math.inf, "", False
    if plane.w is not None and plane.b is not None:
        # Enough bits that the square root rounds nothing away: (R + |b|)^2 in units of R^2.
        relative = sqrt_up(Fraction(plane.b) ** 2 / norm_squared(plane.w) / square) if square else 0.0
        at = math.sqrt(relative) * sqrt_up(square)
        scale, is_best = f" = {at:.6g}", math.isclose(at, context.scale, rel_tol=1e-9)
        least = max(least_functional_margin(context.problem, plane.w, plane.b), Fraction(0))  # of this very b
        margin_squared = least**2 / norm_squared(plane.w)
        value = quotient_up(square * (1 + Fraction(relative)) ** 2 * ROUNDING_ALLOWANCE, margin_squared)
    assumption = "strictly separable through the origin: b = 0, and this is R^2/gamma^2"
    if context.scale:
        assumption = f"strictly separable with bias, and the run has s = sqrt(R|b|){scale}: (R + |b|)^2/gamma^2"
    reference = "derived: the minimum over s of the bound augmented_b"
    return stated(context, "best_scale", value, math.isfinite(value) and is_best, assumption, reference)


def best_scale_searched(context: Context) -> Bound:
    """(R ||w|| + |b|)^2 at the least over all (w, b) with functional margin 1, which is the least over s as well.

    For fixed (w, b), (R^2 + s^2)(||w||^2 + b^2/s^2) is least at s^2 = R |b|/||w||; for fixed s it is least at the
    maximum margin of (x, s). The two minimisations alternate; every hyperplane on the way gives a bound.
    """
    plane, value, scale = context.hard, math.inf, 0.0
    if context.scale and plane.w is not None and plane.b is not None and _n_entries(context.problem) <= _MOST_ENTRIES:
        value, scale = _searched(context, plane.w, plane.b)
    is_run = math.isclose(scale, context.scale, rel_tol=1e-6)
    at = f" = {scale:.6g}" if scale else ""
    assumption = "only with a bias coordinate, whose scale can be chosen"
    if context.scale:
        assumption = (
            f"strictly separable with bias, and the run has the best s of all{at}: (R + |b|)^2/gamma^2 for the "
            "hyperplane that makes it least"
        )
    reference = "derived: the minimum over s and over all hyperplanes"
    return stated(context, "best_scale_searched", value, math.isfinite(value) and is_run, assumption, reference)


def _n_entries(problem: Problem) -> int:
    return problem.n_samples * problem.n_features


def _searched(context: Context, w: Floats, b: float) -> tuple[float, float]:
    """Return the least value found, and its scale; 0 where b = 0 is best and the bias coordinate only costs."""
    problem, square, best, best_scale = context.problem, context.square, math.inf, 0.0
    for _ in range(_MOST_SCALES):
        value = _offset_value(problem, w, b, square)
        if not value < best * (1 - _NO_GAIN):
            break
        # The bound of this hyperplane is least for s = sqrt(R |b|/||w||).
        best, best_scale = value, math.sqrt(sqrt_up(square * Fraction(b) ** 2 / norm_squared(w)))
        if not 0 < best_scale < math.inf or context.limits.is_over():
            break
        of_run = context.quick_hard_margin(augmented(problem, best_scale)).w
        if of_run is None:
            break
        w, b = np.ascontiguousarray(of_run[:-1]), float(of_run[-1]) * best_scale
    return best, best_scale


def _offset_value(problem: Problem, w: Floats, b: float, square: Fraction) -> float:
    """Return (R ||w|| + |b|)^2 / (least functional margin)^2, rounded up."""
    least = max(least_functional_margin(problem, w, b), Fraction(0))
    reach = sqrt_up(square * norm_squared(w))
    return quotient_up((Fraction(reach) + abs(Fraction(b))) ** 2, least**2) if math.isfinite(reach) else math.inf


def unit_norm(context: Context) -> Bound:
    """1/g^2 where all rows of the run have norm 1; then g is the least sine of an angle to the hyperplane."""
    margin_square = context.run_margin_squared
    is_unit = min(context.problem.map(partial(_nearly_unit, context.scale)))
    value = quotient_up(max(context.run_square, Fraction(1)), margin_square) if is_unit else math.inf
    assumption = (
        f"strictly separable {space_of(context)}, and every row has norm 1 there (normalised after s was appended): "
        "1/delta^2, delta the margin"
    )
    return stated(
        context, "unit_norm", value, is_unit and margin_square > 0, assumption, "Novikoff 1962 for unit vectors"
    )


def _nearly_unit(scale: float, rows: slice, X: Any) -> bool:
    """Return whether all ||(x, s)|| are 1, up to the rounding of the normalisation."""
    squares, exponent = squared_norms(X)
    with np.errstate(over="ignore"):
        squares = np.ldexp(squares, 2 * exponent) + scale * scale
    return bool((np.abs(squares - 1) <= _NEAR_ONE).all())


def conjunction(context: Context) -> Bound:
    """(d + 1)(k^2 - k + 1) for labels that a conjunction, or a disjunction, of k literals gives."""
    problem = context.problem
    k = _n_literals(problem) if context.scale == 1 else None
    value = math.inf if k is None else float((problem.n_features + 1) * (k * k - k + 1))
    of_k = "k literals" if k is None else f"k = {k} literals"
    assumption = (
        f"features -1 and +1, s = 1, and labels of a conjunction or a disjunction of {of_k}: (d + 1)(k^2 - k + 1)"
    )
    reference = "derived: Novikoff with weights -1 and +1 on the literals and threshold k - 1"
    return stated(context, "conjunction", value, k is not None, assumption, reference)


def _n_literals(problem: Problem) -> int | None:
    """Return the size of a conjunction or disjunction of literals that gives the labels; None if there is none.

    A conjunction may use the literals that are true in every positive row; of these a few that exclude the negative
    rows are taken one by one, each time the one that excludes most, so there may be a smaller one. A disjunction is
    the negation of a conjunction of the negated literals.
    """
    if _n_entries(problem) > _MOST_BOOLEAN_ENTRIES:
        return None
    low, high = problem.column_bounds
    if not (np.abs(low) == 1).all() or not (np.abs(high) == 1).all():
        return None
    X: Any = problem.dense_rows(slice(None))
    if not (np.abs(X) == 1).all():
        return None
    sizes = [_of_conjunction(X, problem.y * sign) for sign in (1, -1)]
    return min((size for size in sizes if size is not None), default=None)


def _of_conjunction(X: Any, y: Floats) -> int | None:
    positive, negative = X[y > 0] > 0, X[y < 0] > 0
    allowed = np.hstack([positive.all(axis=0), ~positive.any(axis=0)])
    excludes: Mask = np.hstack([~negative, negative])[:, allowed]
    if not excludes.any(axis=1).all():
        return None
    left, size = excludes, 0
    while len(left):
        best = int(left.sum(axis=0).argmax())
        left, size = left[~left[:, best]], size + 1
    return size
