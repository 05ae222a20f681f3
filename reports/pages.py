"""A document as an HTML page that needs nothing but itself, as Markdown, and as plain text for a terminal."""

import re
import textwrap
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING

from maxmargin.reports.document import Document, Points
from maxmargin.solvers.basics.printable import shown
from maxmargin.text import escaping

if TYPE_CHECKING:
    from jinja2 import Template

    from maxmargin.reports.figures.canvas import Picture


def html(document: Document, pictures: "Iterable[Picture]", left_out: Mapping[str, str]) -> str:
    """Return the document as a page, with its figures as SVG, or with the sentences that say why one is left out."""
    from markupsafe import Markup

    from maxmargin.reports.figures.canvas import inline_svg

    figures = {picture.key: {"picture": picture, "svg": Markup(inline_svg(picture))} for picture in pictures}
    return _template("report.html", autoescape=True).render(document=document, figures=figures, left_out=left_out)


def markdown(document: Document) -> str:
    """Return the document as Markdown (CommonMark with tables), without its figures."""
    page = _template("report.md", autoescape=False).render(document=document)
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"


def _template(name: str, *, autoescape: bool) -> "Template":
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(lambda name: (files("maxmargin.reports.templates") / name).read_text("utf-8")),
        autoescape=autoescape,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["md"] = escaping.markdown
    return environment.get_template(name)


def _visible(value: object) -> object:
    """Escape the invisible characters of a text; a picture is mark-up of our own."""
    return shown(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def terminal(document: Document, *, width: int = 80) -> str:
    """Return the answer, the key numbers, and what is not known."""
    answer = [textwrap.fill(shown(sentence), width) for sentence in document.headline]
    label_width = max(len(card.label) for card in document.cards)
    cards = [
        shown(f"  {card.label:<{label_width}}  {card.value}{f'  ({card.note})' if card.note else ''}")
        for card in document.cards
    ]
    return "\n".join([shown(document.subtitle), "", *answer, "", *cards, *_unknown(document, width)]) + "\n"


def _unknown(document: Document, width: int) -> list[str]:
    lines = []
    for section in document.sections:
        if section.anchor == "unknown":
            lines += ["", f"{section.title}:"]
            items = [shown(item) for block in section.blocks if isinstance(block, Points) for item in block.items]
            lines += [textwrap.fill(item, width, initial_indent="- ", subsequent_indent="  ") for item in items]
    return lines
