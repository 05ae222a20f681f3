"""The final hyperplane judged in exact arithmetic."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.dyadic import as_fraction, round_down
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.perceptron.result import achieved_margins
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import n_errors

Floats = NDArray[np.float64]


class Measured(NamedTuple):
    """A hyperplane in the user's space, its least margins and its errors, as in `OnlineRun`."""

    w: Floats
    b: float
    margin: float
    run_margin: float
    unit_margin: float
    n_errors: int


def measured(problem: Problem, space: Space, plane: Floats) -> Measured | None:
    """Return the plane of the run as one of the user's space, and its margins; None where its bias overflows."""
    weight = float(plane[-1]) if problem.bias else 0.0
    w, b = plane[: problem.n_features], weight * space.scale
    if not math.isfinite(b):
        return None
    margin, _ = achieved_margins(problem, w, b, space.scale)
    unit_margin, _ = achieved_margins(space.problem, plane, 0.0, 0.0)
    return Measured(
        w=w,
        b=b,
        margin=margin,
        run_margin=_times_power(unit_margin, space.exponent),
        unit_margin=unit_margin,
        n_errors=n_errors(problem, w, b),
    )


def _times_power(margin: float, exponent: int) -> float:
    """Return the margin times 2**exponent, rounded down."""
    return round_down(Fraction(margin) * as_fraction(1, exponent)) if math.isfinite(margin) else margin
