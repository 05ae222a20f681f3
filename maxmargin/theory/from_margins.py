"""Bounds from a maximum margin: Novikoff's theorem, in the space of the run and with the bias made explicit."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.problem.problem import Problem, squared_norms
from maxmargin.solvers.proof.margins import least_functional_margin, norm_squared
from maxmargin.theory.bound import ROUNDING_ALLOWANCE, Bound, Floats, quotient_up, run_norm_squared, space_of, stated
from maxmargin.theory.context import Context, augmented

_MOST_ENTRIES = 5_000_000
"""Largest number of entries of X for which the best scale is searched, which solves several maximum margins."""

_MOST_SCALES = 30

_NEAR_ONE = 1e-12

_NO_GAIN = 1e-9
"""Relative improvement at which the search for the best scale ends."""


def novikoff(context: Context) -> Bound:
    """R^2/g^2 with R and the maximum margin g through the origin of the space of the run."""
    square = context.run_margin_squared
    return stated(
        context,
        "novikoff",
        quotient_up(context.run_square, square),
        square > 0,
        f"strictly separable {space_of(context)}: R^2/g^2 with R and the maximum margin g there",
        "Novikoff 1962; Block 1962",
    )


def augmented_offset(context: Context) -> Bound:
    """(R^2 + s^2)(1 + b^2/s^2)/gamma^2, from the margin with bias; through the origin it is R^2/gamma^2."""
    plane = context.hard
    value = math.inf
    if plane.w is not None and plane.b is not None:
        least = least_functional_margin(context.problem, plane.w, plane.b)
        square = context.run_square * run_norm_squared(context, plane.w, plane.b)
        value = quotient_up(square, max(least, Fraction(0)) ** 2)
    return stated(
        context,
        "augmented_b",
        value,
        math.isfinite(value),
        "strictly separable with bias: (R^2 + s^2)(1 + b^2/s^2)/gamma^2 with the maximum-margin hyperplane's b"
        if context.scale
        else "strictly separable through the origin: there is no bias coordinate, and this is R^2/gamma^2",
        "Novikoff 1962 in the space (x, s)",
    )


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
    return stated(
        context,
        "best_scale",
        value,
        math.isfinite(value) and is_best,
        f"strictly separable with bias, and the run has s = sqrt(R|b|){scale}: (R + |b|)^2/gamma^2"
        if context.scale
        else "strictly separable through the origin: b = 0, and this is R^2/gamma^2",
        "derived: the minimum over s of the bound augmented_b",
    )


def best_scale_searched(context: Context) -> Bound:
    """(R ||w|| + |b|)^2 at the least over all (w, b) with functional margin 1, which is the least over s as well.

    For fixed (w, b), (R^2 + s^2)(||w||^2 + b^2/s^2) is least at s^2 = R |b|/||w||; for fixed s it is least at the
    maximum margin of (x, s). The two minimisations alternate; every hyperplane on the way gives a bound.
    """
    plane, value, scale = context.hard, math.inf, 0.0
    if context.scale and plane.w is not None and _is_moderate(context.problem):
        value, scale = _searched(context, plane)
    is_run = math.isclose(scale, context.scale, rel_tol=1e-6)
    at = f" = {scale:.6g}" if scale else ""
    return stated(
        context,
        "best_scale_searched",
        value,
        math.isfinite(value) and is_run,
        f"strictly separable with bias, and the run has the best s of all{at}: (R + |b|)^2/gamma^2 for the hyperplane "
        "that makes it least"
        if context.scale
        else "only with a bias coordinate, whose scale can be chosen",
        "derived: the minimum over s and over all hyperplanes",
    )


def _is_moderate(problem: Problem) -> bool:
    return problem.n_samples * problem.n_features <= _MOST_ENTRIES


def _searched(context: Context, plane: HardMargin) -> tuple[float, float]:
    """Return the least value found, and its scale; 0 where b = 0 is best and the bias coordinate only costs."""
    problem, square, best, best_scale = context.problem, context.square, math.inf, 0.0
    for _ in range(_MOST_SCALES):
        if plane.w is None or plane.b is None:
            break
        value = _offset_value(problem, plane, square)
        if not value < best * (1 - _NO_GAIN):
            break
        best, best_scale = value, _scale_of(plane.w, plane.b, square)
        if not 0 < best_scale < math.inf or context.limits.is_over():
            break
        plane = _of_the_user(context.quick_hard_margin(augmented(problem, best_scale)), best_scale)
    return best, best_scale


def _scale_of(w: Floats, b: float, square: Fraction) -> float:
    """Return sqrt(R |b|/||w||), for which the bound of this hyperplane is least."""
    return math.sqrt(sqrt_up(square * Fraction(b) ** 2 / norm_squared(w)))


def _offset_value(problem: Problem, plane: HardMargin, square: Fraction) -> float:
    """Return (R ||w|| + |b|)^2 / (least functional margin)^2, rounded up."""
    assert plane.w is not None and plane.b is not None
    least = max(least_functional_margin(problem, plane.w, plane.b), Fraction(0))
    reach = sqrt_up(square * norm_squared(plane.w))
    return quotient_up((Fraction(reach) + abs(Fraction(plane.b))) ** 2, least**2) if math.isfinite(reach) else math.inf


def _of_the_user(hard: HardMargin, scale: float) -> HardMargin:
    """Return the hyperplane of the space (x, s) as one of the user's space."""
    if hard.w is None:
        return hard
    return replace(hard, w=np.ascontiguousarray(hard.w[:-1]), b=float(hard.w[-1]) * scale)


def unit_norm(context: Context) -> Bound:
    """1/g^2 where all rows of the run have norm 1; then g is the least sine of an angle to the hyperplane."""
    margin_square = context.run_margin_squared
    is_unit = min(context.problem.map(partial(_nearly_unit, context.scale)))
    return stated(
        context,
        "unit_norm",
        quotient_up(max(context.run_square, Fraction(1)), margin_square) if is_unit else math.inf,
        is_unit and margin_square > 0,
        f"strictly separable {space_of(context)}, and every row has norm 1 there (normalised after s was appended): "
        "1/delta^2, delta the margin",
        "Novikoff 1962 for unit vectors",
    )


def _nearly_unit(scale: float, rows: slice, X: Any) -> bool:
    """Return whether all ||(x, s)|| are 1, up to the rounding of the normalisation."""
    squares, exponent = squared_norms(X)
    with np.errstate(over="ignore"):
        squares = np.ldexp(squares, 2 * exponent) + scale * scale
    return bool((np.abs(squares - 1) <= _NEAR_ONE).all())
