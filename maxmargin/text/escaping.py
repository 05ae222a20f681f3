"""Text that comes from data, made safe inside Markdown, LaTeX and JSON."""

import re

from maxmargin.solvers.basics.printable import is_unsafe, printable

_MARKDOWN = re.compile(r"([\\`*\[\]<>|&$~#])|(?<![^\W_])(_)|(_)(?![^\W_])")
# Beginnings of lines that Markdown reads as lists, underlined headings or rules.
_MARKDOWN_START = re.compile(r"^(\s*)(?:([-+=])(?=\s|[-=]*$)|(\d+)([.)])(?=\s|$))")

# Characters that LaTeX does not print as they are, and the commands that print them.
_LATEX = {
    **{character: f"\\{character}" for character in "{}$&#_%"},
    "\\": r"\textbackslash{}",
    **{"^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}"},
    **{"|": r"\textbar{}", "`": r"\textasciigrave{}", '"': r"\textquotedbl{}", "“": "``", "”": "''"},
    **{"—": "---", "–": "--", "…": r"\ldots{}"},
    **{"−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "√": r"$\surd$", "∞": r"$\infty$", "‖": r"$\Vert$"},
    **{"✓": r"$\surd$", "°": r"$^{\circ}$"},
    **{"≤": r"$\leq$", "≥": r"$\geq$", "≈": r"$\approx$", "→": r"$\to$", "⁻": "$^{-}$"},
    **{"α": r"$\alpha$", "γ": r"$\gamma$", "ρ": r"$\rho$", "τ": r"$\tau$"},
    **{power: f"$^{{{digit}}}$" for digit, power in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}

# Hyphens that LaTeX would join into a dash; `printable` leaves no zero characters, so that one can mark these.
_LATEX_DASHES = re.compile("-(?=-)")

# Letters with accents, which every LaTeX with the encoding T1 prints.
_LATIN_LETTERS = range(0xC0, 0x100)


def markdown(text: object) -> str:
    r"""Return the text on one line, with everything escaped that Markdown would read as mark-up.

    Examples
    --------
    >>> print(markdown("a|b <i> γ* breast_cancer"), markdown("1. a\n# b"))
    a\|b \<i\> γ\* breast_cancer 1\. a\\n\# b
    """
    escaped = _MARKDOWN.sub(lambda match: f"\\{match.group()}", printable(text))
    return _MARKDOWN_START.sub(_escaped_start, escaped)


def latex(text: object) -> str:
    r"""Return the text on one line, with everything escaped that LaTeX would read as mark-up or could not print.

    Examples
    --------
    >>> print(latex("50 % of R_1 at 10⁻⁵"), latex("--seed"), latex("д"))
    50 \% of R\_1 at 10$^{-5}$ -{}-seed [U+0434]
    """
    found = "".join(map(_latex_character, _LATEX_DASHES.sub("-\0", printable(text)))).replace("\0", "{}")
    return found.replace("}$$^{", "")


def _latex_character(character: str) -> str:
    if character in _LATEX:
        return _LATEX[character]
    is_printed = character.isascii() or ord(character) in _LATIN_LETTERS
    return character if is_printed else f"[U+{ord(character):04X}]"


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
