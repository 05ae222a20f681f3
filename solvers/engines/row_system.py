"""Newton steps of the soft margin by the n x n matrix D + Y X X' Y, for fewer rows than columns."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.chunks import CHUNK_ENTRIES, slices
from maxmargin.solvers.engines.central_path import Direction, Prediction, Progress, Rows, SecondOrder
from maxmargin.solvers.engines.factor import Factor
from maxmargin.solvers.problem import Problem

Floats = NDArray[np.float64]


class RowSystem:
    """The hyperplane of an iterate is always w = sum a y x; its offset is b.

    Parameters
    ----------
    problem : Problem
    center : ndarray (n_features,) or None
        What is subtracted from every row on the way.
    """

    def __init__(self, problem: Problem, center: Floats | None) -> None:
        self.problem, self.center = problem, center
        y = problem.y
        self._gram = inner_products(problem, center)
        self._gram *= y * y[:, None]
        self._b = 0.0

    def linearise(self, rows: Rows) -> Progress:
        """Factorise the system at the iterate, and return how good that is."""
        y = self.problem.y
        written = self._gram @ rows.a
        self._target = 1.0 - (written + self._b * y)
        square, total = float(rows.a @ written), float(rows.a.sum())
        self._factor = Factor(self._gram + np.diag(rows.weights()))
        self._solved_signs = self._factor.solve(y)
        self._imbalance = float(y @ rows.a)
        return Progress(
            complementarity=rows.complementarity(),
            primal=square / 2 + float((rows.a + rows.r) @ np.maximum(0.0, self._target)),
            dual=total - square / 2,
            imbalance=abs(self._imbalance) / total if self.problem.bias else 0.0,
        )

    def predict(self, rows: Rows) -> Prediction:
        """Solve for the step that aims at mu = 0."""
        da, _ = self._solve(self._target)
        self._second, prediction = SecondOrder.of(rows, da)
        return prediction

    def correct(self, rows: Rows, mu: float) -> Direction:
        """Solve for the step that aims at mu, with second-order terms."""
        second = self._second
        da, self._db = self._solve(self._target + (second.margin - second.slack) + mu * rows.centring())
        return second.moves(rows, mu, da)

    def move(self, length: float) -> None:
        """Take that step with the hyperplane."""
        self._b += length * self._db

    def normal(self, rows: Rows) -> Floats:
        """Return the normal of the hyperplane."""
        signed = self.problem.y * rows.a
        return sum(self.problem.map(partial(_written, self.center), signed), np.zeros(self.problem.n_features))

    def start_at(self, w: Floats, b: float) -> None:
        """Take the offset; the normal is that of the multipliers."""
        self._b = b if self.center is None else b + float(w @ self.center)

    def _solve(self, target: Floats) -> tuple[Floats, float]:
        """Return da and db with (D + Y X X' Y) da + y db = target and, with bias, y.da = -y.a."""
        da = self._factor.solve(target)
        if not self.problem.bias:
            return da, 0.0
        y = self.problem.y
        db = float(y @ da + self._imbalance) / float(y @ self._solved_signs)
        return da - db * self._solved_signs, db


def inner_products(problem: Problem, center: Floats | None) -> Floats:
    """Return the n x n matrix of the (x_i - center).(x_j - center), chunk by chunk."""
    result = np.empty((problem.n_samples, problem.n_samples))
    for rows in slices(problem.n_samples, max(1, CHUNK_ENTRIES // problem.n_features)):
        others = _centred(problem.carrier[rows], center)
        for part, products in problem.map(partial(_products, others, center)):
            result[part, rows] = products
    return result


@np.errstate(all="ignore")
def _products(others: Any, center: Floats | None, rows: slice, X: Any) -> tuple[slice, Floats]:
    products = _centred(X, center) @ others.T
    return rows, products.toarray() if hasattr(products, "tocsr") else products


@np.errstate(all="ignore")
def _written(center: Floats | None, _: slice, X: Any, weights: Floats) -> Floats:
    return np.asarray(_centred(X, center).T @ weights)


def _centred(X: Any, center: Floats | None) -> Any:
    return X if center is None else X - center
