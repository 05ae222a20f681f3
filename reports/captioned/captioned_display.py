"""A display with its caption, and how it becomes SVG, PDF and PNG: the same results make the same bytes."""

import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from maxmargin.displays.drawing import BOUND, MAXIMUM, NEGATIVE, PERCEPTRON, POSITIVE
from maxmargin.solvers.basics.printable import printable
from maxmargin.text.outputs import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from maxmargin.displays.display import Display

# Colour of text and axes, which a page replaces by its own text colour.
INK = "#17191c"

# The role of every other colour, by which the style of a page names it.
_ROLES = {POSITIVE: "positive", NEGATIVE: "negative", MAXIMUM: "truth", PERCEPTRON: "perceptron", BOUND: "bound"}

# The settings of matplotlib under which displays are drawn and saved.
STYLE = str(files("maxmargin.reports.templates") / "report.mplstyle")

# Width of the figures in inches.
_WIDTH = 7.2

# Metadata that are left out, because they would make the bytes depend on the day.
_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}

_DOTS_PER_INCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionedDisplay:
    """A display of a report, not yet drawn, which is saved as a figure.

    Attributes
    ----------
    key : str
        Its name, and the name of its files.
    title : str
    caption : str
    alt : str
        Alternative text: a description for readers who do not see the figure.
    draw : callable
        Draws on an empty figure.
    height : float
        In inches.
    """

    key: str
    title: str
    caption: str
    alt: str
    draw: "Callable[[Figure], object]"
    height: float = 3.9


def stacked(displays: "Sequence[Display]", *, share_x: bool = True) -> "Callable[[Figure], None]":
    """Return a function that draws one display below the other, by default over one horizontal axis."""

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(len(displays), 1, sharex=share_x, squeeze=False)[:, 0]
        for display, ax in zip(displays, axes, strict=True):
            display.plot(ax)
        for ax in axes[: -1 if share_x else 0]:
            ax.label_outer()

    return draw


def save(captioned: CaptionedDisplay, folder: Path) -> list[Path]:
    """Write the display as SVG, PDF and PNG on a white background; return the paths."""
    contents = _rendered(captioned, tuple(_METADATA), background="white")
    paths = {folder / f"{captioned.key}.{suffix}": content for suffix, content in contents.items()}
    for path, content in paths.items():
        with replacing(path) as file:
            file.write(content)
    return [*paths]


def figure_element(captioned: CaptionedDisplay) -> str:
    """Return the display with its title and caption as an element of an HTML page."""
    texts = (captioned.title, captioned.caption, captioned.alt)
    title, caption, alt = (escape(printable(text), quote=True) for text in texts)
    drawing = f'<div role="img" aria-label="{alt}">{inline_svg(captioned)}</div>'
    drawing = f'<div class="drawn" role="region" aria-label="{title}" tabindex="0">{drawing}</div>'  # it scrolls
    return f"<figure>{drawing}<figcaption><b>{title}.</b> {caption}</figcaption></figure>"


def inline_svg(captioned: CaptionedDisplay) -> str:
    """Return the display as an SVG element for an HTML page.

    Text is set in the font of the page, colours are variables of the page, and the background is transparent. The
    identifiers that are left contain a hash of the key, so that several displays fit into one page.
    """
    text = _rendered(captioned, ("svg",), background="none")["svg"].decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'\s(xmlns(:\w+)?="[^"]*"|version="1.1")', "", text).replace("xlink:href", "href")
    text = re.sub(r'\s(width|height)="[\d.]+pt"', "", text, count=2)
    text = re.sub(r"<style type=\"text/css\">.*?</style>", "", text, flags=re.DOTALL)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    text = re.sub(r'\sid="([^"]+)"', lambda match: match[0] if match[1] in used else "", text)
    return _with_variables(_with_short_paths(text)).strip()


def _rendered(captioned: CaptionedDisplay, suffixes: tuple[str, ...], *, background: str) -> dict[str, bytes]:
    from matplotlib import style
    from matplotlib.figure import Figure

    contents = {}
    with (
        style.context([STYLE, {"svg.hashsalt": captioned.key}]),
        np.errstate(over="ignore"),
        warnings.catch_warnings(),
    ):  # ticks beyond the axes overflow
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # names in SVG are text for any font
        figure = Figure(figsize=(_WIDTH, captioned.height), layout="constrained")
        captioned.draw(figure)
        for suffix in suffixes:
            buffer = io.BytesIO()
            dpi = _DOTS_PER_INCH if suffix == "png" else "figure"
            figure.savefig(buffer, format=suffix, dpi=dpi, facecolor=background, metadata=_METADATA[suffix])
            contents[suffix] = buffer.getvalue()
    return contents


def _with_short_paths(text: str) -> str:
    """Round coordinates to a hundredth of a point."""

    def rounded(match: re.Match[str]) -> str:
        return re.sub(r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), match[0])

    return re.sub(r'\s(?:d|x|y|width|height|transform)="[^"]*"', rounded, text)


def _with_variables(text: str) -> str:
    """Replace colours by variables of the page, and leave the font to the page."""
    text = text.replace(INK, "currentColor")
    for colour, role in _ROLES.items():
        text = text.replace(colour, f"var(--{role})")
    text = re.sub(r"font: (?:\w+ )*?([\d.]+px)[^;\"]*", r"font-size: \1", text)
    return re.sub(r"font-family: [^;\"]*;? ?", "", text)
