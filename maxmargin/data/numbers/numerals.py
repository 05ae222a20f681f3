"""Numbers as text: parsed, correctly rounded; and texts that a person reads as a number and a parser does not."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import NamedTuple, TypeAlias

import numpy as np

from maxmargin.data.numbers.binary64 import EXACT_INTEGERS, MOST_DIGITS
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import quoted

# Texts, None where one is missing.
Texts: TypeAlias = list[str | None]

# Texts (in any case) that stand for a missing value.
MISSING = frozenset({"", "?", ".", "na", "n/a", "#n/a", "nan", "+nan", "-nan", "null"})

_DIGITS = re.compile(r"[+-]?[0-9]{16,308}")

# Texts (in any case) that stand for 1 and 0.
BOOLEAN = {"true": 1.0, "false": 0.0}


DROP_MISSING_HINT = f"leave out rows with missing values with {option('drop_missing')}"
TEXT_HINT = (
    f"drop it with {option('drop')} or encode it with {option('one_hot')}; name it with {option('label')} if it holds "
    f"the labels, with {option('id')} if it names the rows"
)

# Advice for a source that can store numbers but stores them as texts.
STORE_NUMBERS = "store plain numbers"


def is_missing(text: str) -> bool:
    """Return whether `text` stands for a missing value.

    Examples
    --------
    >>> is_missing(" NA ")
    True
    """
    return text.strip().lower() in MISSING


def parse_number(text: str) -> float | None:
    """Return the number that `text` states, or None; a missing value is NaN, a number too large is infinite.

    Examples
    --------
    >>> parse_number(" 1e3"), parse_number("1_000"), parse_number("abc")
    (1000.0, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return float("nan") if is_missing(text) else None
    is_plain = "_" not in text and (text.isascii() or text.strip().isascii())
    return value if is_plain else None


def digits_are_changed(text: str, value: float) -> bool:
    """Return whether a text writes a whole number in digits, and binary64 rounds it to this other one.

    Examples
    --------
    >>> digits_are_changed("9007199254740993", float("9007199254740993"))
    True
    """
    return abs(value) >= EXACT_INTEGERS and _DIGITS.fullmatch(text.strip()) is not None and int(text) != int(value)


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


def numbers_or_booleans(texts: Sequence[str]) -> tuple[Floats | None, bool]:
    """Return the numbers that `texts` write, or 1 and 0 for "true" and "false", and whether it is these; or None.

    Missing values are NaN.
    """
    together = "".join(texts)
    if "_" not in together and together.isascii():
        with suppress(ValueError):
            return np.fromiter(map(float, texts), np.float64, len(texts)), False
    found = _filled(map(parse_number, texts))
    if found is None:
        found = _filled(float("nan") if is_missing(text) else BOOLEAN.get(text.strip().lower()) for text in texts)
        return found, found is not None
    return found, False


def cleaned(texts: Sequence[str]) -> Texts:
    """Return the texts without the spaces around them, None where missing."""
    meaning = {text: None if is_missing(text) else text.strip() for text in set(texts)}
    return [meaning[text] for text in texts]


def _filled(values: Iterable[float | None]) -> Floats | None:
    try:
        return np.fromiter(map(float, values), np.float64)  # type: ignore[arg-type]
    except TypeError:  # None is among them
        return None


# What texts look like: decimal commas, amounts of money and thousands, dates and times, or anything else with digits


class NumberLook(NamedTuple):
    """The kind of number that a text looks like, and advice; it may be the name of a category all the same."""

    name: str
    advice: str
    may_be_category: bool = False


_COMMA = NumberLook(
    "a number with a decimal comma or a thousands separator",
    f"read decimal commas with {option('decimal_comma')}, and with {option('sep')} if the fields are not separated by "
    "semicolons or tabs; take thousands separators out of the file",
)
# The look of the same texts where commas are decimal.
_POINT = NumberLook(
    "a number with a decimal point or a thousands separator",
    f"leave {option('decimal_comma')} out, or write it with a comma and no thousands separator",
)

_AMOUNT = NumberLook(
    "an amount of money, or a number with thousands separators", "take currency signs and separators out of the file"
)
_DATE = NumberLook("a date or time", "convert it to a number, such as days since a day that you choose", True)
_OTHER = NumberLook("a number in another spelling, or with something else beside it", "write plain numbers", True)

# Patterns of numbers that are not plain decimals, and their looks; the first one that fits counts.
_WRITTEN: tuple[tuple[str, NumberLook], ...] = (
    (r"[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d+)?", _COMMA),
    (r"[+-]?\d{1,3}(?:([,.'\u2019 \u00a0\u2009\u202f])\d{2,3}(?=\1))*[,.'\u2019 \u00a0\u2009\u202f]\d{3}(?:[,.]\d*)?",
     _AMOUNT),
    (r"[+-]?(?:0[xX][\da-fA-F]+(?:\.[\da-fA-F]*)?(?:[pP][+-]?\d+)?|0[bB][01]+|0[oO][0-7]+)", _OTHER),
    (r"[+-]?(?:\d+(?:_\d+)+(?:\.\d*)?|\d*\.\d*[dD][+-]?\d+)", _OTHER),
)  # fmt: skip

# Characters that may come before the first digit of a number, besides signs of currencies.
_BEFORE = re.compile("[-+\u2212\u00b1<>=~\u2264\u2265\u2248(.,\\s'\"`\u00b4\u2018\u2019\u201c\u201d\u00ab\u00bb]*")

_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b", re.IGNORECASE)

_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d*)?)?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_DAY = r"(?:\d{4}([-./,])\d{1,2}\1\d{1,2}|\d{1,2}([-./,])\d{1,2}\2\d{4}|\d{1,2}([-./])\d{1,2}\3\d{2})"
_DAY_OR_TIME = re.compile(rf"{_DAY}\.?(?:[T ,]\s*{_TIME})?|{_TIME}")


def look_of(text: str) -> NumberLook | None:
    """Return the look of a text that is not a number but looks like one, read with decimal points; otherwise None.

    A text looks like a number if a digit is the first of its characters, after a sign, a quote or the like, and it is
    no ordinal number.

    Examples
    --------
    >>> [look_of(text).name for text in ("1,5", "2020-01-31")]
    ['a number with a decimal comma or a thousands separator', 'a date or time']
    >>> look_of("10kg").name
    'a number in another spelling, or with something else beside it'
    >>> look_of("red"), look_of("a1"), look_of("1st class")
    (None, None, None)
    """
    text = text.strip()
    bare = "".join(char for char in text if unicodedata.category(char) != "Sc").strip()
    if bare != text and not is_missing(bare) and (parse_number(bare) is not None or _written(bare)):
        return _AMOUNT
    begins = _BEFORE.sub("", bare, count=1)
    if not begins or unicodedata.category(begins[0]) not in ("Nd", "No") or _ORDINAL.match(begins):
        return None
    separator = next((char for char in ";|\t" if char in text), None)
    if separator is not None:
        return NumberLook(
            f"fields separated by {separator!r}", f"read the file with {option('sep', repr(separator))}", True
        )
    return _written(text) or (_DATE if _DAY_OR_TIME.fullmatch(text) else _OTHER)


def is_written_otherwise(text: str) -> bool:
    """Return whether a text is nothing but a number, and not in digits with a decimal point.

    Examples
    --------
    >>> is_written_otherwise("1,234.5"), is_written_otherwise("1.5"), is_written_otherwise("25%")
    (True, False, False)
    """
    return _written(text.strip()) is not None


def _written(text: str) -> NumberLook | None:
    return next((look for pattern, look in _WRITTEN if re.fullmatch(pattern, text, re.ASCII)), None)


# How a source writes its numbers: with decimal points or commas, as text in fields or as stored values

_SWAP = str.maketrans(",.", ".,")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How numbers are written.

    Attributes
    ----------
    decimal_comma : bool
        One and a half is 1,5; then 1.5 is no number, as it might be fifteen hundred.
    is_delimited : bool
        Whether the source is text in columns, for which there are options to read it otherwise.
    """

    decimal_comma: bool = False
    is_delimited: bool = True

    def swapped(self, text: str) -> str:
        """Return a text with points for its decimal commas and commas for its points; its own inverse.

        Examples
        --------
        >>> Spelling(decimal_comma=True).swapped("1,5"), Spelling().swapped("1,5")
        ('1.5', '1,5')
        """
        return text.translate(_SWAP) if self.decimal_comma and not is_missing(text) else text

    def is_number(self, text: str) -> bool:
        """Return whether a text is a number, or stands for a missing one."""
        return parse_number(self.swapped(text)) is not None

    def is_finite_number(self, text: str) -> bool:
        """Return whether a text is a finite number."""
        return (value := parse_number(self.swapped(text))) is not None and isfinite(value)

    def label(self, text: str) -> str:
        """Return a label, with a decimal point if it is a number."""
        return self.swapped(text) if self.is_number(text) else text

    def looks_numeric(self, text: str) -> bool:
        """Return whether a text is a number, or looks like one."""
        return self.is_number(text) or look_of(self.swapped(text)) is not None

    def is_amount_or_date(self, text: str) -> bool:
        """Return whether a text looks like a number with a decimal comma, an amount, or a date or time."""
        return look_of(self.swapped(text)) in (_COMMA, _AMOUNT, _DATE)

    def is_fraction(self, text: str) -> bool:
        """Return whether a text is a number that is not whole."""
        return self.is_finite_number(text) and not (parse_number(self.swapped(text)) or 0.0).is_integer()

    def hint(self, text: str, *, names_options: bool = True) -> str:
        """Return advice about a text among the features."""
        look = look_of(self.swapped(text))
        if look is None:
            return TEXT_HINT
        look = _POINT if self.decimal_comma and look is _COMMA else look
        advice = look.advice if self.is_delimited else STORE_NUMBERS
        if look.may_be_category and names_options:
            advice += f", or name the column with {option('one_hot_column')} if these are categories"
        return f"it looks like {look.name}: {advice}"

    def complaint(self, text: str) -> tuple[str, str, str]:
        """Return what was found, what was expected, and advice, about a text that is not a finite number."""
        text = text.strip()
        if is_missing(text):
            found = f"the missing value {quoted(text)}" if text else "an empty field"
            return found, "a number", DROP_MISSING_HINT
        if not self.is_number(text):
            return quoted(text), "a number", self.hint(text)
        return quoted(text), "a finite number", "" if "inf" in text.lower() else "too large for binary64"


# The spelling of text with decimal points.
POINTS = Spelling()

# The spelling of sources that store values, not text: a text that looks like a number was stored wrongly.
STORED = Spelling(is_delimited=False)
