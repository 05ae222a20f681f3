"""Categorical variables in the columns of a model."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """A categorical variable, coded as columns of 0 and 1: one for every level, or for every level but the reference.

    Attributes
    ----------
    name : str
        The name of the variable.
    columns : dict of str to str
        The name of the column of each level that has one.
    reference : str or None
        The level whose rows have 0 in all of these columns; None if every level has a column.

    Examples
    --------
    >>> stage = Factor(name="stage", columns={"II": "stage[T.II]"}, reference="I")
    >>> stage.level("II"), stage.level(stage.reference)
    ('stage=II', 'stage=I')
    >>> stage.levels
    ['I', 'II']
    """

    name: str
    columns: Mapping[str, str]
    reference: str | None

    @property
    def levels(self) -> list[str]:
        """The levels in order, the reference first."""
        return [*([] if self.reference is None else [self.reference]), *self.columns]

    def level(self, level: str | None) -> str:
        """Return the name of a level in sentences about rows."""
        return f"{self.name}={level}"
