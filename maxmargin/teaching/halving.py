"""The halving algorithm on a finite class of concepts, and its worst case."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Mask
from maxmargin.solvers.errors import InvalidProblemError


@dataclass(frozen=True, slots=True, kw_only=True)
class HalvingRun:
    """A run of the halving algorithm.

    Attributes
    ----------
    mistake_rows : tuple of int
        In order of presentation.
    n_consistent : int
        Number of concepts that agree with all labels.
    bound : int
        floor(log2 |class|).
    """

    mistake_rows: tuple[int, ...]
    n_consistent: int
    bound: int

    @property
    def n_mistakes(self) -> int:
        """Number of mistakes."""
        return len(self.mistake_rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class HalvingWorstCase:
    """Rows and labels on which the halving algorithm makes the largest number of mistakes.

    Attributes
    ----------
    n_mistakes : int
    rows : tuple of int
    labels : tuple of bool
    n_states : int
        Number of sets of concepts that are consistent with some labels.
    """

    n_mistakes: int
    rows: tuple[int, ...]
    labels: tuple[bool, ...]
    n_states: int


def halving(concepts: Any, rows: Sequence[int], labels: Sequence[bool]) -> HalvingRun:
    """Predict every label by a majority of the concepts that agree with all labels so far; a tie predicts true.

    After a mistake at most half of these concepts are left, and at least one, so there are at most floor(log2 |class|)
    mistakes (Angluin 1988, Littlestone 1988).

    Parameters
    ----------
    concepts : array_like of bool, of shape (n_concepts, n_rows)
        Mask tables, such as those of `threshold_functions`; equal ones count once.
    rows : sequence of int
        Indices of the columns of `concepts`, in the order of presentation.
    labels : sequence of bool
        The labels of these rows.

    Returns
    -------
    HalvingRun
        The mistakes, and the bound on them.

    Raises
    ------
    InvalidProblemError
        If the tables have other values, or no concept agrees with all labels.

    See Also
    --------
    worst_case_halving : Find the worst sequence.

    References
    ----------
    .. [1] N. Littlestone, "Learning quickly when irrelevant attributes abound: a new linear-threshold algorithm",
       Machine Learning 2 (1988), 285-318.
    .. [2] D. Angluin, "Queries and concept learning", Machine Learning 2 (1988), 319-342.

    Examples
    --------
    >>> from maxmargin.boolean import threshold_functions
    >>> run = halving(threshold_functions(3), rows=range(8), labels=[True] + [False] * 7)
    >>> run.mistake_rows, run.n_consistent, run.bound
    ((1, 2, 4), 1, 6)
    """
    left = tables = _class_of(concepts)
    mistakes = []
    for row, label in zip(rows, labels, strict=True):
        if _predicts(int(left[:, row].sum()), len(left)) != bool(label):
            mistakes.append(int(row))
        left = left[left[:, row] == bool(label)]
        if not len(left):
            raise InvalidProblemError(f"no concept agrees with all labels up to that of row {row}")
    run = HalvingRun(mistake_rows=tuple(mistakes), n_consistent=len(left), bound=len(tables).bit_length() - 1)
    assert run.n_mistakes <= run.bound  # a theorem
    return run


def worst_case_halving(concepts: Any, *, max_states: int = 100_000) -> HalvingWorstCase:
    """Return the largest number of mistakes of `halving` over all sequences of rows and all concepts, with a sequence.

    A state is the set of the concepts that are consistent with some labels. A label leads from it to a smaller state,
    at the cost of a mistake if the other label is predicted. Dynamic programming solves the states by their size.

    Parameters
    ----------
    concepts : array_like of bool, of shape (n_concepts, n_rows)
        Mask tables, such as those of `threshold_functions`.
    max_states : int, default 100_000
        Largest number of states. The threshold functions of 3 variables have 2,641.

    Returns
    -------
    HalvingWorstCase
        The number of mistakes, and a sequence that attains it.

    Raises
    ------
    InvalidProblemError
        If there are more states, or the tables have other values.

    See Also
    --------
    halving : Run the algorithm on one sequence.

    Examples
    --------
    >>> from maxmargin.boolean import threshold_functions
    >>> worst_case_halving(threshold_functions(2)).n_mistakes
    3
    """
    tables = _class_of(concepts)
    columns = [sum(1 << concept for concept in np.flatnonzero(column).tolist()) for column in tables.T]
    everything = (1 << len(tables)) - 1
    best: dict[int, tuple[int, int, bool, int]] = {}
    # Every move leads to a smaller set, so that the best way on from it is known when a larger set is looked at.
    for left in sorted(_states(everything, columns, max_states), key=int.bit_count):
        choices = ((best[rest][0] + cost, row, label, rest) for row, label, rest, cost in _moves(left, columns))
        best[left] = max(choices, default=(0, -1, False, left))
    steps = list(_steps(everything, best))
    return HalvingWorstCase(
        n_mistakes=best[everything][0],
        rows=tuple(row for row, _ in steps),
        labels=tuple(label for _, label in steps),
        n_states=len(best),
    )


def _predicts(n_true: int, n_concepts: int) -> bool:
    return 2 * n_true >= n_concepts


def _class_of(concepts: Any) -> Mask:
    tables = np.asarray(concepts)
    if tables.ndim != 2 or 0 in tables.shape or not np.isin(tables, (0, 1)).all():
        raise InvalidProblemError("the concepts are no table (n_concepts, n_rows) of truth values, both at least 1")
    return np.unique(tables.astype(np.bool_), axis=0)


def _moves(left: int, columns: Iterable[int]) -> Iterator[tuple[int, bool, int, int]]:
    """Yield ``(row, label, concepts left after it, mistakes)`` for the rows on which the concepts disagree."""
    for row, column in enumerate(columns):
        true, false = left & column, left & ~column
        if true and false:
            predicted = _predicts(true.bit_count(), left.bit_count())
            yield row, True, true, int(not predicted)
            yield row, False, false, int(predicted)


def _states(everything: int, columns: Sequence[int], max_states: int) -> set[int]:
    known, waiting = {everything}, [everything]
    while waiting:
        for _, _, rest, _ in _moves(waiting.pop(), columns):
            if rest not in known:
                known.add(rest)
                waiting.append(rest)
        if len(known) > max_states:
            raise InvalidProblemError(f"found more than {max_states} sets of concepts; expected fewer, or max_states=")
    return known


def _steps(left: int, best: dict[int, tuple[int, int, bool, int]]) -> Iterator[tuple[int, bool]]:
    while best[left][3] != left:
        _, row, label, left = best[left]
        yield row, label
