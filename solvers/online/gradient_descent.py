"""Gradient descent on a loss: hinge, perceptron, squared error, and the objective of the soft margin."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, parameter
from maxmargin.solvers.online.guarantee import Check, Guarantee, at_most, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import Presents

# Places of the scalars: sums of the hinge loss before the step, and of ||x||^2 over the updates.
_LOSSES, _SQUARED_GRADIENTS = 0, 1


def gradient_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add eta y x where y w.x < 1; the parameter is eta."""
    loss = 1.0 - y[row] * score
    if loss <= 0.0:
        return 0
    scalars[0] += loss
    for j in range(w.shape[0]):
        scalars[1] += X[row, j] * X[row, j]
        w[j] += parameters[0] * y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineGradientDescent(Algorithm):
    """w += eta y x where y w.x < 1.

    Attributes
    ----------
    eta : float
        The step, positive.

    Notes
    -----
    ||w - u||^2 changes at an update by 2 eta (y w.x - y u.x) + eta^2 ||x||^2, and y w.x - y u.x <= loss(u) - loss(w).
    """

    name = "ogd"
    summary = "online gradient descent on the hinge loss"
    reference = "Zinkevich 2003"
    theorems = (
        at_most(
            "regret",
            "sum of loss(w_t) <= sum of loss(u) + ||u||^2/(2 eta) + eta/2 sum over the updates of ||x||^2, for every u",
            "derived after Zinkevich 2003: the drop of ||w - u||^2",
        ),
    )
    step = staticmethod(gradient_step)

    eta: float = parameter(0.1, 0.0)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the regret; it holds for every u."""
        losses = float(run.presented @ reference.losses)
        regret = reference.square / (2 * self.eta) + self.eta / 2 * run.scalar(_SQUARED_GRADIENTS)
        yield Check(run.scalar(_LOSSES), losses + regret)


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

    at_zero: float = parameter(1.0, 0.0, 1.0, ends="[]")

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the updates."""
        yield Check(run.n_updates, where(reference.is_separable, reference.novikoff / self.at_zero))

    def guarantees(self, run: OnlineRun, reference: Reference) -> tuple[Guarantee, ...]:
        """Return the bound of the updates: 0 with the subgradient 0 at the kink."""
        if self.at_zero:
            return Algorithm.guarantees(self, run, reference)
        stays = at_most("stays", "updates <= 0: w = 0 is never left", "derived: y 0.x = 0")
        return (stays.judge(Check(run.n_updates, 0.0)),)


# Places of the scalars: squared error before the last step (of all steps for single rows), its greatest increase.
_ERROR, _INCREASE = 0, 1

# Increase of the squared error, relative to the first one, that rounding may cause.
_TINY = 1e-9


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
    needs_all_rows = True
    presents = Presents.ALL_ROWS

    eta: float | None = parameter(None, 0.0)

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
    needs_all_rows = True

    eta: float | None = parameter(None, 0.0)

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


# Places of the scalars: sum of f_t(w_t), and the greatest squared norm of a subgradient.
_OBJECTIVES, _GREATEST_SQUARE = 0, 1


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

    lambda_: float = parameter(0.1, 0.0)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mean objective above the optimum, of the proven soft margin at C = 1/(lambda n).

        With the subgradient s_t, f_t(w) - f_t(u) <= s_t.(w - u) - lambda/2 ||w - u||^2, and the step makes
        s_t.(w - u) = lambda t/2 (||w - u||^2 - ||w' - u||^2) + ||s_t||^2/(2 lambda t). Added up, the squared distances
        leave lambda/2 sum ||w - u||^2 at most, which cancels, and sum 1/t <= 1 + ln T.
        """
        T, space = run.n_presentations, reference.space
        is_rowwise = self.presents is Presents.ROWS
        presented = run.presented.astype(np.float64) if is_rowwise else np.full(space.n_samples, T / space.n_samples)
        u = reference.soft(1 / (self.lambda_ * space.n_samples)).w
        losses = float(presented @ np.maximum(0.0, 1.0 - space.y * (space.X @ u)))
        penalty = self.lambda_ / 2 * float(u @ u)
        regret = (run.scalar(_OBJECTIVES) - losses) / T - penalty
        most = run.scalar(_GREATEST_SQUARE) * (1 + math.log(T)) / (2 * self.lambda_ * T)
        yield Check(regret, most, size=losses / T + penalty)


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
    needs_all_rows = True
    presents = Presents.ALL_ROWS


@dataclass(frozen=True, slots=True, kw_only=True)
class Pegasos(_SoftMarginDescent):
    """Subgradient descent on f_t(w) = lambda/2 ||w||^2 + max(0, 1 - y w.x) of one row, with steps 1/(lambda t).

    Its parameter is ``lambda_``. As in `SubgradientSvm` the bias is penalised.
    """

    name = "pegasos"
    summary = "stochastic subgradient descent on the soft-margin objective"
    reference = "Shalev-Shwartz, Singer and Srebro 2007"
    step = staticmethod(pegasos_step)
