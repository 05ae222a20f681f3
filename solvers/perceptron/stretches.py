"""The rows of an epoch, in stretches: all of them where they are in memory, else the chunks they come in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.chunks import InMemory
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.orders import Order
from maxmargin.solvers.perceptron.units import rows_in_units
from maxmargin.solvers.problem import Problem

Rows = NDArray[np.int64]
Pass = Callable[..., tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows to be presented one after another.

    Attributes
    ----------
    run_pass : callable
        The compiled pass over these rows.
    order : ndarray of int
        Positions in the stretch.
    first_row : int
        Of the stretch, in the data.
    """

    run_pass: Pass
    order: Rows
    first_row: int


class Rowwise(Protocol):
    """What presents the rows of a problem."""

    def stretches(self, order: Callable[[], Rows]) -> Iterator[Stretch]:
        """Yield the rows of an epoch; in memory they come in the order that is then asked for, else as stored."""


def rowwise(problem: Problem, order: Order, exponent: int) -> Rowwise:
    """Return what presents the rows, divided by 2**exponent.

    Raises
    ------
    InvalidOptionError
        If rows outside memory are to be presented in another order than that of their file.
    """
    if isinstance(problem.carrier, InMemory):
        return _Whole(problem, exponent)
    if order is not Order.CYCLIC:
        raise InvalidOptionError(f"order is {str(order)!r}; expected 'cyclic' for rows that are not in memory")
    return _Streamed(problem, exponent)


class _Whole:
    def __init__(self, problem: Problem, exponent: int) -> None:
        from maxmargin.solvers.perceptron.kernels import pass_over

        self.run_pass = pass_over(rows_in_units(problem.X, exponent), problem.y)

    def stretches(self, order: Callable[[], Rows]) -> Iterator[Stretch]:
        yield Stretch(self.run_pass, order(), 0)


class _Streamed:
    def __init__(self, problem: Problem, exponent: int) -> None:
        self.problem = problem
        self.exponent = exponent

    def stretches(self, order: Callable[[], Rows]) -> Iterator[Stretch]:
        from maxmargin.solvers.perceptron.kernels import pass_over

        chunks = self.problem.map(partial(_copied, exponent=self.exponent), self.problem.y)
        for first_row, X, y in chunks:
            yield Stretch(pass_over(X, y), np.arange(len(y)), first_row)


def _copied(rows: slice, X: Any, y: NDArray[np.float64], *, exponent: int) -> tuple[int, Any, NDArray[np.float64]]:
    """Return a chunk, to be kept until it was presented."""
    return rows.start, rows_in_units(X, exponent) if exponent else X.copy(), y
