"""ROMMA: the shortest w in a half-space that relaxes what all rows so far ask for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_between
from maxmargin.solvers.online.guarantee import Guarantee, at_most, length_of, quotient, where
from maxmargin.solvers.online.shared_guarantees import margin_on_halt
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import State, Step

if TYPE_CHECKING:
    from maxmargin.solvers.online.reference import Reference

Floats = NDArray[np.float64]


_AMPLIFICATION = 0
"""Place of the scalar: the greatest 1/sin^2 of the angle between w and x at an update."""

_LEAST_SINE_SQUARED = 1e-14
"""Of the angle between w and x, below which they count as parallel."""

_GREATEST_PRODUCT = 1e32
"""Of ||w||^2 ||x||^2, which is R^2/g^2 at most on separable data: beyond it binary64 tells no two sides apart."""


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


def _start(space: Space, threshold: float) -> State:
    parameters = np.array([threshold, _LEAST_SINE_SQUARED, _GREATEST_PRODUCT])
    return State(w=np.zeros(space.n_columns), scalars=np.ones(1), parameters=parameters)


def _length(run: OnlineRun, reference: "Reference") -> Guarantee:
    """||w|| <= 1/g: u/g fulfils all that the half-space asks for."""
    return at_most(
        "length",
        "||w|| <= 1/g, strictly separable with margin g",
        length_of(run.state.w),
        where(reference.is_separable, quotient(1.0, reference.margin)),
        "Li and Long 2002",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Romma(Algorithm):
    """The relaxed online maximum margin algorithm: updates on mistakes.

    Notes
    -----
    w_t has distance 1/R at least from the half-space y w.x >= 1, so ||w||^2 grows by 1/R^2 a mistake, and it is
    1/g^2 at most.
    """

    name: ClassVar[str] = "romma"
    summary: ClassVar[str] = "relaxed online maximum margin, updates on mistakes"
    reference: ClassVar[str] = "Li and Long 2002"
    theorems: ClassVar[tuple[str, ...]] = (
        "updates <= R^2/g^2, strictly separable with margin g",
        "||w|| <= 1/g, strictly separable with margin g",
    )
    step: ClassVar[Step] = staticmethod(romma_step)
    is_scale_free: ClassVar[bool] = True

    def start(self, space: Space) -> State:
        """Return w = 0."""
        return _start(space, 0.0)

    def amplification(self, run: OnlineRun) -> float:
        """Return the greatest 1/sin^2 of an angle between w and x: the determinant is a difference of that many "
        "parts."""
        return run.scalar(_AMPLIFICATION)

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the mistakes and that of ||w||."""
        return (
            at_most(
                "mistakes",
                "updates <= R^2/g^2, strictly separable with margin g",
                run.n_updates,
                where(reference.is_separable, reference.novikoff),
                "Li and Long 2002",
            ),
            _length(run, reference),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AggressiveRomma(Algorithm):
    """The relaxed online maximum margin algorithm: updates where y w.x < 1 - delta.

    Attributes
    ----------
    delta : float
        Above 0 and at most 1.

    Notes
    -----
    An update takes ||w||^2 up by (delta/R)^2 at least; on halting y w.x >= 1 - delta and ||w|| <= 1/g.
    """

    name: ClassVar[str] = "aggressive-romma"
    summary: ClassVar[str] = "relaxed online maximum margin, updates up to functional margin 1 - delta"
    reference: ClassVar[str] = "Li and Long 2002"
    theorems: ClassVar[tuple[str, ...]] = (
        "updates <= R^2/(delta^2 g^2), strictly separable with margin g",
        "margin >= (1 - delta) g, on halting on data that are strictly separable with margin g",
        "||w|| <= 1/g, strictly separable with margin g",
    )
    step: ClassVar[Step] = staticmethod(romma_step)
    is_scale_free: ClassVar[bool] = True

    delta: float = 0.1

    def __post_init__(self) -> None:
        check_between("delta", self.delta, 0.0, 1.0, inclusive=True)

    def start(self, space: Space) -> State:
        """Return w = 0."""
        return _start(space, float(np.nextafter(1 - self.delta, 0.0)))

    def amplification(self, run: OnlineRun) -> float:
        """Return the greatest 1/sin^2 of an angle between w and x, as for `Romma`."""
        return run.scalar(_AMPLIFICATION)

    def guarantees(self, run: OnlineRun, reference: "Reference") -> tuple[Guarantee, ...]:
        """Return the bound of the updates, the margin on halting, and the bound of ||w||."""
        source = "derived: ||w||^2 grows by (delta/R)^2 an update and is at most 1/g^2"
        return (
            at_most(
                "updates",
                "updates <= R^2/(delta^2 g^2), strictly separable with margin g",
                run.n_updates,
                where(reference.is_separable, quotient(reference.novikoff / self.delta, self.delta)),
                source,
            ),
            margin_on_halt(run, reference, 1 - self.delta, "(1 - delta) g", source),
            _length(run, reference),
        )
