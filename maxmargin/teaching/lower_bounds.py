"""Adversaries who choose every row after they heard the prediction: a mistake a round, for as long as they like."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from maxmargin.solvers.errors import InvalidOptionError

Vector = tuple[Fraction, ...]

_TURN = Fraction(1, 4)
"""How much a row of `shrinking_norms` points back, in units of its part across the weights: its score is below 0."""

_BETWEEN_ALL_TURNS = (Fraction(1), Fraction(7))
"""A direction within 90 degrees of every row of `shrinking_norms`, which lie between 0 and 164 degrees."""


class Learner(Protocol):
    """What predicts a label, and is told it."""

    def predict(self, x: Vector) -> int:
        """Return +1 or -1; 0 where there is no prediction, which is a mistake for either label."""

    def learn(self, x: Vector, label: int) -> None:
        """Take notice of the label of a row."""


class ExactPerceptron:
    """Rosenblatt's perceptron from w = 0, in exact arithmetic: w += y x and b += y at every mistake.

    Parameters
    ----------
    bias : bool
        Whether rows have the constant coordinate 1.

    Examples
    --------
    >>> learner = ExactPerceptron()
    >>> learner.predict((Fraction(1),))
    0
    >>> learner.learn((Fraction(1),), -1)
    >>> learner.predict((Fraction(3),)), learner.n_mistakes
    (-1, 1)
    """

    def __init__(self, *, bias: bool = True) -> None:
        self.bias, self.n_mistakes = bias, 0
        self.w: Vector = ()
        self.b = Fraction(0)

    def predict(self, x: Vector) -> int:
        """Return the sign of w.x + b, 0 on the hyperplane."""
        return _sign(_score(self.w, self.b, x)) if self.n_mistakes else 0

    def learn(self, x: Vector, label: int) -> None:
        """Update where the prediction is another one."""
        if self.predict(x) == label:
            return
        before = self.w or (Fraction(0),) * len(x)
        self.w = tuple(weight + label * value for weight, value in zip(before, x, strict=True))
        self.b += label * self.bias
        self.n_mistakes += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EndlessMistakes:
    """Rows that an adversary chose, and a hyperplane that separates them: proof that no label was a lie.

    Attributes
    ----------
    rows : tuple of tuple of Fraction
    labels : tuple of int
        -1 or +1.
    w : tuple of Fraction
    b : Fraction
        y (w.x + b) > 0 for every row, which was checked; b = 0 through the origin.
    bias : bool
        Whether there is a bias.
    n_mistakes : int
        Of the learner who was asked.
    perceptron_mistakes : int
        Of the perceptron (a score of 0 is a mistake) in one pass over the rows, in exact arithmetic.
    """

    rows: tuple[Vector, ...]
    labels: tuple[int, ...]
    w: Vector
    b: Fraction
    bias: bool
    n_mistakes: int
    perceptron_mistakes: int

    @property
    def radius_squared(self) -> Fraction:
        """R^2 = max ||x||^2 in the space of the run: with bias that of the rows (x, 1)."""
        return max(_square(z) for z in self._signed_rows())

    @property
    def margin_squared_lower(self) -> Fraction:
        """Squared geometric margin of (w, b) in that space: no more than the greatest."""
        least = min(y * _score(self.w, self.b, x) for x, y in zip(self.rows, self.labels, strict=True))
        return least**2 / (_square(self.w) + self.b**2)

    @property
    def margin_squared_upper(self) -> Fraction:
        """A bound from above of the greatest squared margin in that space.

        It is the least ||z||^2 of some convex combinations z of the rows y (x, 1): the rows themselves, their mean, and
        the middle between any row and the last one.
        """
        rows = list(self._signed_rows())
        mean = [sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True)]
        middles = ([(a + b) / 2 for a, b in zip(z, rows[-1], strict=True)] for z in rows)
        return min(_square(z) for z in (*rows, mean, *middles))

    def _signed_rows(self) -> list[Vector]:
        constant = (Fraction(1),) if self.bias else ()
        return [tuple(y * value for value in (*x, *constant)) for x, y in zip(self.rows, self.labels, strict=True)]


def bisecting_threshold(learner: Learner | None = None, n_rounds: int = 50) -> EndlessMistakes:
    """Show a learner of thresholds on [0, 1] the middle of what is left, and tell it that it was wrong.

    A threshold t calls x > t positive. All rounds so far leave an interval of thresholds; the point in its middle may
    have either label, and both halves are intervals again. So the class of thresholds has no finite mistake bound
    (Littlestone 1988), though a single threshold separates the rows: only the margin can bound mistakes, and here
    it halves with every round.

    Parameters
    ----------
    learner : Learner, optional
        By default the perceptron with bias.
    n_rounds : int

    Returns
    -------
    EndlessMistakes
        With ``w = 1`` and ``b = -t``.

    Raises
    ------
    InvalidOptionError
        If `n_rounds` is no whole number from 1, or the learner predicts something else than -1, 0 or +1.

    Examples
    --------
    >>> found = bisecting_threshold(n_rounds=100)
    >>> found.n_mistakes, found.perceptron_mistakes
    (100, 100)
    """
    _check_rounds(n_rounds)
    learner = ExactPerceptron() if learner is None else learner
    low, high = Fraction(0), Fraction(1)
    rows: list[Vector] = []
    labels: list[int] = []
    for _ in range(n_rounds):
        middle = (low + high) / 2
        label = -1 if _predicted(learner, (middle,)) > 0 else 1
        low, high = (low, middle) if label > 0 else (middle, high)
        learner.learn((middle,), label)
        rows.append((middle,))
        labels.append(label)
    threshold = (low + high) / 2
    return _proven(rows, labels, (Fraction(1),), -threshold, bias=True, n_mistakes=n_rounds)


def shrinking_norms(n_rounds: int = 50) -> EndlessMistakes:
    """Return rows of the plane whose norms shrink geometrically, each a mistake of the perceptron through the origin.

    With points of the plane as complex numbers, y_1 x_1 = 1 and y x = 2^-k (i - 1/4) w for the weights w after k
    mistakes: across w and a little back, so that y w.x = -2^-k ||w||^2/4 < 0, and w turns by arctan(1/(2^k - 1/4)). All
    turns together stay below 60 degrees, and so the y x below 164: one direction has all of them in front of it.
    R^2/gamma^2 is a bound of the mistakes as always; it grows with them, for gamma is no more than the least ||x||
    (derived here).

    Parameters
    ----------
    n_rounds : int

    Raises
    ------
    InvalidOptionError
        If `n_rounds` is no whole number from 1.

    Examples
    --------
    >>> found = shrinking_norms(20)
    >>> found.perceptron_mistakes, found.radius_squared / found.margin_squared_upper > 4**18
    (20, True)
    """
    _check_rounds(n_rounds)
    rows: list[Vector] = []
    labels: list[int] = []
    x, y = Fraction(1), Fraction(0)
    step: tuple[Fraction, Fraction] = x, y
    for k in range(1, n_rounds + 1):
        label = 1 if k % 2 else -1
        rows.append((label * step[0], label * step[1]))
        labels.append(label)
        if k > 1:
            x, y = x + step[0], y + step[1]
        size = Fraction(1, 2**k)
        step = size * (-y - _TURN * x), size * (x - _TURN * y)
    return _proven(rows, labels, _BETWEEN_ALL_TURNS, Fraction(0), bias=False, n_mistakes=n_rounds)


def _check_rounds(n_rounds: int) -> None:
    if int(n_rounds) != n_rounds or n_rounds < 1:
        raise InvalidOptionError(f"n_rounds is {n_rounds!r}; expected a whole number from 1")


def _predicted(learner: Learner, x: Vector) -> int:
    prediction = learner.predict(x)
    if prediction not in (-1, 0, 1):
        raise InvalidOptionError(f"the learner predicts {prediction!r}; expected -1, 0 or +1")
    return prediction


def _proven(
    rows: list[Vector], labels: list[int], w: Vector, b: Fraction, *, bias: bool, n_mistakes: int
) -> EndlessMistakes:
    """Return the rows with what separates them, once that is checked."""
    if not all(label * _score(w, b, x) > 0 for x, label in zip(rows, labels, strict=True)):
        raise ArithmeticError("the adversary contradicted itself: its hyperplane does not separate its rows")
    perceptron = ExactPerceptron(bias=bias)
    for x, label in zip(rows, labels, strict=True):
        perceptron.learn(x, label)
    return EndlessMistakes(
        rows=tuple(rows),
        labels=tuple(labels),
        w=w,
        b=b,
        bias=bias,
        n_mistakes=n_mistakes,
        perceptron_mistakes=perceptron.n_mistakes,
    )


def _score(w: Vector, b: Fraction, x: Vector) -> Fraction:
    return sum((weight * value for weight, value in zip(w, x, strict=True)), b)


def _square(vector: Sequence[Fraction]) -> Fraction:
    return sum((value * value for value in vector), Fraction(0))


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
