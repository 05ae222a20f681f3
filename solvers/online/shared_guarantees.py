"""Guarantees that several algorithms share, and the judgement of one that rounding may have broken."""

import math
from dataclasses import replace

from maxmargin.solvers.online.algorithm import OnlineRun
from maxmargin.solvers.online.guarantee import Check, Guarantee, Theorem, at_least, at_most, where
from maxmargin.solvers.online.reference import Reference

_ROUNDING = 2.0**-50
"""Relative error of an update or of a term of a score, with room."""

_TINIEST = 2.0**-1074
"""Largest loss of an operation whose result underflows."""

_ROUNDED_ROWS = "the rows differ so much in size that the run is on roundings of them"

_OUT_OF_TIME = "whether the rows are separable was not decided within the time limit"

_NOT_A_NUMBER = "numbers overflow"

_LOST_TO_ROUNDING = "the two sides differ by no more than the rounding of so many updates can make up"


def settled(guarantee: Guarantee, run: OnlineRun, reference: Reference) -> Guarantee:
    """Return the guarantee with a note where it is open: undecided if rounding can explain that it fails.

    The theorems are about exact arithmetic. A score of D terms errs by a relative D 2^-53 of ||w|| ||x|| at most, and
    so does ||w|| after M updates by M 2^-53; where a side is a small difference of the two, as w.u >= M g is for
    g much less than R, that is magnified by R/g, and by what an update divides by.
    """
    if guarantee.value is None and not run.space.is_exact:
        return replace(guarantee, note=_ROUNDED_ROWS)
    if guarantee.value is None and not guarantee.note and reference.is_out_of_time:
        return replace(guarantee, note=_OUT_OF_TIME)
    if guarantee.value is None or guarantee.holds:
        return guarantee
    if guarantee.holds is None:
        return replace(guarantee, note=_NOT_A_NUMBER)
    n_steps = run.n_updates + run.space.n_columns
    magnified = max(run.algorithm.amplification(run), math.sqrt(reference.novikoff) if reference.is_separable else 1.0)
    relative = n_steps * _ROUNDING * magnified
    largest = max(abs(guarantee.achieved), abs(guarantee.value))
    if abs(guarantee.achieved - guarantee.value) <= relative * largest + n_steps * _TINIEST:
        return replace(guarantee, holds=None, note=_LOST_TO_ROUNDING)
    return guarantee


NOVIKOFF = at_most("novikoff", "updates <= R^2/g^2, strictly separable with margin g", "Novikoff 1962; Block 1962")
"""At every update w.u grows by at least g, and ||w||^2 by at most R^2."""


def check_novikoff(run: OnlineRun, reference: Reference) -> Check:
    """Return the check of updates <= R^2/g^2."""
    return Check(run.n_updates, where(reference.is_separable, reference.novikoff))


def margin_on_halt(share: str, source: str) -> Theorem:
    """Return the theorem that the margin of the final plane is at least a share of g after an epoch without updates."""
    return at_least(
        "margin", f"margin >= {share}, on halting on data that are strictly separable with margin g", source
    )


def check_halt(run: OnlineRun, reference: Reference, share: float) -> Check:
    """Return the check of `margin_on_halt`."""
    return Check(run.unit_margin, where(run.converged and reference.is_separable, share * reference.margin))
