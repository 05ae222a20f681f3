"""The p-norm perceptron: additive in the dual, between the perceptron at p = 2 and Winnow at large p."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, number
from maxmargin.solvers.online.guarantee import Check, at_most, quotient, where
from maxmargin.solvers.online.norm_margin import largest_norm
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.state import Floats


def p_norm_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """On a mistake add y x to theta, the first row of the table, and set w to the gradient of 1/2 ||theta||_p^2.

    With m = max |theta_j| it is w_j = sign(theta_j) m (|theta_j|/m)^(p-1) / (||theta||_p/m)^(p-2).
    """
    if y[row] * score > 0.0:
        return 0
    p, size, total = parameters[0], 0.0, 0.0
    for j in range(w.shape[0]):
        table[0, j] += y[row] * X[row, j]
        size = max(size, abs(table[0, j]))
    if size == 0.0:
        w[:] = 0.0
        return 1
    for j in range(w.shape[0]):
        total += (abs(table[0, j]) / size) ** p
    factor = size / total ** ((p - 2.0) / p)
    for j in range(w.shape[0]):
        w[j] = math.copysign(factor * (abs(table[0, j]) / size) ** (p - 1.0), table[0, j])
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PNormPerceptron(Algorithm):
    """theta += y x on a mistake, with w = grad 1/2 ||theta||_p^2.

    Attributes
    ----------
    p : float
        From 2, which is the perceptron; p = 2 ln d is close to Winnow.

    Notes
    -----
    1/2 ||theta||_p^2 grows at a mistake by (p - 1)/2 ||x||_p^2 at most, and theta.u by 1 at least where u has
    functional margin 1: M <= theta.u <= ||theta||_p ||u||_q <= sqrt(M (p - 1)) X_p ||u||_q, with 1/p + 1/q = 1. That
    holds for every such u, so ||u||_q = 1/g is best, g the greatest margin y u.x/||u||_q. It is not that of the plane
    of maximum margin in the 2-norm: for q = 8/7 that has 1.17 times less on the bundled wine data.
    """

    name = "p-norm"
    summary = "the perceptron with the link function of the p-norm"
    reference = "Grove, Littlestone and Schuurmans 2001; Gentile 2003"
    theorems = (
        at_most(
            "mistakes",
            "updates <= (p - 1) X_p^2/g^2, X_p = max ||x||_p, strictly separable with best q-norm margin g",
            "Grove, Littlestone and Schuurmans 2001; Gentile 2003",
        ),
    )
    step = staticmethod(p_norm_step)
    is_scale_free = True

    p: float = number(4.0, 2.0, ends="[")

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mistakes."""
        margin = reference.margin_in(self.p / (self.p - 1))
        ratio = quotient(largest_norm(reference.space.X, self.p), margin.lower)
        most = where(reference.is_separable, (self.p - 1) * ratio * ratio)
        yield Check(run.n_updates, most, note=margin.words)
