"""MinOver: the perceptron that always takes the worst row."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_halt, parameter
from maxmargin.solvers.online.guarantee import Check, at_least, at_most, length_of, margin_on_halt, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState, Presents


def minover_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x, whatever the score."""
    for j in range(w.shape[0]):
        w[j] += y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MinOver(Algorithm):
    """w += y x for the row of least y w.x, until that is (1 - tolerance) ||w||^2/t after t updates.

    Attributes
    ----------
    tolerance : float
        Above 0 and below 1.

    Notes
    -----
    ||w|| >= w.u >= t g. The least y w.x is g ||w|| at most, so ||w'||^2 <= (||w|| + g)^2 + R^2 - g^2 and, with
    ||w|| + g >= (t + 1) g, ||w'|| <= ||w|| + g + (R^2 - g^2)/(2 (t + 1) g). From the first ||w|| <= R on, which is at
    most (R^2 + g^2)/(2 g), that adds up to ||w||/t - g <= R^2 (1 + ln t)/(2 g t).
    """

    name = "minover"
    summary = "the perceptron on the worst row, to the maximum margin"
    reference = "Krauth and Mezard 1987"
    theorems = (
        at_least("above", "||w||/t >= g after t updates, strictly separable with margin g", "Krauth and Mezard 1987"),
        at_most(
            "below",
            "||w||/t <= g + R^2 (1 + ln t)/(2 g t) after t updates, strictly separable with maximum margin g",
            "derived: ||w'|| <= ||w|| + g + (R^2 - g^2)/(2 (t + 1) g)",
        ),
        margin_on_halt("(1 - tolerance) g", "derived: ||w||/t >= g"),
    )
    step = staticmethod(minover_step)
    needs_all_rows = True
    presents = Presents.WORST_ROW
    is_scale_free = True

    tolerance: float = parameter(0.01, 0.0, 1.0)

    def is_finished(self, space: Space, state: LearnerState, n_updates: int, is_clean: bool) -> bool:
        """Return whether the margin is near ||w||/t, which is no less than the maximum margin."""
        least = float((space.y * (space.X @ state.w)).min())
        return least >= (1 - self.tolerance) * float(state.w @ state.w) / n_updates > 0

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield how near ||w||/t is to the maximum margin, and the margin on halting."""
        mean = length_of(run.state.w) / run.n_updates
        highest = max(_height(run, reference, g) for g in (reference.hard.lower, reference.hard.upper))
        yield Check(mean, where(reference.is_separable, reference.margin))
        yield Check(mean, where(reference.is_optimal, highest))
        yield check_halt(run, reference, 1 - self.tolerance)


def _height(run: OnlineRun, reference: Reference, g: float) -> float:
    t = run.n_updates
    return g + quotient(reference.space.radius**2 * (1 + math.log(t)), 2 * g * t)
