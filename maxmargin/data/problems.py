"""From a data set to the questions that the solvers are asked: about two classes, or about all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

import numpy as np

from maxmargin.data.dataset import Dataset
from maxmargin.data.labels.labels import encode
from maxmargin.solvers.errors import InvalidProblemError, option
from maxmargin.solvers.problem.problem import ClassProblem, Problem
from maxmargin.text.data_error import quote

Answer = TypeVar("Answer")


def problem_of(dataset: Dataset, *, bias: bool = True) -> Problem:
    """Return the two-class question of a data set.

    Raises
    ------
    InvalidProblemError
        If it has more than two classes and no positive one was chosen, or numbers that binary64 does not hold.
    """
    if not dataset.is_binary:
        raise InvalidProblemError(
            f"{dataset.source} has {len(dataset.classes)} classes; expected two, "
            f"or {option('positive')} to choose one of them"
        )
    check_is_binary64(dataset)
    y = dataset.y.astype("float64") if dataset.is_in_memory else dataset.y  # outside memory there may be many
    is_greater_of_two = len(dataset.classes) == 2 and dataset.positive == dataset.classes[1]
    positive = None if is_greater_of_two else dataset.positive
    return Problem(dataset.X, y, bias, known_bounds=dataset.bounds, positive=positive)


def class_problem_of(dataset: Dataset, *, bias: bool = True) -> ClassProblem:
    """Return the question of all classes of a data set at once; the classes are numbered in their order.

    Raises
    ------
    InvalidProblemError
        If it has numbers that binary64 does not hold.
    """
    check_is_binary64(dataset)
    labels = encode(dataset.labels)
    codes = labels.codes.astype("int64")
    return ClassProblem(dataset.X, codes, len(labels.classes), bias, known_bounds=dataset.bounds)


def check_is_binary64(dataset: Dataset) -> None:
    """Check that `X` is no rounding of numbers that are known exactly: an answer would be about other numbers.

    Raises
    ------
    InvalidProblemError
        The message names the first number that binary64 does not hold.
    """
    if dataset.exact is None:
        return
    units, integers = dataset.exact.units.units, dataset.exact.integers
    is_other = np.column_stack([dataset.X[:, j] != integers[:, j] * unit for j, unit in enumerate(units)])
    row, column = np.unravel_index(int(np.argmax(is_other)), is_other.shape)
    found = quote(units[column] * integers[row, column])
    raise InvalidProblemError(
        f"{dataset.source}: {dataset.describe_row(int(row))}, column {dataset.feature_names[column]!r}: found {found}, "
        "expected one that binary64 holds exactly (verdicts are decided for such numbers; convert them to binary64 "
        "yourself to have other questions answered for the roundings)"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAnswers(Generic[Answer]):
    """Answers for the questions of a data set with more than two classes.

    Attributes
    ----------
    one_vs_rest : tuple of (class, Dataset, answer)
    pairs : tuple of ((class, class), Dataset, answer)
        The second class of a pair is +1.
    multinomial : answer
        For all classes at once: scores, one a class, that put every row's own class first.
    """

    one_vs_rest: tuple[tuple[object, Dataset, Answer], ...]
    pairs: tuple[tuple[tuple[object, object], Dataset, Answer], ...]
    multinomial: Answer


def class_answers(
    dataset: Dataset, of_two: Callable[[Dataset], Answer], of_all: Callable[[Dataset], Answer]
) -> ClassAnswers[Answer]:
    """Ask about all classes, every class against the rest, and every pair, in this order."""
    pairs = list(combinations(dataset.classes, 2))
    multinomial = of_all(dataset)
    return ClassAnswers(
        one_vs_rest=tuple((name, part := dataset.one_vs_rest(name), of_two(part)) for name in dataset.classes),
        pairs=tuple((pair, part := dataset.pair(*pair), of_two(part)) for pair in pairs),
        multinomial=multinomial,
    )
