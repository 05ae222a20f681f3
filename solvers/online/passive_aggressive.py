"""Passive-aggressive algorithms: as small a step as gives the row the functional margin 1, or part of the way."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_above
from maxmargin.solvers.online.guarantee import Guarantee, at_most, where
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import State, Step

if TYPE_CHECKING:
    from maxmargin.solvers.online.reference import Reference

Floats = NDArray[np.float64]


_LOSSES, _SQUARED_LOSSES = 0, 1
"""Places of the scalars: sums over all presentations of the hinge loss before the step, and of its square."""


def passive_aggressive_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add tau y x with tau = min(cap, loss / (||x||^2 + diagonal)); the parameters are the cap and the diagonal."""
    loss = 1.0 - y[row] * score
    if loss <= 0.0:
        return 0
    scalars[0] += loss
    scalars[1] += loss * loss
    square = parameters[1]
    for j in range(w.shape[0]):
        square += X[row, j] * X[row, j]
    if square > 0.0:
        tau = min(parameters[0], loss / square)
        for j in range(w.shape[0]):
            w[j] += tau * y[row] * X[row, j]
    return 1


def _start(space: Space, cap: float, diagonal: float) -> State:
    return State(w=np.zeros(space.n_columns), scalars=np.zeros(2), parameters=np.array([cap, diagonal]))


@dataclass(frozen=True, slots=True, kw_only=True)
class PassiveAggressive(Algorithm):
    """min ||w - w_t||^2 subject to y w.x >= 1: tau = loss/||x||^2.

    Notes
    -----
    With margin 1 of u an update takes ||w - u||^2 down by loss^2/||x||^2 at least, so sum loss^2 <= R^2 ||u||^2, and
    u = w*/g has ||u|| = 1/g.
    """

    name: ClassVar[str] = "pa"
    summary: ClassVar[str] = "the smallest step to functional margin 1"
    reference: ClassVar[str] = "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006"
    theorems: ClassVar[tuple[str, ...]] = (
        "sum of loss^2 <= R^2/g^2, strictly separable with margin g; mistakes are at most as many",
    )
    step: ClassVar[Step] = staticmethod(passive_aggressive_step)
    is_scale_free: ClassVar[bool] = True

    def start(self, space: Space) -> State:
        """Return w = 0."""
        return _start(space, math.inf, 0.0)

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the squared losses."""
        return (
            at_most(
                "squared-losses",
                "sum of loss^2 <= R^2/g^2, strictly separable with margin g; mistakes are at most as many",
                run.scalar(_SQUARED_LOSSES),
                where(reference.is_separable, reference.novikoff),
                "derived after Crammer et al. 2006: the drop of ||w - u||^2",
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PassiveAggressiveI(Algorithm):
    """min 1/2 ||w - w_t||^2 + C xi subject to y w.x >= 1 - xi, xi >= 0: tau = min(C, loss/||x||^2).

    Attributes
    ----------
    C : float
        The greatest step, positive.

    Notes
    -----
    An update takes ||w - u||^2 down by 2 tau (y u.x - y w.x) - tau^2 ||x||^2 >= tau (2 loss - tau ||x||^2 - 2 loss(u)),
    where tau ||x||^2 <= loss and tau <= C. So sum tau loss <= ||u||^2 + 2 C sum loss(u), and on a mistake, where
    loss >= 1, tau loss >= min(C, 1/R^2).
    """

    name: ClassVar[str] = "pa-1"
    summary: ClassVar[str] = "the smallest step to functional margin 1, of tau = C at most"
    reference: ClassVar[str] = "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006"
    theorems: ClassVar[tuple[str, ...]] = ("mistakes <= max(R^2, 1/C) (||u||^2 + 2 C sum of loss(u)), for every u",)
    step: ClassVar[Step] = staticmethod(passive_aggressive_step)

    C: float = 1.0

    def __post_init__(self) -> None:
        check_above("C", self.C)

    def start(self, space: Space) -> State:
        """Return w = 0."""
        return _start(space, self.C, 0.0)

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the mistakes; it holds for every u."""
        losses = float(run.presented @ reference.losses)
        return (
            at_most(
                "mistakes",
                "mistakes <= max(R^2, 1/C) (||u||^2 + 2 C sum of loss(u)), for every u",
                run.n_mistakes,
                max(reference.space.radius**2, 1 / self.C) * (reference.square + 2 * self.C * losses),
                "derived after Crammer et al. 2006: the drop of ||w - u||^2",
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PassiveAggressiveII(Algorithm):
    """min 1/2 ||w - w_t||^2 + C xi^2 subject to y w.x >= 1 - xi: tau = loss/(||x||^2 + 1/(2C)).

    Attributes
    ----------
    C : float
        Price of the squared slack, positive.

    Notes
    -----
    As for PA-I, ||u||^2 >= sum tau (2 loss - tau ||x||^2 - 2 loss(u)). With 2 tau loss(u) <= tau^2/(2C) + 2 C loss(u)^2
    and tau = loss/(||x||^2 + 1/(2C)) the rest is sum loss^2/(||x||^2 + 1/(2C)) - 2 C sum loss(u)^2.
    """

    name: ClassVar[str] = "pa-2"
    summary: ClassVar[str] = "a step towards functional margin 1, shorter for small C"
    reference: ClassVar[str] = "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006"
    theorems: ClassVar[tuple[str, ...]] = (
        "sum of loss^2 <= (R^2 + 1/(2C)) (||u||^2 + 2 C sum of loss(u)^2), for every u",
    )
    step: ClassVar[Step] = staticmethod(passive_aggressive_step)

    C: float = 1.0

    def __post_init__(self) -> None:
        check_above("C", self.C)

    def start(self, space: Space) -> State:
        """Return w = 0."""
        return _start(space, math.inf, 1 / (2 * self.C))

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the squared losses; it holds for every u."""
        squares = float(run.presented @ reference.losses**2)
        return (
            at_most(
                "squared-losses",
                "sum of loss^2 <= (R^2 + 1/(2C)) (||u||^2 + 2 C sum of loss(u)^2), for every u",
                run.scalar(_SQUARED_LOSSES),
                (reference.space.radius**2 + 1 / (2 * self.C)) * (reference.square + 2 * self.C * squares),
                "derived after Crammer et al. 2006: the drop of ||w - u||^2",
            ),
        )
