"""Whether a run goes on with a Gram matrix of its rows."""

from maxmargin.solvers.chunks import InMemory
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.settings import Method, PerceptronSettings
from maxmargin.solvers.perceptron.tally import Tally
from maxmargin.solvers.problem import Problem

MOST_ROWS = 2_048
"""A Gram matrix of more rows (32 MiB) is far from the processor, and hardly ever the better way."""

_FIRST_EPOCHS = 10
"""With weights, so that the rate of mistakes is known."""

_ROWS_PER_EPOCH = 100
"""A Gram matrix is made in the time of about n / 100 epochs with weights."""

_SCORE, _SCORE_ENTRY, _UPDATE, _UPDATE_ENTRY = 3.8, 0.13, 40.0, 2.0
_LOOK, _ROW, _ROW_ENTRY = 1.4, 20.0, 0.27
"""Nanoseconds, roughly, of the work of an epoch: with weights per row and per mistake, with a Gram matrix per row, per
mistake, and per entry of the row that a mistake adds."""


class EngineChoice:
    """The choice, made once: as asked for, or after some epochs with weights where that will be faster.

    Raises
    ------
    InvalidOptionError
        The Gram matrix is asked for, and the rows are too many or not in memory.
    """

    def __init__(self, problem: Problem, settings: PerceptronSettings) -> None:
        self.problem, self.method = problem, settings.method
        is_possible = isinstance(problem.carrier, InMemory) and problem.n_samples <= MOST_ROWS
        if self.method is Method.GRAM and not is_possible:
            raise InvalidOptionError(
                f"method is 'gram', for at most {MOST_ROWS:,} rows in memory; found {problem.n_samples:,}: "
                "expected 'auto' or 'weights'"
            )
        self.is_open = is_possible and self.method is not Method.WEIGHTS
        self._n_first = 0 if self.method is Method.GRAM else _FIRST_EPOCHS + problem.n_samples // _ROWS_PER_EPOCH

    def n_epochs_before(self, tally: Tally, most: int) -> int:
        """Return how many epochs may be made before there is a choice, at most so many."""
        return max(1, min(most, self._n_first - tally.n_epochs)) if self.is_open else most

    def is_gram_better(self, tally: Tally) -> bool:
        """Return whether the run shall go on with a Gram matrix; asked again only before the choice is made."""
        if not self.is_open or tally.n_epochs < self._n_first:
            return False
        self.is_open = False
        return self.method is Method.GRAM or self._is_faster(tally.n_mistakes / tally.n_epochs)

    def _is_faster(self, n_mistakes: float) -> bool:
        n_samples, width = self.problem.n_samples, self.problem.n_features
        if self.problem.is_sparse:
            width = self.problem.X.nnz / n_samples
        weights = n_samples * (_SCORE + _SCORE_ENTRY * width) + n_mistakes * (_UPDATE + _UPDATE_ENTRY * width)
        return n_samples * _LOOK + n_mistakes * (_ROW + _ROW_ENTRY * n_samples) < weights
