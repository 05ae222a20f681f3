"""The parts of a page, and its forms: HTML in one file, Markdown, LaTeX and plain text."""

import json
import os
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from maxmargin.solvers.answers.cards import card as small_card
from maxmargin.solvers.basics.printable import printable, wrapped
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text import escaping
from maxmargin.text.number_formats import one_line, plural
from maxmargin.text.outputs import write_text
from maxmargin.text.tables import aligned, csv_lines, latex_lines, markdown_lines

# Suffixes of the files of a report.
PAGE_SUFFIXES = (".html", ".md", ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A key number: its label, its value, and a remark."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Emphasis:
    """A piece of a sentence that stands out.

    Attributes
    ----------
    text : str
    role : {"truth", "perceptron", "bound", ""}
        The subject of the piece, which a page may show by a colour.
    """

    text: str
    role: str = ""


# Sentences, some pieces of which may stand out.
Text = str | tuple[str | Emphasis, ...]


def plain_text(text: Text) -> str:
    """Return a text without its marks."""
    if isinstance(text, str):
        return text
    return "".join(piece if isinstance(piece, str) else piece.text for piece in text)


def marked_names(
    names: Sequence[tuple[str, str]], most: int, *, others: str, role: str = ""
) -> tuple[str | Emphasis, ...]:
    """Return the first names in a sentence, each with what follows it, and the number of others by this noun."""
    shown_names = [
        piece for name, after in names[:most] for piece in (", ", Emphasis(one_line(name), role), after) if piece
    ]
    more = len(names) - most
    return (*shown_names[1:], *([f" and {plural(more, others)}"] if more > 0 else []))


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences."""

    text: Text
    kind: ClassVar[str] = "paragraph"


@dataclass(frozen=True, slots=True)
class Points:
    """A list of independent sentences."""

    items: tuple[str, ...]
    kind: ClassVar[str] = "points"


@dataclass(frozen=True, slots=True)
class TableBlock:
    """Rows of texts under column names.

    Attributes
    ----------
    caption : str
    columns : tuple of str
    rows : tuple of tuple of str
    numeric : collection of int
        Positions of the columns that hold numbers, set flush right.
    note : str
        A remark below the table, such as on rows that were left out.
    shares : mapping of (int, int) to float
        For some cells, by row and column, the share of its width that a bar fills.
    explained : tuple of Explanation
        The explanation that the first cell of each row opens; empty for none.
    orders : tuple of tuple of (float or None)
        For every row the numbers of the columns after the first, None for texts, by which a reader of a page may sort
        the columns; empty if they cannot be sorted.
    key : str
        The name by which a page offers the table for copying; empty for none.
    whole : tuple of tuple of object
        All rows, with their numbers, where `rows` are some of them and a page offers all as a file.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: Collection[int] = ()
    note: str = ""
    shares: Mapping[tuple[int, int], float] = field(default_factory=dict)
    explained: "tuple[Explanation, ...]" = ()
    orders: tuple[tuple[float | None, ...], ...] = ()
    key: str = ""
    whole: tuple[tuple[object, ...], ...] = ()
    kind: ClassVar[str] = "table"

    @property
    def file_name(self) -> str:
        """The name of the file of all rows."""
        return f"{self.caption.lower().replace(' ', '_')}.csv"

    @property
    def file_link(self) -> str:
        """All rows as CSV in a link."""
        text = "\n".join(csv_lines(self.columns, self.whole))
        return f"data:text/csv;charset=utf-8,{quote(text, safe=',')}"

    def forms(self) -> dict[str, str]:
        """Return the table as Markdown and LaTeX, with the texts of its cells, and as CSV, with their numbers."""
        return {
            "Markdown": "\n".join(markdown_lines(self.columns, self.rows, numeric=self.numeric, is_padded=True)),
            "LaTeX": "\n".join(latex_lines(self.columns, self.rows, numeric=self.numeric)),
            "CSV": "\n".join(csv_lines(self.columns, self._with_numbers())),
        }

    def lines(self, most: int | None = None, *, width: int | None = None) -> list[str]:
        """Return the caption and the first rows, all without `most`, as lines for a terminal.

        Where the width has no room, a last column of words is wrapped, and others are left out and named.

        Examples
        --------
        >>> print("\\n".join(TableBlock("Times", ("Name", "s"), (("a", "10"), ("b", "2")), numeric=[1]).lines(1)))
        Times:
        Name   s
        a     10
        and 1 more
        """
        more = 0 if most is None else max(0, len(self.rows) - most)
        rows = [tuple(map(printable, row)) for row in (self.columns, *self.rows[:most])]
        words = [column for column in range(len(self.columns)) if column not in self.numeric]
        table = aligned(rows, to_the_left=words, width=width, less=range(len(self.columns) - 1, 2, -1))
        lines = table if width is None else wrapped("\n".join(table), width).split("\n")
        return [f"{self.caption}:", *lines, *([f"and {more:,} more"] if more else [])]

    def _with_numbers(self) -> Iterable[Sequence[object]]:
        """Return the rows with the numbers themselves where a cell is one, so that programs can read them."""
        if not self.orders:
            return self.rows
        return [
            (row[0], *(text if number is None else number for text, number in zip(row[1:], numbers, strict=True)))
            for row, numbers in zip(self.rows, self.orders, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation that a row of a table opens.

    Attributes
    ----------
    text : str
        In a sentence or two.
    formula : str
        The name of the bound by which `templates/bound_formulas.html` has one; empty for none.
    reference : str
    """

    text: str
    formula: str = ""
    reference: str = ""


def facts(caption: str, rows: Iterable[tuple[str, str]]) -> TableBlock:
    """Return a table of names and values, whose columns have no names."""
    return TableBlock(caption, ("", ""), tuple(rows))


@dataclass(frozen=True, slots=True)
class Code:
    """A program, which is shown as it is, line by line."""

    lines: tuple[str, ...]
    kind: ClassVar[str] = "code"

    @property
    def fence(self) -> str:
        """The backticks before and after the lines in Markdown, more than in any line."""
        return "`" * max(3, *(len(run) + 1 for line in self.lines for run in re.findall("`+", line)), 0)


@dataclass(frozen=True, slots=True)
class FigureSlot:
    """The position of a figure; formats without it show its table, if it has one.

    Attributes
    ----------
    key : str
    table : TableBlock, optional
        The content of the figure.
    """

    key: str
    table: TableBlock | None = None
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True, slots=True)
class DetailsBlock:
    """Blocks that a page shows when its reader opens them.

    Attributes
    ----------
    title : str
    blocks : tuple of Block
    anchor : str
        Where links to the blocks lead, which open them; empty for none.
    is_printed : bool
        Whether they are open in print.
    """

    title: str
    blocks: "tuple[Block, ...]"
    anchor: str = ""
    is_printed: bool = False
    kind: ClassVar[str] = "details"


@dataclass(frozen=True, slots=True)
class ProofLine:
    """One proof out of several.

    Attributes
    ----------
    name : str
        The question that it answers.
    claim : str
        The proven statement, in sentences.
    """

    name: str
    claim: str


@dataclass(frozen=True, slots=True)
class ProofSlot:
    """The position of the check of the proofs; other formats than HTML show the claims only.

    Attributes
    ----------
    lines : tuple of ProofLine
        The proofs, if there may be several; empty for one whose claim stands before the slot.
    """

    lines: tuple[ProofLine, ...] = ()
    kind: ClassVar[str] = "proof"


Block = Paragraph | Points | TableBlock | Code | FigureSlot | DetailsBlock | ProofSlot


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The script of a page, and its data.

    Attributes
    ----------
    policy : str
        The content security policy under which it runs.
    source : str
        The script itself.
    worker, sha256 : str
        The script of its worker, and the function in it that computes hashes; empty for none.
    parts : mapping of str to str
        The data that it reads, as JSON, by the identifiers of their elements.
    """

    policy: str
    source: str
    worker: str
    sha256: str
    parts: Mapping[str, str]


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
    kind : str
        The kind of the page, or what its author calls it, which stands above its title.
    lead : Text
        The answer in a sentence or two, after the headline.
    opening : tuple of Block
        The blocks after the lead, in place of the key numbers.
    note, date : str
        What its author says, after the lead and above the title; empty for nothing.
    """

    title: str
    subtitle: str
    headline: tuple[str, ...]
    tone: str
    cards: tuple[Card, ...]
    sections: tuple[Section, ...]
    kind: str = "Margin report"
    lead: Text = ""
    opening: tuple[Block, ...] = ()
    note: str = ""
    date: str = ""

    @property
    def tables(self) -> tuple[TableBlock, ...]:
        """All tables, those behind what a reader opens included, in their order."""
        opened = (block for section in self.sections for block in _opened(section.blocks))
        return tuple(block for block in opened if isinstance(block, TableBlock))

    def html(self, figures: Mapping[str, Any], script: "Script | None" = None) -> str:
        """Return the page as HTML.

        Parameters
        ----------
        figures : mapping of str to str
            By the key of its slot, the markup of a figure with its caption.
        script : Script, optional
            The script of the page; by default it has none.
        """
        return self._rendered("report.html", autoescape=True, figures=figures, script=script)

    def markdown(
        self,
        figures: Mapping[str, Any] | None = None,
        *,
        appendix: Sequence[Any] = (),
        folder: str = "figures",
        is_padded: bool = False,
    ) -> str:
        """Return the page as Markdown (CommonMark with tables).

        Parameters
        ----------
        figures : mapping of str to CaptionedDisplay, optional
            By the key of its slot, a display whose figure is linked to as ``FOLDER/KEY.svg``; others are left out.
        appendix : sequence of CaptionedDisplay
            Displays whose figures are linked to at the end.
        folder : str
            The folder of the figures.
        is_padded : bool
            Whether the columns of tables have equal width in the text as well.
        """
        page = self._rendered(
            "report.md", autoescape=False, is_padded=is_padded, figures=figures or {}, appendix=appendix, folder=folder
        )
        return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"

    def latex(self) -> str:
        """Return the tables as a LaTeX document that needs booktabs and longtable; each can be copied into another."""
        return self._rendered("tables.tex", autoescape=False, tex=escaping.latex, lines=latex_lines) + "\n"

    def _rendered(self, template: str, *, autoescape: bool, is_padded: bool = False, **parts: Any) -> str:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from markupsafe import Markup

        environment = Environment(
            loader=FunctionLoader(lambda name: (files("maxmargin.reports.templates") / name).read_text("utf-8")),
            autoescape=autoescape, undefined=StrictUndefined, finalize=_visible, trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        environment.filters |= {"md": _markdown, "compact": _compact}
        environment.filters |= {"in_script": _in_script, "markup": Markup, "sort_keys": _sort_keys}
        environment.filters["table_lines"] = lambda table: markdown_lines(
            table.columns, table.rows, numeric=table.numeric, is_padded=is_padded
        )
        return environment.get_template(template).render(document=self, **parts)

    def card(self, name: str, note: str) -> str:
        """Return the answer and the key numbers as a small card for notebooks.

        Parameters
        ----------
        name : str
            The class of the result.
        note : str
            A sentence on how to see the page.
        """
        sentences = [sentence for sentence in (*self.headline[1:], plain_text(self.lead)) if sentence]
        numbers = [(card.label, f"{card.value}{f' ({card.note})' if card.note else ''}") for card in self.cards]
        return small_card(f"{name} · {self.subtitle}", self.headline[0], numbers, sentences=sentences, note=note)

    def terminal(self, *, width: int = 80) -> str:
        """Return the answer, the key numbers, and the limitations, as plain text of this width in characters."""
        sentences = [*self.headline, plain_text(self.lead), self.note]
        answer = [textwrap.fill(printable(sentence), width) for sentence in sentences if sentence]
        label_width = max(len(card.label) for card in self.cards)
        cards = [
            textwrap.fill(
                printable(f"{card.value}{f' ({card.note})' if card.note else ''}"), width,
                initial_indent=f"  {printable(card.label):<{label_width}}  ", subsequent_indent=" " * (label_width + 4),
            )
            for card in self.cards
        ]  # fmt: skip
        first = textwrap.fill(printable(" · ".join(filter(None, (self.subtitle, self.date)))), width)
        return "\n".join([first, "", *answer, "", *cards, *self._unknown(width)]) + "\n"

    def _unknown(self, width: int) -> list[str]:
        lines = []
        for section in self.sections:
            if section.anchor == "unknown":
                lines += ["", f"{section.title}:"]
                items = [item for block in section.blocks if isinstance(block, Points) for item in block.items]
                shown = map(printable, items)
                lines += [textwrap.fill(item, width, initial_indent="- ", subsequent_indent="  ") for item in shown]
        return lines


def _opened(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, with details replaced by their own blocks."""
    for block in blocks:
        if isinstance(block, DetailsBlock):
            yield from _opened(block.blocks)
        else:
            yield block


def json_text(fields: Mapping[str, Any]) -> str:
    """Return the fields of a report as JSON; its numbers read back as they are."""
    text = json.dumps(fields, indent=2, ensure_ascii=False, allow_nan=False, default=str)
    return escaping.json_characters(text) + "\n"


def save_page(path: str | os.PathLike[str], *forms: Callable[[], str]) -> Path:
    """Write a report in the form that the suffix names, of those for `PAGE_SUFFIXES`, and return where it is.

    Raises
    ------
    InvalidOptionError
        A ValueError, for any other suffix; nothing is written.
    OSError
        If the file cannot be written; its old content stays.
    """
    target = Path(path)
    check_page_suffix(target)
    write_text(target, dict(zip(PAGE_SUFFIXES, forms, strict=True))[target.suffix.lower()]())
    return target


def check_page_suffix(path: Path) -> None:
    """Raise unless a report can be saved under this name: it ends in .html, .md or .json.

    Raises
    ------
    InvalidOptionError
        A ValueError.
    """
    if path.suffix.lower() not in PAGE_SUFFIXES:
        raise InvalidOptionError(f"{path} ends in {path.suffix!r}; expected {', '.join(PAGE_SUFFIXES)}")


def _markdown(text: Text) -> str:
    """Return a text in Markdown, its marks in bold."""
    if isinstance(text, str):
        return escaping.markdown(text)
    return "".join(f"**{_markdown(p.text)}**" if isinstance(p, Emphasis) else _markdown(p) for p in text)


def _compact(style: str) -> str:
    """Return a style sheet without comments and without the spaces that nothing needs."""
    return re.sub(r"\s*([{};])\s*|(?<=:)\s", r"\1", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))


def _in_script(text: str) -> Any:
    """Return a script, or JSON, as the content of an element, which it must not end."""
    from markupsafe import Markup

    return Markup(text.replace("</", "<\\/"))


def _sort_keys(values: Iterable[float | None]) -> str:
    return " ".join("-" if value is None else repr(float(value)) for value in values)


def _visible(value: object) -> object:
    """Escape the invisible characters of a text; a picture is mark-up of our own."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
