"""Can a run on these data have left this checkpoint? Everything that the data can tell is checked.

The data cannot tell whether a run has made these mistakes: counts of mistakes that agree with one another are
accepted. Whatever is proven from them (margins, bounds of margins, convergence) is true of any numbers.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidCheckpointError
from maxmargin.solvers.perceptron.checkpoint import NUMBERS, Checkpoint
from maxmargin.solvers.perceptron.engines import tally
from maxmargin.solvers.perceptron.kernels.work import EPOCH_MISTAKES, EPOCH_POSITION, POSITION
from maxmargin.solvers.perceptron.row_orders import Order, epochs_at_once
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory

Integers = NDArray[np.int64]

_ARRAYS = ("counts", "cursor", "mistakes", "epochs")
_MOST = 1 << 62
"""Largest number of mistakes, presentations or epochs of a run, so that compiled passes can add to it."""


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
    _need(isinstance(numbers, dict) and set(numbers) == set(NUMBERS), "other numbers than those of a run")
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
    _need(len(cursor) == tally.CURSOR_ENTRIES, "a place of another form")
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
    """Check the state of the generator; in a fixed order it is the first state."""
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
    """Return the sum of numbers that are not negative, without overflow."""
    return (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum())


def _need(holds: bool, found: str) -> None:
    if not holds:
        raise InvalidCheckpointError(found)
