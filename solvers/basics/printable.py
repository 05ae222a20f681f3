"""Text that is shown: what comes from data cannot act on a terminal, and lines are as long as these are wide."""

import re
import textwrap
import unicodedata

# Unicode categories: controls (C0 and C1), formats (also bidirectional overrides and zero-width characters), lone
# surrogates, characters that have no meaning, and separators of lines and paragraphs.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

# Characters of other categories that nothing is drawn for; variation selectors, which change emojis, are kept.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")

# A line of a program in Python, which a break could make another one.
_CODE = re.compile(r"\s+(\w+ = [\w.]+\(|print\()")

# Least number of characters in which the last column of a table of words is wrapped.
LEAST_ROOM = 14


def printable(text: object, *, but: str = "") -> str:
    r"""Return the text on one line: what is not visible is written as a backslash escape.

    Parameters
    ----------
    text : object
        What `str` makes a text of.
    but : str
        Characters that are kept as they are.

    Examples
    --------
    >>> print(printable("a\nvalid: \x1b[1mseparable"), printable("x\u202ey"), printable("γ*"))
    a\nvalid: \x1b[1mseparable x\u202ey γ*
    """
    line = str(text)
    if line.isascii() and line.isprintable():
        return line
    return "".join(
        _escaped(character) if character not in but and is_unsafe(character) else character for character in line
    )


def printable_lines(text: str) -> str:
    r"""Return text of several lines with what is not visible escaped, but for the line feeds.

    Examples
    --------
    >>> print(printable_lines("separable\n  \x9b1m"))
    separable
      \x9b1m
    """
    return "\n".join(map(printable, text.split("\n")))


def is_unsafe(character: str) -> bool:
    """Return whether a character is not visible, or acts on what shows it."""
    return unicodedata.category(character) in _UNSAFE or character in _INVISIBLE


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def terminal_width() -> int:
    """Return the number of characters in a line of the terminal; 80 where it is not known."""
    import shutil  # only what prints needs it

    return shutil.get_terminal_size().columns


def wrapped(text: str, width: int) -> str:
    """Return a text whose lines have at most `width` characters.

    Of a row of a table, whose columns two blanks separate, the last column is wrapped; lines of programs are not.

    Examples
    --------
    >>> print(wrapped("rows\\n  that are strictly separated", 20))
    rows
      that are strictly
        separated
    """
    return "\n".join(part for line in text.split("\n") for part in _wrapped_line(line, width))


def _wrapped_line(line: str, width: int) -> list[str]:
    if len(line) <= width or _CODE.match(line):
        return [line]
    start = line[: len(line) - len(line.lstrip())]
    column = line.rfind("  ") + 2 if "  " in line.strip() else 0
    if column > width - LEAST_ROOM and " " not in line[column:].strip():
        return [line]
    has_room = 0 < column <= width - LEAST_ROOM and max(map(len, line[column:].split())) <= width - column
    start, rest = (line[:column], " " * column) if has_room else (start, f"{start}  ")
    return textwrap.wrap(
        line[len(start) :], width, initial_indent=start, subsequent_indent=rest, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
