"""Bounds that need no separability: what rows lack to a margin is paid for, once a pass."""

import math
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.solution import uninterrupted
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
from maxmargin.theory.context import Evidence

_MOST_ENTRIES = 50_000_000
"""Of rows for which the best v is searched."""


def freund_schapire(evidence: Evidence, run_square: Fraction) -> Bound:
    """(R ||v|| + ||(1 - y v.x)_+||_2)^2 with v = u/g; the slack counts once a pass."""
    n_passes = evidence.n_passes
    separating = _without_slack(evidence, run_square)
    value = min(_with_slack(evidence, run_square), separating)
    passes = (
        "until convergence, so u must separate" if n_passes is None else f"{n_passes:,} pass{'es' * (n_passes > 1)}"
    )
    return stated(
        evidence,
        "freund_schapire",
        value,
        math.isfinite(value),
        f"none on the data; {passes}: ((R + D)/g)^2 with the u of the soft margin at C = {evidence.soft.C:.6g}",
        "Freund and Schapire 1999",
        of_every_run=value == separating,
    )


def _with_slack(evidence: Evidence, run_square: Fraction) -> float:
    """Return the bound for v = (w, b/s), the soft margin's hyperplane in its own scale (g = 1/||v||)."""
    soft = evidence.soft
    squares = squared_slack(evidence.problem, soft.w, soft.b)
    # In random order a pass may present a row several times, and its slack would count as often.
    if squares is None or (squares and not presents_every_row_once(evidence)):
        return math.inf
    distance = sqrt_up(squares * (evidence.n_passes or 1))
    spread = sqrt_up(run_square * run_norm_squared(evidence, soft.w, soft.b))
    if math.isinf(spread):
        return math.inf
    return round_up((Fraction(spread) + Fraction(distance)) ** 2)


def _without_slack(evidence: Evidence, run_square: Fraction) -> float:
    """Return the bound for the same direction with g its least margin: R^2/g^2, where the hyperplane separates."""
    soft = evidence.soft
    least = least_functional_margin(evidence.problem, soft.w, soft.b)
    return quotient_up(run_square * run_norm_squared(evidence, soft.w, soft.b), max(least, Fraction(0)) ** 2)


def trivial(evidence: Evidence) -> Bound:
    """No run makes more mistakes than presentations."""
    value = evidence.n_presentations
    return stated(
        evidence,
        "trivial",
        value,
        math.isfinite(value),
        "none: every presentation is a mistake",
        "the number itself",
        of_every_run=False,
    )


def optima(evidence: Evidence) -> tuple[Bound, Bound]:
    """Return the least values of two bounds over all v, to which every other v can only be worse."""
    return tuple(_optimum(evidence, loss) for loss in (Loss.SQUARED_HINGE, Loss.HINGE))  # type: ignore[return-value]


def _optimum(evidence: Evidence, loss: Loss) -> Bound:
    name, formula, reference = _OPTIMA[loss]
    is_searched = presents_every_row_once(evidence) and _is_moderate(evidence) and not evidence.limits.is_over()
    value = _least(evidence, loss) if is_searched else math.inf
    return stated(
        evidence,
        name,
        value,
        math.isfinite(value),
        f"none on the data; every row once a pass, {_passes(evidence.n_passes)}: {formula}, at the best of all v",
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


def _is_moderate(evidence: Evidence) -> bool:
    return evidence.problem.n_samples * evidence.problem.n_features <= _MOST_ENTRIES


def _least(evidence: Evidence, loss: Loss) -> float:
    """Return the bound at the best v found; never above that of the hyperplanes at hand."""
    space = evidence.space
    candidates = [_in_run_space(evidence, evidence.soft.w, evidence.soft.b)]
    if evidence.run_hard.w is not None:
        candidates.append(evidence.run_hard.w)
    if evidence.hard.w is not None and evidence.hard.b is not None:
        candidates.append(_in_run_space(evidence, evidence.hard.w, evidence.hard.b))
    assert evidence.n_passes is not None
    usable = [v for v in candidates if len(v) == space.n_features and np.isfinite(v).all()]
    solve, time_limit = evidence.solvers.tightest_bound, evidence.limits.share()
    found: TightestBound = solve(space, evidence.n_passes, loss=loss, candidates=usable, time_limit=time_limit)
    return uninterrupted(found).upper


def _in_run_space(evidence: Evidence, w: Floats, b: float) -> Floats:
    return np.append(w, b / evidence.scale) if evidence.scale else w


def _passes(n_passes: int | None) -> str:
    if n_passes is None:
        return "for a number of passes, which until convergence is not known"
    return f"{n_passes:,} pass{'es' * (n_passes > 1)}"
