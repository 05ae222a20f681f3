"""Second-order algorithms: least squares on the rows updated on, with a matrix of D x D numbers."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, parameter
from maxmargin.solvers.online.guarantee import Check, at_most
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState

# Largest number of columns, the constant one included, for a full matrix: 32 MB, and four million products an update.
MOST_COLUMNS = 2001


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixAlgorithm(Algorithm):
    """An algorithm whose table holds a square matrix and, below it, a row of scratch space for a product with it."""

    def cost(self, space: Space) -> int:
        """Return the cost of an update."""
        return space.n_columns**2


def state_with_matrix(space: Space, diagonal: float, n_scalars: int, *parameters: float) -> LearnerState:
    """Return w = 0 and a multiple of the identity.

    Raises
    ------
    InvalidProblemError
        If there are more than `MOST_COLUMNS` columns.
    """
    n = space.n_columns
    if n > MOST_COLUMNS:
        raise InvalidProblemError(
            f"the rows have {n} columns; expected at most {MOST_COLUMNS} for a full covariance matrix"
        )
    table = diagonal * np.eye(n + 1, n)
    return LearnerState(w=np.zeros(n), table=table, scalars=np.zeros(n_scalars), parameters=np.array(parameters))


# Place of the scalar ln det(A/a).
_LOG_DETERMINANT = 0


def second_order_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add x x' to A and y x to v, with w = A^-1 v and the table A^-1, where y w.x is at most the parameter.

    The last row of the table is scratch space for A^-1 x. By the formula of Sherman and Morrison, w grows by
    A^-1 x (y - w.x)/(1 + x'A^-1 x).
    """
    if y[row] * score > parameters[0]:
        return 0
    n = w.shape[0]
    excess = 0.0
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += table[i, j] * X[row, j]
        table[n, i] = total
        excess += total * X[row, i]
    spread = 1.0 + excess
    for i in range(n):
        w[i] += table[n, i] * (y[row] - score) / spread
        for j in range(n):
            table[i, j] -= table[n, i] * table[n, j] / spread
    scalars[0] += math.log1p(excess) if excess > -1.0 else math.nan
    return 1


# Least a and r: 1 / 5e-324 is no float.
_LEAST = 2.0**-1022


def _condition(run: OnlineRun, a: float) -> float:
    """Return a bound of the condition number of A, by which its inverse magnifies rounding errors: trace(A)/a."""
    return run.space.n_columns + float(run.updated @ run.space.squared_norms) / a


def _check(run: OnlineRun, reference: Reference, a: float, n_others: int) -> Check:
    """Return the check of the updates, `n_others` of which were made without a mistake."""
    scores = reference.space.X @ reference.u
    losses, spread = float(run.updated @ reference.losses), float(run.updated @ scores**2)
    growth = run.scalar(_LOG_DETERMINANT) + n_others
    return Check(run.n_updates, losses + math.sqrt((a * reference.square + spread) * growth))


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOrderPerceptron(MatrixAlgorithm):
    """w = (a I + S S')^-1 v, where S holds the x of all mistakes and v is the sum of their y x.

    Attributes
    ----------
    a : float
        Positive, in squared units of the rows.

    Notes
    -----
    The published rule includes the present x in S when it predicts, which scales w.x by a positive number. Derived
    here: let A = a I + S S', and let s = x'A^-1 x and m = y w.x before an update. The update adds
    (s + 2m - m^2)/(1 + s) to v'A^-1 v, which is at most s/(1 + s) <= ln(1 + s) on a mistake, and multiplies det A by
    1 + s. Since 1 <= loss(u) + y u.x, there are at most sum loss(u) + v.u updates, and
    v.u <= sqrt(u'Au) sqrt(v'A^-1 v).
    """

    name = "second-order"
    summary = "the perceptron in coordinates whitened by its mistakes"
    reference = "Cesa-Bianchi, Conconi and Gentile 2005"
    theorems = (
        at_most(
            "mistakes",
            "updates <= sum loss(u) + sqrt((a ||u||^2 + sum (u.x)^2) ln det(A/a)), sums over the updates, for every u",
            "derived after Cesa-Bianchi, Conconi and Gentile 2005",
        ),
    )
    step = staticmethod(second_order_step)

    a: float = parameter(1.0, _LEAST, ends="[")

    def start(self, space: Space) -> LearnerState:
        """Return w = 0 and A = a I."""
        return state_with_matrix(space, 1 / self.a, 1, 0.0)

    def amplification(self, run: OnlineRun) -> float:
        """Return a bound of the condition number of A."""
        return _condition(run, self.a)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mistakes; it holds for every u."""
        yield _check(run, reference, self.a, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arow(MatrixAlgorithm):
    """Adaptive regularisation of weights: w minimises r ||w||^2 + sum of (y - w.x)^2 over the rows with y w.x < 1.

    Attributes
    ----------
    r : float
        Positive, in squared units of the rows.

    Notes
    -----
    The published covariance Sigma is r A^-1, so w follows the rule of the second-order perceptron, and its derivation
    applies, except that an update without a mistake adds at most (s + 1)/(1 + s) <= 1 + ln(1 + s), because
    2m - m^2 <= 1.
    """

    name = "arow"
    summary = "adaptive regularisation of weights"
    reference = "Crammer, Kulesza and Dredze 2009"
    theorems = (
        at_most(
            "mistakes",
            "updates <= sum loss(u) + sqrt((r ||u||^2 + sum (u.x)^2) (ln det(A/r) + U)), sums over the updates, "
            "U of them no mistakes, for every u",
            "derived after Crammer, Kulesza and Dredze 2009",
        ),
    )
    step = staticmethod(second_order_step)

    r: float = parameter(1.0, _LEAST, ends="[")

    def start(self, space: Space) -> LearnerState:
        """Return w = 0 and Sigma = I."""
        return state_with_matrix(space, 1 / self.r, 1, math.nextafter(1.0, 0.0))

    def amplification(self, run: OnlineRun) -> float:
        """Return a bound of the condition number of A."""
        return _condition(run, self.r)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the updates, whether mistakes or not; it holds for every u."""
        yield _check(run, reference, self.r, run.n_updates - run.n_mistakes)
