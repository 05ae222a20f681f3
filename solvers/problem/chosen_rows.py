"""Some rows of a data source, selected from every chunk as it is read; no copy outlives the work on its chunk."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem.rows import RowSource
from maxmargin.solvers.problem.warm_start import Found, Use, WarmStart, warm_start_of

T = TypeVar("T")

_LEFT_OUT = -1


class ChosenRows:
    """A RowSource of some of the rows of another one.

    Parameters
    ----------
    source : RowSource
    numbers : ndarray of int
        Positions of the rows, increasing.
    """

    def __init__(self, source: RowSource, numbers: NDArray[np.int64]) -> None:
        self.source = source
        self.numbers = numbers

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return len(self.numbers), self.source.shape[1]

    @property
    def is_sparse(self) -> bool:
        """Whether chunks are SciPy CSR arrays."""
        return self.source.is_sparse

    def map(self, function: Callable[..., T], *vectors: NDArray[Any]) -> Iterator[T]:
        """Yield ``function(rows, X[rows], *(v[rows] for v in vectors))`` chunk by chunk, in order."""
        positions = self._spread(np.arange(len(self.numbers)), _LEFT_OUT)
        spread = [self._spread(vector, 0) for vector in vectors]
        for found in self.source.map(partial(_applied, function), positions, *spread):
            yield from found

    def _spread(self, vector: NDArray[Any], fill: int) -> NDArray[Any]:
        """Return the vector with entries for the rows left out as well."""
        spread = np.full((self.source.shape[0], *vector.shape[1:]), fill, dtype=vector.dtype)
        spread[self.numbers] = vector
        return spread

    def __getitem__(self, rows: Any) -> Any:
        """Return the rows of a slice, of an array of row numbers, or of a mask."""
        return self.source[self.numbers[rows]]

    @property
    def warm_start(self) -> WarmStart:
        """Hints beside the chosen rows."""
        return _ChosenStart(warm_start_of(self.source), self.numbers)


class _ChosenStart(WarmStart):
    """The hints beside all rows, with the chosen rows numbered from 0."""

    def __init__(self, source: WarmStart, numbers: NDArray[np.int64]) -> None:
        self.source = source
        self.numbers = numbers

    def remember(self, rows: NDArray[np.int64], X: Any, use: Use) -> None:
        """Keep rows that a pass brought along."""
        self.source.remember(self.numbers[rows], X, use)

    def recalled(self, use: Use) -> NDArray[np.int64]:
        """Return the numbers of rows that an earlier process remembered for a use."""
        return np.flatnonzero(np.isin(self.numbers, self.source.recalled(use)))

    def keep(self, question: str, found: Found) -> None:
        """Keep the findings on a question about these rows."""
        self.source.keep(question, found)

    def kept(self, question: str) -> Found:
        """Return an earlier process's findings on a question about these rows."""
        return self.source.kept(question)

    def confirm(self) -> None:
        """Compare the rows that an earlier process remembered with the data, unless a pass has done so already."""
        self.source.confirm()


def _applied(
    function: Callable[..., T], _: slice, X: Any, positions: NDArray[np.int64], *vectors: NDArray[Any]
) -> tuple[T, ...]:
    """Return the results of the function for the chosen rows of a chunk; none if no row is chosen there."""
    chosen = np.flatnonzero(positions != _LEFT_OUT)
    if not chosen.size:
        return ()
    first = int(positions[chosen[0]])
    rows = slice(first, first + len(chosen))
    return (function(rows, X[chosen], *(vector[chosen] for vector in vectors)),)
