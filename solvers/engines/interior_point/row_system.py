"""Newton steps of the soft margin and the nu-SVM by the n x n matrix D + Y X X' Y, for fewer rows than columns."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.engines.interior_point.central_path import Aim, Prediction, Progress, Rows
from maxmargin.solvers.engines.interior_point.factor import Factor
from maxmargin.solvers.engines.interior_point.row_view import weighted_rows
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]


class RowSystem:
    """The Newton steps where the normal of an iterate is always w = sum a y x; only the offsets are free.

    A margin is y w.x plus a free column times its offset: y times b with bias, and for the nu-SVM -1 times rho. The
    multipliers are to sum to 0 along y, and to nu.

    Parameters
    ----------
    problem : Problem
    center : ndarray (n_features,) or None
        The vector subtracted from every row.
    aim : Aim
        With nu there is an offset rho, at the cost -nu.
    """

    def __init__(self, problem: Problem, center: Floats | None, aim: Aim) -> None:
        self.problem, self.center, self.aim = problem, center, aim
        self._y = y = problem.y.astype(np.float64)
        self._gram = inner_products(problem, center)
        self._gram *= y * y[:, None]
        columns, costs = [y] if problem.bias else [], [0.0] if problem.bias else []
        if aim.nu is not None:
            columns, costs = [*columns, -np.ones(len(y))], [*costs, -aim.nu]
        self._free = np.stack(columns, axis=1) if columns else np.empty((len(y), 0))
        self._costs = np.array(costs)
        self._offsets = np.zeros(len(costs))

    def linearise(self, rows: Rows) -> Progress:
        """Factorise the system at the iterate, and return how good that is."""
        y = self._y
        written = self._gram @ rows.a
        at = self._at = rows.at(y, y * (written + self._free @ self._offsets), self.aim.target)
        self._weights = at.roots**-2
        self._factor = Factor(self._gram + np.diag(self._weights))
        self._solved_free = self._factor.solve(self._free)
        self._residual = self._free.T @ rows.a - self._costs
        square, cost = float(rows.a @ written) / 2, float(self._costs @ self._offsets)
        return Progress(
            complementarity=at.complementarity,
            primal=square + cost + at.hinge,
            dual=self.aim.target * at.total - square,
            size=square + abs(cost) + at.hinge,
            imbalance=float(abs(self._residual).sum()) / at.total,
        )

    def predict(self, rows: Rows) -> Prediction:
        """Solve for the step that aims at mu = 0."""
        self._affine, _ = self._solve(self._at.t)
        shares, prediction = rows.second_order(self._y, self._affine)
        self._second, self._centring = shares * (self._y * self._weights)
        return prediction

    def correct(self, rows: Rows, mu: float, *, with_second_order: bool) -> float:
        """Solve for the step that aims at mu."""
        self._mu = mu
        target = self._at.t + mu * self._centring
        if with_second_order:
            target += self._second
        else:
            self._affine[:] = 0.0
        self._change, self._step = self._solve(target)
        return rows.blocking(mu, self._affine, self._change)

    def move(self, rows: Rows, length: float) -> None:
        """Take that step, with the rows and the offsets."""
        self._offsets = self._offsets + length * self._step
        rows.move(length, self._mu, self._affine, self._change)

    def normal(self, rows: Rows) -> Floats:
        """Return the normal of the hyperplane."""
        return weighted_rows(self.problem, self._y * rows.a, self.center)

    def start_at(self, w: Floats, b: float, rho: float = 0.0) -> None:
        """Take the offsets; the normal is that of the multipliers."""
        offsets = [b if self.center is None else b + float(w @ self.center)] * self.problem.bias
        self._offsets = np.array([*offsets, *([] if self.aim.nu is None else [rho])])

    def _solve(self, target: Floats) -> tuple[Floats, Floats]:
        """Return da and the change of the offsets.

        With F the free columns (D + Y X X' Y) da + F step = target and F' da = -residual.
        """
        da = self._factor.solve(target)
        if not self._offsets.size:
            return da, self._offsets
        step = np.linalg.solve(self._free.T @ self._solved_free, self._free.T @ da + self._residual)
        return da - self._solved_free @ step, step


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
