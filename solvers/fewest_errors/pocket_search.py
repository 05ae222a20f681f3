"""The pocket perceptron: the plane with the fewest errors on the way of a perceptron in random order (Gallant 1990)."""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.fewest_errors.fewest_incumbent import Incumbent

Floats = NDArray[np.float64]

NAME = "pocket perceptron"

_PASSES, _PRESENTATIONS = 20, 20_000
"""Over the rows, and of rows in all, at most, but for one pass; a tenth of a second."""


def offer_pocket(best: Incumbent, limits: Limits) -> None:
    """Offer the planes of a perceptron, each at the end of a longer stretch without a mistake than any before."""
    rows, random = best.scaled, np.random.default_rng(0)
    w, longest, stretch = np.zeros(rows.shape[1]), 0, 0
    n_rows = len(rows)
    for _ in range(min(_PASSES, max(1, _PRESENTATIONS // n_rows))):
        if limits.is_over():
            return
        for row in rows[random.permutation(n_rows)]:
            if row @ w > 0:
                stretch += 1
                continue
            if stretch > longest:
                best.offer_floats(w, NAME)
                longest = stretch
            w, stretch = w + row, 0
        best.offer_floats(w, NAME)
