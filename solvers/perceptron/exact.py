"""The perceptron in exact arithmetic, one presentation at a time: slow, for small data and for teaching."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from maxmargin.solvers.perceptron.row_orders import Presentation
from maxmargin.solvers.perceptron.settings import ZERO_RULES, PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

Vector = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One presentation.

    Attributes
    ----------
    epoch : int
        From 1.
    row : int
        From 0.
    x : tuple of Fraction
    y : int
        -1 or +1.
    score : Fraction
        w.x + b before the update.
    prediction : int
        Sign of the score; the rule for a score of 0 decides on the hyperplane, where 0 is no prediction.
    mistake : bool
    w : tuple of Fraction
    b : Fraction
        After the update, if there was one.
    """

    epoch: int
    row: int
    x: Vector
    y: int
    score: Fraction
    prediction: int
    mistake: bool
    w: Vector
    b: Fraction


def decimal_fraction(value: float) -> Fraction:
    """Return the shortest decimal number that reads as ``value``: the one that a person would have typed.

    Examples
    --------
    >>> decimal_fraction(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(float(value)))


def score(w: Vector, b: Fraction, x: Vector) -> Fraction:
    """Return w.x + b."""
    return sum((weight * value for weight, value in zip(w, x, strict=True)), b)


class ExactPerceptron:
    """Rosenblatt's perceptron from w = 0 on rows of fractions: w += y x and b += y s^2 at every mistake.

    `maxmargin.perceptron` is exact too, but it takes binary64 numbers, which the rows of an adversary soon are not.

    Parameters
    ----------
    bias : bool
        Whether every row has the constant coordinate s.
    bias_scale : Fraction
        s.
    zero : {"mistake", "positive", "negative"}
        A score of 0 is a mistake, or a prediction of +1 or of -1.

    Examples
    --------
    >>> learner = ExactPerceptron()
    >>> learner.predict((Fraction(1),))
    0
    >>> learner.learn((Fraction(1),), -1)
    >>> learner.predict((Fraction(3),)), learner.n_mistakes
    (-1, 1)
    """

    def __init__(self, *, bias: bool = True, bias_scale: Fraction = Fraction(1), zero: str = "mistake") -> None:
        self.bias, self.n_mistakes = bias, 0
        self.w: Vector = ()
        self.b = Fraction(0)
        self._square, self._at_zero = bias * bias_scale**2, ZERO_RULES[zero]

    def score(self, x: Vector) -> Fraction:
        """Return w.x + b."""
        return score(self.w, self.b, x) if self.n_mistakes else Fraction(0)

    def predict(self, x: Vector) -> int:
        """Return the sign of the score; on the hyperplane +1 or -1 by the rule for a score of 0, or 0 for none."""
        found = self.score(x)
        return (found > 0) - (found < 0) or self._at_zero

    def learn(self, x: Vector, label: int) -> None:
        """Update the weights if the prediction is not this label."""
        if self.predict(x) == label:
            return
        before = self.w or (Fraction(0),) * len(x)
        self.w = tuple(weight + label * value for weight, value in zip(before, x, strict=True))
        self.b += label * self._square
        self.n_mistakes += 1


def exact_steps(
    problem: Problem, settings: PerceptronSettings, *, rng: np.random.Generator | None = None
) -> Iterator[Step]:
    """Yield every presentation of the run; each number is taken as the shortest decimal that reads as it.

    The run stops as the compiled one does: after a clean epoch (in random order once a scan of all rows is clean), or
    at a limit.
    """
    presentation = Presentation(settings.order, problem.n_samples, rng or np.random.default_rng())
    X = [tuple(decimal_fraction(v) for v in row) for row in problem.dense_rows(slice(None)).tolist()]
    y = [int(sign) for sign in problem.y]
    learner = ExactPerceptron(bias=problem.bias, bias_scale=decimal_fraction(settings.bias_scale), zero=settings.zero)
    learner.w = (Fraction(0),) * problem.n_features
    epoch = 0
    while settings.max_epochs is None or epoch < settings.max_epochs:
        epoch += 1
        before = learner.n_mistakes
        for row in presentation.next_epoch().tolist():
            yield _presented(learner, epoch, row, X[row], y[row])
            if settings.max_mistakes is not None and learner.n_mistakes >= settings.max_mistakes:
                return
        is_clean = learner.n_mistakes == before
        if is_clean and all(learner.predict(x) == sign for x, sign in zip(X, y, strict=True)):
            return


def _presented(learner: ExactPerceptron, epoch: int, row: int, x: Vector, y: int) -> Step:
    found, sign = learner.score(x), learner.predict(x)
    learner.learn(x, y)
    return Step(
        epoch=epoch, row=row, x=x, y=y, score=found, prediction=sign, mistake=sign != y, w=learner.w, b=learner.b
    )
