"""The mistaken rows between chosen mistakes: from the log of the run, or, if the log is cut, from a second run."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidCheckpointError
from maxmargin.solvers.perceptron.checkpoint import Checkpoint
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory

Rows = NDArray[np.int64]

UNKNOWN_ROW = -1
"""Stands for the row of a mistake that neither the log nor a second run reveals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The mistakes after one chosen mistake, up to the next one.

    Attributes
    ----------
    last : int
        The number of its last mistake, from 1.
    last_row : int
        The row of the last mistake, or `UNKNOWN_ROW`.
    parts : tuple of (rows, times)
        Mistaken rows in increasing order, and their counts; a row may be in several parts.
    """

    last: int
    last_row: int
    parts: tuple[tuple[Rows, Rows], ...]


def chosen_mistakes(n_mistakes: int, most: int) -> Rows:
    """Return up to `most` of the mistakes 1, 2, ..., n_mistakes, the last one among them.

    If there are more mistakes, the first half of the result is the first mistakes without gaps, and the rest is evenly
    spaced on a logarithmic scale.

    Examples
    --------
    >>> chosen_mistakes(3, 8).tolist(), chosen_mistakes(1000, 8).tolist()
    ([1, 2, 3], [1, 2, 3, 4, 16, 63, 251, 1000])
    """
    if n_mistakes <= most:
        return np.arange(1, n_mistakes + 1)
    n_first = most // 2
    spaced = np.geomspace(max(1, n_first), n_mistakes, most - n_first + (n_first > 0))
    return np.union1d(np.arange(1, n_first + 1), np.rint(spaced).astype(np.int64))


def is_log_whole(run: PerceptronRun) -> bool:
    """Return whether every mistake of the run was logged."""
    return len(run.mistake_rows) == run.n_mistakes


def can_be_run_again(problem: Problem, run: PerceptronRun, rng: np.random.Generator | None) -> bool:
    """Return whether the same mistakes can be made again, in parts.

    A run on rows outside memory can be continued only after whole epochs, random orders need the generator in its
    first state, and rounding may decide uncertain scores differently.
    """
    is_known = rng is not None or run.settings.order is Order.CYCLIC
    return is_known and isinstance(problem.row_source, InMemory) and not run.n_uncertain


def intervals(
    problem: Problem, run: PerceptronRun, *, most: int, rng: np.random.Generator | None = None
) -> list[Interval]:
    """Return the mistakes between up to `most` chosen ones.

    Parameters
    ----------
    problem : Problem
    run : PerceptronRun
        On this problem, finished or not.
    most : int
    rng : numpy.random.Generator, optional
        In its state before the run. If the log is cut, the run is repeated; if this is impossible, all mistakes beyond
        the log are one interval.
    """
    chosen = chosen_mistakes(run.n_mistakes, most)
    if is_log_whole(run):
        return _cut(chosen, iter([run.mistake_rows]))
    if can_be_run_again(problem, run, rng):
        return _cut(chosen, _made_again(problem, run, rng))
    within = np.union1d(chosen[chosen < len(run.mistake_rows)], len(run.mistake_rows))
    return [*_cut(within, iter([run.mistake_rows])), _beyond_the_log(problem, run)]


def _cut(chosen: Rows, blocks: Iterator[Rows]) -> list[Interval]:
    """Return the intervals of all mistakes, whose rows come in blocks."""
    found: list[Interval] = []
    parts: list[tuple[Rows, Rows]] = []
    position = 0
    for block in blocks:
        ends = chosen[(chosen > position) & (chosen <= position + len(block))]
        for piece in np.split(block, ends - position):
            if piece.size:
                parts.append(np.unique(piece, return_counts=True))
                position += len(piece)
            if piece.size and len(found) < len(chosen) and position == chosen[len(found)]:
                found.append(Interval(last=position, last_row=int(piece[-1]), parts=tuple(parts)))
                parts = []
    return found


def _made_again(problem: Problem, run: PerceptronRun, rng: np.random.Generator | None) -> Iterator[Rows]:
    """Yield the rows of all mistakes, block after block: the run continues where the last log was full.

    Raises
    ------
    KeyboardInterrupt
        If the run was interrupted: the mistakes so far would look like all mistakes.
    InvalidCheckpointError
        If it makes fewer mistakes than the first run reports.
    """
    kept: list[Checkpoint] = []
    position = 0
    while position < run.n_mistakes:
        position = min(position + run.settings.sizes.most_logged, run.n_mistakes)
        settings = replace(run.settings, max_mistakes=position, time_limit=None)
        start = _with_empty_logs(kept[-1]) if kept else None
        kept.clear()
        again = perceptron(problem, settings, rng=rng, checkpoint=start, on_checkpoint=kept.append)
        if again.stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        if again.n_mistakes != position:
            raise InvalidCheckpointError("more mistakes than the run makes when it is made again")
        yield again.mistake_rows


def _with_empty_logs(checkpoint: Checkpoint) -> Checkpoint:
    nothing = np.empty(0, dtype=np.int64)
    return replace(checkpoint, arrays={**checkpoint.arrays, "mistakes": nothing, "epochs": nothing})


def _beyond_the_log(problem: Problem, run: PerceptronRun) -> Interval:
    rest = run.mistake_counts - np.bincount(run.mistake_rows, minlength=problem.n_samples)
    rows = np.flatnonzero(rest)
    return Interval(last=run.n_mistakes, last_row=UNKNOWN_ROW, parts=((rows, rest[rows]),))
