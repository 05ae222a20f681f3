"""The state from which a run is continued: counts, a position in the order, the generator; no weights."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.engines.tally import Tally
from maxmargin.solvers.perceptron.kernels.work import ANSWER, ERROR
from maxmargin.solvers.perceptron.row_orders import Presentation

NUMBERS = ("n_mistakes", "n_presentations", "n_epochs", "n_ties", "n_uncertain")


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
    def of(cls, tally: Tally, presentation: Presentation, *, seconds: float, has_converged: bool) -> "Checkpoint":
        """Return a copy of the state of a run."""
        arrays = {
            "counts": tally.counts.copy(),
            "cursor": tally.cursor.copy(),
            "mistakes": tally.mistakes.numbers(),
            "epochs": tally.epochs.numbers(),
        }
        return cls(
            numbers={name: getattr(tally, name) for name in NUMBERS},
            arrays=arrays,
            last_state=presentation.last_state,
            seconds=seconds,
            has_converged=has_converged,
        )

    def tally(self, most_logged: int) -> Tally:
        """Return the counts of the run; its rounding error is unknown until its weights are loaded."""
        arrays = {name: np.array(array, dtype=np.int64) for name, array in self.arrays.items()}
        tally = Tally.of(arrays["counts"], most_logged)
        tally.mistakes.extend(arrays["mistakes"])
        tally.epochs.extend(arrays["epochs"])
        tally.cursor[:ANSWER] = arrays["cursor"][:ANSWER]
        for name in NUMBERS:
            setattr(tally, name, self.numbers[name])
        tally.size[ERROR] = math.inf
        return tally
