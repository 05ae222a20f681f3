"""The path of every verb from what it is given to the solvers and back: labels become signs, answers get names."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from maxmargin.data.arrays import check_row_names
from maxmargin.data.dataset import Dataset
from maxmargin.data.problems import problem_of, row_weights
from maxmargin.data.tabular.given import given
from maxmargin.solvers.answers.answer_text import NamedAnswer, Names
from maxmargin.solvers.problem.problem import Problem

Answer = TypeVar("Answer", bound=NamedAnswer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about two classes, as the solvers are asked it.

    Attributes
    ----------
    dataset : Dataset
        The rows with their labels.
    problem : Problem
        The rows with their signs.
    names : Names
        What the rows and the columns are called.
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
        asked = given(X, y, bias=bias, positive=positive)
        return cls(dataset=asked.dataset, problem=problem_of(asked.dataset, bias=asked.bias), names=asked.names)

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


def with_names(answer: Answer, dataset: Dataset, names: Names) -> Answer:
    """Return the answer with the names of the data, the class that is +1, and why it is."""
    return replace(
        answer,
        positive=dataset.positive,
        positive_reason=dataset.positive_reason,
        negative=dataset.negative,
        names=names,
    )
