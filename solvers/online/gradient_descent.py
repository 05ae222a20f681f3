"""Online gradient descent on the hinge loss with a constant step."""

from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, number
from maxmargin.solvers.online.guarantee import Check, at_most
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.state import Floats

_LOSSES, _SQUARED_GRADIENTS = 0, 1
"""Places of the scalars: sums of the hinge loss before the step, and of ||x||^2 over the updates."""


def gradient_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add eta y x where y w.x < 1; the parameter is eta."""
    loss = 1.0 - y[row] * score
    if loss <= 0.0:
        return 0
    scalars[0] += loss
    for j in range(w.shape[0]):
        scalars[1] += X[row, j] * X[row, j]
        w[j] += parameters[0] * y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineGradientDescent(Algorithm):
    """w += eta y x where y w.x < 1.

    Attributes
    ----------
    eta : float
        The step, positive.

    Notes
    -----
    ||w - u||^2 changes at an update by 2 eta (y w.x - y u.x) + eta^2 ||x||^2, and y w.x - y u.x <= loss(u) - loss(w).
    """

    name = "ogd"
    summary = "online gradient descent on the hinge loss"
    reference = "Zinkevich 2003"
    theorems = (
        at_most(
            "regret",
            "sum of loss(w_t) <= sum of loss(u) + ||u||^2/(2 eta) + eta/2 sum over the updates of ||x||^2, for every u",
            "derived after Zinkevich 2003: the drop of ||w - u||^2",
        ),
    )
    step = staticmethod(gradient_step)

    eta: float = number(0.1, 0.0)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the regret; it holds for every u."""
        losses = float(run.presented @ reference.losses)
        regret = reference.square / (2 * self.eta) + self.eta / 2 * run.scalar(_SQUARED_GRADIENTS)
        yield Check(run.scalar(_LOSSES), losses + regret)
