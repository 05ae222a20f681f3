"""A document as Markdown (CommonMark with tables)."""

import re

from maxmargin.reports.document import Document
from maxmargin.reports.pages.templating import environment
from maxmargin.text.escaping import markdown


def render(document: Document) -> str:
    """Return the document as Markdown, without its figures."""
    page = environment(autoescape=False, filters={"md": markdown}).get_template("report.md")
    return re.sub(r"\n{3,}", "\n\n", page.render(document=document)).strip() + "\n"
