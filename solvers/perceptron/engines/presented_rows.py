"""The rows of a run in segments: all rows if they are in memory, else the chunks in which they are read."""

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines.float_engines import Engine, GramEngine, WeightsEngine
from maxmargin.solvers.perceptron.engines.integer_engine import IntegerEngine
from maxmargin.solvers.perceptron.engines.row_units import Units
from maxmargin.solvers.perceptron.row_orders import Order, Presentation
from maxmargin.solvers.perceptron.settings import EngineName
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows to be presented one after another.

    Attributes
    ----------
    engine : Engine
    order : ndarray of int
        Positions in the segment, in the order of presentation.
    wraps : bool
        Whether the order is repeated.
    first_row : int
        The row of the data at position 0 of the segment.
    """

    engine: Engine
    order: Rows
    wraps: bool = False
    first_row: int = 0


def source_of(
    problem: Problem, units: Units, presentation: Presentation, method: EngineName
) -> "RowsInMemory | RowsInChunks":
    """Return the source of the rows, which begins with this method if they are in memory.

    Raises
    ------
    InvalidOptionError
        If rows outside memory are to be presented in another order than the one of their file.
    """
    if isinstance(problem.row_source, InMemory):
        return RowsInMemory(problem, units, presentation, method)
    if presentation.order is not Order.CYCLIC:
        raise InvalidOptionError(
            f"order is {str(presentation.order)!r}; expected 'cyclic' for rows that are not in memory"
        )
    return RowsInChunks(problem, units)


class RowsInMemory:
    """Rows in memory; they may be converted to integers or a Gram matrix during the run."""

    def __init__(self, problem: Problem, units: Units, presentation: Presentation, method: EngineName) -> None:
        self.problem, self.units, self.presentation = problem, units, presentation
        self.engine = self.engine_of(method)

    @cached_property
    def _weights(self) -> WeightsEngine:
        return WeightsEngine(self.units, self.units.rows(self.problem.X), self.problem.y)

    def engine_of(self, method: EngineName) -> Engine:
        """Return the engine of a method, whose weights have yet to be loaded."""
        if method is EngineName.INTEGERS:
            return IntegerEngine(self.problem, self.units.bias_scale)
        if method is EngineName.GRAM:
            return GramEngine(self.units, self.problem)
        return self._weights

    def segments(self) -> Generator[Segment]:
        """Yield epoch after epoch."""
        while True:
            order = self.presentation.next_epochs()
            yield Segment(self.engine, order, wraps=self.presentation.order.is_fixed)

    def once(self, order: Rows) -> Generator[Segment]:
        """Yield all rows in this order."""
        yield Segment(self.engine, order)


class RowsInChunks:
    """Rows that come in chunks, in the order of their file."""

    def __init__(self, problem: Problem, units: Units) -> None:
        self.problem, self.units = problem, units
        self.engine: Engine = WeightsEngine(units, np.empty((0, problem.n_features)), np.empty(0))

    def segments(self) -> Generator[Segment]:
        """Yield chunk after chunk, over and over."""
        while True:
            yield from self.once()

    def once(self, order: Rows | None = None) -> Generator[Segment]:
        """Yield chunk after chunk once, whatever the order."""
        weights = self.engine.weights
        for first_row, X, y in self.problem.map(partial(_copied, units=self.units), self.problem.y):
            yield Segment(WeightsEngine(self.units, X, y, weights), np.arange(len(y)), first_row=first_row)


def _copied(rows: slice, X: Any, y: Floats, *, units: Units) -> tuple[int, Any, Floats]:
    """Return a chunk that stays valid until it is presented."""
    return rows.start, units.rows(X) if units.exponent else X.copy(), y
