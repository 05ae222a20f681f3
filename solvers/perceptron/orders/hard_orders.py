"""Orders in which the perceptron makes many mistakes, or few, found by local search."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.perceptron.orders.order_runs import OrderRuns, Outcomes
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

Rows = NDArray[np.int64]

Move = Callable[[Rows, np.random.Generator], Rows]

_AT_ONCE = 32
"""Number of neighbours of an order that are tried together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundOrder:
    """An order of the rows, with the mistakes of a run that cycles through it, in exact arithmetic.

    Attributes
    ----------
    order : ndarray (n_samples,) of int
    n_mistakes, n_epochs : int
    converged : bool
    """

    order: Rows
    n_mistakes: int
    n_epochs: int
    converged: bool

    @classmethod
    def of(cls, order: Rows, outcomes: Outcomes, k: int) -> "FoundOrder":
        """Return an order with the outcome of its run, the one at position k."""
        return cls(
            order=order,
            n_mistakes=int(outcomes.n_mistakes[k]),
            n_epochs=int(outcomes.n_epochs[k]),
            converged=bool(outcomes.converged[k]),
        )


def local_search(
    problem: Problem,
    settings: PerceptronSettings,
    start: Rows,
    *,
    most: bool,
    n_trials: int = 2000,
    rng: np.random.Generator,
    limits: Limits | None = None,
    move: Move | None = None,
) -> FoundOrder:
    """Improve an order by moving rows; a move is kept unless it makes the mistakes fewer (or more, for the fewest).

    Parameters
    ----------
    problem : Problem
        Rows in memory.
    settings : PerceptronSettings
        Limits and zero rule; every run cycles through its order.
    start : ndarray (n_samples,) of int
    most : bool
        Whether to look for many mistakes, else for few.
    n_trials : int
        Approximate number of orders that are tried.
    rng : numpy.random.Generator
    limits : Limits, optional
        If the time is over, or would be over after another round, the best order so far is returned.
    move : callable, optional
        Returns a neighbour of an order; by default two rows are exchanged, or some adjacent rows are moved.
    """
    limits, move = limits or Limits(), move or moved
    runs, sign = OrderRuns(problem, settings), 1 if most else -1
    began = time.monotonic()
    outcomes, is_cut = runs.run_within(start, limits.share())
    best = FoundOrder.of(start, outcomes, 0)
    seconds = _AT_ONCE * (time.monotonic() - began)  # of a round, which does not look at the time
    for _ in range(0 if is_cut else -(-n_trials // _AT_ONCE)):
        if limits.ends_within(seconds):
            break
        began = time.monotonic()
        neighbours = np.array([move(best.order, rng) for _ in range(_AT_ONCE)])
        outcomes = runs.run(neighbours)
        first = int((sign * outcomes.n_mistakes).argmax())
        if sign * (int(outcomes.n_mistakes[first]) - best.n_mistakes) >= 0:
            best = FoundOrder.of(neighbours[first], outcomes, first)
        seconds = time.monotonic() - began
    return best


def moved(order: Rows, rng: np.random.Generator) -> Rows:
    """Return the order with two rows exchanged, or with some adjacent rows moved."""
    n = len(order)
    if n < 2:
        return order
    first, second = np.sort(rng.choice(n, 2, replace=False))
    if rng.random() < 0.5:
        exchanged = order.copy()
        exchanged[[first, second]] = order[[second, first]]
        return exchanged
    part, rest = order[first:second], np.delete(order, slice(first, second))
    return np.insert(rest, rng.integers(len(rest) + 1), part)
