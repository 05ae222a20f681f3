"""Rows divided by a power of two, where the products of a run would overflow or vanish: the mistakes stay the same."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.dyadic import times_power_of_two

Floats = NDArray[np.float64]

_SAFE_EXPONENT = 400
"""Numbers between 2**-400 and 2**400 have products and sums of them far from overflow and underflow."""


def unit_exponent(problem: Problem, settings: PerceptronSettings) -> int:
    """Return 0, or the exponent of the greatest number of the rows where products would overflow or vanish."""
    largest = float(problem.column_sizes.max())
    if problem.bias:
        largest = max(largest, settings.bias_scale)
    exponent = math.frexp(largest)[1]
    return exponent if abs(exponent) > _SAFE_EXPONENT else 0


def rows_in_units(X: Any, exponent: int) -> Any:
    """Return rows divided by 2**exponent."""
    return times_power_of_two(X, -exponent) if exponent else X


def scale_in_units(problem: Problem, settings: PerceptronSettings, exponent: int) -> float:
    """Return the constant coordinate divided by 2**exponent, as the rows are: the mistakes stay the same."""
    return math.ldexp(settings.bias_scale, -exponent) if problem.bias else 0.0


def in_users_units(w: Floats, exponent: int, scale: float) -> tuple[Floats, float]:
    """Return w and the weight of the constant coordinate; divided by a power of two where the plane overflows."""
    with np.errstate(over="ignore"):
        original = np.ldexp(w, exponent)
    if not (np.isfinite(original).all() and math.isfinite(float(original[-1]) * scale)):
        original = w
    return original[:-1], float(original[-1])
