"""Perceptrons with the link function of the p-norm: additive in theta, and w is the gradient of 1/2 ||theta||_p^2."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import in_machine_code
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, parameter
from maxmargin.solvers.online.guarantee import Check, at_least, at_most, quotient, where
from maxmargin.solvers.online.reference import Reference, largest_norm, margin_in_norm
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState


@in_machine_code
def set_gradient(table: Floats, w: Floats, p: float, is_in_ball: bool) -> None:
    """Set w to the gradient of 1/2 ||theta||_p^2, after theta is shortened to the unit ball if it has to be in it.

    With m = max |theta_j| it is w_j = sign(theta_j) m (|theta_j|/m)^(p-1) / (||theta||_p/m)^(p-2).
    """
    size, total = 0.0, 0.0
    for j in range(w.shape[0]):
        size = max(size, abs(table[0, j]))
    if size == 0.0:
        w[:] = 0.0
        return
    for j in range(w.shape[0]):
        total += (abs(table[0, j]) / size) ** p
    shrink = max(1.0, size * total ** (1.0 / p)) if is_in_ball else 1.0
    factor = size / shrink / total ** ((p - 2.0) / p)
    for j in range(w.shape[0]):
        w[j] = math.copysign(factor * (abs(table[0, j]) / size) ** (p - 1.0), table[0, j])
        table[0, j] /= shrink


def p_norm_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """On a mistake add y x to theta, the first row of the table, and set w to the gradient."""
    if y[row] * score > 0.0:
        return 0
    for j in range(w.shape[0]):
        table[0, j] += y[row] * X[row, j]
    set_gradient(table, w, parameters[0], False)
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
    A mistake increases 1/2 ||theta||_p^2 by at most (p - 1)/2 ||x||_p^2, and theta.u by at least 1 if u has functional
    margin 1: M <= theta.u <= ||theta||_p ||u||_q <= sqrt(M (p - 1)) X_p ||u||_q, with 1/p + 1/q = 1. This holds for
    every such u, and the best one has ||u||_q = 1/g, where g is the greatest margin y u.x/||u||_q. The hyperplane of
    maximum margin in the 2-norm may have a smaller one: by a factor 1.17 for q = 8/7 on the bundled wine data.
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

    p: float = parameter(4.0, 2.0, ends="[")

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mistakes."""
        margin = reference.margin_in(self.p / (self.p - 1))
        ratio = quotient(largest_norm(reference.space.X, self.p), margin.lower)
        most = where(reference.is_separable, (self.p - 1) * ratio * ratio)
        yield Check(run.n_updates, most, note=margin.words)


# alpha B and C of the paper.
_THRESHOLD, _STEP = math.sqrt(8.0), math.sqrt(2.0)


def alma_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add eta_k y x to theta where y w.x is at most the threshold, and bring theta back into the ball of the p-norm.

    The parameters are p, and for k = 1 the threshold and the step; the scalar is k. theta is the first row of the
    table and w the gradient of 1/2 ||theta||_p^2, as in the p-norm perceptron.
    """
    root = np.sqrt(scalars[0])
    if y[row] * score > parameters[1] / root:
        return 0
    scalars[0] += 1.0
    for j in range(w.shape[0]):
        table[0, j] += parameters[2] / root * y[row] * X[row, j]
    set_gradient(table, w, parameters[0], True)
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Alma(Algorithm):
    """The approximate large margin algorithm: before update k, gamma_k = B sqrt(p - 1)/sqrt(k) in units of max ||x||_p.

    If y w.x <= (1 - alpha) gamma_k it makes a step of C/sqrt((p - 1) k) in these units, and keeps ||w||_q <= 1. Here
    B = sqrt(8)/alpha, C = sqrt(2) and 1/p + 1/q = 1.

    Attributes
    ----------
    alpha : float
        Above 0 and at most 1.
    p : float
        From 2.

    Notes
    -----
    The paper divides every x by its own norm. Its proof only needs ||x||_p <= 1, and dividing all rows by the same
    number does not change their margin. With A = 2 (1 - alpha) B C + C^2 = 8/alpha - 6, update k shrinks theta by at
    most the factor sqrt(1 + A/k). So after m updates theta.u is at least C g S_m/sqrt(p - 1), where
    S_m = (S_(m-1) + 1/sqrt(m))/sqrt(1 + A/m), and theta.u is at most 1. Since S_m^2 >= 4 (m - A - 2)/(A + 2)^2, the
    bound follows. It is below B^2 (p - 1)/g^2 - 1, so the threshold on halting is at least (1 - alpha) g.
    """

    name = "alma"
    summary = "approximate large margin algorithm in the p-norm"
    reference = "Gentile 2001"
    theorems = (
        at_most(
            "updates",
            "updates <= 2 (p - 1) (2/alpha - 1)^2 X_p^2/g^2 + 8/alpha - 4, strictly separable, "
            "g the best q-norm margin",
            "derived after Gentile 2001",
        ),
        at_least(
            "margin",
            "q-norm margin >= (1 - alpha) g, on halting on strictly separable data with best q-norm margin g",
            "derived after Gentile 2001",
        ),
    )
    step = staticmethod(alma_step)
    needs_all_rows = True
    is_scale_free = True

    alpha: float = parameter(0.5, 0.0, 1.0, ends="]")
    p: float = parameter(2.0, 2.0, ends="[")

    def start(self, space: Space) -> LearnerState:
        """Return w = 0 and k = 1."""
        return Algorithm.start(self, space)._replace(scalars=np.ones(1))

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return p, the threshold and the step of the first update."""
        root, size = math.sqrt(self.p - 1), largest_norm(space.X, self.p) or 1.0
        return self.p, (1 - self.alpha) * _THRESHOLD / self.alpha * root * size, _STEP / root / size

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the updates and the margin on halting, in the q-norm."""
        q = self.p / (self.p - 1)
        margin = reference.margin_in(q)
        most = self.most_updates(quotient(margin.lower, largest_norm(reference.space.X, self.p)))
        yield Check(run.n_updates, where(reference.is_separable, most), note=margin.words)
        is_proven = run.converged and reference.is_separable
        yield Check(margin_in_norm(run.space, run.state.w, q)[1], where(is_proven, (1 - self.alpha) * margin.lower))

    def most_updates(self, margin: float) -> float:
        """Return the bound for rows of p-norm at most 1."""
        ratio = quotient(2 / self.alpha - 1, margin)
        return 2 * (self.p - 1) * ratio * ratio + 8 / self.alpha - 4
