"""An answer as a table of HTML, as notebooks show it."""

from collections.abc import Mapping
from typing import Any

from maxmargin.solvers.answers.wording import some
from maxmargin.solvers.basics.printable import shown

_MOST_ENTRIES = 10
"""Largest number of entries of a list that a cell shows."""

_MOST_CHARACTERS = 200
"""Largest number of characters of a text that a cell shows."""


def html_table(headline: str, fields: Mapping[str, Any]) -> str:
    """Return the fields that fit in a line as an HTML table below a headline, without colours; texts are escaped.

    Examples
    --------
    >>> html_table("a<b", {"w": [1.0, 2.0], "reason": ""})
    '<table><caption>a&lt;b</caption><tbody><tr><th>w</th><td>1.0, 2.0</td></tr></tbody></table>'
    """
    cells = ((name, _cell(value)) for name, value in fields.items())
    rows = "".join(f"<tr><th>{_safe(name)}</th><td>{_safe(text)}</td></tr>" for name, text in cells if text)
    return f"<table><caption>{_safe(headline)}</caption><tbody>{rows}</tbody></table>"


def _safe(text: str) -> str:
    from html import escape  # not needed by commands, whose start it would delay

    return escape(shown(text))


def _cell(value: Any) -> str:
    """Return a value in Python's own types in a line; nothing for None and for what is nested."""
    if isinstance(value, dict):
        value = [entry if isinstance(entry, (dict, list)) else f"{name}: {entry}" for name, entry in value.items()]
    if isinstance(value, list):
        is_flat = not any(isinstance(entry, (dict, list)) for entry in value)
        return some(value, _MOST_ENTRIES, "").rstrip() if is_flat else ""
    text = "" if value is None else str(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}..."
