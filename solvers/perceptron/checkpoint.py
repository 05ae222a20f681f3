"""The state from which a run is continued, and checks of a state that comes from outside.

A checkpoint has the counts of mistakes, a position in the order and the state of the generator; it has no weights, as
they are the sum of the mistaken rows. Everything that the data can tell of it is checked before the run continues, and
at the end of the run that no row is a mistake. The data cannot tell whether a run has made these mistakes: counts that
agree with one another are accepted. Whatever is proven from them (margins, bounds of margins, convergence) is true of
any counts.
"""

import math
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidCheckpointError
from maxmargin.solvers.exact.dyadic import as_fraction, nearest_floats
from maxmargin.solvers.perceptron.engines.run_counts import CURSOR_ENTRIES, RunCounts
from maxmargin.solvers.perceptron.kernels.pass_arguments import ANSWER, EPOCH_MISTAKES, EPOCH_POSITION, ERROR, POSITION
from maxmargin.solvers.perceptron.row_orders import Order, epochs_at_once
from maxmargin.solvers.perceptron.settings import ZERO_RULES, PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.proof.hulls import ClassSums
from maxmargin.solvers.proof.margins import least_score, lowest, whole_group

Integers = NDArray[np.int64]

_NUMBERS = ("n_mistakes", "n_presentations", "n_epochs", "n_ties", "n_uncertain")
_ARRAYS = ("counts", "cursor", "mistakes", "epochs")

_MOST = 1 << 62
"""Largest number of mistakes, presentations or epochs of a run, so that compiled passes can add to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The state of a run.

    The weights are the sum of the mistaken rows, so the numbers of mistakes are enough; they are summed exactly.

    Attributes
    ----------
    numbers : mapping of str to int
        The counts of the run so far.
    arrays : mapping of str to ndarray
        Mistakes on every row, the cursor, the mistakes and the epochs that were logged.
    last_state : mapping
        State of the random generator before the present rows were ordered.
    seconds : float
        Time of the run so far.
    has_converged : bool
    """

    numbers: Mapping[str, int]
    arrays: Mapping[str, NDArray[Any]]
    last_state: Mapping[str, Any]
    seconds: float
    has_converged: bool

    @classmethod
    def of(cls, tally: RunCounts, last_state: Mapping[str, Any], seconds: float, has_converged: bool) -> "Checkpoint":
        """Return a copy of the state of a run."""
        counts, cursor = tally.counts.copy(), tally.cursor.copy()
        arrays = counts, cursor, tally.mistakes.numbers(), tally.epochs.numbers()
        return cls(
            numbers={name: getattr(tally, name) for name in _NUMBERS},
            arrays=dict(zip(_ARRAYS, arrays, strict=True)),
            last_state=last_state,
            seconds=seconds,
            has_converged=has_converged,
        )

    def tally(self, most_logged: int) -> RunCounts:
        """Return the counts of the run; its rounding error is unknown until its weights are loaded."""
        arrays = {name: np.array(array, dtype=np.int64) for name, array in self.arrays.items()}
        tally = RunCounts.of(arrays["counts"], most_logged)
        tally.mistakes.extend(arrays["mistakes"])
        tally.epochs.extend(arrays["epochs"])
        tally.cursor[:ANSWER] = arrays["cursor"][:ANSWER]
        for name in _NUMBERS:
            setattr(tally, name, self.numbers[name])
        tally.size[ERROR] = math.inf
        return tally


def check_checkpoint(
    checkpoint: Checkpoint, problem: Problem, settings: PerceptronSettings, generator: np.random.Generator
) -> None:
    """Raise unless the numbers, the arrays and the state of the generator fit the data, the settings and one another.

    Parameters
    ----------
    checkpoint : Checkpoint
        From a source that is not trusted: its fields may hold anything.
    problem : Problem
    settings : PerceptronSettings
    generator : numpy.random.Generator
        In its state before the run.

    Raises
    ------
    InvalidCheckpointError
    """
    _check_types(checkpoint)
    numbers, arrays = checkpoint.numbers, checkpoint.arrays
    _check_logs(numbers, arrays, settings.sizes.most_logged)
    _check_counts(numbers["n_mistakes"], arrays["counts"], arrays["mistakes"], problem.n_samples)
    _check_epochs(numbers, arrays["epochs"], arrays["cursor"], problem)
    _need(settings.order.is_fixed or _fits_drawn(arrays["cursor"], problem.n_samples), "a place outside the order")
    _check_generator(checkpoint.last_state, deepcopy(generator), settings.order)


def _check_types(checkpoint: Checkpoint) -> None:
    numbers, arrays = checkpoint.numbers, checkpoint.arrays
    _need(isinstance(numbers, dict) and set(numbers) == set(_NUMBERS), "other numbers than those of a run")
    _need(all(type(value) is int and 0 <= value <= _MOST for value in numbers.values()), "numbers that count nothing")
    _need(set(arrays) == set(_ARRAYS), "other arrays than those of a run")
    _need(all(array.dtype == np.int64 and array.ndim == 1 for array in arrays.values()), "arrays of another type")
    _need(type(checkpoint.has_converged) is bool, "no word on whether it has converged")
    seconds = checkpoint.seconds
    _need(type(seconds) in (int, float) and 0 <= seconds <= _MOST, "a time that is no number of seconds")


def _check_logs(numbers: Mapping[str, int], arrays: Mapping[str, Integers], most: int) -> None:
    for name in ("mistakes", "epochs"):
        _need(len(arrays[name]) == min(numbers[f"n_{name}"], most), f"a list of {name} of another length")


def _check_counts(n_mistakes: int, counts: Integers, mistakes: Integers, n_samples: int) -> None:
    _need(counts.shape == (n_samples,), f"numbers of mistakes on {len(counts):,} rows")
    _need(int(counts.min()) >= 0, "a negative number of mistakes")
    _need(_sum(counts) == n_mistakes, f"{n_mistakes:,} mistakes that are not the sum of those on the rows")
    is_row = (mistakes >= 0) & (mistakes < n_samples)
    _need(bool(is_row.all()), "mistakes on rows that are not there")
    logged = np.bincount(mistakes, minlength=n_samples)
    _need(bool((logged <= counts).all()), "a list of mistakes that is not that of the rows")


def _check_epochs(numbers: Mapping[str, int], epochs: Integers, cursor: Integers, problem: Problem) -> None:
    n_samples, n_epochs = problem.n_samples, numbers["n_epochs"]
    _need(len(cursor) == CURSOR_ENTRIES, "a place of another form")
    position, n_mistakes = int(cursor[EPOCH_POSITION]), int(cursor[EPOCH_MISTAKES])
    _need(0 <= position < n_samples and 0 <= n_mistakes <= position, "a place outside the epoch")
    _need(numbers["n_presentations"] == n_epochs * n_samples + position, "presentations that are not those of epochs")
    _need(bool(((epochs >= 0) & (epochs <= n_samples)).all()), "epochs with impossible numbers of mistakes")
    is_whole = len(epochs) == n_epochs
    made, listed = numbers["n_mistakes"], _sum(epochs) + n_mistakes
    _need(listed == made if is_whole else listed <= made <= numbers["n_presentations"], "mistakes of other epochs")
    is_between = isinstance(problem.row_source, InMemory) or position == 0
    _need(is_between, "a run that was stopped within an epoch, and these rows are not in memory")


def _fits_drawn(cursor: Integers, n_samples: int) -> bool:
    position = int(cursor[POSITION])
    is_inside = 0 <= position <= n_samples * epochs_at_once(n_samples)
    return is_inside and position % n_samples == int(cursor[EPOCH_POSITION])


def _check_generator(last: Mapping[str, Any], generator: np.random.Generator, order: Order) -> None:
    """Check the state of the generator, which never changes if the order is fixed."""
    first = generator.bit_generator.state
    if order.is_fixed:
        _need(order is Order.CYCLIC or last == first, "another state of the generator")
        return
    try:
        generator.bit_generator.state = last
        is_taken = generator.bit_generator.state == last
    except Exception as error:  # of any kind: NumPy reads the parts of a state one by one
        raise InvalidCheckpointError("a state that the generator does not take") from error
    _need(is_taken, "a state that the generator does not take")
    _need(_increment(last) == _increment(first), "a state of another generator")


def _increment(state: Mapping[str, Any]) -> Any:
    """Return the part of the state of a PCG64 that sampling does not change."""
    return state["state"].get("inc")


def _sum(counts: Integers) -> int:
    """Return the sum of non-negative numbers without overflow."""
    return (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum())


def _need(holds: bool, found: str) -> None:
    if not holds:
        raise InvalidCheckpointError(found)


def has_no_mistake(problem: Problem, settings: PerceptronSettings, counts: NDArray[np.int64]) -> bool:
    """Return whether the weights that these counts of mistakes give are right on every row, also by the zero rule.

    Examples
    --------
    >>> ends = Problem.validated([[-1.0], [2.0]], [-1, 1])
    >>> [has_no_mistake(ends, PerceptronSettings(), np.array(counts)) for counts in ([1, 0], [1, 1], [0, 0])]
    [True, True, False]
    """
    rows = np.flatnonzero(counts)
    sums = ClassSums.of(problem, rows, counts[rows].tolist())
    unit = as_fraction(1, sums.exponent)
    w = [(p - n) * unit for n, p in zip(sums.negative, sums.positive, strict=True)]
    scale = Fraction(settings.bias_scale) if problem.bias else Fraction(0)
    b = (sums.n_positive - sums.n_negative) * scale**2
    negative, positive = _least_scores(problem, w)
    at_zero = ZERO_RULES[settings.zero]
    return _is_right(negative - b, at_zero < 0) and _is_right(positive + b, at_zero > 0)


def _least_scores(problem: Problem, w: list[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the least y w.x of the class -1, and of +1."""
    if not any(w):
        return Fraction(0), Fraction(0)
    rounded = nearest_floats(w)
    if rounded is None:
        groups = [whole_group(problem, np.flatnonzero(problem.y == sign)) for sign in (-1, 1)]
    else:
        groups = lowest(problem, rounded, by_class=True)
    negative, positive = (least_score(problem, group, w) for group in groups)
    return negative, positive


def _is_right(least: Fraction, zero_is_right: bool) -> bool:
    return least > 0 or (least == 0 and zero_is_right)
