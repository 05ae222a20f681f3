"""Rows in a fixed order, screened in blocks of 64 in single precision; undecided rows in double precision."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.solvers.perceptron.engines.float_engines import WeightsEngine
from maxmargin.solvers.perceptron.kernels.block_pass import LANES, present_blocks, present_over_blocks
from maxmargin.solvers.perceptron.kernels.pass_arguments import frozen

Singles = NDArray[np.float32]

_AT_ONCE = 1 << 16
"""Approximate number of entries that one thread copies into blocks at a time."""

_LEAST_NORM = 2.0**-100
"""Smallest divisor of a row, in units of R: the scores of much shorter rows are too near 0 to be screened."""

_LEAST_REACH = 2.0**-900
"""Value that replaces R where all rows are 0."""


class BlockEngine(WeightsEngine):
    """A vector of weights; scores in single precision prove that most rows are right.

    Parameters
    ----------
    engine : WeightsEngine
        Of dense rows; the run continues with its weights.
    order : ndarray (n_samples,) of int
        The order in which the rows are presented, over and over.
    """

    name = "blocks"

    def __init__(self, engine: WeightsEngine, order: Rows) -> None:
        super().__init__(engine.units, engine.X, engine.y, engine.weights)
        self.passes = present_over_blocks, present_blocks
        reach = max(_LEAST_REACH, self.units.reach)
        blocks = _blocks(self.X, self.y, order, self.units.scale, _LEAST_NORM * reach)
        buffers = np.zeros(blocks.shape[1], dtype=np.float32), np.zeros(LANES, dtype=np.float32)
        self._model = super().model, frozen(blocks), *buffers, reach

    @property
    def model(self) -> tuple[Any, ...]:
        """The rows and the weights, and the rows in blocks in the order of presentation."""
        return self._model


def _blocks(X: Floats, y: Floats, order: Rows, scale: float, least_norm: float) -> Singles:
    """Return the rows y (x, s), divided by their norms, in blocks of shape (D, 64)."""
    n_blocks, n_coordinates = -(-len(order) // LANES), X.shape[1] + 1
    blocks = np.zeros((n_blocks, n_coordinates, LANES), dtype=np.float32)
    step = max(1, _AT_ONCE // (n_coordinates * LANES))

    def fill(first: int) -> None:
        rows = order[first * LANES : (first + step) * LANES]
        taken = X[rows]
        norms = np.sqrt(np.einsum("ij,ij->i", taken, taken) + scale**2) * (1.0 + 2.0**-20)
        factors = y[rows] / np.maximum(norms, least_norm)
        padded = np.zeros((-(-len(rows) // LANES) * LANES, n_coordinates), dtype=np.float32)
        np.multiply(taken, factors[:, np.newaxis], out=padded[: len(rows), :-1], casting="same_kind")
        padded[: len(rows), -1] = scale * factors
        blocks[first : first + step] = padded.reshape(-1, LANES, n_coordinates).transpose(0, 2, 1)

    for _ in in_order(fill, range(0, n_blocks, step)):
        pass
    return blocks
