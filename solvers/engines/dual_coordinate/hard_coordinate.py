"""The hard margin by descent along single multipliers: for many columns, in memory linear in the entries.

The dual is max sum alpha - 1/2 ||sum alpha y x||^2 over alpha >= 0 with sum alpha y = 0: that of the soft margin
without upper bounds, so the passes are those of `dual_coordinate` (Hsieh et al., ICML 2008). Imbalance is penalised:
the offset takes a proximal step after every pass (method of multipliers). Any pass may leave a normal that separates
the classes. Where the data are not separable the multipliers grow for ever; a budget of work ends that.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.dual_coordinate import NAME
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_newton import polish
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_state import Best, Descent, Rows, dot
from maxmargin.solvers.problem.candidate import Candidate, SolverRun, numbers
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.soft_bounds import scaled_to_balance

Floats = NDArray[np.float64]

_STIFFNESS = 0.01
"""Stiffness of the penalty on imbalance, in units of the mean ||x||^2: a large one couples all rows and slows the
descent."""

_CHECK_EPOCHS = 20
"""Number of passes over the active rows between two checks of all rows."""

_FEWEST_EPOCHS, _RATE_EPOCHS = 100, 50
"""Number of passes before the rate of convergence is judged, and number of passes that it is computed from."""

_MOST_EPOCHS_AHEAD = 500
"""Estimated number of remaining passes over all rows above which Newton's method takes over."""

_BUDGET_ENTRIES, _BUDGET_EPOCHS = 1 << 27, 100
"""Number of entries read, and of passes, after both of which the search ends unless a separating normal is found."""

_MOST_EPOCHS = 5000
"""Largest number of passes; on small data they take no time."""

_NO_BOUND = 1e280
"""Upper bound of the multipliers: so large that none is reached, and finite in all sums."""


def search(problem: Problem, *, relative_gap: float, is_over: Callable[[], bool]) -> Iterator[Candidate]:
    """Look for the maximum margin, min 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1; yield the best so far at times.

    The first candidate with a normal comes as soon as a pass leaves one that seems to separate the classes; those
    before have multipliers only, of which the greatest are of rows that contradict each other where the classes are
    not separable. Ends at the gap, when the time is over, when nothing improves, or when the budget is used up
    without a normal. The same on every run as long as the time is not over.

    Parameters
    ----------
    problem : Problem
    relative_gap : float
        Of the margin, in floating point, at which to stop.
    is_over : callable
        Returns True when the work is to stop.

    Yields
    ------
    Candidate
        The normal and the multipliers, each up to a positive factor; the normal, unless the rows are extremely small
        or large, for a functional margin of 1. Its native status is `optimal` at the gap,
        `user_limit` when the time is over, else `running`.

    Examples
    --------
    >>> problem = Problem.validated([[-1.0], [3.0]], [-1, 1])
    >>> *_, last = search(problem, relative_gap=1e-9, is_over=lambda: False)
    >>> last.attempt.status, bool(last.w[0] > 0), (last.multipliers / last.multipliers.sum()).round(9).tolist()
    ('optimal', True, [0.5, 0.5])
    """
    rows = Rows.of(problem)
    descent = _Descent(
        rows=rows,
        best=_Margins(rows=rows, costs=np.full(problem.n_samples, _NO_BOUND)),
        target=relative_gap,
        relative_stiffness=_STIFFNESS,
        is_over=is_over,
    )
    with np.errstate(all="ignore"):
        yield from descent.run()


@dataclass(slots=True, kw_only=True)
class _Margins(Best):
    """The best normal and multipliers of the hard margin: objectives are 1/(2 margin^2)."""

    def offer_normal(self, w: Floats, scores: Floats) -> float:
        """Keep w divided by its functional margin, if its margin is greater; return the offset in the middle."""
        is_positive = self.rows.y > 0
        if self.rows.bias:
            least, greatest = float(scores[is_positive].min()), float(scores[~is_positive].max())
        else:
            least = float((self.rows.y * scores).min())
            greatest = -least
        square, room = dot(w, w), least / 2 - greatest / 2
        if square > 0 and room > 0 and square / room / room / 2 < self.objective:
            self.w, self.objective = w / room, square / room / room / 2
        return -(least / 2 + greatest / 2)

    def offer_multipliers(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Balance the multipliers, keep them if they are better; return them and their normal ``sum alpha y x``."""
        if self.rows.bias:
            alpha = scaled_to_balance(self.rows.y, alpha)
        w = self.rows.normal(alpha)
        square, total = dot(w, w), float(alpha.sum())
        if square > 0 and total * (total / square) / 2 > self.lower:
            self.alpha, self.lower = alpha.copy(), total * (total / square) / 2
        return alpha, w

    @property
    def relative_gap(self) -> float:
        """Of the margins, so half of that of the objectives; infinity without a normal."""
        return (1 - self.lower / self.objective) / 2 if self.objective < math.inf else math.inf


@dataclass(slots=True, kw_only=True)
class _Descent(Descent):
    """Descent without upper bounds of the multipliers, whose stiffness stays."""

    best: _Margins
    is_over: Callable[[], bool]
    slopes: list[tuple[float, float]] = field(default_factory=list)
    n_entries: float = 0.0

    def run(self) -> Iterator[Candidate]:
        """Descend, then take Newton's steps where descent is slow."""
        while not (self.is_over() or self._is_hopeless()):
            self._epoch()
            if self._is_worth_a_look():
                self._look()
                yield self._candidate()
                if self.best.relative_gap <= self.target:
                    return
            if self._is_slow():
                self._look()
                polish(self.rows, self.best, self.alpha, self.offset, 2 * self.target, self.is_over)
                break
        yield self._candidate()

    def _epoch(self) -> None:
        """Pass over the active rows, and set some of them aside."""
        n_active = len(self.active)
        _, least, greatest = self.pass_over_active()
        self.bounds = (-math.inf, greatest if greatest > 0 else math.inf)
        self.n_entries += n_active * self.rows.mean_entries
        self.slopes.append((least, greatest))

    @property
    def _separates(self) -> bool:
        return self.best.objective < math.inf

    def _is_worth_a_look(self) -> bool:
        least, greatest = self.slopes[-1]
        seems_done = max(greatest, -least) <= self.target if self._separates else least > -1.0
        return seems_done or len(self.slopes) % _CHECK_EPOCHS == 0

    def _is_hopeless(self) -> bool:
        """Whether the budget is used up without a normal that separates."""
        is_spent = self.n_entries > _BUDGET_ENTRIES and len(self.slopes) > _BUDGET_EPOCHS
        return (is_spent or len(self.slopes) > _MOST_EPOCHS) and not self._separates

    def _is_slow(self) -> bool:
        """Whether at the present rate the target is many passes over all rows away."""
        if not self._separates or len(self.slopes) < _FEWEST_EPOCHS:
            return False
        if len(self.slopes) > _MOST_EPOCHS:
            return True
        old, new = (max(greatest, -least) for least, greatest in (self.slopes[-_RATE_EPOCHS], self.slopes[-1]))
        rate = math.log(old / new) / (_RATE_EPOCHS - 1) if new > 0 else math.inf
        n_ahead = math.log(max(new / self.target, 1.0)) / rate if rate > 0 else math.inf
        return n_ahead * int(np.count_nonzero(self.alpha)) > _MOST_EPOCHS_AHEAD * len(self.alpha)

    def _look(self) -> None:
        """Compare with all rows, which take part again."""
        self.alpha, self.w = self.best.offer_multipliers(self.alpha)
        self.best.offer_normal(self.w, self.rows.scores(self.w))
        self.imbalance = 0.0
        self.active, self.bounds = self.rows.everything, (-math.inf, math.inf)

    def _candidate(self) -> Candidate:
        """Return the best so far."""
        gap = self.best.relative_gap
        status = "optimal" if gap <= self.target else "user_limit" if self.is_over() else "running"
        return Candidate(
            w=numbers(self.best.w, len(self.w)) if self._separates else None,
            multipliers=numbers(self.best.alpha, len(self.alpha)),
            engine=NAME,
            attempt=SolverRun(solver=NAME, status=status, message=f"relative gap {gap:.1e}"),
        )
