"""Is no row a mistake? Decided from the counts of mistakes alone, in exact arithmetic."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.dyadic import as_fraction, nearest_floats
from maxmargin.solvers.perceptron.settings import ZERO_RULES, PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import ClassSums
from maxmargin.solvers.proof.margins import least_score, lowest, whole_group


def has_no_mistake(problem: Problem, settings: PerceptronSettings, counts: NDArray[np.int64]) -> bool:
    """Return whether the weights of these counts of mistakes are right on every row, by the rule for a score of 0.

    Examples
    --------
    >>> ends = Problem.validated([[-1.0], [2.0]], [-1, 1])
    >>> [has_no_mistake(ends, PerceptronSettings(), np.array(counts)) for counts in ([1, 0], [1, 1], [0, 0])]
    [True, True, False]
    """
    rows = np.flatnonzero(counts)
    sums = ClassSums.of(problem, rows, counts[rows].tolist())
    unit = as_fraction(1, sums.exponent)
    w = [(p - n) * unit for n, p in zip(sums.negative, sums.positive, strict=True)]
    scale = Fraction(settings.bias_scale) if problem.bias else Fraction(0)
    b = (sums.n_positive - sums.n_negative) * scale**2
    negative, positive = _least_scores(problem, w)
    at_zero = ZERO_RULES[settings.zero]
    return _is_right(negative - b, at_zero < 0) and _is_right(positive + b, at_zero > 0)


def _least_scores(problem: Problem, w: list[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the least y w.x of the class -1, and of +1."""
    if not any(w):
        return Fraction(0), Fraction(0)
    rounded = nearest_floats(w)
    if rounded is None:
        groups = [whole_group(problem, np.flatnonzero(problem.y == sign)) for sign in (-1, 1)]
    else:
        groups = lowest(problem, rounded, by_class=True)
    negative, positive = (least_score(problem, group, w) for group in groups)
    return negative, positive


def _is_right(least: Fraction, zero_is_right: bool) -> bool:
    return least > 0 or (least == 0 and zero_is_right)
