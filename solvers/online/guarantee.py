"""Theorems about runs, and guarantees: a theorem applied to one run, with its value and the number achieved."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from maxmargin.solvers.answers.answer_text import rounded_up
from maxmargin.solvers.basics.array_types import Floats

# Relative difference that is allowed for the rounding of the algorithm, which the theorems ignore.
ALLOWANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """A theorem about a run of an online algorithm, and whether the run agrees with it.

    Attributes
    ----------
    name : str
        The name of the guarantee.
    statement : str
        ``achieved <= value`` or ``achieved >= value``, in the words of the theorem and with its assumption. Quantities
        are in the space of the run, in the units of its rows.
    value : float or None
        The value of the theorem; None if the assumption is not proven.
    achieved : float
        The number that the run achieved.
    holds : bool or None
        Whether they agree, up to the relative error `ALLOWANCE`. None if the assumption is not proven, if the rounding
        errors of the run can be as large as its numbers, or if they disagree by no more than rounding can explain.
    reference : str
        The source of the theorem.
    note : str
        The facts on which the value rests, or why ``holds`` is None; may be empty.

    See Also
    --------
    maxmargin.online : Run an algorithm, and check its guarantees.

    Examples
    --------
    >>> import maxmargin as mm
    >>> run = mm.online([[10.0], [12.0]], [0, 1], "margin-perceptron", beta=1.0, max_epochs=None)
    >>> guarantee = run.guarantees[0]
    >>> guarantee.achieved <= guarantee.value, guarantee.holds
    (True, True)
    """

    name: str
    statement: str
    value: float | None
    achieved: float
    holds: bool | None
    reference: str
    note: str = ""

    @property
    def is_about_u(self) -> bool:
        """Whether the theorem compares the run with a u: one that separates, or any."""
        return "strictly separable" in self.statement or self.statement.endswith("for every u")

    @property
    def verdict(self) -> str:
        """The outcome on this run, in a word or two."""
        if self.value is None:
            return "not applicable"
        return {True: "held", False: "DID NOT HOLD", None: "not decided"}[self.holds]

    @property
    def lines(self) -> list[str]:
        """The statement and its outcome, as lines of text."""
        note, achieved = f" ({self.note})" if self.note else "", f"achieved {self.achieved:.6g}"
        if self.value is None:
            outcome = f"{self.verdict}, its assumption is not proven{note}; {achieved}"
        else:
            is_upper = "<=" in self.statement or "have" in self.statement
            end = rounded_up(self.value) if is_upper else -rounded_up(-self.value)  # as a proven end is rounded
            outcome = f"{self.verdict}: {achieved}, bound {end:.6g}{note}"
        return [f"    {self.name}: {self.statement}", f"      {outcome} ({self.reference})"]


class Check(NamedTuple):
    """The numbers by which a theorem is judged on one run.

    Attributes
    ----------
    achieved : float
        The number that the run achieved.
    value : float or None
        The bound; None where the assumption is not proven.
    size : float
        Size of the terms whose difference either side is: these are known up to their rounding only.
    note : str
        As in `Guarantee`.
    """

    achieved: float
    value: float | None
    size: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Theorem:
    """A statement about every run of an algorithm; made by `at_most` or `at_least`.

    Attributes
    ----------
    name, statement, reference : str
        As in `Guarantee`.
    is_upper : bool
        Whether the value is an upper bound of what a run achieves; else it is a lower bound.
    """

    name: str
    statement: str
    reference: str
    is_upper: bool

    def judge(self, check: Check) -> Guarantee:
        """Return what the theorem says of a run."""
        achieved, value, size, note = check
        holds = None
        if value is not None and not math.isnan(achieved - value):  # an overflow leaves it open
            excess = achieved - value if self.is_upper else value - achieved
            allowance = ALLOWANCE * max(abs(achieved), abs(value), size)
            holds = bool(excess < 0 or excess <= allowance < math.inf)
        return Guarantee(
            name=self.name,
            statement=self.statement,
            value=None if value is None else float(value),
            achieved=float(achieved),
            holds=holds,
            reference=self.reference,
            note=note,
        )


def at_most(name: str, statement: str, reference: str) -> Theorem:
    """Return the theorem ``achieved <= value``."""
    return Theorem(name, statement, reference, is_upper=True)


def at_least(name: str, statement: str, reference: str) -> Theorem:
    """Return the theorem ``achieved >= value``."""
    return Theorem(name, statement, reference, is_upper=False)


# At every update w.u grows by at least g, and ||w||^2 by at most R^2.
NOVIKOFF = at_most("novikoff", "updates <= R^2/g^2, strictly separable with margin g", "Novikoff 1962; Block 1962")


def margin_on_halt(share: str, source: str) -> Theorem:
    """Return the theorem that the margin of the final plane is at least a share of g after an epoch without updates."""
    statement = f"margin >= {share}, on halting on data that are strictly separable with margin g"
    return at_least("margin", statement, source)


def length_of(vector: Floats) -> float:
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
