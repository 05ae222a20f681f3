"""What a pass of the interior point needs to know beside its rows."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.engines.interior_point.central_path import Aim
from maxmargin.solvers.problem.sizes import DEFAULT_SIZES, Sizes

Floats = NDArray[np.float64]


class RowView(NamedTuple):
    """How a pass sees the rows: (x - center, 1, -y), without the 1 if there is no bias, without -y if no rho."""

    center: Floats | None
    bias: bool
    aim: Aim
    sizes: Sizes = DEFAULT_SIZES

    @property
    def has_rho(self) -> bool:
        """Whether there is a rho."""
        return self.aim.nu is not None


def blocks(n_rows: int, n_columns: int, sizes: Sizes) -> Iterator[slice]:
    """Yield blocks of rows."""
    return slices(n_rows, block_rows(n_columns, sizes))


def block_rows(n_columns: int, sizes: Sizes) -> int:
    """Return the number of rows in a block."""
    return max(sizes.block_rows, sizes.block_entries // n_columns)


def floats(y: NDArray[Any]) -> Floats:
    """Return the signs, which some carriers keep in a byte each, as the kernels take them."""
    return y.astype(np.float64, copy=False)
