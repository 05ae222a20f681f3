"""Online gradient descent on the hinge loss with a constant step."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_above
from maxmargin.solvers.online.guarantee import Guarantee, at_most
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import State, Step

if TYPE_CHECKING:
    from maxmargin.solvers.online.reference import Reference

Floats = NDArray[np.float64]


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

    name: ClassVar[str] = "ogd"
    summary: ClassVar[str] = "online gradient descent on the hinge loss"
    reference: ClassVar[str] = "Zinkevich 2003"
    theorems: ClassVar[tuple[str, ...]] = (
        "sum of loss(w_t) <= sum of loss(u) + ||u||^2/(2 eta) + eta/2 sum over the updates of ||x||^2, for every u",
    )
    step: ClassVar[Step] = staticmethod(gradient_step)

    eta: float = 0.1

    def __post_init__(self) -> None:
        check_above("eta", self.eta)

    def start(self, space: Space) -> State:
        """Return w = 0."""
        return State(w=np.zeros(space.n_columns), scalars=np.zeros(2), parameters=np.array([float(self.eta)]))

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the regret; it holds for every u."""
        losses = float(run.presented @ reference.losses)
        regret = reference.square / (2 * self.eta) + self.eta / 2 * run.scalar(_SQUARED_GRADIENTS)
        return (
            at_most(
                "regret",
                "sum of loss(w_t) <= sum of loss(u) + ||u||^2/(2 eta) + eta/2 sum over the updates of ||x||^2, "
                "for every u",
                run.scalar(_LOSSES),
                losses + regret,
                "derived after Zinkevich 2003: the drop of ||w - u||^2",
            ),
        )
