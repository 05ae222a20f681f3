"""ROMMA: the shortest w in a half-space that relaxes what all rows so far ask for."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_halt, check_novikoff, parameter
from maxmargin.solvers.online.guarantee import Check, at_most, length_of, margin_on_halt, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState

# Place of the scalar: the greatest 1/sin^2 of the angle between w and x at an update.
_AMPLIFICATION = 0

# Least squared sine of the angle between w and x; below it they count as parallel.
_LEAST_SINE_SQUARED = 1e-14

# Largest ||w||^2 ||x||^2 for an update: it is at most R^2/g^2 on separable data, and binary64 resolves no more.
_GREATEST_PRODUCT = 1e32


def romma_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Take the shortest w with y w.x >= 1 and w.w_t >= ||w_t||^2, where y w_t.x is at most the parameter.

    Where y x/||x||^2 alone fulfils both, it is that. Else both hold with equality: w = c w_t + d x. Where w_t and x are
    parallel and opposite no w fulfils both, and w stays; so it does where it has grown beyond the precision of numbers,
    for on data that are not separable it grows for ever.
    """
    margin = y[row] * score
    if margin > parameters[0]:
        return 0
    square, length = 0.0, 0.0
    for j in range(w.shape[0]):
        square += X[row, j] * X[row, j]
        length += w[j] * w[j]
    if square == 0.0:
        return 1
    product = square * length
    if margin >= product:
        c, d = 0.0, y[row] / square
    else:
        determinant = product - score * score
        if determinant <= parameters[1] * product or product > parameters[2]:
            return 1
        scalars[0] = max(scalars[0], product / determinant)
        c, d = (product - margin) / determinant, length * (y[row] - score) / determinant
    for j in range(w.shape[0]):
        w[j] = c * w[j] + d * X[row, j]
    return 1


_SOURCE = "derived: ||w||^2 grows by (delta/R)^2 an update and is at most 1/g^2"
# u/g fulfils all that the half-space asks for.
_LENGTH = at_most("length", "||w|| <= 1/g, strictly separable with margin g", "Li and Long 2002")


def _check_length(run: OnlineRun, reference: Reference) -> Check:
    return Check(length_of(run.state.w), where(reference.is_separable, quotient(1.0, reference.margin)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Relaxed(Algorithm):
    """Base class of both versions."""

    reference = "Li and Long 2002"
    step = staticmethod(romma_step)
    is_scale_free = True

    def start(self, space: Space) -> LearnerState:
        """Return w = 0."""
        return Algorithm.start(self, space)._replace(scalars=np.ones(1))

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return the largest y w.x that asks for an update, and the bounds beyond which it is left out."""
        return 0.0, _LEAST_SINE_SQUARED, _GREATEST_PRODUCT

    def amplification(self, run: OnlineRun) -> float:
        """Return the greatest 1/sin^2 of an angle between w and x, by which the determinant magnifies errors."""
        return run.scalar(_AMPLIFICATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Romma(_Relaxed):
    """The relaxed online maximum margin algorithm: updates on mistakes.

    Notes
    -----
    w_t has distance 1/R at least from the half-space y w.x >= 1, so ||w||^2 grows by 1/R^2 a mistake, and it is
    1/g^2 at most.
    """

    name = "romma"
    summary = "relaxed online maximum margin, updates on mistakes"
    theorems = (
        at_most("mistakes", "updates <= R^2/g^2, strictly separable with margin g", "Li and Long 2002"),
        _LENGTH,
    )

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the mistakes and the bound of ||w||."""
        yield check_novikoff(run, reference)
        yield _check_length(run, reference)


@dataclass(frozen=True, slots=True, kw_only=True)
class AggressiveRomma(_Relaxed):
    """The relaxed online maximum margin algorithm: updates where y w.x < 1 - delta.

    Attributes
    ----------
    delta : float
        Above 0 and at most 1.

    Notes
    -----
    An update takes ||w||^2 up by at least (delta/R)^2; on halting y w.x >= 1 - delta and ||w|| <= 1/g.
    """

    name = "aggressive-romma"
    summary = "relaxed online maximum margin, updates up to functional margin 1 - delta"
    theorems = (
        at_most("updates", "updates <= R^2/(delta^2 g^2), strictly separable with margin g", _SOURCE),
        margin_on_halt("(1 - delta) g", _SOURCE),
        _LENGTH,
    )

    delta: float = parameter(0.1, 0.0, 1.0, ends="]")

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return the same with the largest y w.x below 1 - delta."""
        return float(np.nextafter(1 - self.delta, 0.0)), _LEAST_SINE_SQUARED, _GREATEST_PRODUCT

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the updates, the margin on halting, and the bound of ||w||."""
        yield Check(run.n_updates, where(reference.is_separable, quotient(reference.novikoff / self.delta, self.delta)))
        yield check_halt(run, reference, 1 - self.delta)
        yield _check_length(run, reference)
