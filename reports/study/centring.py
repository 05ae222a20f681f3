"""Columns moved to mean 0; where the rows are outside memory, whenever they are read."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.outofcore.derived import Derived
from maxmargin.data.preparing import How, prepare
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory

Floats = NDArray[np.float64]


def moved_to_mean_0(problem: Problem) -> Problem:
    """Return the problem of the rows x - mean.

    Raises
    ------
    InvalidProblemError
        The range of a column is too large for binary64, or sparse rows are too many to be made dense.
    """
    if not isinstance(problem.carrier, InMemory):
        return centred(problem)
    return replace(problem, X=prepare(problem.X, How.CENTER).X, known_bounds=None)


def about_the_mean(problem: Problem) -> Problem:
    """Return about the same, for estimates: overflow is no error."""
    if not isinstance(problem.carrier, InMemory):
        return _made_while_read(problem)
    with np.errstate(over="ignore", invalid="ignore"):
        means = problem.X.mean(axis=0)
    means = means if np.isfinite(means).all() else column_means(problem)
    return replace(problem, X=_moved(means, problem.X), known_bounds=None)


def column_means(problem: Problem) -> Floats:
    """Return the mean of every column, without overflow on the way; of a constant column its value."""
    low, high = problem.column_bounds
    exponents = np.frexp(problem.column_sizes)[1]
    total = np.sum([*problem.map(partial(_sums, exponents))], axis=0)
    return np.where(low == high, low, np.ldexp(total / problem.n_samples, exponents))


def _sums(exponents: NDArray[Any], rows: slice, X: Floats) -> Floats:
    result: Floats = np.ldexp(X, -exponents).sum(axis=0)
    return result


def centred(problem: Problem) -> Problem:
    """Return the problem of the rows x - mean, which are made while x are read.

    Raises
    ------
    InvalidProblemError
        The range of a column is too large for binary64.
    """
    moved = _made_while_read(problem)
    is_finite = np.isfinite(moved.column_bounds).all(axis=0)
    if not is_finite.all():
        raise InvalidProblemError(
            f"column {int(np.argmin(is_finite))} cannot be centred: its range is too large for binary64"
        )
    return moved


def _made_while_read(problem: Problem) -> Problem:
    means = column_means(problem)
    low, high = problem.column_bounds
    bounds = _moved(means, low), _moved(means, high)
    return replace(problem, X=Derived(problem.carrier, partial(_moved, means), bounds), known_bounds=bounds)


def _moved(means: Floats, X: Floats) -> Floats:
    with np.errstate(over="ignore"):
        result: Floats = X - means
    return result
