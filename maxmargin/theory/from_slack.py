"""Bounds that need no separability: the slack of every row counts once a pass."""

import math
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.exact.dyadic import round_up, sqrt_up
from maxmargin.solvers.proof.margins import least_functional_margin
from maxmargin.solvers.proof.mistake_bounds import Loss
from maxmargin.solvers.tightest_bound.tightest_solution import TightestBound
from maxmargin.theory.bound import (
    Bound,
    Floats,
    presents_every_row_once,
    quotient_up,
    run_norm_squared,
    squared_slack,
    stated,
)
from maxmargin.theory.context import Context

_MOST_ENTRIES = 50_000_000
"""Largest number of entries of X for which the best v is searched."""


def freund_schapire(context: Context) -> Bound:
    """(R ||v|| + ||(1 - y v.x)_+||_2)^2 with v = u/g; the slack counts once a pass."""
    separating = _without_slack(context)
    value = min(_with_slack(context), separating)
    passes = _passes(context, "until convergence, so u must separate")
    return stated(
        context,
        "freund_schapire",
        value,
        math.isfinite(value),
        f"none on the data; {passes}: ((R + D)/g)^2 with the u of the soft margin at C = {context.soft.C:.6g}",
        "Freund and Schapire 1999",
        of_every_run=value == separating,
    )


def _with_slack(context: Context) -> float:
    """Return the bound for v = (w, b/s), the soft margin's hyperplane in its own scale (g = 1/||v||)."""
    soft = context.soft
    squares = squared_slack(context.problem, soft.w, soft.b)
    # In random order a pass may present a row several times, and its slack would count as often.
    if squares is None or (squares and not presents_every_row_once(context)):
        return math.inf
    distance = sqrt_up(squares * (context.n_passes or 1))
    reach = sqrt_up(context.run_square * run_norm_squared(context, soft.w, soft.b))
    if math.isinf(reach):
        return math.inf
    return round_up((Fraction(reach) + Fraction(distance)) ** 2)


def _without_slack(context: Context) -> float:
    """Return the bound for the same direction with g its least margin: R^2/g^2, where the hyperplane separates."""
    soft = context.soft
    least = least_functional_margin(context.problem, soft.w, soft.b)
    return quotient_up(context.run_square * run_norm_squared(context, soft.w, soft.b), max(least, Fraction(0)) ** 2)


def trivial(context: Context) -> Bound:
    """No run makes more mistakes than presentations."""
    value = context.n_presentations
    return stated(
        context,
        "trivial",
        value,
        math.isfinite(value),
        "none: every presentation is a mistake",
        "the number itself",
        of_every_run=False,
    )


def optima(context: Context) -> tuple[Bound, Bound]:
    """Return the least values of two bounds over all v, to which every other v can only be worse."""
    return tuple(_optimum(context, loss) for loss in (Loss.SQUARED_HINGE, Loss.HINGE))  # type: ignore[return-value]


def _optimum(context: Context, loss: Loss) -> Bound:
    name, formula, reference = _OPTIMA[loss]
    passes = _passes(context, "for a number of passes, which until convergence is not known")
    is_searched = presents_every_row_once(context) and _is_moderate(context) and not context.limits.is_over()
    value = _least(context, loss) if is_searched else math.inf
    return stated(
        context,
        name,
        value,
        math.isfinite(value),
        f"none on the data; every row once a pass, {passes}: {formula}, at the best of all v",
        reference,
        of_every_run=False,
    )


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
"""Name, formula and source."""


def _is_moderate(context: Context) -> bool:
    return context.problem.n_samples * context.problem.n_features <= _MOST_ENTRIES


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
    solve, time_limit = context.solvers.tightest_bound, context.limits.share()
    found: TightestBound = solve(space, context.n_passes, loss=loss, candidates=usable, time_limit=time_limit)
    return uninterrupted(found).upper


def _in_run_space(context: Context, w: Floats, b: float) -> Floats:
    return np.append(w, b / context.scale) if context.scale else w


def _passes(context: Context, until_convergence: str) -> str:
    n_passes = context.n_passes
    return until_convergence if n_passes is None else f"{n_passes:,} pass{'es' * (n_passes > 1)}"
