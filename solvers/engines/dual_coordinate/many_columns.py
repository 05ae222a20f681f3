"""Hyperplanes of data with many columns, by an engine that is compiled on first use."""

from collections.abc import Iterator

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.problem.candidate import Candidate
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.problem.scaling import ColumnScaling

_MANY_COLUMNS, _MANY_POSITIONS = 300, 1 << 20
"""Smallest numbers of columns, and of matrix entries, for which the descent is worth its compilation."""


def is_worth_it(problem: Problem) -> bool:
    """Return whether the rows are in memory, with enough columns for this engine to be faster than a working set."""
    if not isinstance(problem.row_source, InMemory):
        return False
    n_rows, n_columns = problem.n_samples, problem.n_features
    n_least = n_columns if problem.is_sparse else min(n_rows, n_columns)
    return n_least >= _MANY_COLUMNS and n_rows * n_columns >= _MANY_POSITIONS


def candidates(problem: Problem, limits: Limits, *, relative_gap: float) -> Iterator[Candidate]:
    """Yield better and better normals and multipliers, until the gap of the margin; normals only once they separate."""
    from maxmargin.solvers.engines.dual_coordinate.dual_coordinate import search

    yield from search(problem, relative_gap=relative_gap, is_over=limits.is_over)


def scaled_candidates(
    problem: Problem, scaling: ColumnScaling, limits: Limits, *, relative_gap: float
) -> Iterator[Candidate]:
    """Yield the same for columns of size about 1, brought home."""
    scaled = Problem(scaling.apply(problem.matrix), problem.y, problem.bias, sizes=problem.sizes)
    for candidate in candidates(scaled, limits, relative_gap=relative_gap):
        yield scaling.bring_home(candidate)
