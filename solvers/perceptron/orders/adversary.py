"""A greedy adversary, which chooses among the rows of a data set: sequences of proven mistakes."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.engines.float_engines import GramEngine
from maxmargin.solvers.perceptron.engines.row_units import Units
from maxmargin.solvers.perceptron.kernels.error_bounds import SCORE_ERROR
from maxmargin.solvers.perceptron.settings import ZERO_RULES, PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_RECOMPUTED_AFTER = 1_000
"""Number of mistakes after which the functional margins are computed again from the exact weights."""

_ROUNDINGS = 4 * _RECOMPUTED_AFTER
"""Rounding errors of a score that a functional margin can accumulate until it is computed again; an overestimate."""


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
    state = _State(problem, settings)
    progress = state.engine.Z @ direction if direction is not None else None
    rows: list[int] = []
    while (row := state.chosen(rule, progress)) is not None and len(rows) < most and not is_over():
        state.update(row)
        rows.append(row)
    return FoundSequence(rows=np.array(rows, dtype=np.int64), rule=rule, is_complete=row is None)


class _State:
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
        margins, error = self.engine.margins, self._error()
        candidates = np.flatnonzero(margins <= error)
        for row in candidates[np.argsort(self._cost(rule, progress)[candidates], kind="stable")].tolist():
            if margins[row] < -error or self._is_mistake(row):
                return int(row)
        return None

    def _error(self) -> float:
        """Bound the error of the functional margins.

        After M mistakes ||w||^2 <= M R^2. The weights may be short again, but the errors of when they were long stay.
        """
        longest = 1 + math.sqrt(self.n_mistakes)
        return _ROUNDINGS * float(self.engine.rounding[SCORE_ERROR]) * longest * self.greatest_square

    def _cost(self, rule: Rule, progress: Floats | None) -> Floats:
        margins = self.engine.margins
        match rule:
            case Rule.SHORTEST:
                return 2 * margins + self.squares
            case Rule.LEAST_PROGRESS if progress is not None:
                return progress
            case Rule.LEAST_MARGIN:
                return margins
        return -margins

    def _is_mistake(self, row: int) -> bool:
        self.exact.follow(self.counts)
        return self.exact.is_mistake(row, self.zero_rule)

    def update(self, row: int) -> None:
        """Make the mistake."""
        self.counts[row] += 1
        self.n_mistakes += 1
        if self.n_mistakes % _RECOMPUTED_AFTER:
            self.engine.margins += self.engine.gram[row]
            return
        self.exact.follow(self.counts)
        self.engine.load(self.exact, np.zeros(4))
