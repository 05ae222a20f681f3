"""What engines are asked by, and the candidates that they return: hints, to be checked."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError

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


# The tables of engines: hard margins, soft margins, nu-SVMs and verdicts each have one, in the order of asking.


class EngineRow(NamedTuple):
    """A way to an answer.

    Attributes
    ----------
    name : str
        The method by which it is asked for.
    suits : callable
        Whether `auto` asks it about a question, after what the engines before have found.
    ask : callable
        Looks for the answer of a question within limits; each table says what it returns.
    """

    name: str
    suits: Callable[[Any], bool]
    ask: Callable[[Any, Any], Any]


def always(question: Any) -> bool:
    """Return True, for an engine that suits all questions."""
    return True


def engines_to_ask(table: Iterable[EngineRow], method: str, question: Any) -> Iterator[EngineRow]:
    """Yield the engines that suit a question, or those of the method, each name once."""
    seen = set[str]()
    for engine in table:
        is_asked = engine.suits(question) if method in ("auto", "textbook") else engine.name == method
        if is_asked and engine.name not in seen:
            seen.add(engine.name)
            yield engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """A solver of cvxpy, or those asked by default if it has no name, with a user's options for it."""

    name: str | None
    options: Mapping[str, Any] = field(default_factory=dict)


# What a user asks for.
Asked: TypeAlias = str | Solver | None


def with_options(solver: str | None, options: object) -> Asked:
    """Return the solver with the options that a user gave for it.

    Raises
    ------
    InvalidOptionError
        If the options have no names.
    """
    if options is None:
        return solver
    if not (isinstance(options, Mapping) and all(isinstance(name, str) for name in options)):
        raise InvalidOptionError(f"solver_options is {options!r}; expected a dict of the solver's own names to values")
    return Solver(name=solver, options=options)
