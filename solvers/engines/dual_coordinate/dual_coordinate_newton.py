"""A proximal point method on the multipliers, each step by Newton's method on the hyperplane.

Descent along single multipliers crawls where the free rows are nearly dependent. Every round here solves

    max_alpha  dual objective - sum (alpha_i - anchor_i)^2 / (2 weights_i),   0 <= alpha_i <= costs_i,

whose dual in (w, b) is 1/2 ||w||^2 plus hinges rounded at the corner: differentiable, with an optimum where
alpha_i = clip(anchor_i - weights_i (y_i (w.x_i + b) - 1)) has the normal w and the balance 0. Newton's steps need the
free rows only, through products with vectors. With growing weights the rounds converge faster than linearly
(Rockafellar 1976; Yan and Li, An efficient augmented Lagrangian method for support vector machine, 2020).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_state import Best, DescentRows, dot

# Weight of the first round, in units of 1/||x||^2; with 1 a multiplier moves as in one step of the descent.
_FIRST_WEIGHT = 10.0

# Factors by which the weights grow after a round, and after a round of few steps.
_GROWTH, _EASY_GROWTH = 3.0, 10.0

# Numbers of Newton's steps in a round up to which the weights grow faster, above which they do not grow, and at which
# the round ends.
_FEW_STEPS, _MANY_STEPS, _MOST_STEPS = 2, 15, 30

# Largest number of rounds, and of successive rounds without a better gap.
_MOST_ROUNDS, _MOST_STALE_ROUNDS = 100, 8

# Largest number of products of the Hessian with a vector in one step.
_MOST_PRODUCTS = 500

# Residual of a linear system relative to its right side; square of a round's residual relative to the square of its
# move, or to the gap at its start; the looser one holds.
_STEP_ACCURACY, _ROUND_ACCURACY, _GAP_SHARE = 0.3, 0.1, 0.02

# The slope at which a line search stops, relative to the slope at its start.
_SLOPE_SHARE, _MOST_BISECTIONS = 0.3, 60


def polish(
    rows: DescentRows, best: Best, alpha: Floats, offset: float, target: float, is_over: Callable[[], bool]
) -> None:
    """Improve on the multipliers until the relative gap is at the target, or time is over, or nothing improves."""
    w, squared = rows.normal(alpha), rows.squared()
    point = _Point(
        rows=rows, squared=squared, costs=best.costs, w=w, b=offset, scores=rows.scores(w), alpha=alpha, is_over=is_over
    )  # fmt: skip
    squares = squared.scores(np.ones(rows.n_features))
    sizes = np.maximum(squares, 1e-2 * squares.mean())
    weight, n_stale = _FIRST_WEIGHT, 0
    for _ in range(_MOST_ROUNDS):
        gap = best.objective - best.lower
        n_steps = point.minimise(weight / sizes, _GAP_SHARE * gap)
        point.alpha, _ = best.offer_multipliers(point.alpha)
        best.offer_normal(point.w, point.scores)
        n_stale = 0 if best.objective - best.lower < gap else n_stale + 1
        if best.relative_gap <= target or n_stale == _MOST_STALE_ROUNDS or is_over():
            return
        if n_steps <= _MANY_STEPS:
            weight *= _EASY_GROWTH if n_steps <= _FEW_STEPS else _GROWTH


@dataclass(slots=True, kw_only=True)
class _Point:
    """A hyperplane, the scores w.x of all rows, and the multipliers that the last round gave."""

    rows: DescentRows
    squared: DescentRows
    costs: Floats
    w: Floats
    b: float
    scores: Floats
    alpha: Floats
    is_over: Callable[[], bool]

    def minimise(self, weights: Floats, tolerance: float) -> int:
        """Run one round from the multipliers as anchor; return the number of Newton's steps."""
        anchor = self.alpha
        for n_steps in range(_MOST_STEPS):
            wanted = anchor - weights * self._slopes()
            self.alpha = np.clip(wanted, 0.0, self.costs)
            free = np.flatnonzero((wanted > 0) & (wanted < self.costs))
            residual = self.rows.normal(self.alpha) - self.w
            excess = dot(self.alpha, self.rows.y) if self.rows.bias else 0.0
            square = dot(residual, residual) + excess * excess / max(weights[free].sum(), weights.min())
            move = float(((self.alpha - anchor) ** 2 / weights).sum())
            if n_steps and (square <= max(_ROUND_ACCURACY * move, tolerance) or self.is_over()):
                return n_steps
            if free.size:
                self._step(anchor, weights, free, residual, excess)
            else:
                self._step_without_free_rows(anchor, weights, residual)
        return _MOST_STEPS

    def _slopes(self) -> Floats:
        return self.rows.y * (self.scores + self.b) - 1.0

    def _step(self, anchor: Floats, weights: Floats, free: NDArray[np.int64], residual: Floats, excess: float) -> None:
        """Solve Newton's equations for (w, b), b eliminated, and search along the line."""
        system = _System.of(self.rows, self.squared, free, weights[free])
        right = residual - system.mean * excess if self.rows.bias else residual
        direction = system.solve(right, self.is_over)
        scores = self.rows.scores(direction)
        shift = (excess - dot(weights[free], scores[free])) / system.total if self.rows.bias else 0.0
        self._search(anchor, weights, direction, scores, shift)

    def _step_without_free_rows(self, anchor: Floats, weights: Floats, residual: Floats) -> None:
        """Move towards the normal of the multipliers, which are all at a bound, with the offset that balances them."""
        self._search(anchor, weights, residual, self.rows.scores(residual), 0.0)
        if self.rows.bias:
            reach = float((np.abs(self.scores) + 1.0 + (anchor + self.costs) / weights).max())
            y, kinks = self.rows.y, anchor - weights * (self.rows.y * self.scores - 1.0)
            self.b = _root(lambda b: -dot(y, np.clip(kinks - weights * y * b, 0.0, self.costs)), -reach, reach, 0.0)

    def _search(self, anchor: Floats, weights: Floats, direction: Floats, scores: Floats, shift: float) -> None:
        """Move along the direction until the slope has nearly gone; the full step where it has there."""
        slopes, change = self._slopes(), self.rows.y * (scores + shift)
        linear, quadratic = dot(self.w, direction), dot(direction, direction)

        def slope(t: float) -> float:
            alpha = np.clip(anchor - weights * (slopes + t * change), 0.0, self.costs)
            return linear + t * quadratic - dot(alpha, change)

        enough = _SLOPE_SHARE * abs(slope(0.0))
        length = 1.0 if slope(1.0) <= enough else _root(slope, 0.0, 1.0, enough)
        self.w = self.w + length * direction
        self.b += length * shift
        self.scores = self.scores + length * scores


@dataclass(frozen=True, slots=True, kw_only=True)
class _System:
    """I + sum_k weights_k (x - mean)(x - mean)' over the free rows x; through the origin the mean is 0."""

    rows: DescentRows
    free: NDArray[np.int64]
    weights: Floats
    total: float
    mean: Floats
    diagonal: Floats

    @classmethod
    def of(cls, rows: DescentRows, squared: DescentRows, free: NDArray[np.int64], weights: Floats) -> "_System":
        total = float(weights.sum())
        mean = rows.combine(free, weights / total) if rows.bias else np.zeros(rows.n_features)
        spread = squared.combine(free, weights) - total * mean * mean
        diagonal = 1.0 + np.maximum(spread, 0.0)
        return cls(rows=rows, free=free, weights=weights, total=total, mean=mean, diagonal=diagonal)

    def times(self, v: Floats) -> Floats:
        products = self.rows.scores(v, self.free)
        if self.rows.bias:
            products -= dot(self.weights, products) / self.total
        return v + self.rows.combine(self.free, self.weights * products)

    def solve(self, right: Floats, is_over: Callable[[], bool]) -> Floats:
        """Return an approximate solution: conjugate gradients, preconditioned by the diagonal."""
        solution = np.zeros_like(right)
        residual, ahead = right.copy(), right / self.diagonal
        size = first = dot(residual, ahead)
        for _ in range(_MOST_PRODUCTS):
            if size <= _STEP_ACCURACY**2 * first or is_over():
                break
            image = self.times(ahead)
            length = size / dot(ahead, image)
            solution += length * ahead
            residual -= length * image
            scaled = residual / self.diagonal
            size, previous = dot(residual, scaled), size
            ahead = scaled + (size / previous) * ahead
        return solution


def _root(function: Callable[[float], float], low: float, high: float, enough: float) -> float:
    """Return where a non-decreasing function is nearly zero: at most `enough` away, or as near as halving comes."""
    for _ in range(_MOST_BISECTIONS):
        middle = low / 2 + high / 2
        value = function(middle)
        if abs(value) <= enough:
            return middle
        low, high = (low, middle) if value > 0 else (middle, high)
    return low / 2 + high / 2
