"""A bound on the number of mistakes, and the computations that all bounds share."""

import math
import textwrap
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from enum import Enum, auto
from fractions import Fraction
from typing import Any

from maxmargin.solvers.answers.answer_text import Result, plain, rounded_up
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.printable import terminal_width
from maxmargin.solvers.exact.dyadic import round_up
from maxmargin.solvers.proof.margins import least_functional_margin, norm_squared
from maxmargin.text.number_formats import floor_of, percent, plural
from maxmargin.text.tables import aligned
from maxmargin.theory.context import Context

# Covers the rounding of a correctly rounded sum, and a scale that is the best one up to rounding.
ROUNDING_ALLOWANCE = 1 + Fraction(1, 2**50)

# Largest number of characters in a line of the text.
WIDEST = 120


class Holding(Enum):
    """The runs whose mistakes a bound limits."""

    EVERY_RUN = auto()
    AS_MANY_PASSES = auto()
    ONE_RUN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound(Result):
    """An upper bound on the number of mistakes of a run from w = 0.

    Attributes
    ----------
    name : str
        The name of the bound.
    value : float
        The bound, rounded up; infinity if the assumption fails for every finite value.
    valid : bool
        Whether the assumption is proven to hold for these data and this run; only then is the value a bound.
    vacuous : bool
        Whether the bound says nothing: it is infinite, or it uses the length of this run and is not below the number of
        its presentations. A bound such as R^2/g^2, which holds for every run in every order, is never compared with the
        length of one run.
    assumption : str
        The assumption in words, with the space in which it is stated.
    reference : str
        The source of the bound.
    holds_for : str
        The runs whose mistakes it limits: in any order until convergence, in any order for a number of epochs, or the
        mistakes of one run.

    See Also
    --------
    maxmargin.mistake_bounds : Return the bounds.

    Examples
    --------
    >>> import maxmargin as mm
    >>> bound, *_ = mm.mistake_bounds([[1.0], [2.0]], [0, 1])
    >>> bound.name, round(bound.value, 9), bound.valid
    ('novikoff', 65.0, True)
    >>> round(bound.ratio(n_mistakes=13), 9)
    0.2
    """

    name: str
    value: float
    valid: bool
    vacuous: bool
    assumption: str = field(repr=False)
    reference: str = field(repr=False)
    holds_for: str

    def to_dict(self) -> dict[str, Any]:
        """Return the bound in Python's own types; an infinite value is None."""
        return dict(plain(asdict(self)))

    def _card_fields(self) -> dict[str, Any]:
        return {
            "mistakes at most" if self.valid else "it would be": rounded_up(self.value),
            "proven to hold": self.valid,
            "says something": not self.vacuous,
            "holds for": self.holds_for,
            "source": self.reference,
        }

    @property
    def headline(self) -> str:
        """The name and the value, or that it is not proven to hold."""
        if not self.valid:
            return f"{self.name}: not proven to hold{self.value_if_it_held}"
        says_nothing = ", which says nothing" * self.vacuous
        return f"{self.name}: at most {self.value_text} mistakes ({self.holds_for}){says_nothing}"

    def summary(self, *, width: int = WIDEST) -> str:
        """Return the headline, and the assumption in lines of at most `width` characters."""
        first = self.headline if self.valid else f"{self.headline}; it needs"
        return "\n".join([first, *self.explanation(width)])

    @property
    def value_text(self) -> str:
        """The greatest count that the bound allows."""
        return floor_of(self.value)

    @property
    def value_if_it_held(self) -> str:
        """The value in brackets, to follow a name; nothing where it is infinite."""
        return f" (it would be {self.value_text})" if math.isfinite(self.value) else ""

    def explanation(self, width: int) -> list[str]:
        """Return the assumption in indented lines of at most `width` characters, with the reference if it holds."""
        text = f"{self.assumption} ({self.reference})" if self.valid else self.assumption
        indent = " " * 6
        return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False)

    def ratio(self, n_mistakes: int) -> float:
        """Return M/bound, 0 for an infinite bound."""
        return n_mistakes / self.value if self.value > 0 else math.nan


def bounds_lines(bounds: Iterable[Bound], n_mistakes: int) -> list[str]:
    """Return a table of the bounds that hold, with the share of each that was used, and lines about the others."""
    rows, silent, failing = [("bound", "mistakes <=", "used", "holds for")], list[str](), list[str]()
    for bound in bounds:
        if not bound.valid:
            failing.append(bound.name + bound.value_if_it_held)
        elif bound.vacuous:
            silent.append(f"{bound.name} ({bound.value_text})")
        else:
            used = percent(n_mistakes / max(math.floor(bound.value), 1))
            rows.append((bound.name, bound.value_text, used, bound.holds_for))
    lines = aligned(rows, to_the_left=(0, 3), width=terminal_width(), less=(2,))
    lists = {"true, but not below the number of presentations": silent, "not proven to hold here": failing}
    told = [f"{what}: {', '.join(names)}" for what, names in lists.items() if names]
    return [*(lines if rows[1:] else ["none of the bounds says anything here"]), *told]


def stated(
    context: Context,
    name: str,
    value: float,
    valid: bool,
    assumption: str,
    reference: str,
    *,
    holding: Holding = Holding.EVERY_RUN,
) -> Bound:
    """Return the bound, marked as vacuous where it says nothing.

    Parameters
    ----------
    context : Context
    name, value, assumption, reference
        As in `Bound`.
    valid : bool
        Whether the assumption is proven.
    holding : Holding
        The runs for which it holds.
    """
    vacuous = math.isinf(value) or (holding is not Holding.EVERY_RUN and value >= context.n_presentations)
    if valid and math.isinf(value):
        assumption += "; it holds, but the value is above the greatest binary64 number"
    return Bound(
        name=name, value=value, valid=valid, vacuous=vacuous, assumption=assumption, reference=reference,
        holds_for=_runs(context, holding),
    )  # fmt: skip


def _runs(context: Context, holding: Holding) -> str:
    if holding is Holding.ONE_RUN:
        return "this run so far" if context.is_as_far_as_it_went and not context.run.converged else "this run"
    if holding is Holding.EVERY_RUN or context.n_passes is None:
        return "any order, to convergence"
    return f"any order, {plural(context.n_passes, 'epoch')}"


def quotient_up(numerator: Fraction, denominator: Fraction) -> float:
    """Return the quotient rounded up, infinity where the denominator is 0."""
    return round_up(numerator / denominator) if denominator else math.inf


def run_norm_squared(scale: float, w: Floats, b: float) -> Fraction:
    """Return ||(w, b/s)||^2 for the constant coordinate s; ||w||^2 through the origin, where s = 0."""
    return norm_squared(w) + (Fraction(b) / Fraction(scale) if scale else Fraction(0)) ** 2


def norm_bound(context: Context, w: Floats, b: float) -> float:
    """Return R^2 ||(w, b/s)||^2 / m^2 with R of the space of the run and m the least y(w.x + b); infinity if m <= 0."""
    least = max(least_functional_margin(context.problem, w, b), Fraction(0))
    return quotient_up(context.run_square * run_norm_squared(context.scale, w, b), least**2)


def space_of(context: Context) -> str:
    """Return the name of the space of the run."""
    return f"in the space (x, {context.scale:.6g}) of the run" if context.scale else "through the origin"
