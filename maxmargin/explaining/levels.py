"""Levels of categorical variables in which a class does not occur: the reasons that a reader can check by counting."""

from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.explaining.rows_in_words import sides
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

OPPOSITE = {"+": "-", "-": "+"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """A class without rows in a level: its log-odds there can go to minus infinity while no row is on the wrong side.

    Attributes
    ----------
    factor : Factor
        The variable.
    level : str
        The level, which some rows have.
    group : int
        The class, as a number from 0.
    n_rows : int
        The number of rows of the level.
    can_merge : bool
        Whether every class occurs in another level of the variable.
    """

    factor: Factor
    level: str
    group: int
    n_rows: int
    can_merge: bool

    @property
    def is_reference(self) -> bool:
        """Whether the level is the reference, which has no column."""
        return self.level == self.factor.reference

    @property
    def name(self) -> str:
        """The name of the level in sentences about rows."""
        return self.factor.level(self.level)


def absences(answer: ProvenVerdict) -> tuple[Absence, ...]:
    """Return the classes without rows in a level of a variable, counted on all rows.

    Each of them alone is a direction to infinity. Variables with an aliased column, whose coefficient is set to 0, are
    left out, and reference levels of models without an intercept.
    """
    return tuple(found for factor in answer.names.factors for found in _of_factor(answer, factor))


def _of_factor(answer: ProvenVerdict, factor: Factor) -> Iterator[Absence]:
    assert answer.details is not None and answer.columns is not None
    names = list(answer.names.columns or ())
    if any(names.count(column) != 1 for column in factor.columns.values()):
        return
    columns = list(map(names.index, factor.columns.values()))
    aliased = {answer.place(coordinate)[1] for coordinate in answer.columns.aliased}
    counts = None if aliased.intersection(columns) else answer.details.level_counts(columns)
    if counts is None:
        return
    levels = [*factor.columns]
    if factor.reference is not None and answer.bias:
        levels.append(factor.reference)
    can_merge = bool(counts[: len(levels)].all(axis=1).any())
    for level, of_classes in zip(levels, counts.tolist(), strict=False):
        for group, number in enumerate(of_classes):
            if not number and any(of_classes):
                yield Absence(factor=factor, level=level, group=group, n_rows=sum(of_classes), can_merge=can_merge)


def reason_of(answer: ProvenVerdict, absence: Absence, coordinate: int, sign: str) -> str | None:
    """Return the reason in words if an absence sends this coordinate to infinity with this sign; else None."""
    assert answer.names.columns is not None
    block, column = answer.place(coordinate)
    if absence.group not in (0, block + 1):
        return None
    of_level = "-" if absence.group else "+"
    name = None if column == answer.n_features else answer.names.columns[column]
    if not absence.is_reference:
        is_moved = name == absence.factor.columns[absence.level] and sign == of_level
    elif name is None:
        is_moved = sign == of_level
    else:
        is_moved = name in absence.factor.columns.values() and sign == OPPOSITE[of_level]
    return words_of(answer, absence) if is_moved else None


def words_of(answer: ProvenVerdict, absence: Absence) -> str:
    """Return the sentence about the rows of a level in which a class does not occur."""
    side = sides(answer, absence.group)[1]
    return side.of_all(absence.n_rows, f"{absence.name}{', the reference level,' * absence.is_reference}")
