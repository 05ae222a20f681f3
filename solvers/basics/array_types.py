"""Types of arrays, by the numbers that they hold."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

# Binary64 numbers.
Floats: TypeAlias = NDArray[np.float64]

# Positions of rows, from 0.
Rows: TypeAlias = NDArray[np.int64]

# Whether something is true of each row or entry.
Mask: TypeAlias = NDArray[np.bool_]
