"""Adversaries that make up every row: a mistake in each of any number of rounds, though the rows are separable.

The greedy adversaries of `order_study` choose among the rows of a data set; these need no data.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.exact import ExactPerceptron, Vector, score

# Component of a row of `shrinking_norms` against the weights, relative to its component across them.
_BACKWARD = Fraction(1, 4)

# A direction within 90 degrees of every row of `shrinking_norms`, which lie between 0 and 164 degrees.
_CENTRAL_DIRECTION = (Fraction(1), Fraction(7))


class Learner(Protocol):
    """An online learner, which predicts the label of a row before it learns the label."""

    def predict(self, x: Vector) -> int:
        """Return +1 or -1, or 0 for no prediction, which is a mistake for both labels."""
        ...

    def learn(self, x: Vector, label: int) -> None:
        """Learn the label of a row."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EndlessMistakes:
    """The rows of an adversary, and a hyperplane that separates them, which proves the labels consistent.

    Attributes
    ----------
    rows : tuple of tuple of Fraction
    labels : tuple of int
        -1 or +1.
    w : tuple of Fraction
    b : Fraction
        y (w.x + b) > 0 was checked for every row. b is 0 if there is no bias.
    bias : bool
        Whether there is a bias.
    n_mistakes : int
        Number of mistakes of the learner.
    perceptron_mistakes : int
        Number of mistakes of `ExactPerceptron`, for which a score of 0 is a mistake, in one pass over the rows.
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
        """R^2 = max ||z||^2 of the rows z of the run: (x, 1) with bias, x without."""
        return max(_square(z) for z in self._signed_rows())

    @property
    def margin_squared_lower(self) -> Fraction:
        """Squared geometric margin of (w, b) in the space of z: a lower bound of the maximum squared margin."""
        least = min(y * score(self.w, self.b, x) for x, y in zip(self.rows, self.labels, strict=True))
        return least**2 / (_square(self.w) + self.b**2)

    @property
    def margin_squared_upper(self) -> Fraction:
        """An upper bound of the maximum squared margin in the space of z.

        It is the smallest squared norm of some convex combinations of the rows y z: the rows themselves, their mean,
        and the midpoints between the last row and every row.
        """
        rows = list(self._signed_rows())
        mean = [sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True)]
        midpoints = ([(a + b) / 2 for a, b in zip(z, rows[-1], strict=True)] for z in rows)
        return min(_square(z) for z in (*rows, mean, *midpoints))

    def _signed_rows(self) -> list[Vector]:
        constant = (Fraction(1),) if self.bias else ()
        return [tuple(y * value for value in (*x, *constant)) for x, y in zip(self.rows, self.labels, strict=True)]


def bisecting_threshold(learner: Learner | None = None, n_rounds: int = 50) -> EndlessMistakes:
    """Show a learner of thresholds on [0, 1] the midpoint of all consistent thresholds, with the label not predicted.

    A threshold t calls x > t positive. The thresholds that are consistent with all labels so far are an interval. Its
    midpoint may have either label, as both halves are intervals again. So the class of thresholds has no finite mistake
    bound (Littlestone 1988), though a single threshold separates the rows: only the margin can bound the mistakes, and
    the margin halves in every round.

    Parameters
    ----------
    learner : Learner, optional
        The learner; by default the perceptron with a bias.
    n_rounds : int, default 50
        The number of rows, each of which is a mistake.

    Returns
    -------
    EndlessMistakes
        The rows and labels, with the hyperplane ``w = 1``, ``b = -t``.

    Raises
    ------
    InvalidOptionError
        If `n_rounds` is not a whole number from 1, or a prediction of the learner is not -1, 0 or +1.

    See Also
    --------
    shrinking_norms : Construct rows that need no predictions.

    References
    ----------
    .. [1] N. Littlestone, "Learning quickly when irrelevant attributes abound: a new linear-threshold algorithm",
       Machine Learning 2 (1988), 285-318.

    Examples
    --------
    >>> found = bisecting_threshold(n_rounds=100)
    >>> found.n_mistakes, found.perceptron_mistakes
    (100, 100)
    """
    n_rounds = whole_number("n_rounds", n_rounds)
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
    return _proven(rows, labels, (Fraction(1),), -((low + high) / 2), bias=True)


def shrinking_norms(n_rounds: int = 50) -> EndlessMistakes:
    """Return rows of the plane with geometrically shrinking norms, all mistakes of the perceptron through the origin.

    Take points of the plane as complex numbers, and let y_1 x_1 = 1 and y x = 2^-k (i - 1/4) w for the weights w after
    k mistakes. Then y w.x = -2^-k ||w||^2/4 < 0, so each row is a mistake, and it rotates w by arctan(1/(2^k - 1/4)).
    The sum of all these angles is below 60 degrees, so the angles of the y x are between 0 and 164 degrees, and a
    hyperplane through the origin separates the rows. R^2/gamma^2 bounds the mistakes as for all data; it grows with
    their number because gamma is at most the smallest ||x|| (derived here).

    Parameters
    ----------
    n_rounds : int, default 50
        The number of rows.

    Returns
    -------
    EndlessMistakes
        The rows and labels, with a hyperplane through the origin that separates them.

    Raises
    ------
    InvalidOptionError
        If `n_rounds` is not a whole number from 1.

    See Also
    --------
    bisecting_threshold : Adapt the rows to the predictions of any learner.

    Examples
    --------
    >>> found = shrinking_norms(20)
    >>> found.perceptron_mistakes, found.radius_squared / found.margin_squared_upper > 4**18
    (20, True)
    """
    n_rounds = whole_number("n_rounds", n_rounds)
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
        step = size * (-y - _BACKWARD * x), size * (x - _BACKWARD * y)
    return _proven(rows, labels, _CENTRAL_DIRECTION, Fraction(0), bias=False)


def _predicted(learner: Learner, x: Vector) -> int:
    prediction = learner.predict(x)
    if prediction not in (-1, 0, 1):
        raise InvalidOptionError(f"the learner predicts {prediction!r}; expected -1, 0 or +1")
    return prediction


def _proven(rows: list[Vector], labels: list[int], w: Vector, b: Fraction, *, bias: bool) -> EndlessMistakes:
    """Check that the hyperplane separates the rows, each of which is a mistake of the learner, and return both."""
    if not all(label * score(w, b, x) > 0 for x, label in zip(rows, labels, strict=True)):
        raise ArithmeticError("the labels of the adversary are inconsistent: its hyperplane does not separate its rows")
    perceptron = ExactPerceptron(bias=bias)
    for x, label in zip(rows, labels, strict=True):
        perceptron.learn(x, label)
    return EndlessMistakes(
        rows=tuple(rows), labels=tuple(labels), w=w, b=b, bias=bias,
        n_mistakes=len(rows), perceptron_mistakes=perceptron.n_mistakes,
    )  # fmt: skip


def _square(vector: Sequence[Fraction]) -> Fraction:
    return sum((value * value for value in vector), Fraction(0))
