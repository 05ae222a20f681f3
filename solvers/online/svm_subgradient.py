"""Subgradient descent on the soft-margin SVM through the origin of the run's space: all rows at once, or Pegasos."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, number
from maxmargin.solvers.online.guarantee import Check, at_most
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.state import Floats, Presents

_OBJECTIVES, _GREATEST_SQUARE = 0, 1
"""Places of the scalars: sum of f_t(w_t), and the greatest squared norm of a subgradient."""


def pegasos_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Take the step 1/(lambda t) along lambda w - [y w.x < 1] y x of one row; the parameter is lambda."""
    loss = max(0.0, 1.0 - y[row] * score)
    length, square = 0.0, 0.0
    for j in range(w.shape[0]):
        slope = parameters[0] * w[j]
        length += w[j] * w[j]
        if loss > 0.0:
            slope -= y[row] * X[row, j]
        square += slope * slope
        w[j] -= slope / (parameters[0] * t)
    scalars[0] += parameters[0] / 2.0 * length + loss
    scalars[1] = max(scalars[1], square)
    return 1


def subgradient_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Take the step 1/(lambda t) along the subgradient lambda w - mean of [y w.x < 1] y x; the table is room for it."""
    n, share = w.shape[0], 1.0 / X.shape[0]
    objective, square = 0.0, 0.0
    for j in range(n):
        table[0, j] = parameters[0] * w[j]
        objective += parameters[0] / 2.0 * w[j] * w[j]
    for i in range(X.shape[0]):
        loss = 1.0
        for j in range(n):
            loss -= y[i] * X[i, j] * w[j]
        if loss > 0.0:
            objective += share * loss
            for j in range(n):
                table[0, j] -= share * y[i] * X[i, j]
    for j in range(n):
        square += table[0, j] * table[0, j]
        w[j] -= table[0, j] / (parameters[0] * t)
    scalars[0] += objective
    scalars[1] = max(scalars[1], square)
    return 1


def _regret(run: OnlineRun, reference: Reference, lambda_: float, presented: Floats) -> Check:
    """Compare with the u of the proven soft margin at C = 1/(lambda n).

    With the subgradient s_t, f_t(w) - f_t(u) <= s_t.(w - u) - lambda/2 ||w - u||^2, and the step makes
    s_t.(w - u) = lambda t/2 (||w - u||^2 - ||w' - u||^2) + ||s_t||^2/(2 lambda t). Added up, the squared distances
    leave lambda/2 sum ||w - u||^2 at most, which cancels, and sum 1/t <= 1 + ln T.
    """
    T, space = run.n_presentations, reference.space
    u = reference.soft(1 / (lambda_ * space.n_samples)).w
    losses = float(presented @ np.maximum(0.0, 1.0 - space.y * (space.X @ u)))
    mean = losses / T + lambda_ / 2 * float(u @ u)
    regret = (run.scalar(_OBJECTIVES) - losses) / T - lambda_ / 2 * float(u @ u)
    return Check(regret, run.scalar(_GREATEST_SQUARE) * (1 + math.log(T)) / (2 * lambda_ * T), size=mean)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SoftMarginDescent(Algorithm):
    """Descent on the soft-margin objective with steps 1/(lambda t).

    Attributes
    ----------
    lambda_ : float
        Positive; the soft margin's C is 1/(lambda n).
    """

    theorems = (
        at_most(
            "regret",
            "mean of f_t(w_t) - mean of f_t(u) <= G^2 (1 + ln T)/(2 lambda T), with the greatest subgradient G of T "
            "steps, for the u of the soft margin at C = 1/(lambda n); over whole epochs f(u) is the optimum",
            "derived after Shalev-Shwartz, Singer and Srebro 2007",
        ),
    )

    lambda_: float = number(0.1, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubgradientSvm(_SoftMarginDescent):
    """Subgradient descent on f(w) = lambda/2 ||w||^2 + mean max(0, 1 - y w.x), with steps 1/(lambda t), once an epoch.

    Its parameter is ``lambda_``. w holds the weight of the constant coordinate too: the bias is penalised, which
    `maxmargin.soft_margin` does not do.
    """

    name = "subgradient-svm"
    summary = "subgradient descent on the soft-margin objective, all rows at once"
    reference = "Shor 1985; Shalev-Shwartz, Singer and Srebro 2007"
    step = staticmethod(subgradient_step)
    presents = Presents.ALL_ROWS

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mean objective above the optimum."""
        shares = np.full(run.space.n_samples, run.n_presentations / run.space.n_samples)
        yield _regret(run, reference, self.lambda_, shares)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pegasos(_SoftMarginDescent):
    """Subgradient descent on f_t(w) = lambda/2 ||w||^2 + max(0, 1 - y w.x) of one row, with steps 1/(lambda t).

    Its parameter is ``lambda_``. As in `SubgradientSvm` the bias is penalised.
    """

    name = "pegasos"
    summary = "stochastic subgradient descent on the soft-margin objective"
    reference = "Shalev-Shwartz, Singer and Srebro 2007"
    step = staticmethod(pegasos_step)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mean objective above the optimum."""
        yield _regret(run, reference, self.lambda_, run.presented.astype(np.float64))
