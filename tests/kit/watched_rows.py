"""Rows that tell when somebody looks at them."""

import pickle
import signal
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

from maxmargin.solvers.problem.rows import CHUNK_ENTRIES, InMemory


class WatchedRows:
    """Rows outside memory that call a function before every pass over them."""

    def __init__(self, X: np.ndarray, watch: Callable[[], None], chunk_entries: int = CHUNK_ENTRIES) -> None:
        self._rows, self._watch = InMemory(X, chunk_entries), watch
        self.shape, self.is_sparse = self._rows.shape, self._rows.is_sparse
        self.sampled, self.cache = self._rows.sampled, self._rows.cache

    def map(self, function: Callable[..., Any], *vectors: np.ndarray) -> Iterator[Any]:
        self._watch()
        return self._rows.map(pickle.loads(pickle.dumps(function)), *vectors)  # it may have to travel

    def __getitem__(self, rows: Any) -> Any:
        return self._rows[rows]


def interrupting(n_calls: int) -> Callable[[], bool]:
    """Return a function that returns False, but raises once what Ctrl-C raises, after this many calls."""
    calls = count()

    def called() -> bool:
        if next(calls) == n_calls:
            raise KeyboardInterrupt
        return False

    return called


class InterruptingGenerator(np.random.Generator):
    """A generator that Ctrl-C interrupts whenever it draws an order."""

    def permutation(self, *arguments: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return super().permutation(*arguments, **options)
