"""Rows that were fetched, kept for the next time: engines ask for the same few hundred again and again."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem.warm_start import Use, WarmStart

Floats: TypeAlias = NDArray[np.float64]
RowNumbers: TypeAlias = NDArray[np.int64]

_BYTES_BESIDE = 200
"""Bytes of a cached row beside its numbers: its array object, its key, its entry in the dictionary."""


class RowCache:
    """The rows used last, as many as fit.

    Parameters
    ----------
    n_columns : int
    n_bytes : int
        Memory for them.
    """

    def __init__(self, n_columns: int, n_bytes: int) -> None:
        self.n_columns = n_columns
        self.room = n_bytes // (8 * n_columns + _BYTES_BESIDE)
        self._rows: dict[int, Floats] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, numbers: RowNumbers, fetch: Callable[[RowNumbers], Floats]) -> Floats:
        """Return the rows of increasing numbers; `fetch` brings those that are not here."""
        if len(numbers) > self.room // 2:
            return fetch(numbers)
        wanted = numbers.tolist()
        is_new = np.fromiter((number not in self._rows for number in wanted), np.bool_, len(wanted))
        if is_new.all():
            found = fetch(numbers)
        else:
            found = np.empty((len(wanted), self.n_columns))
            for place in np.flatnonzero(~is_new).tolist():
                found[place] = self._rows[wanted[place]]
            if is_new.any():
                found[is_new] = fetch(numbers[is_new])
        self.remember(numbers, found)
        return found

    def remember(self, numbers: RowNumbers, values: Any) -> None:
        """Keep these rows; those that were not used for the longest time make room."""
        for number, row in zip(numbers.tolist(), values, strict=True):
            self._rows.pop(number, None)
            self._rows[number] = row.copy()
        for number in list(self._rows)[: max(0, len(self._rows) - self.room)]:
            del self._rows[number]


class CachedStart(WarmStart):
    """Hints of this process only: the rows that passes bring along go to the cache.

    Parameters
    ----------
    cache : RowCache
        Who asks for a remembered row next need not fetch it.
    sample : ndarray of int, optional
        Numbers of rows at hand, drawn at random.
    """

    def __init__(self, cache: RowCache, sample: RowNumbers | None = None) -> None:
        self._cache = cache
        self._sample = np.empty(0, np.int64) if sample is None else sample

    def remember(self, rows: RowNumbers, X: Any, use: Use) -> None:
        """Keep rows in the cache; those of a sample are many, and who drew them has them."""
        if use != "sample":
            self._cache.remember(rows, X)

    def recalled(self, use: Use) -> RowNumbers:
        """Return the numbers of the rows drawn at random for a sample; there are none for other uses."""
        return self._sample if use == "sample" else super().recalled(use)
