"""The linear systems of the Newton steps, with a matrix of d + 1 rows.

An interior point of the soft margin or of the nu-SVM takes three steps in turn: `linearise` factorises the system,
`predict` solves it for the step that aims at mu = 0, and `correct` for the step that is taken.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.engines.cholesky import CholeskyFactor
from maxmargin.solvers.engines.interior_point.central_path import IterateQuality, PathRows, Prediction, RowsAtBound
from maxmargin.solvers.engines.interior_point.row_view import RowView, weighted_rows
from maxmargin.solvers.problem.problem import Problem

# Error of the dual equations, relative to ||w||, above which a direction is refined: its square enters the gap.
_NORMAL_ERROR = 1e-8

# Error of the balance, relative to sum a, above which a direction is refined: it enters the gap at first order.
_BALANCE_ERROR = 1e-13


class NewtonSystem:
    """A hyperplane that moves with the rows of an interior point, and the system I + X'D^-1 X of its steps.

    Each step takes three passes over the rows.

    Parameters
    ----------
    problem : Problem
    center : ndarray (n_features,) or None
        The vector subtracted from every row.
    nu : float, optional
        With it there is an offset rho, at the cost -nu.
    at_bound : RowsAtBound, optional
        Further rows, outside the problem, each of which adds its cost times 1 - y (w.x + b) to the objective. Without
        nu only.

    Attributes
    ----------
    plane : ndarray
        The hyperplane (w, b, rho).
    """

    def __init__(
        self, problem: Problem, center: Floats | None, nu: float | None, at_bound: RowsAtBound | None = None
    ) -> None:
        self.problem, self.target, self._mu = problem, float(nu is None), 0.0
        self._view, d = RowView(center, problem.bias, nu is not None, problem.sizes), problem.n_features
        self.plane = np.zeros(d + problem.bias + self._view.has_rho)
        self._penalty = (np.arange(len(self.plane)) < d).astype(np.float64)
        self._cost = np.zeros(len(self.plane))
        if nu is not None:
            self._cost[-1] = -nu
        self._total_at_bound = 0.0
        if at_bound is not None:
            self._total_at_bound = at_bound.total
            self._cost[:d] = -at_bound.written
            self._cost[d:] = -at_bound.balance
        self._t, self._affine, self._change = np.empty((3, problem.n_samples))

    def linearise(self, rows: PathRows) -> IterateQuality:
        """Factorise the system at the iterate, and return how good the iterate is."""
        targets, *parts = zip(*self._pass(partial(self._view.linearise, self.plane), *rows), strict=True)
        np.concatenate(targets, out=self._t)
        gram, written, complementarity, hinge, total = (sum(part) for part in parts)
        self._side = gram[:-1, -1]
        self._factor = CholeskyFactor(gram[:-1, :-1] + np.diag(self._penalty))
        self._residual = self._penalty * self.plane + self._cost - written
        self._total = total + self._total_at_bound
        return self._progress(written, complementarity, hinge)

    def _progress(self, written: Floats, complementarity: float, hinge: float) -> IterateQuality:
        d = self.problem.n_features
        square, cost = float(self.plane[:d] @ self.plane[:d]) / 2, self._total_at_bound + float(self._cost @ self.plane)
        normal = written[:d] - self._cost[:d]
        return IterateQuality(
            complementarity=complementarity,
            primal=square + cost + hinge,
            dual=self.target * self._total - float(normal @ normal) / 2,
            size=square + abs(cost) + hinge,
            imbalance=float(abs(self._residual[d:]).sum()) / self._total,
        )

    def predict(self, rows: PathRows) -> Prediction:
        """Solve for the step that aims at mu = 0."""
        affine = self._factor.solve(self._side - self._residual)
        passed = self._pass(partial(self._view.predict, affine), self._t, *rows)
        changes, sides, predictions = zip(*passed, strict=True)
        np.concatenate(changes, out=self._affine)
        self._second, self._centring = sum(sides)
        return Prediction.of_all(predictions)

    def correct(self, rows: PathRows, mu: float, *, with_second_order: bool) -> float:
        """Solve for the step that aims at mu; return the greatest relative decrease at the full step."""
        self._mu = mu
        side = self._side + mu * self._centring
        if with_second_order:
            side += self._second
        else:
            self._affine[:] = 0.0
        self._step = self._factor.solve(side - self._residual)
        blocking, error = self._directed(rows)
        if self._is_inaccurate(error):
            self._step = self._step + self._factor.solve(error)
            blocking, _ = self._directed(rows)
        return blocking

    def _directed(self, rows: PathRows) -> tuple[float, Floats]:
        """Store the changes of the rows; return the limit of the step's length, and its error in the dual equations."""
        passed = self._pass(partial(self._view.correct, self._step, self._mu), self._t, self._affine, *rows)
        changes, written, blocking = zip(*passed, strict=True)
        np.concatenate(changes, out=self._change)
        return max(blocking), sum(written) - self._residual - self._penalty * self._step

    def _is_inaccurate(self, error: Floats) -> bool:
        d = self.problem.n_features
        size = float(np.linalg.norm(self.plane[:d] + self._step[:d]))
        in_balance = float(abs(error[d:]).sum())
        return float(np.linalg.norm(error[:d])) > _NORMAL_ERROR * size or in_balance > _BALANCE_ERROR * self._total

    def move(self, rows: PathRows, length: float) -> None:
        """Take this step, with the rows and the hyperplane."""
        self.plane = self.plane + length * self._step
        rows.move(length, self._mu, self._affine, self._change)

    @property
    def normal(self) -> Floats:
        """The normal of the hyperplane; subtracting a center does not change it."""
        return self.plane[: self.problem.n_features]

    def start_at(self, w: Floats, b: float, rho: float = 0.0) -> None:
        """Start from a hyperplane."""
        self.plane = np.append(self._view.plane_of(w, b), [rho] * self._view.has_rho)

    def _pass(self, function: Callable[..., Any], *vectors: Floats) -> Iterator[Any]:
        return self.problem.map(function, self.problem.y, *vectors)


def in_space_of_rows(problem: Problem, center: Floats | None) -> Problem:
    """Return rows of as many columns as rows that have the inner products of the centred rows, up to rounding."""
    products = np.empty((problem.n_samples, problem.n_samples))
    for rows in slices(problem.n_samples, max(1, problem.sizes.chunk_entries // problem.n_features)):
        others = _centred(problem.row_source[rows], center)
        for part, found in problem.map(partial(_products, others, center)):
            products[part, rows] = found
    # A row that is 0 has no direction: a tiny one of its own stands for it.
    np.fill_diagonal(products, np.maximum(products.diagonal(), np.finfo(np.float64).tiny))
    return Problem(CholeskyFactor(products).rows, problem.y, problem.bias, sizes=problem.sizes)


def home_of_rows(problem: Problem, center: Floats | None, lower: Floats, normal: Floats) -> Floats:
    """Return the normal with the same scores, but for a constant, in the original coordinates."""
    from scipy.linalg import solve_triangular

    return weighted_rows(problem, solve_triangular(lower, normal, trans="T", lower=True, check_finite=False), center)


@np.errstate(all="ignore")
def _products(others: Any, center: Floats | None, rows: slice, X: Any) -> tuple[slice, Floats]:
    products = _centred(X, center) @ others.T
    return rows, products.toarray() if hasattr(products, "tocsr") else products


def _centred(X: Any, center: Floats | None) -> Any:
    return X if center is None else X - center
