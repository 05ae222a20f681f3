"""PDM: the perceptron whose threshold follows ||w||^2/t."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_halt, parameter
from maxmargin.solvers.online.guarantee import Check, at_least, at_most, length_of, margin_on_halt, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space

# An exponent whose exponential is finite.
_LARGEST_EXPONENT = 700.0

# Largest ln t of the search.
_LARGEST = 1e6

# Width of the interval of ln t at which the search ends.
_NARROW = 1e-15

# For the rounding of ln(f(t)/t^2), which is its error at most where t is near 1 or a power of it is added.
_ALLOWED = 1e-12


def pdm_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x where y w.x <= parameter ||w||^2/t; the scalar is the number t of updates."""
    if scalars[0] > 0.0:
        square = 0.0
        for j in range(w.shape[0]):
            square += w[j] * w[j]
        if y[row] * score > parameters[0] * square / scalars[0]:
            return 0
    scalars[0] += 1.0
    for j in range(w.shape[0]):
        w[j] += y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pdm(Algorithm):
    """The perceptron with dynamic margin: w += y x where y w.x <= (1 - epsilon) ||w||^2/t after t updates.

    Attributes
    ----------
    epsilon : float
        Above 0 and at most 1, which is the perceptron.

    Notes
    -----
    ||w||/t >= g, for w/t is a convex combination of the y x; so on halting y w.x/||w|| > (1 - epsilon) g.

    The number of updates, derived here; the order (R/g)^(1/epsilon) for epsilon < 1/2 is that of the paper. Let
    c = 2 (1 - epsilon) and N_t = ||w||^2 after t updates: N_1 <= R^2, and N_(t+1) <= (1 + c/t) N_t + R^2, because an
    update adds 2 y w.x <= c N_t/t and ||x||^2. By induction N_t <= R^2 f(t) with f(t) = (c t^c - t)/(c - 1), for c = 1
    its limit t (1 + ln t): f(1) = 1, and with a = c/(c - 1) and b = 1/(c - 1),

        (1 + c/t) f(t) + 1 = a (t^c + c t^(c-1)) - b t - c b + 1 <= a (t + 1)^c - b (t + 1) = f(t + 1),

    for 1 - c b = -b, and a (t^c + c t^(c-1)) <= a (t + 1)^c by Bernoulli's inequality, whose direction for c < 1 is the
    other one, as is the sign of a. With N_t >= t^2 g^2, f(t)/t^2 >= (g/R)^2. The left side falls from the t on where
    t^(c-1) c (2 - c) = 1, so the updates are at most the greatest t for which that holds: R^2/g^2 for epsilon = 1, less
    than R^2/((2 epsilon - 1) g^2) for epsilon > 1/2, and (a R^2/g^2)^(1/(2 epsilon)) for epsilon < 1/2.
    """

    name = "pdm"
    summary = "perceptron with dynamic margin"
    reference = "Panagiotakopoulos and Tsampouka 2011"
    theorems = (
        at_most(
            "updates",
            "updates t have (c t^c - t)/(c - 1) >= t^2 g^2/R^2, c = 2 - 2 epsilon, if strictly separable with g",
            "derived after Panagiotakopoulos and Tsampouka 2011",
        ),
        margin_on_halt("(1 - epsilon) g", "Panagiotakopoulos and Tsampouka 2011"),
        at_least(
            "self-certificate",
            "||w||/t >= g after t updates, strictly separable with margin g",
            "derived: w/t is a convex combination of the y x",
        ),
    )
    step = staticmethod(pdm_step)
    is_scale_free = True

    epsilon: float = parameter(0.1, 0.0, 1.0, ends="]")

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return the factor of ||w||^2/t in the threshold."""
        return (1.0 - self.epsilon,)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the updates, the margin on halting, and the upper bound of the margin at any time."""
        most = self.most_updates(quotient(reference.margin, reference.space.radius))
        yield Check(run.n_updates, where(reference.is_separable, most))
        yield check_halt(run, reference, 1 - self.epsilon)
        yield Check(length_of(run.state.w) / run.n_updates, where(reference.is_separable, reference.margin))

    def most_updates(self, margin: float) -> float:
        """Return the greatest t with f(t)/t^2 >= margin^2, for rows of norm at most 1, rounded up.

        The search is for ln t, so that nothing overflows; infinity where t itself does.
        """
        if not margin > 0:
            return math.inf
        c, goal = 2 * (1 - self.epsilon), 2 * math.log(margin)
        # From where on f(t)/t^2 falls.
        low = max(0.0, -math.log(c * (2 - c)) / (c - 1)) if 1 < c < 2 else 0.0
        high = _LARGEST
        while high - low > _NARROW * max(1.0, low):
            middle = (low + high) / 2
            low, high = (middle, high) if _log_ratio(middle, c) >= goal - _ALLOWED else (low, middle)
        return math.exp(high) if high < _LARGEST_EXPONENT else math.inf


def _log_ratio(log_t: float, c: float) -> float:
    """Return ln(f(t)/t^2) for t = exp(log_t): f(t)/t = 1 + c (t^(c-1) - 1)/(c - 1)."""
    power = (c - 1) * log_t
    if power > _LARGEST_EXPONENT / 2:
        return math.log(c / (c - 1)) + power - log_t
    grown = math.expm1(power) / (c - 1) if c != 1 else log_t
    return math.log1p(c * grown) - log_t
