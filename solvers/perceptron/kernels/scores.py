"""Compiled: the score of a dense row."""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.compiling import in_machine_code

Floats = NDArray[np.float64]


@in_machine_code
def dense_score(X: Floats, row: int, w: Floats) -> float:
    """Return w.x without the constant coordinate."""
    total = 0.0
    for j in range(X.shape[1]):
        total += X[row, j] * w[j]
    return total
