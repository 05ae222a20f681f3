"""The soft margin by descent along single multipliers: for many sparse columns, in memory linear in the entries.

The dual is max sum alpha - 1/2 ||sum alpha y x||^2 over 0 <= alpha_i <= costs_i with sum alpha y = 0. Coordinate
descent (Hsieh et al., A dual coordinate descent method for large-scale linear SVM, ICML 2008) keeps w = sum alpha y x
up to date, one row at a time. No single multiplier can keep the balance, so that imbalance r = sum alpha y is penalised
by offset r + stiffness/2 r^2; after every pass the offset moves by stiffness r (method of multipliers), and becomes the
bias.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.engines.dual_coordinate import NAME
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_newton import polish
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_state import Best, Descent, Rows, dot
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]

_FIRST_STIFFNESS, _STIFFER, _MOST_STIFFNESS = 0.005, 3.0, 0.1
"""First stiffness of the penalty on imbalance, its factor of growth and its largest value, in units of the mean
||x||^2: a large stiffness couples all rows and slows the descent."""

_CHECKED_STIFFER, _MOST_CHECKED_STIFFNESS = 10.0, 1.0
"""Factor of growth and largest stiffness after a check on all rows that failed."""

_BALANCE_EPOCHS, _SLOW_BALANCE = 5, 0.1
"""Number of passes in which the imbalance should fall to this fraction, change sign, or fall as the root of the gap."""

_CHECK_SHARE = 0.7
"""Estimated gap, as a fraction of the target, below which a check on all rows is worth its time."""

_LESS, _MOST_STALE_CHECKS = 0.9, 20
"""The descent stops after this number of successive checks none of which lowers the gap to this fraction: the costs
are too small for binary64."""

_FEWEST_EPOCHS, _RATE_EPOCHS = 20, 8
"""Number of passes before the rate of convergence is judged, and number of passes that it is computed from."""

_MOST_EPOCHS_AHEAD = 300
"""Estimated number of remaining passes over all rows above which Newton's method takes over."""

_LARGEST_COST = 1e280


def solve(
    problem: Problem,
    costs: Floats,
    *,
    relative_gap: float = 1e-6,
    is_over: Callable[[], bool] = never,
) -> Candidate:
    """Solve min 1/2 ||w||^2 + sum_i costs_i max(0, 1 - y_i (w.x_i + b)); b is free, or 0 where there is no bias.

    Parameters
    ----------
    problem : Problem
    costs : ndarray (n_samples,)
        The cost of a unit of slack of each row, positive and finite.
    relative_gap : float
        (objective - dual)/objective, in floating point, at which to stop.
    is_over : callable
        Called before every pass; the work stops where it returns True.

    Returns
    -------
    Candidate
        The normal and the multipliers, 0 <= alpha_i <= costs_i, balanced up to rounding. The native status is
        `optimal`, `user_limit` (time), `interrupted` (Ctrl-C), or `stalled`. The same on every run.

    Examples
    --------
    >>> found = solve(Problem.validated([[-1.0], [1.0]], [-1, 1]), np.ones(2))
    >>> found.attempt.status, found.w.round(6).tolist(), found.multipliers.round(6).tolist()
    ('optimal', [1.0], [0.5, 0.5])
    """
    rows = Rows.of(problem)
    with np.errstate(all="ignore"):
        in_units = np.minimum(np.ldexp(np.asarray(costs, dtype=np.float64), 2 * rows.exponent), _LARGEST_COST)
        best = Best(rows=rows, costs=in_units)
        is_interrupted = _descend(
            _Descent(rows=rows, best=best, target=relative_gap, relative_stiffness=_FIRST_STIFFNESS), is_over
        )
        w, alpha = np.ldexp(best.w, -rows.exponent), np.ldexp(best.alpha, -2 * rows.exponent)
    if is_interrupted:
        status = INTERRUPTED
    else:
        status = "optimal" if best.relative_gap <= relative_gap else "user_limit" if is_over() else "stalled"
    attempt = SolverRun(solver=NAME, status=status, message=f"relative gap {best.relative_gap:.1e}")
    return Candidate(w=w, multipliers=np.clip(alpha, 0.0, costs), engine=NAME, attempt=attempt)


def _descend(descent: "_Descent", is_over: Callable[[], bool]) -> bool:
    """Improve on the best as far as it goes; return whether Ctrl-C was in the way."""
    try:
        if not descent.run(is_over) and not is_over():
            polish(descent.rows, descent.best, descent.alpha, descent.offset, descent.target, is_over)
    except KeyboardInterrupt:
        descent.keep()
        return True
    return False


@dataclass(slots=True, kw_only=True)
class _Descent(Descent):
    """Descent on the soft margin, whose balance is stiffened as it goes."""

    history: list[tuple[float, float]] = field(default_factory=list)

    def run(self, is_over: Callable[[], bool]) -> bool:
        """Return True at the target; False when the time is over or passes do too little."""
        n_stale = 0
        while not is_over():
            gap = self._epoch()
            enough = self.target * (float(self.alpha.sum()) - dot(self.w, self.w) / 2)
            if gap <= _CHECK_SHARE * enough:
                before = self.best.relative_gap
                if self._check():
                    return True
                n_stale = 0 if self.best.relative_gap < _LESS * before else n_stale + 1
                if n_stale == _MOST_STALE_CHECKS:
                    return False
            elif self._is_slow(gap, enough):
                break
        self._check()
        return False

    def _epoch(self) -> float:
        """Pass over the active rows, set some of them aside, and return an estimate of the gap."""
        gap, least, greatest = self.pass_over_active()
        self.bounds = (least if least < 0 else -math.inf, greatest if greatest > 0 else math.inf)
        self.history.append((gap, self.imbalance))
        self._stiffen()
        return gap

    def _stiffen(self) -> None:
        """Raise the stiffness where the imbalance, judged every few passes, lags behind."""
        if len(self.history) % _BALANCE_EPOCHS != 1 or len(self.history) == 1:
            return
        (old_gap, old), (gap, new) = self.history[-1 - _BALANCE_EPOCHS], self.history[-1]
        if old * new > 0 and abs(new) > _SLOW_BALANCE * abs(old) and new * new * old_gap > gap * old * old:
            self._raise_stiffness(_STIFFER, _MOST_STIFFNESS)

    def _raise_stiffness(self, factor: float, most: float) -> None:
        self.stiffness = max(self.stiffness, min(factor * self.stiffness, most * self.unit))

    def keep(self) -> None:
        """Offer what the passes have come to, balanced."""
        self.alpha, self.w = self.best.offer_multipliers(self.alpha)
        self.imbalance = 0.0
        self.offset = self.best.offer_normal(self.w, self.rows.scores(self.w))

    def _check(self) -> bool:
        """Compute the gap with all rows, balanced; where it is too wide all rows take part again."""
        self.keep()
        self.active, self.bounds = self.rows.everything, (-math.inf, math.inf)
        self.history.clear()
        self._raise_stiffness(_CHECKED_STIFFER, _MOST_CHECKED_STIFFNESS)
        return self.best.relative_gap <= self.target

    def _is_slow(self, gap: float, enough: float) -> bool:
        """Whether at the present rate the target is many passes over all rows away."""
        if len(self.history) < _FEWEST_EPOCHS:
            return False
        if gap <= 0:  # nothing moves, and still the target is not met
            return True
        rate = math.log(self.history[-_RATE_EPOCHS][0] / gap) / (_RATE_EPOCHS - 1)
        n_ahead = math.log(gap / enough) / rate if rate > 0 and enough > 0 else math.inf
        return n_ahead * len(self.active) > _MOST_EPOCHS_AHEAD * len(self.alpha)
