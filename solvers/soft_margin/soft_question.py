"""What the questions with slack have in common: their options, and the weights of rows."""

from typing import Any

from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.soft_working_set import soft_working_set
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.row_weights import RowWeights, checked, numbers_of_rows


def check_options(problem: Problem, methods: tuple[str, ...], method: str, solver: str | None) -> None:
    """Raise an InvalidOptionError unless the method is one of these and suits the problem and the solver."""
    if method not in methods:
        raise InvalidOptionError(f"method is {method!r}; expected one of {', '.join(methods)}")
    if solver is not None and method not in ("auto", "textbook", "cvxpy"):
        raise InvalidOptionError(f"solver is {solver!r}; cvxpy's solvers have no part in method={method!r}")
    if method == interior_point.NAME and not interior_point.fits(problem):
        raise InvalidOptionError(f"{problem.n_samples} x {problem.n_features} is too large for method={method!r}")
    if method == soft_working_set.NAME and not soft_working_set.fits(problem):
        raise InvalidOptionError(f"{problem.n_samples} x {problem.n_features} has too many columns for {method!r}")


def row_weights(problem: Problem, sample_weight: Any) -> RowWeights:
    """Return the weights, of numbers or as they are.

    Raises
    ------
    InvalidProblemError
        Unless they are one finite number from 0 a row, with both classes left.
    """
    if isinstance(sample_weight, RowWeights):
        return checked(sample_weight, problem.y)
    return checked(RowWeights(numbers=numbers_of_rows(sample_weight, problem.n_samples)), problem.y)
