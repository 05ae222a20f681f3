"""What a floating-point solver returns: hints, to be checked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STOPPED_EARLY = ("user_limit", "optimal_inaccurate")

INTERRUPTED = "interrupted"
"""Status of an engine that Ctrl-C stopped on its way; what it returns is what it had by then."""


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
    claim : float or None
        The maximum margin by its own account, 1/||w||, where it gives one: not proven.
    """

    solver: str
    status: str
    message: str = ""
    claim: float | None = None


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

    @classmethod
    def heard(cls, ask: "Callable[[], Candidate]", solver: str, n_features: int, n_samples: int) -> "Candidate":
        """Return what a solver says; what it raises, or what is not finite numbers of the right shape, is nothing."""
        try:
            found = ask()
        except Exception as error:  # solvers raise anything, and the next one may succeed
            return cls.failed(solver, solver, error)
        return replace(found, w=numbers(found.w, n_features), multipliers=numbers(found.multipliers, n_samples))

    @property
    def stopped_early(self) -> bool:
        """Whether the solver itself says that it stopped at a limit."""
        return self.attempt.status in _STOPPED_EARLY


def numbers(value: Any, size: int) -> Floats | None:
    """Return what a solver gave as a vector, if it is one of finite numbers and of this size."""
    try:
        vector = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return vector if vector.shape == (size,) and np.isfinite(vector).all() else None
