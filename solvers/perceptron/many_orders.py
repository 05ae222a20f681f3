"""The perceptron in many random orders of the same rows, in parallel."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.chunks import in_order
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.order_runs import OrderRuns, Outcomes
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem import Problem

Rows = NDArray[np.int64]

_BLOCK = 64
"""Orders that are drawn together, from a generator of their own: the same on any number of threads."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ManyOrders:
    """Runs from w = 0, each cycling through one random order of the rows.

    Attributes
    ----------
    outcomes : Outcomes
    seed : int
    n_samples : int
    """

    outcomes: Outcomes
    seed: int
    n_samples: int

    def order(self, k: int) -> Rows:
        """Return the rows in the order of run k, counted from 0."""
        block, place = divmod(k, _BLOCK)
        order: Rows = _orders_of_block(self.seed, block, self.n_samples)[place]
        return order


def many_orders(
    problem: Problem,
    settings: PerceptronSettings | None = None,
    *,
    n_orders: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> ManyOrders:
    """Run the perceptron in random orders, each until a clean epoch or a limit.

    Parameters
    ----------
    problem : Problem
        Rows in memory.
    settings : PerceptronSettings, optional
        Its order is not looked at: every run cycles through its own.
    n_orders : int
    seed : int
        Order k is the same for any number of orders and of threads.
    on_progress : callable, optional
        Called with the number of finished orders, and of all.

    Raises
    ------
    InvalidOptionError
        If there are no orders to run, the seed is negative, or the rows are not in memory.

    Examples
    --------
    >>> found = many_orders(Problem.validated([[10.0], [12.0], [15.0]], [-1, 1, 1]), n_orders=20)
    >>> sorted(set(found.outcomes.n_mistakes.tolist()))
    [107, 119, 233, 257]
    """
    for name, value, least in (("n_orders", n_orders, 1), ("seed", seed, 0)):
        if int(value) != value or value < least:
            raise InvalidOptionError(f"{name} is {value!r}; expected a whole number from {least}")
    runs = OrderRuns(problem, settings or PerceptronSettings())

    def block(start: int) -> Outcomes:
        orders = _orders_of_block(seed, start // _BLOCK, problem.n_samples)
        return runs.run(orders[: n_orders - start])

    parts: list[Outcomes] = []
    for part in in_order(block, range(0, n_orders, _BLOCK)):
        parts.append(part)
        if on_progress is not None:
            on_progress(min(len(parts) * _BLOCK, n_orders), n_orders)
    return ManyOrders(outcomes=Outcomes.together(parts), seed=seed, n_samples=problem.n_samples)


def _orders_of_block(seed: int, block: int, n_samples: int) -> Rows:
    """Return the orders from number 64 block on."""
    rng = np.random.default_rng([seed, block])
    return rng.permuted(np.tile(np.arange(n_samples), (_BLOCK, 1)), axis=1)
