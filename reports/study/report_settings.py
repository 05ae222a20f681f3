"""How a report is made: its options, the sizes up to which it computes each part, and the solvers that it asks."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.perceptron.settings import RunProgress

OnProgress = Callable[[RunProgress], None]

# Why a part of a report is left out.
OUT_OF_TIME = "the time limit was reached before"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSizes:
    """The sizes up to which the parts of a report are computed.

    Attributes
    ----------
    order_steps : int
        Steps of all random orders together; a step is a presentation of a row of few columns, about 50 ns at its
        slowest.
    order_rows : int
        Largest number of rows for which many orders, each with a count for every row, are held at once.
    textbook_numbers : int
        Entries of the textbook programs of all soft margins together, which cvxpy solves; at least one is solved.
    error_numbers : int
        Largest number of entries of X for which the fewest errors of any hyperplane are searched for.
    error_steps : int
        Steps of that search, each a nanosecond or two.
    column_work : int
        Largest number of strict inequalities times squared dimensions for which the infinite coefficients are
        computed: a linear program for each column.
    proof_characters : int
        Largest number of characters of a list of integers of a proof; longer ones are left out.
    page_proof_characters : int
        Largest number of characters of the proof that a page checks; of a longer one the page says where it is.
    traced_mistakes : int
        Mistakes that the figures draw and the JSON form lists.
    """

    order_steps: int = 10_000_000
    order_rows: int = 100_000
    textbook_numbers: int = 40_000
    error_numbers: int = 200_000
    error_steps: int = 700_000_000
    column_work: int = 2_000_000
    proof_characters: int = 200_000
    page_proof_characters: int = 1_000_000
    traced_mistakes: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSettings:
    """How a report is made; but for the last two the fields are the options of `margin_report`.

    Attributes
    ----------
    sizes : ReportSizes
    started : float
        When the work began, on the monotonic clock.
    """

    bias: bool = True
    bias_scale: float | Literal["best"] = 1.0
    zero: str = "mistake"
    order: str = "cyclic"
    seed: int = 0
    max_epochs: int | None = None
    max_mistakes: int | None = 1_000_000
    prepare: str = "raw"
    Cs: tuple[float, ...] | None = None
    orders: int | None = None
    time_limit: float | None = None
    title: str = ""
    note: str = ""
    date: str = ""
    sizes: ReportSizes = field(default_factory=ReportSizes)
    started: float = field(default_factory=time.monotonic, compare=False)

    @property
    def limits(self) -> Limits:
        """The time limit, which counts from the start of the work."""
        return Limits(time_limit=self.time_limit, started=self.started)

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """Return the names of the options of `margin_report`."""
        return tuple(name for name in cls.__dataclass_fields__ if name not in ("sizes", "started"))
