"""The radius of the rows, exactly."""

from fractions import Fraction
from typing import Any

from maxmargin.solvers.exact.dyadic import as_fraction
from maxmargin.solvers.exact.products import exact_squares
from maxmargin.solvers.problem.problem import Samples, squared_norms


def radius_squared(problem: Samples) -> Fraction:
    """Return R^2 = max ||x_i||^2 exactly."""
    return max(problem.map(_largest_square))


def _largest_square(rows: slice, X: Any) -> Fraction:
    """Return the greatest squared norm exactly; only rows within rounding of it are computed with integers."""
    squares, _ = squared_norms(X)
    exact, exponent = exact_squares(X[squares >= squares.max() * (1 - 4e-16 * (X.shape[1] + 4))])
    return as_fraction(max(exact.tolist()), 2 * exponent)
