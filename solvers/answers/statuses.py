"""How a question ended: verdicts and statuses, each with its advice, and answers that Ctrl-C cut short."""

from enum import StrEnum
from typing import Protocol, TypeVar

from maxmargin.solvers.answers.phrases import status_meaning, verdict_meaning

WHAT_WAS_PROVEN = "interrupted: this is what was proven by then"
"""Reason of an answer that Ctrl-C cut short."""


class _Answer(Protocol):
    @property
    def reason(self) -> str: ...


Answer = TypeVar("Answer", bound=_Answer)


def uninterrupted(answer: Answer) -> Answer:
    """Return the answer, for what is no use in half.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C cut the work short.
    """
    if answer.reason == WHAT_WAS_PROVEN:
        raise KeyboardInterrupt
    return answer


class Verdict(StrEnum):
    """The answers to "is it linearly separable?", in the words of Albert and Anderson (1984)."""

    SEPARABLE = "separable"
    QUASI_SEPARABLE = "quasi-separable"
    OVERLAP = "overlap"
    UNDECIDED = "undecided"

    @property
    def advice(self) -> str:
        """What the verdict means, in one sentence that holds with a bias and without."""
        return verdict_meaning(self.value, bias=None)

    def advice_for(self, *, bias: bool) -> str:
        """Return what the verdict means of hyperplanes with a bias, or of those through the origin."""
        return verdict_meaning(self.value, bias=bias)


class Status(StrEnum):
    """How a maximum-margin or soft-margin question ended."""

    OPTIMAL = "optimal"
    LIMIT = "limit"
    NUMERICAL = "numerical"
    QUASI_SEPARABLE = "quasi-separable"
    OVERLAP = "overlap"
    NOT_STRICTLY_SEPARABLE = "not-strictly-separable"
    UNDECIDED = "undecided"

    @property
    def is_inseparable(self) -> bool:
        """Whether it is proven that no hyperplane separates strictly: then the maximum margin is 0."""
        return self in (Status.QUASI_SEPARABLE, Status.OVERLAP, Status.NOT_STRICTLY_SEPARABLE)

    @property
    def advice(self) -> str:
        """What the status means and what to do, in one sentence that holds with a bias and without."""
        return status_meaning(self.value, bias=None)

    def advice_for(self, *, bias: bool) -> str:
        """Return what the status means and what to do, of hyperplanes with a bias, or of those through the origin."""
        return status_meaning(self.value, bias=bias)
