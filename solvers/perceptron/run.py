"""The perceptron's loop."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.perceptron.interrupt import Interrupt
from maxmargin.solvers.perceptron.orders import Presentation
from maxmargin.solvers.perceptron.result import PerceptronRun, achieved_margins, upper_bounds
from maxmargin.solvers.perceptron.settings import ZERO_RULES, PerceptronSettings, Progress, StopReason
from maxmargin.solvers.perceptron.stretches import Stretch, rowwise
from maxmargin.solvers.perceptron.units import in_users_units, scale_in_units, unit_exponent
from maxmargin.solvers.problem import Problem

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_SLICE_PRESENTATIONS = 2_000_000
"""Matrix entries read between two looks at the clock and at Ctrl-C, in presentations of one entry: a few ms."""

_LOG_ROOM = 65_536
"""Mistakes logged between two returns from compiled code."""


@dataclass(slots=True)
class _State:
    """What changes during a run; w is in units of 2**exponent."""

    w: Floats
    exponent: int
    log: list[Rows] = field(default_factory=list)
    mistakes_per_epoch: list[int] = field(default_factory=list)
    n_mistakes: int = 0
    n_presentations: int = 0


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
    state = _State(w=np.zeros(problem.n_features + 1), exponent=unit_exponent(problem, settings))
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
            epoch.present(presentation.next_epoch)
            if interrupt.is_set:
                return StopReason.INTERRUPTED
            if epoch.is_full:
                return StopReason.MAX_MISTAKES
            if state.mistakes_per_epoch[-1] == 0:
                if settings.order.covers_all_rows:
                    return StopReason.CONVERGED
                if len(state.mistakes_per_epoch) != settings.max_epochs and epoch.scan_is_clean(presentation.rows):
                    return StopReason.CONVERGED


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
        self.rowwise = rowwise(problem, settings.order, state.exponent)
        self.scale = scale_in_units(problem, settings, state.exponent)
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

    @property
    def _is_over(self) -> bool:
        return self.is_full or self.interrupt.is_set

    def present(self, order: Callable[[], Rows]) -> None:
        """Present the rows in the order that this returns, updating on mistakes."""
        state = self.state
        state.mistakes_per_epoch.append(0)
        for stretch in self.rowwise.stretches(order):
            self._present(stretch)
            if self._is_over:
                return

    def _present(self, stretch: Stretch) -> None:
        state = self.state
        position = 0
        while position < len(stretch.order) and not self._is_over:
            stop = min(position + self.step, len(stretch.order))
            made, log = self._slice(stretch, position, stop, state.w)
            position += made
            state.n_presentations += made
            state.log.append(log)
            state.n_mistakes += len(log)
            state.mistakes_per_epoch[-1] += len(log)
            self._report()

    def scan_is_clean(self, rows: Rows) -> bool:
        """Return whether no row is a mistake now; a clean scan counts as an epoch."""
        for stretch in self.rowwise.stretches(lambda: rows):
            _, log = self._slice(stretch, 0, len(stretch.order), self.state.w.copy(), room=1)
            if log.size:
                return False
        self.state.mistakes_per_epoch.append(0)
        self.state.n_presentations += len(rows)
        return True

    def _slice(self, stretch: Stretch, start: int, stop: int, w: Floats, room: int = _LOG_ROOM) -> tuple[int, Rows]:
        if self.limit is not None:
            room = max(1, min(room, self.limit - self.state.n_mistakes))
        log = np.empty(min(room, stop - start), dtype=np.int64)
        made, n_mistakes = stretch.run_pass(self.scale, self.zero_rule, stretch.order, start, stop, room, w, log)
        return made, log[:n_mistakes] + stretch.first_row

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
    w, weight = in_users_units(state.w, state.exponent, scale)
    if not (np.isfinite(w).all() and math.isfinite(weight * scale)):
        raise InvalidProblemError("the perceptron's weights overflow: divide the data by a power of two such as 2**600")
    margin, run_margin = achieved_margins(problem, w, weight, scale)
    margin_upper, run_upper = upper_bounds(problem, mistake_rows, scale)
    return PerceptronRun(
        w=w,
        b=weight * scale,
        n_mistakes=state.n_mistakes,
        n_epochs=len(state.mistakes_per_epoch),
        n_presentations=state.n_presentations,
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
