"""Planes with few errors: constant ones, those of a perceptron and of soft margins, and improvements of the best."""

import math
from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.fewest_errors.fewest_incumbent import Incumbent, split
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.soft_margin.soft_margin import rising_soft_margins

COSTS = (2.0**-6, 1.0, 2.0**6, 2.0**12)
"""The C of the soft margins whose planes are counted, for columns of size about 1."""

_LEAST_EXPONENT, _GREATEST_EXPONENT = -500, 500
"""Smallest and largest binary exponent of a cost in the units of the data; others make soft margins useless hints."""

_PASSES, _PRESENTATIONS = 20, 20_000
"""Largest numbers of passes and of presented rows (which a single pass may exceed): about 0.1 s."""

CONSTANT, POCKET, SOFT, ADDED = "constant", "pocket perceptron", "soft margin", "rows added one by one"


def offer_constants(best: Incumbent) -> None:
    """Offer (0, b), which has all of one class on its side; through the origin the sum of the y x, and its opposite."""
    if best.kinds.problem.bias:
        zeros = (Fraction(0),) * best.kinds.problem.n_features
        for b in (1, -1):
            best.offer((*zeros, Fraction(b)), CONSTANT)
        return
    total = best.kinds.counts @ best.scaled
    for v in (total, -total):
        best.offer_floats(v, CONSTANT)


def offer_pocket(best: Incumbent, limits: Limits) -> None:
    """Offer each hyperplane whose stretch without a mistake is the longest so far, and the last one of every pass.

    The hyperplanes are those of a perceptron in random order (Gallant 1990); `Incumbent` is the pocket, and counts
    their errors exactly. The online algorithm ``pocket`` is a run of its own, which compares errors in floating point.
    """
    rows, random = best.scaled, np.random.default_rng(0)
    w, longest, stretch = np.zeros(rows.shape[1]), 0, 0
    n_rows = len(rows)
    for _ in range(min(_PASSES, max(1, _PRESENTATIONS // n_rows))):
        if limits.is_over():
            return
        for row in rows[random.permutation(n_rows)]:
            if row @ w > 0:
                stretch += 1
                continue
            if stretch > longest:
                best.offer_floats(w, POCKET)
                longest = stretch
            w, stretch = w + row, 0
        best.offer_floats(w, POCKET)


def offer_soft_margins(best: Incumbent, limits: Limits) -> None:
    """Offer the soft margins of the distinct rows for several C.

    Raises
    ------
    KeyboardInterrupt
        Where Ctrl-C ended one of them.
    """
    problem = best.kinds.problem
    for answer in rising_soft_margins(problem, _costs(problem), time_limit=limits.share()):
        offset = [Fraction(answer.b)] if problem.bias else []
        best.offer([*map(Fraction, answer.w.tolist()), *offset], SOFT)
        if best.is_small:
            with np.errstate(over="ignore"):
                w = np.where(problem.scaling.varies, np.ldexp(answer.w, problem.scaling.exponents), 0.0)
            best.offer_floats(np.append(w, 0.0) if problem.bias else w, SOFT)
        uninterrupted(answer)
        if limits.is_over():
            return


def _costs(problem: Problem) -> list[float]:
    """Return the costs in the units of the data: w grows as these shrink, and its square with it."""
    exponent = -2 * problem.scaling.unit_exponent
    if not _LEAST_EXPONENT <= exponent <= _GREATEST_EXPONENT:
        return []
    return [math.ldexp(cost, exponent) for cost in COSTS]


def add_rows(best: Incumbent, limits: Limits) -> None:
    """Add the rows that are errors, nearest to the plane first, to those on their side, as long as some plane allows.

    In the end every error is necessary: with any one of them the rows on their side are no longer separable.
    """
    tried: set[int] = set()
    scores = best.scores()
    order = best.errors[np.argsort(-scores[best.errors], kind="stable")].tolist()
    while (row := next((row for row in order if row not in tried and row in best.errors), None)) is not None:
        if limits.is_over():
            return
        tried.add(row)
        found = split(best.cone, np.append(best.right, row), limits)
        if isinstance(found, list):
            best.offer(found, ADDED)
