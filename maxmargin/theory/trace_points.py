"""The quantities of a run at its mistakes, computed exactly and then rounded to the safe side."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import round_down, round_up, sqrt_up
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.exact_states import ExactState
from maxmargin.solvers.perceptron.result import margins_of, plane_of_sums, upper_bounds
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.proof.margins import geometric_margin, least_functional_margin, unit
from maxmargin.solvers.proof.novikoff import START, Novikoff, SeparatingVector, Standing, Violation
from maxmargin.theory.bound import run_norm_squared

Plane = tuple[Floats, float]

_OF_THE_PROOF = (
    *("w_dot_u", "w_dot_u_at_least", "norm", "cosine", "root_of_squares", "norm_at_most"),
    *("potential", "potential_drop"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofSpace:
    """The rows (x, s) of a run, and a direction u there that separates them.

    Attributes
    ----------
    scale : Fraction
        The constant coordinate s; 0 through the origin.
    w : ndarray or None
    b : float
        u is (w, b/s), up to its length: the hyperplane w.x + b = 0 of the user's space. None where none separates.
    novikoff : Novikoff
    reason : str
        Why there is no u.
    """

    scale: Fraction
    w: Floats | None
    b: float
    novikoff: Novikoff
    reason: str

    @classmethod
    def of(cls, problem: Problem, scale: float, hard: HardMargin) -> "ProofSpace":
        """Take u from the maximum margin of the space of the run; its least margin is computed exactly."""
        square = radius_squared(problem) + Fraction(scale) ** 2
        w, b = _user_plane(hard.w, scale)
        least = Fraction(0) if w is None else least_functional_margin(problem, w, b)
        if w is None or least <= 0:
            reason = hard.status.advice_for(bias=problem.bias) if w is None else "no hyperplane is proven to separate"
            nothing = Novikoff(radius_squared=square, direction=None)
            return cls(scale=Fraction(scale), w=None, b=0.0, novikoff=nothing, reason=reason)
        direction = SeparatingVector(least=least, square=run_norm_squared(scale, w, b))
        novikoff = Novikoff(radius_squared=square, direction=direction)
        return cls(scale=Fraction(scale), w=w, b=b, novikoff=novikoff, reason="")

    @property
    def u(self) -> Floats | None:
        """The direction, of norm 1 up to rounding, with the entry of s last where there is one."""
        if self.w is None:
            return None
        return unit(np.append(self.w, self.b / float(self.scale)) if self.scale else self.w)

    @property
    def u_margin(self) -> float:
        """The least margin of u, rounded down; nan without u."""
        u = self.novikoff.direction
        return math.nan if u is None else geometric_margin(u.least, u.square)

    @property
    def bound(self) -> float:
        """R^2/g^2, rounded up; nan without u."""
        u = self.novikoff.direction
        return math.nan if u is None else round_up(self.novikoff.radius_squared * u.square / u.least**2)

    def standing(self, moment: ExactState) -> Standing:
        """Return the quantities of the proof at this moment."""
        return Standing(
            n_mistakes=moment.n_mistakes,
            square=moment.norm_squared(self.scale),
            squares=moment.squares + moment.n_mistakes * self.scale**2,
            product=Fraction(0) if self.w is None else moment.inner_product(self.w, self.b),
        )


def _user_plane(u: Floats | None, scale: float) -> tuple[Floats | None, float]:
    """Return the hyperplane of the user's space that a direction in the space (x, s) is; None where it overflows."""
    if u is None:
        return None, 0.0
    w, b = (np.ascontiguousarray(u[:-1]), float(u[-1]) * scale) if scale else (u, 0.0)
    return (w, b) if math.isfinite(b) else (None, 0.0)


def proof_columns(space: ProofSpace, standings: Sequence[Standing]) -> dict[str, Floats]:
    """Return the columns of Novikoff's proof."""
    rows = [_row(space, standing) for standing in standings]
    return {name: np.array([row.get(name, math.nan) for row in rows], dtype=np.float64) for name in _OF_THE_PROOF}


def _row(space: ProofSpace, standing: Standing) -> dict[str, float]:
    """Return the columns at one mistake: the lengths, and, where there is a direction u, what lies along it."""
    u, square = space.novikoff.direction, space.novikoff.radius_squared
    found = {
        "norm": sqrt_up(standing.square),
        "root_of_squares": sqrt_up(standing.squares),
        "norm_at_most": sqrt_up(standing.n_mistakes * square),
    }
    if u is None:
        return found
    if standing.square > 0:
        found["cosine"] = geometric_margin(standing.product, u.square * standing.square)
    potential = space.novikoff.potential(standing)
    return found | {
        "w_dot_u": geometric_margin(standing.product, u.square),
        "w_dot_u_at_least": geometric_margin(standing.n_mistakes * u.least, u.square),
        "potential": round_up(potential),
        "potential_drop": round_down((space.novikoff.potential(START) - potential) / (square / 2)),
    }


def violations_along(novikoff: Novikoff, standings: Iterable[Standing]) -> tuple[Violation, ...]:
    """Return the inequalities of the proof that are false at any of the mistakes."""
    steps = pairwise((START, *standings))
    return tuple(violation for before, now in steps for violation in novikoff.violations(before, now))


def margin_columns(problem: Problem, scale: float, passed: Sequence[ExactState]) -> dict[str, Floats]:
    """Return the margins achieved and their upper bounds, in the space of the run and in the user's."""
    planes = [plane_of_sums(moment.sums, scale) for moment in passed]
    achieved = [
        margins_of(least, *plane, scale) for plane, least in zip(planes, _least_margins(problem, planes), strict=True)
    ]
    bounds = [upper_bounds(problem, moment.sums, scale) for moment in passed]
    columns = {
        "margin": [margin for margin, _ in achieved],
        "lower": [lower for _, lower in achieved],
        "margin_upper": [upper for upper, _ in bounds],
        "upper": [upper for _, upper in bounds],
    }
    return {name: np.array(values, dtype=np.float64) for name, values in columns.items()}  # None becomes nan


def _least_margins(problem: Problem, planes: list[Plane]) -> list[Fraction]:
    """Return the least functional margins of several hyperplanes exactly, in one pass over the rows."""
    return [min(leasts) for leasts in zip(*problem.map(partial(_least_of_chunk, planes), problem.y), strict=True)]


def _least_of_chunk(planes: list[Plane], rows: slice, X: Any, y: Floats) -> list[Fraction]:
    chunk = Problem(X, y, bias=False)
    return [least_functional_margin(chunk, w, b) for w, b in planes]
