"""A document as one HTML file that needs nothing but itself."""

from collections.abc import Iterable, Mapping

from markupsafe import Markup

from maxmargin.reports.document import Document
from maxmargin.reports.figures.canvas import Picture, inline_svg
from maxmargin.reports.pages.templating import environment


def render(document: Document, pictures: Iterable[Picture], left_out: Mapping[str, str]) -> str:
    """Return the document as a page, its figures as SVG in it, or the sentences that say why one is left out."""
    figures = {picture.key: {"picture": picture, "svg": Markup(inline_svg(picture))} for picture in pictures}
    template = environment(autoescape=True).get_template("report.html")
    return template.render(document=document, figures=figures, left_out=left_out)
