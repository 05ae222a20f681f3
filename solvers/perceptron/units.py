"""Rows divided by a power of two, where the products of a run would overflow or vanish: the mistakes stay the same."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem import Problem

Floats = NDArray[np.float64]

_SAFE_EXPONENT = 400
"""Numbers between 2**-400 and 2**400 have products and sums of them far from overflow and underflow."""


def unit_exponent(problem: Problem, settings: PerceptronSettings) -> int:
    """Return 0, or the exponent of the greatest number of the rows where products would overflow or vanish."""
    values = problem.X.data if problem.is_sparse else problem.X
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if problem.bias:
        largest = max(largest, settings.bias_scale)
    exponent = math.frexp(largest)[1]
    return exponent if abs(exponent) > _SAFE_EXPONENT else 0


def in_units(problem: Problem, settings: PerceptronSettings, exponent: int) -> tuple[Any, float]:
    """Return the rows and the constant coordinate divided by 2**exponent: the mistakes stay the same."""
    scale = settings.bias_scale if problem.bias else 0.0
    if not exponent:
        return problem.X, scale
    if not problem.is_sparse:
        return np.ldexp(problem.X, -exponent), math.ldexp(scale, -exponent)
    X = problem.X.copy()
    X.data = np.ldexp(X.data, -exponent)
    return X, math.ldexp(scale, -exponent)


def in_users_units(w: Floats, exponent: int, scale: float) -> tuple[Floats, float]:
    """Return w and the weight of the constant coordinate; divided by a power of two where the plane overflows."""
    with np.errstate(over="ignore"):
        original = np.ldexp(w, exponent)
    if not (np.isfinite(original).all() and math.isfinite(float(original[-1]) * scale)):
        original = w
    return original[:-1], float(original[-1])
