"""The step of an online algorithm, and the state that it changes."""

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Step = Callable[..., int]
"""``step(X, y, row, t, score, parameters, w, table, scalars)``, 1 for an update, else 0.

X (n, D) and y are the rows of the run and their signs; ``row`` is presented as number t, counted from 1, with score w.x
before the step. The step changes w, which scores are taken from, and the table and scalars, which are its own. Long
runs compile it, to the same bits: exp and log1p are `math`'s, those of the C library in either case; NumPy's are not.
"""


class Presents(IntEnum):
    """The kind of a presentation: the next row, the row of least y w.x, or all rows; an epoch is n, 1 or 1 of them."""

    ROWS = 0
    WORST_ROW = 1
    ALL_ROWS = 2


class State(NamedTuple):
    """The arrays that a step reads (parameters) and changes (all others).

    Attributes
    ----------
    w : ndarray (D,)
    table : ndarray, of two dimensions
    scalars : ndarray
    parameters : ndarray
    """

    w: Floats
    table: Floats
    scalars: Floats
    parameters: Floats

    def copy(self) -> "State":
        """Return a state that can be changed for a trial."""
        return self._replace(w=self.w.copy(), table=self.table.copy(), scalars=self.scalars.copy())

    @property
    def is_finite(self) -> bool:
        """Whether nothing has overflowed."""
        return all(bool(np.isfinite(part).all()) for part in (self.w, self.table, self.scalars))
