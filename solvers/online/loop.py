"""The loop of every online algorithm: epochs of presentations until a rule or a limit ends it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.compiling import is_switched_off
from maxmargin.solvers.online.algorithm import Algorithm
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState, Presents, Step, present
from maxmargin.solvers.perceptron.engines.run_counts import Log
from maxmargin.solvers.perceptron.reporter import Interrupt, Reporter
from maxmargin.solvers.perceptron.row_orders import Presentation
from maxmargin.solvers.perceptron.settings import OnProgress, StopReason
from maxmargin.solvers.proof.margins import n_errors

# Time of plain Python in multiples of the time of compiled code.
_SLOWER = 100

# Work in plain Python of one run, and of all runs of a process, before anything is compiled, in units of
# `OnlineSettings.short`. It takes about as long as loading the compiler and the loop.
_FIRST, _FIRST_OF_ALL = 15, 50


@dataclass(slots=True)
class Counts:
    """The counts of a run: in total, by row and by epoch; rows and times of the updates."""

    presented: Rows
    updated: Rows
    rows: Log
    times: Log
    n_presentations: int = 0
    n_updates: int = 0
    n_mistakes: int = 0
    updates_per_epoch: list[int] = field(default_factory=list)
    mistakes_per_epoch: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, n_samples: int, most_logged: int, n_presentations: int = 0) -> "Counts":
        """Return counts of 0 updates, after a number of presentations."""
        presented, updated = np.zeros((2, n_samples), dtype=np.int64)
        rows, times = Log(most_logged), Log(most_logged)
        return cls(presented=presented, updated=updated, rows=rows, times=times, n_presentations=n_presentations)

    def add(self, made: int, rows: Rows, times: Rows, n_mistakes: int) -> None:
        """Add a slice of the epoch under way."""
        self.n_presentations += made
        self.rows.extend(rows)
        self.times.extend(times)
        self.n_updates += len(rows)
        self.n_mistakes += n_mistakes
        self.updates_per_epoch[-1] += len(rows)
        self.mistakes_per_epoch[-1] += n_mistakes


@dataclass(slots=True)
class _Process:
    """State shared by the runs of a process: multiplications done in plain Python, and whether the loop is compiled."""

    plain_work: int = 0
    has_compiled: bool = False


_process = _Process()


class Loop:
    """A run: the state of its algorithm, and what is counted."""

    def __init__(
        self, algorithm: Algorithm, space: Space, settings: OnlineSettings, *, rng: Generator, on_progress: OnProgress
    ) -> None:
        self.algorithm, self.space, self.settings = algorithm, space, settings
        self.state = algorithm.start(space)
        self.counts = Counts.of(space.n_samples, settings.sizes.most_logged)
        self.order = settings.order or algorithm.default_order
        self.is_rowwise = algorithm.presents is Presents.ROWS
        self.presentation = Presentation(self.order, space.n_samples if self.is_rowwise else 1, rng)
        self.interrupt = Interrupt()
        self.reporter = Reporter(on_progress, self.interrupt, settings.sizes.seconds_between_reports)
        self.cost = algorithm.cost(space)

    def run(self) -> StopReason:
        """Present epochs until the stopping rule, a limit or Ctrl-C."""
        with self.interrupt:
            while True:
                if len(self.counts.updates_per_epoch) == self.settings.max_epochs:
                    return StopReason.MAX_EPOCHS
                self._present_epoch()
                if self.interrupt.is_set:
                    return StopReason.INTERRUPTED
                if self._is_full:
                    return StopReason.MAX_UPDATES
                if self._is_late:
                    return StopReason.TIME_LIMIT
                if self.algorithm.is_finished(self.space, self.state, self.counts.n_updates, self._is_clean()):
                    return StopReason.STALLED if self._has_errors() else StopReason.CONVERGED

    @property
    def _is_full(self) -> bool:
        limit = self.settings.max_updates
        return limit is not None and self.counts.n_updates >= limit

    @property
    def _is_late(self) -> bool:
        limit = self.settings.time_limit
        return limit is not None and self.reporter.seconds >= limit

    def _has_errors(self) -> bool:
        """Return whether w errs on a row, though no row asks for an update; steps over all rows at once may end so.

        Every w through the origin errs on a row x = 0, and a rounded score may have the wrong sign.
        """
        return self.is_rowwise and n_errors(self.space.problem, self.state.w, 0.0) > 0

    def _is_clean(self) -> bool:
        """Return whether no row asks for an update."""
        if self.counts.updates_per_epoch[-1]:
            return False
        return not self.is_rowwise or self.order.covers_all_rows or self._scan_is_clean()

    def _present_epoch(self) -> None:
        order = self.presentation.next_epoch()
        self.counts.updates_per_epoch.append(0)
        self.counts.mistakes_per_epoch.append(0)
        position = 0
        while True:  # at least one presentation is made, however early the Ctrl-C
            is_plain = self._is_plain
            cost = self.cost * (_SLOWER if is_plain else 1)
            stop = min(position + max(1, self.settings.sizes.slice_cost // cost), len(order))
            room = stop - position
            if self.settings.max_updates is not None:
                room = min(room, self.settings.max_updates - self.counts.n_updates)
            made, rows, times, n_mistakes = self._call(self.state, order[position:stop], room, self.counts, is_plain)
            _process.plain_work += made * self.cost * is_plain
            self.counts.add(made, rows, times, n_mistakes)
            position += made
            self.reporter.report(self.counts.n_mistakes, len(self.counts.updates_per_epoch))
            if position == len(order) or self.interrupt.is_set or self._is_full or self._is_late:
                return

    def _call(
        self, state: LearnerState, order: Rows, room: int, counts: Counts, is_plain: bool
    ) -> tuple[int, Rows, Rows, int]:
        rows, times = np.empty((2, room), dtype=np.int64)
        step, loop = self._code(is_plain)
        log = (counts.presented, counts.updated, rows, times)
        kind, X, y = int(self.algorithm.presents), self.space.X, self.space.y
        made, n_updates, n_mistakes = loop(step, kind, X, y, order, counts.n_presentations, tuple(state), log)
        return int(made), rows[:n_updates], times[:n_updates], int(n_mistakes)

    @property
    def _is_plain(self) -> bool:
        """Whether the run is too short to wait for a compiler."""
        short, work = self.settings.short, max(1, self.counts.n_presentations) * self.cost
        if is_switched_off() or work < short:
            return True
        return not _process.has_compiled and work < _FIRST * short and _process.plain_work < _FIRST_OF_ALL * short

    def _code(self, is_plain: bool) -> tuple[Step, Callable[..., tuple[int, int, int]]]:
        """Return the step and the loop."""
        if is_plain:
            return self.algorithm.step, present
        from maxmargin.solvers.online import compiled_loop as machine_code

        _process.has_compiled = True
        return machine_code.compiled_step(self.algorithm.step), machine_code.present

    def _scan_is_clean(self) -> bool:
        """Return whether no row asks for an update: random samples may have missed one. The scan is not counted."""
        trial = Counts.of(self.space.n_samples, 1, self.counts.n_presentations)
        _, rows, _, _ = self._call(self.state.copy(), np.arange(self.space.n_samples), 1, trial, self._is_plain)
        return not rows.size
