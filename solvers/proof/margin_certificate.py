"""Proofs about the maximum margin gamma*: at least, at most, between, exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import Certificate
from maxmargin.solvers.proof.hulls import HullPoint, integer_weights, squared_upper


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginAtLeast(Certificate):
    """A hyperplane of geometric margin sqrt(q) or more: gamma*^2 >= q.

    Attributes
    ----------
    w : sequence of Fraction
    b : Fraction
        0 through the origin.
    margin_squared : Fraction
        q > 0.
    """

    claim: ClassVar[str] = "margin-at-least"
    w: Sequence[Fraction]
    b: Fraction
    margin_squared: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginAtMost(Certificate):
    """Points of the two hulls at distance 2 sqrt(q), or through the origin a point of norm sqrt(q): gamma*^2 <= q.

    Attributes
    ----------
    rows : tuple of int
    weights : tuple of int
        Positive. They are divided by the sum of their class; through the origin by the sum of all.
    margin_squared : Fraction
        q > 0.
    """

    claim: ClassVar[str] = "margin-at-most"
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    margin_squared: Fraction

    @classmethod
    def by(cls, problem: Problem, weights: Floats) -> "MarginAtMost | None":
        """Return the upper bound that weights of the rows prove; None if they prove none, or a margin of 0."""
        return cls.by_integers(problem, *integer_weights(weights))

    @classmethod
    def by_integers(cls, problem: Problem, rows: Rows, weights: Sequence[int]) -> "MarginAtMost | None":
        """Return the upper bound that positive weights of some rows prove; None as `by`."""
        square = squared_upper(problem, rows, weights)
        if not square:
            return None
        return cls(problem=problem, rows=tuple(rows.tolist()), weights=tuple(weights), margin_squared=square)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginBetween(Certificate):
    """Both ends of an interval: a hyperplane of margin sqrt(q), and points of the hulls at distance 2 sqrt(Q).

    Attributes
    ----------
    at_least : MarginAtLeast
        Proves gamma*^2 >= q, the field `margin_squared` of the document.
    at_most : MarginAtMost
        Proves gamma*^2 <= Q, the field `upper_squared` of the document.
    """

    claim: ClassVar[str] = "margin-between"
    at_least: MarginAtLeast
    at_most: MarginAtMost

    def _numbers(self) -> dict[str, Any]:
        upper = self.at_most._numbers()
        return {**upper, **self.at_least._numbers(), "upper_squared": upper["margin_squared"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginExactly(Certificate):
    """A hyperplane and points of the hulls that prove the same number: gamma*^2 = q.

    Attributes
    ----------
    w : sequence of Fraction
    b : Fraction
    rows : tuple of int
        The support rows.
    weights : tuple of int
        Their multipliers, as integers up to a common factor.
    margin_squared : Fraction
        q > 0.
    """

    claim: ClassVar[str] = "margin-exactly"
    w: Sequence[Fraction]
    b: Fraction
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    margin_squared: Fraction

    @classmethod
    def by(cls, point: HullPoint) -> "MarginExactly":
        """Return the proof by the shortest v."""
        return cls(
            problem=point.problem,
            w=point.normal,
            b=point.offset,
            rows=point.rows,
            weights=point.weights,
            margin_squared=point.margin_squared,
        )

    def at_most(self) -> MarginAtMost:
        """Return the half that bounds the margin from above."""
        return MarginAtMost(
            problem=self.problem, rows=self.rows, weights=self.weights, margin_squared=self.margin_squared
        )
