"""PDM: the perceptron whose threshold follows ||w||^2/t."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.family.algorithm import Algorithm, State, Step, check_between
from maxmargin.solvers.perceptron.family.guarantee import Guarantee, at_least, margin_on_halt, where
from maxmargin.solvers.perceptron.family.space import Space

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.family.result import OnlineRun
    from maxmargin.solvers.perceptron.family.truth import Truth

Floats = NDArray[np.float64]


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
    """

    name: ClassVar[str] = "pdm"
    summary: ClassVar[str] = "perceptron with dynamic margin"
    reference: ClassVar[str] = "Panagiotakopoulos and Tsampouka 2011"
    step: ClassVar[Step] = staticmethod(pdm_step)
    is_scale_free: ClassVar[bool] = True

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        check_between("epsilon", self.epsilon, 0.0, 1.0, inclusive=True)

    def start(self, space: Space) -> State:
        """Return w = 0."""
        return State(w=np.zeros(space.n_columns), scalars=np.zeros(1), parameters=np.array([1.0 - self.epsilon]))

    def guarantees(self, run: "OnlineRun", truth: "Truth") -> tuple[Guarantee, ...]:
        """Return the margin on halting, and the upper bound of the margin at any time."""
        return (
            margin_on_halt(run, truth, 1 - self.epsilon, "(1 - epsilon) g", self.reference),
            at_least(
                "self-certificate",
                "||w||/t >= g after t updates, strictly separable with margin g",
                float(np.linalg.norm(run.state.w)) / run.n_updates,
                where(truth.is_separable, truth.margin),
                "derived: w/t is a convex combination of the y x",
            ),
        )
