"""Balanced Winnow: multiplicative updates of two weights for every column, one of either sign."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, number
from maxmargin.solvers.online.guarantee import Check, at_most
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.state import Floats

_ROUNDING = 2.0**-50
"""Relative error of either term of the drop, with room."""


def balanced_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """On a mistake add eta y x to the logarithms, kept in the table, and set w to the difference of the two weights."""
    if y[row] * score > 0.0:
        return 0
    largest, total = 0.0, 0.0
    for j in range(w.shape[0]):
        table[0, j] += parameters[0] * y[row] * X[row, j]
        largest = max(largest, abs(table[0, j]))
    for j in range(w.shape[0]):
        plus, minus = math.exp(table[0, j] - largest), math.exp(-table[0, j] - largest)
        w[j] = plus - minus
        total += plus + minus
    for j in range(w.shape[0]):
        w[j] /= total
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancedWinnow(Algorithm):
    """w = (w+ - w-)/sum(w+ + w-) where a mistake multiplies w+ by exp(eta y x) and w- by exp(-eta y x).

    Attributes
    ----------
    eta : float
        The rate, positive, in inverse units of the rows.

    Notes
    -----
    For ||u||_1 = 1 with margin g the relative entropy of u to the 2D weights, ln(2D) at most at first, drops at a
    mistake by eta y u.x - ln(sum of weights times exp(+-eta y x)) >= eta g - eta y w.x - eta^2 X^2/2 (Hoeffding),
    where X = max |x_j| and y w.x <= 0.
    """

    name = "balanced-winnow"
    summary = "multiplicative updates of two weights a column"
    reference = "Littlestone 1989; Kivinen and Warmuth 1997"
    theorems = (
        at_most(
            "mistakes",
            "updates <= ln(2D)/(eta g - eta^2 X^2/2), strictly separable, g the best 1-norm margin, eta < 2 g/X^2",
            "derived after Littlestone 1989: the drop of the relative entropy to u",
        ),
    )
    step = staticmethod(balanced_step)

    eta: float = number(0.1, 0.0)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mistakes, where eta is small enough for it."""
        margin = reference.margin_in(1.0)
        gain, loss = self.eta * margin.lower, (self.eta * float(np.abs(reference.space.X).max())) ** 2 / 2
        drop = gain - loss - _ROUNDING * (gain + loss) if reference.is_separable else 0.0
        most = math.log(2 * reference.space.n_columns) / drop if drop > 0 else None
        yield Check(run.n_updates, most, note=margin.words)
