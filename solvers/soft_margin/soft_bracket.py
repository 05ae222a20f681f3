"""The best hyperplane and the best multipliers of a soft margin seen so far, with the interval that they prove."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from maxmargin.solvers.answers.bracket import Bracket
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.basics.limits import TIME_IS_OVER, Limits
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import round_down, round_up, width_of
from maxmargin.solvers.problem.candidate import Candidate
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import quantile
from maxmargin.solvers.problem.row_weights import RowWeights, checked, numbers_of_rows
from maxmargin.solvers.proof import soft_bounds
from maxmargin.solvers.proof.margins import enclose_functional_margins, error_rows
from maxmargin.solvers.proof.sums import largest_error, margins_of
from maxmargin.solvers.soft_margin.slack_rows import Optimum, SlackProgram, rows_by_gap
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin

# Relative width (objective - lower)/objective up to which the answer counts as `optimal`.
RELATIVE_GAP = 1e-6

# Relative width above which the next solver is asked as well.
NEXT_SOLVER_GAP = 1e-9

# Multiplier, relative to the largest, below which a row is not listed as support.
SUPPORT_WEIGHT = 1e-7

# Amount by which w is lengthened against slack by rounding, in units of the largest error of a margin.
_CLEARANCE = 4

# Engine of an exact optimum where no other has found a hyperplane to start from.
_EXACT = "exact optimum"

# Largest fraction of the objective due to slack at which the hard margin counts as close.
_NO_SLACK = 1e-6

# What is added to bounds of errors for their own rounding, relative to them.
_ALLOWANCE = 1e-9

# Smallest binary exponent of the cost of a row: beside it smaller costs vanish, even relative to each other.
_LEAST_EXPONENT = -1074 - 53


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedRows:
    """The rows of a question and their weights; those of weight 0 take no part in it.

    Attributes
    ----------
    problem, weights
        Of all rows.
    kept : ndarray of int
        The rows of positive weight.
    part : Problem
        The problem of these.
    are_weighted : bool
        Whether the caller gave weights.
    """

    problem: Problem
    weights: RowWeights
    kept: Rows
    part: Problem
    are_weighted: bool

    @classmethod
    def of(cls, problem: Problem, sample_weight: Any) -> "WeightedRows":
        """Return the rows with weights, which are numbers or an object of their own; with 1 if they are None.

        Raises
        ------
        InvalidProblemError
            Unless they are one finite nonnegative number for each row, and positive somewhere in both classes.
        """
        weights = sample_weight
        if not isinstance(weights, RowWeights):
            n_rows = problem.n_samples
            numbers = np.ones(n_rows) if sample_weight is None else numbers_of_rows(sample_weight, n_rows)
            weights = RowWeights(numbers=numbers)
        kept = np.flatnonzero(checked(weights, problem.y).are_positive)
        part = problem if len(kept) == problem.n_samples else problem.of_rows(kept)
        return cls(problem=problem, weights=weights, kept=kept, part=part, are_weighted=sample_weight is not None)

    def spread(self, values: Floats) -> Floats:
        """Return numbers of the kept rows as numbers of all rows, 0 for the others."""
        result = np.zeros(self.problem.n_samples)
        result[self.kept] = values
        return result


@dataclass(slots=True)
class SoftBracket(Bracket):
    """A primal point (w, b) and a dual point, each the best of its kind.

    Parameters
    ----------
    rows : WeightedRows
    costs : ndarray (n_samples,)
        The costs of a unit of slack for the rows of positive weight; where they are not floats, the floats above.
    least_costs : ndarray (n_samples,)
        The floats below, at least 0. No multiplier exceeds them, so that the interval holds for the exact costs.
    limits : Limits
    C : float
        The exact costs are C times the weights.
    before : SoftBracket, optional
        For the same rows and a smaller C.
    """

    rows: WeightedRows
    costs: Floats
    least_costs: Floats
    power: ClassVar[int] = 1

    limits: Limits
    C: float = 1.0
    before: "SoftBracket | None" = None
    w: Floats = field(init=False)
    b: float = 0.0
    offsets: tuple[float, float] | None = None
    dual: Floats = field(init=False)
    optimum: Optimum | None = None

    def __post_init__(self) -> None:
        self.w = np.zeros(self.problem.n_features)
        self.dual = np.zeros(self.problem.n_samples)

    @classmethod
    def of(cls, rows: WeightedRows, C: float, before: "SoftBracket | None", limits: Limits) -> "SoftBracket":
        """Return the bracket of a C, without candidates.

        Raises
        ------
        InvalidProblemError
            If the costs are beyond the range of binary64.
        """
        low, high = rows.weights.of_rows(rows.kept).times(C)
        exponents = np.frexp(C)[1] + np.frexp(rows.weights.nearest[rows.kept])[1]
        if not np.isfinite(high).all() or exponents.min() < _LEAST_EXPONENT:
            raise InvalidProblemError("C times sample_weight is beyond the range of binary64")
        return cls(rows, high, low, limits, C, before)

    @property
    def problem(self) -> Problem:
        """The problem of the rows of positive weight."""
        return self.rows.part

    def improve(self, candidates: Iterable[Candidate]) -> None:
        """Offer candidates until the interval is narrow, Ctrl-C stops a solver, or the time is over."""
        for candidate in candidates:
            self.offer(candidate)
            if self.is_interrupted:
                return
            self._close()
            # Where too many rows are next to the margin for exact numbers, a longer w clears them of slack; errors of
            # sparse rows are small, and have no common bound.
            is_wide = self.relative_gap > NEXT_SOLVER_GAP and math.isfinite(self.upper)
            if is_wide and (error := largest_error(self.problem, self.w, self.b)):
                self.offer_normal(self.w * (1 + _CLEARANCE * error), self.engine)
            if self.relative_gap <= NEXT_SOLVER_GAP:
                return
            if self.limits.is_over():
                break
        if self.relative_gap > RELATIVE_GAP:
            self.offer_nothing()

    def offer_nothing(self) -> None:
        """Offer w = 0, and multipliers as near to the costs as balances."""
        self.offer_normal(np.zeros(self.problem.n_features), "none")
        self._offer_dual(self.least_costs)

    def offer_weights(self, weights: Floats) -> None:
        """Keep the multipliers, clipped to their bounds, if the lower end that they prove is greater."""
        self._offer_dual(np.clip(weights, 0.0, self.least_costs))

    def offer_normal(self, w: Floats, engine: str) -> None:
        """Keep w with its best offset if the objective is less there."""
        offsets = self._offsets(w)
        b = offsets[0] / 2 + offsets[1] / 2 if offsets else 0.0
        objective = soft_bounds.objective_upper_bound(self.problem, w, b, self.costs, self.power)
        if objective < self.upper or (objective == self.upper and self.engine == "none"):
            self.w, self.b, self.offsets, self.upper, self.engine = w, b, offsets, objective, engine

    def _offsets(self, w: Floats) -> tuple[float, float] | None:
        """Return the ends of the interval of the best offsets; None without a bias."""
        kept, total = self.rows.kept, self.rows.weights.total
        positive = kept[self.problem.y > 0]
        return best_offsets(self.problem, w, self.costs, lambda rows: total(kept[rows]) - total(positive))

    def _offer_dual(self, dual: Floats) -> None:
        lower = soft_bounds.dual_lower_bound(self.problem, dual)
        if lower > self.lower:
            self.dual, self.lower = soft_bounds.balanced(self.problem, dual), lower

    @property
    def start(self) -> tuple[Floats, float] | None:
        """The hyperplane for a smaller C, to start from."""
        return None if self.before is None else (self.before.w, self.before.b)

    @property
    def has_little_slack(self) -> bool:
        """Whether the objective is nearly all 1/2 ||w||^2, as it is where the hard margin is optimal."""
        return self.upper * (1 - _NO_SLACK) <= float(self.w @ self.w) / 2

    def _close(self) -> None:
        """Find the exact optimum near the present ends, unless the data are large, and offer it."""
        rows, problem = self.rows, self.rows.problem
        if self.optimum is not None or problem.n_samples * problem.n_features > problem.sizes.exact_entries:
            return
        dual, costs = rows.spread(self.dual), rows.spread(self.least_costs)
        parts = np.divide(dual, costs, out=np.ones_like(dual), where=costs > 0).clip(0.0, 1.0)
        program, offsets = self._program()
        if self._level:
            shortfall = (self._level - margins_of(problem, self.w, self.b)) / self._level
        else:  # a nu-SVM with w = 0, where every row is on the margin
            shortfall = np.zeros_like(parts)
        self.optimum = program.optimum_near(parts, shortfall, offsets, self.limits.is_over)
        if self.optimum is not None:
            self.lower = max(self.lower, round_down(self.optimum.value / self._unit**2))
            w = np.array([round_up(value) for value in self.optimum.w])
            if np.isfinite(w).all():
                self.offer_normal(w, _EXACT if self.engine == "none" else self.engine)

    def _program(self) -> tuple[SlackProgram, list[float]]:
        """Return the program in exact numbers, and the offsets to start from."""
        integers, unit = self.rows.weights.exactly()
        program = SlackProgram(problem=self.rows.problem, costs=integers, unit=unit * Fraction(self.C))
        return program, [self.b] * self.problem.bias

    @property
    def _level(self) -> float:
        """The functional margin of rows without slack."""
        return 1.0

    @property
    def _unit(self) -> Fraction:
        """What w and the multipliers of the exact program are divided by."""
        return Fraction(1)

    def solution(self) -> SoftMargin:
        """Return the result."""
        errors = error_rows(self.rows.problem, self.w, self.b)
        return SoftMargin(C=self.C, error_rows=errors, **self._parts())

    def _parts(self) -> dict[str, Any]:
        """Return the common fields of answers with slack."""
        rows, is_limited = self.rows, self.limits.time_limit is not None and self.stopped_early
        dual = rows.spread(self.dual / float(self._unit))
        return {
            **{name: getattr(self, name) for name in ("w", "b", "lower", "engine")},
            **self._slack(dual, rows.spread(self.least_costs / float(self._unit))),
            "status": self.status_at(RELATIVE_GAP, is_limited=is_limited or bool(self.reason())),
            "objective": self.upper,
            "support": np.flatnonzero(dual > SUPPORT_WEIGHT * dual.max()),
            "dual": dual,
            "attempts": tuple(self.attempts),
            "bias": self.problem.bias,
            "reason": self.reason(),
            "sample_weight": rows.weights.nearest if rows.are_weighted else None,
        }

    def _slack(self, dual: Floats, costs: Floats) -> dict[str, Any]:
        """Return the slacks, 0 where that is proven of the optimum, and what is proven of their number and of b."""
        problem, optimum = self.rows.problem, self.optimum
        shortfall, offsets = self._level - margins_of(problem, self.w, self.b), None
        if optimum is None:
            inside, outside = self._rows_by_gap(-shortfall, dual, costs, width_of(self.lower, self.upper))
        else:
            inside, outside = optimum.has_slack, ~optimum.has_slack
            offsets = {True: (self.b, self.b), False: self.offsets, None: None}[optimum.is_unique]
        return {
            "slack": np.where(outside, 0.0, np.maximum(shortfall, np.where(inside, np.finfo(np.float64).tiny, 0.0))),
            "slack_bounds": (int(inside.sum()), int((~outside).sum())),
            "offset_interval": offsets if problem.bias else None,
        }

    def _rows_by_gap(self, excess: Floats, dual: Floats, costs: Floats, gap: float) -> tuple[Mask, Mask]:
        """Return the rows that have slack at every optimum, and those that have none, as far as the gap tells."""
        return rows_by_gap(self.rows.problem, self.w, excess, abs(self.b) + self._level, dual, costs, gap)

    def reason(self) -> str:
        """Return the reason why the work ended early; empty if it did not."""
        if self.is_interrupted:
            return WHAT_WAS_PROVEN
        return TIME_IS_OVER if self.relative_gap > RELATIVE_GAP and self.limits.is_over() else ""


class SquaredBracket(SoftBracket):
    """The same for 1/2 ||w||^2 + sum c xi^2, whose multipliers have no upper bound, and are 2 c xi at the optimum."""

    __slots__ = ()
    power = 2

    def offer_weights(self, weights: Floats) -> None:
        """Keep the multipliers if the lower end that they prove is greater."""
        self._offer_dual(np.maximum(weights, 0.0))

    def offer_normal(self, w: Floats, engine: str) -> None:
        """Keep w with its best offset if the objective is less there, and offer the multipliers of its slacks."""
        SoftBracket.offer_normal(self, w, engine)
        if self.w is w:
            self.offer_weights(2 * self.least_costs * slack_of(self.problem, w, self.b))

    def _offsets(self, w: Floats) -> tuple[float, float] | None:
        """Return the offset at which sum c y xi = 0; it is unique, as both classes have slack there."""
        from scipy.optimize import brentq

        if not self.problem.bias:
            return None
        scores, y = margins_of(self.problem, w) * self.problem.y, self.problem.y
        kinks, shares = y - scores, self.costs / self.costs.max()
        if not np.isfinite(kinks).all():
            return 0.0, 0.0

        def slope(b: float) -> float:
            return -float((shares * y) @ np.maximum(0.0, 1.0 - y * (scores + b)))

        low, high = float(kinks.min()), float(kinks.max())
        b = float(brentq(slope, low, high, xtol=np.finfo(np.float64).tiny)) if slope(low) < 0 < slope(high) else low
        return b, b

    def _offer_dual(self, dual: Floats) -> None:
        lower = soft_bounds.squared_dual_lower_bound(self.problem, dual, self.least_costs)
        if lower > self.lower:
            self.dual, self.lower = soft_bounds.balanced(self.problem, dual), lower

    def _close(self) -> None:
        """Do nothing: the interval is as narrow as the floats w allow."""

    @np.errstate(all="ignore")
    def _rows_by_gap(self, excess: Floats, dual: Floats, costs: Floats, gap: float) -> tuple[Mask, Mask]:
        """Return the same: sum c (xi - xi*)^2 is at most the gap, as the objective is strongly convex in xi, too.

        So xi* is known up to sqrt(gap/c), and a row that surely has slack tells where the margin is beside it, as for
        the hinge a row on the margin does whose multiplier has the room 2 sqrt(gap c).
        """
        upper = enclose_functional_margins(self.rows.problem, self.w, self.b)[1]
        has_slack = 1 - upper > np.sqrt(gap / costs) * (1 + _ALLOWANCE)
        room = np.where(has_slack, 2 * np.sqrt(gap * costs), 0.0)
        inside, outside = SoftBracket._rows_by_gap(self, np.where(has_slack, 0.0, excess), room, 2 * room, gap)
        return inside | has_slack, outside

    def solution(self) -> SoftMargin:
        """Return the result."""
        return replace(SoftBracket.solution(self), loss="squared_hinge")


# The brackets by the loss that a slack costs.
BRACKETS: dict[str, type[SoftBracket]] = {"hinge": SoftBracket, "squared_hinge": SquaredBracket}


def best_offsets(
    problem: Problem, w: Floats, costs: Floats, excess: Callable[[Rows], Fraction] | None = None
) -> tuple[float, float] | None:
    """Return the ends of the b that minimise sum c_i max(0, 1 - y_i (w.x_i + b)); None without a bias.

    The function is convex and piecewise linear. Its slope at b is the cost of the negatives with score + b > -1 less
    the cost of the positives with score + b < 1; it changes sign at one of the kinks y_i - w.x_i, or is 0 between two.

    Parameters
    ----------
    problem : Problem
    w : ndarray (n_features,)
    costs : ndarray (n_samples,)
    excess : callable, optional
        Returns the exact costs of rows less those of the positives, which is the slope at the kink of the last of these
        rows if they are in the order of their kinks. By default the costs are sums of floats.
    """
    if not problem.bias:
        return None
    kinks = problem.y * (1.0 - margins_of(problem, w))
    if not np.isfinite(kinks).all():
        return 0.0, 0.0
    shares = costs / costs.max()
    return quantile(kinks, shares, float(shares[problem.y > 0].sum()), excess)


def best_offset(problem: Problem, w: Floats, costs: Floats) -> float:
    """Return the middle of the interval of the best offsets; 0 without a bias."""
    low, high = best_offsets(problem, w, costs) or (0.0, 0.0)
    return low / 2 + high / 2


def slack_of(problem: Problem, w: Floats, b: float, level: float = 1.0) -> Floats:
    """Return max(0, level - y(w.x + b)) for every row."""
    return np.maximum(0.0, level - margins_of(problem, w, b))
