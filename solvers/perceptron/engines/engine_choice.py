"""The engine with which a run begins and continues: integers, weights, or a Gram matrix."""

from maxmargin.solvers.basics.compiling import is_switched_off
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines.float_engines import loaded
from maxmargin.solvers.perceptron.engines.run_counts import RunCounts
from maxmargin.solvers.perceptron.settings import EngineName, PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory

# Largest number of rows for a Gram matrix: 32 MiB, far from the processor; a larger one is hardly ever faster.
MOST_ROWS = 2_048

# Largest number of entries of rows that are written as integers: 64 MiB.
_MOST_ENTRIES_IN_INTEGERS = 1 << 20

# Work in integers that takes less time than loading compiled code, in the units of `PerceptronSettings.short`.
_SHORT = 1 << 21

# Fewest epochs for which it is worth writing the rows as integers.
_FEWEST_EPOCHS_IN_INTEGERS = 4

# Work of a presentation in integers besides one unit for every number, in the units of `PerceptronSettings.short`.
_STEPS_OF_A_PRESENTATION = 16

_FIRST_EPOCHS = 3
# Least work with weights before another engine is prepared: this number of epochs, and this time in nanoseconds.
_PREPARATION = 100_000.0

_SCORE, _SCORE_ENTRY, _UPDATE, _UPDATE_ENTRY = 3.8, 0.13, 40.0, 2.0
# Approximate nanoseconds of the work of an epoch: with weights, per row and per mistake; with a Gram matrix, per row,
# per mistake, and per entry of the row that a mistake adds, near the processor or far from it.
_LOOK, _ROW, _NEAR_ENTRY, _FAR_ENTRY = 0.65, 20.0, 0.08, 0.3

# Largest number of entries of a Gram matrix that stays near the processor: 1 MiB.
_MOST_NEAR = 1 << 17

# Nanoseconds to compile the code of an engine, the first time ever.
_COMPILING = {EngineName.WEIGHTS: 1.2e9, EngineName.GRAM: 0.7e9}

# Shortest time limit, in seconds, with which a run waits for a compiler; with a shorter one it stays in integers.
_SECONDS_TO_COMPILE = 5.0

# Nanoseconds of work that the choice expects to be left.
_AHEAD = 0.3e9

NO_END = 1 << 62


def is_at_hand(method: EngineName) -> bool:
    """Return whether an engine needs no compilation; the compiler is loaded to find out."""
    from maxmargin.solvers.perceptron.kernels.machine_code import is_on_disk

    return method in loaded or is_on_disk(method)


class EngineChoice:
    """The engine with which a run begins and continues: the requested one, or the one that will be fastest.

    A run on few short rows begins in integers. If it turns out to be long, it continues with weights, and after some
    epochs with a Gram matrix if that suits the number of its mistakes. As mistakes become rarer, a run that stays with
    weights looks again whenever its epochs have doubled.

    Attributes
    ----------
    method : EngineName
        The method of the present engine; never `AUTO`.

    Raises
    ------
    InvalidOptionError
        If the requested method is impossible for these rows.
    """

    def __init__(self, problem: Problem, settings: PerceptronSettings) -> None:
        self.problem, self.asked = problem, settings.method
        why = _impossible(problem)
        if self.asked in why:
            raise InvalidOptionError(f"method is {str(self.asked)!r}, {why[self.asked]}: expected 'auto' or 'weights'")
        self._may_have_gram = EngineName.GRAM not in why
        self._width = problem.X.nnz / problem.n_samples if problem.is_sparse else problem.n_features
        self._n_short = 0 if EngineName.INTEGERS in why else presentations_in_integers(problem, settings)
        self.method = self._first(settings)
        epoch = problem.n_samples * (_SCORE + _SCORE_ENTRY * self._width)
        self._next_look = _FIRST_EPOCHS + int(_PREPARATION / epoch)
        self._seen_epochs = self._seen_mistakes = 0
        self._is_hasty = settings.time_limit is not None and settings.time_limit < _SECONDS_TO_COMPILE
        self._compiling = _COMPILING if settings.short is None else dict.fromkeys(_COMPILING, 0.0)

    def _first(self, settings: PerceptronSettings) -> EngineName:
        if self.asked is EngineName.INTEGERS or self._n_short == NO_END:
            return EngineName.INTEGERS
        if self.asked is not EngineName.AUTO or not self._n_short:
            return EngineName.WEIGHTS
        if settings.short is not None or not loaded:
            return EngineName.INTEGERS
        if is_at_hand(EngineName.WEIGHTS):
            return EngineName.WEIGHTS
        is_ready = self._may_have_gram and EngineName.GRAM in loaded and self.problem.n_samples**2 <= _MOST_NEAR
        return EngineName.GRAM if is_ready else EngineName.INTEGERS

    def presentations_before(self, tally: RunCounts, most: int) -> int:
        """Return how many presentations may be made before the next choice, up to `most`."""
        is_short = self.method is EngineName.INTEGERS and self.asked is EngineName.AUTO
        return max(1, min(most, self._n_short - tally.n_presentations)) if is_short else most

    def epochs_before(self, tally: RunCounts, most: int) -> int:
        """Return how many epochs may be made before the next choice, up to `most`."""
        is_open = self.asked is EngineName.AUTO and self.method is EngineName.WEIGHTS and self._may_have_gram
        return max(1, min(most, self._next_look - tally.n_epochs)) if is_open else most

    def better(self, tally: RunCounts) -> EngineName | None:
        """Return the method with which the run continues, or None for the present one."""
        wanted = self._wanted(tally)
        if wanted is self.method:
            return None
        self.method = wanted
        return wanted

    def _wanted(self, tally: RunCounts) -> EngineName:
        if self.asked is not EngineName.AUTO:
            return self.asked
        if self.method is not EngineName.INTEGERS:
            return self._next(tally)
        if tally.n_presentations < self._n_short:
            return self.method
        wanted = self._next(tally)
        if not self._is_hasty or is_at_hand(wanted):
            return wanted
        self._n_short = NO_END
        return self.method

    def _next(self, tally: RunCounts) -> EngineName:
        """Return the compiled engine that comes next: the fastest, including the time to compile it."""
        if self.method is EngineName.GRAM:
            return self.method
        if not self._may_have_gram or tally.n_epochs < self._next_look:
            return EngineName.WEIGHTS
        n_mistakes = (tally.n_mistakes - self._seen_mistakes) / (tally.n_epochs - self._seen_epochs)
        self._seen_epochs, self._seen_mistakes, self._next_look = tally.n_epochs, tally.n_mistakes, 2 * tally.n_epochs
        n, width = self.problem.n_samples, self._width
        row_entry = _NEAR_ENTRY if n * n <= _MOST_NEAR else _FAR_ENTRY
        costs = {  # of an epoch, in nanoseconds
            EngineName.WEIGHTS: n * (_SCORE + _SCORE_ENTRY * width) + n_mistakes * (_UPDATE + _UPDATE_ENTRY * width),
            EngineName.GRAM: n * _LOOK + n_mistakes * (_ROW + row_entry * n),
        }
        n_epochs = _AHEAD / min(costs.values())
        return min(costs, key=lambda m: costs[m] * n_epochs + (not is_at_hand(m)) * self._compiling[m])


def steps_of_a_presentation(problem: Problem) -> int:
    """Return the work of a presentation in integers, in the units of `PerceptronSettings.short`."""
    return _STEPS_OF_A_PRESENTATION + problem.n_features


def presentations_in_integers(problem: Problem, settings: PerceptronSettings) -> int:
    """Return how many presentations an automatic run begins with in integers."""
    if settings.method is not EngineName.AUTO:
        return 0
    if is_switched_off():
        return NO_END
    short = _SHORT if settings.short is None else settings.short
    n_presentations = short // steps_of_a_presentation(problem)
    return n_presentations if n_presentations >= _FEWEST_EPOCHS_IN_INTEGERS * problem.n_samples else 0


def _impossible(problem: Problem) -> dict[EngineName, str]:
    """Return the methods that are impossible for these rows, and why."""
    is_in_memory, n, why = isinstance(problem.row_source, InMemory), problem.n_samples, {}
    if not is_in_memory or n * problem.n_features > _MOST_ENTRIES_IN_INTEGERS:
        why[EngineName.INTEGERS] = f"for at most {_MOST_ENTRIES_IN_INTEGERS:,} numbers in memory; found others"
    if not is_in_memory or n > MOST_ROWS:
        why[EngineName.GRAM] = f"for at most {MOST_ROWS:,} rows in memory; found {n:,}"
    return why
