"""The soft-margin SVM with a free bias; its objective is a proven interval."""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import SupportsFloat

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers import backends
from maxmargin.solvers.candidate import Attempt, Candidate
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.hard_margin import hard_margin
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.dyadic import round_down, round_up
from maxmargin.solvers.proof.hulls import balanced_sum
from maxmargin.solvers.proof.margins import enclose_functional_margins, exact_functional_margins, norm_squared
from maxmargin.solvers.scaling import ColumnScaling
from maxmargin.solvers.solution import SoftMargin, Status

Floats = NDArray[np.float64]

RELATIVE_GAP = 1e-6
"""Relative width (objective - lower)/objective up to which the answer counts as `optimal`."""

_NEXT_SOLVER_GAP = 1e-7
"""Relative width above which the next solver is asked as well."""

_SUPPORT_WEIGHT = 1e-7
"""Multiplier, relative to the largest, below which a row is not listed as support."""

_STRETCH = 2.0**-48
"""Relative, by how much the hard margin's normal is lengthened: rounded, its margins fall short of 1, at C a unit."""

_LEAST_PRICE = 1e-100
"""Of a unit of slack, as handed to a solver; below it, and above its inverse, the solver is asked another question."""


def soft_margin(problem: Problem, C: float = 1.0, *, method: str = "auto", solver: str | None = None) -> SoftMargin:
    """Solve min 1/2 ||w||^2 + C sum xi_i subject to y_i (w.x_i + b) >= 1 - xi_i, xi_i >= 0.

    The bias is not penalised. C is LIBSVM's and scikit-learn's; with the objective ||w||^2 + c sum xi it is c/2, with
    lambda ||w||^2 + sum hinge it is 1/(2 lambda).

    Parameters
    ----------
    problem : Problem
    C : float
        Price of a unit of slack, positive and finite.
    method : {"auto", "cvxpy"}
        Both solve the textbook program through cvxpy.
    solver : str, optional
        The only cvxpy solver to ask; by default Clarabel, then the hard margin, then OSQP until the interval is
        narrow.

    Raises
    ------
    InvalidProblemError
        If C is not a positive finite number.
    InvalidOptionError
        If the method is unknown or the solver is not installed.

    Examples
    --------
    >>> solution = soft_margin(Problem.validated([[-1.0], [1.0]], [-1, 1]), C=10.0)
    >>> solution.status.value, round(solution.objective, 6)
    ('optimal', 0.5)
    """
    if not (isinstance(C, SupportsFloat) and 0 < float(C) < math.inf):
        raise InvalidProblemError(f"C is {C!r}; expected a positive finite number")
    if method not in ("auto", "cvxpy"):
        raise InvalidOptionError(f"method is {method!r}; expected 'auto' or 'cvxpy'")
    best = _Incumbent(problem, float(C))
    for candidate in _candidates(problem, float(C), solver):
        best.offer(candidate)
        if best.relative_gap <= _NEXT_SOLVER_GAP:
            break
    return best.solution()


def _candidates(problem: Problem, C: float, solver: str | None) -> Iterator[Candidate]:
    """Yield candidates: the solvers' in turn, and after the first the hard margin, which is the limit for great C."""
    first, *others = backends.chosen(solver, backends.SOFT_MARGIN_ORDER)
    yield _solved(problem, C, first)
    if solver is None:
        hard = hard_margin(problem)
        attempt = Attempt(solver="hard margin", status=hard.status)
        w = None if hard.w is None or hard.b is None else hard.w * (1 + _STRETCH * (1 + abs(hard.b)))
        yield Candidate(w=w, multipliers=hard.dual, engine=hard.engine, attempt=attempt)
    for name in others:
        yield _solved(problem, C, name)


def _solved(problem: Problem, C: float, solver: str) -> Candidate:
    """Return the hyperplane in the original coordinates, in the scale of the problem, and the multipliers there."""
    from maxmargin.solvers import formulations

    scaling = ColumnScaling.of(problem)
    exponent = scaling.unit_exponent
    # With w = q * w' * 2**-exponent the objective is 4**-exponent (1/2 ||q * w'||^2 + 4**exponent C sum xi).
    with np.errstate(over="ignore"):
        price = float(np.clip(np.ldexp(C, 2 * exponent), _LEAST_PRICE, 1 / _LEAST_PRICE))
    program = formulations.soft_margin(
        scaling.apply(problem.X),
        problem.y,
        price,
        bias=problem.bias,
        normal_weights=scaling.normal_weights(),
    )
    raw = backends.solve(program, solver)
    with np.errstate(over="ignore"):
        w = None if raw.w is None else np.ldexp(scaling.normal_weights() * raw.w, -exponent)
        multipliers = None if raw.multipliers is None else np.ldexp(raw.multipliers, -2 * exponent)
    return replace(raw, w=w, multipliers=multipliers)


@dataclass(slots=True)
class _Incumbent:
    """The best primal and the best dual point seen so far; at first w = 0 and every alpha as near C as balances."""

    problem: Problem
    C: float
    w: Floats = field(init=False)
    b: float = field(init=False)
    objective: float = field(init=False)
    dual: Floats = field(init=False)
    lower: float = 0.0
    engine: str = "none"
    stopped_early: bool = False
    attempts: list[Attempt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.w = np.zeros(self.problem.n_features)
        self.b = best_offset(self.problem, self.w)
        self.objective = objective_upper_bound(self.problem, self.w, self.b, self.C)
        self.dual = np.zeros(self.problem.n_samples)
        self._offer_dual(np.full(self.problem.n_samples, self.C))

    def offer(self, candidate: Candidate) -> None:
        """Keep the parts that are better."""
        self.attempts.append(candidate.attempt)
        self.stopped_early = candidate.stopped_early
        if candidate.w is not None and np.isfinite(candidate.w).all():
            b = best_offset(self.problem, candidate.w)
            objective = objective_upper_bound(self.problem, candidate.w, b, self.C)
            if objective <= self.objective:
                self.w, self.b, self.objective = candidate.w, b, objective
                self.engine = candidate.engine
        if candidate.multipliers is not None and not np.isnan(candidate.multipliers).any():
            self._offer_dual(np.clip(candidate.multipliers, 0.0, self.C))

    def _offer_dual(self, dual: Floats) -> None:
        lower = dual_lower_bound(self.problem, dual)
        if lower > self.lower:
            self.dual, self.lower = _balanced(self.problem, dual), lower

    @property
    def relative_gap(self) -> float:
        """(objective - lower)/objective."""
        return (self.objective - self.lower) / self.objective if self.objective > 0 else 0.0

    def solution(self) -> SoftMargin:
        """Return the result."""
        with np.errstate(over="ignore", invalid="ignore"):
            margins = self.problem.y * (self.problem.X @ self.w + self.b)
        return SoftMargin(
            status=self._status(),
            C=self.C,
            w=self.w,
            b=self.b,
            objective=self.objective,
            lower=self.lower,
            slack=np.maximum(0.0, 1.0 - margins),
            support=np.flatnonzero(self.dual > _SUPPORT_WEIGHT * self.dual.max()),
            dual=self.dual,
            engine=self.engine,
            attempts=tuple(self.attempts),
        )

    def _status(self) -> Status:
        if self.relative_gap <= RELATIVE_GAP:
            return Status.OPTIMAL
        return Status.LIMIT if self.stopped_early else Status.NUMERICAL


def _balanced(problem: Problem, dual: Floats) -> Floats:
    """Scale the heavier class down, up to rounding, so that sum alpha y = 0; through the origin nothing is scaled."""
    if not problem.bias:
        return dual
    largest = dual.max()
    positive = problem.y > 0
    totals = [float((dual[rows] / largest).sum()) for rows in (positive, ~positive)]
    return dual * np.where(positive, min(1.0, totals[1] / totals[0]), min(1.0, totals[0] / totals[1]))


def best_offset(problem: Problem, w: Floats) -> float:
    """Return the b that minimises sum max(0, 1 - y_i (w.x_i + b)), a convex piecewise linear function.

    Its slope at b is (negatives with score + b > -1) - (positives with score + b < 1); it changes sign at one of the
    kinks y_i - w.x_i.
    """
    if not problem.bias:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        kinks = problem.y - problem.X @ w
    if not np.isfinite(kinks).all():
        return 0.0
    order = np.argsort(kinks, kind="stable")
    # Left of every kink all positives and no negative have slack; each kink passed adds 1 to the slope.
    rank = int((problem.y > 0).sum()) - 1
    return float(kinks[order[rank]] / 2 + kinks[order[rank + 1]] / 2)


def objective_upper_bound(problem: Problem, w: Floats, b: float, C: float) -> float:
    """Return 1/2 ||w||^2 + C sum max(0, 1 - y(w.x + b)), rounded up."""
    lower, upper = enclose_functional_margins(problem, w, b)
    slack = np.nextafter(np.maximum(0.0, 1.0 - lower), np.inf) * (lower < 1)
    # On the margin the width of the enclosure, times C, would swamp the answer: there the margins are computed exactly.
    doubtful = np.flatnonzero((lower < 1) & (upper > 1))
    exact = exact_functional_margins(problem, doubtful, w, b) if doubtful.size else []
    slack[doubtful] = [round_up(max(Fraction(0), 1 - value)) for value in exact]
    if slack.max() > sys.float_info.max / len(slack):
        return math.inf
    total = math.nextafter(math.fsum(slack.tolist()), math.inf) if slack.any() else 0.0
    return round_up(norm_squared(w) / 2 + Fraction(C) * Fraction(total))


def dual_lower_bound(problem: Problem, dual: Floats) -> float:
    """Return sum alpha - 1/2 ||sum alpha y x||^2, rounded down, after scaling one class so that sum alpha y = 0.

    The multipliers must lie in [0, C]; scaling only shrinks them. Weak duality makes the value a lower bound of the
    soft-margin objective.
    """
    total, square = balanced_sum(problem, dual)
    return max(0.0, round_down(total - square / 2))
