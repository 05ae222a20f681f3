"""The rows that an online run is made on, and its hyperplane brought back to the user's space, judged exactly."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import as_fraction, round_down
from maxmargin.solvers.perceptron.engines.row_units import unit_exponent
from maxmargin.solvers.perceptron.result import achieved_margins
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import n_errors

# Largest number of entries of the dense rows, the constant coordinate included.
MOST_ENTRIES = 10**8


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


class Measured(NamedTuple):
    """A hyperplane in the user's space, its least margins and its errors, as in `OnlineRun`."""

    w: Floats
    b: float
    margin: float
    run_margin: float
    unit_margin: float
    n_errors: int


def measured(problem: Problem, space: Space, plane: Floats) -> Measured | None:
    """Return the plane of the run as one of the user's space, and its margins; None where its bias overflows."""
    weight = float(plane[-1]) if problem.bias else 0.0
    w, b = plane[: problem.n_features], weight * space.scale
    if not math.isfinite(b):
        return None
    margin, _ = achieved_margins(problem, w, b, space.scale)
    unit, _ = achieved_margins(space.problem, plane, 0.0, 0.0)
    run_margin = round_down(Fraction(unit) * as_fraction(1, space.exponent)) if math.isfinite(unit) else unit
    errors = n_errors(problem, w, b)
    return Measured(w=w, b=b, margin=margin, run_margin=run_margin, unit_margin=unit, n_errors=errors)
