"""What every result can do: be shown on one line, as text and in a notebook; answers also name the positive class."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maxmargin.solvers.answers.fields import NO_NAMES, Names, plain
from maxmargin.solvers.answers.wording import some
from maxmargin.solvers.basics.printable import shown

_MOST_ENTRIES = 10
"""Largest number of entries of a list that a cell shows."""

_MOST_CHARACTERS = 200
"""Largest number of characters of a text that a cell shows."""


class Result:
    """A result that can be shown on one line, as text and in a notebook."""

    __slots__ = ()

    @property
    @abstractmethod
    def headline(self) -> str:
        """The result on one line, without names from the data."""

    @abstractmethod
    def summary(self) -> str:
        """Return the text that the command line prints of the result."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the result in Python's own types, which JSON holds."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.headline}>"

    def _repr_html_(self) -> str:
        """Return the result as a small table for notebooks."""
        return html_table(f"{type(self).__name__}: {self.headline}", self.to_dict())


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NamedAnswer(Result):
    """An answer about two classes.

    Two answers are equal if they are the same object: arrays have no single truth value.

    Attributes
    ----------
    positive : label or None
        The class that is +1; None if the labels were signs, or if there are more than two classes.
    positive_reason : str or None
        Why it is that class.
    """

    positive: Any = None
    positive_reason: str | None = None

    @abstractmethod
    def fields(self, names: Names) -> dict[str, Any]:
        """Return the fields that the command line prints as JSON, without those that describe the data.

        Parameters
        ----------
        names : Names
            What the rows are called.
        """

    @abstractmethod
    def summary(self, names: Names = NO_NAMES) -> str:
        """Return the text that the command line prints of the answer.

        Parameters
        ----------
        names : Names
            What the rows and the columns are called; by default they go by their numbers.
        """

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the JSON that the command line prints, in Python's own types.

        Lists have at most 1,000 entries, with their whole length as ``<name>_count``; rows are numbered from 0, and
        None stands for infinity and for numbers that are not known.
        """
        result: dict[str, Any] = plain(self.fields(NO_NAMES))
        return result


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
