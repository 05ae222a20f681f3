"""Algorithms with a matrix of D x D numbers."""

from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import Algorithm
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import State

MOST_COLUMNS = 2001
"""Largest number of columns, the constant one included, for a full matrix: 32 MB, and four million products an update.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixAlgorithm(Algorithm):
    """One whose table holds a matrix and, below it, a row of room for a product with it."""

    def cost(self, space: Space) -> int:
        """Return the cost of an update."""
        return space.n_columns**2


def state_with_matrix(space: Space, diagonal: float, n_scalars: int, *parameters: float) -> State:
    """Return w = 0 and a multiple of the identity.

    Raises
    ------
    InvalidProblemError
        If there are more than `MOST_COLUMNS` columns.
    """
    n = space.n_columns
    if n > MOST_COLUMNS:
        raise InvalidProblemError(
            f"the rows have {n} columns; expected at most {MOST_COLUMNS} for a full covariance matrix"
        )
    table = diagonal * np.eye(n + 1, n)
    return State(w=np.zeros(n), table=table, scalars=np.zeros(n_scalars), parameters=np.array(parameters))
