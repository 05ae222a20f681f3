"""The perceptron in exact arithmetic, one presentation at a time: slow, for small data and for teaching."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from maxmargin.solvers.perceptron.row_orders import Presentation
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

Vector = tuple[Fraction, ...]

_PREDICTION_AT_ZERO = {"mistake": 0, "positive": 1, "negative": -1}


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
        Sign of the score; at 0 what the zero rule says, 0 for none.
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
    """Return the shortest decimal number that reads as ``value``: what a person would have typed.

    Examples
    --------
    >>> decimal_fraction(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(float(value)))


def exact_steps(
    problem: Problem, settings: PerceptronSettings, *, rng: np.random.Generator | None = None
) -> Iterator[Step]:
    """Yield every presentation of the run, numbers taken as the decimals they read as.

    The run stops as the compiled one does: after a clean epoch (in random order once a scan of all rows is clean), or
    at a limit.
    """
    presentation = Presentation(settings.order, problem.n_samples, rng or np.random.default_rng())
    X = [tuple(decimal_fraction(v) for v in row) for row in problem.dense_rows(slice(None)).tolist()]
    y = [int(sign) for sign in problem.y]
    square = decimal_fraction(settings.bias_scale) ** 2 if problem.bias else Fraction(0)
    w: Vector = (Fraction(0),) * problem.n_features
    b = Fraction(0)
    n_mistakes = epoch = 0
    while settings.max_epochs is None or epoch < settings.max_epochs:
        epoch += 1
        before = n_mistakes
        for row in presentation.next_epoch().tolist():
            step = _present(epoch, row, X[row], y[row], w, b, square, settings.zero)
            yield step
            w, b = step.w, step.b
            n_mistakes += step.mistake
            if settings.max_mistakes is not None and n_mistakes >= settings.max_mistakes:
                return
        if n_mistakes == before and _is_clean(X, y, w, b, settings.zero):
            return


def _present(epoch: int, row: int, x: Vector, y: int, w: Vector, b: Fraction, square: Fraction, zero: str) -> Step:
    score = _score(x, w, b)
    mistake = _is_mistake(score, y, zero)
    if mistake:
        w = tuple(weight + y * value for weight, value in zip(w, x, strict=True))
        b = b + y * square
    return Step(
        epoch=epoch, row=row, x=x, y=y, score=score, prediction=_prediction(score, zero), mistake=mistake, w=w, b=b
    )


def _score(x: Vector, w: Vector, b: Fraction) -> Fraction:
    return sum((value * weight for value, weight in zip(x, w, strict=True)), b)


def _prediction(score: Fraction, zero: str) -> int:
    return (score > 0) - (score < 0) or _PREDICTION_AT_ZERO[zero]


def _is_mistake(score: Fraction, y: int, zero: str) -> bool:
    return _prediction(score, zero) != y


def _is_clean(X: list[Vector], y: list[int], w: Vector, b: Fraction, zero: str) -> bool:
    return not any(_is_mistake(_score(x, w, b), sign, zero) for x, sign in zip(X, y, strict=True))
