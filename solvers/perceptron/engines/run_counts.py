"""The counts of a run so far, in the arrays that compiled passes update."""

from dataclasses import dataclass, field

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.perceptron.kernels.pass_arguments import EPOCH_MISTAKES, EPOCH_POSITION

CURSOR_ENTRIES, _SIZE_ENTRIES = 9, 4


class Log:
    """The first numbers of a long sequence, up to a maximum length."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._room = np.empty(0, dtype=np.int64)
        self.n_kept = 0

    def extend(self, numbers: Rows) -> None:
        """Keep as many of the numbers as there is room for; they may be overwritten afterwards."""
        kept = numbers[: self._most - self.n_kept]
        end = self.n_kept + len(kept)
        if end > self._room.size:
            more = np.empty(max(end, min(2 * self._room.size, self._most)) - self.n_kept, dtype=np.int64)
            self._room = np.concatenate([self.numbers(), more])
        self._room[self.n_kept : end] = kept
        self.n_kept = end

    def numbers(self) -> Rows:
        """Return the stored numbers; they do not change later."""
        return self._room[: self.n_kept]


@dataclass(slots=True, kw_only=True)
class RunCounts:
    """The counts of a run so far.

    Attributes
    ----------
    counts : ndarray (n_samples,) of int
        Mistakes on every row.
    mistakes, epochs : Log
        The mistaken rows, and the mistakes of the finished epochs, in order.
    cursor, size : ndarray
        The state of the compiled passes, see `kernels.pass_arguments`.
    asks : bool
        Whether a pass stops at a score whose sign rounding may have decided.
    n_mistakes, n_presentations : int
    n_epochs : int
        Finished ones.
    n_ties : int
        Number of scores so near 0 that they were decided in exact arithmetic.
    n_uncertain : int
        Number of scores that rounding may have decided.
    """

    counts: Rows
    mistakes: Log
    epochs: Log
    cursor: Rows = field(default_factory=lambda: np.zeros(CURSOR_ENTRIES, dtype=np.int64))
    size: Floats = field(default_factory=lambda: np.zeros(_SIZE_ENTRIES))
    asks: bool = True
    n_mistakes: int = 0
    n_presentations: int = 0
    n_epochs: int = 0
    n_ties: int = 0
    n_uncertain: int = 0

    @classmethod
    def of(cls, counts: Rows, most_logged: int) -> "RunCounts":
        """Return a tally with empty logs."""
        return cls(counts=counts, mistakes=Log(most_logged), epochs=Log(most_logged))

    @property
    def n_begun(self) -> int:
        """Epochs that were begun."""
        return self.n_epochs + bool(self.cursor[EPOCH_POSITION])

    def mistakes_per_epoch(self) -> Rows:
        """Return the mistakes of the epochs that were begun; only of the first ones if there are very many."""
        numbers = self.epochs.numbers()
        if self.n_begun == self.n_epochs or len(numbers) < self.n_epochs:
            return numbers
        return np.append(numbers, self.cursor[EPOCH_MISTAKES])
