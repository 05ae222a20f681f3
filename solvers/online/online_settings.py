"""How an online algorithm is run."""

from dataclasses import dataclass, field

from maxmargin.solvers.basics.option_values import check_limits, check_time_limit
from maxmargin.solvers.online.space import MOST_ENTRIES
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.settings import check_bias_scale


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineSizes:
    """Limits of size and of work of an online run; they do not change its updates.

    Attributes
    ----------
    most_logged : int
        Updates whose rows and times are logged; later ones are counted only.
    slice_cost : int
        Multiplications between two looks at the clock and at Ctrl-C: a few ms.
    seconds_between_reports : float
        Least time between two calls of the progress callback.
    most_entries : int
        Largest dense array of rows (entries), the constant coordinate included.
    most_vote_products : int
        Multiplications up to which the errors of all weight vectors of a vote are counted: a fraction of a second.
    """

    most_logged: int = 10_000_000
    slice_cost: int = 2_000_000
    seconds_between_reports: float = 0.1
    most_entries: int = MOST_ENTRIES
    most_vote_products: int = 2 * 10**7


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
    sizes : OnlineSizes
        Limits of size and of work.
    """

    bias_scale: float = 1.0
    order: Order | None = None
    max_epochs: int | None = 100
    max_updates: int | None = None
    time_limit: float | None = None
    short: int = 100_000
    sizes: OnlineSizes = field(default=OnlineSizes(), repr=False)

    @property
    def proof_time(self) -> float | None:
        """Seconds for the margins that guarantees are measured against: a fifth of the limit, at least half a one."""
        return None if self.time_limit is None else max(0.5, self.time_limit / 5)

    def __post_init__(self) -> None:
        check_bias_scale(self.bias_scale)
        check_limits(max_epochs=self.max_epochs, max_updates=self.max_updates)
        check_time_limit(self.time_limit)
