"""Points on circles. Their coordinates are rounded to binary64, and the verdict is about the rounded points."""

from fractions import Fraction
from math import pi, tan

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators.case import OVERLAP, Case, separable
from maxmargin.data.generators.exact_numbers import Matrix
from maxmargin.data.generators.family import Family, Whole, family

_SLOPE_BITS = 20


def _circle(n: int) -> NDArray[np.float64]:
    """Return n points on the unit circle, nearly evenly spread, none on an axis but for (1, 0).

    They are ((1 - t^2), 2t)/(1 + t^2), with t = tan(angle/2) cut to a few bits and the quotients correctly rounded: the
    same numbers on every machine.
    """
    angles = (pi * (k + 0.25) / n for k in range(n))
    slopes = [Fraction(round(tan(half) * 2**_SLOPE_BITS), 2**_SLOPE_BITS) for half in angles]
    return np.array([[float((1 - t * t) / (1 + t * t)), float(2 * t / (1 + t * t))] for t in slopes])


@family("unit-circle", "n points on the unit circle, the upper half is +1", n=Whole(default=20, least=2, most=10_000))
def _unit_circle(n: int) -> Case:
    points = _circle(n)
    y = np.where(points[:, 1] > 0, 1, -1)
    why = "the second column has the sign of the label, and is never 0"
    return Case(rows=Matrix.of_floats(points), y=y, with_bias=separable(), through_origin=separable(), why=why)


@family("two-circles", "n points on a circle of radius 1, n on one of radius 2: overlap, but for the radius",
        n=Whole(default=20, least=3, most=10_000))  # fmt: skip
def _two_circles(n: int) -> Case:
    inner = _circle(n)
    points = np.vstack([inner, 2 * inner])
    why = "0 lies inside the hulls of both classes"
    y = np.repeat([-1, 1], n)
    return Case(rows=Matrix.of_floats(points), y=y, with_bias=OVERLAP, through_origin=OVERLAP, why=why)


FAMILIES: tuple[Family, ...] = (_unit_circle, _two_circles)
