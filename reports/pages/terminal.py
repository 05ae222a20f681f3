"""A document as plain text: the answer, the key numbers, and what is not known."""

import textwrap

from maxmargin.reports.document import Document, Points
from maxmargin.solvers.basics.printable import shown


def render(document: Document, *, width: int = 80) -> str:
    """Return the short form for a terminal."""
    answer = [textwrap.fill(shown(sentence), width) for sentence in document.headline]
    label_width = max(len(card.label) for card in document.cards)
    cards = [
        shown(f"  {card.label:<{label_width}}  {card.value}{f'  ({card.note})' if card.note else ''}")
        for card in document.cards
    ]
    return "\n".join([shown(document.subtitle), "", *answer, "", *cards, *_open_ends(document, width)]) + "\n"


def _open_ends(document: Document, width: int) -> list[str]:
    section = next((section for section in document.sections if section.anchor == "unknown"), None)
    if section is None:
        return []
    lines = ["", f"{section.title}:"]
    for block in section.blocks:
        if isinstance(block, Points):
            items = map(shown, block.items)
            lines += [textwrap.fill(item, width, initial_indent="- ", subsequent_indent="  ") for item in items]
    return lines
