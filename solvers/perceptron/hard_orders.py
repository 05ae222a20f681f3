"""Orders with many mistakes: sequences that a greedy adversary chooses, and orders found by local search."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import Limits, never
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.engines.float_engines import GramEngine
from maxmargin.solvers.perceptron.engines.row_units import Units
from maxmargin.solvers.perceptron.kernels.error_bounds import SCORE_ERROR
from maxmargin.solvers.perceptron.many_orders import OrderRuns, Outcomes
from maxmargin.solvers.perceptron.settings import ZERO_RULES, PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

# Number of mistakes after which the functional margins are computed again from the exact weights.
_RECOMPUTED_AFTER = 1_000

# Rounding errors of a score that a functional margin can accumulate until it is computed again; an overestimate.
_ROUNDINGS = 4 * _RECOMPUTED_AFTER


class Rule(StrEnum):
    """How the adversary chooses among the rows that are mistakes."""

    SHORTEST = "shortest weights"
    LEAST_PROGRESS = "least progress"
    LEAST_MARGIN = "least margin"
    GREATEST_MARGIN = "greatest margin"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundSequence:
    """Rows each of which is a mistake in its turn, from w = 0, as chosen by an adversary.

    Attributes
    ----------
    rows : ndarray of int
    rule : str
        The rule by which the adversary chose.
    is_complete : bool
        Whether no row is a mistake after them.
    """

    rows: Rows
    rule: str
    is_complete: bool

    @property
    def n_mistakes(self) -> int:
        """Length of the sequence."""
        return len(self.rows)


def greedy_sequence(
    problem: Problem,
    settings: PerceptronSettings,
    rule: Rule,
    *,
    direction: Floats | None = None,
    most: int = 100_000,
    is_over: Callable[[], bool] = never,
) -> FoundSequence:
    """Choose one mistaken row after another.

    ``shortest weights`` takes the row after which ||w|| is least: every mistake adds at least the margin to w.u, so
    the run goes on while ||w|| stays short. ``least progress`` takes the row that adds least to w.u. The others take
    the row with the least functional margin y w.x, as MinOver does, or with the greatest that is a mistake.

    Parameters
    ----------
    problem : Problem
        Few rows, in memory.
    settings : PerceptronSettings
        Its bias scale and its zero rule.
    rule : Rule
    direction : ndarray (n_features + 1,), optional
        The u of ``least progress``, with the weight of the constant coordinate.
    most : int
        Largest length of the sequence.
    is_over : callable
        Called before every mistake; if it returns True, the sequence ends.

    Raises
    ------
    InvalidOptionError
        If ``least progress`` has no direction.
    """
    if rule is Rule.LEAST_PROGRESS and direction is None:
        raise InvalidOptionError(f"the rule {str(rule)!r} needs a direction; found None")
    state = _Adversary(problem, settings)
    progress = state.engine.Z @ direction if direction is not None else None
    rows: list[int] = []
    while (row := state.chosen(rule, progress)) is not None and len(rows) < most and not is_over():
        state.update(row)
        rows.append(row)
    return FoundSequence(rows=np.array(rows, dtype=np.int64), rule=rule, is_complete=row is None)


class _Adversary:
    """Functional margins in floating point for the choice, and exact weights to confirm it."""

    def __init__(self, problem: Problem, settings: PerceptronSettings) -> None:
        self.engine = GramEngine(Units.of(problem, settings), problem)
        self.exact = ExactWeights(problem, settings.bias_scale if problem.bias else 0.0)
        self.zero_rule, self.y = ZERO_RULES[settings.zero], problem.y
        self.squares = np.diag(self.engine.gram)
        self.greatest_square = float(self.squares.max())
        self.counts = np.zeros(problem.n_samples, dtype=np.int64)
        self.n_mistakes = 0

    def chosen(self, rule: Rule, progress: Floats | None) -> int | None:
        """Return the row that the rule takes, None where no row is a mistake."""
        # A bound of the error of the margins: after M mistakes ||w||^2 <= M R^2. The weights may be short again, but
        # the errors of when they were long stay.
        longest = 1 + math.sqrt(self.n_mistakes)
        error = _ROUNDINGS * float(self.engine.rounding[SCORE_ERROR]) * longest * self.greatest_square
        margins = self.engine.weights
        candidates = np.flatnonzero(margins <= error)
        for row in candidates[np.argsort(self._cost(rule, progress)[candidates], kind="stable")].tolist():
            if margins[row] < -error:
                return int(row)
            self.exact.follow(self.counts)
            if self.exact.is_mistake(row, self.zero_rule):
                return int(row)
        return None

    def _cost(self, rule: Rule, progress: Floats | None) -> Floats:
        margins = self.engine.weights
        match rule:
            case Rule.SHORTEST:
                return 2 * margins + self.squares
            case Rule.LEAST_PROGRESS if progress is not None:
                return progress
            case Rule.LEAST_MARGIN:
                return margins
        return -margins

    def update(self, row: int) -> None:
        """Make the mistake."""
        self.counts[row] += 1
        self.n_mistakes += 1
        if self.n_mistakes % _RECOMPUTED_AFTER:
            self.engine.weights += self.engine.gram[row]
            return
        self.exact.follow(self.counts)
        self.engine.load(self.exact, np.zeros(4))


Move = Callable[[Rows, np.random.Generator], Rows]

# Number of neighbours of an order that are tried together.
_AT_ONCE = 32


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
        n_mistakes, n_epochs = int(outcomes.n_mistakes[k]), int(outcomes.n_epochs[k])
        return cls(order=order, n_mistakes=n_mistakes, n_epochs=n_epochs, converged=bool(outcomes.converged[k]))


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
