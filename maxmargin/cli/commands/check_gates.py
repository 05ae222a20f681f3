"""The gates of ``maxmargin check``: what is required of data, and whether that is proven."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maxmargin.certificates.require import holds
from maxmargin.cli.request import Request
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN

if TYPE_CHECKING:
    from maxmargin.explaining.separability_answer import Separability

_OUTCOMES = {True: "holds", False: "does not hold", None: "is neither proven nor excluded"}

# Seconds of the searches for the fewest errors without a limit: a gate is often decided long before the last one ends.
_SECONDS = (1.0, 8.0, 60.0)


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A requirement, whether it is proven to hold or not to hold (None: neither), and the proven interval."""

    name: str
    required: str | float
    holds: bool | None
    lower: float | None = None
    upper: float | None = None

    @property
    def line(self) -> str:
        """The gate as a line of text."""
        what = {"require": "", "min-margin": "margin at least ", "max-errors": "errors at most "}[self.name]
        interval = "" if self.lower is None else f" (proven interval [{self.lower!r}, {self.upper!r}])"
        return f"  required: {what}{self.required}, which {_OUTCOMES[self.holds]}{interval}"


def all_hold(gates: Sequence[Gate]) -> bool | None:
    """Return True if all gates hold, False if one does not, and None if that is not proven."""
    outcomes = {gate.holds for gate in gates}
    return next((outcome for outcome in (False, None) if outcome in outcomes), True)


def gates_of(
    request: Request, answer: "Separability", *, require: str | None, min_margin: float | None, max_errors: int | None
) -> list[Gate]:
    """Judge the requirements that are given; those about numbers are for two classes and binary64 numbers."""
    gates = []
    if require is not None:
        gates.append(Gate(name="require", required=require, holds=holds(answer, require)))
    if min_margin is not None:
        limits = request.limits.part(1 if max_errors is None else 2)
        gates.append(_margin_gate(replace(request, limits=limits), answer, min_margin))
    if max_errors is not None:
        gates.append(_errors_gate(request, answer, max_errors))
    return gates


def _margin_gate(request: Request, answer: "Separability", least: float) -> Gate:
    """Compare the squares of the proven ends with G^2, and find the exact margin if that does not decide."""
    from maxmargin.solvers.hard_margin.hard_margin import hard_margin

    for exact in (False, True):
        found = request.answered(hard_margin, exact=exact, verdict=answer)
        if found.reason == WHAT_WAS_PROVEN:
            raise KeyboardInterrupt
        is_so = _is_at_least(found, Fraction(least) ** 2)
        if is_so is not None:
            break
    return Gate(name="min-margin", required=least, holds=is_so, lower=found.lower, upper=found.upper)


def _is_at_least(found: Any, square: Fraction) -> bool | None:
    if found.status.is_inseparable:
        return False
    lower, upper = (getattr(proof, "margin_squared", None) for proof in (found.certificate, found.upper_certificate))
    if lower is not None and lower >= square:
        return True
    return False if upper is not None and upper < square else None


def _errors_gate(request: Request, answer: "Separability", most: int) -> Gate:
    from maxmargin.solvers.fewest_errors.minimum import fewest_errors

    is_so, lower, upper = None, 0, request.dataset.n_samples
    for seconds in _SECONDS:
        left = request.limits.share()
        limit = (left or seconds) if seconds == _SECONDS[-1] else min(left or seconds, seconds)
        found = fewest_errors(request.problem, verdict=answer, time_limit=limit)
        if found.reason == WHAT_WAS_PROVEN:
            raise KeyboardInterrupt
        lower = max(lower, found.lower, int(answer.strictly_separable is False))
        upper = min(upper, found.upper)
        is_so = True if upper <= most else False if lower > most else None
        if is_so is not None or found.is_optimal or request.limits.is_over():
            break
    return Gate(name="max-errors", required=most, holds=is_so, lower=lower, upper=upper)
