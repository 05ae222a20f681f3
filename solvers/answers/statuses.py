"""Verdicts and statuses with their meanings, and answers that Ctrl-C cut short."""

from enum import StrEnum
from typing import Protocol, TypeVar

from maxmargin.solvers.answers.answer_text import through
from maxmargin.solvers.basics.printable import printable

# The reason that an answer gives if Ctrl-C cut the work short.
WHAT_WAS_PROVEN = "interrupted: this is what was proven by then"


class _Answer(Protocol):
    @property
    def reason(self) -> str: ...


Answer = TypeVar("Answer", bound=_Answer)


def uninterrupted(answer: Answer) -> Answer:
    """Return the answer unless it was interrupted, for work that is of no use half done.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C cut the work short.
    """
    if answer.reason == WHAT_WAS_PROVEN:
        raise KeyboardInterrupt
    return answer


class Verdict(StrEnum):
    """The answers to the question whether data are linearly separable, in the words of Albert and Anderson [1]_.

    Attributes
    ----------
    SEPARABLE : str
        "separable": some hyperplane has every row strictly on its side.
    QUASI_SEPARABLE : str
        "quasi-separable": that is impossible, but some hyperplane has no row on the wrong side, and at least one row
        strictly on its side.
    OVERLAP : str
        "overlap": neither is possible, and the maximum-likelihood estimate of a logistic regression exists.
    UNDECIDED : str
        "undecided": none of these is proven.

    See Also
    --------
    maxmargin.separability : Decide the verdict.

    References
    ----------
    .. [1] A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression
       models", Biometrika 71 (1984), 1-10.

    Examples
    --------
    >>> import maxmargin as mm
    >>> mm.Verdict("overlap") == "overlap"
    True
    >>> mm.separability([[1.0], [1.0]], ["no", "yes"]).verdict
    <Verdict.OVERLAP: 'overlap'>
    """

    SEPARABLE = "separable"
    QUASI_SEPARABLE = "quasi-separable"
    OVERLAP = "overlap"
    UNDECIDED = "undecided"

    @property
    def advice(self) -> str:
        """The meaning of the verdict, in one sentence that holds with a bias and without."""
        return self.advice_for(bias=None)

    def advice_for(self, *, bias: bool | None) -> str:
        """Return the meaning of the verdict for hyperplanes with a bias, or for those through the origin.

        Examples
        --------
        >>> Verdict.OVERLAP.advice_for(bias=False)
        'every hyperplane through the origin has a row on the wrong side, but for those that contain all rows'
        """
        return _VERDICTS[self].format(through=through(bias))


_VERDICTS = {
    Verdict.SEPARABLE: "some hyperplane{through} has every row strictly on its side",
    Verdict.QUASI_SEPARABLE: ("some hyperplane{through} has no row on the wrong side, but every such one touches rows"),
    Verdict.OVERLAP: "every hyperplane{through} has a row on the wrong side, but for those that contain all rows",
    Verdict.UNDECIDED: "no proof was found; nothing is claimed",
}


class Status(StrEnum):
    """How a question about a margin ended.

    Attributes
    ----------
    OPTIMAL : str
        "optimal": the ends are proven and as close as asked.
    LIMIT : str
        "limit": a limit of time or work, or Ctrl-C, ended the work; the ends are proven.
    NUMERICAL : str
        "numerical": no solver was as accurate as asked; the ends are proven, but further apart.
    QUASI_SEPARABLE : str
        "quasi-separable": the maximum margin is 0, as in `Verdict`.
    OVERLAP : str
        "overlap": the maximum margin is 0, as in `Verdict`.
    NOT_STRICTLY_SEPARABLE : str
        "not-strictly-separable": the maximum margin is 0, and it is not decided which of the two it is.
    UNDECIDED : str
        "undecided": it is not known whether the data are separable.

    See Also
    --------
    maxmargin.hard_margin : Find the maximum margin.
    maxmargin.soft_margin : Solve the soft-margin SVM.

    Examples
    --------
    >>> import maxmargin as mm
    >>> mm.hard_margin([[1.0], [1.0]], ["no", "yes"]).status
    <Status.OVERLAP: 'overlap'>
    >>> mm.Status("limit").is_inseparable
    False
    """

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
        """The meaning of the status and advice, in one sentence that holds with a bias and without."""
        return self.advice_for(bias=None)

    def advice_for(self, *, bias: bool | None) -> str:
        """Return the meaning of the status and advice, for hyperplanes with a bias or for those through the origin.

        Examples
        --------
        >>> Status.OVERLAP.advice_for(bias=True)
        'proven: the two hulls overlap, so the maximum margin is 0'
        """
        if not self.is_inseparable:
            return _STATUSES[self].format(through=through(bias) if bias is not None else "")
        if bias is None:
            return f"proven: no hyperplane{through(None)} separates strictly, so the maximum margin is 0"
        return f"proven: {_HULLS[self, bias]}, so the maximum margin{through(bias)} is 0"

    def lines(self, reason: str, *, bias: bool, advice: str = "") -> list[str]:
        """Return the lines of text that a result begins with: the status with its advice, and the reason if any."""
        return [
            f"{self.value}: {advice or self.advice_for(bias=bias)}",
            *([f"  {printable(reason)}"] if reason else []),
        ]


_STATUSES = {
    Status.OPTIMAL: "the interval [lower, upper] is proven and as narrow as asked",
    Status.LIMIT: "stopped at a limit: raise it or try another solver; the interval is proven, but may be wide",
    Status.NUMERICAL: (
        "no solver was as accurate as asked; the interval is proven but wide: try centred or scaled data"
    ),
    Status.UNDECIDED: "it is not proven whether the data are separable{through}; the interval still holds",
}

_HULLS = {
    (Status.QUASI_SEPARABLE, True): "the two hulls touch",
    (Status.OVERLAP, True): "the two hulls overlap",
    (Status.NOT_STRICTLY_SEPARABLE, True): "the two hulls share a point",
    (Status.QUASI_SEPARABLE, False): "the origin lies on the boundary of the hull of the rows y x",
    (Status.OVERLAP, False): "the origin lies inside the hull of the rows y x",
    (Status.NOT_STRICTLY_SEPARABLE, False): "the origin lies in the hull of the rows y x",
}
