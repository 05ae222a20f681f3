"""A random sample of rows that the first pass over the files collects: engines start from some of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.outofcore.row_cache import Floats, RowNumbers
from maxmargin.solvers.problem.problem import sample_size

_SAMPLES = 2
"""Rows collected for each row of an engine's sample, half of which come from either class: one class may be rare."""


class SampledRows(NamedTuple):
    """Rows by their numbers, which increase."""

    numbers: RowNumbers
    values: Floats

    @classmethod
    def nothing(cls, n_columns: int) -> "SampledRows":
        """Return no rows."""
        return cls(np.empty(0, np.int64), np.empty((0, n_columns)))

    @classmethod
    def joined(cls, parts: Sequence["SampledRows"], n_columns: int) -> "SampledRows":
        """Return rows of increasing numbers that came in several parts."""
        numbers, values = zip(cls.nothing(n_columns), *parts, strict=True)
        return cls(np.concatenate(numbers), np.concatenate(values))

    def shifted(self, n_rows: int) -> "SampledRows":
        """Return the rows as numbered in a source whose earlier files have `n_rows` rows."""
        return SampledRows(self.numbers + n_rows, self.values)

    def find(self, numbers: RowNumbers) -> tuple[NDArray[np.bool_], Floats]:
        """Return which of these rows are here, and those, in the order of the numbers."""
        if not self.numbers.size:
            return np.zeros(len(numbers), dtype=np.bool_), self.values
        positions = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        is_here = self.numbers[positions] == numbers
        return is_here, self.values[positions[is_here]]


def sampled_numbers(n_rows: int, n_columns: int, budget: Budget) -> RowNumbers:
    """Return the numbers of the rows to collect, the same on every run."""
    wanted = _SAMPLES * sample_size(n_rows, n_columns)
    most = min(n_rows, wanted, budget.collected_bytes // (8 * n_columns))
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False, shuffle=False))
