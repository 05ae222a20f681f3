"""What a pass of the interior point needs to know beside its rows."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.engines.interior_point.central_path import Aim

Floats = NDArray[np.float64]

BLOCK_ENTRIES = 1 << 16
"""Matrix entries in a block (512 KiB): it stays in the cache of a core, with its product, while it is used."""

_LEAST_BLOCK_ROWS = 256
"""Rows of a block at least: a product of fewer would only move the Gram matrix."""


class RowView(NamedTuple):
    """How a pass sees the rows: (x - center, 1, -y), without the 1 if there is no bias, without -y if no rho."""

    center: Floats | None
    bias: bool
    aim: Aim

    @property
    def has_rho(self) -> bool:
        """Whether there is a rho."""
        return self.aim.nu is not None


def blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield blocks of rows."""
    return slices(n_rows, block_rows(n_columns))


def block_rows(n_columns: int) -> int:
    """Return the rows of a block."""
    return max(_LEAST_BLOCK_ROWS, BLOCK_ENTRIES // n_columns)


def floats(y: NDArray[Any]) -> Floats:
    """Return the signs, which some carriers keep in a byte each, as the kernels take them."""
    return y.astype(np.float64, copy=False)
