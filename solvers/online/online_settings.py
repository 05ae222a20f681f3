"""How an online algorithm is run, and why it ended."""

from dataclasses import dataclass
from enum import StrEnum

from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.settings import check_bias_scale, check_limits, check_time_limit


class OnlineStop(StrEnum):
    """Why a run ended: its own stopping rule, nothing left to do though rows are in error, a limit, or Ctrl-C."""

    CONVERGED = "converged"
    STALLED = "stalled"
    MAX_EPOCHS = "max_epochs"
    MAX_UPDATES = "max_updates"
    TIME_LIMIT = "time_limit"
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
    time_limit : float or None
        Seconds from the start of the run; None is no limit.
    short : int
        Multiplications that a run does in plain Python before it calls compiled code: less than a tenth of a second.
        Before the first compiled code of a process is made or loaded it does more.
    """

    bias_scale: float = 1.0
    order: Order | None = None
    max_epochs: int | None = 100
    max_updates: int | None = None
    time_limit: float | None = None
    short: int = 100_000

    @property
    def proof_time(self) -> float | None:
        """Seconds for the margins that guarantees are measured against: a fifth of the limit, at least half a one."""
        return None if self.time_limit is None else max(0.5, self.time_limit / 5)

    def __post_init__(self) -> None:
        check_bias_scale(self.bias_scale)
        check_limits(max_epochs=self.max_epochs, max_updates=self.max_updates)
        check_time_limit(self.time_limit)
