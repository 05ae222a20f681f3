"""The maximum margin, as a proven interval."""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers import backends
from maxmargin.solvers.candidate import Attempt, Candidate
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.feasibility import prove_separable, separability
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.certificate import SeparatingHyperplane
from maxmargin.solvers.proof.dyadic import sqrt_down
from maxmargin.solvers.proof.margins import least_functional_margin
from maxmargin.solvers.scaling import ColumnScaling
from maxmargin.solvers.solution import (
    HardMargin,
    Separability,
    Status,
    proven_upper,
    weighted_normal,
)

Floats = NDArray[np.float64]

RELATIVE_GAP = 1e-9
"""Relative width (upper - lower)/upper up to which the interval counts as `optimal`."""

_NEXT_SOLVER_GAP = 1e-11
"""Relative width above which the next solver is asked as well."""

_ROUNDING = 2.0**-50
"""Relative, by how much the margins of two planes may differ and still be taken for the same."""

_SUPPORT_WEIGHT = 1e-9
"""Multiplier, relative to the largest, below which a row is not listed as support."""

_LARGEST = sys.float_info.max
_MOST_BITS = 1023  # a fraction of so many bits more above than below is less than 2**1024


def hard_margin(problem: Problem, *, method: str = "auto", solver: str | None = None) -> HardMargin:
    """Solve min 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1, and prove how close the answer is.

    Separability is decided first, in exact arithmetic. The quadratic program is then solved on centred columns of
    unit size; every plane and every set of multipliers that a solver returns is checked on the original rows, and the
    best of each gives the interval.

    Parameters
    ----------
    problem : Problem
    method : {"auto", "cvxpy"}
        Both solve the textbook program through cvxpy.
    solver : str, optional
        The only cvxpy solver to ask; by default DAQP, then HiGHS, then Clarabel until the interval is narrow.

    Raises
    ------
    InvalidOptionError
        If the method is unknown or the solver is not installed.

    Examples
    --------
    >>> solution = hard_margin(Problem.validated([[10.0], [40.0], [60.0], [90.0]], [-1, -1, 1, 1]))
    >>> solution.status.value, round(solution.margin, 9)
    ('optimal', 10.0)
    """
    if method not in ("auto", "cvxpy"):
        raise InvalidOptionError(f"method is {method!r}; expected 'auto' or 'cvxpy'")
    solvers = backends.chosen(solver, backends.HARD_MARGIN_ORDER)
    verdict = separability(problem)
    if verdict.strictly_separable is False:
        return _inseparable(problem, verdict)
    best = _Incumbent(problem)
    stopped_early = _improve(best, problem, solvers)
    _polish(best, problem)
    if isinstance(verdict.certificate, SeparatingHyperplane):
        best.offer_plane(verdict.certificate, verdict.engine)
    return best.solution(_status(best, stopped_early), verdict.attempts)


@dataclass(slots=True)
class _Incumbent:
    """The best plane and the best multipliers seen so far."""

    problem: Problem
    plane: SeparatingHyperplane | None = None
    engine: str = "none"
    lower: float = 0.0
    dual: Floats | None = None
    upper: float = math.inf
    attempts: list[Attempt] = field(default_factory=list)

    def offer_plane(self, plane: SeparatingHyperplane, engine: str) -> None:
        """Keep the plane if its exact margin is the greatest."""
        lower = _margin(plane)
        if self.plane is None or lower > self.lower:
            self.plane, self.lower, self.engine = plane, lower, engine

    def offer_polished(self, plane: SeparatingHyperplane) -> None:
        """Keep the plane if its margin is as great up to rounding: its w is the more accurate one."""
        lower = _margin(plane)
        if lower >= self.lower * (1 - _ROUNDING):
            self.plane, self.lower = plane, lower

    def offer_weights(self, weights: Floats) -> None:
        """Keep the multipliers if the hull points they give are the nearest."""
        upper = proven_upper(self.problem, weights)
        if upper < self.upper:
            self.dual, self.upper = weights, upper

    @property
    def relative_gap(self) -> float:
        """(upper - lower)/upper; infinity while one end is missing."""
        if self.plane is None or math.isinf(self.upper):
            return math.inf
        return float((Fraction(self.upper) - Fraction(self.lower)) / Fraction(self.upper))

    def solution(self, status: Status, attempts: tuple[Attempt, ...]) -> HardMargin:
        """Return the result, scaled to functional margin 1."""
        weights = np.zeros(self.problem.n_samples) if self.dual is None else _hull_weights(self.problem, self.dual)
        w, b = (None, None) if self.plane is None else _canonical(self.plane)
        return HardMargin(
            status=status,
            w=w,
            b=b,
            lower=self.lower,
            upper=self.upper,
            support=np.flatnonzero(weights > _SUPPORT_WEIGHT * weights.max()),
            dual=weights * _square_of_inverse(self.upper),
            engine=self.engine,
            attempts=(*attempts, *self.attempts),
            **_residuals(self.problem, w, b, weights, self.upper),
        )


def _margin(plane: SeparatingHyperplane) -> float:
    """Return the geometric margin, rounded down."""
    return sqrt_down(plane.least_functional_margin**2 / sum(v * v for v in plane.w))


def _improve(best: _Incumbent, problem: Problem, solvers: tuple[str, ...]) -> bool:
    """Ask the solvers in turn until the interval is narrow; return whether the last one stopped at a limit."""
    stopped_early = False
    for candidate in _candidates(problem, solvers):
        best.attempts.append(candidate.attempt)
        stopped_early = candidate.stopped_early
        if candidate.w is not None and (plane := prove_separable(problem, candidate.w)) is not None:
            best.offer_plane(plane, candidate.engine)
        if candidate.multipliers is not None:
            best.offer_weights(candidate.multipliers)
        if best.relative_gap <= _NEXT_SOLVER_GAP:
            break
    return stopped_early


def _polish(best: _Incumbent, problem: Problem) -> None:
    """Offer the plane of least norm with margin 1 on the support rows.

    The margin tells errors of w only by their square: a proven gap of 1e-16 leaves 1e-8 in w.
    """
    if best.plane is None or best.dual is None:
        return
    support = np.flatnonzero(best.dual > _SUPPORT_WEIGHT * best.dual.max())
    w = _normal_of_support(problem, support) if len(support) <= 2 * (problem.n_features + 1) else None
    if w is not None and (plane := prove_separable(problem, w)) is not None:
        best.offer_polished(plane)


def _normal_of_support(problem: Problem, support: NDArray[np.int64]) -> Floats | None:
    """Return the w of least norm with y (w.x + b) = 1 on these rows for some b (through the origin for b = 0)."""
    rows, signs = problem.dense_rows(support), problem.y[support]
    with np.errstate(all="ignore"):
        if problem.bias:
            rows, signs = rows[1:] - rows[0], signs[1:] - signs[0]
        if not rows.size or not np.isfinite(rows).all():
            return None
        try:
            w = np.asarray(np.linalg.lstsq(rows, signs, rcond=None)[0], dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
    return w if np.isfinite(w).all() else None


def _candidates(problem: Problem, solvers: tuple[str, ...]) -> Iterator[Candidate]:
    from maxmargin.solvers import formulations

    scaling = ColumnScaling.of(problem)
    X, weights = scaling.apply(problem.X), scaling.normal_weights()
    for name in solvers:
        program = formulations.hard_margin(X, problem.y, bias=problem.bias, normal_weights=weights)
        yield scaling.bring_home(backends.solve(program, name))


def _status(best: _Incumbent, stopped_early: bool) -> Status:
    if best.plane is None:
        return Status.UNDECIDED
    if best.relative_gap <= RELATIVE_GAP:
        return Status.OPTIMAL
    return Status.LIMIT if stopped_early else Status.NUMERICAL


def _canonical(plane: SeparatingHyperplane) -> tuple[Floats, float]:
    """Return (w, b) divided by the least functional margin, and by a power of two more where that overflows."""
    least = plane.least_functional_margin
    exact = [v / least for v in (*plane.w, plane.b)]
    largest = max(map(abs, exact))
    excess = largest.numerator.bit_length() - largest.denominator.bit_length() - _MOST_BITS
    if excess > 0:
        exact = [v / 2**excess for v in exact]
    *w, b = map(float, exact)
    return np.array(w), b


def _hull_weights(problem: Problem, weights: Floats) -> Floats:
    """Return the weights scaled to sum 1, with bias 1/2 in each class."""
    weights = np.maximum(weights, 0.0) / weights.max()
    if not problem.bias:
        return np.asarray(weights / weights.sum())
    positive = problem.y > 0
    return np.asarray(weights / (2 * np.where(positive, weights[positive].sum(), weights[~positive].sum())))


def _square_of_inverse(upper: float) -> float:
    """Return 1/upper^2, what the multipliers sum to at the optimum, as near as binary64 comes."""
    return min(1.0 / upper / upper, _LARGEST) if upper > 1.0 / _LARGEST else _LARGEST


def _residuals(
    problem: Problem, w: Floats | None, b: float | None, hull_weights: Floats, upper: float
) -> dict[str, float]:
    if w is None or b is None:
        return {"primal_residual": math.inf, "dual_residual": math.inf}
    least = least_functional_margin(problem, w, b)
    # Both normals times the upper end, so that at the optimum they have length 1 in any units.
    with np.errstate(over="ignore", invalid="ignore"):
        normal = w * upper
        difference = np.linalg.norm(normal - weighted_normal(problem, hull_weights) / upper) / np.linalg.norm(normal)
    dual_residual = math.inf if math.isnan(difference) else float(difference)
    return {"primal_residual": max(0.0, float(1 - least)), "dual_residual": dual_residual}


def _inseparable(problem: Problem, verdict: Separability) -> HardMargin:
    return HardMargin(
        status=Status.NOT_STRICTLY_SEPARABLE,
        w=None,
        b=None,
        lower=0.0,
        upper=0.0,
        support=np.empty(0, dtype=np.int64),
        dual=np.zeros(problem.n_samples),
        primal_residual=math.inf,
        dual_residual=math.inf,
        engine=verdict.engine,
        attempts=verdict.attempts,
    )
