"""The context of the bounds on the mistakes of a run: margins of its space, a soft margin, the size of the rows."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.proof.margins import least_functional_margin, norm_squared
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin

# Cached properties that depend on the rows and their space only.
_SOLVED = ("square", "run_square", "hard", "soft", "space", "run_hard", "run_margin_squared", "margin_squared")

# Floats above this one have lost no digits to underflow.
_FULL_PRECISION = 2.0**-960

_CUT_SHORT = (StopReason.MAX_MISTAKES, StopReason.TIME_LIMIT, StopReason.INTERRUPTED)


@dataclass(frozen=True, kw_only=True)
class Context:
    """Everything that the bounds are computed from; Ctrl-C during one of its computations raises KeyboardInterrupt.

    Attributes
    ----------
    problem : Problem
    run : PerceptronRun
    n_passes : int or None
        Number of passes over the rows; None: until convergence.
    C : float
        Upper bound of the multipliers of the soft margin.
    is_as_far_as_it_went : bool
        Whether the bounds are about the mistakes made until the run ended, whatever ended it, and not about later ones.
    known_hard : HardMargin or None
    known_soft : SoftMargin or None
        The margins of the user's space where they are known already.
    limits : Limits
        When the time is over, every computation returns the bounds that are proven by then.
    """

    problem: Problem
    run: PerceptronRun
    n_passes: int | None
    C: float = 1.0
    is_as_far_as_it_went: bool = False
    known_hard: HardMargin | None = None
    known_soft: SoftMargin | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def scale(self) -> float:
        """The constant coordinate s of the run; 0 through the origin."""
        return self.run.settings.bias_scale if self.problem.bias else 0.0

    @cached_property
    def square(self) -> Fraction:
        """R^2 = max ||x||^2."""
        return radius_squared(self.problem)

    @cached_property
    def run_square(self) -> Fraction:
        """R^2 + s^2, which is R^2 of the space of the run."""
        return self.square + Fraction(self.scale) ** 2

    @cached_property
    def hard(self) -> HardMargin:
        """The maximum margin in the user's space."""
        return self.known_hard or self.quick_hard_margin(self.problem)

    @cached_property
    def soft(self) -> SoftMargin:
        """The soft margin in the user's space, for the u of the Freund-Schapire bound; solved when first asked for."""
        from maxmargin.solvers.soft_margin.soft_margin import soft_margin

        return self.known_soft or uninterrupted(soft_margin(self.problem, self.C, time_limit=self.limits.share()))

    @cached_property
    def space(self) -> Problem:
        """The rows (x, s) of the run, to be separated through the origin."""
        return augmented(self.problem, self.scale) if self.problem.bias else self.problem

    @cached_property
    def run_hard(self) -> HardMargin:
        """The maximum margin through the origin in the space of the run, which is 0 where it is 0 in the user's."""
        if not self.problem.bias or self.hard.status.is_inseparable:
            return self.hard
        return self.quick_hard_margin(self.space)

    @cached_property
    def margin_squared(self) -> Fraction:
        """A proven lower end of the squared maximum margin of the user's space."""
        return _squared_margin(self.problem, self.hard)

    @cached_property
    def run_margin_squared(self) -> Fraction:
        """A proven lower end of the squared maximum margin of the space of the run."""
        return _squared_margin(self.space, self.run_hard)

    def quick_hard_margin(self, problem: Problem) -> HardMargin:
        """Return the maximum margin of these rows, by the quickest method."""
        return uninterrupted(hard_margin(problem, time_limit=self.limits.share()))

    @property
    def is_counted_out(self) -> bool:
        """Whether the run made all the mistakes that the bounds count."""
        if self.run.converged or self.is_as_far_as_it_went:
            return True
        return self.n_passes is not None and self.run.stop_reason not in _CUT_SHORT

    def of_run(self, run: PerceptronRun, n_passes: int | None) -> "Context":
        """Return the context of another run in the same space, with the results that are known already."""
        other = replace(self, run=run, n_passes=n_passes)
        other.__dict__.update({name: self.__dict__[name] for name in _SOLVED if name in self.__dict__})
        return other

    @property
    def n_presentations(self) -> float:
        """Number of presentations of a row in the passes that the bounds count."""
        if self.n_passes is None:
            return math.inf
        whole = self.n_passes * self.problem.n_samples
        is_cut = self.is_as_far_as_it_went and self.run.stop_reason in _CUT_SHORT
        return min(whole, self.run.n_presentations) if is_cut else whole


def _squared_margin(problem: Problem, hard: HardMargin) -> Fraction:
    """Return a lower bound of the squared maximum margin.

    In tiny units the lower end, a float, has lost digits to underflow, or is 0. There the bound is the margin of (w, b)
    in exact arithmetic.
    """
    square = Fraction(hard.lower) ** 2
    if hard.lower > _FULL_PRECISION or hard.w is None or hard.b is None:
        return square
    least = least_functional_margin(problem, hard.w, hard.b)
    return max(square, least**2 / norm_squared(hard.w)) if least > 0 else square


def augmented(problem: Problem, scale: float) -> Problem:
    """Return the rows (x, s), to be separated through the origin."""
    if not isinstance(problem.row_source, InMemory):
        return _augmented_outside_memory(problem, scale)
    column = np.full((problem.n_samples, 1), scale)
    if problem.is_sparse:
        from scipy.sparse import csr_array, hstack

        return Problem(hstack([problem.X, csr_array(column)], format="csr"), problem.y, bias=False)
    return Problem(np.ascontiguousarray(np.hstack([problem.X, column])), problem.y, bias=False)


def _augmented_outside_memory(problem: Problem, scale: float) -> Problem:
    from maxmargin.data.stores.outside_memory import Derived

    low, high = problem.column_bounds
    bounds = np.append(low, scale), np.append(high, scale)
    X = Derived(problem.row_source, partial(_with_column, scale), bounds)
    return Problem(X, problem.y, bias=False, known_bounds=bounds)


def _with_column(scale: float, X: Floats) -> Floats:
    """Return the rows with a constant at their end."""
    rows = np.empty((X.shape[0], X.shape[1] + 1))
    rows[:, :-1], rows[:, -1] = X, scale
    return rows
