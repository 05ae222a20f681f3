"""The rows of an interior point of the soft-margin program, and what one Newton step does to each.

A row has two complementary pairs: the multiplier a of its margin constraint with the excess s, and the distance r of
the multiplier from its price with the slack x: a + r = c, y(w.x + b) - 1 + x = s, and on the central path
a s = r x = mu. Eliminating ds, dx and dr leaves, for the change p of the margin,

    da = (t - p) / D,    D = s/a + x/r,

with t = 1 - margin for the step that aims at mu = 0, and Mehrotra's second-order terms added for the one that is
taken. Everything here works on any rows by themselves.

Source: Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2 (1992); Ferris and
Munson, Interior-point methods for massive support vector machines, SIAM J. Optim. 13 (2002).
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Rows(NamedTuple):
    """Multipliers, their distances from the prices, excesses and slacks; of an iterate all are positive."""

    a: Floats
    r: Floats
    s: Floats
    x: Floats

    @classmethod
    def start(cls, prices: Floats) -> "Rows":
        """Return the first iterate, as far from all ends as can be."""
        return cls(prices / 2, prices / 2, np.ones(len(prices)), np.ones(len(prices)))

    @classmethod
    def around(cls, margins: Floats, prices: Floats, spread: float) -> "Rows":
        """Return the rows with s - x = margin - 1, s x = spread and a s = r x, which suit a hyperplane at hand."""
        lack = 1.0 - margins
        root = np.sqrt(lack**2 + 4.0 * spread)
        x = np.where(lack > 0, (root + lack) / 2, 2.0 * spread / (root - lack))
        s = spread / x
        return cls(prices * (x / (s + x)), prices * (s / (s + x)), s, x)

    def weights(self) -> Floats:
        """Return D."""
        result: Floats = self.s / self.a
        result += self.x / self.r
        return result

    def complementarity(self) -> float:
        """Return sum a s + r x, the gap of a feasible iterate."""
        return float(self.a @ self.s + self.r @ self.x)

    def centring(self) -> Floats:
        """Return what a unit of mu adds to t."""
        result: Floats = 1.0 / self.a - 1.0 / self.r
        return result

    def move(self, direction: "Rows", length: float) -> None:
        """Take a step, in place; the direction is spent."""
        for mine, change in zip(self, direction, strict=True):
            change *= length
            mine += change


class SecondOrder(NamedTuple):
    """What the step that aims at mu = 0 adds to the products a s and r x beyond first order, with the sign changed.

    Attributes
    ----------
    margin, slack : ndarray
        -da ds / a and -dr dx / r.
    """

    margin: Floats
    slack: Floats

    @classmethod
    def of(cls, rows: Rows, da: Floats) -> "tuple[SecondOrder, Prediction]":
        """Return it for a solution da of the system with t = 1 - margin."""
        up, down = da / rows.a, da / rows.r
        # With mu = 0 the others change by ds/s = -1 - da/a and dx/x = -1 + da/r.
        blocking = max(-up.min(), 1.0 + up.max(), down.max(), 1.0 - down.min())
        result = cls(rows.s * up * (1.0 + up), rows.x * down * (down - 1.0))
        return result, Prediction(float(rows.a @ result.margin + rows.r @ result.slack), float(blocking))

    def moves(self, rows: Rows, mu: float, da: Floats) -> "Direction":
        """Return the whole direction for the da of the corrected system."""
        up, down = da / rows.a, da / rows.r
        ds = mu / rows.a - rows.s + self.margin - rows.s * up
        dx = mu / rows.r - rows.x + self.slack + rows.x * down
        blocking = max(-up.min(), down.max(), -(ds / rows.s).min(), -(dx / rows.x).min())
        return Direction(Rows(da, -da, ds, dx), float(blocking))


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


class Direction(NamedTuple):
    """The step that is taken, and the greatest relative decrease of any of a, r, s, x in it."""

    rows: Rows
    blocking: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How good an iterate is.

    Attributes
    ----------
    complementarity : float
        sum a s + r x.
    primal, dual : float
        The two objectives at w, b and at a; the second bounds the first if the classes balance.
    imbalance : float
        |sum y a| / sum a; 0 without bias.
    """

    complementarity: float
    primal: float
    dual: float
    imbalance: float

    @property
    def gap(self) -> float:
        """Relative distance of the two objectives, of whichever sign rounding gave it."""
        return abs(self.primal - self.dual) / self.primal


class Systems(Protocol):
    """The linear systems of the Newton steps, and the hyperplane that moves with the rows."""

    def linearise(self, rows: Rows) -> Progress:
        """Prepare the system at the iterate, and return how good that is."""

    def predict(self, rows: Rows) -> Prediction:
        """Solve for the step that aims at mu = 0."""

    def correct(self, rows: Rows, mu: float) -> Direction:
        """Solve for the step that aims at mu, with second-order terms."""

    def move(self, length: float) -> None:
        """Take that step with the hyperplane."""

    def normal(self, rows: Rows) -> Floats:
        """Return the normal of the hyperplane."""

    def start_at(self, w: Floats, b: float) -> None:
        """Take a hyperplane, where the systems keep one of their own."""
