"""More than two classes: every class against the rest, every pair, and all at once."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

from maxmargin.data.dataset import Dataset

Answer = TypeVar("Answer")


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
