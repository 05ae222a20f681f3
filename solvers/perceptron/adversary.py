"""An adversary who chooses every row: greedy sequences of mistakes, each of them proven to be one."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.engines import GramEngine
from maxmargin.solvers.perceptron.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.settings import ZERO_RULES, PerceptronSettings
from maxmargin.solvers.perceptron.units import Units
from maxmargin.solvers.problem import Problem

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_COMPUTED_ANEW = 1_000
"""Mistakes after which the functional margins are computed anew from the exact weights."""

_NEAR_ZERO = 1e-9
"""Of ||w|| R: functional margins above it are positive for certain, those below are looked at exactly."""


class Rule(StrEnum):
    """How the adversary chooses among the rows that are mistakes."""

    SHORTEST = "shortest weights"
    LEAST_PROGRESS = "least progress"
    LEAST_MARGIN = "least margin"
    GREATEST_MARGIN = "greatest margin"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundSequence:
    """Rows, each a mistake when its turn comes, from w = 0: what an adversary who chooses every row can do.

    Attributes
    ----------
    rows : ndarray of int
    rule : str
        By which the adversary chose.
    is_complete : bool
        Whether no row was a mistake after them.
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
        Length at which the sequence is cut.
    """
    state = _State(problem, settings)
    progress = state.engine.Z @ direction if direction is not None else None
    rows: list[int] = []
    while len(rows) < most:
        row = state.chosen(rule, progress)
        if row is None:
            return FoundSequence(rows=np.array(rows, dtype=np.int64), rule=rule, is_complete=True)
        state.update(row)
        rows.append(row)
    return FoundSequence(rows=np.array(rows, dtype=np.int64), rule=rule, is_complete=False)


class _State:
    """Functional margins in floating point for the choice, and exact weights to confirm it."""

    def __init__(self, problem: Problem, settings: PerceptronSettings) -> None:
        self.engine = GramEngine(Units.of(problem, settings), problem)
        self.exact = ExactWeights(problem, settings.bias_scale if problem.bias else 0.0)
        self.zero_rule, self.y = ZERO_RULES[settings.zero], problem.y
        self.squares = np.diag(self.engine.gram)
        self.counts = np.zeros(problem.n_samples, dtype=np.int64)
        self.n_mistakes = 0

    def chosen(self, rule: Rule, progress: Floats | None) -> int | None:
        """Return the row that the rule takes, None where no row is a mistake."""
        margins = self.engine.margins
        norm_squared = max(0.0, float(margins @ self.counts))
        candidates = np.flatnonzero(margins <= _NEAR_ZERO * np.sqrt(norm_squared * self.squares.max()))
        for row in candidates[np.argsort(self._cost(rule, progress)[candidates], kind="stable")].tolist():
            if margins[row] < -_NEAR_ZERO * np.sqrt(norm_squared * self.squares[row]) or self._is_mistake(row):
                return int(row)
        return None

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
        margin = self.exact.margin(row)
        return margin < 0 or (margin == 0 and self.zero_rule != self.y[row])

    def update(self, row: int) -> None:
        """Make the mistake."""
        self.counts[row] += 1
        self.n_mistakes += 1
        if self.n_mistakes % _COMPUTED_ANEW:
            self.engine.margins += self.engine.gram[row]
            return
        self.exact.follow(self.counts)
        self.engine.load(self.exact, np.zeros(4))
