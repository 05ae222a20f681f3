"""Subgradient descent on the soft-margin SVM through the origin of the run's space: all rows at once, or Pegasos."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_above
from maxmargin.solvers.online.guarantee import Guarantee, at_most
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import Presents, State, Step

if TYPE_CHECKING:
    from maxmargin.solvers.online.reference import Reference

Floats = NDArray[np.float64]


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


def _regret(run: OnlineRun, reference: "Reference", lambda_: float, presented: Floats) -> Guarantee:
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
    return at_most(
        "regret",
        "mean of f_t(w_t) - mean of f_t(u) <= G^2 (1 + ln T)/(2 lambda T), with the greatest subgradient G of T steps, "
        "for the u of the soft margin at C = 1/(lambda n); over whole epochs f(u) is the optimum",
        regret,
        run.scalar(_GREATEST_SQUARE) * (1 + math.log(T)) / (2 * lambda_ * T),
        "derived after Shalev-Shwartz, Singer and Srebro 2007",
        size=mean,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SoftMarginDescent(Algorithm):
    """Descent on the soft-margin objective with steps 1/(lambda t).

    Attributes
    ----------
    lambda_ : float
        Positive; the soft margin's C is 1/(lambda n).
    """

    theorems: ClassVar[tuple[str, ...]] = (
        "mean of f_t(w_t) - mean of f_t(u) <= G^2 (1 + ln T)/(2 lambda T), with the greatest subgradient G of T "
        "steps, for the u of the soft margin at C = 1/(lambda n); over whole epochs f(u) is the optimum",
    )

    lambda_: float = 0.1

    def __post_init__(self) -> None:
        check_above("lambda_", self.lambda_)

    def start(self, space: Space) -> State:
        """Return w = 0."""
        n = space.n_columns
        parameters = np.array([float(self.lambda_)])
        return State(w=np.zeros(n), table=np.zeros((1, n)), scalars=np.zeros(2), parameters=parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubgradientSvm(_SoftMarginDescent):
    """Subgradient descent on f(w) = lambda/2 ||w||^2 + mean max(0, 1 - y w.x), with steps 1/(lambda t), once an epoch.

    Its parameter is ``lambda_``. w holds the weight of the constant coordinate too: the bias is penalised, which
    `maxmargin.soft_margin` does not do.
    """

    name: ClassVar[str] = "subgradient-svm"
    summary: ClassVar[str] = "subgradient descent on the soft-margin objective, all rows at once"
    reference: ClassVar[str] = "Shor 1985; Shalev-Shwartz, Singer and Srebro 2007"
    step: ClassVar[Step] = staticmethod(subgradient_step)
    presents: ClassVar[Presents] = Presents.ALL_ROWS

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the mean objective above the optimum."""
        shares = np.full(run.space.n_samples, run.n_presentations / run.space.n_samples)
        return (_regret(run, reference, self.lambda_, shares),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pegasos(_SoftMarginDescent):
    """Subgradient descent on f_t(w) = lambda/2 ||w||^2 + max(0, 1 - y w.x) of one row, with steps 1/(lambda t).

    Its parameter is ``lambda_``. As in `SubgradientSvm` the bias is penalised.
    """

    name: ClassVar[str] = "pegasos"
    summary: ClassVar[str] = "stochastic subgradient descent on the soft-margin objective"
    reference: ClassVar[str] = "Shalev-Shwartz, Singer and Srebro 2007"
    step: ClassVar[Step] = staticmethod(pegasos_step)

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the mean objective above that of the optimum."""
        return (_regret(run, reference, self.lambda_, run.presented.astype(np.float64)),)
