"""What compiled passes know of their own rounding: bounds that are kept up from mistake to mistake."""

import math

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.compiling import in_machine_code

Floats = NDArray[np.float64]

REACH, SCORE_ERROR, UPDATE_ERROR = range(3)
"""Entries of what is known of the rounding: R; the error of a score in units of ||x|| ||w||; and that of an update in
units of ||x_k|| ||x_i||, beyond that of its addition."""

UNIT = 2.0**-53
UP = 1.0 + 2.0**-48
"""Covers the rounding of the few operations of a bound."""

_TINY = 2.0**-1010
"""More than what underflow can do to a score in 2**40 updates of 2**20 columns."""

_OF_SUM = 2.0**-40
"""Relative error of a sum of up to 4,096 terms, of which each is rounded as well."""


@in_machine_code
def is_exact(norm: float, error: float, exact_up_to: float, rounding: Floats) -> bool:
    """Return whether every number so far is a multiple of the grid of the data, and below 2**53 of it."""
    return bool(error == 0.0 and rounding[REACH] * norm * UP <= exact_up_to)


@in_machine_code
def doubt_of(norm: float, error: float, exact_up_to: float, rounding: Floats) -> float:
    """Return t such that a computed score with |y w.x| > t has the sign of the exact one; 0 where scores are exact."""
    if is_exact(norm, error, exact_up_to, rounding):
        return 0.0
    return float(rounding[REACH] * (error + rounding[SCORE_ERROR] * (norm + error)) * UP + _TINY)


@in_machine_code
def square_after(square_of_norm: float, rounding: Floats, highest: float, square: float) -> float:
    """Bound ||w + y x||^2 = ||w||^2 + 2 y w.x + ||x||^2, for a y w.x of 0 at most, and of what it is `highest`."""
    square = (square * (1.0 + rounding[SCORE_ERROR]) + _TINY) * UP
    return max(0.0, square_of_norm + 2.0 * min(0.0, highest) + square) * UP


@in_machine_code
def norm_after(norm: float, rounding: Floats, value: float, doubt: float, square: float) -> float:
    """Bound ||w + y x||, with y w.x <= 0 whatever was computed for it."""
    return math.sqrt(square_after(norm * norm * UP, rounding, value + doubt, square)) * UP


@in_machine_code
def error_after(norm: float, error: float, exact_up_to: float, rounding: Floats) -> float:
    """Return the error after an update: of a sum of integers none, else it adds at most ||w + y x||/2**53."""
    if is_exact(norm, error, exact_up_to, rounding):
        return error
    of_entries: float = rounding[UPDATE_ERROR] * rounding[REACH]
    return (error + UNIT * (norm + error) + of_entries) * UP


@in_machine_code
def error_after_many(n: int, norm: float, error: float, exact_up_to: float, rounding: Floats) -> float:
    """Return the error after `n` updates, up to 4,096, all of which leave ||w|| at most `norm`."""
    if is_exact(norm, error, exact_up_to, rounding):
        return error
    of_entries: float = rounding[UPDATE_ERROR] * rounding[REACH]
    return (error + n * (UNIT * norm + of_entries)) * (1.0 + 2.0**-40)


@in_machine_code
def square_after_many(n: int, square_of_norm: float, gain: float, norm: float, doubt: float, rounding: Floats) -> float:
    """Bound ||w||^2 after `n` updates, up to 4,096, all of which leave ||w|| at most `norm`.

    `gain` is the computed sum of their 2 y w.x + ||x||^2, each y w.x being off by `doubt` at most.
    """
    reach = rounding[REACH]
    each = 2.0 * doubt * UP + rounding[SCORE_ERROR] * reach * reach + _OF_SUM * reach * (2.0 * norm + reach) + _TINY
    square = square_of_norm + gain + n * each
    return float(square * UP) if square > 0.0 else 0.0


@in_machine_code
def is_mistake(sign: float, value: float, zero_rule: int) -> bool:
    """Return whether the row is to be updated on; what a score of 0 predicts is the rule's: 0 none, else its sign."""
    if value == 0.0:
        return zero_rule == 0 or sign != zero_rule
    return value < 0.0
