"""The soft and the hard margin by descent along single multipliers: for many columns, in memory linear in the entries.

The dual is max sum alpha - 1/2 ||sum alpha y x||^2 over 0 <= alpha_i <= costs_i with sum alpha y = 0; the hard margin
has no upper bounds. Coordinate descent (Hsieh et al., A dual coordinate descent method for large-scale linear SVM, ICML
2008) updates w = sum alpha y x, one row at a time. A step along a single multiplier cannot keep the balance, so the
imbalance r = sum alpha y is penalised by offset r + stiffness/2 r^2; after every pass the offset moves by stiffness r
(method of multipliers), and becomes the bias. For the hard margin, any pass may leave a normal that separates the
classes. If the data are not separable the multipliers grow for ever; a budget of work ends that.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.engines.dual_coordinate import NAME
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_newton import polish
from maxmargin.solvers.engines.dual_coordinate.dual_coordinate_state import Best, CoordinateDescent, DescentRows, dot
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun, numbers
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.soft_bounds import scaled_to_balance

# First stiffness of the penalty on imbalance, its factor of growth and its largest value, in units of the mean ||x||^2:
# a large stiffness couples all rows and slows the descent.
_FIRST_STIFFNESS, _STIFFER, _MOST_STIFFNESS = 0.005, 3.0, 0.1

# Factor of growth and largest stiffness after a check on all rows that failed.
_CHECKED_STIFFER, _MOST_CHECKED_STIFFNESS = 10.0, 1.0

# Number of passes in which the imbalance should fall to this fraction, change sign, or fall as the root of the gap.
_BALANCE_EPOCHS, _SLOW_BALANCE = 5, 0.1

# Estimated gap, as a fraction of the target, below which a check on all rows is worth its time.
_CHECK_SHARE = 0.7

# The descent stops after this number of successive checks none of which lowers the gap to this fraction: the costs are
# too small for binary64.
_LESS, _MOST_STALE_CHECKS = 0.9, 20

# Number of passes before the rate of convergence is judged, and number of passes that it is computed from.
_FEWEST_EPOCHS, _RATE_EPOCHS = 20, 8

# Estimated number of remaining passes over all rows above which Newton's method takes over.
_MOST_EPOCHS_AHEAD = 300

# Stiffness of the penalty on imbalance for the hard margin, in units of the mean ||x||^2.
_HARD_STIFFNESS = 0.01

# Number of passes over the active rows between two checks of all rows, for the hard margin.
_HARD_CHECK_EPOCHS = 20

_FEWEST_HARD_EPOCHS, _HARD_RATE_EPOCHS = 100, 50
# The numbers of passes above, for the hard margin.
_MOST_HARD_EPOCHS_AHEAD = 500

# Number of entries read, and of passes, after both of which the search ends unless a separating normal is found.
_BUDGET_ENTRIES, _BUDGET_EPOCHS = 1 << 27, 100

# Largest number of passes for the hard margin; on small data they take no time.
_MOST_HARD_EPOCHS = 5000

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
    rows = DescentRows.of(problem)
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
    """Improve on the best as far as possible; return whether Ctrl-C interrupted the work."""
    try:
        if not descent.run(is_over) and not is_over():
            polish(descent.rows, descent.best, descent.alpha, descent.offset, descent.target, is_over)
    except KeyboardInterrupt:
        descent.keep()
        return True
    return False


@dataclass(slots=True, kw_only=True)
class _Descent(CoordinateDescent):
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
        """Offer the present multipliers, balanced, and their normal."""
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
    rows = DescentRows.of(problem)
    descent = _HardDescent(
        rows=rows,
        best=_Margins(rows=rows, costs=np.full(problem.n_samples, _LARGEST_COST)),
        target=relative_gap,
        relative_stiffness=_HARD_STIFFNESS,
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
        """Relative gap of the margins, which is half the gap of the objectives; infinity without a normal."""
        return (1 - self.lower / self.objective) / 2 if self.objective < math.inf else math.inf


@dataclass(slots=True, kw_only=True)
class _HardDescent(CoordinateDescent):
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
        return seems_done or len(self.slopes) % _HARD_CHECK_EPOCHS == 0

    def _is_hopeless(self) -> bool:
        """Whether the budget is used up without a normal that separates."""
        is_spent = self.n_entries > _BUDGET_ENTRIES and len(self.slopes) > _BUDGET_EPOCHS
        return (is_spent or len(self.slopes) > _MOST_HARD_EPOCHS) and not self._separates

    def _is_slow(self) -> bool:
        """Whether at the present rate the target is many passes over all rows away."""
        if not self._separates or len(self.slopes) < _FEWEST_HARD_EPOCHS:
            return False
        if len(self.slopes) > _MOST_HARD_EPOCHS:
            return True
        old, new = (max(greatest, -least) for least, greatest in (self.slopes[-_HARD_RATE_EPOCHS], self.slopes[-1]))
        rate = math.log(old / new) / (_HARD_RATE_EPOCHS - 1) if new > 0 else math.inf
        n_ahead = math.log(max(new / self.target, 1.0)) / rate if rate > 0 else math.inf
        return n_ahead * int(np.count_nonzero(self.alpha)) > _MOST_HARD_EPOCHS_AHEAD * len(self.alpha)

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
