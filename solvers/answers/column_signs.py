"""The signs of the coefficients of a logistic regression that are infinite."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSigns:
    """What the cone's directions say of every coordinate, once those of aliased columns are set to 0.

    Attributes
    ----------
    infinite : dict of column to sign
        "+" or "-": of this sign in every direction in which it is not 0; "undetermined": of both.
    finite : tuple of int
        Coordinates that are 0 in every direction.
    aliased : tuple of int
        Columns that depend linearly on those before them; they have no coefficient of their own.
    dimension : int
        Of the cone, modulo the directions that are 0 on every row.
    """

    infinite: dict[int, str]
    finite: tuple[int, ...]
    aliased: tuple[int, ...]
    dimension: int
