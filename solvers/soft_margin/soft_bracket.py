"""The best hyperplane and the best multipliers of a soft margin seen so far, with the interval that they prove."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from maxmargin.solvers.answers.bracket import Bracket
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import TIME_IS_OVER, Limits
from maxmargin.solvers.problem.candidate import Candidate
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import offset_of_least_slack
from maxmargin.solvers.proof.soft_bounds import balanced, dual_lower_bound, objective_upper_bound
from maxmargin.solvers.proof.sums import functional_margins
from maxmargin.solvers.soft_margin.soft_solution import MarginWithSlack, SoftMargin

Answer = TypeVar("Answer", bound=MarginWithSlack)

# Relative width (objective - lower)/objective up to which the answer counts as `optimal`.
RELATIVE_GAP = 1e-6

# Relative width above which the next solver is asked as well.
NEXT_SOLVER_GAP = 1e-9

# Multiplier, relative to the largest, below which a row is not listed as support.
SUPPORT_WEIGHT = 1e-7

# Largest fraction of the objective due to slack at which the hard margin counts as close.
_NO_SLACK = 1e-6


@dataclass(slots=True)
class SoftBracket(Bracket):
    """A primal point (w, b) and a dual point, each the best of its kind.

    Parameters
    ----------
    problem : Problem
    costs : ndarray (n_samples,)
        The costs of a unit of slack, positive; where they are not floats, the floats above.
    least_costs : ndarray (n_samples,), optional
        The floats below, at least 0; by default the costs. No multiplier exceeds them, so that the interval holds for
        the exact costs.
    """

    problem: Problem
    costs: Floats
    least_costs: Floats | None = None
    w: Floats = field(init=False)
    b: float = 0.0
    dual: Floats = field(init=False)
    why_stopped: str = ""

    def __post_init__(self) -> None:
        if self.least_costs is None:
            self.least_costs = self.costs
        self.w = np.zeros(self.problem.n_features)
        self.dual = np.zeros(self.problem.n_samples)

    def improve(self, candidates: Iterable[Candidate], limits: Limits) -> None:
        """Offer candidates until the interval is narrow, Ctrl-C stops a solver, or the time is over."""
        for candidate in candidates:
            self.offer(candidate)
            if self.relative_gap <= NEXT_SOLVER_GAP or self.is_interrupted:
                return
            if limits.is_over():
                self.why_stopped = TIME_IS_OVER
                break
        if self.relative_gap > RELATIVE_GAP:
            self.offer_nothing()

    def offer_nothing(self) -> None:
        """Offer w = 0, and multipliers as near to the costs as balances."""
        self.offer_normal(np.zeros(self.problem.n_features), "none")
        self._offer_dual(self.costs if self.least_costs is None else self.least_costs)

    def offer_weights(self, weights: Floats) -> None:
        """Keep the multipliers, clipped to their bounds, if the lower end that they prove is greater."""
        self._offer_dual(np.clip(weights, 0.0, self.least_costs))

    def offer_normal(self, w: Floats, engine: str) -> None:
        """Keep w with its best offset if the objective is less there."""
        b = best_offset(self.problem, w, self.costs)
        objective = objective_upper_bound(self.problem, w, b, self.costs)
        if objective < self.upper or (objective == self.upper and self.engine == "none"):
            self.w, self.b, self.upper, self.engine = w, b, objective, engine

    def _offer_dual(self, dual: Floats) -> None:
        lower = dual_lower_bound(self.problem, dual)
        if lower > self.lower:
            self.dual, self.lower = balanced(self.problem, dual), lower

    @property
    def has_little_slack(self) -> bool:
        """Whether the objective is nearly all 1/2 ||w||^2, as it is where the hard margin is optimal."""
        return self.upper * (1 - _NO_SLACK) <= float(self.w @ self.w) / 2

    def solution(self, C: float) -> SoftMargin:
        """Return the result."""
        return SoftMargin(C=C, dual=self.dual, **self._parts())

    def _parts(self, level: float = 1.0) -> dict[str, Any]:
        """Return the common fields of answers with slack, for rows that should have the functional margin `level`."""
        return {
            **{name: getattr(self, name) for name in ("w", "b", "lower", "engine")},
            "status": self.status_at(RELATIVE_GAP, is_limited=self.stopped_early or bool(self.reason())),
            "objective": self.upper,
            "slack": slack_of(self.problem, self.w, self.b, level),
            "support": np.flatnonzero(self.dual > SUPPORT_WEIGHT * self.dual.max()),
            "attempts": tuple(self.attempts),
            "bias": self.problem.bias,
            "reason": self.reason(),
        }

    def reason(self) -> str:
        """Return the reason why the work ended early; empty if it did not."""
        if self.is_interrupted:
            return WHAT_WAS_PROVEN
        return self.why_stopped if self.relative_gap > RELATIVE_GAP else ""


def best_offset(problem: Problem, w: Floats, costs: Floats) -> float:
    """Return the b that minimises sum c_i max(0, 1 - y_i (w.x_i + b)), a convex piecewise linear function.

    Its slope at b is the cost of the negatives with score + b > -1 less the cost of the positives with score + b < 1;
    it changes sign at one of the kinks y_i - w.x_i.
    """
    if not problem.bias:
        return 0.0
    kinks = np.concatenate(list(problem.map(partial(_kinks, w), problem.y)))
    if not np.isfinite(kinks).all():
        return 0.0
    return offset_of_least_slack(kinks, problem.y, costs)


def for_all_rows(answer: Answer, problem: Problem, kept: Rows, weights: Floats, level: float = 1.0) -> Answer:
    """Return the answer for the rows of positive weight as one for all rows."""
    if len(kept) == problem.n_samples:
        return replace(answer, sample_weight=weights)
    dual = np.zeros(problem.n_samples)
    dual[kept] = answer.dual
    slack = slack_of(problem, answer.w, answer.b, level)
    return replace(answer, dual=dual, support=kept[answer.support], slack=slack, sample_weight=weights)


def slack_of(problem: Problem, w: Floats, b: float, level: float = 1.0) -> Floats:
    """Return max(0, level - y(w.x + b)) for every row."""
    return np.concatenate(list(problem.map(partial(_slack, w, b, level), problem.y)))


def _kinks(w: Floats, _: slice, X: Any, y: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(y * (1.0 - functional_margins(X, y, w, 0.0)))


def _slack(w: Floats, b: float, level: float, _: slice, X: Any, y: Floats) -> Floats:
    return np.asarray(np.maximum(0.0, level - functional_margins(X, y, w, b)))
