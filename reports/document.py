"""The parts of a page, whatever format it is written in."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A key number: its label, its value, and a remark."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences."""

    text: str
    kind: ClassVar[str] = "paragraph"


@dataclass(frozen=True, slots=True)
class Points:
    """A list of independent sentences."""

    items: tuple[str, ...]
    kind: ClassVar[str] = "points"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under column names.

    Attributes
    ----------
    caption : str
    columns : tuple of str
    rows : tuple of tuple of str
    numeric : collection of int
        Positions of the columns that hold numbers, set flush right.
    note : str
        What was left out.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: Collection[int] = ()
    note: str = ""
    kind: ClassVar[str] = "table"


def facts(caption: str, rows: Iterable[tuple[str, str]]) -> Table:
    """Return a table of names and values, whose columns have no names."""
    return Table(caption, ("", ""), tuple(rows))


@dataclass(frozen=True, slots=True)
class FigureSlot:
    """The position of a figure; formats without figures leave it out."""

    key: str
    kind: ClassVar[str] = "figure"


Block = Paragraph | Points | Table | FigureSlot


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and the blocks below it."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A page: the answer first, then the key numbers, then the sections.

    Attributes
    ----------
    title, subtitle : str
    headline : tuple of str
        The answer; the first sentence is the shortest form of it.
    tone : {"good", "bad", "open"}
        Whether the answer is separable, not separable, or not known; pages may colour it.
    cards : tuple of Card
    sections : tuple of Section
    """

    title: str
    subtitle: str
    headline: tuple[str, ...]
    tone: str
    cards: tuple[Card, ...]
    sections: tuple[Section, ...]
