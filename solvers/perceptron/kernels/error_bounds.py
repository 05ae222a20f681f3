"""Compiled bounds of the rounding errors of a pass, which are updated at every mistake."""

import math

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import in_machine_code

# Entries of the array `rounding`: R; the error of a score, in units of ||x|| ||w||; and the error of an update in
# addition to the rounding of its sum, in units of ||x_k|| ||x_i||.
REACH, SCORE_ERROR, UPDATE_ERROR = range(3)

UNIT = 2.0**-53
# Factor that covers the rounding of the few operations that compute a bound.
UP = 1.0 + 2.0**-48

# Upper bound of the effect of underflow on a score, in 2**40 updates of 2**20 columns.
_TINY = 2.0**-1010

# Relative error of a sum of up to 4,096 rounded terms.
_OF_SUM = 2.0**-40


@in_machine_code
def is_exact(norm: float, error: float, exact_up_to: float, rounding: Floats) -> bool:
    """Return whether every number so far is a multiple of the grid of the data, and less than 2**53 grid units."""
    return bool(error == 0.0 and rounding[REACH] * norm * UP <= exact_up_to)


@in_machine_code
def doubt_of(norm: float, error: float, exact_up_to: float, rounding: Floats) -> float:
    """Return t such that a computed score with |y w.x| > t has the sign of the exact score; 0 if scores are exact."""
    if is_exact(norm, error, exact_up_to, rounding):
        return 0.0
    return float(rounding[REACH] * (error + rounding[SCORE_ERROR] * (norm + error)) * UP + _TINY)


@in_machine_code
def square_after(square_of_norm: float, rounding: Floats, highest: float, square: float) -> float:
    """Bound ||w + y x||^2 = ||w||^2 + 2 y w.x + ||x||^2, where y w.x is neither positive nor above `highest`."""
    square = (square * (1.0 + rounding[SCORE_ERROR]) + _TINY) * UP
    return max(0.0, square_of_norm + 2.0 * min(0.0, highest) + square) * UP


@in_machine_code
def norm_after(norm: float, rounding: Floats, value: float, doubt: float, square: float) -> float:
    """Bound ||w + y x||, where y w.x <= 0 although the computed value may be positive."""
    return math.sqrt(square_after(norm * norm * UP, rounding, value + doubt, square)) * UP


@in_machine_code
def error_after(norm: float, error: float, exact_up_to: float, rounding: Floats) -> float:
    """Return the error after an update, which adds up to ||w + y x||/2**53 unless the sum is exact."""
    if is_exact(norm, error, exact_up_to, rounding):
        return error
    of_entries: float = rounding[UPDATE_ERROR] * rounding[REACH]
    return (error + UNIT * (norm + error) + of_entries) * UP


@in_machine_code
def error_after_many(n: int, norm: float, error: float, exact_up_to: float, rounding: Floats) -> float:
    """Return the error after `n` <= 4,096 updates, where ||w|| <= `norm` after each."""
    if is_exact(norm, error, exact_up_to, rounding):
        return error
    of_entries: float = rounding[UPDATE_ERROR] * rounding[REACH]
    return (error + n * (UNIT * norm + of_entries)) * (1.0 + 2.0**-40)


@in_machine_code
def square_after_many(n: int, square_of_norm: float, gain: float, norm: float, doubt: float, rounding: Floats) -> float:
    """Bound ||w||^2 after `n` <= 4,096 updates, where ||w|| <= `norm` after each.

    `gain` is the computed sum of 2 y w.x + ||x||^2 over the updates, where each y w.x has an error of up to `doubt`.
    """
    reach = rounding[REACH]
    each = 2.0 * doubt * UP + rounding[SCORE_ERROR] * reach * reach + _OF_SUM * reach * (2.0 * norm + reach) + _TINY
    square = square_of_norm + gain + n * each
    return float(square * UP) if square > 0.0 else 0.0


@in_machine_code
def is_mistake(sign: float, value: float, zero_rule: int) -> bool:
    """Return whether the row is a mistake; at a score of 0 the rule predicts its own sign, or nothing if it is 0."""
    if value == 0.0:
        return zero_rule == 0 or sign != zero_rule
    return value < 0.0
