"""Classes that do not occur in a level of a variable, or in a cell of several variables that interact."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

# A level of a variable in the name of a column of a formula, such as C(stage)[T.IV], and the variable in its coding.
_LEVEL = re.compile(r"(C\(.*\)|[^:()\[\]]+)\[(?:T\.)?([^\[\]]*)\]")
_CODED = re.compile(r"C\((\w+)\s*[,)].*")

# Largest number of columns, and of cells, for which the weights of all indicators are found in a second.
_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """A class without rows in a level, or in a cell: a combination of levels of variables that interact.

    Its log-odds there can go to minus infinity while no row is on the wrong side.

    Attributes
    ----------
    levels : tuple of str
        The level, which some rows have, or the levels of the cell, in sentences about rows.
    moves : dict of int to int
        The weights of columns, by position, with which they sum to 1 in these rows and to 0 in all others.
    group : int
        The class, as a number from 0.
    n_rows : int
        The number of rows of the level.
    can_merge : bool
        Whether every class occurs in another level of the variable, or in another cell.
    is_reference : bool
        Whether it is the reference level of a variable, which has no column.
    """

    levels: tuple[str, ...]
    moves: Mapping[int, int]
    group: int
    n_rows: int
    can_merge: bool
    is_reference: bool = False

    @property
    def name(self) -> str:
        """The name of the level or the cell in sentences about rows."""
        return " and ".join(self.levels)


def absences_of(answer: ProvenVerdict) -> tuple[Absence, ...]:
    """Return the classes without rows in a level of a variable or in a cell, counted on all rows.

    Each of them alone is a direction to infinity: the indicator of its rows is a combination of the columns. A cell of
    a level in which the class does not occur is not named again.
    """
    factors, names = answer.names.factors, Counter(map(str, answer.names.columns or ()))
    coded = {column: {factor.name: level} for factor in factors for level, column in factor.columns.items()}
    different = names if names.total() == len(names) else ()
    columns = {j: coded.get(name) or _levels_in(name) for j, name in enumerate(different)}
    groups = {frozenset(levels) for levels in columns.values() if len(levels) > 1}
    largest = [group for group in groups if not any(group < other for other in groups)]
    found = list[Absence]()
    for group in (*({factor.name} for factor in factors), *sorted(largest, key=sorted)):
        known = {(absence.group, *absence.levels) for absence in found}
        of_group = {j: levels for j, levels in columns.items() if levels and levels.keys() <= group}
        cells = _of_group(answer, of_group)
        found += [one for one in cells if not known & {(one.group, level) for level in one.levels}]
    return tuple(found)


def _of_group(answer: ProvenVerdict, columns: Mapping[int, dict[str, str]]) -> Iterator[Absence]:
    """Yield the absences in the cells of some variables whose levels and products of levels have these columns."""
    assert answer.columns is not None and answer.details is not None
    aliased, ranges = {answer.place(coordinate)[1] for coordinate in answer.columns.aliased}, answer.details.ranges
    is_one = ((ranges.least == 1) & (ranges.greatest == 1)).all(axis=0)
    constants = [answer.n_features] if answer.bias else np.flatnonzero(is_one)[:1].tolist()
    kept, counts = [j for j in (*columns, *constants) if j not in aliased], _counts(answer, list(columns))
    cells = np.array([[dict(zip(columns, cell, strict=True)).get(j, 1.0) for j in kept] for cell in counts])
    # The pseudo-inverse finds the weights of every indicator that is a combination; whole ones are checked.
    weights = np.rint(np.linalg.pinv(cells)) if cells.size else np.zeros((0, 0))
    can_merge = any(all(of_classes) for of_classes in counts.values())
    for place, (cell, of_classes) in enumerate(counts.items() if cells.size else ()):
        is_found = np.array_equal(cells @ weights[:, place], np.eye(len(cells))[place])
        levels = _named(cell, list(columns.values()), answer.names.factors) if is_found else ()
        moves = {j: int(weight) for j, weight in zip(kept, weights[:, place].tolist(), strict=True) if weight}
        for absent in np.flatnonzero(np.array(of_classes) == 0).tolist() if levels else ():
            yield Absence(
                levels=levels, moves=moves, group=absent, n_rows=sum(of_classes), can_merge=can_merge,
                is_reference=len(levels) == 1 and not any(cell),
            )  # fmt: skip


def _levels_in(column: str) -> dict[str, str]:
    """Return the levels whose indicators are multiplied in a column of a formula; none for any other column.

    Examples
    --------
    >>> _levels_in("C(sex)[T.m]:stage[IV]"), _levels_in("sex[T.m]:age"), _levels_in("age")
    ({'sex': 'm', 'stage': 'IV'}, {}, {})
    """
    parts = [_LEVEL.fullmatch(part if part.endswith("]") else f"{part}]") for part in column.split("]:")]
    levels = {_CODED.sub(r"\1", part[1]): part[2] for part in parts if part is not None}
    return levels if len(levels) == len(parts) else {}


def _counts(answer: ProvenVerdict, columns: list[int]) -> dict[tuple[int, ...], list[int]]:
    """Return the number of rows of every class by the values of some columns; none if these are not all 0 and 1."""
    assert answer.details is not None
    n_classes, found = answer.details.n_classes, Counter[tuple[int, ...]]()
    for X, codes in answer.details.chunks():
        ones = X[:, columns] == 1
        if not (ones | (X[:, columns] == 0)).all() or len(columns) > _MOST:
            return {}
        found.update(map(tuple, np.c_[ones, codes].tolist()))
    cells = sorted({row[:-1] for row in found}, reverse=True)
    return {cell: [found[(*cell, code)] for code in range(n_classes)] for cell in cells if len(cells) <= _MOST}


def _named(cell: Sequence[int], columns: Sequence[dict[str, str]], factors: Sequence[Factor]) -> tuple[str, ...]:
    """Return the levels of a cell in sentences about rows; none if the columns do not tell them."""
    held: dict[str, str] = {}
    for levels, is_in in zip(columns, cell, strict=True):
        held |= levels if is_in else {}
    names = [*max(columns, key=lambda levels: len(levels))]
    for name, factor in {factor.name: factor for factor in factors if factor.name in names}.items():
        alone = {levels[name] for levels in columns if levels.keys() == {name}}
        if factor.reference is not None and alone == {*factor.columns}:
            held.setdefault(name, factor.reference)
    words = {name: f"{name}={level}" for name, level in held.items()}
    for name in (name for name in names if name not in held):
        of_name = [levels for levels in columns if name in levels]
        listed = {levels[name] for levels in of_name}
        told = {levels[name] for levels in of_name if levels.items() <= {*held.items(), (name, levels[name])}}
        if listed != told:
            return ()
        words[name] = f"{name} other than {' and '.join(sorted(listed))}"
    is_product = [bool(is_in) == (levels.items() <= held.items()) for levels, is_in in zip(columns, cell, strict=True)]
    return tuple(words[name] for name in names) if all(is_product) else ()
