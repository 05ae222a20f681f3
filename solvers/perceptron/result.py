"""What a run ended on, and what it proves about the margins."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.perceptron.settings import PerceptronSettings, StopReason
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.dyadic import sqrt_up
from maxmargin.solvers.proof.hulls import ClassSums
from maxmargin.solvers.proof.margins import geometric_margin, least_functional_margin, norm_squared

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptronRun:
    """A run from w = 0: w += y x at every mistake.

    Attributes
    ----------
    w : ndarray (n_features,)
    b : float
        The hyperplane in the user's space: b is bias_scale times the weight of the constant coordinate.
    n_mistakes, n_epochs : int
        Updates; passes begun, the final clean one included. In random order an epoch is n draws, and the full scan
        that ends the run counts as one.
    n_presentations : int
        How often a row was presented; a limit may cut the last epoch.
    converged : bool
    stop_reason : StopReason
    mistake_rows : ndarray (n_mistakes,)
        The row of every mistake, in order.
    mistakes_per_epoch : ndarray (n_epochs,)
    margin : float
        Least y(w.x + b)/||w|| over the rows, rounded down; at most gamma*. -infinity at w = 0.
    margin_upper : float or None
        Proven upper bound of gamma*, from the integer mistake counts c: half the distance of the c-weighted means of
        the two classes (through the origin ||sum c y x||/M); None before both classes have a mistake.
    run_margin : float
        The same least margin in the space (x, s) of the run: divided by ||(w, b/s)||.
    run_upper : float or None
        ||sum c y (x, s)||/M, proven upper bound of that space's maximum margin through the origin; None before the
        first mistake.
    settings : PerceptronSettings
    """

    w: Floats
    b: float
    n_mistakes: int
    n_epochs: int
    n_presentations: int
    converged: bool
    stop_reason: StopReason
    mistake_rows: Rows
    mistakes_per_epoch: Rows
    margin: float
    margin_upper: float | None
    run_margin: float
    run_upper: float | None
    settings: PerceptronSettings

    @property
    def norm(self) -> float:
        """||w|| in the user's space."""
        return math.hypot(*self.w.tolist())  # which scales: units of 2**900 are no overflow

    @property
    def run_norm(self) -> float:
        """||(w, b/s)|| in the space of the run."""
        scale = self.settings.bias_scale
        return math.hypot(*self.w.tolist(), self.b / scale)


def achieved_margins(problem: Problem, w: Floats, weight: float, scale: float) -> tuple[float, float]:
    """Return the least geometric margins of the plane in the user's space and in the space of the run, rounded down."""
    square = norm_squared(w)
    b = weight * scale
    least = least_functional_margin(problem, w, b)
    margin = geometric_margin(least, square)
    if not scale:
        return margin, margin
    # b is rounded, so in the space of the run the last weight of this very plane is b/s.
    return margin, geometric_margin(least, square + (Fraction(b) / Fraction(scale)) ** 2)


def upper_bounds(problem: Problem, mistake_rows: Rows, scale: float) -> tuple[float | None, float | None]:
    """Return the proven upper bounds of gamma* and of the maximum margin in (x, s), from the mistakes alone."""
    counts = np.bincount(mistake_rows, minlength=problem.n_samples)
    rows = np.flatnonzero(counts)
    sums = ClassSums.of(problem, rows, counts[rows].tolist())
    margin_square = sums.half_distance_squared() if problem.bias else sums.mean_norm_squared()
    run_square = sums.mean_norm_squared(Fraction(scale))
    return (
        None if margin_square is None else sqrt_up(margin_square),
        None if run_square is None else sqrt_up(run_square),
    )
