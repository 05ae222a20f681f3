"""AdaTron: coordinate ascent on the dual of the maximum margin through the origin."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, parameter
from maxmargin.solvers.online.guarantee import Check, at_least, at_most, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState
from maxmargin.solvers.proof.hulls import proven_upper

# Places of the scalars: the dual objective, and the least gain of an update relative to the sum of its parts.
_DUAL, _LEAST_GAIN = 0, 1


def adatron_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Set alpha of the row, kept in the table, to max(0, alpha + rate (1 - y w.x)/||x||^2), and w along with it."""
    square = 0.0
    for j in range(w.shape[0]):
        square += X[row, j] * X[row, j]
    if square == 0.0:
        return 1
    slope = 1.0 - y[row] * score
    change = max(-table[0, row], parameters[0] * slope / square)
    if change == 0.0:
        return 0
    table[0, row] += change
    for j in range(w.shape[0]):
        w[j] += change * y[row] * X[row, j]
    gain, loss = change * slope, change * square / 2.0 * change  # the square of a small change may vanish
    scalars[0] += gain - loss
    scalars[1] = min(scalars[1], (gain - loss) / (abs(gain) + loss))
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaTron(Algorithm):
    """Maximise sum alpha - 1/2 ||w||^2 over alpha >= 0, w = sum alpha y x, one alpha at a time.

    Attributes
    ----------
    rate : float
        Above 0 and below 2: the step relative to that to the maximum of the row.
    tolerance : float
        Above 0 and below 1: the run ends when the least margin of w is (1 - tolerance) ||w||/sum alpha.

    Notes
    -----
    A change c of alpha adds c (1 - y w.x) - c^2 ||x||^2/2 >= 0 to the dual objective for rates up to 2. That is at
    most 1/(2 g^2) (weak duality), and g is between the least margin of w and ||w||/sum alpha, because w/sum alpha is a
    convex combination of the y x.
    """

    name = "adatron"
    summary = "coordinate ascent on the dual of the maximum margin"
    reference = "Anlauf and Biehl 1989; Friess, Cristianini and Campbell 1998"
    theorems = (
        at_least(
            "ascent",
            "every update raises sum alpha - ||w||^2/2: its relative gain >= 0",
            "derived: the gain is c (1 - y w.x) - c^2 ||x||^2/2",
        ),
        at_most(
            "weak-duality",
            "sum alpha - ||w||^2/2 <= 1/(2 g^2), strictly separable with margin g",
            "derived: weak duality",
        ),
        at_least(
            "upper-bound",
            "||w||/sum alpha >= g, strictly separable with margin g",
            "derived: w/sum alpha is a convex combination of the y x",
        ),
    )
    step = staticmethod(adatron_step)
    needs_all_rows = True

    rate: float = parameter(1.0, 0.0, 2.0)
    tolerance: float = parameter(1e-3, 0.0, 1.0)

    def start(self, space: Space) -> LearnerState:
        """Return alpha = 0."""
        table, scalars = np.zeros((1, space.n_samples)), np.array([0.0, math.inf])
        return Algorithm.start(self, space)._replace(table=table, scalars=scalars)

    def is_finished(self, space: Space, state: LearnerState, n_updates: int, is_clean: bool) -> bool:
        """Return whether the interval of the margin is narrow, in floating point."""
        least = float((space.y * (space.X @ state.w)).min())
        return is_clean or least * float(state.table.sum()) >= (1 - self.tolerance) * float(state.w @ state.w) > 0

    def extras(self, run: OnlineRun) -> dict[str, Any]:
        """Return alpha and the proven upper bound of the maximum margin of the run's space that it gives."""
        alpha = run.state.table[0]
        upper = math.ldexp(proven_upper(run.space.problem, alpha), run.space.exponent)
        return {"alpha": alpha, "margin_upper": upper, "dual_objective": run.scalar(_DUAL)}

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield that the dual objective grew, weak duality, and the interval of the margin."""
        yield Check(run.scalar(_LEAST_GAIN), 0.0)
        yield Check(run.scalar(_DUAL), where(reference.is_separable, quotient(0.5, reference.margin**2)))
        yield Check(run.extras["margin_upper"], where(reference.is_separable, reference.margin))
