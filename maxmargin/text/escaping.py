"""Text that comes from data, made safe inside Markdown and JSON."""

import re

from maxmargin.solvers.basics.printable import is_unsafe, shown

_MARKDOWN = re.compile(r"([\\`*\[\]<>|&$~#])|(?<![^\W_])(_)|(_)(?![^\W_])")
_MARKDOWN_START = re.compile(r"^(\s*)(?:([-+=])(?=\s|[-=]*$)|(\d+)([.)])(?=\s|$))")
"""What would begin a list, underline a heading, or rule a line off."""


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
    return "".join(_json_escaped(c) if c != "\n" and is_unsafe(c) else c for c in document)


def _json_escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def _escaped_start(match: re.Match[str]) -> str:
    indent, bullet, number, stop = match.groups()
    return f"{indent}\\{bullet}" if bullet else f"{indent}{number}\\{stop}"
