"""More than two classes: every class against the rest, every pair, and what follows for all at once."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, Protocol, TypeVar

from maxmargin.dataset import Dataset


class _Decided(Protocol):
    @property
    def strictly_separable(self) -> bool | None: ...


Answer = TypeVar("Answer", bound=_Decided)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAnswers(Generic[Answer]):
    """Answers for the two-class questions of a data set.

    Attributes
    ----------
    one_vs_rest : tuple of (class, Dataset, answer)
    pairs : tuple of ((class, class), Dataset, answer)
        The second class of a pair is +1.
    """

    one_vs_rest: tuple[tuple[object, Dataset, Answer], ...]
    pairs: tuple[tuple[tuple[object, object], Dataset, Answer], ...]

    @property
    def multinomially_separable(self) -> bool | None:
        """Whether scores w_k.x + b_k, one a class, can put every row's own class strictly first; None: undecided.

        True where every class is separable from the rest (each score is then positive on its own class only). False
        where a pair is not: the difference of its two scores would separate it.
        """
        if any(answer.strictly_separable is False for *_, answer in self.pairs):
            return False
        return True if all(answer.strictly_separable for *_, answer in self.one_vs_rest) else None

    @property
    def reason(self) -> str:
        """The multinomial answer in words, with what it follows from."""
        if self.multinomially_separable:
            return "separable, because every class is separable from the rest"
        stuck = [pair for pair, _, answer in self.pairs if answer.strictly_separable is False]
        if stuck:
            return f"not strictly separable, because {stuck[0][0]} and {stuck[0][1]} are not"
        return "undecided: neither answer follows from the classes against the rest and the pairs"


def class_answers(dataset: Dataset, solve: Callable[[Dataset], Answer]) -> ClassAnswers[Answer]:
    """Answer every class against the rest, and every pair."""
    pairs = list(combinations(dataset.classes, 2))
    return ClassAnswers(
        one_vs_rest=tuple((name, part := dataset.one_vs_rest(name), solve(part)) for name in dataset.classes),
        pairs=tuple((pair, part := dataset.pair(*pair), solve(part)) for pair in pairs),
    )
