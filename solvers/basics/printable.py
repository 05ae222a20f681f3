"""Text that comes from data, made safe to be shown: names, labels and messages cannot act on a terminal."""

import unicodedata

# Unicode categories: controls (C0 and C1), formats (also bidirectional overrides and zero-width characters), lone
# surrogates, characters that have no meaning, and separators of lines and paragraphs.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

# Characters of other categories that nothing is drawn for; variation selectors, which change emojis, are kept.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")


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
