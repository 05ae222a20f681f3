"""Stochastic gradient descent on the perceptron's own loss max(0, -y w.x), and what its kink at 0 decides."""

from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, number
from maxmargin.solvers.online.guarantee import Check, Guarantee, at_most, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.state import Floats

_STAYS = at_most("stays", "updates <= 0: w = 0 is never left", "derived: y 0.x = 0")
"""The theorem for the subgradient 0 at the kink."""


def relu_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x where y w.x < 0, and the parameter times y x where it is 0."""
    margin = y[row] * score
    if margin > 0.0 or (margin == 0.0 and parameters[0] == 0.0):
        return 0
    share = 1.0 if margin < 0.0 else parameters[0]
    for j in range(w.shape[0]):
        w[j] += share * y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReluSgd(Algorithm):
    """Subgradient descent on max(0, -y w.x) from w = 0: w += y x where y w.x < 0, and at_zero y x at the kink.

    At the kink any share of -y x between 0 and 1 is a subgradient. With 1 this is the perceptron; with 0 it never
    leaves w = 0, where the loss has its minimum.

    Attributes
    ----------
    at_zero : float
        From 0 to 1.

    Notes
    -----
    With the sum K of the shares, at least at_zero times the updates: g K <= w.u <= ||w|| <= R sqrt(K).
    """

    name = "relu-sgd"
    summary = "subgradient descent on max(0, -y w.x)"
    reference = "derived: the perceptron as stochastic subgradient descent"
    theorems = (
        at_most(
            "updates",
            "updates <= R^2/(at_zero g^2), strictly separable with margin g",
            "derived: g K <= w.u <= ||w|| <= R sqrt(K) with the sum K of the shares",
        ),
    )
    step = staticmethod(relu_step)
    is_scale_free = True

    at_zero: float = number(1.0, 0.0, 1.0, ends="[]")

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the updates."""
        yield Check(run.n_updates, where(reference.is_separable, reference.novikoff / self.at_zero))

    def guarantees(self, run: OnlineRun, reference: Reference) -> tuple[Guarantee, ...]:
        """Return the bound of the updates: 0 with the subgradient 0 at the kink."""
        return (
            Algorithm.guarantees(self, run, reference) if self.at_zero else (_STAYS.judge(Check(run.n_updates, 0.0)),)
        )
