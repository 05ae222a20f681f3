"""Rows in a fixed order, screened in blocks of 64 in single precision; undecided rows in double precision."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.solvers.perceptron.engines.float_engines import WeightsEngine
from maxmargin.solvers.perceptron.kernels.block_pass import fill_blocks, present_blocks, present_over_blocks
from maxmargin.solvers.perceptron.kernels.machine_code import machine_code
from maxmargin.solvers.perceptron.kernels.vectors import LANES, LINE
from maxmargin.solvers.perceptron.kernels.work import frozen

Singles = NDArray[np.float32]

_AT_ONCE = 1 << 20
"""Number of entries that one thread copies into blocks at a time."""


class BlockEngine(WeightsEngine):
    """A vector of weights; scores in single precision prove that most rows are right.

    Parameters
    ----------
    engine : WeightsEngine
        Of dense rows; the run continues with its weights.
    order : ndarray (n_samples,) of int
        The order in which the rows are presented, over and over.
    most_products : int
        Largest number of rows for which the Gram matrices of the blocks are stored; of more rows, products are computed
        when needed.
    """

    name = "blocks"

    def __init__(self, engine: WeightsEngine, order: Rows, most_products: int) -> None:
        super().__init__(engine.units, engine.X, engine.y, engine.weights)
        self.passes = present_over_blocks, present_blocks
        rows, scale, width = frozen(self.X), self.units.scale, self.units.n_features + 1
        blocks = _blocks(rows, self.y, order, scale, self.rounding)
        self._model = (
            *(rows, frozen(blocks), frozen(_products(blocks[:, :-1], most_products)), self.weights),
            *map(_aligned, (LANES, width, width, LANES)),
            *(scale, np.array_equal(order, np.arange(len(order)))),
        )

    @property
    def model(self) -> tuple[Any, ...]:
        """The rows, their blocks in the order of presentation, and the weights."""
        return self._model


def _blocks(X: Floats, y: Floats, order: Rows, scale: float, rounding: Floats) -> Singles:
    """Return the blocks."""
    n_blocks, depth = -(-len(order) // LANES), X.shape[1] + 2
    blocks = _aligned(n_blocks, depth, LANES)
    step = max(1, _AT_ONCE // (depth * LANES))
    fill, rows = machine_code(fill_blocks), frozen(order)

    def part(first: int) -> None:
        fill(X, y, rows, scale, rounding, first, min(n_blocks, first + step), blocks)

    for _ in in_order(part, range(0, n_blocks, step)):
        pass
    return blocks


def _aligned(*shape: int) -> Singles:
    """Return zeros at an address that is a multiple of 64 bytes, so that a vector of 16 is in one cache line."""
    n_bytes = 4 * math.prod(shape)
    memory = np.zeros(n_bytes + LINE, dtype=np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + n_bytes].view(np.float32).reshape(shape)


def _products(blocks: Singles, most_rows: int) -> Singles:
    """Return the Gram matrices of the blocks, 64 numbers a row, one after another; none if there are too many rows."""
    n_rows = blocks.shape[0] * LANES
    if n_rows > most_rows:
        return _aligned(0)
    products = _aligned(n_rows * LANES)
    rows = blocks.astype(np.float64)
    products[:] = (rows.transpose(0, 2, 1) @ rows).ravel()
    return products
