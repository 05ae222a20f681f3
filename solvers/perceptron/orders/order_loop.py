"""Runs in given orders one after another, by the passes of a single run: for as few that many at once are not worth it.

They are in integers at first, of a Gram matrix where the rows are few, and later in floats with the Gram matrix. A run
that then meets a score so near 0 that rounding could decide it is given up; where that is not rare the passes over many
orders, which have the digits of the rows, are the better way.
"""

from threading import local

import numpy as np

from maxmargin.solvers.perceptron.engines.engine_choice import (
    NO_END,
    is_loaded,
    note_loaded,
    presentations_in_integers,
    steps_of_a_presentation,
)
from maxmargin.solvers.perceptron.engines.float_engines import Engine, OrdersEngine
from maxmargin.solvers.perceptron.engines.integer_engine import engine_of_many_runs
from maxmargin.solvers.perceptron.engines.limb_engine import no_digits
from maxmargin.solvers.perceptron.kernels.work import (
    EPOCH_POSITION,
    ERROR,
    GREATEST,
    N_DECIDED,
    N_EPOCHS,
    N_LOGGED,
    N_PRESENTED,
    NORM,
    Orders,
    Reason,
    Work,
    frozen,
)
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

_ROOM = 4096
"""Mistakes, and epochs, of a run between two looks at its limits."""

_MOST_ORDERS = 4_000
"""Orders whose calls take less time than to compile what runs many at once."""

_MOST_GIVEN_UP = 20

_TIMES_AS_SHORT = 4
"""Work in integers of many orders, in that of a single run: together about as much as to load compiled code."""


class OrderLoop:
    """What runs a problem in few orders, in any thread.

    Parameters
    ----------
    problem : Problem
        Rows in memory.
    settings : PerceptronSettings
    scale : float
        The constant coordinate s; 0 through the origin.
    engine : OrdersEngine
        What presents rows where they are too many for integers.
    """

    def __init__(self, problem: Problem, settings: PerceptronSettings, scale: float, engine: OrdersEngine) -> None:
        self.problem, self.scale, self.engine = problem, scale, engine
        self._name = f"orders, {engine.name}"
        self._is_over = is_loaded(self._name) or settings.short == 0
        self._of_thread = local()
        n_short = 0 if is_loaded(engine.name) else presentations_in_integers(problem, settings)
        self._short = _TIMES_AS_SHORT * steps_of_a_presentation(problem) * n_short
        self._exact = engine_of_many_runs(problem, scale) if n_short else None
        self._n_orders = self._work = self._n_given_up = 0

    def run(self, of: Orders, engine: OrdersEngine) -> None:
        """Run in every order, and update the arrays; from many orders on with the engine of this thread."""
        if self._is_over:
            engine.present_orders(of)
            note_loaded(self._name)
            return
        for k in range(len(of.orders)):
            self._run(of, k)
            self._n_orders += 1
            self._n_given_up += int(of.outcomes[k, 1])
        are_many = self._n_orders >= _MOST_ORDERS or self._n_given_up >= _MOST_GIVEN_UP
        self._is_over = are_many and self._short < NO_END

    def _run(self, of: Orders, k: int) -> None:
        engine, place = self._engine(), self._of_thread
        engine.state()[:] = 0
        of.size[[NORM, ERROR, GREATEST]] = 0.0
        cursor, outcome = place.cursor, of.outcomes[k]
        cursor[:] = 0
        n_mistakes, reason = 0, Reason.SLICE_IS_MADE
        while reason is not Reason.EPOCH_WAS_CLEAN and n_mistakes < of.max_mistakes and outcome[0] < of.max_epochs:
            reason = engine.present(
                Work(
                    y=of.y,
                    order=frozen(of.orders[k]),
                    wraps=True,
                    epoch_length=of.orders.shape[1],
                    zero_rule=of.zero_rule,
                    asks=True,
                    most=NO_END,
                    rounding=of.rounding,
                    digits=place.digits,
                    counts=of.counts[k],
                    size=of.size,
                    cursor=cursor,
                    log=place.log[: min(_ROOM, of.max_mistakes - n_mistakes)],
                    epochs=place.epochs[: min(_ROOM, of.max_epochs - outcome[0])],
                )
            )
            if self._exact is not None:
                of_presentation, of_mistake = self._exact.steps
                self._work += of_presentation * int(cursor[N_PRESENTED]) + of_mistake * int(cursor[N_LOGGED])
            n_mistakes += int(cursor[N_LOGGED])
            outcome[0] += cursor[N_EPOCHS]
            if reason is Reason.ROUNDING_MAY_DECIDE:
                break
        outcome[0] += cursor[EPOCH_POSITION] > 0
        outcome[1] = reason is Reason.ROUNDING_MAY_DECIDE
        outcome[2] = reason is Reason.EPOCH_WAS_CLEAN

    def _engine(self) -> Engine:
        """Return the engine of this thread."""
        place = self._of_thread
        if not hasattr(place, "cursor"):
            place.cursor = np.zeros(N_DECIDED + 1, dtype=np.int64)
            place.log, place.epochs = np.empty((2, _ROOM), dtype=np.int64)
            place.digits = no_digits()
            place.engine = self.engine.twin() if self._exact is None else self._exact.twin()
        if place.engine.is_exact and self._work >= self._short:
            place.engine = self.engine.twin()
            note_loaded(self.engine.name)
        engine: Engine = place.engine
        return engine
