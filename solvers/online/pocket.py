"""The pocket algorithm with ratchet."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun
from maxmargin.solvers.online.guarantee import Check, at_most
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import Floats, State
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.proof.margins import n_errors

_KEPT = 64
"""Number of the last pockets whose errors are counted again in exact arithmetic after the run."""

_N_POCKETS = 3
"""Place of the scalar: how often the pocket was changed."""


def pocket_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """On a mistake add y x; else pocket w if its run of correct answers is the longest and it makes fewer errors.

    The scalars are the present run, the longest, the errors of the pocket, the number of changes k of the pocket, which
    is row k modulo the length of the table, and the errors of w, -1 before they are counted.
    """
    n = w.shape[0]
    if y[row] * score <= 0.0:
        for j in range(n):
            w[j] += y[row] * X[row, j]
        scalars[0] = 0.0
        scalars[4] = -1.0
        return 1
    scalars[0] += 1.0
    if scalars[0] <= scalars[1]:
        return 0
    if scalars[4] < 0.0:
        scalars[4] = 0.0
        for i in range(X.shape[0]):
            total = 0.0
            for j in range(n):
                total += X[i, j] * w[j]
            scalars[4] += y[i] * total <= 0.0
    if scalars[4] < scalars[2]:
        scalars[1] = scalars[0]
        scalars[2] = scalars[4]
        scalars[3] += 1.0
        position = int(scalars[3]) % table.shape[0]
        for j in range(n):
            table[position, j] = w[j]
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pocket(Algorithm):
    """The perceptron in random order, ending on the best of its weights: these are in the pocket.

    w is pocketed when it has answered more rows in a row correctly than any w in the pocket before, and makes fewer
    errors on all rows than the w that is there (the ratchet). The run ends when all rows are right, or at a limit.
    """

    name = "pocket"
    summary = "the perceptron's best weights, kept by a ratchet"
    reference = "Gallant 1990"
    theorems = (
        at_most("ratchet", "the greatest increase of the errors of the pocket, counted exactly, <= 0", "Gallant 1990"),
    )
    step = staticmethod(pocket_step)
    default_order = Order.RANDOM
    is_scale_free = True

    def start(self, space: Space) -> State:
        """Return w = 0 in hand and in the pocket, where it makes n errors."""
        table, scalars = np.zeros((_KEPT, space.n_columns)), np.array([0.0, 0.0, space.n_samples, 0.0, -1.0])
        return State(w=np.zeros(space.n_columns), table=table, scalars=scalars, parameters=np.zeros(0))

    def is_finished(self, space: Space, state: State, n_updates: int, is_clean: bool) -> bool:
        """Return whether the pocket makes no error."""
        return bool(state.scalars[2] == 0)

    def plane(self, state: State, n_presentations: int) -> Floats:
        """Return the pocket."""
        return np.asarray(state.table[int(state.scalars[_N_POCKETS]) % _KEPT])

    def extras(self, run: OnlineRun) -> dict[str, Any]:
        """Return how often the pocket was changed, and the exact errors of its last contents, one after another."""
        n_pockets = int(run.scalar(_N_POCKETS))
        last = range(max(0, n_pockets - _KEPT + 1), n_pockets + 1)
        errors = [n_errors(run.space.problem, run.state.table[k % _KEPT], 0.0) for k in last]
        return {"n_pockets": n_pockets, "pocket_errors": errors}

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield that the pocket only got better; on separable data the perceptron's bound does not apply to it."""
        errors = np.array(run.extras["pocket_errors"])
        yield Check(float(np.diff(errors).max(initial=-1)), 0.0)
