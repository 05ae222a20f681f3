"""The orders in which rows are presented."""

from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

# Presentations that are ordered at a time if epochs are shorter.
_AT_ONCE = 1 << 12


class Order(StrEnum):
    """Orders of presentation; an epoch has as many presentations as there are rows."""

    CYCLIC = "cyclic"
    SHUFFLED_ONCE = "shuffled-once"
    RESHUFFLED = "reshuffled-each-epoch"
    RANDOM = "random"

    @property
    def covers_all_rows(self) -> bool:
        """Whether an epoch presents every row: then a clean epoch means convergence."""
        return self is not Order.RANDOM

    @property
    def is_fixed(self) -> bool:
        """Whether every epoch has the order of the first one."""
        return self in (Order.CYCLIC, Order.SHUFFLED_ONCE)


class Presentation:
    """The order of each epoch in turn.

    Parameters
    ----------
    order : Order
        cyclic: 0, 1, ..., n-1; shuffled-once: one permutation for all epochs; reshuffled-each-epoch: a new one each
        epoch; random: independent uniform draws.
    n_samples : int
    rng : numpy.random.Generator
        Not used by the cyclic order.
    """

    def __init__(self, order: Order, n_samples: int, rng: np.random.Generator) -> None:
        self.order, self.n_samples, self.rng = order, n_samples, rng

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """All rows in the order of the first epoch, if all epochs have it; never computed for rows outside memory."""
        return self.rng.permutation(self.n_samples) if self.order is Order.SHUFFLED_ONCE else np.arange(self.n_samples)

    def next_epoch(self) -> NDArray[np.int64]:
        """Return the rows of the next epoch."""
        if self.order is Order.RESHUFFLED:
            return self.rng.permutation(self.n_samples)
        if self.order is Order.RANDOM:
            return self.rng.integers(self.n_samples, size=self.n_samples)
        return self.rows

    def next_epochs(self) -> NDArray[np.int64]:
        """Return the rows of the next epoch, or of several epochs if there are few rows."""
        if self.order.is_fixed:
            return self.rows
        return np.concatenate([self.next_epoch() for _ in range(max(1, _AT_ONCE // self.n_samples))])
