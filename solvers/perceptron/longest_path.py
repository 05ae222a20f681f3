"""The most mistakes of the perceptron over all sequences of rows: the longest path through the weights it can reach."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import mul
from typing import Any

from maxmargin.solvers.basics.limits import never
from maxmargin.solvers.basics.option_values import check_choice
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.perceptron.settings import ZERO_RULES
from maxmargin.solvers.problem.problem import Problem

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """The longest sequence of mistakes from w = 0.

    Attributes
    ----------
    n_mistakes : int or None
        None if some sequence never ends.
    rows : tuple of int
        Rows each of which is a mistake in its turn; no sequence has more mistakes.
    cycle : tuple of int
        If some sequence never ends, rows that are mistakes after `rows` and lead back to the same weights; else empty.
    n_states : int
        Number of weight vectors that were visited.
    """

    n_mistakes: int | None
    rows: tuple[int, ...]
    cycle: tuple[int, ...] = ()
    n_states: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Graph:
    """Weights, and the mistakes that lead from one vector to another.

    Attributes
    ----------
    steps : tuple of (int, int, Vector)
        Row, label y and z = y (x, 1), in whole multiples of a power of two; equal rows once.
    at_zero : int
        The prediction for a score of 0; 0 for none.
    """

    steps: tuple[tuple[int, int, Vector], ...]
    at_zero: int

    @property
    def start(self) -> Vector:
        """The weights 0."""
        return (0,) * len(self.steps[0][2])

    def mistakes(self, w: Vector) -> Iterator[tuple[int, Vector]]:
        """Yield rows that are mistakes at w, and the weights after each."""
        for row, label, z in self.steps:
            score = sum(map(mul, w, z))
            if score < 0 or (score == 0 and self.at_zero != label):
                yield row, tuple(weight + value for weight, value in zip(w, z, strict=True))

    def rows_along(self, path: list[Vector]) -> tuple[int, ...]:
        """Return the rows that lead from each of the weights to the next."""
        return tuple(next(row for row, after in self.mistakes(w) if after == wanted) for w, wanted in pairwise(path))


def worst_case_mistakes(
    X: Any,
    y: Any,
    *,
    bias: bool = True,
    zero: str = "mistake",
    max_states: int = 1_000_000,
    is_over: Callable[[], bool] = never,
) -> WorstCase:
    """Return the most mistakes that the perceptron makes from w = 0 on any sequence of rows, repeated or not.

    The weights after a sequence of mistakes are sums of rows y (x, 1); an edge leads from w to w + y (x, 1) where the
    row is a mistake at w. Where a hyperplane separates strictly, w.u grows with every mistake, so no path returns, and
    Novikoff (1962) bounds their length; the longest is found by a search in depth that visits every w once.

    Parameters
    ----------
    X : array_like (n_samples, n_features)
        The numbers as stored, in exact arithmetic. Few small integers: the reachable weights are at most of the
        order of (sqrt(M) R)^d many.
    y : array_like (n_samples,) of -1 and +1
    bias : bool
        Whether rows have the constant coordinate 1.
    zero : {"mistake", "positive", "negative"}
        How a score of 0 counts: as a mistake, or as a prediction of +1 or of -1.
    max_states : int
        Largest number of weight vectors to visit.
    is_over : callable
        Called for every weight vector; if it returns True, the search is given up.

    Raises
    ------
    InvalidProblemError
        If the data state no problem, more weights are reached, or the search is given up.
    InvalidOptionError
        If `zero` is unknown.

    Examples
    --------
    >>> worst_case_mistakes([[-1, -1], [-1, 1], [1, -1], [1, 1]], [-1, -1, -1, 1]).n_mistakes
    3
    >>> worst_case_mistakes([[1], [1]], [-1, 1]).cycle
    (0, 1)
    """
    check_choice("zero", zero, ZERO_RULES)
    graph = _Graph(steps=_steps(Problem.validated(X, y, bias=bias)), at_zero=ZERO_RULES[zero])
    most: dict[Vector, int] = {}
    path = {graph.start: graph.mistakes(graph.start)}
    while path:
        w = next(reversed(path))
        after = next((after for _, after in path[w] if after not in most), None)
        if after in path:
            return _endless(graph, [*path, after], len(most) + len(path))
        if after is not None:
            path[after] = graph.mistakes(after)
        else:
            path.popitem()
            most[w] = max((1 + most[after] for _, after in graph.mistakes(w)), default=0)
        if len(most) + len(path) > max_states:
            raise InvalidProblemError(
                f"found more than max_states = {max_states} weights; expected fewer, smaller rows"
            )
        if is_over():
            raise InvalidProblemError(f"the time was over after {len(most) + len(path)} weights")
    w, rows = graph.start, []
    while most[w]:
        row, w = next((row, after) for row, after in graph.mistakes(w) if most[after] == most[w] - 1)
        rows.append(row)
    return WorstCase(n_mistakes=len(rows), rows=tuple(rows), n_states=len(most))


def _endless(graph: _Graph, path: list[Vector], n_states: int) -> WorstCase:
    """Return the case of a path whose last weights are among those before."""
    first = path.index(path[-1])
    before, cycle = path[: first + 1], path[first:]
    return WorstCase(n_mistakes=None, rows=graph.rows_along(before), cycle=graph.rows_along(cycle), n_states=n_states)


def _steps(problem: Problem) -> tuple[tuple[int, int, Vector], ...]:
    integers, exponent = problem.exact_rows(slice(None))
    constant = (1 << max(0, -exponent),) if problem.bias else ()
    steps: dict[tuple[int, Vector], int] = {}
    for row, (values, sign) in enumerate(zip(integers.tolist(), problem.y.tolist(), strict=True)):
        label = int(sign)
        whole = [int(value) << max(0, exponent) for value in values]
        steps.setdefault((label, tuple(label * value for value in (*whole, *constant))), row)
    return tuple((row, label, z) for (label, z), row in steps.items())
