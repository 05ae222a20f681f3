"""The delta rule: gradient descent on the squared error of w.x against the sign."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, number
from maxmargin.solvers.online.guarantee import Check, at_most, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import Floats, Presents

_ERROR, _INCREASE = 0, 1
"""Places of the scalars: squared error before the last step (of all steps for single rows), its greatest increase."""

_TINY = 1e-9
"""Increase of the squared error, relative to the first one, that rounding may cause."""


def batch_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add eta times the sum of (y - w.x) x over all rows; the parameter is eta, the table room for the gradient."""
    n = w.shape[0]
    error = 0.0
    table[0, :] = 0.0
    for i in range(X.shape[0]):
        residual = y[i]
        for j in range(n):
            residual -= X[i, j] * w[j]
        error += residual * residual / 2.0
        for j in range(n):
            table[0, j] += residual * X[i, j]
    if t > 1:
        scalars[1] = max(scalars[1], error - scalars[0])
    scalars[0] = error
    is_moved = 0
    for j in range(n):
        before = w[j]
        w[j] += parameters[0] * table[0, j]
        is_moved |= int(w[j] != before)
    return is_moved


def single_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add eta (y - w.x) x of one row; the parameter is eta."""
    residual = y[row] - score
    if residual == 0.0:
        return 0
    scalars[0] += residual * residual
    for j in range(w.shape[0]):
        w[j] += parameters[0] * residual * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaRule(Algorithm):
    """Batch gradient descent on E(w) = 1/2 sum (y - w.x)^2: w += eta sum (y - w.x) x, once an epoch.

    Its limit is the least-squares fit, which need not separate separable data.

    Attributes
    ----------
    eta : float, optional
        Positive; by default 1/sum ||x||^2, which is below 2/lambda_max(X'X).

    Notes
    -----
    E changes by -eta ||G||^2 + eta^2/2 G'X'X G with the gradient G, so it never grows for eta <= 2/lambda_max(X'X).
    """

    name = "delta-rule"
    summary = "batch gradient descent on the squared error"
    reference = "Widrow and Hoff 1960"
    theorems = (
        at_most(
            "descent",
            "the squared error never grows (relative to the first one: increase <= 1e-9), eta <= 2/lambda_max(X'X)",
            "derived: the change is -eta ||G||^2 + eta^2/2 G'X'X G",
        ),
    )
    step = staticmethod(batch_step)
    presents = Presents.ALL_ROWS

    eta: float | None = number(None, 0.0)

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return eta."""
        return (1 / (float(space.squared_norms.sum()) or 1.0) if self.eta is None else self.eta,)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield that the squared error never grew, where eta is small enough."""
        curvature = float(np.linalg.norm(run.space.X, ord=2)) ** 2
        is_small = float(run.state.parameters[0]) * curvature <= 2
        yield Check(run.scalar(_INCREASE) / (run.space.n_samples / 2), where(is_small, _TINY))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaRuleSgd(Algorithm):
    """The delta rule one row at a time (least mean squares): w += eta (y - w.x) x.

    Attributes
    ----------
    eta : float, optional
        Positive; by default 1/R^2.

    Notes
    -----
    With e = y - w.x and e(u) = y - u.x, ||w - u||^2 changes by -2 eta e^2 + 2 eta e e(u) + eta^2 e^2 ||x||^2, and
    2 e e(u) <= k e^2 + e(u)^2/k; take k = (2 - eta R^2)/2.
    """

    name = "delta-rule-sgd"
    summary = "stochastic gradient descent on the squared error"
    reference = "Widrow and Hoff 1960"
    theorems = (
        at_most(
            "squared-errors",
            "sum (y - w_t.x)^2 <= ||u||^2/(eta k) + sum (y - u.x)^2/k^2 for every u, k = 1 - eta R^2/2 > 0",
            "derived after Cesa-Bianchi, Long and Warmuth 1996",
        ),
    )
    step = staticmethod(single_step)

    eta: float | None = number(None, 0.0)

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return eta."""
        return (1 / (float(space.squared_norms.max()) or 1.0) if self.eta is None else self.eta,)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the squared errors on the way, against the least-squares fit."""
        rate, space = float(run.state.parameters[0]), run.space
        k = (2 - rate * float(space.squared_norms.max())) / 2
        u = np.linalg.lstsq(space.X, space.y)[0]
        errors = float(run.presented @ (space.y - space.X @ u) ** 2)
        yield Check(run.scalar(_ERROR), float(u @ u) / (rate * k) + errors / k**2 if k > 0 else None)
