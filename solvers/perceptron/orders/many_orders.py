"""The perceptron in many random orders of the same rows, in parallel."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.orders.order_runs import OrderRuns, Outcomes
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

Rows = NDArray[np.int64]

_BLOCK = 64
"""Number of orders that are sampled together, from their own generator: the same on any number of threads."""

_CALL_SECONDS = 0.1
"""Intended seconds of one call of compiled code, which cannot check the time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ManyOrders:
    """Runs from w = 0, each cycling through one random order of the rows.

    Attributes
    ----------
    outcomes : Outcomes
        The outcomes of all orders, or of the first ones that ended within the time limit, at least one. The limit may
        cut the first run short; it has then not converged.
    seed : int
    n_samples : int
    """

    outcomes: Outcomes
    seed: int
    n_samples: int

    def order(self, k: int) -> Rows:
        """Return the rows in the order of run k, counted from 0."""
        block, position = divmod(k, _BLOCK)
        order: Rows = _orders_of_block(self.seed, block, self.n_samples)[position]
        return order


def many_orders(
    problem: Problem,
    settings: PerceptronSettings | None = None,
    *,
    n_orders: int = 1000,
    seed: int = 0,
    limits: Limits | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    n_threads: int | None = None,
) -> ManyOrders:
    """Run the perceptron in random orders, each until a clean epoch or a limit.

    Parameters
    ----------
    problem : Problem
        Rows in memory.
    settings : PerceptronSettings, optional
        Its order is ignored: every run cycles through its own.
    n_orders : int
    seed : int
        Order k is the same for any number of orders and of threads.
    limits : Limits, optional
        If the time is over, fewer orders are returned; by default all are run.
    on_progress : callable, optional
        Called with the number of finished orders and the number of all orders.
    n_threads : int, optional
        Number of threads that run orders if there is no time limit; by default one for every processor.

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
    limits = limits or Limits()
    is_limited = limits.time_limit is not None
    found = _in_time(runs, n_orders, seed, limits) if is_limited else _all(runs, n_orders, seed, n_threads)
    parts: list[Outcomes] = []
    n_done = 0
    for part in found:
        parts.append(part)
        n_done += len(part.n_mistakes)
        if on_progress is not None:
            on_progress(n_done, n_orders)
    return ManyOrders(outcomes=Outcomes.together(parts), seed=seed, n_samples=problem.n_samples)


def _all(runs: OrderRuns, n_orders: int, seed: int, n_threads: int | None) -> Iterator[Outcomes]:
    """Yield the outcomes of all orders, block by block, from several threads."""

    def block(start: int) -> Outcomes:
        orders = _orders_of_block(seed, start // _BLOCK, runs.problem.n_samples)
        return runs.run(orders[: n_orders - start])

    yield from in_order(block, range(0, n_orders, _BLOCK), n_workers=n_threads)


def _in_time(runs: OrderRuns, n_orders: int, seed: int, limits: Limits) -> Iterator[Outcomes]:
    """Yield the outcomes of one order after another until the time is over; short runs are made several at once."""
    n_samples, done, seconds = runs.problem.n_samples, 0, _CALL_SECONDS
    while done < n_orders and not (done and limits.is_over()):
        block, position = divmod(done, _BLOCK)
        at_once = min(max(1, int(_CALL_SECONDS / seconds)), n_orders - done) if done else 1
        orders = _orders_of_block(seed, block, n_samples)[position : position + at_once]
        began = time.monotonic()
        part, is_cut = (runs.run(orders), False) if len(orders) > 1 else runs.run_within(orders[0], limits.share())
        if not (done and is_cut):
            yield part
        if is_cut:
            return
        seconds = max((time.monotonic() - began) / len(orders), _CALL_SECONDS / _BLOCK)
        done += len(orders)


def _orders_of_block(seed: int, block: int, n_samples: int) -> Rows:
    """Return the orders from number 64 block on."""
    rng = np.random.default_rng([seed, block])
    return rng.permuted(np.tile(np.arange(n_samples), (_BLOCK, 1)), axis=1)
