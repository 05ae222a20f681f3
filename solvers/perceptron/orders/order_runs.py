"""Runs of the perceptron that each cycle through an order of its own, many in one call of compiled code."""

from dataclasses import dataclass, replace
from threading import local

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines.engine_choice import MOST_ROWS
from maxmargin.solvers.perceptron.engines.float_engines import GramEngine, OrdersEngine, WeightsEngine
from maxmargin.solvers.perceptron.engines.limb_engine import digits_of, with_weights_of_its_own
from maxmargin.solvers.perceptron.engines.row_units import Units
from maxmargin.solvers.perceptron.kernels.work import EXACT_UP_TO, Orders, frozen
from maxmargin.solvers.perceptron.orders.order_loop import OrderLoop
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import ZERO_RULES, Method, PerceptronSettings, StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_NO_LIMIT = 1 << 62
_EPOCHS, _GIVEN_UP, _CONVERGED = range(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcomes:
    """How runs from w = 0 ended.

    Attributes
    ----------
    n_mistakes, n_epochs : ndarray (n_orders,) of int
    converged : ndarray (n_orders,) of bool
    margin : ndarray (n_orders,)
        Least y(w.x + b)/||w|| of the hyperplane that each ended on, in floating point; nan at w = 0.
    n_uncertain : ndarray (n_orders,) of int
        Scores whose sign rounding may have decided, of runs that were repeated because digits could not decide one.
        Where it is 0 the run is that of exact arithmetic.
    """

    n_mistakes: Rows
    n_epochs: Rows
    converged: NDArray[np.bool_]
    margin: Floats
    n_uncertain: Rows

    @classmethod
    def together(cls, parts: "list[Outcomes]") -> "Outcomes":
        """Return the outcomes one after another."""
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__})


class OrderRuns:
    """What runs a problem in given orders, in any thread.

    Parameters
    ----------
    problem : Problem
        Rows in memory.
    settings : PerceptronSettings
        Its order is not looked at; nor is its method, unless it is that of weights.

    Raises
    ------
    InvalidOptionError
        If the rows are not in memory.
    """

    def __init__(self, problem: Problem, settings: PerceptronSettings) -> None:
        if not isinstance(problem.carrier, InMemory):
            raise InvalidOptionError("many orders need the rows in memory; found rows elsewhere: allow more memory")
        method = Method.WEIGHTS if settings.method is Method.WEIGHTS else Method.AUTO
        self.problem, self.settings = problem, replace(settings, order=Order.CYCLIC, method=method)
        self.units = Units.of(problem, settings)
        self.exact_up_to = self.units.exact_up_to(problem)
        self.X = self.units.rows(problem.X)
        self._engine = self._engine_of_rows()
        self._digits = digits_of(problem, settings)
        self._of_thread = local()
        scale = settings.bias_scale if problem.bias else 0.0
        self._loop = OrderLoop(problem, self.settings, scale, self._engine)

    def _engine_of_rows(self) -> OrdersEngine:
        if self.problem.n_samples <= MOST_ROWS and self.settings.method is not Method.WEIGHTS:
            return GramEngine(self.units, self.problem)
        return WeightsEngine(self.units, self.X, self.problem.y)

    def run(self, orders: Rows) -> Outcomes:
        """Run in each of the orders, of shape (n_orders, n_samples)."""
        counts, outcomes = np.zeros_like(orders), np.zeros((len(orders), 3), dtype=np.int64)
        engine = self._engine_of_this_thread()
        size = np.zeros(EXACT_UP_TO + 1)
        size[EXACT_UP_TO] = self.exact_up_to
        work = Orders(
            y=engine.y,
            rounding=engine.rounding,
            zero_rule=ZERO_RULES[self.settings.zero],
            max_mistakes=self.settings.max_mistakes or _NO_LIMIT,
            max_epochs=self.settings.max_epochs or _NO_LIMIT,
            digits=with_weights_of_its_own(self._digits, self.settings.sizes),
            orders=frozen(np.ascontiguousarray(orders)),
            size=size,
            counts=counts,
            outcomes=outcomes,
        )
        self._loop.run(work, engine)
        n_uncertain = np.zeros(len(orders), dtype=np.int64)
        for k in np.flatnonzero(outcomes[:, _GIVEN_UP]):
            n_uncertain[k] = self.repeat(orders[k], counts[k], outcomes[k])
        return Outcomes(
            n_mistakes=counts.sum(axis=1),
            n_epochs=outcomes[:, _EPOCHS],
            n_uncertain=n_uncertain,
            converged=outcomes[:, _CONVERGED] > 0,
            margin=self._margins(counts),
        )

    def _engine_of_this_thread(self) -> OrdersEngine:
        if not hasattr(self._of_thread, "engine"):
            self._of_thread.engine = self._engine.twin()
        engine: OrdersEngine = self._of_thread.engine
        return engine

    def repeat(self, order: Rows, counts: Rows, outcome: Rows) -> int:
        """Run once more where scores are computed outside compiled code; return how many were not even there."""
        run = perceptron(in_this_order(self.problem, order), self.settings)
        counts[order] = run.mistake_counts
        outcome[_EPOCHS], outcome[_CONVERGED] = run.n_epochs, run.converged
        return run.n_uncertain

    def run_within(self, order: Rows, seconds: float | None) -> tuple[Outcomes, bool]:
        """Run in one order, and stop when the time is over; return how it ended, and whether it was cut short."""
        run = perceptron(in_this_order(self.problem, order), replace(self.settings, time_limit=seconds))
        counts = np.zeros((1, len(order)), dtype=np.int64)
        counts[0, order] = run.mistake_counts
        outcomes = Outcomes(
            n_mistakes=np.array([run.n_mistakes]),
            n_epochs=np.array([run.n_epochs]),
            converged=np.array([run.converged]),
            margin=self._margins(counts),
            n_uncertain=np.array([run.n_uncertain]),
        )
        return outcomes, run.stop_reason is StopReason.TIME_LIMIT

    def _margins(self, counts: Rows) -> Floats:
        signed = counts * self.problem.y
        w = np.asarray((self.X.T @ signed.T).T)
        b = self.units.scale**2 * signed.sum(axis=1)
        norms = np.sqrt((w * w).sum(axis=1))
        least = ((np.asarray(self.X @ w.T).T + b[:, np.newaxis]) * self.problem.y).min(axis=1)
        margins = np.where(norms > 0, least / np.where(norms > 0, norms, 1.0), np.nan)
        with np.errstate(over="ignore"):  # a row may lie farther on the wrong side than binary64 goes
            return np.ldexp(margins, self.units.exponent)


def in_this_order(problem: Problem, order: Rows) -> Problem:
    """Return the problem with its rows in another order."""
    return Problem(problem.X[order], problem.y[order], problem.bias)
