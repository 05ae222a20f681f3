"""Winnow2 with factor 2 on rows of bits, in exact arithmetic, and its mistake bound on disjunctions.

The online algorithm ``winnow`` takes any non-negative features and any factor, in floating point. A score that is equal
to the threshold is a mistake there; here, as in Littlestone's paper and its bound, it is a prediction of +1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Mask
from maxmargin.solvers.basics.option_values import check_limits
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.teaching.cube import decoded
from maxmargin.teaching.literals import Connective, LiteralConcept

Exponents = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class WinnowRun:
    """A run of Winnow2.

    Attributes
    ----------
    n_promotions, n_demotions : int
        Numbers of mistakes on rows of label +1, and on rows of label -1.
    mistake_rows : tuple of int
        In order of presentation.
    weights : tuple of Fraction
        Powers of two, after the last pass.
    threshold : Fraction
        The label +1 is predicted if w.x >= threshold.
    bound : int or None
        `winnow_bound`, if the relevant columns were given.
    converged : bool
        Whether the last pass was without a mistake.
    """

    n_promotions: int
    n_demotions: int
    mistake_rows: tuple[int, ...]
    weights: tuple[Fraction, ...]
    threshold: Fraction
    bound: int | None
    converged: bool

    @property
    def n_mistakes(self) -> int:
        """Number of promotions and demotions."""
        return self.n_promotions + self.n_demotions


def winnow(
    X_bits: Any,
    y: Any,
    *,
    relevant: Sequence[int] | None = None,
    threshold: Fraction | int | None = None,
    max_passes: int | None = 1,
) -> WinnowRun:
    """Run Winnow2 (Littlestone 1988) with factor 2 on rows of bits, in their order.

    All weights start at 1. It predicts +1 if w.x >= threshold. A mistake on a row of label +1 doubles the weights of
    the attributes that are 1; a mistake on a row of label -1 halves them.

    Parameters
    ----------
    X_bits : array_like of shape (n_rows, d)
        Rows of 0 and 1.
    y : array_like of shape (n_rows,)
        Their labels, -1 and +1.
    relevant : sequence of int, optional
        Columns of which at least one is 1 if the label is +1, and none if it is -1. This is checked; it implies the
        bound.
    threshold : Fraction or int, optional
        The threshold, positive; by default d/2.
    max_passes : int or None, default 1
        Largest number of passes over the rows. None means until a pass without a mistake, which exists if the labels
        are a disjunction, so `relevant` must be given.

    Returns
    -------
    WinnowRun
        The mistakes, the weights, and the bound on the mistakes.

    Raises
    ------
    InvalidProblemError
        If X and y have other numbers or shapes, or y is not the disjunction of the relevant columns.
    InvalidOptionError
        If an option has another value.

    See Also
    --------
    winnow_bound : Bound the number of mistakes.
    as_disjunction : Make the rows of a conjunction.

    References
    ----------
    .. [1] N. Littlestone, "Learning quickly when irrelevant attributes abound: a new linear-threshold algorithm",
       Machine Learning 2 (1988), 285-318.

    Examples
    --------
    >>> run = winnow([[1, 0, 0, 0], [0, 1, 1, 1], [1, 0, 0, 0]], [1, -1, 1], relevant=[0])
    >>> run.n_mistakes, run.bound, [str(weight) for weight in run.weights]
    (2, 6, ['2', '1/2', '1/2', '1/2'])
    """
    on, is_positive = decoded(X_bits, "bits"), decoded(y)
    if on.ndim != 2 or 0 in on.shape or is_positive.shape != on.shape[:1]:
        shapes = f"X has shape {on.shape} and y {is_positive.shape}"
        raise InvalidProblemError(f"{shapes}; expected (n_rows, d), both at least 1, and (n_rows,)")
    level = _threshold(threshold, on.shape[1])
    _check(on, is_positive, relevant, max_passes)
    exponents, mistakes = np.zeros(on.shape[1], dtype=np.int64), list[int]()
    n_passes, converged = 0, False
    while not converged and n_passes != max_passes:
        found = _pass(exponents, on, is_positive, level)
        mistakes += found
        n_passes, converged = n_passes + 1, not found
    n_promotions = int(is_positive[mistakes].sum())
    run = WinnowRun(
        n_promotions=n_promotions,
        n_demotions=len(mistakes) - n_promotions,
        mistake_rows=tuple(mistakes),
        weights=tuple(Fraction(2) ** exponent for exponent in exponents.tolist()),
        threshold=level,
        bound=None if relevant is None else winnow_bound(on.shape[1], len(relevant), threshold=level),
        converged=converged,
    )
    assert run.n_demotions <= _most_demotions(on.shape[1], n_promotions, level)  # a theorem, for all rows and labels
    assert run.bound is None or run.n_mistakes <= run.bound  # a theorem
    return run


def winnow_bound(d: int, k: int, *, threshold: Fraction | int | None = None) -> int:
    """Return a bound on the mistakes of `winnow` on a disjunction of k of d attributes, with threshold t.

    The argument is due to Littlestone (1988); the constants are derived here. In a promotion the label is +1, so some
    relevant attribute is on, and w.x < t, so its weight is below t. No relevant attribute is on in a demotion. So its
    weights are 1, 2, 4, ..., it is promoted at most p = max(0, ceil(log2 t)) times, and there are u <= k p promotions.
    The sum of all weights is d at first and stays above 0. It grows by w.x < t in a promotion and shrinks by
    w.x/2 >= t/2 in a demotion, so there are v < 2d/t + 2u demotions. Together u + v <= 3 k p + ceil(2d/t) - 1, which is
    3 k (ceil(log2 d) - 1) + 3 for the default t = d/2 and d >= 2.

    Parameters
    ----------
    d : int
        The number of attributes.
    k : int
        The number of attributes in the disjunction.
    threshold : Fraction or int, optional
        The threshold t, positive; by default d/2.

    Returns
    -------
    int
        The bound.

    Raises
    ------
    InvalidOptionError
        Unless 0 <= k <= d, d >= 1 and the threshold is positive.

    See Also
    --------
    conjunction_bound : Bound the mistakes of the perceptron.

    References
    ----------
    .. [1] N. Littlestone, "Learning quickly when irrelevant attributes abound: a new linear-threshold algorithm",
       Machine Learning 2 (1988), 285-318.

    Examples
    --------
    >>> winnow_bound(1024, 1), winnow_bound(1024, 5)
    (30, 138)
    """
    if not 0 <= k <= d or d < 1:
        raise InvalidOptionError(f"found k = {k} of d = {d} attributes, expected 0 <= k <= d and d >= 1")
    level = _threshold(threshold, d)
    most_promotions = k * (math.ceil(level) - 1).bit_length()
    return most_promotions + _most_demotions(d, most_promotions, level)


def as_disjunction(concept: LiteralConcept, X: Any, y: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Return a concept as a disjunction of attributes, for `winnow`.

    The 2d attributes are x1, ..., xd, ~x1, ..., ~xd. A conjunction is the negation of the disjunction of its negated
    literals, so its labels change sign.

    Parameters
    ----------
    concept : LiteralConcept
        A conjunction or disjunction of literals.
    X : array_like of shape (n_rows, d)
        Rows of -1 and +1.
    y : array_like of shape (n_rows,)
        Their labels, -1 and +1.

    Returns
    -------
    X_bits : ndarray of int, of shape (n_rows, 2d)
        The attributes of the rows, 0 and 1.
    labels : ndarray of int, of shape (n_rows,)
        The labels of the disjunction.
    relevant : list of int
        The columns of the attributes in the disjunction.

    Raises
    ------
    InvalidProblemError
        If X or y has other numbers, or X has another number of columns than the concept has variables.

    See Also
    --------
    winnow : Learn the disjunction.

    Examples
    --------
    >>> from maxmargin.boolean import conjunction
    >>> as_disjunction(conjunction(2, (1, -2)), [[1, -1]], [1])
    (array([[1, 0, 0, 1]]), array([-1]), [2, 1])
    """
    truth, is_positive, d = decoded(X), decoded(y), concept.n_variables
    if truth.shape != (*is_positive.shape, d):
        shapes = f"X has shape {truth.shape} and y {is_positive.shape}"
        raise InvalidProblemError(f"{shapes}; expected (n_rows, {d}), a column for each variable, and (n_rows,)")
    sign = -1 if concept.connective is Connective.CONJUNCTION else 1
    relevant = [abs(literal) - 1 + (0 if sign * literal > 0 else d) for literal in concept.literals]
    return np.hstack([truth, ~truth]).astype(np.int64), sign * np.where(is_positive, 1, -1), relevant


def _pass(exponents: Exponents, on: Mask, is_positive: Mask, threshold: Fraction) -> list[int]:
    """Present all rows once, and return the positions of the mistakes.

    The weights are 2**exponents, so the step of Winnow2 with factor 2 adds the label to the exponents of the attributes
    that are 1.
    """
    mistakes = []
    for position, (row, label) in enumerate(zip(on, is_positive.tolist(), strict=True)):
        if (_sum_of_powers(exponents[row]) >= threshold) is not label:
            exponents[row] += 1 if label else -1
            mistakes.append(position)
    return mistakes


def _sum_of_powers(exponents: Exponents) -> Fraction:
    """Return the sum of 2**exponents."""
    different, counts = np.unique(exponents, return_counts=True)
    pairs = zip(different.tolist(), counts.tolist(), strict=True)
    return sum((Fraction(2) ** exponent * count for exponent, count in pairs), Fraction(0))


def _most_demotions(d: int, n_promotions: int, threshold: Fraction) -> int:
    return math.ceil(2 * d / threshold) - 1 + 2 * n_promotions


def _threshold(threshold: Fraction | int | None, d: int) -> Fraction:
    level = Fraction(d, 2) if threshold is None else Fraction(threshold)
    if level <= 0:
        raise InvalidOptionError(f"threshold is {threshold}; expected a positive number")
    return level


def _check(on: Mask, is_positive: Mask, relevant: Sequence[int] | None, max_passes: int | None) -> None:
    check_limits(max_passes=max_passes)
    if relevant is None:
        if max_passes is None:
            raise InvalidOptionError("max_passes is None without `relevant`; expected both, or a number of passes")
        return
    if not all(0 <= column < on.shape[1] for column in relevant):
        raise InvalidOptionError(f"relevant is {relevant}; expected columns from 0 to {on.shape[1] - 1}")
    other = np.flatnonzero(on[:, list(relevant)].any(axis=1) != is_positive)
    if other.size:
        raise InvalidProblemError(f"row {other[0]} has another label than the disjunction of columns {relevant}")
