"""Angles of vectors in degrees, as proven intervals."""

import math
from collections.abc import Sequence
from fractions import Fraction

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import round_down, round_up, sqrt_down, sqrt_up
from maxmargin.solvers.proof.margins import in_units

# Units in the last place by which `math.atan2`, and `math.degrees`, may err: in practice each errs by 1 or 2.
_ULPS = 4


def angle_around(
    w: Floats | Sequence[Fraction], v: Floats | Sequence[Fraction], cosine_squared: Fraction
) -> tuple[float, float]:
    """Return bounds on the angle of w and every vector whose angle to v has a cosine with at least this square.

    Parameters
    ----------
    w, v : sequence of numbers, not 0
    cosine_squared : Fraction
        From 0 to 1; the cosine is not negative.

    Returns
    -------
    tuple of float
        The ends in degrees, rounded outwards, from 0 to 180.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = angle_around(np.array([1.0, 1e-300]), [Fraction(2), Fraction(0)], Fraction(1))
    >>> low < math.degrees(1e-300) < high < low * (1 + 1e-14)
    True
    >>> [round(end) for end in angle_around([Fraction(0), Fraction(1)], [Fraction(2), Fraction(0)], Fraction(3, 4))]
    [60, 120]
    """
    left, right = in_units(w)[0], in_units(v)[0]
    product = int(left.dot(right))
    low, high = _degrees(Fraction(product**2, int(left.dot(left)) * int(right.dot(right))))
    if product < 0:
        low, high = 180 - high, 180 - low
    most = _degrees(cosine_squared)[1]
    return round_down(max(low - most, Fraction(0))), round_up(min(high + most, Fraction(180)))


def _degrees(cosine_squared: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose the angle up to 90 degrees whose cosine has this square; its sine keeps the digits of small angles."""
    sine_squared = 1 - cosine_squared
    if not sine_squared:
        return Fraction(0), Fraction(0)
    low = math.atan2(sqrt_down(sine_squared), sqrt_up(cosine_squared))
    high = math.atan2(sqrt_up(sine_squared), sqrt_down(cosine_squared))
    low, high = math.degrees(low - _ULPS * math.ulp(low)), math.degrees(high + _ULPS * math.ulp(high))
    return Fraction(low - _ULPS * math.ulp(low)), Fraction(high + _ULPS * math.ulp(high))
