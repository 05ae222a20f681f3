"""Newton steps of the soft margin by the (d+1) x (d+1) matrix I + X'D^-1 X: three passes over the rows each."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.central_path import Aim, Prediction, Progress, Rows
from maxmargin.solvers.engines.factor import Factor
from maxmargin.solvers.engines.weighted_gram import WeightedGram, blocks
from maxmargin.solvers.problem import Problem

Floats = NDArray[np.float64]

_NORMAL_ERROR = 1e-8
"""Of the dual equations relative to w, above which a direction is refined: it enters the gap by its square."""

_BALANCE_ERROR = 1e-13
"""Of the balance relative to sum a, above which it is: this one enters at first order."""


class _View(NamedTuple):
    """How a pass sees the rows: (x - center, 1, -y), without the 1 if there is no bias, without -y if no rho."""

    center: Floats | None
    bias: bool
    aim: Aim

    def others(self, y: Floats, weights: Floats) -> list[Floats]:
        """Return the columns beside X, times weights."""
        return [weights] * self.bias + [-y * weights] * (self.aim.nu is not None)

    def scores(self, X: Any, y: Floats, plane: Floats) -> Floats:
        """Return w.x + b - y rho."""
        result: Floats = X @ plane[: X.shape[1]]
        if self.bias:
            result += plane[X.shape[1]]
        if self.aim.nu is not None:
            result -= y * plane[-1]
        return result

    def written(self, X: Any, y: Floats, weights: Floats) -> Floats:
        """Return the weighted sums of the rows, for one vector of weights or for several in its columns."""
        sums = [np.asarray(X.T @ weights)]
        if self.bias:
            sums.append(weights.sum(axis=0, keepdims=True))
        if self.aim.nu is not None:
            sums.append(-(y[None, :] @ weights))
        return np.concatenate(sums)

    def blocks(self, X: Any, y: NDArray[Any], *vectors: Floats) -> Iterator[tuple[Any, ...]]:
        """Yield the parts of a chunk, small enough to be used several times at the price of once."""
        signs = y.astype(np.float64, copy=False)
        for part, block in blocks(X, self.center):
            yield part, block, signs[part], *(v[part] for v in vectors)


class ColumnSystem:
    """The hyperplane (w, b, rho) of the iterate, and the linear systems.

    Parameters
    ----------
    problem : Problem
    center : ndarray (n_features,) or None
        What is subtracted from every row on the way.
    aim : Aim
    """

    def __init__(self, problem: Problem, center: Floats | None, aim: Aim) -> None:
        self.problem, self.center, self.aim = problem, center, aim
        d, has_rho = problem.n_features, aim.nu is not None
        self.plane = np.zeros(d + problem.bias + has_rho)
        self._penalty = (np.arange(len(self.plane)) < d).astype(np.float64)
        self._cost = np.zeros(len(self.plane))
        if aim.nu is not None:
            self._cost[-1] = -aim.nu
        self._t, self._affine_change, self._change = np.empty((3, problem.n_samples))

    def linearise(self, rows: Rows) -> Progress:
        """Factorise the system at the iterate, and return how good that is."""
        targets, *parts = zip(*self._pass(partial(_linearise, self.plane), *rows), strict=True)
        _fill(self._t, targets)
        gram, written, complementarity, hinge, total = (sum(part) for part in parts)
        self._side = gram[:-1, -1]
        self._factor = Factor(gram[:-1, :-1] + np.diag(self._penalty))
        self._residual = self._penalty * self.plane + self._cost - written
        self._total = total
        return self._progress(written, complementarity, hinge)

    def _progress(self, written: Floats, complementarity: float, hinge: float) -> Progress:
        d = self.problem.n_features
        square, cost = float(self.plane[:d] @ self.plane[:d]) / 2, float(self._cost @ self.plane)
        return Progress(
            complementarity=complementarity,
            primal=square + cost + hinge,
            dual=self.aim.target * self._total - float(written[:d] @ written[:d]) / 2,
            size=square + abs(cost) + hinge,
            imbalance=float(abs(self._residual[d:]).sum()) / self._total,
        )

    def predict(self, rows: Rows) -> Prediction:
        """Solve for the step that aims at mu = 0."""
        affine = self._factor.solve(self._side - self._residual)
        passed = self._pass(partial(_predict, affine), self._t, *rows)
        changes, sides, predictions = zip(*passed, strict=True)
        _fill(self._affine_change, changes)
        self._second_side, self._centring_side = sum(sides).T
        return Prediction(sum(p.curvature for p in predictions), max(p.blocking for p in predictions))

    def correct(self, rows: Rows, mu: float) -> float:
        """Solve for the step that aims at mu, with second-order terms."""
        self._mu = mu
        side = self._side + self._second_side + mu * self._centring_side
        self._step = self._factor.solve(side - self._residual)
        blocking, error = self._directed(rows)
        if self._is_inaccurate(error):
            self._step = self._step + self._factor.solve(error)
            blocking, _ = self._directed(rows)
        return blocking

    def _directed(self, rows: Rows) -> tuple[float, Floats]:
        """Keep what the step does to the rows; return what blocks it, and by how much it misses the dual equations."""
        passed = self._pass(partial(_correct, self._step, self._mu), self._t, self._affine_change, *rows)
        changes, written, blocking = zip(*passed, strict=True)
        _fill(self._change, changes)
        return max(blocking), sum(written) - self._residual - self._penalty * self._step

    def _is_inaccurate(self, error: Floats) -> bool:
        d = self.problem.n_features
        size = float(np.linalg.norm(self.plane[:d] + self._step[:d]))
        in_balance = float(abs(error[d:]).sum())
        return float(np.linalg.norm(error[:d])) > _NORMAL_ERROR * size or in_balance > _BALANCE_ERROR * self._total

    def move(self, rows: Rows, length: float) -> None:
        """Take that step, with the rows and the hyperplane."""
        self.plane = self.plane + length * self._step
        rows.move(length, self._mu, self._affine_change, self._change)

    def normal(self, rows: Rows) -> Floats:
        """Return the normal of the hyperplane; subtracting a center does not change it."""
        return self.plane[: self.problem.n_features]

    def start_at(self, w: Floats, b: float, rho: float = 0.0) -> None:
        """Take a hyperplane."""
        self.plane[: len(w)] = w
        if self.problem.bias:
            self.plane[len(w)] = b if self.center is None else b + float(w @ self.center)
        if self.aim.nu is not None:
            self.plane[-1] = rho

    def _pass(self, function: Callable[..., Any], *vectors: Floats) -> Iterator[Any]:
        view = _View(self.center, self.problem.bias, self.aim)
        return self.problem.map(partial(function, view), self.problem.y, *vectors)


def _fill(whole: Floats, parts: tuple[Floats, ...]) -> None:
    np.concatenate(parts, out=whole)


@np.errstate(all="ignore")
def _linearise(
    plane: Floats, view: _View, _: slice, X: Any, y: Floats, *vectors: Floats
) -> tuple[Floats, Floats, Floats, float, float, float]:
    """Return t, the Gram matrix with its right-hand side, X'(y a), and the sums of the rows."""
    gram = WeightedGram(X.shape[1], len(plane) - X.shape[1] + 1)
    t, written = np.empty(len(y)), np.zeros(len(plane))
    complementarity = hinge = total = 0.0
    for part, block, signs, *parts in view.blocks(X, y, *vectors):
        rows = Rows(*parts)
        linearised = rows.linearised(signs, view.scores(block, signs, plane), view.aim.target)
        t[part] = linearised.t
        gram.add(block, linearised.roots, [*view.others(signs, linearised.roots), linearised.side])
        written += view.written(block, signs, signs * rows.a)
        complementarity += linearised.complementarity
        hinge += linearised.hinge
        total += linearised.total
    return t, gram.total, written, complementarity, hinge, total


@np.errstate(all="ignore")
def _predict(
    affine: Floats, view: _View, _: slice, X: Any, y: Floats, t: Floats, *vectors: Floats
) -> tuple[Floats, Floats, Prediction]:
    """Return da, the right-hand sides of the second order and of a unit of mu, and what the step does."""
    changes, sides = np.empty(len(y)), np.zeros((len(affine), 2))
    curvature = blocking = 0.0
    for part, block, signs, targets, *parts in view.blocks(X, y, t, *vectors):
        rows = Rows(*parts)
        change = changes[part] = rows.affine_change(signs, targets, view.scores(block, signs, affine))
        weights, prediction = rows.second_order(signs, change)
        sides += view.written(block, signs, weights)
        curvature += prediction.curvature
        blocking = max(blocking, prediction.blocking)
    return changes, sides, Prediction(curvature, blocking)


@np.errstate(all="ignore")
def _correct(
    step: Floats, mu: float, view: _View, _: slice, X: Any, y: Floats, t: Floats, affine: Floats, *vectors: Floats
) -> tuple[Floats, Floats, float]:
    """Return da, X'(y da) and what blocks the step."""
    changes, written, blocking = np.empty(len(y)), np.zeros(len(step)), 0.0
    for part, block, signs, targets, before, *parts in view.blocks(X, y, t, affine, *vectors):
        rows = Rows(*parts)
        change = changes[part] = rows.corrected_change(signs, targets, view.scores(block, signs, step), mu, before)
        written += view.written(block, signs, signs * change)
        blocking = max(blocking, rows.blocking(mu, before, change))
    return changes, written, blocking
