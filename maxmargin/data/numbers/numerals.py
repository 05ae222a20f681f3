"""Decimal text to binary64, correctly rounded."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.numbers.binary64 import MOST_DIGITS

Texts: TypeAlias = list[str | None]
"""Texts, None where one is missing."""

MISSING = frozenset({"", "?", "na", "n/a", "#n/a", "nan", "+nan", "-nan", "null"})
"""Texts (in any case) that stand for a missing value."""

BOOLEAN = {"true": 1.0, "false": 0.0}
"""Texts (in any case) that stand for 1 and 0."""


def is_missing(text: str) -> bool:
    """Return whether `text` stands for a missing value.

    Examples
    --------
    >>> is_missing(" NA ")
    True
    """
    return text.strip().lower() in MISSING


def number(text: str) -> float | None:
    """Return the number that `text` writes, or None; a missing value is NaN, a number too large is infinite.

    Examples
    --------
    >>> number(" 1e3"), number("1_000"), number("abc")
    (1000.0, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return float("nan") if is_missing(text) else None
    is_plain = "_" not in text and (text.isascii() or text.strip().isascii())
    return value if is_plain else None


def bounded_fraction(text: str) -> Fraction | None:
    """Return the exact number that a numeral writes, or None if it has too many digits or too large an exponent.

    Examples
    --------
    >>> bounded_fraction(" 2.5e-1"), bounded_fraction("1e-9999")
    (Fraction(1, 4), None)
    """
    mantissa, _, exponent = text.strip().lower().partition("e")
    if max(len(mantissa), len(exponent)) > MOST_DIGITS or abs(int(exponent or 0)) > MOST_DIGITS:
        return None
    return Fraction(text)


def numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the numbers that `texts` write, missing values as NaN, or None when some text is not a number."""
    together = "".join(texts)
    if "_" not in together and together.isascii():
        try:
            return np.fromiter(map(float, texts), np.float64, len(texts))
        except ValueError:
            pass
    return _filled(number(text) for text in texts)


def booleans(texts: Iterable[str]) -> NDArray[np.float64] | None:
    """Return 1 and 0 for the texts "true" and "false", missing values as NaN, or None when there is another text."""
    return _filled(float("nan") if is_missing(text) else BOOLEAN.get(text.strip().lower()) for text in texts)


def cleaned(texts: Sequence[str]) -> Texts:
    """Return the texts without the spaces around them, None where missing."""
    meaning = {text: None if is_missing(text) else text.strip() for text in set(texts)}
    return [meaning[text] for text in texts]


def _filled(values: Iterable[float | None]) -> NDArray[np.float64] | None:
    found: list[float] = []
    for value in values:
        if value is None:
            return None
        found.append(value)
    return np.array(found, dtype=np.float64)
