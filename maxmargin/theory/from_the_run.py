"""Bounds that depend on the run: on its mistakes, or on its number of passes, each of which counts every slack."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import as_fraction, round_up, sqrt_up
from maxmargin.solvers.exact.products import exact_squares
from maxmargin.solvers.proof.mistake_bounds import Loss
from maxmargin.solvers.proof.soft_bounds import slack_upper_bound
from maxmargin.solvers.tightest_bound.tightest_bound import tightest_bound
from maxmargin.theory.bound import Bound, Holding, norm_bound, run_norm_squared, space_of, stated
from maxmargin.theory.context import Context

# Largest number of entries of X for which the best v is searched.
_MOST_ENTRIES = 50_000_000

# Name, formula and source of the bound whose best v is searched, by the loss that counts the slack.
_OPTIMA = {
    Loss.SQUARED_HINGE: (
        "freund_schapire_optimum",
        "(R||v|| + sqrt(sum (1 - y v.x)_+^2))^2",
        "Freund and Schapire 1999; the optimum is a second-order cone program",
    ),
    Loss.HINGE: (
        "hinge_optimum",
        "((a + sqrt(a^2 + 4L))/2)^2 with a = R||v||, L = sum (1 - y v.x)_+",
        "derived: M <= L + a sqrt(M), after Gentile 2003; the optimum by a search in one dimension",
    ),
}


def freund_schapire(context: Context) -> Bound:
    """(R ||v|| + ||(1 - y v.x)_+||_2)^2 with v = u/g; the slack counts once a pass."""
    soft = context.soft
    separating = norm_bound(context, soft.w, soft.b)  # with g the least margin, where the hyperplane separates
    value = min(_with_slack(context), separating)
    passes = _passes(context, "until convergence, so u must separate")
    assumption = f"none on the data; {passes}: ((R + D)/g)^2, D^2 = sum over the presentations of "
    assumption += f"max(0, g - y u.x)^2, with the u of the soft margin at C = {soft.C:.6g}"
    source, holding = "Freund and Schapire 1999", Holding.AS_MANY_PASSES
    if value == separating:
        holding = Holding.EVERY_RUN
    return stated(context, "freund_schapire", value, math.isfinite(value), assumption, source, holding=holding)


def _with_slack(context: Context) -> float:
    """Return the bound for v = (w, b/s), the soft margin's hyperplane in its own scale (g = 1/||v||)."""
    soft = context.soft
    squares = slack_upper_bound(context.problem, soft.w, soft.b, np.ones(context.problem.n_samples), power=2)
    # In random order a pass may present a row several times, and its slack would count as often.
    if squares is None or (squares and not _presents_every_row_once(context)):
        return math.inf
    distance = sqrt_up(squares * (context.n_passes or 1))
    reach = sqrt_up(context.run_square * run_norm_squared(context.scale, soft.w, soft.b))
    return math.inf if math.isinf(reach) else round_up((Fraction(reach) + Fraction(distance)) ** 2)


def trivial(context: Context) -> Bound:
    """No run makes more mistakes than presentations."""
    value, assumption = context.n_presentations, "none: at most every presentation is a mistake"
    holding = Holding.ONE_RUN if context.is_as_far_as_it_went else Holding.AS_MANY_PASSES
    return stated(context, "trivial", value, math.isfinite(value), assumption, "the number itself", holding=holding)


def optima(context: Context) -> tuple[Bound, ...]:
    """Return the least values of two bounds over all v, to which every other v can only be worse."""
    return tuple(_optimum(context, loss) for loss in _OPTIMA)


def _optimum(context: Context, loss: Loss) -> Bound:
    name, formula, reference = _OPTIMA[loss]
    passes = _passes(context, "for a number of passes, which until convergence is not known")
    is_moderate = context.problem.n_samples * context.problem.n_features <= _MOST_ENTRIES
    is_searched = _presents_every_row_once(context) and is_moderate and not context.limits.is_over()
    value = _least(context, loss) if is_searched else math.inf
    assumption = f"none on the data; every row once a pass, {passes}: {formula}, at the best of all v"
    return stated(context, name, value, math.isfinite(value), assumption, reference, holding=Holding.AS_MANY_PASSES)


def _least(context: Context, loss: Loss) -> float:
    """Return the bound at the best v found; it is never above the bound at a hyperplane already known."""
    space = context.space
    candidates = [_in_run_space(context, context.soft.w, context.soft.b)]
    if context.run_hard.w is not None:
        candidates.append(context.run_hard.w)
    if context.hard.w is not None and context.hard.b is not None:
        candidates.append(_in_run_space(context, context.hard.w, context.hard.b))
    assert context.n_passes is not None
    usable = [v for v in candidates if len(v) == space.n_features and np.isfinite(v).all()]
    time_limit = context.limits.share()
    found = tightest_bound(space, context.n_passes, loss=loss, candidates=usable, time_limit=time_limit)
    return uninterrupted(found).upper


def _in_run_space(context: Context, w: Floats, b: float) -> Floats:
    return np.append(w, b / context.scale) if context.scale else w


def _passes(context: Context, until_convergence: str) -> str:
    n_passes = context.n_passes
    return until_convergence if n_passes is None else f"{n_passes:,} pass{'es' * (n_passes > 1)}"


def _presents_every_row_once(context: Context) -> bool:
    """Return whether the number of passes is known, and each of them presents every row once."""
    return context.n_passes is not None and context.run.settings.order.covers_all_rows


def self_certificate(context: Context) -> Bound:
    """sqrt(sum_I ||x||^2) / m with the margin m that the run itself achieved; no other solver is asked."""
    run = context.run
    achieved = max(Fraction(run.run_margin), Fraction(0)) if math.isfinite(run.run_margin) else Fraction(0)
    value = sqrt_up(mistakes_square(context) / achieved**2) if achieved else math.inf
    valid = context.is_counted_out and achieved > 0
    assumption = (
        f"the run {'converged' if context.n_passes is None else 'ended'} on a separating hyperplane: sqrt(sum over its "
        "mistakes of ||x||^2)/m, m the margin it achieved"
    )
    reference = "derived: ||w|| <= sqrt(sum ||x||^2) and w.u >= M m"
    return stated(context, "self_certificate", value, valid, assumption, reference, holding=Holding.ONE_RUN)


def sum_of_squares(context: Context) -> Bound:
    """sqrt(sum_I ||x||^2)/g: Novikoff's proof without the step from the rows of the mistakes to the longest of all."""
    margin_square = context.run_margin_squared
    value = sqrt_up(mistakes_square(context) / margin_square) if margin_square else math.inf
    valid = context.is_counted_out and margin_square > 0
    assumption = (
        f"strictly separable {space_of(context)}{_if_counted_out(context, 'and')}: sqrt(sum over the mistakes "
        "of ||x||^2)/g, g the maximum margin"
    )
    reference = "derived: w.u >= M g and ||w||^2 <= sum ||x||^2"
    return stated(context, "sum_of_squares", value, valid, assumption, reference, holding=Holding.ONE_RUN)


def slack_of_the_mistakes(context: Context) -> Bound:
    """(L/2 + sqrt(L^2/4 + ||v|| sqrt(sum_I ||x||^2)))^2, L^2 = sum_I (1 - y v.x)_+^2 over the mistakes I of the run.

    With v = u/rho: M - L sqrt(M) <= sum_I y v.x = v.w <= ||v|| sqrt(sum_I ||x||^2). It holds for every v, but the best
    v for the mistakes of a run is v = 0, which says that M is M; so v is one that does not know the run.
    """
    soft, value = context.soft, math.inf
    squares = slack_upper_bound(context.problem, soft.w, soft.b, context.run.mistake_counts.astype(np.float64), power=2)
    if squares is not None:
        length = sqrt_up(run_norm_squared(context.scale, soft.w, soft.b) * mistakes_square(context))
        slack = Fraction(sqrt_up(squares))
        root = Fraction(sqrt_up(slack**2 / 4 + Fraction(length))) if math.isfinite(length) else None
        value = math.inf if root is None else round_up((slack / 2 + root) ** 2)
    valid = context.is_counted_out and math.isfinite(value)
    assumption = (
        f"none on the data{_if_counted_out(context, 'but that')}; D^2 = sum over this run's mistakes of "
        f"(1 - y v.x)_+^2, with the u of the soft margin at C = {soft.C:.6g}, which was fixed without them"
    )
    reference = "derived: M - L sqrt(M) <= v.w, after Mohri and Rostamizadeh 2013"
    return stated(context, "slack_of_the_mistakes", value, valid, assumption, reference, holding=Holding.ONE_RUN)


def _if_counted_out(context: Context, link: str) -> str:
    """Return the condition under which the run made all the mistakes that the bounds count, "" if it always did."""
    if context.is_as_far_as_it_went:
        return ""
    return f", {link} the run {'converged' if context.n_passes is None else 'made all its passes'}"


def mistakes_square(context: Context) -> Fraction:
    """Return the sum of ||(x, s)||^2 over the mistakes, exactly."""
    problem = context.problem
    counts = context.run.mistake_counts
    return sum(problem.map(_sum_of_squares, counts), Fraction(int(counts.sum())) * Fraction(context.scale) ** 2)


def _sum_of_squares(rows: slice, X: Any, counts: NDArray[np.int64]) -> Fraction:
    """Return the exact sum of ||x_i||^2, each multiplied by its count."""
    picked = np.flatnonzero(counts)
    if not picked.size:
        return Fraction(0)
    squares, exponent = exact_squares(X[picked])
    return int(squares.dot(counts[picked].astype(object))) * as_fraction(1, 2 * exponent)
