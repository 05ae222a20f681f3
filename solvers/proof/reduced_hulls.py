"""A point that the reduced hulls share, exactly: then the optimum of the nu-SVM is 0."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.dyadic import as_fraction, as_integers, over_common_denominator
from maxmargin.solvers.exact.linear import combination, independent_rows, least_squares
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import weighted_sum
from maxmargin.solvers.proof.nu_bounds import Shares, exact_sum

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_AT_END = 1e-9
"""Relative distance from 0 or from the weight of the row up to which a multiplier is moved there."""

_MOST_COLUMNS = 200
"""Largest number of columns for which the linear system is solved exactly, in about a second."""


def may_be_checked(problem: Problem) -> bool:
    """Return whether `share_a_point` takes about a second or less."""
    return problem.n_samples * problem.n_features <= problem.sizes.exact_entries and problem.n_features <= _MOST_COLUMNS


def share_a_point(problem: Problem, shares: Shares, multipliers: Floats) -> bool:
    """Return whether multipliers near the given ones balance exactly, with the mass of every class.

    Multipliers near 0 or near the weight of their row are moved there. Of the others, a largest set with independent
    rows is solved for in rational arithmetic, those farthest from their bounds first; the solution must respect the
    bounds.
    """
    weights = shares.weights
    fixed = np.where(multipliers > _AT_END * weights, multipliers, 0.0)
    fixed = np.where(fixed < (1 - _AT_END) * weights, fixed, weights)
    between = np.flatnonzero((fixed > 0) & (fixed < weights))
    room = np.minimum(fixed, weights - fixed)[between]
    free = between[np.argsort(-room, kind="stable")]
    entries, exponent = problem.exact_rows(free)
    members = [np.where(group[free], 1, 0) for group in shares.members]
    matrix = np.column_stack([entries * problem.y[free].astype(int)[:, None], *members]).astype(object)
    chosen = independent_rows(matrix) if len(free) else []
    fixed[free[chosen]] = 0.0
    target = [-v / as_fraction(1, exponent) for v in _signed_sum(problem, fixed)]
    target += [shares.mass - exact_sum(fixed[group]) for group in shares.members]
    if not chosen:
        return not any(target)
    solution = _solved(matrix[chosen], target)
    return solution is not None and all(
        0 <= value <= Fraction(weight) for value, weight in zip(solution, weights[free[chosen]].tolist(), strict=True)
    )


def _signed_sum(problem: Problem, multipliers: Floats) -> list[Fraction]:
    """Return sum a_i y_i x_i."""
    rows = np.flatnonzero(multipliers)
    if not rows.size:
        return [Fraction(0)] * problem.n_features
    integers, exponent = as_integers(multipliers[rows] * problem.y[rows])
    sums, sum_exponent = weighted_sum(problem, rows, integers.tolist())
    return [v * as_fraction(1, exponent + sum_exponent) for v in sums]


def _solved(rows: NDArray[np.object_], target: list[Fraction]) -> list[Fraction] | None:
    """Return the c with sum c_i rows_i = target, or None if there are none."""
    whole, unit = over_common_denominator(target)
    numerators, denominator = least_squares(rows, whole)
    if combination(rows, numerators) != [denominator * value for value in whole]:
        return None
    return [Fraction(value, denominator * unit) for value in numerators]
