"""Numbers and names as people read them; the same in every kind of page."""

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from maxmargin.solvers.answers.answer_text import rounded_up
from maxmargin.solvers.answers.cards import joined_ends
from maxmargin.solvers.basics.printable import printable

# Shown where there is no number.
UNKNOWN = "\N{EM DASH}"

# A number with a power of ten, as Python writes it.
_POWER = re.compile(r"\b\d+(?:\.\d+)?e[-+]?\d+\b")

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIGNS = {"||": "‖", "^2": "²", "sqrt(": "√(", "<=": "≤", ">=": "≥", "gamma": "γ*", "w.u": "w·u"}

# Outside of these moduli numbers are written with a power of ten.
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-4, 1e6


# Bounds on counts from which on their digits do not matter.
_LARGEST_COUNT = 1e12

# Share of an optimum beyond which the digits are those of rounding.
_NEARLY_ALL = 0.999999


def count(value: int | None) -> str:
    """Return a whole number with thousands separators.

    Examples
    --------
    >>> count(1000000)
    '1,000,000'
    """
    return UNKNOWN if value is None else f"{value:,}"


def rounded(value: float | None, digits: int = 6) -> str:
    """Return a number rounded to this number of significant digits.

    Examples
    --------
    >>> rounded(1.4459289769e16), rounded(1701.0), rounded(None)
    ('1.44593×10¹⁶', '1,701', '—')
    """
    if value is None or math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        return _signed(_trimmed(f"{value:,.{decimals}f}"))
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return _signed(_times_power(_trimmed(mantissa), int(exponent)))


def upper_end(value: float | None, digits: int = 6) -> str:
    """Return an upper bound rounded up to this number of significant digits, the same wherever it is shown.

    Examples
    --------
    >>> upper_end(8.9722213), rounded(8.9722213)
    ('8.97223', '8.97222')
    """
    return rounded(value if value is None else rounded_up(value, digits), digits)


def floor_of(value: float | None, digits: int = 4) -> str:
    """Return an upper bound on a count as a count, the greatest that it allows; a very large one rounded up.

    Examples
    --------
    >>> floor_of(221.784), floor_of(1.44593e16)
    ('221', '1.446×10¹⁶')
    """
    if value is None or value >= _LARGEST_COUNT:
        return upper_end(value, digits)
    return count(math.floor(value))


def shown_interval(lower: int, upper: int) -> str:
    """Return the two ends of a proven interval of a count, once if they are equal.

    Examples
    --------
    >>> shown_interval(7, 7), shown_interval(1005, 1007)
    ('7', '1,005 to 1,007')
    """
    return count(upper) if lower == upper else f"{count(lower)} to {count(upper)}"


def field_text(
    mapping: Mapping[str, Any], key: str, digits: int = 6, *, say: Callable[[float | None, int], str] = rounded
) -> str:
    """Return ``mapping[key]`` as a number, or as ∞ or −∞ where its text says so."""
    text = mapping.get(f"{key}_text")
    return {"infinity": "∞", "-infinity": "−∞"}.get(text or "", UNKNOWN) if text else say(mapping[key], digits)


def power_of_ten(exponent: int) -> str:
    """Return 10 to the power.

    Examples
    --------
    >>> power_of_ten(-3)
    '10⁻³'
    """
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def percent(share: float) -> str:
    """Return a share as a percentage; only 1 itself, or above, is written as 100 %.

    Examples
    --------
    >>> percent(0.0241258), percent(0.99999)
    ('2.41 %', '99.999 %')
    """
    for digits in range(3, 16):
        text = rounded(100 * share, digits)
        if text != "100" or share >= 1:
            return f"{text} %"
    return "100 %"


def share_of_the_best(share: float) -> str:
    """Return a share of an optimum as a percentage, without the digits near 100 % that depend on the machine.

    Examples
    --------
    >>> share_of_the_best(0.5), share_of_the_best(1 - 1e-12)
    ('50 %', '≥ 99.9999 %')
    """
    return f"≥ {percent(_NEARLY_ALL)}" if share > _NEARLY_ALL else percent(share)


def proven(lower: float, upper: float, most: int = 17) -> str:
    """Return the digits that the two ends have in common, no more than `most`.

    Where the ends differ the common leading digits are followed by an ellipsis; where a carry lies between them
    (9.9999, 10.0001) it is the number that both round to.

    Examples
    --------
    >>> proven(0.8175557692888209, 0.817555769288821)
    '0.81755576928882…'
    >>> proven(9.999999999, 10.0000001), proven(2.5, 2.5)
    ('10', '2.5')
    """
    if lower == upper:
        return exact(lower) if most >= 17 else rounded(lower, most)
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return f"in {interval(lower, upper)}"
    cut, (short, n_short) = _common_digits(lower, upper, most), _common_rounding(lower, upper, most)
    if n_short > sum(c.isdigit() for c in cut.partition("×")[0].lstrip("0.")) + 1:
        return short
    return cut or f"in {interval(lower, upper)}"


def exact(value: float) -> str:
    """Return the shortest decimal that reads back as this number, with a power of ten where it is very large or small.

    Examples
    --------
    >>> exact(4.137136842541731e-05)
    '4.137136842541731×10⁻⁵'
    """
    if value == 0 or not math.isfinite(value):
        return rounded(value)
    digits = "".join(map(str, Decimal(repr(value)).as_tuple().digits)).rstrip("0")
    return rounded(value, max(1, len(digits)))


def interval(lower: float | None, upper: float | None) -> str:
    """Return the two ends as binary64 numbers that read back as they are, their common leading digits once.

    Examples
    --------
    >>> interval(4.13713684254173e-05, 4.13713684254531e-05)
    '4.13713684254[173, 531]×10⁻⁵'
    >>> interval(2.5, 2.5), interval(0.0, 1.5)
    ('2.5', '[0, 1.5]')
    """
    if lower is None or upper is None or math.isinf(upper):
        return f"[{_end(lower)}, {_end(upper)}]"
    if lower == upper:
        return exact(lower)
    return joined_ends(exact(lower), exact(upper), "×")


def typeset(text: str) -> str:
    """Return a formula in plain text with the signs of mathematics.

    Examples
    --------
    >>> typeset("sqrt(sum over ||x||^2) <= (R + |b|)^2/gamma^2"), typeset("C = 1e-05")
    ('√(sum over ‖x‖²) ≤ (R + |b|)²/γ*²', 'C = 10⁻⁵')
    """
    for plain, sign in _SIGNS.items():
        text = text.replace(plain, sign)
    return _POWER.sub(lambda match: rounded(float(match[0])), text)


def one_line(text: object, longest: int = 60) -> str:
    """Return a name from the data on one line, cut in the middle where it is very long."""
    line = " ".join(printable(text).split())
    if len(line) <= longest:
        return line
    half = (longest - 1) // 2
    return f"{line[:half]}…{line[-half:]}"


def plural(n: int, noun: str, nouns: str | None = None) -> str:
    """Return a counted noun.

    Examples
    --------
    >>> plural(1, "mistake"), plural(1701, "mistake")
    ('1 mistake', '1,701 mistakes')
    """
    return f"{count(n)} {noun if n == 1 else nouns or noun + 's'}"


def side(sign: int) -> str:
    """Return the sign of a class.

    Examples
    --------
    >>> side(1), side(-1)
    ('+1', '−1')
    """
    return "+1" if sign > 0 else "−1"


def first_of(most: int, total: int, noun: str = "") -> str:
    """Return the note of a list that is cut to its first entries, "" where it is not cut.

    Examples
    --------
    >>> first_of(60, 1701, "rows"), first_of(60, 60)
    ('The first 60 of 1,701 rows.', '')
    """
    return f"The first {most} of {count(total)}{noun and f' {noun}'}." if total > most else ""


def listed(names: list[str]) -> str:
    """Return names as a list in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _end(value: float | None) -> str:
    return "∞" if value is None or math.isinf(value) else exact(value)


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _signed(text: str) -> str:
    return text.replace("-", "−", 1) if text.startswith("-") else text


def _times_power(mantissa: str, exponent: int) -> str:
    sign = mantissa.removesuffix("1")
    return f"{sign if sign in ('', '-') else f'{mantissa}×'}{power_of_ten(exponent)}"


def _common_digits(lower: float, upper: float, most: int) -> str:
    """Return the leading digits of both, with an ellipsis; "" where the first ones differ."""
    low, high = f"{Decimal(lower):.20e}", f"{Decimal(upper):.20e}"
    (low_digits, exponent), high_parts = low.split("e"), high.split("e")
    if exponent != high_parts[1] or low_digits[0] != high_parts[0][0]:
        return ""
    same = next((i for i, (a, b) in enumerate(zip(low_digits, high_parts[0], strict=True)) if a != b), 22)
    same = min(same, most + 1)
    mantissa, power = low_digits[:same].rstrip("."), int(exponent)
    if _SMALLEST_PLAIN <= lower < _LARGEST_PLAIN:
        # Decimal shifts the point without touching the digits.
        return f"{Decimal(mantissa).scaleb(power):f}…" if power <= len(mantissa) - 2 else ""
    return f"{mantissa}…×{power_of_ten(power)}"


def _common_rounding(lower: float, upper: float, most: int) -> tuple[str, int]:
    """Return the number to which both round, to as many digits as possible, and how many these are."""
    for digits in range(most, 0, -1):
        text = rounded(lower, digits)
        if text == rounded(upper, digits):
            return text, digits
    return "", 0
