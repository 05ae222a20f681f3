"""Rosenblatt's perceptron, as a member of the family."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun
from maxmargin.solvers.online.guarantee import Check, Theorem, at_least, at_most, length_of, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.shared_guarantees import NOVIKOFF, check_novikoff
from maxmargin.solvers.online.state import Floats


def perceptron_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x to w on a mistake."""
    if y[row] * score > 0.0:
        return 0
    for j in range(w.shape[0]):
        w[j] += y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceptron(Algorithm):
    """w += y x where y w.x <= 0, until an epoch without a mistake.

    Notes
    -----
    For u of norm 1 with margin g: M g <= w.u <= ||w|| <= sqrt(sum ||x||^2), because no update has y w.x > 0. So
    ||w||/M >= g, and M <= sqrt(sum ||x||^2)/g <= R sqrt(M)/g.
    """

    name = "perceptron"
    summary = "add y x on a mistake"
    reference = "Rosenblatt 1958"
    theorems: ClassVar[tuple[Theorem, ...]] = (
        NOVIKOFF,
        at_most(
            "sum-of-squares",
            "updates <= sqrt(sum over the updates of ||x||^2)/g, strictly separable with margin g",
            "derived: M g <= w.u <= ||w||",
        ),
        at_least(
            "self-certificate",
            "||w||/M >= g, strictly separable with margin g",
            "derived: w/M is a convex combination of the y x",
        ),
    )
    step = staticmethod(perceptron_step)
    is_scale_free = True

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield Novikoff's bound, a sharper one, and the upper bound of the margin that the run proves."""
        length = math.sqrt(float(run.updated @ reference.space.squared_norms))
        yield check_novikoff(run, reference)
        yield Check(run.n_updates, where(reference.is_separable, quotient(length, reference.margin)))
        yield Check(quotient(length_of(run.state.w), run.n_updates), where(reference.is_separable, reference.margin))
