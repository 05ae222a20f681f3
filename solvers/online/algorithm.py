"""What an algorithm of the family is: its parameters, its step, its stopping rule, its plane and its guarantees."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.online.measure import Measured, measured
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.problem.problem import Problem

if TYPE_CHECKING:
    from maxmargin.solvers.online.guarantee import Guarantee
    from maxmargin.solvers.online.online_result import OnlineRun
    from maxmargin.solvers.online.truth import Truth

Floats = NDArray[np.float64]

Step = Callable[..., int]
"""``step(X, y, row, t, score, parameters, w, table, scalars)``, 1 for an update, else 0.

X (n, D) and y are the rows of the run and their signs; ``row`` is presented as number t, counted from 1, with score w.x
before the step. The step changes w, which scores are taken from, and the table and scalars, which are its own. Long
runs compile it, to the same bits: exp and log1p are `math`'s, those of the C library in either case; NumPy's are not.
"""


class Presents(IntEnum):
    """What a presentation is: the next row, the row of least y w.x, or all rows; one epoch is n, 1 or 1 of them."""

    ROWS = 0
    WORST_ROW = 1
    ALL_ROWS = 2


@dataclass(slots=True, kw_only=True)
class State:
    """What a step reads (parameters) and changes (all else).

    Attributes
    ----------
    w : ndarray (D,)
    table : ndarray, of two dimensions
    scalars : ndarray
    parameters : ndarray
    """

    w: Floats
    table: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    scalars: Floats = field(default_factory=lambda: np.zeros(0))
    parameters: Floats = field(default_factory=lambda: np.zeros(0))

    def copy(self) -> "State":
        """Return a state that can be changed for a trial."""
        return State(w=self.w.copy(), table=self.table.copy(), scalars=self.scalars.copy(), parameters=self.parameters)

    @property
    def is_finite(self) -> bool:
        """Whether nothing has overflowed."""
        return all(bool(np.isfinite(part).all()) for part in (self.w, self.table, self.scalars))


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm(ABC):
    """An online algorithm; its parameters are the fields of the subclass.

    Attributes
    ----------
    name, summary, reference : str
        Of the class: what it is called, what it does in one line, where it was published.
    step : Step
    presents : Presents
    default_order : Order
        The order of presentation where none is asked for.
    is_scale_free : bool
        Whether rows times a positive constant give the same updates: then numbers of any size can be presented.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    step: ClassVar[Step]
    presents: ClassVar[Presents] = Presents.ROWS
    default_order: ClassVar[Order] = Order.CYCLIC
    is_scale_free: ClassVar[bool] = False

    def space(self, space: Space) -> Space:
        """Return the space that the run takes place in, from that of the rows (x, s)."""
        return space

    def start(self, space: Space) -> State:
        """Return the state before the first presentation: by default w = 0 and nothing else."""
        return State(w=np.zeros(space.n_columns))

    def cost(self, space: Space) -> int:
        """Return about how many multiplications a presentation takes."""
        return space.n_columns if self.presents is Presents.ROWS else space.X.size

    def is_finished(self, space: Space, state: State, n_updates: int, is_clean: bool) -> bool:
        """Return whether to stop after this epoch: by default when it is clean, so that no row asks for an update."""
        return is_clean

    def plane(self, state: State, n_presentations: int) -> Floats:
        """Return the hyperplane that the run ends on, in its own space: by default w."""
        return state.w

    def measure(self, problem: Problem, space: Space, plane: Floats) -> Measured | None:
        """Return that hyperplane in the user's space, with its margins; None where it overflows."""
        return measured(problem, space, plane)

    def extras(self, run: "OnlineRun") -> Mapping[str, Any]:
        """Return what else is worth knowing of a run."""
        return {}

    def amplification(self, run: "OnlineRun") -> float:
        """Return by how much an update of the run magnified rounding errors, next to sums and products."""
        return 1.0

    def predict(self, run: "OnlineRun", X: Floats) -> Floats:
        """Return the sign predicted for every row, 0 on the plane."""
        return np.sign(X @ run.w + run.b)

    @abstractmethod
    def guarantees(self, run: "OnlineRun", truth: "Truth") -> "tuple[Guarantee, ...]":
        """Return what the theory says of this run, with the values that were met."""


def check_above(name: str, value: float, least: float = 0.0, *, inclusive: bool = False) -> None:
    """Raise unless the parameter is a finite number above ``least``, or that itself where it may be.

    Raises
    ------
    InvalidOptionError
        If it is not.
    """
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and math.isfinite(value)
    if not (is_number and (value > least or (inclusive and value == least))):
        words = f"from {least:g}" if inclusive else f"above {least:g}"
        raise InvalidOptionError(f"{name} is {value!r}; expected a finite number {words}")


def check_between(name: str, value: float, low: float, high: float, *, inclusive: bool = False) -> None:
    """Raise unless low < value < high, or value = high where that may be.

    Raises
    ------
    InvalidOptionError
        If it is not.
    """
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    if not (is_number and (low < value < high or (inclusive and value == high))):
        words = f"above {low:g} and {'at most' if inclusive else 'below'} {high:g}"
        raise InvalidOptionError(f"{name} is {value!r}; expected a number {words}")
