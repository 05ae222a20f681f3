"""The averaged perceptron."""

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun
from maxmargin.solvers.online.guarantee import Guarantee, at_least, at_most, length_of, quotient, where
from maxmargin.solvers.online.rosenblatt import Perceptron, perceptron_guarantees
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import State, Step

if TYPE_CHECKING:
    from maxmargin.solvers.online.reference import Reference

Floats = NDArray[np.float64]


_DELAYS, _DELAYED_SQUARES = 0, 1
"""Places of the scalars: sums over the updates of t - 1, and of (t - 1) ||x||^2."""


def averaged_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x to w on a mistake, and the t - 1 presentations that it came too late for to the table."""
    if y[row] * score > 0.0:
        return 0
    square = 0.0
    for j in range(w.shape[0]):
        square += X[row, j] * X[row, j]
        w[j] += y[row] * X[row, j]
        table[0, j] += (t - 1) * y[row] * X[row, j]
    scalars[0] += t - 1
    scalars[1] += (t - 1) * square
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragedPerceptron(Algorithm):
    """The perceptron, ending on the mean of its w after each of the T presentations.

    An update at presentation t is in T - t + 1 of them, so the mean is w - (sum of (t - 1) y x)/T. ``extras["last"]``
    is the last w.

    Notes
    -----
    Derived here. The mean is sum c y x with shares c = (T - t + 1)/T, and A = sum c is the mean number of updates so
    far. For u of norm 1 with margin g its part along u is A g at least, so ||mean||/A >= g. Its length: ||mean||^2 is
    at most the mean of ||w||^2 (convexity), and ||w||^2 the sum of ||x||^2 over the updates so far. Together they bound
    the angle: cos(mean, u) >= A g/sqrt(sum c ||x||^2). They do not say that the mean separates, and it need not; with
    further passes it would in the end, for it tends to the last w.
    """

    name: ClassVar[str] = "averaged"
    summary: ClassVar[str] = "the perceptron's mean weights over all presentations"
    reference: ClassVar[str] = "Freund and Schapire 1999; Collins 2002"
    theorems: ClassVar[tuple[str, ...]] = (
        *Perceptron.theorems,
        "||mean||/A >= g, A the mean number of updates so far, strictly separable with margin g",
        "||mean|| <= sqrt(sum over the updates of (T - t + 1)/T ||x||^2)",
    )
    step: ClassVar[Step] = staticmethod(averaged_step)
    is_scale_free: ClassVar[bool] = True

    def start(self, space: Space) -> State:
        """Return w = 0 and an empty sum."""
        return State(w=np.zeros(space.n_columns), table=np.zeros((1, space.n_columns)), scalars=np.zeros(2))

    def plane(self, state: State, n_presentations: int) -> Floats:
        """Return the mean."""
        return np.asarray(state.w - state.table[0] / n_presentations)

    def extras(self, run: OnlineRun) -> dict[str, Any]:
        """Return the last w of the run."""
        return {"last": run.state.w}

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return those of the perceptron, which makes the same updates, and two of the mean."""
        T = run.n_presentations
        length = length_of(self.plane(run.state, T))
        mean_updates = run.n_updates - run.scalar(_DELAYS) / T
        square = float(run.updated @ reference.space.squared_norms) - run.scalar(_DELAYED_SQUARES) / T
        lost = run.n_updates * sys.float_info.min  # at most that of squares that underflow
        return (
            *perceptron_guarantees(run, reference),
            at_least(
                "mean-certificate",
                "||mean||/A >= g, A the mean number of updates so far, strictly separable with margin g",
                quotient(length, mean_updates),
                where(reference.is_separable, reference.margin),
                "derived: mean/A is a convex combination of the y x",
            ),
            at_most(
                "mean-length",
                "||mean|| <= sqrt(sum over the updates of (T - t + 1)/T ||x||^2)",
                length,
                math.sqrt(max(square, 0.0) + lost),
                "derived: ||mean||^2 <= mean of ||w||^2",
            ),
        )
