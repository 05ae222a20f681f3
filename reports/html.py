"""A document as one HTML file that needs nothing but itself."""

from collections.abc import Iterable

from markupsafe import Markup

from maxmargin.reports.document import Document
from maxmargin.reports.figures.canvas import Picture, inline_svg
from maxmargin.reports.templating import environment


def render(document: Document, pictures: Iterable[Picture]) -> str:
    """Return the document as a page, its figures as SVG in it."""
    figures = {picture.key: {"picture": picture, "svg": Markup(inline_svg(picture))} for picture in pictures}
    return environment(autoescape=True).get_template("report.html").render(document=document, figures=figures)
