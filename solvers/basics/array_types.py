"""Types of arrays, by the numbers that they hold."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
"""Binary64 numbers."""

Rows: TypeAlias = NDArray[np.int64]
"""Positions of rows, from 0."""

Mask: TypeAlias = NDArray[np.bool_]
"""Whether something is true of each row or entry."""
