"""The rows that an online run is made on: (x, s) as one dense array, in units of a power of two."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.perceptron.engines.row_units import unit_exponent
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]

MOST_ENTRIES = 10**8
"""Largest number of entries of the dense rows, the constant coordinate included."""


@dataclass(frozen=True, kw_only=True)
class Space:
    """The rows of a run.

    Attributes
    ----------
    X : ndarray (n_samples, n_columns), C order
        (x, s) divided by 2**exponent; x alone through the origin.
    y : ndarray (n_samples,)
        -1.0 or +1.0.
    scale : float
        The constant coordinate s in the user's units; 0 through the origin.
    exponent : int
        0 unless products of the numbers would overflow or vanish.
    is_exact : bool
        Whether no number was rounded when it was divided; else these are other rows than the user's.
    """

    X: Floats
    y: Floats
    scale: float
    exponent: int = 0
    is_exact: bool = True
    is_kernel: ClassVar[bool] = False
    """Whether X holds the values of a kernel in place of rows."""

    @classmethod
    def of(cls, problem: Problem, scale: float, most_entries: int = MOST_ENTRIES) -> "Space":
        """Copy the rows of a problem.

        Raises
        ------
        InvalidProblemError
            If they have too many entries.
        """
        n_columns = problem.n_features + problem.bias
        if problem.n_samples * n_columns > most_entries:
            raise InvalidProblemError(
                f"the rows have {problem.n_samples} x {n_columns} entries; expected {most_entries} at most, "
                "because online algorithms keep them in memory as one dense array"
            )
        scale = scale if problem.bias else 0.0
        exponent = unit_exponent(problem, scale)
        constant = math.ldexp(scale, -exponent)
        X, is_exact = np.full((problem.n_samples, n_columns), constant), math.ldexp(constant, exponent) == scale
        first = 0
        for chunk in problem.dense_chunks():
            rows = X[first : first + len(chunk), : problem.n_features]
            rows[:] = np.ldexp(chunk, -exponent)
            is_exact = is_exact and bool((np.ldexp(rows, exponent) == chunk).all())
            first += len(chunk)
        return cls(X=X, y=problem.y.astype(np.float64), scale=scale, exponent=exponent, is_exact=is_exact)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns, the constant one included."""
        return int(self.X.shape[1])

    @cached_property
    def problem(self) -> Problem:
        """These rows, to be separated through the origin."""
        return Problem(self.X, self.y, bias=False)

    @cached_property
    def squared_norms(self) -> Floats:
        """||x||^2 of every row."""
        return np.asarray(np.einsum("ij,ij->i", self.X, self.X))

    @property
    def radius(self) -> float:
        """R, the greatest norm of a row."""
        return math.sqrt(float(self.squared_norms.max()))
