"""How a source writes its numbers: with decimal points or commas, as text in fields or as stored values."""

from dataclasses import dataclass
from typing import NamedTuple

from maxmargin.data.numbers.hints import DROP_MISSING_HINT, STORE_NUMBERS, TEXT_HINT
from maxmargin.data.numbers.lookalikes import IN_COMMAS, look_of
from maxmargin.data.numbers.numerals import is_missing, number
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import quote

_SWAP = str.maketrans(",.", ".,")


class Complaint(NamedTuple):
    """What is wrong with a text."""

    found: str
    expected: str
    hint: str


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
        return text.translate(_SWAP) if self.decimal_comma else text

    def is_number(self, text: str) -> bool:
        """Return whether a text is a number, or stands for a missing one."""
        return number(self.swapped(text)) is not None

    def label(self, text: str) -> str:
        """Return a label, with a decimal point if it is a number."""
        return self.swapped(text) if self.is_number(text) else text

    def looks_numeric(self, text: str) -> bool:
        """Return whether a text is a number, or looks like one."""
        return self.is_number(text) or look_of(self.swapped(text)) is not None

    def hint(self, text: str) -> str:
        """Return what to do about a text among the features."""
        look = look_of(self.swapped(text))
        if look is None:
            return TEXT_HINT
        if self.decimal_comma:
            look = IN_COMMAS.get(look, look)
        advice = look.advice if self.is_delimited else STORE_NUMBERS
        if look.may_be_category:
            advice += f", or name the column with {option('one_hot_column')} if these are categories"
        return f"it looks like {look.name}: {advice}"

    def complaint(self, text: str) -> Complaint:
        """Say what was found, what was expected and what to do about a text that is not a finite number."""
        text = text.strip()
        if is_missing(text):
            found = f"the missing value {quote(text)}" if text else "an empty field"
            return Complaint(found, "a number", DROP_MISSING_HINT)
        if not self.is_number(text):
            return Complaint(quote(text), "a number", self.hint(text))
        overflows = "inf" not in text.lower()
        return Complaint(quote(text), "a finite number", "too large for binary64" if overflows else "")


POINTS = Spelling()
"""Of text with decimal points."""

STORED = Spelling(is_delimited=False)
"""Of sources that store values, not text: what looks like a number in their texts was stored wrongly."""
