"""A guarantee: what a theorem says of a run, the value it gives, and the value that was met."""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from maxmargin.solvers.online.online_result import OnlineRun
    from maxmargin.solvers.online.truth import Truth

ALLOWANCE = 1e-9
"""Relative, for the rounding of the algorithm itself, which the theorems know nothing of."""

_ROUNDING = 2.0**-50
"""Relative error of an update or of a term of a score, with room."""

_TINIEST = 2.0**-1074
"""What an operation loses at most where its result underflows."""

_ROUNDED_ROWS = "the rows differ so much in size that the run is on roundings of them"

_OUT_OF_TIME = "whether the rows are separable was not decided within the time limit"

_NOT_A_NUMBER = "numbers overflow"

_LOST_TO_ROUNDING = "the two sides differ by no more than the rounding of so many updates can make up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """A theorem about a run.

    Attributes
    ----------
    name : str
    statement : str
        ``achieved <= value`` or ``achieved >= value``, in the words of the theorem and with its assumption; quantities
        are those of the run's space, in the units of its rows.
    value : float or None
        The bound; None where the assumption is not proven.
    achieved : float
        What the run did.
    holds : bool or None
        Whether they agree, up to a relative `ALLOWANCE`; None where the assumption is not proven to hold, and where
        they disagree by no more than rounding can explain.
    reference : str
    note : str
        What the value rests on, or why ``holds`` is None; may be empty.
    """

    name: str
    statement: str
    value: float | None
    achieved: float
    holds: bool | None
    reference: str
    note: str = ""


def at_most(
    name: str,
    statement: str,
    achieved: float,
    value: float | None,
    reference: str,
    *,
    size: float = 0.0,
    note: str = "",
) -> Guarantee:
    """Return the guarantee ``achieved <= value``; the value is None where the assumption is not proven.

    Parameters
    ----------
    name, statement, achieved, value, reference, note
        As in `Guarantee`.
    size : float
        Of the terms whose difference either side is: they are known up to their rounding only.
    """
    return _judged(name, statement, achieved, value, reference, is_upper=True, size=size, note=note)


def at_least(name: str, statement: str, achieved: float, value: float | None, reference: str) -> Guarantee:
    """Return the guarantee ``achieved >= value``; the value is None where the assumption is not proven."""
    return _judged(name, statement, achieved, value, reference, is_upper=False)


def _judged(
    name: str,
    statement: str,
    achieved: float,
    value: float | None,
    reference: str,
    *,
    is_upper: bool,
    size: float = 0.0,
    note: str = "",
) -> Guarantee:
    holds = None
    if value is not None and not math.isnan(achieved - value):  # an overflow leaves it open
        excess = achieved - value if is_upper else value - achieved
        holds = bool(excess < 0 or excess <= _allowance(achieved, value, size) < math.inf)
    return Guarantee(
        name=name,
        statement=statement,
        value=None if value is None else float(value),
        achieved=float(achieved),
        holds=holds,
        reference=reference,
        note=note,
    )


def _allowance(achieved: float, value: float, size: float) -> float:
    return ALLOWANCE * max(abs(achieved), abs(value), size)


def settled(guarantee: Guarantee, run: "OnlineRun", truth: "Truth") -> Guarantee:
    """Return the guarantee with a note where it is open: undecided if rounding can explain that it fails.

    The theorems are about exact arithmetic. A score of D terms errs by a relative D 2^-53 of ||w|| ||x|| at most, and
    so does ||w|| after M updates by M 2^-53; where a side is a small difference of the two, as w.u >= M g is for
    g much less than R, that is magnified by R/g, and by what an update divides by.
    """
    if guarantee.value is None and not run.space.is_exact:
        return replace(guarantee, note=_ROUNDED_ROWS)
    if guarantee.value is None and not guarantee.note and truth.is_out_of_time:
        return replace(guarantee, note=_OUT_OF_TIME)
    if guarantee.value is None or guarantee.holds:
        return guarantee
    if guarantee.holds is None:
        return replace(guarantee, note=_NOT_A_NUMBER)
    n_steps = run.n_updates + run.space.n_columns
    magnified = max(run.algorithm.amplification(run), math.sqrt(truth.novikoff) if truth.is_separable else 1.0)
    relative = n_steps * _ROUNDING * magnified
    largest = max(abs(guarantee.achieved), abs(guarantee.value))
    if abs(guarantee.achieved - guarantee.value) <= relative * largest + n_steps * _TINIEST:
        return replace(guarantee, holds=None, note=_LOST_TO_ROUNDING)
    return guarantee


def length_of(vector: "NDArray[np.float64]") -> float:
    """Return the 2-norm, scaled: squares neither overflow nor vanish."""
    return math.hypot(*vector.tolist())


def where(is_proven: bool, value: float) -> float | None:
    """Return the value if the assumption is proven."""
    return value if is_proven else None


def quotient(numerator: float, denominator: float) -> float:
    """Return the quotient, infinity where the denominator is not positive or the quotient overflows."""
    try:
        return numerator / denominator if denominator > 0 else math.inf
    except OverflowError:
        return math.inf


def novikoff(run: "OnlineRun", truth: "Truth") -> Guarantee:
    """M <= R^2/g^2: at every update w.u grows by g at least and ||w||^2 by R^2 at most."""
    return at_most(
        "novikoff",
        "updates <= R^2/g^2, strictly separable with margin g",
        run.n_updates,
        where(truth.is_separable, truth.novikoff),
        "Novikoff 1962; Block 1962",
    )


def margin_on_halt(run: "OnlineRun", truth: "Truth", share: float, words: str, reference: str) -> Guarantee:
    """The margin of the final plane is at least a share of g, once a whole epoch had no update."""
    return at_least(
        "margin",
        f"margin >= {words}, on halting on data that are strictly separable with margin g",
        run.unit_margin,
        where(run.converged and truth.is_separable, share * truth.margin),
        reference,
    )
