"""The perceptron's loop, and what a run proves about the margins."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.perceptron.interrupt import Interrupt
from maxmargin.solvers.perceptron.orders import Order, Presentation
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.dyadic import sqrt_up
from maxmargin.solvers.proof.hulls import margin_upper_bound_squared, mean_norm_squared
from maxmargin.solvers.proof.margins import geometric_margin, norm_squared

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

ZERO_RULES = {"mistake": 0, "positive": 1, "negative": -1}
"""What the compiled kernels call the rules for a score of exactly 0."""

_SLICE_PRESENTATIONS = 2_000_000
"""Matrix entries read between two looks at the clock and at Ctrl-C, in presentations of one entry: a few ms."""

_SAFE_EXPONENT = 400
"""Numbers between 2**-400 and 2**400 have products and sums of them far from overflow and underflow."""

_LOG_ROOM = 65_536
"""Mistakes logged between two returns from compiled code."""


class StopReason(StrEnum):
    """Why a run ended."""

    CONVERGED = "converged"
    MAX_EPOCHS = "max_epochs"
    MAX_MISTAKES = "max_mistakes"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptronSettings:
    """How a perceptron is run.

    Attributes
    ----------
    bias_scale : float
        The constant coordinate s that stands for the bias: rows are (x, s). Ignored through the origin.
    zero : {"mistake", "positive", "negative"}
        What y w.x = 0 is: always a mistake, or a prediction of +1, or of -1.
    order : Order
    max_epochs, max_mistakes : int or None
        Limits; None is none.
    """

    bias_scale: float = 1.0
    zero: str = "mistake"
    order: Order = Order.CYCLIC
    max_epochs: int | None = None
    max_mistakes: int | None = 10_000_000

    def __post_init__(self) -> None:
        if self.zero not in ZERO_RULES:
            raise InvalidOptionError(f"zero is {self.zero!r}; expected one of {', '.join(ZERO_RULES)}")
        if not (self.bias_scale > 0 and math.isfinite(self.bias_scale)):
            raise InvalidOptionError(f"bias_scale is {self.bias_scale!r}; expected a positive finite number")
        for name in ("max_epochs", "max_mistakes"):
            limit = getattr(self, name)
            if limit is not None and limit < 1:
                raise InvalidOptionError(f"{name} is {limit!r}; expected at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a run stands, handed to the progress callback about ten times a second."""

    n_mistakes: int
    n_epochs: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptronRun:
    """A run from w = 0: w += y x at every mistake.

    Attributes
    ----------
    w : ndarray (n_features,)
    b : float
        The hyperplane in the user's space: b is bias_scale times the weight of the constant coordinate.
    n_mistakes, n_epochs : int
        Updates; passes begun, the final clean one included. In random order an epoch is n draws, and the full scan
        that ends the run counts as one.
    converged : bool
    stop_reason : StopReason
    mistake_rows : ndarray (n_mistakes,)
        The row of every mistake, in order.
    mistakes_per_epoch : ndarray (n_epochs,)
    margin : float
        Least y(w.x + b)/||w|| over the rows, rounded down; at most gamma*. -infinity at w = 0.
    margin_upper : float or None
        Proven upper bound of gamma*, from the integer mistake counts c: half the distance of the c-weighted means of
        the two classes (through the origin ||sum c y x||/M); None before both classes have a mistake.
    run_margin : float
        The same least margin in the space (x, s) of the run: divided by ||(w, b/s)||.
    run_upper : float or None
        ||sum c y (x, s)||/M, proven upper bound of that space's maximum margin through the origin; None before the
        first mistake.
    settings : PerceptronSettings
    """

    w: Floats
    b: float
    n_mistakes: int
    n_epochs: int
    converged: bool
    stop_reason: StopReason
    mistake_rows: Rows
    mistakes_per_epoch: Rows
    margin: float
    margin_upper: float | None
    run_margin: float
    run_upper: float | None
    settings: PerceptronSettings

    @property
    def norm(self) -> float:
        """||w|| in the user's space."""
        return float(np.linalg.norm(self.w))

    @property
    def run_norm(self) -> float:
        """||(w, b/s)|| in the space of the run."""
        scale = self.settings.bias_scale
        return float(np.linalg.norm(np.append(self.w, self.b / scale)))


@dataclass(slots=True)
class _State:
    """What changes during a run; w is in units of 2**unit_exponent."""

    w: Floats
    unit_exponent: int
    log: list[Rows] = field(default_factory=list)
    mistakes_per_epoch: list[int] = field(default_factory=list)
    n_mistakes: int = 0


def perceptron(
    problem: Problem,
    settings: PerceptronSettings | None = None,
    *,
    rng: np.random.Generator | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> PerceptronRun:
    """Run Rosenblatt's perceptron until a clean epoch, a limit, or Ctrl-C.

    Under ``zero="mistake"`` the run converges exactly on data that are strictly separable in its space, after at most
    (R/gamma)^2 mistakes with that space's R and gamma (Novikoff 1962).

    Parameters
    ----------
    problem : Problem
    settings : PerceptronSettings, optional
    rng : numpy.random.Generator, optional
        For the shuffled and random orders; a fresh one by default.
    on_progress : callable, optional
        Called about ten times a second; it may raise KeyboardInterrupt to end the run.

    Returns
    -------
    PerceptronRun
        Ctrl-C ends the run with ``stop_reason="interrupted"``; the state so far is returned.

    Examples
    --------
    >>> run = perceptron(Problem.validated([[10.0], [12.0]], [-1, 1]))
    >>> run.n_mistakes, run.converged
    (233, True)
    """
    settings = settings or PerceptronSettings()
    presentation = Presentation(settings.order, problem.n_samples, rng or np.random.default_rng())
    state = _State(w=np.zeros(problem.n_features + 1), unit_exponent=_unit_exponent(problem, settings))
    stop_reason = _loop(problem, settings, presentation, state, on_progress)
    return _result(problem, settings, state, stop_reason)


def _loop(
    problem: Problem,
    settings: PerceptronSettings,
    presentation: Presentation,
    state: _State,
    on_progress: Callable[[Progress], None] | None,
) -> StopReason:
    with Interrupt() as interrupt:
        epoch = _Epoch(problem, settings, state, on_progress, interrupt)
        while True:
            if settings.max_epochs is not None and len(state.mistakes_per_epoch) >= settings.max_epochs:
                return StopReason.MAX_EPOCHS
            epoch.present(presentation.next_epoch())
            if interrupt.is_set:
                return StopReason.INTERRUPTED
            if epoch.is_full:
                return StopReason.MAX_MISTAKES
            if state.mistakes_per_epoch[-1] == 0:
                if settings.order.covers_all_rows:
                    return StopReason.CONVERGED
                if len(state.mistakes_per_epoch) != settings.max_epochs and epoch.scan_is_clean(presentation.rows):
                    return StopReason.CONVERGED


def _unit_exponent(problem: Problem, settings: PerceptronSettings) -> int:
    """Return 0, or the exponent of the greatest number of the rows where products would overflow or vanish."""
    values = problem.X.data if problem.is_sparse else problem.X
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if problem.bias:
        largest = max(largest, settings.bias_scale)
    exponent = math.frexp(largest)[1]
    return exponent if abs(exponent) > _SAFE_EXPONENT else 0


def _in_units(problem: Problem, settings: PerceptronSettings, exponent: int) -> tuple[Any, float]:
    """Return the rows and the constant coordinate divided by 2**exponent: the mistakes stay the same."""
    scale = settings.bias_scale if problem.bias else 0.0
    if not exponent:
        return problem.X, scale
    if not problem.is_sparse:
        return np.ldexp(problem.X, -exponent), math.ldexp(scale, -exponent)
    X = problem.X.copy()
    X.data = np.ldexp(X.data, -exponent)
    return X, math.ldexp(scale, -exponent)


class _Epoch:
    """One epoch at a time, in slices short enough for Ctrl-C and progress."""

    def __init__(
        self,
        problem: Problem,
        settings: PerceptronSettings,
        state: _State,
        on_progress: Callable[[Progress], None] | None,
        interrupt: Interrupt,
    ) -> None:
        from maxmargin.solvers.perceptron.kernels import pass_over

        X, self.scale = _in_units(problem, settings, state.unit_exponent)
        self.run_pass = pass_over(X, problem.y)
        self.zero_rule = ZERO_RULES[settings.zero]
        self.limit = settings.max_mistakes
        self.state = state
        self.step = max(1, _SLICE_PRESENTATIONS // problem.n_features)
        self.on_progress = on_progress
        self.interrupt = interrupt
        self.started = self.reported = time.monotonic()

    @property
    def is_full(self) -> bool:
        """Whether the limit of mistakes is reached."""
        return self.limit is not None and self.state.n_mistakes >= self.limit

    def present(self, order: Rows) -> None:
        """Present the rows in this order, updating on mistakes."""
        state = self.state
        state.mistakes_per_epoch.append(0)
        position = 0
        while position < len(order) and not (self.is_full or self.interrupt.is_set):
            stop = min(position + self.step, len(order))
            made, log = self._slice(order, position, stop, state.w)
            position += made
            state.log.append(log)
            state.n_mistakes += len(log)
            state.mistakes_per_epoch[-1] += len(log)
            self._report()

    def scan_is_clean(self, rows: Rows) -> bool:
        """Return whether no row is a mistake now; a clean scan counts as an epoch."""
        _, log = self._slice(rows, 0, len(rows), self.state.w.copy(), room=1)
        if log.size:
            return False
        self.state.mistakes_per_epoch.append(0)
        return True

    def _slice(self, order: Rows, start: int, stop: int, w: Floats, room: int = _LOG_ROOM) -> tuple[int, Rows]:
        if self.limit is not None:
            room = max(1, min(room, self.limit - self.state.n_mistakes))
        log = np.empty(min(room, stop - start), dtype=np.int64)
        made, n_mistakes = self.run_pass(self.scale, self.zero_rule, order, start, stop, room, w, log)
        return made, log[:n_mistakes].copy()

    def _report(self) -> None:
        now = time.monotonic()
        if self.on_progress is None or now - self.reported < 0.1:
            return
        self.reported = now
        state = self.state
        progress = Progress(
            n_mistakes=state.n_mistakes, n_epochs=len(state.mistakes_per_epoch), seconds=now - self.started
        )
        try:
            self.on_progress(progress)
        except KeyboardInterrupt:
            self.interrupt.is_set = True


def _result(problem: Problem, settings: PerceptronSettings, state: _State, stop_reason: StopReason) -> PerceptronRun:
    mistake_rows = np.concatenate(state.log) if state.log else np.empty(0, dtype=np.int64)
    scale = settings.bias_scale if problem.bias else 0.0
    w, weight = _in_users_units(state, scale)
    if not (np.isfinite(w).all() and math.isfinite(weight * scale)):
        raise InvalidProblemError("the perceptron's weights overflow: divide the data by a power of two such as 2**600")
    margin, run_margin = _achieved_margins(problem, w, weight, scale)
    margin_upper, run_upper = upper_bounds(problem, mistake_rows, scale)
    return PerceptronRun(
        w=w,
        b=weight * scale,
        n_mistakes=state.n_mistakes,
        n_epochs=len(state.mistakes_per_epoch),
        converged=stop_reason is StopReason.CONVERGED,
        stop_reason=stop_reason,
        mistake_rows=mistake_rows,
        mistakes_per_epoch=np.array(state.mistakes_per_epoch, dtype=np.int64),
        margin=margin,
        margin_upper=margin_upper,
        run_margin=run_margin,
        run_upper=run_upper,
        settings=settings,
    )


def _in_users_units(state: _State, scale: float) -> tuple[Floats, float]:
    """Return w and the weight of the constant coordinate; divided by a power of two where the plane overflows."""
    with np.errstate(over="ignore"):
        w = np.ldexp(state.w, state.unit_exponent)
    if not (np.isfinite(w).all() and math.isfinite(float(w[-1]) * scale)):
        w = state.w
    return w[:-1], float(w[-1])


def _achieved_margins(problem: Problem, w: Floats, weight: float, scale: float) -> tuple[float, float]:
    """Return the least geometric margins of the plane in the user's space and in the space of the run, rounded down."""
    square = norm_squared(w)
    b = weight * scale
    margin = geometric_margin(problem, w, b, square)
    if not scale:
        return margin, margin
    # b is rounded, so in the space of the run the last weight of this very plane is b/s.
    return margin, geometric_margin(problem, w, b, square + (Fraction(b) / Fraction(scale)) ** 2)


def upper_bounds(problem: Problem, mistake_rows: Rows, scale: float) -> tuple[float | None, float | None]:
    """Return the proven upper bounds of gamma* and of the maximum margin in (x, s), from the mistakes alone."""
    counts = np.bincount(mistake_rows, minlength=problem.n_samples)
    rows = np.flatnonzero(counts)
    margin_square = margin_upper_bound_squared(problem, counts)
    run_square = mean_norm_squared(problem, rows, counts[rows].tolist(), Fraction(scale))
    return (
        None if margin_square is None else sqrt_up(margin_square),
        None if run_square is None else sqrt_up(run_square),
    )
