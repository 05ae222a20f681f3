"""Circuits of least cost: rows that cannot all be strictly on their side, for one cost after another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines import highs_lp

Floats = NDArray[np.float64]


class CircuitProgram:
    """The linear program min c.a subject to sum a_i z_i = 0, sum a_i = 1, a >= 0, solved anew from the last vertex.

    Its vertices are the irreducible sets of rows that no hyperplane has strictly on their side (Gleeson and Ryan 1990).
    With the shares t of a cover as costs, a vertex of small value is likely a set of which t covers less than 1 (Parker
    and Ryan 1996). The dual solution is a direction with z_i.v >= s - c_i, s the value: where this is positive, rows of
    cost 0 are on their side.

    Parameters
    ----------
    rows : ndarray (n_rows, m)
        Of size about 1; not strictly separable, else there is no solution.
    """

    def __init__(self, rows: Floats) -> None:
        n_rows, width = rows.shape
        self.numbers = np.arange(n_rows, dtype=np.int32)
        self.solver: Any = highs_lp.started(None)
        target = np.append(np.zeros(width), 1.0)
        self.solver.passModel(highs_lp.equalities(np.hstack([rows, np.ones((n_rows, 1))]), target))

    def cheapest(self, costs: Floats) -> tuple[Floats, Floats] | None:
        """Return the weights a at a vertex, and the direction; both are hints. None where HiGHS found no optimum."""
        self.solver.changeColsCost(len(self.numbers), self.numbers, costs)
        found = highs_lp.vertex(self.solver)
        return None if found is None else (found[0], -found[1][:-1])
