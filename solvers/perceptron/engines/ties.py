"""Scores so near 0 that rounding could decide their sign, decided exactly: from the integer weights, or from limbs.

Limbs are the numbers of the rows in digits of 24 bits, from which the compiled passes compute the signs themselves.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.products import digits, whole_numbers
from maxmargin.solvers.perceptron.engines.exact_weights import ExactWeights, Start
from maxmargin.solvers.perceptron.engines.float_engines import Engine
from maxmargin.solvers.perceptron.engines.row_units import Units, signed_rows
from maxmargin.solvers.perceptron.engines.run_counts import RunCounts
from maxmargin.solvers.perceptron.kernels.limb_scores import LIMB_BITS, Limbs
from maxmargin.solvers.perceptron.kernels.pass_arguments import ANSWER, ERROR, EXACT_UP_TO, GREATEST, frozen
from maxmargin.solvers.perceptron.settings import ZERO_RULES, PerceptronSettings, RunSizes
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory

Integers = NDArray[np.int64]

# Number of limbs that sums of limbs have in addition to the limbs of the rows.
_CARRIED = 2

# Number of entries of the rows, times scores, that are computed here before the compiled passes get limbs; this takes a
# few tenths of a second.
_FEW_ENTRIES = 1 << 22

_UP = 1 + 2.0**-40


def no_limbs() -> Limbs:
    """Return limbs that decide no score."""
    return limbs_with_weights_of_zero(np.empty((0, 0, 0), dtype=np.int64), RunSizes())


def limbs_of(problem: Problem, settings: PerceptronSettings) -> Limbs:
    """Return the limbs of the rows y (x, s) in memory, or `no_limbs` if they are too many.

    They are too many if all limbs together fill more than 32 MiB, if a row has more than 2**14 limbs, so that sums of
    their products could overflow, or if a number has more than 1,000 bits in units of the lowest bit of all numbers.
    """
    n_coordinates, sizes = problem.n_features + 1, settings.sizes
    if problem.n_samples * n_coordinates > sizes.most_limbs:
        return no_limbs()
    rows = signed_rows(problem, settings.bias_scale if problem.bias else 0.0)
    whole = whole_numbers(rows, sizes.most_limb_bits)
    if whole is None:
        return no_limbs()
    integers, _, n_bits = whole
    n_limbs = -(-n_bits // LIMB_BITS)
    if n_limbs * n_coordinates > sizes.most_limb_products or rows.size * n_limbs > sizes.most_limbs:
        return no_limbs()
    of_positions = [of_position.astype(np.int64) for of_position in digits(integers, n_bits, LIMB_BITS)]
    return limbs_with_weights_of_zero(np.stack(of_positions, axis=1), sizes)


def limbs_with_weights_of_zero(rows: Integers, sizes: RunSizes) -> Limbs:
    """Return limbs with these rows and the weights 0; each thread needs weights of its own."""
    n_samples, n_limbs, n_coordinates = rows.shape
    n_steps = n_samples + n_limbs * (n_limbs + _CARRIED) * n_coordinates
    return Limbs(
        rows=frozen(rows),
        weights=np.zeros((n_limbs, n_coordinates), dtype=np.int64),
        counts=np.zeros(n_samples, dtype=np.int64),
        carried=np.zeros((n_limbs + _CARRIED, n_coordinates), dtype=np.int64),
        most=sizes.most_limb_mistakes,
        most_decided=max(1, sizes.most_limb_steps // max(1, n_steps)),
    )


class Ties:
    """Decides the scores that compiled passes ask about, or gives them the limbs of the rows to decide themselves.

    Parameters
    ----------
    problem : Problem
        If its rows are not in memory, the only help is a common grid of all numbers.
    settings : PerceptronSettings
    units : Units
    start : Start, optional
        Weights of other numbers than the rows have, so that neither their limbs nor a grid of theirs help.
    """

    def __init__(
        self, problem: Problem, settings: PerceptronSettings, units: Units, start: Start | None = None
    ) -> None:
        self.problem, self.units, self.settings = problem, units, settings
        self.limbs = no_limbs()
        self.zero_rule = ZERO_RULES[settings.zero]
        self.is_in_memory = isinstance(problem.row_source, InMemory)
        self.exact = ExactWeights(problem, settings.bias_scale if problem.bias else 0.0, start)
        self._limbs_are_known = self._has_start = start is not None
        self._n_rounded_at = 0
        self._n_few = 0 if settings.short == 0 else _FEW_ENTRIES // (problem.n_samples * (problem.n_features + 1))

    def decide(self, tally: RunCounts, row: int) -> None:
        """Write into the cursor whether the row is a mistake, or arrange that the next pass does not ask."""
        if self._is_on_a_grid(tally) or self._has_limbs_now(tally):
            return
        if not self.is_in_memory or tally.n_ties >= self.settings.sizes.most_ties:
            tally.asks = False
            return
        self.exact.follow(tally.counts)
        tally.cursor[ANSWER] = 1 if self.exact.is_mistake(row, self.zero_rule) else -1
        tally.n_ties += 1

    @cached_property
    def _exact_up_to(self) -> float:
        return 0.0 if self._has_start else self.units.exact_up_to(self.problem)

    def _is_on_a_grid(self, tally: RunCounts) -> bool:
        """Find out whether all numbers are small multiples of one number; if so, perhaps nothing was rounded.

        Each tally is told once: the trial that scans all rows has sizes of its own.
        """
        if tally.size[EXACT_UP_TO] == self._exact_up_to:
            return False
        tally.size[EXACT_UP_TO] = self._exact_up_to
        if self.units.reach * tally.size[GREATEST] * _UP > self._exact_up_to:
            return False
        tally.size[ERROR] = 0.0
        return True

    def _has_limbs_now(self, tally: RunCounts) -> bool:
        """Compute the limbs of the rows once, after some ties; without limbs, scores continue to be computed here."""
        is_early = tally.n_ties < min(self.settings.sizes.most_ties, self._n_few)
        if self._limbs_are_known or not self.is_in_memory or is_early:
            return False
        self._limbs_are_known = True
        self.limbs = limbs_of(self.problem, self.settings)
        return self.limbs.rows.size > 0

    def load(self, engine: Engine, tally: RunCounts) -> None:
        """Let the engine continue with the weights of the tally, rounded once."""
        self.exact.follow(tally.counts)
        engine.load(self.exact, tally.size)
        self._n_rounded_at = tally.n_mistakes

    def reload(self, engine: Engine, tally: RunCounts) -> None:
        """Round the exact weights again when `RunSizes.reload_after` mistakes have added up their rounding errors."""
        is_due = tally.n_mistakes >= self._n_rounded_at + self.settings.sizes.reload_after
        if is_due and tally.size[ERROR] > 0 and self.is_in_memory:
            self.load(engine, tally)
