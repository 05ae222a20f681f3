"""Facts that one hyperplane proves about the perceptron: mistake bounds, and whether it is in the cone of solutions.

All of it is about the space in which the perceptron runs: the rows (x, 1) with a bias, or x alone through the origin.
There R is the largest norm of a row, z = y(x, 1) or y x, and u is the unit vector of (w, b) or of w.
"""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.exact.dyadic import as_fraction, centred, round_up, sqrt_down, sqrt_up
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.proof.margins import (
    enclose_functional_margins,
    exact_functional_margins,
    geometric_margin,
    least_functional_margin,
    norm_squared,
)
from maxmargin.solvers.proof.mistake_bounds import exponent_of_root, squared_sum
from maxmargin.solvers.proof.soft_bounds import sum_bounds
from maxmargin.theory.bound import quotient_up, run_norm_squared
from maxmargin.theory.context import augmented

# Largest width of the interval of a margin, in units of R, that is not computed again in integers.
_WIDEST = 2.0**-30

# Number of bisections in the search for the best g.
_N_STEPS = 48

# Binary exponent of the largest g, in units of R: above it, the bound is the number of rows up to rounding.
_FURTHEST = 60

# Largest number of columns, with the constant one, for which the maximum-margin direction is found exactly if nothing
# less decides whether a vector is in the cone; it takes a few seconds.
MOST_COLUMNS = 200

# Number of points of the curve on either side of the best g, and number of them in a factor of 2.
_STEPS_EACH_WAY, _STEPS_IN_AN_OCTAVE = 32, 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunPlane:
    """A hyperplane, as a vector of the space in which the perceptron runs.

    Attributes
    ----------
    problem : Problem
    w : ndarray (n_features,)
    b : float
        The hyperplane times a power of two; multiples by a power of two are the same object.
    least : Fraction
        min y(w.x + b), exactly.
    square : Fraction
        ||(w, b)||^2, or ||w||^2 through the origin.
    radius_squared : Fraction
        R^2 of the space.
    """

    problem: Problem
    w: Floats
    b: float
    least: Fraction
    square: Fraction
    radius_squared: Fraction

    @classmethod
    def of(cls, problem: Problem, w: Floats, b: float) -> "RunPlane":
        """Return the hyperplane w.x + b = 0; w is not 0."""
        vector = np.append(w, b)
        moved = centred(vector)
        vector = vector if moved is None else moved
        w, b, scale = vector[:-1], float(vector[-1]), float(problem.bias)
        return cls(
            problem=problem,
            w=w,
            b=b,
            least=least_functional_margin(problem, w, b),
            square=run_norm_squared(scale, w, b),
            radius_squared=radius_squared(problem) + Fraction(scale),
        )

    def novikoff(self) -> float | None:
        """Return R^2 ||(w, b)||^2 / min y(w.x + b)^2, rounded up; None if the hyperplane does not separate."""
        return quotient_up(self.radius_squared * self.square, self.least**2) if self.least > 0 else None


# Freund and Schapire's bound, as a function of g


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlackCurve:
    """The bound ((R + D)/g)^2 on the mistakes of one pass, D^2 = sum of max(0, g - y u.z)^2, for every g > 0.

    In t = 1/g its root R t + ||(1 - t y u.z)_+||_2 is convex; at t = 0 it is the root of the number of rows.

    Attributes
    ----------
    square : Fraction
        R^2, in units of 4**exponent; from 1/4 to 4 unless R is 0.
    exponent : int
    margins : ndarray (n_samples,)
        y u.z in units of 2**exponent, rounded down, in increasing order.
    most_exact : int
        Largest number of slacks whose squares are added in integers.
    """

    square: Fraction
    exponent: int
    margins: Floats
    most_exact: int

    @classmethod
    def of(cls, plane: RunPlane) -> "SlackCurve":
        """Return the curve of a hyperplane, after one pass over the rows."""
        exponent = exponent_of_root(plane.radius_squared) if plane.radius_squared else 0
        unit_square = as_fraction(1, 2 * exponent)
        margins = _scaled_margins(plane, plane.square * unit_square)
        return cls(
            square=plane.radius_squared / unit_square,
            exponent=exponent,
            margins=np.sort(margins),
            most_exact=plane.problem.sizes.exact_slack_entries,
        )

    def at(self, g: float) -> float:
        """Return the bound for this g, rounded up."""
        scaled = Fraction(g) / as_fraction(1, self.exponent)
        if scaled > 2**_FURTHEST:
            squares = len(self.margins) * (scaled + Fraction(sqrt_up(self.square))) ** 2  # y u.z is at least -R
        else:
            squares = self._squared_slack(round_up(scaled))
        return squared_sum(self.square / scaled**2, squares / scaled**2)

    def _squared_slack(self, g: float) -> Fraction:
        """Return the sum of max(0, g - y u.z)^2 or a little more."""
        inside = self.margins[: np.searchsorted(self.margins, g)]
        slack = g - inside
        rest = slack - g
        is_rounded_down = (g - (slack - rest)) - (inside + rest) > 0  # the error of the subtraction, exactly
        slack = np.where(is_rounded_down, np.nextafter(slack, np.inf), slack)
        if len(slack) <= self.most_exact:
            return norm_squared(slack) if len(slack) else Fraction(0)
        return Fraction(sum_bounds(np.nextafter(slack * slack, np.inf))[1])

    def best(self) -> tuple[float, bool]:
        """Return about the g for which the bound is least, and whether there is one below the largest g searched."""
        radius = math.sqrt(self.square)
        low, high = -float(_FURTHEST), math.log2(2 * math.sqrt(len(self.margins))) + 1
        if self._slope(2.0**low, radius) >= 0:
            return self._in_units(2.0**_FURTHEST), False
        for _ in range(_N_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if self._slope(2.0**middle, radius) >= 0 else (middle, high)
        return self._in_units(2.0**-high), True

    def _slope(self, t: float, radius: float) -> float:
        """Return the derivative of R t + ||(1 - t y u.z)_+||_2 in t."""
        inside = self.margins[: np.searchsorted(self.margins, 1 / t)]
        slack = 1 - t * inside
        length = float(np.linalg.norm(slack))
        return radius - float(inside @ slack) / length if length > 0 else radius

    def _in_units(self, g: float) -> float:
        """Return g in the units of the data, a positive finite float."""
        try:
            return max(math.ldexp(g, self.exponent), math.ulp(0.0))
        except OverflowError:
            return sys.float_info.max

    def points(self, about: float, has_best: bool) -> Iterator[float]:
        """Yield the g of the curve, in a geometric sequence about the best one, or about R where there is none."""
        centre = about if has_best else self._in_units(1.0)
        for step in range(-_STEPS_EACH_WAY, _STEPS_EACH_WAY + 1):
            g = centre * 2.0 ** (step / _STEPS_IN_AN_OCTAVE)
            if 0 < g < math.inf:
                yield g


def _scaled_margins(plane: RunPlane, square: Fraction) -> Floats:
    """Return y(w.x + b) divided by the root of the square, rounded down, for every row."""
    problem = plane.problem
    if problem.n_samples * problem.n_features <= problem.sizes.exact_slack_entries:
        return _exactly_scaled(plane, np.arange(problem.n_samples), square)
    exponent = exponent_of_root(square)
    mantissa_square = square / as_fraction(1, 2 * exponent)
    least, greatest = sqrt_down(mantissa_square), sqrt_up(mantissa_square)
    lower, upper = enclose_functional_margins(problem, plane.w, plane.b)
    with np.errstate(all="ignore"):
        lower, upper = np.ldexp(lower, -exponent), np.ldexp(upper, -exponent)
        lower = np.nextafter(np.nextafter(np.where(lower < 0, lower / least, lower / greatest), -np.inf), -np.inf)
        wide = np.flatnonzero(~(upper / least - lower <= _WIDEST))
    for part in slices(len(wide), problem.sizes.integer_rows):
        lower[wide[part]] = _exactly_scaled(plane, wide[part], square)
    return lower


def _exactly_scaled(plane: RunPlane, rows: Rows, square: Fraction) -> Floats:
    margins = exact_functional_margins(plane.problem, rows, plane.w, plane.b)
    return np.array([geometric_margin(margin, square) for margin in margins])


# The cone of solutions


def lies_in_cone(plane: RunPlane, limits: Limits, *, most_columns: int = MOST_COLUMNS) -> bool | None:
    """Return whether the angle of (w, b) and the maximum-margin direction u* is below arcsin(gamma/R); None if unknown.

    All of it is in the space of the run. For z with y u*.z >= gamma and ||z|| <= R, the angle of z and u* is at most
    arccos(gamma/R), so that every vector in the cone separates; one that does not separate is not in the cone.

    Of u* it is known that y u*.z >= gamma for every row, and for the convex combination gamma u* of the y z. So a unit
    vector v of margin m has v.u* >= m/gamma >= m/U, where U is a proven upper end. If this does not decide, u* is found
    exactly, for at most `most_columns` columns.
    """
    problem = plane.problem
    if plane.least <= 0:
        return False
    space = augmented(problem, 1.0) if problem.bias else problem
    known = uninterrupted(hard_margin(space, time_limit=limits.share(2)))
    if known.w is not None and 0 < known.upper < math.inf:
        decided = decided_by(plane, known.w, least_functional_margin(space, known.w, 0.0), Fraction(known.upper))
        if decided is not None:
            return decided
    if limits.is_over():
        return None
    exact = uninterrupted(hard_margin(space, exact=True, exact_limit=most_columns, time_limit=limits.share()))
    if not exact.margin_squared or exact.w_exact is None:
        return None
    dot, squares = _dot_and_squares(plane, exact.w_exact)
    return dot > 0 and dot**2 * plane.radius_squared > (plane.radius_squared - exact.margin_squared) * squares


def decided_by(plane: RunPlane, v: Floats, least: Fraction, upper: Fraction) -> bool | None:
    """Decide whether a hyperplane is in the cone by a vector v near u*; None if the angle of v and u* may be too large.

    The least y v.z over the rows z is known, and an upper end of the maximum margin of the space.
    With a the angle of (w, b) and v, and t the largest one that v and u* may have, the angle is between a - t and
    a + t. Their sines are compared, which are accurate for small angles.
    """
    if least <= 0:
        return None
    own_square, square, most = least**2 / norm_squared(v), plane.radius_squared, upper**2
    dot, squares = _dot_and_squares(plane, v)
    cos_a, cos_t = dot**2 / squares, min(own_square / most, Fraction(1))  # squares of the cosines
    sin_a, sin_t = 1 - cos_a, 1 - cos_t
    if dot <= 0:
        return False if cos_t >= most / square else None
    if cos_a > sin_t:  # a + t is below a right angle
        largest = Fraction(sqrt_up(sin_a * cos_t)) + Fraction(sqrt_up(cos_a * sin_t))
        if largest < sqrt_down(own_square / square):
            return True
    if cos_a < cos_t:  # a is above t
        smallest = Fraction(sqrt_down(sin_a * cos_t)) - Fraction(sqrt_up(cos_a * sin_t))
        if smallest >= sqrt_up(most / square):
            return False
    return None


def _dot_and_squares(plane: RunPlane, v: "Floats | tuple[Fraction, ...]") -> tuple[Fraction, Fraction]:
    """Return (w, b).v, and the product of the squared norms."""
    entries = v.tolist() if isinstance(v, np.ndarray) else v
    own = [*plane.w.tolist(), plane.b] if plane.problem.bias else plane.w.tolist()
    pairs = zip(own, entries, strict=True)
    return sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0)), plane.square * norm_squared(v)
