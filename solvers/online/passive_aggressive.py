"""Passive-aggressive algorithms: as small a step as gives the row the functional margin 1, or part of the way."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, parameter
from maxmargin.solvers.online.guarantee import Check, at_most, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space

# Places of the scalars: sums over all presentations of the hinge loss before the step, and of its square.
_LOSSES, _SQUARED_LOSSES = 0, 1


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


_CRAMMER = "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006"
_SOURCE = "derived after Crammer et al. 2006: the drop of ||w - u||^2"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassiveAggressive(Algorithm):
    """min ||w - w_t||^2 subject to y w.x >= 1: tau = loss/||x||^2.

    Notes
    -----
    With margin 1 of u an update takes ||w - u||^2 down by at least loss^2/||x||^2, so sum loss^2 <= R^2 ||u||^2, and
    u = w*/g has ||u|| = 1/g.
    """

    name = "pa"
    summary = "the smallest step to functional margin 1"
    reference = _CRAMMER
    theorems = (
        at_most(
            "squared-losses",
            "sum of loss^2 <= R^2/g^2, strictly separable with margin g; mistakes are at most as many",
            _SOURCE,
        ),
    )
    step = staticmethod(passive_aggressive_step)
    is_scale_free = True

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return the cap and the diagonal."""
        return math.inf, 0.0

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the squared losses."""
        yield Check(run.scalar(_SQUARED_LOSSES), where(reference.is_separable, reference.novikoff))


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

    name = "pa-1"
    summary = "the smallest step to functional margin 1, of tau = C at most"
    reference = _CRAMMER
    theorems = (at_most("mistakes", "mistakes <= max(R^2, 1/C) (||u||^2 + 2 C sum of loss(u)), for every u", _SOURCE),)
    step = staticmethod(passive_aggressive_step)

    C: float = parameter(1.0, 0.0)

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return the cap and the diagonal."""
        return self.C, 0.0

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mistakes; it holds for every u."""
        losses = float(run.presented @ reference.losses)
        largest = max(reference.space.radius**2, 1 / self.C)
        yield Check(run.n_mistakes, largest * (reference.square + 2 * self.C * losses))


@dataclass(frozen=True, slots=True, kw_only=True)
class PassiveAggressiveII(PassiveAggressiveI):
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

    name = "pa-2"
    summary = "a step towards functional margin 1, shorter for small C"
    theorems = (
        at_most(
            "squared-losses", "sum of loss^2 <= (R^2 + 1/(2C)) (||u||^2 + 2 C sum of loss(u)^2), for every u", _SOURCE
        ),
    )

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return the cap and the diagonal."""
        return math.inf, 1 / (2 * self.C)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the squared losses; it holds for every u."""
        squares = float(run.presented @ reference.losses**2)
        largest = reference.space.radius**2 + 1 / (2 * self.C)
        yield Check(run.scalar(_SQUARED_LOSSES), largest * (reference.square + 2 * self.C * squares))
