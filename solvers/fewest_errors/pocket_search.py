"""Hyperplanes of a perceptron in random order (Gallant 1990), offered so that their errors are counted exactly.

`Incumbent` is the pocket here: it keeps the best hyperplane of all engines. The online algorithm ``pocket`` is a run of
its own, whose pocket is filled by comparing errors in floating point.
"""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.fewest_errors.fewest_incumbent import Incumbent

Floats = NDArray[np.float64]

NAME = "pocket perceptron"

_PASSES, _PRESENTATIONS = 20, 20_000
"""Largest numbers of passes and of presented rows (which a single pass may exceed): about 0.1 s."""


def offer_pocket(best: Incumbent, limits: Limits) -> None:
    """Offer each hyperplane whose stretch without a mistake is the longest so far, and the last one of every pass."""
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
