"""The delta rule: gradient descent on the squared error of w.x against the sign."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_above
from maxmargin.solvers.online.guarantee import Guarantee, at_most, where
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import Presents, State, Step

if TYPE_CHECKING:
    from maxmargin.solvers.online.reference import Reference

Floats = NDArray[np.float64]


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

    name: ClassVar[str] = "delta-rule"
    summary: ClassVar[str] = "batch gradient descent on the squared error"
    reference: ClassVar[str] = "Widrow and Hoff 1960"
    theorems: ClassVar[tuple[str, ...]] = (
        "the squared error never grows (relative to the first one: increase <= 1e-9), eta <= 2/lambda_max(X'X)",
    )
    step: ClassVar[Step] = staticmethod(batch_step)
    presents: ClassVar[Presents] = Presents.ALL_ROWS

    eta: float | None = None

    def __post_init__(self) -> None:
        if self.eta is not None:
            check_above("eta", self.eta)

    def start(self, space: Space) -> State:
        """Return w = 0."""
        n = space.n_columns
        parameters = np.array([self._rate(space)])
        return State(w=np.zeros(n), table=np.zeros((1, n)), scalars=np.zeros(2), parameters=parameters)

    def _rate(self, space: Space) -> float:
        return 1 / (float(space.squared_norms.sum()) or 1.0) if self.eta is None else float(self.eta)

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return that the squared error never grew, where eta is small enough."""
        curvature = float(np.linalg.norm(run.space.X, ord=2)) ** 2
        return (
            at_most(
                "descent",
                "the squared error never grows (relative to the first one: increase <= 1e-9), eta <= 2/lambda_max(X'X)",
                run.scalar(_INCREASE) / (run.space.n_samples / 2),
                where(self._rate(run.space) * curvature <= 2, _TINY),
                "derived: the change is -eta ||G||^2 + eta^2/2 G'X'X G",
            ),
        )


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

    name: ClassVar[str] = "delta-rule-sgd"
    summary: ClassVar[str] = "stochastic gradient descent on the squared error"
    reference: ClassVar[str] = "Widrow and Hoff 1960"
    theorems: ClassVar[tuple[str, ...]] = (
        "sum (y - w_t.x)^2 <= ||u||^2/(eta k) + sum (y - u.x)^2/k^2 for every u, k = 1 - eta R^2/2 > 0",
    )
    step: ClassVar[Step] = staticmethod(single_step)

    eta: float | None = None

    def __post_init__(self) -> None:
        if self.eta is not None:
            check_above("eta", self.eta)

    def start(self, space: Space) -> State:
        """Return w = 0."""
        parameters = np.array([self._rate(space)])
        return State(w=np.zeros(space.n_columns), scalars=np.zeros(1), parameters=parameters)

    def _rate(self, space: Space) -> float:
        return 1 / (float(space.squared_norms.max()) or 1.0) if self.eta is None else float(self.eta)

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the squared errors on the way, against the least-squares fit."""
        rate, space = self._rate(run.space), run.space
        k = (2 - rate * float(space.squared_norms.max())) / 2
        u = np.linalg.lstsq(space.X, space.y)[0]
        errors = float(run.presented @ (space.y - space.X @ u) ** 2)
        return (
            at_most(
                "squared-errors",
                "sum (y - w_t.x)^2 <= ||u||^2/(eta k) + sum (y - u.x)^2/k^2 for every u, k = 1 - eta R^2/2 > 0",
                run.scalar(_ERROR),
                where(k > 0, float(u @ u) / (rate * k) + errors / k**2 if k > 0 else 0.0),
                "derived after Cesa-Bianchi, Long and Warmuth 1996",
            ),
        )
