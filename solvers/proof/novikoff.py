"""Novikoff's proof as inequalities that hold after every mistake, checked in exact arithmetic.

All quantities are in the space in which the perceptron runs from w = 0, w += y x. With R = max ||x|| and any u whose
least margin y u.x/||u|| is g > 0 (the best u has the greatest g):

- w.u/||u|| grows by at least g at a mistake, so it is at least M g after M of them;
- ||w||^2 grows by 2 y w.x + ||x||^2 <= ||x||^2, so it is at most the sum of ||x||^2 over the mistakes, at most M R^2;
- so the potential P = 1/2 ||c u/||u|| - w||^2 with c = R^2/g falls by c y u.x/||u|| - y w.x - 1/2 ||x||^2 >= R^2/2.

P starts at R^4/(2 g^2) and is never negative, so M <= R^2/g^2 (Novikoff 1962).
"""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from maxmargin.solvers.exact.dyadic import round_up


class NovikoffInequality(StrEnum):
    """The inequalities of Novikoff's proof after M mistakes."""

    PROGRESS = "w.u >= M g"
    GROWTH = "||w||^2 <= sum ||x||^2"
    LENGTH = "sum ||x||^2 <= M R^2"
    POTENTIAL = "P falls by R^2/2 a mistake"


# The inequalities that need no hyperplane, so that they hold for inseparable data as well.
WITHOUT_A_MARGIN = (NovikoffInequality.GROWTH, NovikoffInequality.LENGTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """An inequality that is false: a counted mistake was not a mistake, or the rows have changed.

    Attributes
    ----------
    n_mistakes : int
        Number of mistakes after which it is false.
    inequality : NovikoffInequality
    reason : str
        Both sides, rounded.
    """

    n_mistakes: int
    inequality: NovikoffInequality
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparatingVector:
    """A vector u, not of norm 1, with a positive least functional margin y u.x.

    Attributes
    ----------
    least : Fraction
        This margin, exactly.
    square : Fraction
        ||u||^2.
    """

    least: Fraction
    square: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A run after M mistakes.

    Attributes
    ----------
    n_mistakes : int
    square : Fraction
        ||w||^2.
    squares : Fraction
        The sum of ||x||^2 over the mistakes.
    product : Fraction
        w.u, with u as it is; 0 without one.
    """

    n_mistakes: int
    square: Fraction
    squares: Fraction
    product: Fraction


# w = 0.
START = Standing(n_mistakes=0, square=Fraction(0), squares=Fraction(0), product=Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Novikoff:
    """The proof for some rows.

    Attributes
    ----------
    radius_squared : Fraction
        R^2.
    direction : SeparatingVector or None
        None if no u is known; then there is no potential, and only `WITHOUT_A_MARGIN` is checked.
    """

    radius_squared: Fraction
    direction: SeparatingVector | None

    @property
    def inequalities(self) -> tuple[NovikoffInequality, ...]:
        """The inequalities that are checked."""
        return WITHOUT_A_MARGIN if self.direction is None else tuple(NovikoffInequality)

    def potential(self, standing: Standing) -> Fraction:
        """Return P = 1/2 ||R^2/least u - w||^2, the potential of the proof, as c u/||u|| = R^2/least u."""
        assert self.direction is not None
        factor = self.radius_squared / self.direction.least
        far = factor**2 * self.direction.square - 2 * factor * standing.product
        return (far + standing.square) / 2

    def violations(self, before: Standing, now: Standing) -> list[Violation]:
        """Return the false inequalities; the potential is compared with its value before."""
        return [
            Violation(n_mistakes=now.n_mistakes, inequality=inequality, reason=f"{_rounded(least)} > {_rounded(most)}")
            for inequality in self.inequalities
            for least, most in [self._sides(inequality, before, now)]
            if least > most
        ]

    def _sides(self, inequality: NovikoffInequality, before: Standing, now: Standing) -> tuple[Fraction, Fraction]:
        """Return the two sides, of which the first must not exceed the second."""
        if inequality is NovikoffInequality.GROWTH:
            return now.square, now.squares
        if inequality is NovikoffInequality.LENGTH:
            return now.squares, now.n_mistakes * self.radius_squared
        assert self.direction is not None
        if inequality is NovikoffInequality.PROGRESS:
            return now.n_mistakes * self.direction.least, now.product
        n_mistakes = now.n_mistakes - before.n_mistakes
        return n_mistakes * self.radius_squared / 2, self.potential(before) - self.potential(now)


def _rounded(value: Fraction) -> str:
    return repr(round_up(value))
