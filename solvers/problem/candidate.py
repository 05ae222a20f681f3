"""Candidates of floating-point solvers: hints, to be checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats

_STOPPED_EARLY = ("user_limit", "optimal_inaccurate")

# Status of an engine that Ctrl-C stopped; it returns its findings up to then.
INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverRun:
    """One call of a solver, with its own status and message, verbatim.

    Attributes
    ----------
    solver : str
        Name of the solver.
    status : str
        Its native status, or the class of the exception it raised.
    message : str
        Its message, if it gives one.
    claim : float or None
        The maximum margin 1/||w|| that it claims, if it does: not proven.
    """

    solver: str
    status: str
    message: str = ""
    claim: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The normal of a hyperplane and weights of the rows, neither to be trusted; the offset is always recomputed.

    Attributes
    ----------
    w : ndarray or None
        Finite where present.
    multipliers : ndarray or None
        Of the margin constraints, finite where present.
    engine : str
        The engine that computed it.
    attempt : SolverRun
    """

    w: Floats | None
    multipliers: Floats | None
    engine: str
    attempt: SolverRun

    @classmethod
    def failed(cls, solver: str, engine: str, error: Exception) -> "Candidate":
        """Return the candidate of a solver that raised: the error, and no numbers."""
        attempt = SolverRun(solver=solver, status=type(error).__name__, message=" ".join(str(error).split()))
        return cls(w=None, multipliers=None, engine=engine, attempt=attempt)

    @property
    def stopped_early(self) -> bool:
        """Whether the solver itself says that it stopped at a limit."""
        return self.attempt.status in _STOPPED_EARLY


def numbers(value: Any, size: int) -> Floats | None:
    """Return a solver's result as a vector if it has this size and finite numbers, else None."""
    try:
        vector = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return vector if vector.shape == (size,) and np.isfinite(vector).all() else None
