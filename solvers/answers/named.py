"""The names of the two classes, which every answer carries though no solver asks for them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAnswer:
    """An answer about two classes.

    Attributes
    ----------
    positive : label or None
        The class that is +1; None where the question was asked with signs, or of more than two classes.
    positive_reason : str or None
        Why it is that class.
    """

    positive: Any = None
    positive_reason: str | None = None
