"""What algorithms with a matrix of D x D numbers have in common."""

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.space import Space

MOST_COLUMNS = 2001
"""Columns, the constant one included, up to which a full matrix is kept: 32 MB, and four million products an update."""


def check_columns(space: Space) -> None:
    """Raise where a full matrix would be too large.

    Raises
    ------
    InvalidProblemError
        If there are more than `MOST_COLUMNS` columns.
    """
    if space.n_columns > MOST_COLUMNS:
        raise InvalidProblemError(
            f"the rows have {space.n_columns} columns; expected {MOST_COLUMNS} at most for a full covariance matrix"
        )
