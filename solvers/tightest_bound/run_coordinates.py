"""A change of coordinates for rows that only their inner products matter of: rows of size 1, as few columns as rows."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.dyadic import as_dense, sqrt_up, times_power_of_two
from maxmargin.solvers.problem.candidate import Candidate
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.problem.scaling import RowSpace
from maxmargin.solvers.proof.mistake_bounds import exponent_of_root

Floats = NDArray[np.float64]

_MOST_DENSE_ENTRIES = 1 << 24
"""Entries of rows, fewer than columns, that are turned to the space that they span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCoordinates:
    """Rows through the origin in units of a power of two, in the space that they span where columns are more.

    Attributes
    ----------
    problem : Problem
        The rows there.
    radius : float
        The greatest norm of them.
    exponent : int
        Of the unit.
    space : RowSpace or None
    """

    problem: Problem
    radius: float
    exponent: int
    space: RowSpace | None

    @classmethod
    def of(cls, problem: Problem, square: Fraction, *, most_exponent: int) -> "RunCoordinates":
        """Choose them for rows of the greatest squared norm R^2; rows outside memory stay as they are.

        So do those that are shorter than 2**most_exponent, and longer than its inverse.
        """
        n, d = problem.row_source.shape
        is_in_memory = isinstance(problem.row_source, InMemory)
        exponent = exponent_of_root(square) if square and is_in_memory else 0
        exponent = exponent if abs(exponent) > most_exponent else 0
        radius = sqrt_up(square / Fraction(4) ** exponent)
        if exponent:
            problem = Problem(times_power_of_two(problem.X, -exponent), problem.y, bias=False, sizes=problem.sizes)
        if not (is_in_memory and n < d and n * d <= _MOST_DENSE_ENTRIES):
            return cls(problem=problem, radius=radius, exponent=exponent, space=None)
        X = as_dense(problem.X)
        space = RowSpace.of(X, bias=False)
        turned = Problem(np.ascontiguousarray(space.apply(X)), problem.y, bias=False, sizes=problem.sizes)
        return cls(problem=turned, radius=radius, exponent=exponent, space=space)

    def bring_home(self, candidate: Candidate) -> Candidate:
        """Return the candidate with its normal in the original coordinates; none where that overflows."""
        if candidate.w is None:
            return candidate
        v = candidate.w if self.space is None else self.space.invert(candidate.w)
        with np.errstate(over="ignore"):
            home = np.ldexp(v, -self.exponent)
        return replace(candidate, w=home if np.isfinite(home).all() else None)
