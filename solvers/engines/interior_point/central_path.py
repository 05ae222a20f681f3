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

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats


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
        a, r, s, x = self
        t, roots = target - y * scores, 1.0 / np.sqrt(s / a + x / r)
        complementarity, hinge = float((a * s + r * x).sum()), float(((a + r) * np.maximum(0.0, t)).sum())
        return RowsAt(t, roots, roots * y * t, complementarity, hinge, float(a.sum()))

    def affine_change(self, y: Floats, t: Floats, scores: Floats) -> Floats:
        """Return da = (t - p)/D of the step that aims at mu = 0, for the change of the scores."""
        return (t - y * scores) / (self.s / self.a + self.x / self.r)

    def second_order(self, y: Floats, affine: Floats) -> tuple[Floats, "Prediction"]:
        """Return y/D times the second-order terms and y/D times the effect of a unit of mu, and the prediction."""
        a, r, s, x = self
        up, down = affine / a, affine / r
        margin, slack = s * up * (1.0 + up), x * down * (down - 1.0)
        weights = y / (s / a + x / r) * np.stack([margin - slack, 1.0 / a - 1.0 / r])
        # With mu = 0 the others change by ds/s = -1 - da/a and dx/x = -1 + da/r.
        curvature = float((a * margin + r * slack).sum())
        return weights, Prediction(curvature, _greatest(-up, 1.0 + up, down, 1.0 - down))

    def corrected_change(self, y: Floats, t: Floats, scores: Floats, mu: float, affine: Floats) -> Floats:
        """Return da of the step that is taken, for the change of the scores."""
        a, r, s, x = self
        up, down = affine / a, affine / r
        second = s * up * (1.0 + up) - x * down * (down - 1.0)
        return self.affine_change(y, t + second + mu * (1.0 / a - 1.0 / r), scores)

    def blocking(self, mu: float, affine: Floats, change: Floats) -> float:
        """Return the greatest relative decrease of any of a, r, s, x at the full step."""
        ds, dx = self._changes(mu, affine, change)
        return _greatest(-change / self.a, change / self.r, -ds / self.s, -dx / self.x)

    def move(self, length: float, mu: float, affine: Floats, change: Floats) -> None:
        """Take a step, in place."""
        ds, dx = self._changes(mu, affine, change)
        for numbers, step in zip(self, (change, -change, ds, dx), strict=True):
            numbers += length * step

    def _changes(self, mu: float, affine: Floats, change: Floats) -> tuple[Floats, Floats]:
        """Return ds and dx of the step that is taken."""
        a, r, s, x = self
        ahead, back = affine / a, affine / r
        ds = mu / a - s + s * (ahead * (1.0 + ahead) - change / a)
        return ds, mu / r - x + x * (back * (back - 1.0) + change / r)


def _greatest(*ratios: Floats) -> float:
    """Return the greatest number, at least 0; NaN does not count."""
    return max(0.0, *(float(np.fmax.reduce(part, initial=0.0)) for part in ratios))


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

    @classmethod
    def of_all(cls, parts: Iterable["Prediction"]) -> "Prediction":
        """Return the prediction for all rows from those of some rows each."""
        curvatures, blocking = zip(*parts, strict=True)
        return cls(sum(curvatures), max(blocking))

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
