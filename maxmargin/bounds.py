"""What theory says about the number of mistakes, each bound with its space, its assumption and its value."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin.api import problem_of
from maxmargin.dataset import from_arrays
from maxmargin.evidence import Evidence, gather, radius_squared
from maxmargin.running import best_bias_scale, run_perceptron
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.dyadic import as_fraction, as_integers, dense_rows, round_up, sqrt_up
from maxmargin.solvers.proof.margins import enclosures, least_functional_margin, norm_squared

Floats = NDArray[np.float64]

_ROUNDING_ALLOWANCE = 1 + Fraction(1, 2**50)
"""Covers the rounding of a correctly rounded sum, and a scale that is the best one up to rounding."""

_LARGEST_SLACK = 2.0**480
"""Squares of slacks beyond it would overflow when they are added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """An upper bound of the number of mistakes from w = 0, for the run it was asked for.

    Attributes
    ----------
    name : str
    value : float
        Rounded up; infinity where the assumption fails for every finite value.
    valid : bool
        Whether the assumption is proven to hold for this data and this run; only then is the value a bound.
    vacuous : bool
        Whether it says nothing: infinite, or at least the number of presentations.
    assumption : str
        In words, with the space it is stated in.
    reference : str
    """

    name: str
    value: float
    valid: bool
    vacuous: bool
    assumption: str
    reference: str

    def ratio(self, n_mistakes: int) -> float:
        """Return M/bound, 0 for an infinite bound."""
        return n_mistakes / self.value if self.value > 0 else math.nan


def mistake_bounds(
    X: Any,
    y: Any,
    *,
    bias: bool = True,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    n_passes: int | None = 1,
    C: float = 1.0,
) -> tuple[Bound, ...]:
    """Return the bounds on the mistakes of a perceptron that starts at w = 0.

    They hold in any order that presents every row once a pass, and under each of the three rules for y w.x = 0,
    because every update has y w.x <= 0; self_certificate alone speaks of one run, in cyclic order with
    ``zero="mistake"``. A bound whose assumption fails has ``valid=False``; nothing is raised for data that are not
    separable.

    Parameters
    ----------
    X, y, bias, positive
        As in `maxmargin.separability`.
    bias_scale : float or "best"
        The constant coordinate of the run, as in `maxmargin.perceptron`; "best" falls back to 1 where the data are
        not proven separable.
    n_passes : int or None
        How many passes over the rows; None is until convergence.
    C : float
        Of the soft margin whose solution is the u of the Freund-Schapire bound.

    Raises
    ------
    InvalidProblemError
        If the data do not state a two-class question, or an option has no value that it takes.

    Examples
    --------
    >>> bounds = {bound.name: bound for bound in mistake_bounds([[10.0], [12.0]], [0, 1], n_passes=None)}
    >>> round(bounds["novikoff"].value)
    17690
    """
    if n_passes is not None and not (isinstance(n_passes, int) and n_passes >= 1):
        raise InvalidOptionError(f"n_passes is {n_passes!r}; expected a whole number from 1, or None")
    problem = problem_of(from_arrays(X, y, positive=positive), bias=bias)
    scale: float | Literal["best"] = bias_scale
    if bias_scale == "best":
        problem, scale = _best_or_one(problem)
    run = run_perceptron(problem, bias_scale=scale, max_epochs=n_passes)
    return bounds_of(gather(problem, run, n_passes=n_passes, C=C))


def bounds_of(evidence: Evidence) -> tuple[Bound, ...]:
    """Return every bound for this evidence."""
    square = radius_squared(evidence.problem)
    run_square = square + Fraction(evidence.scale) ** 2
    return (
        _novikoff(evidence, run_square),
        _augmented_offset(evidence, run_square),
        _best_scale(evidence, square),
        _self_certificate(evidence),
        _freund_schapire(evidence, run_square),
    )


def _bound(evidence: Evidence, name: str, value: float, valid: bool, assumption: str, reference: str) -> Bound:
    vacuous = math.isinf(value) or value >= evidence.n_presentations
    return Bound(name=name, value=value, valid=valid, vacuous=vacuous, assumption=assumption, reference=reference)


def _quotient_up(numerator: Fraction, denominator: Fraction) -> float:
    """Return the quotient rounded up, infinity where the denominator is 0."""
    return round_up(numerator / denominator) if denominator else math.inf


def _novikoff(evidence: Evidence, run_square: Fraction) -> Bound:
    """R^2/g^2 with R and the maximum margin g through the origin of the space of the run."""
    lower = Fraction(evidence.run_hard.lower)
    space = "through the origin" if not evidence.scale else f"in the space (x, {evidence.scale:.6g}) of the run"
    return _bound(
        evidence,
        "novikoff",
        _quotient_up(run_square, lower**2),
        lower > 0,
        f"strictly separable {space}: R^2/g^2 with R and the maximum margin g there",
        "Novikoff 1962; Block 1962",
    )


def _augmented_offset(evidence: Evidence, run_square: Fraction) -> Bound:
    """(R^2 + s^2)(1 + b^2/s^2)/gamma^2, from the margin with bias; through the origin it is R^2/gamma^2."""
    plane = evidence.hard
    value = math.inf
    if plane.w is not None and plane.b is not None:
        least = least_functional_margin(evidence.problem, plane.w, plane.b)
        square = run_square * _run_norm_squared(evidence, plane.w, plane.b)
        value = _quotient_up(square, max(least, Fraction(0)) ** 2)
    return _bound(
        evidence,
        "augmented_b",
        value,
        math.isfinite(value),
        "strictly separable with bias: (R^2 + s^2)(1 + b^2/s^2)/gamma^2 with the maximum-margin hyperplane's b"
        if evidence.scale
        else "strictly separable through the origin: there is no bias coordinate, and this is R^2/gamma^2",
        "Novikoff 1962 in the space (x, s)",
    )


def _best_scale(evidence: Evidence, square: Fraction) -> Bound:
    """(R + |b|)^2/gamma^2, the least value of the above over s: at s^2 = R |b|."""
    plane = evidence.hard
    value, scale, is_best = math.inf, "", False
    if plane.w is not None and plane.b is not None:
        # Enough bits that the square root rounds nothing away: (R + |b|)^2 in units of R^2.
        relative = sqrt_up(Fraction(plane.b) ** 2 / norm_squared(plane.w) / square) if square else 0.0
        at = math.sqrt(relative) * sqrt_up(square)
        scale, is_best = f" = {at:.6g}", math.isclose(at, evidence.scale, rel_tol=1e-9)
        value = _quotient_up(square * (1 + Fraction(relative)) ** 2 * _ROUNDING_ALLOWANCE, Fraction(plane.lower) ** 2)
    return _bound(
        evidence,
        "best_scale",
        value,
        math.isfinite(value) and is_best,
        f"strictly separable with bias, and the run has s = sqrt(R|b|){scale}: (R + |b|)^2/gamma^2"
        if evidence.scale
        else "strictly separable through the origin: b = 0, and this is R^2/gamma^2",
        "derived: the minimum over s of the bound augmented_b",
    )


def _self_certificate(evidence: Evidence) -> Bound:
    """sqrt(sum_I ||x||^2) / m with the margin m that the run itself achieved; no other solver is asked."""
    run = evidence.run
    achieved = Fraction(run.run_margin) if math.isfinite(run.run_margin) else Fraction(0)
    square = _mistakes_square(evidence)
    achieved = max(achieved, Fraction(0))
    value = sqrt_up(square / achieved**2) if achieved else math.inf
    return _bound(
        evidence,
        "self_certificate",
        value,
        achieved > 0,
        "the run ended on a separating hyperplane: sqrt(sum over its mistakes of ||x||^2)/m, m the margin it achieved",
        "derived: ||w|| <= sqrt(sum ||x||^2) and w.u >= M m",
    )


def _mistakes_square(evidence: Evidence) -> Fraction:
    """Return the sum of ||(x, s)||^2 over the mistakes, exactly."""
    problem = evidence.problem
    counts = evidence.run.mistake_counts
    constants = Fraction(int(counts.sum())) * Fraction(evidence.scale) ** 2
    return sum(problem.map(_sum_of_squares, counts), constants)


def _sum_of_squares(rows: slice, X: Any, counts: NDArray[np.int64]) -> Fraction:
    """Return the sum of ||x_i||^2, each counted so many times, exactly."""
    picked = np.flatnonzero(counts)
    if not picked.size:
        return Fraction(0)
    integers, exponent = as_integers(dense_rows(X, picked))
    squares = (integers * integers).sum(axis=1)
    return int(squares.dot(counts[picked].astype(object))) * as_fraction(1, 2 * exponent)


def _freund_schapire(evidence: Evidence, run_square: Fraction) -> Bound:
    """(R ||v|| + ||(1 - y v.x)_+||_2)^2 with v = u/g; the slack counts once a pass."""
    n_passes = evidence.n_passes
    value = min(_with_slack(evidence, run_square), _without_slack(evidence, run_square))
    passes = (
        "until convergence, so u must separate" if n_passes is None else f"{n_passes:,} pass{'es' * (n_passes > 1)}"
    )
    return _bound(
        evidence,
        "freund_schapire",
        value,
        math.isfinite(value),
        f"none on the data; {passes}: ((R + D)/g)^2 with the u of the soft margin at C = {evidence.soft.C:.6g}",
        "Freund and Schapire 1999, theorem 2",
    )


def _with_slack(evidence: Evidence, run_square: Fraction) -> float:
    """Return the bound for v = (w, b/s), the soft margin's hyperplane in its own scale (g = 1/||v||)."""
    soft = evidence.soft
    squares = _squared_slack(evidence.problem, soft.w, soft.b)
    # In random order a pass may present a row several times, and its slack would count as often.
    is_counted = evidence.n_passes is not None and evidence.run.settings.order.covers_all_rows
    if squares is None or (squares and not is_counted):
        return math.inf
    distance = sqrt_up(squares * (evidence.n_passes or 1))
    spread = sqrt_up(run_square * _run_norm_squared(evidence, soft.w, soft.b))
    if math.isinf(spread):
        return math.inf
    return round_up((Fraction(spread) + Fraction(distance)) ** 2)


def _squared_slack(problem: Problem, w: Floats, b: float) -> Fraction | None:
    """Return sum max(0, 1 - y(w.x + b))^2 or a little more, None where it would overflow."""
    total = Fraction(0)
    for _, lower, _ in enclosures(problem, w, b):
        slack = np.nextafter(np.maximum(0.0, 1.0 - lower), np.inf) * (lower < 1)
        if slack.max() > _LARGEST_SLACK:
            return None
        squares = np.nextafter(slack * slack, np.inf)[slack > 0]
        total += Fraction(math.fsum(squares.tolist())) * _ROUNDING_ALLOWANCE
    return total


def _without_slack(evidence: Evidence, run_square: Fraction) -> float:
    """Return the bound for the same direction with g its least margin: R^2/g^2, where the hyperplane separates."""
    soft = evidence.soft
    least = least_functional_margin(evidence.problem, soft.w, soft.b)
    return _quotient_up(run_square * _run_norm_squared(evidence, soft.w, soft.b), max(least, Fraction(0)) ** 2)


def _run_norm_squared(evidence: Evidence, w: Floats, b: float) -> Fraction:
    """Return ||(w, b/s)||^2."""
    return norm_squared(w) + (Fraction(b) / Fraction(evidence.scale) if evidence.scale else Fraction(0)) ** 2


def _best_or_one(problem: Problem) -> tuple[Problem, float]:
    from maxmargin.solvers.errors import InvalidProblemError

    try:
        return best_bias_scale(problem)
    except InvalidProblemError:
        return problem, 1.0
