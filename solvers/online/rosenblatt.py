"""Rosenblatt's perceptron, as a member of the family."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun
from maxmargin.solvers.online.guarantee import Guarantee, at_least, at_most, length_of, quotient, where
from maxmargin.solvers.online.shared_guarantees import novikoff
from maxmargin.solvers.online.state import Step

if TYPE_CHECKING:
    from maxmargin.solvers.online.reference import Reference

Floats = NDArray[np.float64]


def perceptron_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x to w on a mistake."""
    if y[row] * score > 0.0:
        return 0
    for j in range(w.shape[0]):
        w[j] += y[row] * X[row, j]
    return 1


def perceptron_guarantees(run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
    """Return what holds for w = sum of y x over the mistakes.

    With u of norm 1 and margin g: M g <= w.u <= ||w|| <= sqrt(sum ||x||^2), because no update has y w.x > 0. So
    ||w||/M >= g, and M <= sqrt(sum ||x||^2)/g <= R sqrt(M)/g.
    """
    length = math.sqrt(float(run.updated @ reference.space.squared_norms))
    return (
        novikoff(run, reference),
        at_most(
            "sum-of-squares",
            "updates <= sqrt(sum over the updates of ||x||^2)/g, strictly separable with margin g",
            run.n_updates,
            where(reference.is_separable, quotient(length, reference.margin)),
            "derived: M g <= w.u <= ||w||",
        ),
        at_least(
            "self-certificate",
            "||w||/M >= g, strictly separable with margin g",
            quotient(length_of(run.state.w), run.n_updates),
            where(reference.is_separable, reference.margin),
            "derived: w/M is a convex combination of the y x",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceptron(Algorithm):
    """w += y x where y w.x <= 0, until an epoch without a mistake."""

    name: ClassVar[str] = "perceptron"
    summary: ClassVar[str] = "add y x on a mistake"
    reference: ClassVar[str] = "Rosenblatt 1958"
    theorems: ClassVar[tuple[str, ...]] = (
        "updates <= R^2/g^2, strictly separable with margin g",
        "updates <= sqrt(sum over the updates of ||x||^2)/g, strictly separable with margin g",
        "||w||/M >= g, strictly separable with margin g",
    )
    step: ClassVar[Step] = staticmethod(perceptron_step)
    is_scale_free: ClassVar[bool] = True

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return Novikoff's bound, a sharper one, and the upper bound of the margin that the run proves."""
        return perceptron_guarantees(run, reference)
