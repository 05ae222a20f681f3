"""The perceptron that updates until every functional margin is above a threshold."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_above
from maxmargin.solvers.online.guarantee import Guarantee, at_most, quotient, where
from maxmargin.solvers.online.shared_guarantees import margin_on_halt
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import State, Step

if TYPE_CHECKING:
    from maxmargin.solvers.online.reference import Reference

Floats = NDArray[np.float64]


def margin_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x to w where y w.x is at most the first parameter."""
    if y[row] * score > parameters[0]:
        return 0
    for j in range(w.shape[0]):
        w[j] += y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginPerceptron(Algorithm):
    """w += y x where y w.x <= beta, until an epoch without an update.

    Attributes
    ----------
    beta : float
        From 0, in squared units of the rows; 0 is the perceptron.

    Notes
    -----
    After t updates t g <= ||w|| and ||w||^2 <= t (R^2 + 2 beta), so t <= (R^2 + 2 beta)/g^2 and
    ||w|| <= (R^2 + 2 beta)/g; on halting every y w.x > beta, so the margin exceeds g beta/(R^2 + 2 beta).
    """

    name: ClassVar[str] = "margin-perceptron"
    summary: ClassVar[str] = "add y x where y w.x <= beta"
    reference: ClassVar[str] = "Duda and Hart 1973; Krauth and Mezard 1987"
    theorems: ClassVar[tuple[str, ...]] = (
        "updates <= (R^2 + 2 beta)/g^2, strictly separable with margin g",
        "margin >= g beta/(R^2 + 2 beta), on halting on data that are strictly separable with margin g",
    )
    step: ClassVar[Step] = staticmethod(margin_step)

    beta: float = 1.0

    def __post_init__(self) -> None:
        check_above("beta", self.beta, inclusive=True)

    def start(self, space: Space) -> State:
        """Return w = 0."""
        return State(w=np.zeros(space.n_columns), parameters=np.array([float(self.beta)]))

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the updates and the margin on halting."""
        size = reference.space.radius**2 + 2 * self.beta
        source = "derived: t g <= ||w|| <= sqrt(t (R^2 + 2 beta))"
        return (
            at_most(
                "updates",
                "updates <= (R^2 + 2 beta)/g^2, strictly separable with margin g",
                run.n_updates,
                where(reference.is_separable, quotient(size, reference.margin**2)),
                source,
            ),
            margin_on_halt(run, reference, self.beta / size if size else 0.0, "g beta/(R^2 + 2 beta)", source),
        )
