"""What every result can do: be shown on one line, as text and in a notebook; answers also name the positive class."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from maxmargin.solvers.answers.fields import NO_NAMES, Names, plain
from maxmargin.solvers.answers.notebook import html_table


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
