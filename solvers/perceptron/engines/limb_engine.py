"""The rows of a problem in limbs of 24 bits, from which compiled passes compute scores exactly."""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.products import digits
from maxmargin.solvers.exact.limbs import whole_numbers
from maxmargin.solvers.perceptron.kernels.limb_scores import LIMB_BITS, Limbs
from maxmargin.solvers.perceptron.kernels.work import frozen
from maxmargin.solvers.perceptron.settings import PerceptronSettings, RunSizes
from maxmargin.solvers.problem.problem import Problem

Integers = NDArray[np.int64]

_CARRIED = 2
"""Number of limbs that sums of limbs have in addition to those of the rows."""


def no_limbs() -> Limbs:
    """Return limbs that decide no score."""
    return limbs_with_weights_of_zero(np.empty((0, 0, 0), dtype=np.int64), RunSizes())


def limbs_of(problem: Problem, settings: PerceptronSettings) -> Limbs:
    """Return the limbs of the rows y (x, s) in memory; `no_limbs` where they are too many.

    Numbers are too many or too long where all limbs fill more than 32 MiB, where the limbs of a row are more than
    2**14, so that sums of their products could overflow, or where the bits of a number in units of the lowest bit of
    all numbers are more than 1,000.
    """
    n_coordinates, sizes = problem.n_features + 1, settings.sizes
    if problem.n_samples * n_coordinates > sizes.most_limbs:
        return no_limbs()
    constant = np.full((problem.n_samples, 1), settings.bias_scale if problem.bias else 0.0)
    rows = np.hstack([problem.dense_rows(slice(None)), constant]) * problem.y[:, np.newaxis]
    whole = whole_numbers(rows, sizes.most_limb_bits)
    if whole is None:
        return no_limbs()
    integers, _, n_bits = whole
    n_limbs = -(-n_bits // LIMB_BITS)
    if n_limbs * n_coordinates > sizes.most_limb_products or rows.size * n_limbs > sizes.most_limbs:
        return no_limbs()
    of_positions = [of_position.astype(np.int64) for of_position in digits(integers, n_bits, LIMB_BITS)]
    return limbs_with_weights_of_zero(np.stack(of_positions, axis=1), sizes)


def with_weights_of_its_own(shared: Limbs, sizes: RunSizes) -> Limbs:
    """Return limbs of the same rows, for another thread."""
    return limbs_with_weights_of_zero(shared.rows, sizes)


def limbs_with_weights_of_zero(rows: Integers, sizes: RunSizes) -> Limbs:
    """Return these limbs of rows, with the weights 0."""
    n_samples, n_limbs, n_coordinates = rows.shape
    n_steps = n_samples + n_limbs * (n_limbs + _CARRIED) * n_coordinates
    return Limbs(
        rows=frozen(rows),
        weights=np.zeros((n_limbs, n_coordinates), dtype=np.int64),
        counts=np.zeros(n_samples, dtype=np.int64),
        carried=np.zeros((n_limbs + _CARRIED, n_coordinates), dtype=np.int64),
        most=sizes.most_limb_mistakes,
        most_decided=max(1, sizes.most_limb_steps // max(1, n_steps)),
    )
