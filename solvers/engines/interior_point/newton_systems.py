"""The linear systems of the Newton steps: with a matrix of d + 1 rows, or of n where there are fewer rows than columns.

An interior point of the soft margin or of the nu-SVM takes three steps in turn: `linearise` factorises the system,
`predict` solves it for the step that aims at mu = 0, and `correct` for the step that is taken.
"""

from abc import ABC, abstractmethod
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


class _NewtonSystem(ABC):
    """A hyperplane that moves with the rows of an interior point, and the linear system of a step.

    Parameters
    ----------
    problem : Problem
    nu : float, optional
        With it there is an offset rho, at the cost -nu.

    Attributes
    ----------
    plane : ndarray
        The part of the hyperplane (w, b, rho) that does not follow from the multipliers.
    """

    plane: Floats
    _side: Floats
    _second: Floats
    _centring: Floats
    _affine: Floats
    _change: Floats
    _step: Floats

    def __init__(self, problem: Problem, nu: float | None) -> None:
        self.problem, self.target, self._mu = problem, float(nu is None), 0.0

    @abstractmethod
    def _solve_for(self, rows: PathRows, side: Floats) -> float:
        """Solve for the step with this right-hand side; return the greatest relative decrease at the full step."""

    def correct(self, rows: PathRows, mu: float, *, with_second_order: bool) -> float:
        """Solve for the step that aims at mu; return the greatest relative decrease at the full step."""
        self._mu = mu
        side = self._side + mu * self._centring
        if with_second_order:
            side += self._second
        else:
            self._affine[:] = 0.0
        return self._solve_for(rows, side)

    def move(self, rows: PathRows, length: float) -> None:
        """Take this step, with the rows and the hyperplane."""
        self.plane = self.plane + length * self._step
        rows.move(length, self._mu, self._affine, self._change)


class ColumnSystem(_NewtonSystem):
    """Steps by the (d + 1) x (d + 1) matrix I + X'D^-1 X, with three passes over the rows for each.

    Parameters
    ----------
    problem : Problem
    center : ndarray (n_features,) or None
        The vector subtracted from every row.
    nu : float, optional
    at_bound : RowsAtBound, optional
        Further rows, outside the problem, each of which adds its cost times 1 - y (w.x + b) to the objective. Without
        nu only.
    """

    def __init__(
        self, problem: Problem, center: Floats | None, nu: float | None, at_bound: RowsAtBound | None = None
    ) -> None:
        super().__init__(problem, nu)
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

    def _solve_for(self, rows: PathRows, side: Floats) -> float:
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

    def normal(self, rows: PathRows) -> Floats:
        """Return the normal of the hyperplane; subtracting a center does not change it."""
        return self.plane[: self.problem.n_features]

    def start_at(self, w: Floats, b: float, rho: float = 0.0) -> None:
        """Start from a hyperplane."""
        self.plane = np.append(self._view.plane_of(w, b), [rho] * self._view.has_rho)

    def _pass(self, function: Callable[..., Any], *vectors: Floats) -> Iterator[Any]:
        return self.problem.map(function, self.problem.y, *vectors)


class RowSystem(_NewtonSystem):
    """Steps by the n x n matrix D + Y X X' Y; the normal is always w = sum a y x, and only the offsets are free.

    A margin is y w.x plus a free column times its offset: y times b with bias, and for the nu-SVM -1 times rho. The
    multipliers are to sum to 0 along y, and to nu.

    Parameters
    ----------
    problem : Problem
    center : ndarray (n_features,) or None
        The vector subtracted from every row.
    nu : float, optional
    """

    def __init__(self, problem: Problem, center: Floats | None, nu: float | None) -> None:
        super().__init__(problem, nu)
        self.center = center
        self._y = y = problem.y.astype(np.float64)
        self._gram = inner_products(problem, center)
        self._gram *= y * y[:, None]
        free = [(y, 0.0)] * problem.bias + ([] if nu is None else [(-np.ones(len(y)), -nu)])
        self._free = np.stack([column for column, _ in free], axis=1) if free else np.empty((len(y), 0))
        self._costs = np.array([cost for _, cost in free])
        self.plane = np.zeros(len(free))

    def linearise(self, rows: PathRows) -> IterateQuality:
        """Factorise the system at the iterate, and return how good the iterate is."""
        y = self._y
        written = self._gram @ rows.a
        at = rows.at(y, y * (written + self._free @ self.plane), self.target)
        self._side, self._weights = at.t, at.roots**-2
        self._factor = CholeskyFactor(self._gram + np.diag(self._weights))
        self._solved_free = self._factor.solve(self._free)
        self._residual = self._free.T @ rows.a - self._costs
        square, cost = float(rows.a @ written) / 2, float(self._costs @ self.plane)
        return IterateQuality(
            complementarity=at.complementarity,
            primal=square + cost + at.hinge,
            dual=self.target * at.total - square,
            size=square + abs(cost) + at.hinge,
            imbalance=float(abs(self._residual).sum()) / at.total,
        )

    def predict(self, rows: PathRows) -> Prediction:
        """Solve for the step that aims at mu = 0."""
        self._affine, _ = self._solve(self._side)
        shares, prediction = rows.second_order(self._y, self._affine)
        self._second, self._centring = shares * (self._y * self._weights)
        return prediction

    def _solve_for(self, rows: PathRows, side: Floats) -> float:
        self._change, self._step = self._solve(side)
        return rows.blocking(self._mu, self._affine, self._change)

    def normal(self, rows: PathRows) -> Floats:
        """Return the normal of the hyperplane; subtracting a center does not change it."""
        return weighted_rows(self.problem, self._y * rows.a, self.center)

    def start_at(self, w: Floats, b: float, rho: float = 0.0) -> None:
        """Start from the offsets of a hyperplane; its normal is given by the multipliers."""
        offsets = [b if self.center is None else b + float(w @ self.center)] * self.problem.bias
        self.plane = np.array([*offsets, rho][: len(self.plane)])

    def _solve(self, target: Floats) -> tuple[Floats, Floats]:
        """Return da and the change of the offsets.

        With F the free columns (D + Y X X' Y) da + F step = target and F' da = -residual.
        """
        da = self._factor.solve(target)
        if not self.plane.size:
            return da, self.plane
        step = np.linalg.solve(self._free.T @ self._solved_free, self._free.T @ da + self._residual)
        return da - self._solved_free @ step, step


System = ColumnSystem | RowSystem


def inner_products(problem: Problem, center: Floats | None) -> Floats:
    """Return the n x n matrix of the (x_i - center).(x_j - center), chunk by chunk."""
    result = np.empty((problem.n_samples, problem.n_samples))
    for rows in slices(problem.n_samples, max(1, problem.sizes.chunk_entries // problem.n_features)):
        others = _centred(problem.row_source[rows], center)
        for part, products in problem.map(partial(_products, others, center)):
            result[part, rows] = products
    return result


@np.errstate(all="ignore")
def _products(others: Any, center: Floats | None, rows: slice, X: Any) -> tuple[slice, Floats]:
    products = _centred(X, center) @ others.T
    return rows, products.toarray() if hasattr(products, "tocsr") else products


def _centred(X: Any, center: Floats | None) -> Any:
    return X if center is None else X - center
