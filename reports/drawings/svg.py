"""SVG drawings, element by element: text in the font of the page, colours by role in its style sheet."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from maxmargin.solvers.basics.printable import printable

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A finished drawing.

    Attributes
    ----------
    markup : str
        The SVG element, with its title and description.
    caption : str
        The legend below it.
    """

    markup: str
    caption: str = ""


@dataclass(slots=True)
class Sheet:
    """A drawing in progress; one unit of length is about one pixel of the page.

    Attributes
    ----------
    key : str
        The beginning of its identifiers.
    width, height : float
    """

    key: str
    width: float
    height: float
    elements: list[str] = field(default_factory=list)

    def line(self, start: Point, end: Point, role: str = "") -> None:
        """Draw a line."""
        (x1, y1), (x2, y2) = start, end
        self.elements.append(
            f'<line{_of_role(role)} x1="{short(x1)}" y1="{short(y1)}" x2="{short(x2)}" y2="{short(y2)}"/>'
        )

    def rectangle(self, corner: Point, width: float, height: float, role: str = "", *, opacity: float = 1.0) -> None:
        """Fill a rectangle, whose upper left corner is given."""
        see_through = "" if opacity == 1.0 else f' opacity="{opacity:.2f}"'
        self.elements.append(
            f'<rect{_of_role(role)} x="{short(corner[0])}" y="{short(corner[1])}" width="{short(width)}" '
            f'height="{short(height)}"{see_through}/>'
        )

    def circle(self, centre: Point, radius: float, role: str = "") -> None:
        """Draw a circle."""
        self.elements.append(
            f'<circle{_of_role(role)} cx="{short(centre[0])}" cy="{short(centre[1])}" r="{short(radius)}"/>'
        )

    def path(self, steps: str, role: str = "", *, name: str = "") -> None:
        """Draw a path of SVG commands, with an identifier if it has a name."""
        identifier = f' id="{self.key}-{name}"' if name else ""
        self.elements.append(f'<path{identifier}{_of_role(role)} d="{steps}"/>')

    def curve(self, points: Iterable[Point], role: str = "", *, name: str = "") -> None:
        """Draw a line through points."""
        self.path("M" + "L".join(f"{short(x)} {short(y)}" for x, y in points), role, name=name)

    def text(self, at: Point, text: str, role: str = "", *, anchor: str = "start") -> None:
        """Write a text whose start, middle or end is at the point, as `anchor` says."""
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        x, y = at
        self.elements.append(
            f'<text{_of_role(role)} x="{short(x)}" y="{short(y)}"{where}>{escape(printable(text), quote=False)}</text>'
        )

    def raw(self, markup: str) -> None:
        """Add markup that the caller has escaped."""
        self.elements.append(markup)

    def markup(self, title: str, finding: str, *, attributes: str = "") -> str:
        """Return the drawing as an element with its title and description."""
        names = f"{self.key}-title", f"{self.key}-finding"
        return (
            f'<svg id="{self.key}"{attributes} viewBox="0 0 {short(self.width)} {short(self.height)}" role="img" '
            f'aria-labelledby="{names[0]} {names[1]}"><title id="{names[0]}">{escape(printable(title), quote=False)}'
            f'</title><desc id="{names[1]}">{escape(printable(finding), quote=False)}</desc>'
            f"{''.join(self.elements)}</svg>"
        )


def dots(points: Iterable[Point]) -> str:
    """Return the commands of a path of lines without length: their ends make them discs, or squares."""
    return "".join(f"M{short(x)} {short(y)}h0" for x, y in points)


def joined(pairs: Iterable[tuple[Point, Point]]) -> str:
    """Return the commands of a path of separate lines."""
    return "".join(f"M{short(x)} {short(y)}L{short(u)} {short(v)}" for (x, y), (u, v) in pairs)


def both(wide: str, narrow: str) -> str:
    """Return two forms of one drawing; the page shows the form that fits its width."""
    return f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'


def short(value: float) -> str:
    """Return a coordinate to a tenth of a unit, as short as possible.

    Examples
    --------
    >>> short(12.04), short(-0.01), short(0.25)
    ('12', '0', '0.2')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _of_role(role: str) -> str:
    return f' class="{role}"' if role else ""
