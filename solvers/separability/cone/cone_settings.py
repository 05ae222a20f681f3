"""How a cone is decided: sizes, tolerances and the solver that proposes. They change the work, never the answer."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem.candidate import SolverRun

Floats = NDArray[np.float64]

FaceSolver = Callable[..., tuple[Floats | None, Floats | None, SolverRun]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConeSettings:
    """Every answer is checked in exact arithmetic, so another value costs time only.

    Attributes
    ----------
    all_active_rows : int
        Largest number of rows of a cone for which all of them are active from the start.
    first_rows, first_rows_per_column : int
        A larger cone starts with `first_rows` rows and `first_rows_per_column` more for every column.
    rows_added : int
        Largest number of violated rows that become active at a time.
    exact_rows : int
        Number of rows that are turned into integers at a time.
    sign_rows_added : int
        As `rows_added`, for the signs of the columns.
    alias_spare_rows : int
        Linearly dependent columns are looked for on two rows for every column and this number of rows more.
    in_span : float
        Distance from the span of a face, relative to the length of the row, up to which a row is taken for dependent
        on the face until this is checked exactly.
    opposite : float
        Value of a coordinate, of a direction of size about 1, above which the sign in floating point is believed until
        this is checked exactly.
    candidate_weight : float
        Weight, relative to the largest one, up to which a row is left out of a candidate circuit.
    solve_on_face : callable, optional
        Proposes directions and weights in place of `highs_lp.solve_on_face`.
    """

    all_active_rows: int = 4096
    first_rows: int = 500
    first_rows_per_column: int = 10
    rows_added: int = 1000
    exact_rows: int = 4096
    sign_rows_added: int = 100
    alias_spare_rows: int = 50
    in_span: float = 1e-9
    opposite: float = 1e-9
    candidate_weight: float = 1e-12
    solve_on_face: FaceSolver | None = None


DEFAULT = ConeSettings()
