"""Winnow: multiplicative updates of positive weights, or of two weights of opposite sign for every column."""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, parameter
from maxmargin.solvers.online.guarantee import Check, at_most, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState

# Drops of the potential that are tried for u, relative to the drop of a mistake on a negative row for u = 0.
_SHARES = (0.5, 0.25, 0.1, 0.01)

# Largest exponent of a finite exponential.
_LARGEST_POWER = math.log(sys.float_info.max)


def winnow_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """On a mistake multiply every weight by factor^(y x_j/size) but the last; parameters are ln factor and the size."""
    if y[row] * score > 0.0:
        return 0
    for j in range(w.shape[0] - 1):
        power = parameters[0] * y[row] * X[row, j] / parameters[1]
        w[j] *= math.inf if power > _LARGEST_POWER else math.exp(power)
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Winnow(Algorithm):
    """Winnow2: w = 1 at the start, and w_j times factor^(y x_j) on a mistake of the rule w.x > threshold.

    Features are non-negative, and divided by the greatest of them all, which for Boolean ones changes nothing. The
    bias is fixed: with a threshold theta it is -theta.

    Attributes
    ----------
    factor : float
        Above 1.
    threshold : float, optional
        Positive; by default half the number of features.

    Notes
    -----
    For u >= 0 the potential sum u_j ln(u_j/w_j) - u_j + w_j >= 0 drops at a mistake on a positive row by
    at least ln(factor) u.x - (factor - 1) theta, and on a negative one by (1 - 1/factor) theta - ln(factor) u.x: the
    exponential lies below its chord on [0, 1]. If all of these are at least D > 0, the mistakes are at most the initial
    potential divided by D. Linear programs find the u of least sum for several D, and the best bound is stated.
    """

    name = "winnow"
    summary = "multiplicative updates for non-negative features"
    reference = "Littlestone 1988"
    theorems = (
        at_most(
            "mistakes",
            "updates <= (sum u ln u - u + 1)/D, for a u >= 0 with every drop of the potential at least D > 0",
            "derived after Littlestone 1988: the drop of the relative entropy to u",
        ),
    )
    step = staticmethod(winnow_step)
    needs_all_rows = True

    factor: float = parameter(2.0, 1.0)
    threshold: float | None = parameter(None, 0.0)

    def start(self, space: Space) -> LearnerState:
        """Return w = 1 and the fixed bias.

        Raises
        ------
        InvalidProblemError
            If there is no bias, or a negative feature.
        """
        if not space.scale:
            raise InvalidProblemError("winnow has a fixed threshold; expected bias=True")
        size = self._size(space)
        w = np.ones(space.n_columns)
        w[-1] = -self._threshold(space) * size / space.scale
        parameters = np.array([math.log(self.factor), size])
        return LearnerState(w=w, table=np.zeros((0, 0)), scalars=np.zeros(0), parameters=parameters)

    def _threshold(self, space: Space) -> float:
        return (space.n_columns - 1) / 2 if self.threshold is None else float(self.threshold)

    def _size(self, space: Space) -> float:
        features = space.X[:, :-1]
        if features.min() < 0:
            raise InvalidProblemError(f"winnow needs non-negative features; the least is {features.min():g}")
        return float(features.max()) or 1.0

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mistakes, for a u from a linear program where there is one."""
        bound = self._bound(reference.space)
        yield Check(run.n_updates, where(math.isfinite(bound), bound))

    def _bound(self, space: Space) -> float:
        rows, threshold = space.X[:, :-1] / self._size(space), self._threshold(space)
        rate = math.log(self.factor)
        least, most = (self.factor - 1) * threshold, (1 - 1 / self.factor) * threshold
        if math.isinf(least):
            return math.inf
        best = math.inf
        for drop in (share * most for share in _SHARES):
            u = _least_vector(rows, space.y, (least + drop) / rate, (most - drop) / rate)
            if u is not None:
                scores = rate * (rows @ u)
                drops = np.where(space.y > 0, scores - least, most - scores)
                logs = np.log(u, out=np.zeros_like(u), where=u > 0)
                entropy = float((u * logs - u + 1).sum())  # relative to the weights 1
                best = min(best, quotient(entropy, float(drops.min())))
        return best


def _least_vector(rows: Floats, y: Floats, low: float, high: float) -> Floats | None:
    """Return u >= 0 of least sum with u.x >= low on positive and u.x <= high on negative rows, or None."""
    from scipy.optimize import linprog

    answer = linprog(np.ones(rows.shape[1]), A_ub=-y[:, np.newaxis] * rows, b_ub=np.where(y > 0, -low, high))
    return None if answer.x is None else np.asarray(np.maximum(answer.x, 0.0))


# Upper bound of the relative rounding error of each term of the drop.
_ROUNDING = 2.0**-50


def balanced_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """On a mistake add eta y x to the logarithms, kept in the table, and set w to the difference of the two weights."""
    if y[row] * score > 0.0:
        return 0
    largest, total = 0.0, 0.0
    for j in range(w.shape[0]):
        table[0, j] += parameters[0] * y[row] * X[row, j]
        largest = max(largest, abs(table[0, j]))
    for j in range(w.shape[0]):
        plus, minus = math.exp(table[0, j] - largest), math.exp(-table[0, j] - largest)
        w[j] = plus - minus
        total += plus + minus
    for j in range(w.shape[0]):
        w[j] /= total
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancedWinnow(Algorithm):
    """w = (w+ - w-)/sum(w+ + w-) where a mistake multiplies w+ by exp(eta y x) and w- by exp(-eta y x).

    Attributes
    ----------
    eta : float
        The rate, positive, in inverse units of the rows.

    Notes
    -----
    For ||u||_1 = 1 with margin g the relative entropy of u to the 2D weights, initially at most ln(2D), drops at a
    mistake by eta y u.x - ln(sum of weights times exp(+-eta y x)) >= eta g - eta y w.x - eta^2 X^2/2 (Hoeffding),
    where X = max |x_j| and y w.x <= 0.
    """

    name = "balanced-winnow"
    summary = "multiplicative updates of two weights a column"
    reference = "Littlestone 1989; Kivinen and Warmuth 1997"
    theorems = (
        at_most(
            "mistakes",
            "updates <= ln(2D)/(eta g - eta^2 X^2/2), strictly separable, g the best 1-norm margin, eta < 2 g/X^2",
            "derived after Littlestone 1989: the drop of the relative entropy to u",
        ),
    )
    step = staticmethod(balanced_step)

    eta: float = parameter(0.1, 0.0)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mistakes, where eta is small enough for it."""
        margin = reference.margin_in(1.0)
        gain, loss = self.eta * margin.lower, (self.eta * float(np.abs(reference.space.X).max())) ** 2 / 2
        drop = gain - loss - _ROUNDING * (gain + loss) if reference.is_separable else 0.0
        most = math.log(2 * reference.space.n_columns) / drop if drop > 0 else None
        yield Check(run.n_updates, most, note=margin.words)
