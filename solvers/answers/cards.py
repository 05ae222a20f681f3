"""Results as small cards in notebooks: HTML that needs no style sheet, no script and no identifiers.

A notebook has a theme of its own. So a card takes the colour of its text and its ground from there, and its own
colours, of the rule at its left and of thin lines, are visible on a light and on a dark ground.
"""

from collections.abc import Iterable

from maxmargin.solvers.basics.printable import printable

Pairs = Iterable[tuple[str, str]]

_SERIF = "'Iowan Old Style','Palatino Linotype',Palatino,Charter,Georgia,'DejaVu Serif',serif"
_SANS = "system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,'Noto Sans','DejaVu Sans',sans-serif"

_LINE = "1px solid rgba(128,128,128,.4)"

# Smallest number of characters that the ends of an interval have in common if these are shown once.
_FEWEST_COMMON = 4

_CARD = (
    f"box-sizing:border-box;max-width:54rem;margin:.3rem 0;padding:.55rem .9rem;border:{_LINE};"
    f"border-left:3px solid #1f9270;border-radius:4px;color:inherit;font:13px/1.45 {_SANS};overflow-wrap:anywhere"
)
_EYEBROW = "font-size:11px;font-weight:600;letter-spacing:.05em;opacity:.8"
_STATEMENT = f"font:17px/1.35 {_SERIF};margin:.1rem 0"
_SENTENCE = f"font:14.5px/1.4 {_SERIF};margin:.2rem 0"
_NUMBERS = "display:flex;flex-wrap:wrap;gap:.35rem 1.6rem;margin:.5rem 0;padding:0"
_LABEL = "float:none;width:auto;margin:0;padding:0;font-size:11px;font-weight:400;opacity:.8"
_NUMBER = "margin:0;padding:0;font-size:14px;font-weight:600;font-variant-numeric:tabular-nums"
_NOTE = "font-size:11.5px;opacity:.8;margin:.3rem 0 0"
_SUMMARY = "cursor:pointer;font-size:12px"
_TABLE = "margin:.4rem 0 0;border-collapse:collapse;font-size:12px;width:auto"
_CELL = (
    f"text-align:left;vertical-align:top;padding:.15rem 1rem .15rem 0;border:0;border-bottom:{_LINE};font-weight:400"
)


def card(
    name: str, statement: str, numbers: Pairs, rest: Pairs = (), *, sentences: Iterable[str] = (), note: str = ""
) -> str:
    """Return a card; texts are escaped.

    Parameters
    ----------
    name : str
        What kind of result it is, in small letters.
    statement : str
        The result on one line.
    numbers : iterable of (str, str)
        A few key numbers, each after its name.
    rest : iterable of (str, str)
        More fields, which are shown when a reader opens them.
    sentences : iterable of str
        What else there is to say, after the statement.
    note : str
        A remark at the end.

    Examples
    --------
    >>> page = card("Bound", "at most 5 < 7", [("value", "5")])
    >>> "at most 5 &lt; 7" in page, "<script" in page, "<details" in page
    (True, False, False)
    """
    parts = [f'<div style="{_EYEBROW}">{_safe(name)}</div><div style="{_STATEMENT}">{_safe(statement)}</div>']
    parts += [f'<div style="{_SENTENCE}">{_safe(sentence)}</div>' for sentence in sentences]
    parts += [_numbers(numbers), _details(rest), *([f'<div style="{_NOTE}">{_safe(note)}</div>'] if note else [])]
    return f'<div style="{_CARD}">{"".join(parts)}</div>'


def _numbers(numbers: Pairs) -> str:
    found = "".join(
        f'<div><dt style="{_LABEL}">{_safe(name)}</dt><dd style="{_NUMBER}">{_safe(text)}</dd></div>'
        for name, text in numbers
    )
    return f'<dl style="{_NUMBERS}">{found}</dl>' if found else ""


def _details(rest: Pairs) -> str:
    rows = "".join(
        f'<tr><th style="{_CELL};white-space:nowrap">{_safe(name)}</th><td style="{_CELL}">{_safe(text)}</td></tr>'
        for name, text in rest
    )
    if not rows:
        return ""
    table = f'<div style="overflow-x:auto"><table style="{_TABLE}"><tbody>{rows}</tbody></table></div>'
    return f'<details><summary style="{_SUMMARY}">all fields</summary>{table}</details>'


def _safe(text: str) -> str:
    from html import escape  # not needed by commands, whose start it would delay

    return escape(printable(text))


def between(lower: float, upper: float) -> str:
    """Return the two ends of a proven interval, which read back as they are, with their common digits once.

    Examples
    --------
    >>> between(0.8175557692888209, 0.817555769288821), between(4.0, 4.0), between(0.5, float("inf"))
    ('0.81755576928882[09, 10]', '4', '[0.5, ∞]')
    >>> between(4.137136842541717e-05, 4.137136842541753e-05)
    '4.1371368425417[17, 53]e-05'
    """
    low, high = (repr(float(end)).removesuffix(".0").replace("inf", "∞") for end in (lower, upper))
    return low if low == high else joined_ends(low, high, "e")


def joined_ends(low: str, high: str, mark: str) -> str:
    """Return the text of an interval, given the texts of its ends, with their common digits once.

    Parameters
    ----------
    low, high : str
        Different decimal numbers.
    mark : str
        What comes before a power of ten.

    Examples
    --------
    >>> joined_ends("4.1371×10⁻⁵", "4.13723×10⁻⁵", "×"), joined_ends("0", "1.5", "×")
    ('4.137[10, 23]×10⁻⁵', '[0, 1.5]')
    """
    (first, _, power), (second, _, other) = low.partition(mark), high.partition(mark)
    shorter = min(len(first), len(second))
    common = next((k for k in range(shorter) if first[k] != second[k]), shorter)
    is_short = common < _FEWEST_COMMON or not first[:common].strip("-0.")
    if power != other or is_short or "." not in first[:common]:
        return f"[{low}, {high}]"
    width = max(len(first), len(second))
    ends = [text.ljust(width, "0")[common:] for text in (first, second)]
    return f"{first[:common]}[{', '.join(ends)}]{power and mark + power}"
