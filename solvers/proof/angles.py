"""Angles of normals, in degrees, as proven intervals."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import Integers, as_fraction, round_down, round_up, sqrt_down, sqrt_up
from maxmargin.solvers.proof.hulls import ClassSums
from maxmargin.solvers.proof.margin_certificate import MarginAtLeast, MarginAtMost, MarginExactly
from maxmargin.solvers.proof.margins import in_units, norm_squared

Normal: TypeAlias = Floats | Integers | Sequence[Fraction]

# Units in the last place by which `math.atan2`, and `math.degrees`, may err: both are within 1 or 2 in practice.
_ULPS = 4


def angle_around(w: Normal, v: Normal, cosine_squared: Fraction) -> tuple[float, float]:
    """Return the ends of the angle of w and any vector whose angle to v has at least this squared cosine, both >= 0.

    Examples
    --------
    >>> angle_around([Fraction(1), Fraction(0)], [Fraction(2), Fraction(0)], Fraction(1))
    (0.0, 0.0)
    >>> [round(end) for end in angle_around([Fraction(0), Fraction(1)], [Fraction(2), Fraction(0)], Fraction(3, 4))]
    [60, 120]
    """
    left, right = (v if isinstance(v, np.ndarray) and v.dtype == object else in_units(v)[0] for v in (w, v))
    product = int(left.dot(right))
    low, high = _degrees(Fraction(product**2, int(left.dot(left)) * int(right.dot(right))))
    if product < 0:
        low, high = 180 - high, 180 - low
    most = _degrees(cosine_squared)[1]
    return round_down(max(low - most, Fraction(0))), round_up(min(high + most, Fraction(180)))


def _degrees(cosine_squared: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose the angle, at most 90 degrees, with this squared cosine; its tangent keeps the digits of small ones."""
    sine_squared = 1 - cosine_squared
    if not sine_squared:
        return Fraction(0), Fraction(0)
    low = math.atan2(sqrt_down(sine_squared), sqrt_up(cosine_squared))
    high = math.atan2(sqrt_up(sine_squared), sqrt_down(cosine_squared))
    low, high = (end + away * math.ulp(end) for end, away in ((low, -_ULPS), (high, _ULPS)))
    low, high = math.degrees(low), math.degrees(high)
    return Fraction(low) - _ULPS * Fraction(math.ulp(low)), Fraction(high) + _ULPS * Fraction(math.ulp(high))


def cosine_squared(margin_squared: Fraction, upper: float) -> Fraction:
    """Return at most the squared cosine of the angle of w and u*, from the margin of w and `upper`, at least g*.

    The nearest points of the hulls differ by 2 g* u*, and along w of norm 1 by at least twice the margin of w.
    """
    return margin_squared / Fraction(upper) ** 2 if math.isfinite(upper) else Fraction(0)


def near_maximum(
    plane: MarginAtLeast | MarginExactly, upper: float, hull: MarginAtMost | None
) -> tuple[Normal, Fraction]:
    """Return a vector near the normal u* of the maximum margin g*, and at most the squared cosine of their angle.

    A hyperplane (w, b) with y(w.x + b) >= m has w.u* >= m/g*. A hull vector z, half the difference of points of the two
    hulls or through the origin a point of the hull of the y x, has z.u* >= g*. So v = w/m + z/||z||^2 has
    v.u* >= 1/g* + g*/||z||^2 >= 2/||z||, which proves a smaller angle than w alone.
    """
    if isinstance(plane, MarginExactly):
        return plane.w, Fraction(1)
    if hull is None:
        return plane.w, cosine_squared(plane.margin_squared, upper)
    integers, unit = in_units(plane.w)
    square = plane.margin_squared * norm_squared(plane.w)  # of m, which is a fraction
    of_plane = unit * Fraction(math.isqrt(square.denominator), math.isqrt(square.numerator))
    z, z_unit = _hull_vector(hull)
    of_hull = z_unit / hull.margin_squared
    v = integers * (of_plane.numerator * of_hull.denominator) + z * (of_hull.numerator * of_plane.denominator)
    v_square = Fraction(int(v.dot(v)), (of_plane.denominator * of_hull.denominator) ** 2)
    return v, 4 / (hull.margin_squared * v_square)


def _hull_vector(hull: MarginAtMost) -> tuple[Integers, Fraction]:
    """Return the vector of norm `margin_squared` ** (1/2) as integers, and their unit."""
    sums = ClassSums.of(hull.problem, np.array(hull.rows), hull.weights)
    negative, positive = (np.array(part, dtype=object) for part in (sums.negative, sums.positive))
    if not hull.problem.bias:
        return positive - negative, as_fraction(1, sums.exponent) / (sums.n_negative + sums.n_positive)
    difference = positive * sums.n_negative - negative * sums.n_positive
    return difference, as_fraction(1, sums.exponent) / (2 * sums.n_negative * sums.n_positive)
