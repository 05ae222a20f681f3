"""Where the labels of marks on a line stand, so that no two meet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Height of the letters of labels.
SIZE = 12.0

# Least distance between two labels, and between a label and the line to another one.
_GAP = 9.0

# Ratio of the widths of bold and of other letters.
_BOLD = 1.12

# Widths of characters as fractions of the size, in the widest of the usual fonts.
_NARROW, _WIDE, _LETTER, _CAPITAL, _OTHER = 0.4, 0.98, 0.64, 0.74, 1.0


@dataclass(frozen=True, slots=True)
class Label:
    """A text that belongs to a position on the line.

    Attributes
    ----------
    at : float
    text : str
    role : str
        The class of the text in the style sheet.
    is_bold : bool
    """

    at: float
    text: str
    role: str = ""
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A label with its place.

    Attributes
    ----------
    label : Label
    start, end : float
        Its ends along the line.
    lane : int
        How far it is from the line: 0 is the nearest lane.
    """

    label: Label
    start: float
    end: float
    lane: int


def text_width(text: str) -> float:
    """Return the width of a text, or a little more.

    Examples
    --------
    >>> text_width("ii") < text_width("mm") < text_width("漢漢漢")
    True
    """
    return SIZE * sum(map(_width, text))


def _width(character: str) -> float:
    if character in " .,:;'|!ijlft()[]-·":
        return _NARROW
    if character in "mwMW@%—…−±×≤≥":
        return _WIDE
    if not character.isascii() and character.isalpha() and character not in "γαξ":
        return _OTHER
    return _CAPITAL if character.isupper() else _LETTER


def place(labels: Sequence[Label], low: float, high: float) -> list[Placed]:
    """Return the labels with their places between two ends; those that come first are nearest to their marks."""
    placed: list[Placed] = []
    marks = [label.at for label in labels]
    for label in labels:
        placed.append(_first_free(label, low, high, placed, marks))
    return placed


def n_lanes(placed: Iterable[Placed]) -> int:
    """Return the number of lanes that the labels occupy."""
    return max((entry.lane + 1 for entry in placed), default=0)


def _first_free(label: Label, low: float, high: float, placed: list[Placed], marks: list[float]) -> Placed:
    """Return the nearest free place of a label, with the fewest other marks below it among equally near places."""
    width = text_width(label.text) * (_BOLD if label.is_bold else 1.0)
    starts = [label.at - width / 2, label.at - 3, label.at + 3 - width]
    inside = list(dict.fromkeys(max(low, min(start, high - width)) for start in starts))
    inside.sort(key=lambda start: sum(start - _GAP < mark < start + width + _GAP for mark in marks))
    for lane in range(len(placed) + 1):
        for start in inside:
            candidate = Placed(label, start, start + width, lane)
            if not any(_meet(candidate, other) for other in placed):
                return candidate
    lane = 1 + max(other.lane for other in placed)
    return Placed(label, inside[0], inside[0] + width, lane)


def _meet(one: Placed, other: Placed) -> bool:
    """Return whether two labels overlap, or the line from one to its mark crosses the other."""
    if one.lane == other.lane:
        return one.start < other.end + _GAP and other.start < one.end + _GAP
    near, far = sorted((one, other), key=lambda entry: entry.lane)
    return near.start - _GAP / 2 < far.label.at < near.end + _GAP / 2
