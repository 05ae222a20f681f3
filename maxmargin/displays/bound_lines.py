"""Axes of mistakes, and the bounds on them as lines with names."""

from typing import TYPE_CHECKING

from maxmargin.displays import drawing
from maxmargin.text.number_formats import upper_end

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# Largest end of an axis: scales near the end of binary64 overflow.
HIGHEST = 1e300

_MOST_ON_A_LINE = 2

# Size of the names in points.
_SIZE = 8.5

# Fractions of the height of the axes: the least room for a label, and the room above the highest line.
_LABEL_ROOM, _LABEL_SHARE = 0.06, 0.1

# Room for a label in inches.
_LABEL_INCHES = 0.17


def scale_mistakes(ax: "Axes", least: float, top: float, *, shown: float) -> bool:
    """Scale the axis of mistakes up to the top; return whether it is logarithmic, as `shown` is far below the top.

    A logarithmic axis begins below the least number and leaves room for the label of the top one.
    """
    if not drawing.is_far_apart(shown, top):
        ax.set_yscale("linear")
        ax.set_ylim(0, top * 1.08)
        drawing.plain_numbers(ax.yaxis)
        return False
    drawing.log_scale(ax, "y")
    bottom = max(0.7, least / 2)
    ax.set_ylim(bottom, min(top * (top / bottom) ** _LABEL_SHARE, HIGHEST))
    return True


def draw_bounds(ax: "Axes", bounds: dict[str, float], *, label: str = "") -> "dict[str, Line2D]":
    """Draw every bound as a line with its name and value; the legend has one label for all of them.

    Lines that are too close for two names share one text.
    """
    to_axes = ax.transData + ax.transAxes.inverted()
    colour, room = drawing.colour_on(ax, drawing.BOUND), max(_LABEL_ROOM, _LABEL_INCHES / drawing.inches(ax)[1])
    groups: list[tuple[float, list[str]]] = []
    lines = {}
    for position, (name, value) in enumerate(bounds.items()):
        lines[name] = ax.axhline(value, color=colour, linewidth=1.4, zorder=2, label="" if position else label)
        height = float(to_axes.transform((0, value))[1])
        is_near = bool(groups) and height - groups[-1][0] < room
        texts = groups.pop()[1] if is_near else []
        groups.append((height, [*texts, f"{name} {upper_end(value)}"]))
    for height, texts in groups:
        name = _joined(texts, drawing.characters_along(ax, _SIZE))
        ax.text(
            0.01, height + 0.01, name, transform=ax.transAxes, va="bottom", fontsize=_SIZE, color=drawing.ink(ax),
            parse_math=False,
        )  # fmt: skip
    return lines


def _joined(texts: list[str], n_characters: int) -> str:
    """Return the labels in one line, as many as fit, and at least one."""
    for n_shown in range(min(_MOST_ON_A_LINE, len(texts)), 0, -1):
        more = len(texts) - n_shown
        line = ",  ".join([*texts[:n_shown], *([f"and {more} more"] if more else [])])
        if len(line) <= n_characters:
            return line
    return f"{texts[0]} (+{len(texts) - 1})" if len(texts) > 1 else texts[0]
