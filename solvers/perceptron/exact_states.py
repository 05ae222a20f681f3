"""The exact state of a run at chosen mistakes: sums of the mistaken rows of each class, and of their squared norms.

The mistaken rows come from the log of the run or, where the log is cut, from a second run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.dyadic import as_dense, as_fraction, as_integers
from maxmargin.solvers.exact.products import exact_squares, exact_sums
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.proof.hulls import ClassSums

# Number of slices of a repeated run whose mistakes, up to 65,536 each, are counted together.
_SLICES_TOGETHER = 256

# Row of a mistake that neither the log nor a second run reveals.
UNKNOWN_ROW = -1


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

    Raises
    ------
    KeyboardInterrupt
        If the second run was interrupted: the mistakes so far would look like all mistakes.
    InvalidProblemError
        If it makes fewer mistakes than the first run reports.
    """
    chosen = chosen_mistakes(run.n_mistakes, most)
    if len(run.mistake_rows) == run.n_mistakes:  # every mistake was logged
        return _IntervalList(chosen).with_mistakes(run.mistake_rows)
    # Random orders need the generator in its first state, rounding may decide uncertain scores differently, and rows
    # outside memory would be read as often as by the run.
    is_known = rng is not None or run.settings.order is Order.CYCLIC
    if is_known and isinstance(problem.row_source, InMemory) and not run.n_uncertain:
        found = _IntervalList(chosen)
        settings = replace(run.settings, max_mistakes=run.n_mistakes, time_limit=None)
        again = perceptron(problem, settings, rng=rng, on_mistakes=found.add)
        if again.stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        if again.n_mistakes != run.n_mistakes:
            raise InvalidProblemError(f"repeated, the run makes {again.n_mistakes:,} mistakes, not {run.n_mistakes:,}")
        return found.with_mistakes(np.empty(0, dtype=np.int64))
    within = np.union1d(chosen[chosen < len(run.mistake_rows)], len(run.mistake_rows))
    rest = run.mistake_counts - np.bincount(run.mistake_rows, minlength=problem.n_samples)
    rows = np.flatnonzero(rest)
    beyond = Interval(last=run.n_mistakes, last_row=UNKNOWN_ROW, parts=((rows, rest[rows]),))
    return [*_IntervalList(within).with_mistakes(run.mistake_rows), beyond]


class _IntervalList:
    """The intervals that end with the chosen mistakes; the rows of all mistakes come in parts."""

    def __init__(self, chosen: Rows) -> None:
        self._chosen = chosen
        self._found: list[Interval] = []
        self._parts: list[tuple[Rows, Rows]] = []
        self._waiting: list[Rows] = []
        self._position = 0

    def add(self, mistaken: Rows) -> None:
        """Add the rows of the next mistakes, which may be overwritten afterwards."""
        self._waiting.append(mistaken.copy())
        if len(self._waiting) == _SLICES_TOGETHER:
            self._cut()

    def with_mistakes(self, mistaken: Rows) -> list[Interval]:
        """Return all intervals, after the rows of the last mistakes."""
        self._waiting.append(mistaken)
        self._cut()
        return self._found

    def _cut(self) -> None:
        mistaken = np.concatenate(self._waiting)
        self._waiting.clear()
        ends = self._chosen[(self._chosen > self._position) & (self._chosen <= self._position + len(mistaken))]
        for piece in np.split(mistaken, ends - self._position):
            if piece.size:
                self._parts.append(np.unique(piece, return_counts=True))
                self._position += len(piece)
                if len(self._found) < len(self._chosen) and self._position == self._chosen[len(self._found)]:
                    parts = tuple(self._parts)
                    self._found.append(Interval(last=self._position, last_row=int(piece[-1]), parts=parts))
                    self._parts.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactStateSizes:
    """Limits of memory and of work, which change no number.

    Attributes
    ----------
    most_fetched : int
        Largest number of mistaken rows that are read on their own; of more, all chunks are read.
    entries_at_once : int
        Number of matrix entries that are added up at a time.
    """

    most_fetched: int = 4096
    entries_at_once: int = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactState:
    """A run right after a mistake, in exact numbers.

    Attributes
    ----------
    sums : ClassSums
        Sums of the mistaken rows of each class: w is the difference of the two.
    squares : Fraction
        The sum of ||x||^2 over the mistakes.
    """

    sums: ClassSums
    squares: Fraction

    @property
    def n_mistakes(self) -> int:
        """Mistakes so far."""
        return self.sums.n_negative + self.sums.n_positive

    def plus(self, other: "ExactState") -> "ExactState":
        """Return the run after the mistakes of both."""
        return ExactState(sums=self.sums.plus(other.sums), squares=self.squares + other.squares)

    def norm_squared(self, scale: Fraction) -> Fraction:
        """Return ||w||^2 in the space (x, s)."""
        mean = self.sums.mean_norm_squared(scale)
        assert mean is not None  # every exact state follows a mistake
        return mean * self.n_mistakes**2

    def inner_product(self, w: Floats, b: float) -> Fraction:
        """Return the inner product of the weights with (w, b/s), in the space (x, s) for any s."""
        normal, exponent = as_integers(w)
        sums = self.sums
        pairs = zip(sums.positive, sums.negative, normal.tolist(), strict=True)
        score = as_fraction(sum((p - n) * v for p, n, v in pairs), sums.exponent + exponent)
        return score + (sums.n_positive - sums.n_negative) * Fraction(b)


def exact_states(
    problem: Problem, found: Iterable[Interval], sizes: ExactStateSizes | None = None
) -> Iterator[ExactState]:
    """Yield the state of the run at the end of every interval; the rows are read once."""
    sizes = sizes or ExactStateSizes()
    intervals = tuple(found)
    if not intervals:
        return
    rows = np.unique(np.concatenate([mistaken for interval in intervals for mistaken, _ in interval.parts]))
    if len(rows) <= sizes.most_fetched:
        parts = _sums(intervals, rows, problem.dense_rows(rows), problem.y[rows], sizes.entries_at_once)
    else:
        chunks = problem.map(partial(_sums_of_chunk, intervals, rows, sizes.entries_at_once), problem.y)
        parts = (part for chunk in chunks for part in chunk)
    changes: dict[int, ExactState] = {}
    for position, part in parts:
        changes[position] = changes[position].plus(part) if position in changes else part
    yield from accumulate((changes[position] for position in range(len(intervals))), ExactState.plus)


def _sums_of_chunk(
    intervals: tuple[Interval, ...], wanted: Rows, at_once: int, rows: slice, X: Any, y: Floats
) -> list[tuple[int, ExactState]]:
    first, last = np.searchsorted(wanted, (rows.start, rows.stop))
    numbers = wanted[first:last]
    positions = numbers - rows.start
    return list(_sums(intervals, numbers, X[positions], y[positions], at_once)) if numbers.size else []


def _sums(
    intervals: tuple[Interval, ...], numbers: Rows, X: Any, y: Floats, at_once: int
) -> Iterator[tuple[int, ExactState]]:
    """Yield the contributions of some rows, with these numbers, to the intervals, and the position of each interval."""
    for part in slices(len(numbers), max(1, at_once // X.shape[1])):
        values = as_dense(X[part])
        squares, exponent = exact_squares(values)
        for position, interval in enumerate(intervals):
            for mistaken, times in interval.parts:
                first, last = np.searchsorted(mistaken, (numbers[part][0], numbers[part][-1] + 1))
                if first < last:
                    positions = np.searchsorted(numbers[part], mistaken[first:last])
                    weights = times[first:last].astype(object)
                    mistaken_rows = partial(exact_sums, values[positions])
                    sums = ClassSums.of_classes(y[part][positions], weights, mistaken_rows)
                    squared = as_fraction(weights.dot(squares[positions]), 2 * exponent)
                    yield position, ExactState(sums=sums, squares=squared)
