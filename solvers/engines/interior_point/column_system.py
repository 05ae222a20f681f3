"""Newton steps of the soft margin by the (d+1) x (d+1) matrix I + X'D^-1 X: three passes over the rows each."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.interior_point import sparse_passes
from maxmargin.solvers.engines.interior_point.central_path import (
    FEW_ENTRIES,
    Aim,
    Prediction,
    Progress,
    Rows,
    RowsAtBound,
)
from maxmargin.solvers.engines.interior_point.factor import Factor
from maxmargin.solvers.engines.interior_point.row_view import RowView
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]

_NORMAL_ERROR = 1e-8
"""Error of the dual equations, relative to ||w||, above which a direction is refined: its square enters the gap."""

_BALANCE_ERROR = 1e-13
"""Error of the balance, relative to sum a, above which a direction is refined: it enters the gap at first order."""


def passes_over(problem: Problem) -> Any:
    """Return the module with the passes for these rows; only many dense ones are worth a compiler."""
    if problem.is_sparse or problem.n_samples * problem.n_features <= FEW_ENTRIES:
        return sparse_passes
    from maxmargin.solvers.engines.interior_point import dense_passes

    return dense_passes


class ColumnSystem:
    """The hyperplane (w, b, rho) of the iterate, and the linear systems.

    Parameters
    ----------
    problem : Problem
    center : ndarray (n_features,) or None
        The vector subtracted from every row.
    aim : Aim
    at_bound : RowsAtBound, optional
        Rows beside those of the problem, each of which adds its cost times 1 - y (w.x + b) to the objective. Without
        nu only.
    """

    def __init__(self, problem: Problem, center: Floats | None, aim: Aim, at_bound: RowsAtBound | None = None) -> None:
        self.problem, self.aim = problem, aim
        self._view = RowView(center, problem.bias, aim, problem.sizes)
        self._passes = passes_over(problem)
        d, has_rho = problem.n_features, aim.nu is not None
        self.plane = np.zeros(d + problem.bias + has_rho)
        self._penalty = (np.arange(len(self.plane)) < d).astype(np.float64)
        self._cost = np.zeros(len(self.plane))
        if aim.nu is not None:
            self._cost[-1] = -aim.nu
        self._total_at_bound = 0.0
        if at_bound is not None:
            self._total_at_bound = at_bound.total
            self._cost[:d] = -at_bound.written
            self._cost[d:] = -at_bound.balance
        self._t, self._affine_change, self._change = np.empty((3, problem.n_samples))

    def linearise(self, rows: Rows) -> Progress:
        """Factorise the system at the iterate, and return how good that is."""
        targets, *parts = zip(*self._pass(partial(self._passes.linearise, self.plane), *rows), strict=True)
        _fill(self._t, targets)
        gram, written, complementarity, hinge, total = (sum(part) for part in parts)
        self._side = gram[:-1, -1]
        self._factor = Factor(gram[:-1, :-1] + np.diag(self._penalty))
        self._residual = self._penalty * self.plane + self._cost - written
        self._total = total + self._total_at_bound
        return self._progress(written, complementarity, hinge)

    def _progress(self, written: Floats, complementarity: float, hinge: float) -> Progress:
        d = self.problem.n_features
        square, cost = float(self.plane[:d] @ self.plane[:d]) / 2, self._total_at_bound + float(self._cost @ self.plane)
        normal = written[:d] - self._cost[:d]
        return Progress(
            complementarity=complementarity,
            primal=square + cost + hinge,
            dual=self.aim.target * self._total - float(normal @ normal) / 2,
            size=square + abs(cost) + hinge,
            imbalance=float(abs(self._residual[d:]).sum()) / self._total,
        )

    def predict(self, rows: Rows) -> Prediction:
        """Solve for the step that aims at mu = 0."""
        affine = self._factor.solve(self._side - self._residual)
        passed = self._pass(partial(self._passes.predict, affine), self._t, *rows)
        changes, sides, predictions = zip(*passed, strict=True)
        _fill(self._affine_change, changes)
        self._second_side, self._centring_side = sum(sides)
        return Prediction(sum(p.curvature for p in predictions), max(p.blocking for p in predictions))

    def correct(self, rows: Rows, mu: float, *, with_second_order: bool) -> float:
        """Solve for the step that aims at mu."""
        self._mu = mu
        side = self._side + mu * self._centring_side
        if with_second_order:
            side += self._second_side
        else:
            self._affine_change[:] = 0.0
        self._step = self._factor.solve(side - self._residual)
        blocking, error = self._directed(rows)
        if self._is_inaccurate(error):
            self._step = self._step + self._factor.solve(error)
            blocking, _ = self._directed(rows)
        return blocking

    def _directed(self, rows: Rows) -> tuple[float, Floats]:
        """Keep what the step does to the rows; return what blocks it, and by how much it misses the dual equations."""
        passed = self._pass(partial(self._passes.correct, self._step, self._mu), self._t, self._affine_change, *rows)
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
        self.plane = np.append(self._view.plane_of(w, b), [rho] * self._view.has_rho)

    def _pass(self, function: Callable[..., Any], *vectors: Floats) -> Iterator[Any]:
        return self.problem.map(partial(function, self._view), self.problem.y, *vectors)


def _fill(whole: Floats, parts: tuple[Floats, ...]) -> None:
    np.concatenate(parts, out=whole)
