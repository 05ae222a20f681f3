"""The path of every verb from what it is given to the solvers and back: labels become signs, answers get names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from maxmargin.data.arrays import check_row_names
from maxmargin.data.dataset import Dataset
from maxmargin.data.problems import problem_of, row_weights
from maxmargin.data.tabular.given import given, names_of
from maxmargin.solvers.answers.forms import NamedAnswer, Names
from maxmargin.solvers.problem.problem import Problem

Answer = TypeVar("Answer", bound=NamedAnswer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about two classes, in the form that solvers take.

    Attributes
    ----------
    dataset : Dataset
        The rows with their labels.
    problem : Problem
        The rows with their signs.
    names : Names
        The names of the rows and the columns.
    weights : object
        The weights of the rows as the solvers take them; None if all are 1.
    """

    dataset: Dataset
    problem: Problem
    names: Names
    weights: Any = None

    @classmethod
    def of(cls, X: Any, y: Any, *, bias: bool | None, positive: object) -> Self:
        """Return the question about these data, as `maxmargin.data.tabular.given.given` reads them.

        Raises
        ------
        InvalidProblemError
            If the data do not state a question about two classes.
        """
        data = given(X, y, bias=bias, positive=positive)
        return cls(dataset=data.dataset, problem=problem_of(data.dataset, bias=data.bias), names=data.names)

    @classmethod
    def weighted(
        cls,
        X: Any,
        y: Any,
        *,
        bias: bool | None,
        positive: object,
        sample_weight: Any,
        class_weight: Mapping[Any, float] | str | None,
    ) -> Self:
        """Return the question about these data and weights.

        Raises
        ------
        InvalidProblemError
            If the data do not state a question about two classes, or the weights are not those of these rows.
        """
        check_row_names(X=X, y=y, sample_weight=sample_weight)
        question = cls.of(X, y, bias=bias, positive=positive)
        return replace(question, weights=row_weights(question.dataset, sample_weight, class_weight))

    def named(self, answer: Answer) -> Answer:
        """Return the answer with the names of the data, the class that is +1, and why it is."""
        return with_names(answer, self.dataset, self.names)

    def answered(self, solve: Callable[..., Answer], **options: Any) -> Answer:
        """Return the named answer of a solver to which the problem and these options are passed."""
        return self.named(solve(self.problem, **options))


def with_names(answer: Answer, dataset: Dataset, names: Names | None = None) -> Answer:
    """Return the answer with the class that is +1, why it is, and the names of the data unless others are given."""
    return replace(
        answer,
        positive=dataset.positive,
        positive_reason=dataset.positive_reason,
        negative=dataset.negative,
        names=names_of(dataset) if names is None else names,
    )
