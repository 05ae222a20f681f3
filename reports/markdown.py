"""A document as Markdown (CommonMark with tables)."""

import re

from maxmargin.reports.document import Document
from maxmargin.reports.templating import environment

_SPECIAL = re.compile(r"([\\`*\[\]<>|&$~#])|(?<![^\W_])(_)|(_)(?![^\W_])")


def escape(text: str) -> str:
    r"""Return the text with everything that Markdown would read as mark-up escaped.

    Examples
    --------
    >>> escape("a|b <i> γ* breast_cancer")
    'a\\|b \\<i\\> γ\\* breast_cancer'
    """
    return _SPECIAL.sub(lambda match: f"\\{match.group()}", text)


def render(document: Document) -> str:
    """Return the document as Markdown, without its figures."""
    page = environment(autoescape=False, filters={"md": escape}).get_template("report.md")
    return re.sub(r"\n{3,}", "\n\n", page.render(document=document)).strip() + "\n"
