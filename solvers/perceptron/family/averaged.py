"""The averaged perceptron."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.family.algorithm import Algorithm, State, Step
from maxmargin.solvers.perceptron.family.guarantee import Guarantee
from maxmargin.solvers.perceptron.family.rosenblatt import perceptron_guarantees
from maxmargin.solvers.perceptron.family.space import Space

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.family.result import OnlineRun
    from maxmargin.solvers.perceptron.family.truth import Truth

Floats = NDArray[np.float64]


def averaged_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x to w on a mistake, and the t - 1 presentations that it came too late for to the table."""
    if y[row] * score > 0.0:
        return 0
    for j in range(w.shape[0]):
        w[j] += y[row] * X[row, j]
        table[0, j] += (t - 1) * y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragedPerceptron(Algorithm):
    """The perceptron, ending on the mean of its w after each of the T presentations.

    An update at presentation t is in T - t + 1 of them, so the mean is w - (sum of (t - 1) y x)/T. The guarantees are
    those of the perceptron, which makes the same updates; ``extras["last"]`` is its last w.
    """

    name: ClassVar[str] = "averaged"
    summary: ClassVar[str] = "the perceptron's mean weights over all presentations"
    reference: ClassVar[str] = "Freund and Schapire 1999; Collins 2002"
    step: ClassVar[Step] = staticmethod(averaged_step)
    is_scale_free: ClassVar[bool] = True

    def start(self, space: Space) -> State:
        """Return w = 0 and an empty sum."""
        return State(w=np.zeros(space.n_columns), table=np.zeros((1, space.n_columns)))

    def plane(self, state: State, n_presentations: int) -> Floats:
        """Return the mean."""
        return np.asarray(state.w - state.table[0] / n_presentations)

    def extras(self, run: "OnlineRun") -> dict[str, Any]:
        """Return the last w of the run."""
        return {"last": run.state.w}

    def guarantees(self, run: "OnlineRun", truth: "Truth") -> tuple[Guarantee, ...]:
        """Return those of the perceptron."""
        return perceptron_guarantees(run, truth)
