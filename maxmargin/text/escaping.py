"""Text that comes from data, made safe to be shown: names, labels and messages cannot act on a terminal or a page."""

import re
import unicodedata

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories: controls (C0 and C1), formats (also bidirectional overrides and zero-width characters), lone
surrogates, characters that have no meaning, and separators of lines and paragraphs."""

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
"""Characters of other categories that nothing is drawn for; variation selectors, which change emojis, are kept."""

_MARKDOWN = re.compile(r"([\\`*\[\]<>|&$~#])|(?<![^\W_])(_)|(_)(?![^\W_])")
_MARKDOWN_START = re.compile(r"^(\s*)(?:([-+=])(?=\s|[-=]*$)|(\d+)([.)])(?=\s|$))")
"""What would begin a list, underline a heading, or rule a line off."""


def shown(text: object, *, but: str = "") -> str:
    r"""Return the text on one line: what is not visible is written as a backslash escape.

    Parameters
    ----------
    text : object
        What `str` makes a text of.
    but : str
        Characters that are kept as they are.

    Examples
    --------
    >>> print(shown("a\nvalid: \x1b[1mseparable"), shown("x\u202ey"), shown("γ*"))
    a\nvalid: \x1b[1mseparable x\u202ey γ*
    """
    line = str(text)
    if line.isascii() and line.isprintable():
        return line
    return "".join(
        _escaped(character) if character not in but and _is_unsafe(character) else character for character in line
    )


def shown_lines(text: str) -> str:
    r"""Return text of several lines with what is not visible escaped, but for the line feeds.

    Examples
    --------
    >>> print(shown_lines("separable\n  \x9b1m"))
    separable
      \x9b1m
    """
    return "\n".join(map(shown, text.split("\n")))


def markdown(text: object) -> str:
    r"""Return the text on one line, with everything escaped that Markdown would read as mark-up.

    Examples
    --------
    >>> print(markdown("a|b <i> γ* breast_cancer"), markdown("1. a\n# b"))
    a\|b \<i\> γ\* breast_cancer 1\. a\\n\# b
    """
    escaped = _MARKDOWN.sub(lambda match: f"\\{match.group()}", shown(text))
    return _MARKDOWN_START.sub(_escaped_start, escaped)


def json_characters(document: str) -> str:
    r"""Return a JSON document with what is not visible inside its texts in JSON's own escapes; it reads the same.

    Examples
    --------
    >>> print(json_characters('{"a\x9b": 1}'))
    {"a\u009b": 1}
    """
    if document.isascii() and "\x7f" not in document:
        return document
    return "".join(_json_escaped(c) if c != "\n" and _is_unsafe(c) else c for c in document)


def _is_unsafe(character: str) -> bool:
    return unicodedata.category(character) in _UNSAFE or character in _INVISIBLE


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _json_escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def _escaped_start(match: re.Match[str]) -> str:
    indent, bullet, number, stop = match.groups()
    return f"{indent}\\{bullet}" if bullet else f"{indent}{number}\\{stop}"
