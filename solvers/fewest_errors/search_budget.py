"""Limits of the search for the fewest errors: a time limit, and a number of steps, the same on every machine."""

from dataclasses import dataclass
from typing import Any

from maxmargin.solvers.basics.limits import Limits

# Steps of a linear program without its iterations, and of an iteration without its entries.
_OF_A_PROGRAM, _OF_AN_ITERATION = 200_000, 20_000

# Steps of a separability check: a constant, per row, and per entry of the rows.
_OF_A_SPLIT, _OF_ITS_ROWS, _OF_ITS_ENTRIES = 2_000_000, 5_000, 500


@dataclass(slots=True, kw_only=True)
class Budget:
    """A time limit, and the steps that are left; a step is an entry of a matrix that a linear program reads once.

    Both end the work in the same way. Steps are the same on every machine, where a nanosecond or two is one step.

    Attributes
    ----------
    limits : Limits
    steps : float
        Steps that are left; infinity without a limit.
    parent : Budget or None
        The budget of which this is a part; what is spent here is spent there as well.
    """

    limits: Limits
    steps: float
    parent: "Budget | None" = None

    @classmethod
    def of(cls, limits: Limits, most_steps: int | None) -> "Budget":
        """Return a budget of `most_steps` steps; None for no limit."""
        return cls(limits=limits, steps=float("inf") if most_steps is None else float(most_steps))

    def is_over(self) -> bool:
        """Whether the time is over, or no step is left."""
        return self.steps <= 0 or self.limits.is_over()

    def part(self, n_shares: int, limits: Limits | None = None) -> "Budget":
        """Return a share of the steps that are left, with these limits, or the same ones."""
        return Budget(limits=limits or self.limits, steps=max(0.0, self.steps / n_shares), parent=self)

    def spend(self, n_steps: float) -> None:
        """Charge this number of steps, here and to the parent."""
        self.steps -= n_steps
        if self.parent is not None:
            self.parent.spend(n_steps)

    def spend_program(self, solver: Any) -> None:
        """Charge the steps of the last run of HiGHS."""
        n_iterations = max(0, int(solver.getInfo().simplex_iteration_count))
        self.spend(_OF_A_PROGRAM + n_iterations * (_OF_AN_ITERATION + int(solver.getNumNz())))

    def spend_split(self, n_rows: int, width: int) -> None:
        """Charge the steps of one separability check of `n_rows` rows with `width` entries each."""
        self.spend(_OF_A_SPLIT + n_rows * (_OF_ITS_ROWS + _OF_ITS_ENTRIES * width))
