"""MinOver: the perceptron that always takes the worst row."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_between
from maxmargin.solvers.online.guarantee import Guarantee, at_least, at_most, length_of, quotient, where
from maxmargin.solvers.online.shared_guarantees import margin_on_halt
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import Presents, State, Step

if TYPE_CHECKING:
    from maxmargin.solvers.online.reference import Reference

Floats = NDArray[np.float64]


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

    name: ClassVar[str] = "minover"
    summary: ClassVar[str] = "the perceptron on the worst row, to the maximum margin"
    reference: ClassVar[str] = "Krauth and Mezard 1987"
    theorems: ClassVar[tuple[str, ...]] = (
        "||w||/t >= g after t updates, strictly separable with margin g",
        "||w||/t <= g + R^2 (1 + ln t)/(2 g t) after t updates, strictly separable with maximum margin g",
        "margin >= (1 - tolerance) g, on halting on data that are strictly separable with margin g",
    )
    step: ClassVar[Step] = staticmethod(minover_step)
    presents: ClassVar[Presents] = Presents.WORST_ROW
    is_scale_free: ClassVar[bool] = True

    tolerance: float = 0.01

    def __post_init__(self) -> None:
        check_between("tolerance", self.tolerance, 0.0, 1.0)

    def is_finished(self, space: Space, state: State, n_updates: int, is_clean: bool) -> bool:
        """Return whether the margin is near ||w||/t, which is no less than the maximum margin."""
        least = float((space.y * (space.X @ state.w)).min())
        return least >= (1 - self.tolerance) * float(state.w @ state.w) / n_updates > 0

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return how near ||w||/t is to the maximum margin, and the margin on halting."""
        t = run.n_updates
        mean = length_of(run.state.w) / t
        return (
            at_least(
                "above",
                "||w||/t >= g after t updates, strictly separable with margin g",
                mean,
                where(reference.is_separable, reference.margin),
                "Krauth and Mezard 1987",
            ),
            at_most(
                "below",
                "||w||/t <= g + R^2 (1 + ln t)/(2 g t) after t updates, strictly separable with maximum margin g",
                mean,
                where(
                    reference.is_optimal,
                    max(_height(run, reference, g) for g in (reference.hard.lower, reference.hard.upper)),
                ),
                "derived: ||w'|| <= ||w|| + g + (R^2 - g^2)/(2 (t + 1) g)",
            ),
            margin_on_halt(run, reference, 1 - self.tolerance, "(1 - tolerance) g", "derived: ||w||/t >= g"),
        )


def _height(run: OnlineRun, reference: "Reference", g: float) -> float:
    t = run.n_updates
    return g + quotient(reference.space.radius**2 * (1 + math.log(t)), 2 * g * t)
