"""Both ends of the nu-SVM's objective, proven for any hyperplane and any multipliers.

With weights v_i, V their sum, the program is min 1/2 ||w||^2 - nu rho + sum v_i xi_i / V. Its dual is written here in
multipliers alpha = V a: they lie between 0 and v, and in each class (through the origin: overall) sum to the mass
nu V/2 (nu V). Divided by the mass they are weights of a point of a reduced hull (Crisp and Burges, 1999), and the
optimum is -1/2 (nu delta)^2, with 2 delta the distance of the reduced hulls (through the origin: delta the distance of
0). If the reduced hulls share a point, the optimum is 0.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.solvers.exact.dyadic import exact_sum, round_down, round_up
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import margin_upper_bound_squared
from maxmargin.solvers.proof.soft_bounds import slack_upper_bound, square_up, sum_bounds, sum_sizes
from maxmargin.solvers.proof.sums import TINIEST_NORMAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The largest multiplier of each row, and the sum of the multipliers in each class (through the origin: of all).

    Attributes
    ----------
    weights : ndarray (n_samples,)
        The v_i, positive.
    members : tuple of ndarray (n_samples,) of bool
        The rows of either class, or all.
    totals : tuple of Fraction
        The sums of their weights.
    mass : Fraction
        The sum of the multipliers of each class, or of all rows; not greater than any of the totals.
    """

    weights: Floats
    members: tuple[Mask, ...]
    totals: tuple[Fraction, ...]
    mass: Fraction

    @classmethod
    def of(cls, problem: Problem, weights: Floats, nu: float) -> "Shares":
        """Return the shares for a nu, which may be the binary64 number next to `greatest_nu`."""
        is_positive = problem.y > 0
        members = (~is_positive, is_positive) if problem.bias else (np.ones(problem.n_samples, dtype=np.bool_),)
        totals = tuple(exact_sum(weights[group]) for group in members)
        mass = Fraction(nu) * sum(totals) / len(members)
        if nu == float(len(totals) * min(totals) / sum(totals)):
            mass = min(mass, min(totals))
        return cls(weights=weights, members=members, totals=totals, mass=mass)

    @property
    def whole(self) -> Fraction:
        """V."""
        return sum(self.totals, Fraction(0))

    @property
    def nu(self) -> Fraction:
        """The sum of the a_i."""
        return len(self.members) * self.mass / self.whole

    @property
    def greatest_nu(self) -> Fraction:
        """The largest nu for which the dual has a feasible point, and the primal a minimum."""
        return len(self.totals) * min(self.totals) / self.whole

    @property
    def spares_no_row(self) -> bool:
        """Whether the reduced hulls are the hulls: then the answer is the hard margin, if there is one."""
        return self.mass <= Fraction(float(self.weights.min()))


def objective_upper_bound(problem: Problem, shares: Shares, w: Floats, b: float, rho: float) -> float:
    """Return 1/2 ||w||^2 - nu rho + sum v_i max(0, rho - y_i (w.x_i + b)) / V, rounded up.

    Infinity if an intermediate result overflows.
    """
    if not np.isfinite(rho):
        return np.inf
    slack = slack_upper_bound(problem, w, b, shares.weights, rho)
    return np.inf if slack is None else round_up(square_up(w) / 2 - shares.nu * Fraction(rho) + slack / shares.whole)


def dual_lower_bound(problem: Problem, shares: Shares, multipliers: Floats) -> float:
    """Return -1/2 ||sum alpha y x / V||^2, rounded down, after scaling every class down to its mass.

    By weak duality it is a lower bound of the objective; -infinity if a class has less than its mass.

    Parameters
    ----------
    problem : Problem
    shares : Shares
    multipliers : ndarray (n_samples,)
        The alpha between 0 and the weights.
    """
    n_entries = int(np.count_nonzero(multipliers)) * problem.n_features
    if n_entries > problem.sizes.exact_entries:
        square = _rounded_square(problem, shares, multipliers)
        if np.isfinite(square) or n_entries > problem.sizes.last_resort_entries:
            return _halved_down(Fraction(square) / shares.whole**2) if np.isfinite(square) else -np.inf
    if any(exact_sum(multipliers[group]) < shares.mass for group in shares.members):
        return -np.inf
    half_distance = margin_upper_bound_squared(problem, multipliers)
    return -np.inf if half_distance is None else _halved_down(shares.nu**2 * half_distance)


def _halved_down(square: Fraction) -> float:
    return round_down(-square / 2)


def _rounded_square(problem: Problem, shares: Shares, multipliers: Floats) -> float:
    """Return an upper bound of ||sum alpha y x||^2 in floating point, every class scaled down to its mass.

    NaN if a class may have less than its mass; not finite if an intermediate result overflows.
    """
    surplus = 0.0
    for group, total in zip(shares.members, shares.totals, strict=True):
        low, high = _total_bounds(multipliers[group], shares.weights[group], total)
        if not shares.mass <= low:
            return np.nan
        surplus = max(surplus, round_up(1 - shares.mass / high))
    with np.errstate(all="ignore"):
        sizes = sum_sizes(problem, multipliers, surplus)
        return sum_bounds(sizes * sizes + TINIEST_NORMAL)[1]


def _total_bounds(multipliers: Floats, weights: Floats, total: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of the sum of the multipliers; both are the total of the weights if the multipliers equal these."""
    if (multipliers == weights).all():
        return total, total
    low, high = sum_bounds(multipliers)
    return Fraction(low), Fraction(high)


def fitted(shares: Shares, multipliers: Floats) -> Floats:
    """Return multipliers near the given ones, between 0 and the weights, with the mass or slightly more in each class.

    The surplus covers rounding errors; `dual_lower_bound` scales it off.
    """
    result = np.clip(multipliers, 0.0, shares.weights)
    for group in shares.members:
        low, high = sum_bounds(shares.weights[group])
        result[group] = _with_sum(result[group], shares.weights[group], float(shares.mass) * (high / low) ** 2)
    return result


def _with_sum(values: Floats, most: Floats, total: float) -> Floats:
    """Move numbers between 0 and `most` until they sum to the total, or as near to it as they can.

    Numbers strictly between the ends are moved first, because moving their multipliers costs least.
    """
    lack = total - float(values.sum())
    between = values * ((most - values) / most)
    movable = float(between.sum())
    if movable > 0 and abs(lack) <= movable:
        return np.clip(values + between * (lack / movable), 0.0, most)
    if lack <= 0:
        return values * (total / (total - lack))
    room = most - values
    whole_room = float(room.sum())
    return most.copy() if lack >= whole_room else np.clip(values + room * (lack / whole_room), 0.0, most)
