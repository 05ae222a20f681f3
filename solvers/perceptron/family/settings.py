"""How an online algorithm is run, and why it ended."""

from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.orders import Order


class OnlineStop(StrEnum):
    """Why a run ended: its own stopping rule, a limit, or Ctrl-C."""

    CONVERGED = "converged"
    MAX_EPOCHS = "max_epochs"
    MAX_UPDATES = "max_updates"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineSettings:
    """How an online algorithm is run, whichever it is.

    Attributes
    ----------
    bias_scale : float
        The constant coordinate s that stands for the bias: rows are (x, s). Ignored through the origin.
    order : Order or None
        None is the algorithm's own.
    max_epochs, max_updates : int or None
        Limits; None is none.
    """

    bias_scale: float = 1.0
    order: Order | None = None
    max_epochs: int | None = 100
    max_updates: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.bias_scale < float("inf"):
            raise InvalidOptionError(f"bias_scale is {self.bias_scale!r}; expected a positive finite number")
        for name in ("max_epochs", "max_updates"):
            limit = getattr(self, name)
            if limit is not None and not (isinstance(limit, Integral) and int(limit) >= 1):
                raise InvalidOptionError(f"{name} is {limit!r}; expected a whole number from 1, or None")
