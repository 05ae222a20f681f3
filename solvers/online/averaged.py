"""The averaged perceptron."""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.solvers.online.algorithm import OnlineRun
from maxmargin.solvers.online.guarantee import Check, at_least, at_most, length_of, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.rosenblatt import Perceptron
from maxmargin.solvers.online.state import Floats, State

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
class AveragedPerceptron(Perceptron):
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

    name = "averaged"
    summary = "the perceptron's mean weights over all presentations"
    reference = "Freund and Schapire 1999; Collins 2002"
    theorems = (
        *Perceptron.theorems,
        at_least(
            "mean-certificate",
            "||mean||/A >= g, A the mean number of updates so far, strictly separable with margin g",
            "derived: mean/A is a convex combination of the y x",
        ),
        at_most(
            "mean-length",
            "||mean|| <= sqrt(sum over the updates of (T - t + 1)/T ||x||^2)",
            "derived: ||mean||^2 <= mean of ||w||^2",
        ),
    )
    step = staticmethod(averaged_step)

    def plane(self, state: State, n_presentations: int) -> Floats:
        """Return the mean."""
        return np.asarray(state.w - state.table[0] / n_presentations)

    def extras(self, run: OnlineRun) -> dict[str, Any]:
        """Return the last w of the run."""
        return {"last": run.state.w}

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the checks of the perceptron, which makes the same updates, and two of the mean."""
        T = run.n_presentations
        length = length_of(self.plane(run.state, T))
        mean_updates = run.n_updates - run.scalar(_DELAYS) / T
        square = float(run.updated @ reference.space.squared_norms) - run.scalar(_DELAYED_SQUARES) / T
        lost = run.n_updates * sys.float_info.min  # the most that squares lose by underflow
        yield from Perceptron.checks(self, run, reference)
        yield Check(quotient(length, mean_updates), where(reference.is_separable, reference.margin))
        yield Check(length, math.sqrt(max(square, 0.0) + lost))
