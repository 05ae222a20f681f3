"""The rows of a problem in digits of 24 bits, from which compiled passes compute scores exactly."""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.limbs import digits, whole_numbers
from maxmargin.solvers.perceptron.engines.engine_choice import MOST_ROWS
from maxmargin.solvers.perceptron.kernels.limb_scores import DIGIT_BITS, MOST_IN_DIGITS, MOST_PRODUCTS, Digits
from maxmargin.solvers.perceptron.kernels.work import frozen
from maxmargin.solvers.problem.problem import Problem

Integers = NDArray[np.int64]

_MOST_DIGITS = MOST_ROWS**2
"""Of all rows: as much memory as the greatest Gram matrix needs (32 MiB)."""

_MOST_STEPS = 1 << 24
"""Counts looked at and products added up in one pass: some ms, between two looks at the clock and at Ctrl-C."""

_CARRIED = 2
"""Digits that sums of digits have more than the rows."""


def no_digits() -> Digits:
    """Return digits that decide no score."""
    return _with_weights_of_zero(np.empty((0, 0, 0), dtype=np.int64))


def digits_of(problem: Problem, bias_scale: float) -> Digits:
    """Return the digits of the rows y (x, s) in memory; `no_digits` where they are too many.

    Numbers are too many or too long where all digits fill more than 32 MiB, where the digits of a row are more than
    2**14, so that sums of their products could overflow, or where the bits of a number in units of the lowest bit of
    all numbers are more than 1,000.
    """
    n_coordinates = problem.n_features + 1
    if problem.n_samples * n_coordinates > _MOST_DIGITS:
        return no_digits()
    constant = np.full((problem.n_samples, 1), bias_scale if problem.bias else 0.0)
    rows = np.hstack([problem.dense_rows(slice(None)), constant]) * problem.y[:, np.newaxis]
    whole = whole_numbers(rows)
    if whole is None:
        return no_digits()
    integers, _, n_bits = whole
    n_digits = -(-n_bits // DIGIT_BITS)
    if n_digits * n_coordinates > MOST_PRODUCTS or rows.size * n_digits > _MOST_DIGITS:
        return no_digits()
    of_places = [of_place.astype(np.int64) for of_place in digits(integers, n_bits, DIGIT_BITS)]
    return _with_weights_of_zero(np.stack(of_places, axis=1))


def with_weights_of_its_own(shared: Digits) -> Digits:
    """Return digits of the same rows, for another thread."""
    return _with_weights_of_zero(shared.rows)


def _with_weights_of_zero(rows: Integers) -> Digits:
    n_samples, n_digits, n_coordinates = rows.shape
    n_steps = n_samples + n_digits * (n_digits + _CARRIED) * n_coordinates
    return Digits(
        rows=frozen(rows),
        weights=np.zeros((n_digits, n_coordinates), dtype=np.int64),
        counts=np.zeros(n_samples, dtype=np.int64),
        carried=np.zeros((n_digits + _CARRIED, n_coordinates), dtype=np.int64),
        most=MOST_IN_DIGITS,
        most_decided=max(1, _MOST_STEPS // max(1, n_steps)),
    )
