"""Both ends of the soft-margin objective, proven for any hyperplane and any multipliers in a few passes.

Few support rows are summed in integers. Many are summed in floating point: a sum of k products, in any order and with
or without fused operations, errs by at most gamma_k = k u/(1 - k u) of the sum of their moduli (Higham, Accuracy and
Stability of Numerical Algorithms, 2nd ed., sections 3.1 and 4.2), and by losses from underflow; rows are summed in
groups, and then the groups, to keep k small. If an intermediate result overflows, nothing is claimed.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.exact.dyadic import round_down, round_up, sqrt_up
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import balanced_sum
from maxmargin.solvers.proof.margins import exact_functional_margins, norm_squared
from maxmargin.solvers.proof.sums import (
    TINIEST_NORMAL,
    UNIT_ROUNDOFF,
    enclosure,
    n_products,
    scores_and_moduli,
    weighted_sums,
)

# Largest number of matrix entries in the rows next to the margin whose slack is computed exactly.
_EXACT_ROW_ENTRIES = 1 << 20

# Largest number of terms that are summed without rounding.
_SUMMED_EXACTLY = 4096

# Group size for more terms: groups are summed in floating point, and their sums without rounding.
_GROUP = 64

# Relative error of the sum: one rounding of every term, of the sum and of the bound; for many terms also gamma_64.
_FEW_ERROR, _MANY_ERROR = 2.0**-50, 2.0**-46


def objective_upper_bound(problem: Problem, w: Floats, b: float, costs: Floats, power: int = 1) -> float:
    """Return 1/2 ||w||^2 + sum c_i max(0, 1 - y_i (w.x_i + b))^power, rounded up; infinity if it overflows.

    Parameters
    ----------
    problem : Problem
    w : ndarray (n_features,)
    b : float
    costs : ndarray (n_samples,)
        The c_i >= 0, not all 0.
    power : {1, 2}
    """
    slack = slack_upper_bound(problem, w, b, costs, power=power)
    return math.inf if slack is None else round_up(square_up(w) / 2 + slack)


def slack_upper_bound(
    problem: Problem, w: Floats, b: float, costs: Floats, level: float = 1.0, *, power: int = 1
) -> Fraction | None:
    """Return an upper bound of sum c_i max(0, level - y_i (w.x_i + b))^power; None if it overflows.

    The other parameters are as in `objective_upper_bound`.
    """
    if not (np.isfinite(w).all() and math.isfinite(b)):
        return None
    exponent = int(np.frexp(costs.max())[1])
    sums, doubtful, doubtful_sum = _slack(problem, w, b, level, _in_units(costs, exponent), power)
    exact = Fraction(0)
    # Next to the margin the width of the enclosure, times C, would dominate: there slacks are computed exactly.
    if len(doubtful) <= min(problem.sizes.exact_rows, _EXACT_ROW_ENTRIES // problem.n_features):
        margins = exact_functional_margins(problem, doubtful, w, b) if doubtful.size else []
        exact = _hinge(margins, costs[doubtful].tolist(), Fraction(level), power)
    else:
        sums.append(doubtful_sum)
    total = sum_bounds(np.array(sums))[1]
    return None if math.isinf(total) else Fraction(total) * Fraction(2) ** exponent + exact


def dual_lower_bound(problem: Problem, dual: Floats) -> float:
    """Return sum a - 1/2 ||sum a y x||^2, rounded down, after scaling one class so that sum a y = 0; 0 at least.

    Scaling only shrinks the multipliers. If they lie between 0 and the C_i, the value is a lower bound of the
    soft-margin objective by weak duality.

    Parameters
    ----------
    problem : Problem
    dual : ndarray (n_samples,)
        The a >= 0.
    """
    n_entries = int(np.count_nonzero(dual)) * problem.n_features
    if n_entries > problem.sizes.exact_entries:
        value = _rounded_dual(problem, balanced(problem, dual))
        if math.isfinite(value):
            return max(0.0, value)
        if n_entries > problem.sizes.last_resort_entries:
            return 0.0
    total, square = balanced_sum(problem, dual)
    return max(0.0, round_down(total - square / 2))


def squared_dual_lower_bound(problem: Problem, dual: Floats, costs: Floats) -> float:
    """Return `dual_lower_bound` less sum a^2/(4 c), for slacks that cost c xi^2; rounded down, 0 at least.

    Parameters
    ----------
    problem : Problem
    dual : ndarray (n_samples,)
        The a >= 0.
    costs : ndarray (n_samples,)
        The c >= 0; lower bounds of them, if they are no floats.
    """
    with np.errstate(over="ignore", divide="ignore"):
        a, c = dual[dual > 0], costs[dual > 0]
        penalty = sum_bounds(np.nextafter(np.nextafter(a / c, np.inf) * a, np.inf))[1]
    if math.isinf(penalty):
        return 0.0
    return max(0.0, round_down(Fraction(dual_lower_bound(problem, dual)) - Fraction(penalty) / 4))


def balanced(problem: Problem, dual: Floats) -> Floats:
    """Scale the heavier class down, up to rounding, so that sum a y = 0; through the origin nothing is scaled."""
    return scaled_to_balance(problem.y, dual) if problem.bias else dual


def scaled_to_balance(y: Floats, dual: Floats) -> Floats:
    """Scale the multipliers of the heavier class down so that sum a y = 0, up to rounding."""
    largest = dual.max(initial=0.0)
    if not largest > 0:
        return dual
    positive = y > 0
    totals = [float((dual[rows] / largest).sum()) for rows in (positive, ~positive)]
    if not all(totals):
        return np.zeros_like(dual)
    return dual * np.where(positive, min(1.0, totals[1] / totals[0]), min(1.0, totals[0] / totals[1]))


def square_up(w: Floats) -> Fraction:
    """Return an upper bound of ||w||^2, which is exact if the entries are few or their squares overflow."""
    if len(w) > _SUMMED_EXACTLY:
        with np.errstate(over="ignore"):
            total = sum_bounds(np.nextafter(w * w, np.inf) + TINIEST_NORMAL)[1]
        if math.isfinite(total):
            return Fraction(total)
    return norm_squared(w)


def _in_units(costs: Floats, exponent: int) -> Floats:
    """Return the costs times 2**-exponent, none rounded down."""
    units = np.ldexp(costs, -exponent)
    return np.where(costs > 0, np.maximum(units, TINIEST_NORMAL), 0.0)


def _slack(
    problem: Problem, w: Floats, b: float, level: float, costs: Floats, power: int
) -> tuple[list[float], Rows, float]:
    """Return upper bounds of sums of c xi^power per chunk, the rows next to the margin, and bounds of their terms."""
    center = _center(problem)
    exact_offset = Fraction(b) + _product(w, center)
    try:
        offset = float(exact_offset)
    except OverflowError:
        return [math.inf], np.empty(0, dtype=np.int64), 0.0
    plane = _Plane(w, offset, round_up(abs(exact_offset - Fraction(offset))), center)
    parts = problem.map(partial(_slack_of_chunk, plane, level, power), problem.y, costs)
    sums, doubtful, terms = zip(*parts, strict=True)
    return list(sums), np.concatenate(doubtful), sum_bounds(np.concatenate(terms))[1]


class _Plane(NamedTuple):
    """The hyperplane w.(x - center) + offset = 0, the offset known up to an error."""

    w: Floats
    offset: float
    offset_error: float
    center: Floats | None

    def enclose(self, X: Any, y: Floats) -> tuple[Floats, Floats]:
        """Return bounds of y (w.(x - center) + offset); the whole line if an intermediate result overflows.

        As `maxmargin.solvers.proof.margins.enclosures`, with one more rounding of every entry.
        """
        share = 2 * (n_products(X) + 8) * UNIT_ROUNDOFF
        lost = 8 * (len(self.w) + 1) * TINIEST_NORMAL * max(1.0, float(np.abs(self.w).max()))
        scores, moduli = scores_and_moduli(X, self.center, self.w)
        value = y * (scores + self.offset)
        error = (moduli + abs(self.offset)) * (share / (1 - share)) + (self.offset_error + lost)
        return enclosure(value, error)


def _product(w: Floats, center: Floats | None) -> Fraction:
    if center is None:
        return Fraction(0)
    return sum((Fraction(v) * Fraction(c) for v, c in zip(w.tolist(), center.tolist(), strict=True)), Fraction(0))


@np.errstate(all="ignore")
def _slack_of_chunk(
    plane: _Plane, level: float, power: int, rows: slice, X: Any, y: Floats, costs: Floats
) -> tuple[float, Rows, Floats]:
    """Return an upper bound of the sum of c xi^power away from the margin, the other rows, and bounds of theirs."""
    lower, upper = plane.enclose(X, np.asarray(y, dtype=np.float64))
    inside = np.flatnonzero((lower < level) & (costs > 0))
    slack = np.nextafter(level - lower[inside], np.inf)
    terms = (slack if power == 1 else np.nextafter(slack * slack, np.inf)) * costs[inside] + TINIEST_NORMAL
    on_margin = upper[inside] > level
    return sum_bounds(terms[~on_margin])[1], rows.start + inside[on_margin], terms[on_margin]


def _hinge(margins: Iterable[Fraction], costs: Iterable[float], level: Fraction, power: int) -> Fraction:
    terms = (Fraction(c) * (level - m) ** power for m, c in zip(margins, costs, strict=True) if m < level)
    return sum(terms, Fraction(0))


def sum_bounds(values: Floats) -> tuple[float, float]:
    """Return bounds of the sum of nonnegative numbers, each of which has been rounded at most once."""
    error = _FEW_ERROR
    if len(values) > _SUMMED_EXACTLY:
        whole = len(values) // _GROUP * _GROUP
        values, error = np.append(values[:whole].reshape(-1, _GROUP).sum(axis=1), values[whole:]), _MANY_ERROR
    if not np.isfinite(values).all() or values.max(initial=0.0) > np.finfo(np.float64).max / (len(values) + 1):
        return 0.0, math.inf
    total = math.fsum(values.tolist())
    return total * (1 - error), total * (1 + error)


def _rounded_dual(problem: Problem, dual: Floats) -> float:
    """Return the bound in floating point, for multipliers that balance up to rounding; NaN or infinite if it fails."""
    total, square = _total_and_square(problem, dual)
    if not math.isfinite(total) or not math.isfinite(square):
        return math.nan
    return round_down(Fraction(total) - Fraction(square) / 2)


def rounded_margin_upper_bound(problem: Problem, weights: Floats) -> float:
    """Return an upper bound of the maximum margin from weights, in floating point; infinity if it overflows.

    It is the length of sum a y x over sum a once the heavier class is scaled down to balance: not less than the bound
    of `margin_upper_bound_squared`, and hardly more if the weights balance up to rounding already.

    Parameters
    ----------
    problem : Problem
    weights : ndarray (n_samples,)
        At least 0.
    """
    total, square = _total_and_square(problem, weights)
    if not (0 < total < math.inf and math.isfinite(square)):
        return math.inf
    return sqrt_up(Fraction(square) / Fraction(total) ** 2)


def _total_and_square(problem: Problem, dual: Floats) -> tuple[float, float]:
    """Return a lower bound of sum a and an upper bound of ||sum a y x||^2, for a that balance up to rounding."""
    total, imbalance = _total(problem, dual)
    with np.errstate(all="ignore"):
        sizes = sum_sizes(problem, dual, imbalance)
        return total, sum_bounds(sizes * sizes + TINIEST_NORMAL)[1]


def _total(problem: Problem, dual: Floats) -> tuple[float, float]:
    """Return a lower bound of sum a once the heavier class is scaled down to balance, and a bound of the scaling.

    The scaling is 1 - k for the exact factor k of the heavier class.
    """
    if not problem.bias:
        return sum_bounds(dual)[0], 0.0
    (low, high), (other_low, other_high) = (sum_bounds(dual[problem.y == sign]) for sign in (-1.0, 1.0))
    least, greatest = min(low, other_low), max(high, other_high)
    if not 0 < greatest < math.inf:
        return math.nan, math.nan
    return 2 * least, (greatest - least) / greatest * (1 + _FEW_ERROR)


def sum_sizes(problem: Problem, dual: Floats, imbalance: float) -> Floats:
    """Return upper bounds of the moduli of the entries of sum a y x, with classes scaled down until they balance.

    A class is scaled by at least 1 - imbalance. As the multipliers balance then, the sum is the same for x - center
    with any center; the scaling changes an entry by at most the imbalance times the sum of moduli.
    """
    sums = moduli = np.zeros(problem.n_features)
    n_terms = 0
    sums_of_chunk = partial(_sums_of_chunk, _center(problem))
    for part, part_moduli, part_terms in problem.map(sums_of_chunk, problem.y * dual):
        sums, moduli = sums + part, moduli + part_moduli
        n_terms = max(n_terms, part_terms) + 1
    # One rounding each of x - center, of the product, and of X itself; the rest covers this expression.
    share = (n_terms + 10) * UNIT_ROUNDOFF
    relative = share / (1 - 2 * share) + imbalance * (1 + 2 * share)
    lost = 8 * problem.n_samples * TINIEST_NORMAL * max(1.0, float(dual.max()))
    return np.asarray((np.abs(sums) + relative * moduli) * (1 + _FEW_ERROR) + lost)


def _center(problem: Problem) -> Floats | None:
    """Return the midpoints of columns far from 0, whose rounding errors would else be relative to the midpoints."""
    if not problem.bias or problem.is_sparse or problem.integers is not None:
        return None
    low, high = problem.column_bounds
    middle = low / 2 + high / 2
    is_far = np.abs(middle) > high / 2 - low / 2
    return np.where(is_far, middle, 0.0) if is_far.any() else None


def _sums_of_chunk(center: Floats | None, _: slice, X: Any, weights: Floats) -> tuple[Floats, Floats, int]:
    return weighted_sums(X, center, weights)
