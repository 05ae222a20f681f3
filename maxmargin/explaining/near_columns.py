"""Nearly aliased columns in words: what they depend on, and what becomes of the verdict without them."""

from collections.abc import Mapping
from fractions import Fraction

from maxmargin.explaining.terms import called, sum_of
from maxmargin.solvers.answers.answer_text import counted, rounded_up
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.exact.dyadic import round_up
from maxmargin.solvers.separability.near_aliases import GREATEST_DENOMINATOR, NearAlias
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

# Largest number of terms of a relation between columns that is spelt out.
_MOST_TERMS = 4


def relation(verdict: ProvenVerdict, alias: NearAlias) -> str:
    """Return the end of a sentence about a nearly aliased column, such as "is 0.1 age up to rounding"."""
    end = f"up to rounding{' to single precision' * alias.is_single} (relative {rounded_up(alias.difference, 1):g})"
    names = [called(verdict, column) for column in alias.weights]
    numbers = [_short_number(abs(weight)) for weight in alias.weights.values()]
    if len(numbers) > _MOST_TERMS or None in numbers:
        return f"depends linearly on {', '.join(names)} {end}"
    parts = list[str]()
    for number, name, column in zip(numbers, names, alias.weights, strict=True):
        is_constant = column == verdict.n_features
        parts.append(" ".join([str(number)] * (number != "1" or is_constant) + [name] * (not is_constant)))
    return f"is {sum_of(list(zip(alias.weights.values(), parts, strict=True)))} {end}"


def _short_number(number: Fraction) -> str | None:
    """Return a number of few digits, or with a small denominator, as text; None for any other."""
    decimal = f"{round_up(number):.6g}"
    if Fraction(decimal if decimal != "inf" else 0) == number:
        return decimal
    return str(number) if number.denominator <= GREATEST_DENOMINATOR else None


def near_lines(
    found: Mapping[str | int, str], *, verdict: Verdict, without: Verdict | None, stored: str, most: int
) -> list[str]:
    """Return the text about nearly dependent columns, by name, and about the verdict with and without them."""
    names = [f"column {name}" if isinstance(name, int) else name for name in found]
    lines = [f"  {printable(f'{name} {words}')}" for name, words in zip(names[:most], found.values(), strict=False)]
    lines += [f"  ... {len(found) - most} more nearly aliased columns (--json lists them)"] * (len(found) > most)
    them = "this column" if len(found) == 1 else f"these {counted(len(found), 'column')}"
    end = " as well" * (without is verdict) + " (proven)" * (without is not Verdict.UNDECIDED)
    return [*lines, f"    the verdict holds for the numbers {stored}; without {them}, the verdict is {without}{end}"]
