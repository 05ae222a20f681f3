"""Orders and sequences with many mistakes, or few: by local search, greedily, and exhaustively."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.theory.context import Context

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.hard_orders import FoundOrder, FoundSequence
    from maxmargin.solvers.perceptron.longest_path import WorstCase
    from maxmargin.solvers.perceptron.many_orders import ManyOrders
    from maxmargin.solvers.perceptron.settings import PerceptronSettings


_MOST_ROWS_OF_A_SEQUENCE = 2048
"""Largest number of rows for an adversary, which needs their Gram matrix (32 MB)."""

_TINY_ROWS, _TINY_COLUMNS = 32, 8
"""Largest numbers of rows and columns for which all sequences are examined."""


def order_run(problem: Problem, settings: "PerceptronSettings", order: Rows, limits: Limits) -> "FoundOrder":
    """Run in this order of the rows, in exact arithmetic; the time limit may cut the run short."""
    from maxmargin.solvers.perceptron.hard_orders import FoundOrder
    from maxmargin.solvers.perceptron.many_orders import in_this_order
    from maxmargin.solvers.perceptron.run import perceptron

    run = perceptron(in_this_order(problem, order), replace(settings, time_limit=limits.share()))
    return FoundOrder(order=order, n_mistakes=run.n_mistakes, n_epochs=run.n_epochs, converged=run.converged)


def searched(
    problem: Problem,
    given: "FoundOrder",
    runs: "ManyOrders",
    settings: "PerceptronSettings",
    n_search: int,
    limits: Limits,
    *,
    most: bool,
) -> "FoundOrder":
    """Return the order that a local search finds from the one with the most, or the fewest, mistakes; never a worse.

    It starts from a random order, unless the given order has even more, or even fewer, mistakes.
    """
    from maxmargin.solvers.perceptron.hard_orders import FoundOrder, local_search

    outcomes, sign = runs.outcomes, 1 if most else -1
    k = int((sign * outcomes.n_mistakes).argmax())
    start = FoundOrder.of(runs.order(k), outcomes, k)
    if sign * (given.n_mistakes - start.n_mistakes) > 0:
        start = given
    if limits.is_over():
        return start
    rng = np.random.default_rng([runs.seed, int(most)])
    found = local_search(problem, settings, start.order, most=most, n_trials=n_search, rng=rng, limits=limits)
    return found if sign * (found.n_mistakes - start.n_mistakes) >= 0 else start  # the time may have cut its first run


def longest_sequence(
    context: Context, settings: "PerceptronSettings", n_sequence: int, limits: Limits
) -> "FoundSequence | None":
    """Return the longest of the sequences that the adversary's rules give."""
    from maxmargin.solvers.perceptron.hard_orders import Rule, greedy_sequence

    if n_sequence == 0 or context.problem.n_samples > _MOST_ROWS_OF_A_SEQUENCE or limits.is_over():
        return None
    direction = _direction(context)
    most = min(settings.max_mistakes or n_sequence, n_sequence)
    sequences = (
        greedy_sequence(context.problem, settings, rule, direction=direction, most=most, is_over=limits.is_over)
        for rule in Rule
        if rule is not Rule.LEAST_PROGRESS or direction is not None
    )
    return max(sequences, key=lambda sequence: sequence.n_mistakes)


def _direction(context: Context) -> Floats | None:
    """Return the maximum-margin direction in the space of the run, with the weight of its constant coordinate."""
    w = context.run_hard.w
    return w if w is None or context.problem.bias else np.append(w, 0.0)


def exhaustive_case(
    problem: Problem, settings: "PerceptronSettings", max_states: int, limits: Limits
) -> "WorstCase | None":
    """Return the longest of all sequences, if few weight vectors can occur."""
    from maxmargin.solvers.perceptron.longest_path import worst_case_mistakes

    is_tiny = problem.n_samples <= _TINY_ROWS and problem.n_features <= _TINY_COLUMNS
    if max_states == 0 or not is_tiny or (problem.bias and settings.bias_scale != 1):
        return None
    X = problem.dense_rows(slice(None))
    try:
        return worst_case_mistakes(
            X, problem.y, bias=problem.bias, zero=settings.zero, max_states=max_states, is_over=limits.is_over
        )
    except InvalidProblemError:
        return None
