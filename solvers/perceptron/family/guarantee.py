"""A guarantee: what a theorem says of a run, the value it gives, and the value that was met."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.family.result import OnlineRun
    from maxmargin.solvers.perceptron.family.truth import Truth

ALLOWANCE = 1e-9
"""Relative, for the rounding of the algorithm itself, which the theorems know nothing of."""


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
        Whether they agree, up to a relative `ALLOWANCE`; None where the assumption is not proven to hold.
    reference : str
    """

    name: str
    statement: str
    value: float | None
    achieved: float
    holds: bool | None
    reference: str


def at_most(name: str, statement: str, achieved: float, value: float | None, reference: str) -> Guarantee:
    """Return the guarantee ``achieved <= value``; the value is None where the assumption is not proven."""
    return _judged(name, statement, achieved, value, reference, is_upper=True)


def at_least(name: str, statement: str, achieved: float, value: float | None, reference: str) -> Guarantee:
    """Return the guarantee ``achieved >= value``; the value is None where the assumption is not proven."""
    return _judged(name, statement, achieved, value, reference, is_upper=False)


def _judged(
    name: str, statement: str, achieved: float, value: float | None, reference: str, *, is_upper: bool
) -> Guarantee:
    holds = None
    if value is not None and not math.isnan(achieved - value):  # an overflow leaves it open
        excess = achieved - value if is_upper else value - achieved
        holds = bool(excess < 0 or excess <= _allowance(achieved, value) < math.inf)
    return Guarantee(
        name=name,
        statement=statement,
        value=None if value is None else float(value),
        achieved=float(achieved),
        holds=holds,
        reference=reference,
    )


def _allowance(achieved: float, value: float) -> float:
    return ALLOWANCE * max(abs(achieved), abs(value))


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
