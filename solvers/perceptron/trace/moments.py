"""The exact state of a run after chosen mistakes: sums of the mistaken rows of each class, and of squared norms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.exact.dyadic import Integers, as_dense, as_fraction, as_integers
from maxmargin.solvers.exact.products import exact_squares, exact_sums
from maxmargin.solvers.perceptron.trace.mistake_log import Interval
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import ClassSums

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentSizes:
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
class Moment:
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

    def plus(self, other: "Moment") -> "Moment":
        """Return the run after the mistakes of both."""
        return Moment(sums=self.sums.plus(other.sums), squares=self.squares + other.squares)

    def norm_squared(self, scale: Fraction) -> Fraction:
        """Return ||w||^2 in the space (x, s)."""
        mean = self.sums.mean_norm_squared(scale)
        assert mean is not None  # there is a mistake in every moment
        return mean * self.n_mistakes**2

    def inner_product(self, w: Floats, b: float) -> Fraction:
        """Return the inner product of the weights with (w, b/s), in the space (x, s) for any s."""
        normal, exponent = as_integers(w)
        sums = self.sums
        pairs = zip(sums.positive, sums.negative, normal.tolist(), strict=True)
        score = as_fraction(sum((p - n) * v for p, n, v in pairs), sums.exponent + exponent)
        return score + (sums.n_positive - sums.n_negative) * Fraction(b)


def moments(problem: Problem, found: Iterable[Interval], sizes: MomentSizes | None = None) -> Iterator[Moment]:
    """Yield the state of the run at the end of every interval; the rows are read once."""
    sizes = sizes or MomentSizes()
    intervals = tuple(found)
    if not intervals:
        return
    rows = np.unique(np.concatenate([mistaken for interval in intervals for mistaken, _ in interval.parts]))
    if len(rows) <= sizes.most_fetched:
        parts = _sums(intervals, rows, problem.dense_rows(rows), problem.y[rows], sizes.entries_at_once)
    else:
        chunks = problem.map(partial(_sums_of_chunk, intervals, rows, sizes.entries_at_once), problem.y)
        parts = (part for chunk in chunks for part in chunk)
    changes: dict[int, Moment] = {}
    for position, part in parts:
        changes[position] = changes[position].plus(part) if position in changes else part
    yield from accumulate((changes[position] for position in range(len(intervals))), Moment.plus)


def _sums_of_chunk(
    intervals: tuple[Interval, ...], wanted: Rows, at_once: int, rows: slice, X: Any, y: Floats
) -> list[tuple[int, Moment]]:
    first, last = np.searchsorted(wanted, (rows.start, rows.stop))
    numbers = wanted[first:last]
    positions = numbers - rows.start
    return list(_sums(intervals, numbers, X[positions], y[positions], at_once)) if numbers.size else []


def _sums(
    intervals: tuple[Interval, ...], numbers: Rows, X: Any, y: Floats, at_once: int
) -> Iterator[tuple[int, Moment]]:
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
                    squared = as_fraction(weights.dot(squares[positions]), 2 * exponent)
                    yield position, _moment(values[positions], squared, weights, y[part][positions])


def _moment(values: Floats, squares: Fraction, times: Integers, y: Floats) -> Moment:
    """Return the sums of rows, each as often as it was mistaken, and of their squared norms."""
    return Moment(sums=ClassSums.of_classes(y, times, partial(exact_sums, values)), squares=squares)
