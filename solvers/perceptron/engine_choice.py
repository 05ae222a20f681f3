"""How a run goes on after its first epochs: with blocks of its rows, with their Gram matrix, or as it began."""

from maxmargin.solvers.chunks import InMemory
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.block_pass import MOST_COORDINATES, MOST_WITH_PRODUCTS
from maxmargin.solvers.perceptron.settings import Method, PerceptronSettings
from maxmargin.solvers.perceptron.tally import Tally
from maxmargin.solvers.problem import Problem

MOST_ROWS = 2_048
"""A Gram matrix of more rows (32 MiB) is far from the processor, and hardly ever the better way."""

_MOST_IN_BLOCKS = 1 << 26
"""Entries of the rows: blocks of them fill 256 MiB."""

_FIRST_EPOCHS = 3
_PREPARATION = 100_000.0
"""Nanoseconds that are spent on weights before anything is prepared, which takes as long and the time of few epochs."""

_SCORE, _SCORE_ENTRY, _UPDATE, _UPDATE_ENTRY = 3.8, 0.13, 40.0, 2.0
_LOOK, _ROW, _ROW_ENTRY = 1.4, 20.0, 0.27
_SCREENED, _SCREENED_ENTRY, _FOUND, _FOUND_ENTRY, _PRODUCT_ENTRY = 0.1, 0.04, 15.0, 0.3, 4.0
"""Nanoseconds, roughly, of the work of an epoch: with weights per row and per mistake; with a Gram matrix per row, per
mistake, and per entry of the row that a mistake adds; with blocks per row and per mistake, and more for each mistake
where its products are not kept."""


class EngineChoice:
    """The choice, made once: as asked for, or after some epochs with weights whichever will be fastest.

    Raises
    ------
    InvalidOptionError
        What is asked for is not possible for these rows or this order.
    """

    def __init__(self, problem: Problem, settings: PerceptronSettings) -> None:
        self.problem, self.method = problem, settings.method
        missing = {Method.GRAM: _gram_misses(problem), Method.BLOCKS: _blocks_miss(problem, settings)}
        if missing.get(self.method):
            raise InvalidOptionError(
                f"method is {str(self.method)!r}, {missing[self.method]}: expected 'auto' or 'weights'"
            )
        self._possible = [method for method in missing if self.method in (method, Method.AUTO) and not missing[method]]
        self._width = problem.X.nnz / problem.n_samples if problem.is_sparse else problem.n_features
        epoch = problem.n_samples * (_SCORE + _SCORE_ENTRY * self._width)
        self._n_first = _FIRST_EPOCHS + int(_PREPARATION / epoch) if self.method is Method.AUTO else 0

    def n_epochs_before(self, tally: Tally, most: int) -> int:
        """Return how many epochs may be made before there is a choice, at most so many."""
        return max(1, min(most, self._n_first - tally.n_epochs)) if self._possible else most

    def better(self, tally: Tally) -> Method | None:
        """Return how the run shall go on, None for as it does; asked again only before the choice is made."""
        if not self._possible or tally.n_epochs < self._n_first:
            return None
        possible, self._possible = self._possible, []
        if self.method is not Method.AUTO:
            return self.method
        costs = self._costs(tally.n_mistakes / tally.n_epochs)
        best = min((Method.WEIGHTS, *possible), key=costs.__getitem__)
        return None if best is Method.WEIGHTS else best

    def _costs(self, n_mistakes: float) -> dict[Method, float]:
        """Return nanoseconds of an epoch, of so many mistakes, by method."""
        n, width = self.problem.n_samples, self._width
        found_entry = _FOUND_ENTRY if n <= MOST_WITH_PRODUCTS else _FOUND_ENTRY + _PRODUCT_ENTRY
        return {
            Method.WEIGHTS: n * (_SCORE + _SCORE_ENTRY * width) + n_mistakes * (_UPDATE + _UPDATE_ENTRY * width),
            Method.GRAM: n * _LOOK + n_mistakes * (_ROW + _ROW_ENTRY * n),
            Method.BLOCKS: n * (_SCREENED + _SCREENED_ENTRY * width) + n_mistakes * (_FOUND + found_entry * width),
        }


def _gram_misses(problem: Problem) -> str:
    """Return what is missing for a Gram matrix, "" for nothing."""
    if isinstance(problem.carrier, InMemory) and problem.n_samples <= MOST_ROWS:
        return ""
    return f"for at most {MOST_ROWS:,} rows in memory; found {problem.n_samples:,}"


def _blocks_miss(problem: Problem, settings: PerceptronSettings) -> str:
    """Return what is missing for blocks, "" for nothing."""
    if not settings.order.is_fixed:
        return f"for rows in the same order in every epoch; found order {str(settings.order)!r}"
    if problem.is_sparse or not isinstance(problem.carrier, InMemory):
        return "for dense rows in memory; found others"
    n_coordinates = problem.n_features + 1
    if problem.n_samples * n_coordinates > _MOST_IN_BLOCKS or n_coordinates > MOST_COORDINATES:
        return f"for at most {_MOST_IN_BLOCKS:,} entries in rows of at most {MOST_COORDINATES - 1:,}; found more"
    return ""
