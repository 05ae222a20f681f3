"""What all answers share: the names of the two classes, a short repr, and comparison by identity."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from maxmargin.solvers.answers.fields import NO_NAMES, RowNames, plain


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NamedAnswer:
    """An answer about two classes.

    Two answers are equal if they are the same object: arrays have no single truth value.

    Attributes
    ----------
    positive : label or None
        The class that is +1; None where the question was asked with signs, or of more than two classes.
    positive_reason : str or None
        Why it is that class.
    """

    positive: Any = None
    positive_reason: str | None = None

    @property
    @abstractmethod
    def headline(self) -> str:
        """The answer in one line, without names from the data."""

    @abstractmethod
    def fields(self, rows: RowNames) -> dict[str, Any]:
        """Return what the command line prints of the answer as JSON, but for what it says of the data.

        Parameters
        ----------
        rows : RowNames
            How rows are called.
        """

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the JSON that the command line prints, in Python's own types.

        Lists have at most 1,000 entries, with their whole length as ``<name>_count``; rows are numbered from 0, and
        None stands for infinity and for numbers that are not known.
        """
        result: dict[str, Any] = plain(self.fields(NO_NAMES))
        return result

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.headline}>"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "mistake"), counted(2000, "mistake")
    ('1 mistake', '2,000 mistakes')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"
