"""The perceptron that updates until every functional margin is above a threshold."""

from collections.abc import Iterator
from dataclasses import dataclass

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_halt, parameter
from maxmargin.solvers.online.guarantee import Check, at_most, margin_on_halt, quotient, where
from maxmargin.solvers.online.reference import Reference

_SOURCE = "derived: t g <= ||w|| <= sqrt(t (R^2 + 2 beta))"


def margin_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x to w where y w.x is at most the first parameter."""
    if y[row] * score > parameters[0]:
        return 0
    for j in range(w.shape[0]):
        w[j] += y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginPerceptron(Algorithm):
    """w += y x where y w.x <= beta, until an epoch without an update.

    Attributes
    ----------
    beta : float
        From 0, in squared units of the rows; 0 is the perceptron.

    Notes
    -----
    After t updates t g <= ||w|| and ||w||^2 <= t (R^2 + 2 beta), so t <= (R^2 + 2 beta)/g^2 and
    ||w|| <= (R^2 + 2 beta)/g; on halting every y w.x > beta, so the margin exceeds g beta/(R^2 + 2 beta).
    """

    name = "margin-perceptron"
    summary = "add y x where y w.x <= beta"
    reference = "Duda and Hart 1973; Krauth and Mezard 1987"
    theorems = (
        at_most("updates", "updates <= (R^2 + 2 beta)/g^2, strictly separable with margin g", _SOURCE),
        margin_on_halt("g beta/(R^2 + 2 beta)", _SOURCE),
    )
    step = staticmethod(margin_step)

    beta: float = parameter(1.0, 0.0, ends="[")

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the bound of the updates and the margin on halting."""
        size = reference.space.radius**2 + 2 * self.beta
        yield Check(run.n_updates, where(reference.is_separable, quotient(size, reference.margin**2)))
        yield check_halt(run, reference, self.beta / size if size else 0.0)
