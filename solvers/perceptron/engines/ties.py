"""Scores so near 0 that rounding could decide them, decided in exact arithmetic."""

from maxmargin.solvers.perceptron.engines.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.engines.float_engines import Engine
from maxmargin.solvers.perceptron.engines.limb_engine import limbs_of, no_limbs
from maxmargin.solvers.perceptron.engines.row_units import Units
from maxmargin.solvers.perceptron.engines.tally import Tally
from maxmargin.solvers.perceptron.kernels.work import ANSWER, ERROR, EXACT_UP_TO, GREATEST
from maxmargin.solvers.perceptron.settings import ZERO_RULES, PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory

_FEW_ENTRIES = 1 << 22
"""Entries of the rows, times the scores computed here before compiled passes get limbs: a few tenths of a second."""

_UP = 1 + 2.0**-40


class Ties:
    """Decides the scores that compiled passes ask about, or gives them the limbs of the rows to decide themselves.

    Parameters
    ----------
    problem : Problem
        If its rows are not in memory, the only help is a common grid of all numbers.
    settings : PerceptronSettings
    units : Units
    """

    def __init__(self, problem: Problem, settings: PerceptronSettings, units: Units) -> None:
        self.problem, self.units, self.settings = problem, units, settings
        self.limbs = no_limbs()
        self.zero_rule = ZERO_RULES[settings.zero]
        self.is_in_memory = isinstance(problem.row_source, InMemory)
        self.exact = ExactWeights(problem, settings.bias_scale if problem.bias else 0.0)
        self._grid_is_known = self._limbs_are_known = False
        self._n_rounded_at = 0
        self._n_few = 0 if settings.short == 0 else _FEW_ENTRIES // (problem.n_samples * (problem.n_features + 1))

    def decide(self, tally: Tally, row: int) -> None:
        """Write into the cursor whether the row is a mistake, or arrange that the next pass does not ask."""
        if self._is_on_a_grid(tally) or self._has_limbs_now(tally):
            return
        if not self.is_in_memory or tally.n_ties >= self.settings.sizes.most_ties:
            tally.asks = False
            return
        self.exact.follow(tally.counts)
        tally.cursor[ANSWER] = 1 if self.exact.is_mistake(row, self.zero_rule) else -1
        tally.n_ties += 1

    def _is_on_a_grid(self, tally: Tally) -> bool:
        """Find out once whether all numbers are small multiples of one number, so that perhaps nothing was rounded."""
        if self._grid_is_known:
            return False
        self._grid_is_known = True
        most = self.units.exact_up_to(self.problem)
        tally.size[EXACT_UP_TO] = most
        if self.units.reach * tally.size[GREATEST] * _UP > most:
            return False
        tally.size[ERROR] = 0.0
        return True

    def _has_limbs_now(self, tally: Tally) -> bool:
        """Compute once, after some ties, the limbs of the rows; if they do not help, scores are computed here."""
        if (
            self._limbs_are_known
            or not self.is_in_memory
            or tally.n_ties < min(self.settings.sizes.most_ties, self._n_few)
        ):
            return False
        self._limbs_are_known = True
        self.limbs = limbs_of(self.problem, self.settings)
        return self.limbs.rows.size > 0

    def load(self, engine: Engine, tally: Tally) -> None:
        """Let the engine continue with the weights of the tally, rounded once."""
        self.exact.follow(tally.counts)
        engine.load(self.exact, tally.size)
        self._n_rounded_at = tally.n_mistakes

    def reload(self, engine: Engine, tally: Tally) -> None:
        """Round the exact weights again when `RunSizes.reload_after` mistakes have added up their rounding errors."""
        is_due = tally.n_mistakes >= self._n_rounded_at + self.settings.sizes.reload_after
        if is_due and tally.size[ERROR] > 0 and self.is_in_memory:
            self.load(engine, tally)
