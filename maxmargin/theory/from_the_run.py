"""Bounds on the mistakes of one run, from the rows of its mistakes or from the margin that it achieved."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.dyadic import as_fraction, round_up, sqrt_up
from maxmargin.solvers.exact.products import exact_squares
from maxmargin.theory.bound import Bound, run_norm_squared, space_of, squared_slack, stated
from maxmargin.theory.context import Context


def self_certificate(context: Context) -> Bound:
    """sqrt(sum_I ||x||^2) / m with the margin m that the run itself achieved; no other solver is asked."""
    run = context.run
    achieved = Fraction(run.run_margin) if math.isfinite(run.run_margin) else Fraction(0)
    achieved = max(achieved, Fraction(0))
    value = sqrt_up(mistakes_square(context) / achieved**2) if achieved else math.inf
    return stated(
        context,
        "self_certificate",
        value,
        context.is_counted_out and achieved > 0,
        f"the run {_ended(context)} on a separating hyperplane: sqrt(sum over its mistakes of ||x||^2)/m, m the "
        "margin it achieved",
        "derived: ||w|| <= sqrt(sum ||x||^2) and w.u >= M m",
        of_every_run=False,
    )


def _ended(context: Context) -> str:
    """Return the verb of the condition under which the run made all the mistakes that it can make."""
    return "converged" if context.n_passes is None else "ended"


def mistakes_square(context: Context) -> Fraction:
    """Return the sum of ||(x, s)||^2 over the mistakes, exactly."""
    problem = context.problem
    counts = context.run.mistake_counts
    constants = Fraction(int(counts.sum())) * Fraction(context.scale) ** 2
    return sum(problem.map(_sum_of_squares, counts), constants)


def _sum_of_squares(rows: slice, X: Any, counts: NDArray[np.int64]) -> Fraction:
    """Return the exact sum of ||x_i||^2, each multiplied by its count."""
    picked = np.flatnonzero(counts)
    if not picked.size:
        return Fraction(0)
    squares, exponent = exact_squares(X[picked])
    return int(squares.dot(counts[picked].astype(object))) * as_fraction(1, 2 * exponent)


def sum_of_squares(context: Context) -> Bound:
    """sqrt(sum_I ||x||^2)/g: Novikoff's proof without the step from the rows of the mistakes to the longest of all."""
    margin_square = context.run_margin_squared
    value = sqrt_up(mistakes_square(context) / margin_square) if margin_square else math.inf
    return stated(
        context,
        "sum_of_squares",
        value,
        context.is_counted_out and margin_square > 0,
        f"strictly separable {space_of(context)}, and the run {_ended(context)}: sqrt(sum over the mistakes of "
        "||x||^2)/g, g the maximum margin",
        "derived: w.u >= M g and ||w||^2 <= sum ||x||^2",
        of_every_run=False,
    )


def slack_of_the_mistakes(context: Context) -> Bound:
    """(L/2 + sqrt(L^2/4 + ||v|| sqrt(sum_I ||x||^2)))^2, L^2 = sum_I (1 - y v.x)_+^2 over the mistakes I of the run.

    With v = u/rho: M - L sqrt(M) <= sum_I y v.x = v.w <= ||v|| sqrt(sum_I ||x||^2). It holds for every v, but the best
    v for the mistakes of a run is v = 0, which says that M is M; so v is one that does not know the run.
    """
    soft = context.soft
    squares = squared_slack(context.problem, context.soft.w, context.soft.b, context.run.mistake_counts)
    value = math.inf
    if squares is not None:
        length = sqrt_up(run_norm_squared(context, soft.w, soft.b) * mistakes_square(context))
        slack = Fraction(sqrt_up(squares))
        root = Fraction(sqrt_up(slack**2 / 4 + Fraction(length))) if math.isfinite(length) else None
        value = math.inf if root is None else round_up((slack / 2 + root) ** 2)
    return stated(
        context,
        "slack_of_the_mistakes",
        value,
        context.is_counted_out and math.isfinite(value),
        f"none on the data, but that the run {_ended(context)}; with the slack of this run's mistakes only, and the u "
        f"of the soft margin at C = {soft.C:.6g}, which was fixed without them",
        "derived: M - L sqrt(M) <= v.w, after Mohri and Rostamizadeh 2013",
        of_every_run=False,
    )
