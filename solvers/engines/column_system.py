"""Newton steps of the soft margin by the (d+1) x (d+1) matrix I + X'D^-1 X: three passes over the rows each."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.central_path import Direction, Prediction, Progress, Rows, SecondOrder
from maxmargin.solvers.engines.factor import Factor
from maxmargin.solvers.engines.weighted_gram import WeightedGram, blocks
from maxmargin.solvers.problem import Problem

Floats = NDArray[np.float64]

_NORMAL_ERROR = 1e-8
"""Of the dual equations relative to w, above which a direction is refined: it enters the gap by its square."""

_BALANCE_ERROR = 1e-13
"""Of the balance relative to sum a, above which it is: this one enters at first order."""


class _View(NamedTuple):
    """How a pass sees the rows: what is subtracted from them, and the hyperplane (w, b), or w alone without bias."""

    center: Floats | None
    bias: bool
    plane: Floats

    def scores(self, X: Any, planes: Floats) -> Floats:
        """Return X @ w + b, for one hyperplane or for several in the columns."""
        result: Floats = X @ planes[: X.shape[1]]
        if self.bias:
            result += planes[-1]
        return result

    def weighted(self, X: Any, weights: Floats) -> Floats:
        """Return the sums of the rows, and with bias of the weights, for one vector of weights or for several."""
        sums = X.T @ weights
        return np.concatenate([sums, weights.sum(axis=0, keepdims=True)]) if self.bias else sums

    def blocks(self, X: Any, *vectors: Floats) -> Iterator[tuple[Any, ...]]:
        """Yield the parts of a chunk, small enough to be used several times at the price of once."""
        for part, block in blocks(X, self.center):
            yield part, block, *(v[part] for v in vectors)


class ColumnSystem:
    """The hyperplane (w, b) of the iterate, and the linear systems.

    Parameters
    ----------
    problem : Problem
    center : ndarray (n_features,) or None
        What is subtracted from every row on the way.
    """

    def __init__(self, problem: Problem, center: Floats | None) -> None:
        self.problem, self.center = problem, center
        self.plane = np.zeros(problem.n_features + problem.bias)
        self._penalty = (np.arange(len(self.plane)) < problem.n_features).astype(np.float64)

    def linearise(self, rows: Rows) -> Progress:
        """Factorise the system at the iterate, and return how good that is."""
        targets, *parts = zip(*self._pass(_linearise, rows), strict=True)
        gram, written, complementarity, hinge, total = (sum(part) for part in parts)
        self._targets = np.concatenate(targets)
        k, d = len(self.plane), self.problem.n_features
        self._side = gram[:k, k]
        self._factor = Factor(gram[:k, :k] + np.diag(self._penalty))
        self._residual = self._penalty * self.plane - written
        self._total = total
        return Progress(
            complementarity=complementarity,
            primal=float(self.plane[:d] @ self.plane[:d]) / 2 + hinge,
            dual=total - float(written[:d] @ written[:d]) / 2,
            imbalance=float(abs(written[d:]).sum()) / total,
        )

    def predict(self, rows: Rows) -> Prediction:
        """Solve for the step that aims at mu = 0."""
        self._affine = self._factor.solve(self._side - self._residual)
        sides, predictions = zip(*self._pass(partial(_predict, self._affine), rows, self._targets), strict=True)
        self._second_side, self._centring_side = sum(sides).T
        return Prediction(sum(p.curvature for p in predictions), max(p.blocking for p in predictions))

    def correct(self, rows: Rows, mu: float) -> Direction:
        """Solve for the step that aims at mu, with second-order terms."""
        side = self._side + self._second_side + mu * self._centring_side
        self._step = self._factor.solve(side - self._residual)
        direction, error = self._directed(rows, mu)
        if self._is_inaccurate(error):
            self._step = self._step + self._factor.solve(error)
            direction, _ = self._directed(rows, mu)
        return direction

    def move(self, length: float) -> None:
        """Take that step with the hyperplane."""
        self.plane = self.plane + length * self._step

    def normal(self, rows: Rows) -> Floats:
        """Return the normal of the hyperplane; subtracting a center does not change it."""
        return self.plane[: self.problem.n_features]

    def start_at(self, w: Floats, b: float) -> None:
        """Take a hyperplane."""
        self.plane[: len(w)] = w
        self.plane[len(w) :] = b if self.center is None else b + float(w @ self.center)

    def _directed(self, rows: Rows, mu: float) -> tuple[Direction, Floats]:
        """Return what the step does to the rows, and by how much it misses the dual equations."""
        planes = np.stack([self._affine, self._step], axis=1)
        changes = Rows(*(np.empty(self.problem.n_samples) for _ in rows))
        error, blocking, start = -self._residual - self._penalty * self._step, 0.0, 0
        for direction, written in self._pass(partial(_correct, planes, mu), rows, self._targets):
            stop = start + len(direction.rows.a)
            for whole, part in zip(changes, direction.rows, strict=True):
                whole[start:stop] = part
            error += written
            blocking, start = max(blocking, direction.blocking), stop
        return Direction(changes, blocking), error

    def _is_inaccurate(self, error: Floats) -> bool:
        d = self.problem.n_features
        size = float(np.linalg.norm(self.plane[:d] + self._step[:d]))
        in_balance = float(abs(error[d:]).sum())
        return float(np.linalg.norm(error[:d])) > _NORMAL_ERROR * size or in_balance > _BALANCE_ERROR * self._total

    def _pass(self, function: Callable[..., Any], rows: Rows, *vectors: Floats) -> Iterator[Any]:
        view = _View(self.center, self.problem.bias, self.plane)
        return self.problem.map(partial(function, view=view), self.problem.y, *vectors, *rows)


@np.errstate(all="ignore")
def _linearise(
    _: slice, X: Any, y: Floats, *rows_of_chunk: Floats, view: _View
) -> tuple[Floats, Floats, Floats, float, float, float]:
    """Return t = 1 - margin, the Gram matrix with its right-hand side, X'(y a), and sums of a s + r x, c t+ and a."""
    gram = WeightedGram(X.shape[1], bias=view.bias)
    targets, written = np.empty(len(y)), np.zeros(len(view.plane))
    complementarity = hinge = total = 0.0
    for part, block, signs, *vectors in view.blocks(X, y, *rows_of_chunk):
        rows = Rows(*vectors)
        target = targets[part] = 1.0 - signs * view.scores(block, view.plane)
        gram.add(block, 1.0 / np.sqrt(rows.weights()), signs * target)
        written += view.weighted(block, signs * rows.a)
        complementarity += rows.complementarity()
        hinge += float((rows.a + rows.r) @ np.maximum(0.0, target))
        total += float(rows.a.sum())
    return targets, gram.upper, written, complementarity, hinge, total


@np.errstate(all="ignore")
def _predict(
    affine: Floats, _: slice, X: Any, y: Floats, targets: Floats, *rows_of_chunk: Floats, view: _View
) -> tuple[Floats, Prediction]:
    """Return the right-hand sides of the second order and of a unit of mu, and what the step does."""
    sides = np.zeros((len(view.plane), 2))
    curvature, blocking = 0.0, 0.0
    for _part, block, signs, target, *vectors in view.blocks(X, y, targets, *rows_of_chunk):
        rows = Rows(*vectors)
        weights = rows.weights()
        da = (target - signs * view.scores(block, affine)) / weights
        second, prediction = SecondOrder.of(rows, da)
        weighted = np.stack([second.margin - second.slack, rows.centring()], axis=1)
        weighted *= (signs / weights)[:, None]
        sides += view.weighted(block, weighted)
        curvature += prediction.curvature
        blocking = max(blocking, prediction.blocking)
    return sides, Prediction(curvature, blocking)


@np.errstate(all="ignore")
def _correct(
    planes: Floats, mu: float, _: slice, X: Any, y: Floats, targets: Floats, *rows_of_chunk: Floats, view: _View
) -> tuple[Direction, Floats]:
    """Return the direction of the rows, and X'(y da)."""
    changes = Rows(*(np.empty(len(y)) for _ in Rows._fields))
    written, blocking = np.zeros(len(view.plane)), 0.0
    for part, block, signs, target, *vectors in view.blocks(X, y, targets, *rows_of_chunk):
        rows = Rows(*vectors)
        weights = rows.weights()
        affine, change = (signs * scores for scores in view.scores(block, planes).T)
        second, _prediction = SecondOrder.of(rows, (target - affine) / weights)
        target = target + (second.margin - second.slack) + mu * rows.centring()
        direction = second.moves(rows, mu, (target - change) / weights)
        written += view.weighted(block, signs * direction.rows.a)
        for whole, values in zip(changes, direction.rows, strict=True):
            whole[part] = values
        blocking = max(blocking, direction.blocking)
    return Direction(changes, blocking), written
