"""The soft and the hard margin by descent along single multipliers: for many columns, in memory linear in the entries.

The dual is max sum alpha - 1/2 ||sum alpha y x||^2 over 0 <= alpha_i <= costs_i with sum alpha y = 0; the hard margin
is the case of costs that are never reached. Coordinate descent (Hsieh et al., A dual coordinate descent method for
large-scale linear SVM, ICML 2008) updates w = sum alpha y x, one row at a time. A step along a single multiplier cannot
keep the balance, so the imbalance r = sum alpha y is penalised by offset r + stiffness/2 r^2; after every pass the
offset moves by stiffness r (method of multipliers), and becomes the bias. For the hard margin, any pass may leave a
normal that separates the classes. If the data are not separable the multipliers grow for ever; a budget of work ends
that.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.engines.dual_coordinate import NAME
from maxmargin.solvers.engines.dual_coordinate import dual_coordinate_kernels as kernels
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_newton import polish
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_state import (
    Best,
    BestOfMargins,
    DescentRows,
    blocks_of,
    dot,
)
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun, numbers
from maxmargin.solvers.problem.problem import Problem

# First stiffness of the penalty on imbalance, its factor of growth and its largest value, in units of the mean ||x||^2:
# a large stiffness couples all rows and slows the descent.
_FIRST_STIFFNESS, _STIFFER, _MOST_STIFFNESS = 0.005, 3.0, 0.1

# Factor of growth and largest stiffness after a check on all rows that failed.
_CHECKED_STIFFER, _MOST_CHECKED_STIFFNESS = 10.0, 1.0

# Number of passes in which the imbalance should fall to this fraction, change sign, or fall as the root of the gap.
_BALANCE_EPOCHS, _SLOW_BALANCE = 5, 0.1

# Estimated gap, as a fraction of the target, below which a check on all rows is worth its time; number of passes after
# which one is due where no normal separates yet.
_CHECK_SHARE, _CHECK_EPOCHS = 0.7, 20

# The descent stops after this number of successive checks none of which lowers the gap to this fraction: the costs are
# too small for binary64.
_LESS, _MOST_STALE_CHECKS = 0.9, 20

# Number of passes before the rate of convergence is judged, and number of passes that it is computed from.
_FEWEST_EPOCHS, _RATE_EPOCHS = 50, 25

# Estimated number of remaining passes over all rows above which Newton's method takes over.
_MOST_EPOCHS_AHEAD = 1000

# Number of entries read, and of passes, after both of which the search ends unless a separating normal is found; and
# the largest number of passes without one: on small data they take no time.
_BUDGET_ENTRIES, _BUDGET_EPOCHS, _MOST_EPOCHS = 1 << 27, 100, 5000

# Largest upper bound of a multiplier: so large that it is never reached, and finite in all sums.
_LARGEST_COST = 1e280


def solve(
    problem: Problem, costs: Floats, *, relative_gap: float = 1e-6, is_over: Callable[[], bool] = never
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
        Called before every pass; the work stops if it returns True.

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
    rows, status = DescentRows.of(problem), "stalled"
    with np.errstate(all="ignore"):
        in_units = np.minimum(np.ldexp(np.asarray(costs, dtype=np.float64), 2 * rows.exponent), _LARGEST_COST)
        best = Best(rows=rows, costs=in_units)
        descent = _Descent(best=best, target=relative_gap, is_over=is_over)
        try:
            for _ in descent.run():
                pass
        except KeyboardInterrupt:
            descent.check()
            status = INTERRUPTED
        found = descent.candidate(status)
        w, alpha = np.ldexp(best.w, -rows.exponent), np.ldexp(best.alpha, -2 * rows.exponent)
    return Candidate(w=w, multipliers=np.clip(alpha, 0.0, costs), engine=NAME, attempt=found.attempt)


def search(problem: Problem, *, relative_gap: float, is_over: Callable[[], bool]) -> Iterator[Candidate]:
    """Look for the maximum margin, min 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1; yield the best so far at times.

    The first candidate with a normal comes as soon as a pass leaves one that seems to separate the classes. Earlier
    candidates have multipliers only; if the classes are not separable, the greatest belong to rows that contradict each
    other. The search ends at the gap, when the time is over, when nothing improves, or when the budget is used up
    without a normal. It is the same on every run as long as the time is not over.

    Parameters
    ----------
    problem : Problem
    relative_gap : float
        Of the margin, in floating point, at which to stop.
    is_over : callable
        Called before every pass; the work stops if it returns True.

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
    best = BestOfMargins(rows=DescentRows.of(problem), costs=np.full(problem.n_samples, _LARGEST_COST))
    with np.errstate(all="ignore"):
        yield from _Descent(best=best, target=relative_gap, is_over=is_over).run()


@dataclass(slots=True, kw_only=True)
class _Descent:
    """Multipliers on their way, with the offset that penalises imbalance, and the rows that still take part."""

    best: Best
    target: float
    is_over: Callable[[], bool]
    alpha: Floats = field(init=False)
    w: Floats = field(init=False)
    squares: Floats = field(init=False)
    active: NDArray[np.int64] = field(init=False)
    stiffness: float = field(init=False)
    offset: float = 0.0
    imbalance: float = 0.0
    bounds: tuple[float, float] = (-math.inf, math.inf)
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    history: list[tuple[float, float]] = field(default_factory=list)
    n_entries: float = 0.0
    n_epochs: int = 0

    def __post_init__(self) -> None:
        rows = self.best.rows
        self.alpha, self.w = np.zeros(len(rows.y)), np.zeros(rows.n_features)
        self.squares = rows.squared().scores(np.ones(rows.n_features))
        self.active, self.stiffness = rows.everything, _FIRST_STIFFNESS * self._unit

    @property
    def _unit(self) -> float:
        """The size of ||x||^2; 0 through the origin, where nothing is to be balanced."""
        return (float(self.squares.mean()) or 1.0) if self.best.rows.bias else 0.0

    @property
    def _separates(self) -> bool:
        """Whether there is a normal; for the soft margin any is one."""
        return self.best.objective < math.inf

    def run(self) -> Iterator[Candidate]:
        """Descend, then take Newton's steps where descent is slow."""
        n_stale = 0
        while not (self.is_over() or self._is_hopeless()) and n_stale < _MOST_STALE_CHECKS:
            gap, least = self._epoch()
            enough = self.target * (float(self.alpha.sum()) - dot(self.w, self.w) / 2)
            if gap <= _CHECK_SHARE * enough or self._is_due(least):
                before = self.best.relative_gap
                self.check()
                yield self.candidate("running")
                if self.best.relative_gap <= self.target:
                    return
                n_stale = 0 if not self._separates or self.best.relative_gap < _LESS * before else n_stale + 1
            elif self._is_slow(gap, enough):
                break
        self.check()
        if self._separates and not self.is_over():
            polish(self.best.rows, self.best, self.alpha, self.offset, self.target, self.is_over)
        yield self.candidate("running")

    def _epoch(self) -> tuple[float, float]:
        """Take a step at every active row, set some of them aside, and move the offset.

        Returns
        -------
        gap, least : float
            An estimate of the gap, and the least of the slopes that are not beyond their bounds.
        """
        rows, order = self.best.rows, blocks_of(self.active, self.rng)
        keep, most = np.empty(len(order), dtype=np.bool_), float(self.alpha.max()) or math.inf
        gap = least = greatest = 0.0
        for part in rows.parts(len(order)):
            self.imbalance, *found = kernels.epoch(
                *rows.entries,
                rows.y,
                self.squares,
                self.best.costs,
                order[part],
                self.offset,
                self.stiffness,
                self.imbalance,
                *self.bounds,
                most,
                self.alpha,
                self.w,
                keep[part],
            )
            gap, least, greatest = gap + found[0], min(least, found[1]), max(greatest, found[2])
        self.active = np.sort(order[keep])
        self.offset += self.stiffness * self.imbalance
        self.bounds = (least if least < 0 else -math.inf, greatest if greatest > 0 else math.inf)
        self.history.append((gap, self.imbalance))
        self.n_entries, self.n_epochs = self.n_entries + len(order) * rows.mean_entries, self.n_epochs + 1
        self._stiffen()
        return gap, least

    def _stiffen(self) -> None:
        """Raise the stiffness where the imbalance, judged every few passes, lags behind."""
        if len(self.history) % _BALANCE_EPOCHS != 1 or len(self.history) == 1:
            return
        (old_gap, old), (gap, new) = self.history[-1 - _BALANCE_EPOCHS], self.history[-1]
        if old * new > 0 and abs(new) > _SLOW_BALANCE * abs(old) and new * new * old_gap > gap * old * old:
            self._raise_stiffness(_STIFFER, _MOST_STIFFNESS)

    def _raise_stiffness(self, factor: float, most: float) -> None:
        self.stiffness = max(self.stiffness, min(factor * self.stiffness, most * self._unit))

    def check(self) -> None:
        """Offer the present multipliers, balanced, and their normal; from then on all rows take part again."""
        self.alpha, self.w = self.best.offer_multipliers(self.alpha)
        self.imbalance = 0.0
        offset = self.best.offer_normal(self.w, self.best.rows.scores(self.w))
        if self._separates:
            self.offset = offset
            self._raise_stiffness(_CHECKED_STIFFER, _MOST_CHECKED_STIFFNESS)
        self.active, self.bounds = self.best.rows.everything, (-math.inf, math.inf)
        self.history.clear()

    def _is_due(self, least: float) -> bool:
        """Whether all rows may be separated for the first time."""
        return not self._separates and (least > -1.0 or self.n_epochs % _CHECK_EPOCHS == 0)

    def _is_hopeless(self) -> bool:
        """Whether the budget is used up without a normal that separates."""
        is_spent = self.n_entries > _BUDGET_ENTRIES and self.n_epochs > _BUDGET_EPOCHS
        return (is_spent or self.n_epochs > _MOST_EPOCHS) and not self._separates

    def _is_slow(self, gap: float, enough: float) -> bool:
        """Whether at the present rate the target is many passes over all rows away."""
        if len(self.history) < _FEWEST_EPOCHS or not self._separates:
            return False
        before = self.history[-_RATE_EPOCHS][0]
        if min(gap, before) <= 0:  # nothing moves, and still the target is not met
            return True
        rate = math.log(before / gap) / (_RATE_EPOCHS - 1)
        n_ahead = math.log(gap / enough) / rate if rate > 0 and enough > 0 else math.inf
        return n_ahead * len(self.active) > _MOST_EPOCHS_AHEAD * len(self.alpha)

    def candidate(self, status: str) -> Candidate:
        """Return the best so far; its status is the given one unless the target is met or the time is over."""
        gap = self.best.relative_gap
        if status != INTERRUPTED:
            status = "optimal" if gap <= self.target else "user_limit" if self.is_over() else status
        return Candidate(
            w=numbers(self.best.w, len(self.w)) if self._separates else None,
            multipliers=numbers(self.best.alpha, len(self.alpha)),
            engine=NAME,
            attempt=SolverRun(solver=NAME, status=status, message=f"relative gap {gap:.1e}"),
        )
