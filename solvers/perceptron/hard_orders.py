"""Orders in which the perceptron makes many mistakes, or few, found by local search."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.order_runs import OrderRuns, in_this_order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem import Problem

Rows = NDArray[np.int64]

_AT_ONCE = 32
"""Neighbours of an order that are tried together."""


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


def local_search(
    problem: Problem,
    settings: PerceptronSettings,
    start: Rows,
    *,
    most: bool,
    n_trials: int = 2000,
    rng: np.random.Generator,
) -> FoundOrder:
    """Improve an order by moving rows about, as long as the mistakes do not get fewer (or more, for the fewest).

    Parameters
    ----------
    problem : Problem
        Rows in memory.
    settings : PerceptronSettings
        Limits and zero rule; every run cycles through its order.
    start : ndarray (n_samples,) of int
    most : bool
        Whether many mistakes are sought; else few.
    n_trials : int
        Orders that are tried, about.
    rng : numpy.random.Generator
    """
    runs, sign = OrderRuns(problem, settings), 1 if most else -1
    best = start
    value = sign * int(runs.run(start[np.newaxis]).n_mistakes[0])
    for _ in range(-(-n_trials // _AT_ONCE)):
        neighbours = np.array([_moved(best, rng) for _ in range(_AT_ONCE)])
        values = sign * runs.run(neighbours).n_mistakes
        first = int(values.argmax())
        if values[first] >= value:
            best, value = neighbours[first], int(values[first])
    run = perceptron(in_this_order(problem, best), runs.settings)
    return FoundOrder(order=best, n_mistakes=run.n_mistakes, n_epochs=run.n_epochs, converged=run.converged)


def _moved(order: Rows, rng: np.random.Generator) -> Rows:
    """Return the order with two rows exchanged, or with some neighbours put elsewhere."""
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
