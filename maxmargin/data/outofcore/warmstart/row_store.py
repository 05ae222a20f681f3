"""Rows that are saved for another process: the sample, and rows that engines selected or fetched in small numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.outofcore.row_cache import SampledRows
from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.problem.rows import Use

USES: tuple[Use, ...] = ("sample", "margin", "verdict", "soft")
_SAMPLE = 1 << USES.index("sample")


class KeptRows(NamedTuple):
    """Rows by their numbers, increasing in the sample, which comes first; the bits of `uses` tell their uses."""

    numbers: Rows
    values: Floats
    uses: NDArray[np.uint8]

    @classmethod
    def nothing(cls, n_columns: int) -> "KeptRows":
        """Return no rows."""
        return cls(np.empty(0, np.int64), np.empty((0, n_columns)), np.empty(0, np.uint8))

    def chosen(self, which: Mask | slice) -> "KeptRows":
        """Return some of the rows."""
        return KeptRows(self.numbers[which], self.values[which], self.uses[which])

    def used_for(self, use: Use) -> Rows:
        """Return the numbers of the rows that were saved for a use, in increasing order."""
        return np.unique(self.numbers[(self.uses & 1 << USES.index(use)) > 0])


class RowStore:
    """The rows that are saved.

    Parameters
    ----------
    rows : KeptRows
        Of an earlier process.
    most_rows : int
        Largest number of saved rows other than the sample; the oldest ones make room.
    largest_sample : int
        Largest number of rows of a sample that is saved; a larger one would need additional memory.
    """

    def __init__(self, rows: KeptRows, most_rows: int, largest_sample: int) -> None:
        n_sample = int(np.count_nonzero(rows.uses & _SAMPLE))
        self._most_rows, self._largest_sample = most_rows, largest_sample
        self._sample = SampledRows(rows.numbers[:n_sample], rows.values[:n_sample])
        others = rows.chosen(slice(n_sample, None))
        self._rows = dict(zip(others.numbers.tolist(), others.values, strict=True))
        self._uses = dict(zip(others.numbers.tolist(), others.uses.tolist(), strict=True))
        self._make_room()

    def __len__(self) -> int:
        return len(self._sample.numbers) + len(self._rows)

    def add(self, numbers: Rows, values: Floats, use: Use | None) -> bool:
        """Save rows for a use, or for an unknown one; return whether some were not yet saved for it."""
        if use == "sample":
            return self._add_sample(numbers, values)
        bit, is_new = 0 if use is None else 1 << USES.index(use), False
        for number, row in zip(numbers.tolist(), values, strict=True):
            before = self._uses.get(number)
            if before is None:
                self._rows[number] = row.copy()
            is_new |= before is None or before & bit != bit
            self._uses[number] = (before or 0) | bit
        self._make_room()
        return is_new

    def _add_sample(self, numbers: Rows, values: Floats) -> bool:
        if len(numbers) > self._largest_sample or np.array_equal(numbers, self._sample.numbers):
            return False
        self.add(*self._sample, None)  # of another question
        self._sample = SampledRows(numbers, values)
        return True

    def _make_room(self) -> None:
        for number in list(self._rows)[: max(0, len(self._rows) - self._most_rows)]:
            del self._rows[number], self._uses[number]

    def find(self, numbers: Rows) -> tuple[Floats | None, Mask]:
        """Return the rows of increasing numbers, None if all are missing, and which of them are missing."""
        if np.array_equal(numbers, self._sample.numbers):
            return self._sample.values, np.zeros(len(numbers), dtype=np.bool_)
        is_sampled, sampled = self._sample.find(numbers)
        rows = [self._rows.get(number) for number in numbers.tolist()]
        is_kept = np.fromiter((row is not None for row in rows), np.bool_, len(rows))
        if not (is_sampled.any() or is_kept.any()):
            return None, ~is_kept
        found = np.empty((len(numbers), sampled.shape[1]))
        found[is_sampled] = sampled
        for position in np.flatnonzero(is_kept).tolist():
            found[position] = rows[position]
        return found, ~(is_kept | is_sampled)

    @property
    def content(self) -> KeptRows:
        """All rows."""
        numbers, sample = self._sample
        uses = [np.full(len(numbers), _SAMPLE, np.uint8), np.fromiter(self._uses.values(), np.uint8, len(self._uses))]
        others = np.fromiter(self._rows, np.int64, len(self._rows))
        values = np.array(list(self._rows.values()), np.float64).reshape(-1, sample.shape[1])
        return KeptRows(np.concatenate([numbers, others]), np.concatenate([sample, values]), np.concatenate(uses))


class Unconfirmed:
    """Saved rows of an earlier process, in the order of their numbers, to be compared with the data."""

    def __init__(self, rows: KeptRows) -> None:
        self.rows = rows
        self.order = np.argsort(rows.numbers)
        self.numbers = rows.numbers[self.order]

    def different(self, rows: slice, X: Floats) -> int | None:
        """Return the number of a row that differs from the row of a chunk, None if there is none."""
        first, last = np.searchsorted(self.numbers, (rows.start, rows.stop))
        numbers = self.numbers[first:last]
        is_same = (self.rows.values[self.order[first:last]] == X[numbers - rows.start]).all(axis=1)
        return None if is_same.all() else int(numbers[np.argmin(is_same)])
