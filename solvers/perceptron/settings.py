"""How a perceptron is run, and the progress that it reports."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import StrEnum

from maxmargin.solvers.basics.option_values import check_choice, check_limits, check_time_limit
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.row_orders import Order

# The rules for a score of exactly 0, as numbers for compiled code: the prediction, 0 for none.
ZERO_RULES = {"mistake": 0, "positive": 1, "negative": -1}


class StopReason(StrEnum):
    """Why a run ended: its own stopping rule, nothing left to do though rows are in error, a limit, or Ctrl-C."""

    CONVERGED = "converged"
    STALLED = "stalled"
    MAX_EPOCHS = "max_epochs"
    MAX_MISTAKES = "max_mistakes"
    MAX_UPDATES = "max_updates"
    TIME_LIMIT = "time_limit"
    INTERRUPTED = "interrupted"

    @property
    def phrase(self) -> str:
        """Why the run ended, in words."""
        return _PHRASES[self]


_PHRASES = {
    StopReason.CONVERGED: "converged",
    StopReason.STALLED: "not converged, no row asks for an update though some are in error",
    StopReason.MAX_EPOCHS: "not converged, stopped at the limit of epochs",
    StopReason.MAX_MISTAKES: "not converged, stopped at the limit of mistakes",
    StopReason.MAX_UPDATES: "not converged, stopped at the limit of updates",
    StopReason.TIME_LIMIT: "not converged, stopped at the time limit",
    StopReason.INTERRUPTED: "interrupted",
}


class EngineName(StrEnum):
    """How scores are computed; the mistakes are the same."""

    AUTO = "auto"
    WEIGHTS = "weights"
    GRAM = "gram"
    INTEGERS = "integers"


# Fields whose defaults are the largest values for which the arithmetic is proven to be exact, or well bounded.
_PROVEN = ("most_limb_products", "most_limb_mistakes", "most_limb_bits")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSizes:
    """Limits that choose engines, the length of logs, and how often a run looks at the clock, but not the mistakes.

    Attributes
    ----------
    most_logged : int
        Mistakes, and epochs, that are logged one by one (16.8 million); later ones are counted only.
    log_buffer : int
        Mistakes, and epochs, between two returns from compiled code.
    slice_entries : int
        Matrix entries read between two looks at the clock and at Ctrl-C: a few ms.
    seconds_between_reports : float
        Least time between two calls of the progress callback.
    most_ties : int
        Scores that are computed exactly without limbs; later ones are decided as rounded, and counted.
    reload_after : int
        Mistakes after which the weights are rounded again from their exact value, so that errors do not add up.
    most_limbs : int
        Limbs of all rows: as much memory as the largest Gram matrix needs (32 MiB).
    most_limb_steps : int
        Counts looked at and products added up in one pass: some ms, between two looks at the clock and at Ctrl-C.
    most_limb_products : int
        Products of two limbs that are added up: each is below 2**48 and the carry below 2**39, the sum below 2**63.
    most_limb_mistakes : int
        Mistakes for which sums of limbs stay below 2**62, and their carries below two limbs.
    most_limb_bits : int
        Bits of a number in units of the lowest bit of all numbers, so that it is exact in floating point as well.

    Raises
    ------
    InvalidOptionError
        If a field is larger than the largest value for which the arithmetic is proven.
    """

    most_logged: int = 1 << 24
    log_buffer: int = 65_536
    slice_entries: int = 20_000_000
    seconds_between_reports: float = 0.1
    most_ties: int = 20_000
    reload_after: int = 10_000_000
    most_limbs: int = 1 << 22
    most_limb_steps: int = 1 << 24
    most_limb_products: int = 1 << 14
    most_limb_mistakes: int = 1 << 38
    most_limb_bits: int = 1000

    def __post_init__(self) -> None:
        for limit in fields(self):
            if limit.name in _PROVEN and getattr(self, limit.name) > limit.default:
                raise InvalidOptionError(f"{limit.name} is {getattr(self, limit.name)}; expected up to {limit.default}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptronSettings:
    """How a perceptron is run.

    Attributes
    ----------
    bias_scale : float
        The constant coordinate s that stands for the bias: rows are (x, s). Ignored through the origin.
    zero : {"mistake", "positive", "negative"}
        What y w.x = 0 is: always a mistake, or a prediction of +1, or of -1.
    order : Order
    max_epochs, max_mistakes : int or None
        Limits; None is none.
    method : EngineName
        With a vector of weights; with the Gram matrix of at most 2,048 rows; or in Python's integers, without compiled
        code. By default a run of few short rows begins in integers, and a long one goes on with whichever is fastest.
    time_limit : float or None
        Seconds of the whole run, with what is proven at its end; None is no limit.
    short : int or None
        Work that is done in integers before code is compiled or loaded, in units of about 40 ns: presenting a row of d
        numbers takes 16 + d units. None: 2**21, or 0 for compiled code that this process has loaded already. With 0
        the whole run is in compiled code.
    sizes : RunSizes
        Limits of size and of work; the mistakes are the same for all of them.
    """

    bias_scale: float = 1.0
    zero: str = "mistake"
    order: Order = Order.CYCLIC
    max_epochs: int | None = None
    max_mistakes: int | None = 10_000_000
    method: EngineName = EngineName.AUTO
    time_limit: float | None = None
    short: int | None = None
    sizes: RunSizes = field(default=RunSizes(), repr=False)

    def __post_init__(self) -> None:
        check_choice("zero", self.zero, ZERO_RULES)
        check_bias_scale(self.bias_scale)
        check_limits(max_epochs=self.max_epochs, max_mistakes=self.max_mistakes)
        check_time_limit(self.time_limit)


def check_bias_scale(bias_scale: float) -> None:
    """Raise `InvalidOptionError` unless the constant coordinate is a positive finite number."""
    if not 0 < bias_scale < math.inf:
        raise InvalidOptionError(f"bias_scale is {bias_scale!r}; expected a positive finite number")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """The state of a run, handed to the progress callback about ten times a second."""

    n_mistakes: int
    n_epochs: int
    seconds: float


# What the progress of a run is told to.
OnProgress = Callable[[RunProgress], None] | None
