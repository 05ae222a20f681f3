"""The rows of an interior point of the soft-margin program, and the change of each in one Newton step.

A row has two complementary pairs: the multiplier a of its margin constraint with the excess s, and the distance r of
the multiplier from its upper bound c with the slack x: a + r = c, margin - target + x = s, and on the central path
a s = r x = mu. Eliminating ds, dx and dr leaves, for the change p of the margin,

    da = (t - p) / D,    D = s/a + x/r,

with t = target - margin for the step that aims at mu = 0; for the one that is taken Mehrotra's second-order terms
s u(1 + u) - x v(v - 1), u = da/a and v = da/r of the other step, and mu (1/a - 1/r) are added to t. The formulas hold
for each row by itself, so that chunks of rows are worked on separately.

Source: Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2 (1992); Ferris and
Munson, Interior-point methods for massive support vector machines, SIAM J. Optim. 13 (2002).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.interior_point import central_path_arrays

# Largest number of matrix entries for which operations on whole arrays are used in place of compiled code.
FEW_ENTRIES = 1 << 20


def _kernels(rows: "PathRows") -> Any:
    """Return the module that works on this number of rows."""
    if len(rows.a) <= FEW_ENTRIES // 4:
        return central_path_arrays
    from maxmargin.solvers.engines.interior_point import central_path_kernels

    return central_path_kernels


class Aim(NamedTuple):
    """The constraints of the rows: y (w.x + b) >= 1 - xi, or for the nu-SVM y (w.x + b) - rho >= -xi.

    With nu there is an offset rho, at the cost -nu.

    Attributes
    ----------
    nu : float or None
        None: there is no rho.
    """

    nu: float | None = None

    @property
    def target(self) -> float:
        """The right-hand side of the constraints of rows without slack."""
        return 1.0 if self.nu is None else 0.0


class RowsAtBound(NamedTuple):
    """Rows outside the iterate, whose multipliers stay at their upper bounds.

    Attributes
    ----------
    total, balance : float
        Sums of a and of y a.
    written : ndarray (n_features,)
        X'(y a).
    center : ndarray (n_features,) or None
        The vector subtracted from every row, also from the rows of the iterate.
    """

    total: float
    balance: float
    written: Floats
    center: Floats | None


class PathRows(NamedTuple):
    """Multipliers, their distances from the costs, excesses and slacks; of an iterate all are positive."""

    a: Floats
    r: Floats
    s: Floats
    x: Floats

    @classmethod
    def start(cls, costs: Floats) -> "PathRows":
        """Return the first iterate, as far from all bounds as possible."""
        return cls(costs / 2, costs / 2, np.ones(len(costs)), np.ones(len(costs)))

    @classmethod
    def around(cls, signed_slack: Floats, costs: Floats, spread: float) -> "PathRows":
        """Return the rows with x - s = signed_slack, s x = spread and a s = r x, as a start from a known hyperplane.

        Parameters
        ----------
        signed_slack : ndarray
            Target less margin of every row.
        costs : ndarray
        spread : float
        """
        root = np.sqrt(signed_slack**2 + 4.0 * spread)
        x = np.where(signed_slack > 0, (root + signed_slack) / 2, 2.0 * spread / (root - signed_slack))
        s = spread / x
        return cls(costs * (x / (s + x)), costs * (s / (s + x)), s, x)

    def at(self, y: Floats, scores: Floats, target: float) -> "RowsAt":
        """Return the quantities that a Newton step needs, for the scores of the rows."""
        t, roots, side = np.empty((3, len(y)))
        sums = _kernels(self).linearised(y, scores, target, *self, t, roots, side)
        return RowsAt(t, roots, side, *sums)

    def affine_change(self, y: Floats, t: Floats, scores: Floats) -> Floats:
        """Return da of the step that aims at mu = 0, for the change of the scores."""
        result = np.empty(len(y))
        _kernels(self).affine_change(y, t, scores, *self, result)
        return result

    def second_order(self, y: Floats, affine: Floats) -> tuple[Floats, "Prediction"]:
        """Return y/D times the second-order terms and y/D times the effect of a unit of mu, and the prediction."""
        result = np.empty((2, len(y)))
        return result, Prediction(*_kernels(self).second_order(y, *self, affine, *result))

    def corrected_change(self, y: Floats, t: Floats, scores: Floats, mu: float, affine: Floats) -> Floats:
        """Return da of the step that is taken, for the change of the scores."""
        result = np.empty(len(y))
        _kernels(self).corrected_change(y, t, scores, mu, *self, affine, result)
        return result

    def blocking(self, mu: float, affine: Floats, change: Floats) -> float:
        """Return the greatest relative decrease of any of a, r, s, x at the full step."""
        return float(_kernels(self).blocking(mu, *self, affine, change))

    def move(self, length: float, mu: float, affine: Floats, change: Floats) -> None:
        """Take a step, in place."""
        _kernels(self).move(length, mu, *self, affine, change)


class RowsAt(NamedTuple):
    """Rows at an iterate.

    Attributes
    ----------
    t : ndarray
        Target less margin.
    roots, side : ndarray
        D**-1/2, and y t D**-1/2.
    complementarity, hinge, total : float
        Sums of a s + r x, of c max(0, t) and of a.
    """

    t: Floats
    roots: Floats
    side: Floats
    complementarity: float
    hinge: float
    total: float


# The result of a pass over rows at an iterate.
#
# The arrays are t, the target less margin; X'D^-1 X with k columns, and beside it its right-hand side X'D^-1 (y t); and
# X'(y a). The numbers are the sums of `RowsAt`.
Linearised = tuple[Floats, Floats, Floats, float, float, float]


class Prediction(NamedTuple):
    """The step that aims at mu = 0.

    Attributes
    ----------
    curvature : float
        Sum over all rows of -(da ds + dr dx).
    blocking : float
        Greatest relative decrease of any of a, r, s, x at the full step.
    """

    curvature: float
    blocking: float

    def left(self, complementarity: float) -> float:
        """Return sum a s + r x after the longest step that keeps all positive."""
        length = 1.0 / max(1.0, self.blocking)
        return (1.0 - length) * complementarity - length**2 * self.curvature


@dataclass(frozen=True, slots=True, kw_only=True)
class IterateQuality:
    """Quality of an iterate: its objectives, and the violation of its equations.

    Attributes
    ----------
    complementarity : float
        sum a s + r x.
    primal, dual : float
        The two objectives at w, b (and rho) and at a; the second bounds the first if the multipliers balance.
    size : float
        The sum of the moduli of the terms of the primal objective, with which a gap is compared.
    imbalance : float
        Error of the sums of the multipliers, relative to sum a: with a bias sum y a should be 0, and for the nu-SVM
        sum a should be nu.
    """

    complementarity: float
    primal: float
    dual: float
    size: float
    imbalance: float

    @property
    def gap(self) -> float:
        """Relative distance of the two objectives, without its sign, which rounding may have changed."""
        return abs(self.primal - self.dual) / self.size
