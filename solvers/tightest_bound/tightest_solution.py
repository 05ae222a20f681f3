"""What the search for the tightest mistake bound returns."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.exact.dyadic import width_of
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.proof.mistake_bounds import Loss

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TightestBound:
    """The least value of a mistake bound over all v, as a proven interval.

    Attributes
    ----------
    status : Status
        `optimal` where the interval is narrow; ``upper`` is a bound of the mistakes whatever it says.
    loss : Loss
    n_passes : int
        How often every row is presented.
    v : ndarray (n_features,)
        The best normal found, in the space of the run; 0 gives the number of presentations.
    lower, upper : float
        Proven ends of the least value, outward rounded: the first from the weights, the second is the value at v,
        where v separates that over its least margin.
    weights : ndarray (n_samples,)
        Of the rows, in any unit: at the optimum they are proportional to the most mistakes that the bound allows.
    engine : str
        What computed v.
    n_iterations : int
        Solutions of a support vector machine that were looked at.
    attempts : tuple of SolverRun
    reason : str
        `WHAT_WAS_PROVEN` where Ctrl-C cut the work short, else empty.
    """

    status: Status
    loss: Loss
    n_passes: int
    v: Floats
    lower: float
    upper: float
    weights: Floats = field(repr=False)
    engine: str
    n_iterations: int
    attempts: tuple[SolverRun, ...] = ()
    reason: str = ""

    @property
    def gap(self) -> float:
        """``upper - lower``, rounded up."""
        return width_of(self.lower, self.upper)

    def hyperplane(self, bias_scale: float) -> tuple[Floats, float]:
        """Return (w, b) of v = (w, b/s) for a run whose rows end with the constant s."""
        return self.v[:-1], float(self.v[-1]) * bias_scale
