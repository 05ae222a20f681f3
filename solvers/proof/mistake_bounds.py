"""Both ends of the tightest mistake bounds, proven for any normal and any weights of the rows.

Let z_i = y_i x_i be the rows of a perceptron's run through the origin, R the greatest ||z_i||, and let every row be
presented n_passes = E times. If the run makes m_i mistakes on row i, M = sum m_i of them, then 0 <= m_i <= E, and
||sum m_i z_i||^2 <= R^2 M because no update has a positive score (Block 1962, Novikoff 1962). Both bounds forget that
the m_i come from a run and ask how great their sum can be:

- hinge: max sum m_i subject to 0 <= m_i <= E and ||sum m_i z_i||^2 <= R^2 sum m_i;
- squared hinge: the same with ||m||^2 <= E sum m_i in place of m_i <= E, which follows from it.

By duality (derived here; strong, as 0 < m small is strictly feasible) these are the least values over v of

- ((a + sqrt(a^2 + 4 L))/2)^2 with a = R ||v|| and L = E sum (1 - z_i.v)_+;
- (R ||v|| + sqrt(E) ||(1 - z v)_+||_2)^2, the bound of Freund and Schapire (1999) for v = u/g.

Hence the first optimum is never above the second. In weights a_i = m_i/M that sum to 1 both say
1/M = min max(spread, ||sum a_i z_i||^2/R^2), where the spread is max a_i/E or ||a||^2/E.
"""

import math
from enum import StrEnum
from fractions import Fraction

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import as_integers, round_down, round_up, sqrt_up
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import balanced_sum
from maxmargin.solvers.proof.margins import least_functional_margin, norm_squared
from maxmargin.solvers.proof.soft_bounds import slack_upper_bound, sum_bounds
from maxmargin.solvers.proof.sums import TINIEST_NORMAL, careful_sum


class Loss(StrEnum):
    """Loss by which a bound counts the slack of rows inside the margin."""

    HINGE = "hinge"
    SQUARED_HINGE = "squared-hinge"


def value_at(problem: Problem, v: Floats, n_passes: int, square: Fraction, loss: Loss) -> float:
    """Return the mistake bound at v, rounded up; infinity if it overflows.

    Parameters
    ----------
    problem : Problem
        The rows of the run, without a bias of their own.
    v : ndarray (n_features,)
        Finite.
    n_passes : int
    square : Fraction
        R^2.
    loss : Loss
    """
    spread = square * norm_squared(v)
    if loss is Loss.HINGE:
        slack = slack_upper_bound(problem, v, 0.0, np.ones(problem.n_samples))
        return math.inf if slack is None else _hinge_value(spread, n_passes * slack)
    squares = slack_upper_bound(problem, v, 0.0, np.ones(problem.n_samples), power=2)
    return math.inf if squares is None else squared_sum(spread, n_passes * squares)


def separating_value(problem: Problem, v: Floats, square: Fraction) -> float:
    """Return R^2 ||v||^2/g^2 with g the least margin of v, rounded up; infinity unless g is positive.

    Both bounds have this value at v/g, where no row has slack (Novikoff 1962).
    """
    least = least_functional_margin(problem, v, 0.0)
    return round_up(square * norm_squared(v) / least**2) if least > 0 else math.inf


def _hinge_value(spread: Fraction, slack: Fraction) -> float:
    """Return ((a + sqrt(a^2 + 4 L))/2)^2 = (a^2 + 2 L + a sqrt(a^2 + 4 L))/2 for a^2 and L, rounded up."""
    root = sqrt_up(spread * (spread + 4 * slack))
    return math.inf if math.isinf(root) else round_up((spread + 2 * slack + Fraction(root)) / 2)


def squared_sum(first: Fraction, second: Fraction) -> float:
    """Return (sqrt(p) + sqrt(q))^2 = p + q + 2 sqrt(p q), rounded up.

    Examples
    --------
    >>> squared_sum(Fraction(4), Fraction(9))
    25.0
    """
    root = sqrt_up(first * second)
    return math.inf if math.isinf(root) else round_up(first + second + 2 * Fraction(root))


def value_of_weights(problem: Problem, weights: Floats, n_passes: int, square: Fraction, loss: Loss) -> float:
    """Return a lower bound of the least value of a bound over all v, from weights of the rows, rounded down.

    For weights that sum to 1 it is 1/max(spread, ||sum a_i z_i||^2/R^2).

    Parameters
    ----------
    problem : Problem
        The rows of the run, without a bias of their own.
    weights : ndarray (n_samples,)
        Finite and nonnegative, in any unit.
    n_passes : int
    square : Fraction
        R^2.
    loss : Loss
    """
    largest = weights.max()
    if not largest > 0:
        return 0.0
    # Weights of size about 1. If some underflow, the result is a bound by other weights, which is valid too.
    weights = np.ldexp(weights, -int(np.frexp(largest)[1]))
    total, spread = _total_and_spread(weights, loss, problem.sizes.exact_entries)
    from_spread = n_passes * total**2 / spread
    pull = _pull(problem, weights, square)
    if pull is None:
        return 0.0
    return round_down(min(from_spread, total**2 / pull) if pull else from_spread)


def _total_and_spread(weights: Floats, loss: Loss, exact_entries: int) -> tuple[Fraction, Fraction]:
    """Return sum a_i rounded down, and ||a||^2 or max a_i sum a_i rounded up."""
    present = weights[weights > 0]
    if len(present) <= exact_entries:
        integers, exponent = as_integers(present)
        unit = Fraction(2) ** exponent
        total, squares = sum(integers.tolist()) * unit, sum(v * v for v in integers.tolist()) * unit**2
    else:
        total = Fraction(sum_bounds(present)[0])
        squares = Fraction(sum_bounds(np.nextafter(present * present, np.inf) + TINIEST_NORMAL)[1])
    return total, Fraction(float(present.max())) * total if loss is Loss.HINGE else squares


def _pull(problem: Problem, weights: Floats, square: Fraction) -> Fraction | None:
    """Return an upper bound of ||sum a_i z_i||^2/R^2, None if it overflows; 0 if R is 0."""
    if not square:
        return Fraction(0)
    if int(np.count_nonzero(weights)) * problem.n_features <= problem.sizes.exact_entries:
        return balanced_sum(problem, weights)[1] / square
    exponent = exponent_of_root(square)
    with np.errstate(all="ignore"):
        sums, errors = careful_sum(problem, weights)
        sizes = np.nextafter(np.ldexp(np.abs(sums) + errors, -exponent), np.inf) + TINIEST_NORMAL
        total = sum_bounds(sizes * sizes + TINIEST_NORMAL)[1]
    return Fraction(total) * Fraction(4) ** exponent / square if math.isfinite(total) else None


def exponent_of_root(square: Fraction) -> int:
    """Return about the binary logarithm of the square root."""
    return (square.numerator.bit_length() - square.denominator.bit_length()) // 2
