"""What a floating-point solver returns: hints, to be checked."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STOPPED_EARLY = ("user_limit", "optimal_inaccurate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call of a solver: what it said of itself, verbatim.

    Attributes
    ----------
    solver : str
        Name of the solver.
    status : str
        Its native status, or the class of the exception it raised.
    message : str
        Its message, where it gives one.
    """

    solver: str
    status: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The normal of a hyperplane and weights of the rows, neither to be trusted; the offset is always found anew.

    Attributes
    ----------
    w : ndarray or None
        Finite where present.
    multipliers : ndarray or None
        Of the margin constraints, finite where present.
    engine : str
        What computed it.
    attempt : Attempt
    """

    w: Floats | None
    multipliers: Floats | None
    engine: str
    attempt: Attempt

    @classmethod
    def failed(cls, solver: str, engine: str, error: Exception) -> "Candidate":
        """Return what is known of a solver that raised: the error, and no numbers."""
        attempt = Attempt(solver=solver, status=type(error).__name__, message=" ".join(str(error).split()))
        return cls(w=None, multipliers=None, engine=engine, attempt=attempt)

    @property
    def stopped_early(self) -> bool:
        """Whether the solver itself says that it stopped at a limit."""
        return self.attempt.status in _STOPPED_EARLY
