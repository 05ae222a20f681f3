"""The perceptron's loop, written once: slices of compiled work, limits, Ctrl-C, progress, the stopping rule.

The mistakes are the same as in exact arithmetic: if rounding could have decided the sign of a score, the sign is
computed from the integer counts of the mistakes; the compiled passes do so themselves if the rows have few limbs. Where
this is not possible (rows outside memory, or very many such scores of rows with too many limbs), the run counts the
scores that rounding may have decided.
"""

import math
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.perceptron.engines.engine_choice import EngineChoice
from maxmargin.solvers.perceptron.engines.exact_weights import Start
from maxmargin.solvers.perceptron.engines.float_engines import WeightsEngine
from maxmargin.solvers.perceptron.engines.presented_rows import RowsInMemory, Segment, source_of
from maxmargin.solvers.perceptron.engines.row_units import Units, times_weights
from maxmargin.solvers.perceptron.engines.run_counts import RunCounts
from maxmargin.solvers.perceptron.engines.ties import Ties
from maxmargin.solvers.perceptron.kernels import pass_arguments as at
from maxmargin.solvers.perceptron.kernels.pass_arguments import Reason, Work, frozen
from maxmargin.solvers.perceptron.reporter import Interrupt, Reporter
from maxmargin.solvers.perceptron.result import PerceptronRun, achieved_margins, result_of, upper_bounds
from maxmargin.solvers.perceptron.row_orders import Presentation
from maxmargin.solvers.perceptron.settings import ZERO_RULES, EngineName, OnProgress, PerceptronSettings, StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import ClassSums

# Seconds to add one entry of a mistaken row exactly at the end of a run; an overestimate.
_PROOF_ENTRY = 6e-8

# Passes over rows outside memory that the proofs at the end of a run take.
_PROOF_PASSES = 2


def perceptron(
    problem: Problem,
    settings: PerceptronSettings | None = None,
    *,
    rng: np.random.Generator | None = None,
    on_progress: OnProgress = None,
    on_mistakes: Callable[[Rows], None] | None = None,
) -> PerceptronRun:
    """Run Rosenblatt's perceptron until a clean epoch, a limit, or Ctrl-C.

    Under ``zero="mistake"`` the run converges exactly on data that are strictly separable in its space, after at most
    (R/gamma)^2 mistakes with that space's R and gamma (Novikoff 1962).

    Parameters
    ----------
    problem : Problem
    settings : PerceptronSettings, optional
    rng : numpy.random.Generator, optional
        For the shuffled and random orders; a new one by default.
    on_progress : callable, optional
        Called about ten times a second; it may raise KeyboardInterrupt to end the run.
    on_mistakes : callable, optional
        Called with the rows of all mistakes, one part after another, in an array that is overwritten afterwards.

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
    run = RunInProgress(problem, settings, presentation, on_progress, on_mistakes)
    stop_reason = run.until_stopped()
    return result_of(problem, settings, run.tally, stop_reason, ", ".join(run.engine_names))


def weighted_perceptron(
    problem: Problem,
    settings: PerceptronSettings,
    *,
    weights: Floats,
    start: Any = None,
    rng: np.random.Generator,
) -> PerceptronRun:
    """Run the perceptron on the rows v (x, s), each number rounded to binary64.

    Parameters
    ----------
    problem : Problem
    settings : PerceptronSettings
    weights : ndarray (n_samples,)
        The v, positive.
    start : Start, or tuple of ndarray (n_features,) and float, optional
        Where another run ended, or w and b. No upper bound of the maximum margin is stated then.
    rng : numpy.random.Generator

    Raises
    ------
    InvalidProblemError
        If v (x, s), or the weights at the end, are beyond the range of binary64.
    """
    scale, d = settings.bias_scale if problem.bias else 0.0, problem.n_features
    if start is not None:  # which engines with integers of the rows, or of their products, cannot represent
        settings = replace(settings, method=EngineName.WEIGHTS)
        if not isinstance(start[0], list):
            integers, exponent = as_integers(np.append(start[0], [start[1] / scale] if scale else []))
            start = integers.tolist(), exponent
    rows = Problem(times_weights(problem.X, weights, scale), problem.y, bias=False)
    run = RunInProgress(rows, settings, Presentation(settings.order, problem.n_samples, rng), start=start)
    stop_reason, tally, exact = run.until_stopped(), run.tally, run.ties.exact
    result = result_of(rows, settings, tally, stop_reason, ", ".join(run.engine_names))
    exact.follow(tally.counts)
    plane = exact.rounded(run.units.exponent)[:-1]
    w, b = plane[:d], float(plane[-1]) * scale if scale else 0.0
    mistaken = np.flatnonzero(tally.counts)
    sums = ClassSums.of(problem, mistaken, (as_integers(weights[mistaken])[0] * tally.counts[mistaken]).tolist())
    upper = upper_bounds(problem, sums, scale)[0] if start is None else None
    margin = achieved_margins(problem, w, b, scale)[0]
    return replace(
        result, w=w, b=b, margin=margin, margin_upper=upper, problem=problem, bias=problem.bias,
        end=(exact.sums, exact.exponent),
    )  # fmt: skip


class RunInProgress:
    """A run under way, from w = 0 or, with weights in floating point, from others."""

    def __init__(
        self,
        problem: Problem,
        settings: PerceptronSettings,
        presentation: Presentation,
        on_progress: OnProgress = None,
        on_mistakes: Callable[[Rows], None] | None = None,
        start: Start | None = None,
    ) -> None:
        self.started = time.monotonic()
        self.problem, self.settings, self.presentation = problem, settings, presentation
        self.units = Units.of(problem, settings)
        self.choice = EngineChoice(problem, settings)
        self.source = source_of(problem, self.units, presentation, self.choice.method)
        self.tally = RunCounts.of(np.zeros(problem.n_samples, dtype=np.int64), settings.sizes.most_logged)
        self.ties = Ties(problem, settings, self.units, start)
        self.engine_names = [self.source.engine.name]
        self.on_mistakes = on_mistakes
        self.interrupt = Interrupt()
        self.reporter = Reporter(on_progress, self.interrupt, settings.sizes.seconds_between_reports)
        self.log, self.epochs = np.empty((2, settings.sizes.log_buffer), dtype=np.int64)
        self.n_timed_from = sys.maxsize  # nothing is timed yet
        self.timed_from = time.monotonic()
        if start is not None:
            self.tally.size[at.ERROR] = math.inf  # until the weights are loaded
            self.ties.load(self.source.engine, self.tally)

    def until_stopped(self) -> StopReason:
        """Present rows until the run ends, and return why."""
        stop, is_timed = self._limit(), False
        with self.interrupt, closing(self.source.segments()) as segments:
            while stop is None:
                stop = self._present(next(segments))
                if not is_timed:  # from the second chunk on: the first may have had to wait for a compiler
                    is_timed, self.timed_from, self.n_timed_from = True, time.monotonic(), self.tally.n_presentations
        return stop

    def _present(self, segment: Segment) -> StopReason | None:
        """Present the rows of a segment; return why the run ends, or None if it continues."""
        while True:
            segment = self._with_better_engine(segment)
            reason = self._slice(segment)
            self.reporter.report(self.tally.n_mistakes, self.tally.n_begun)
            stop = self._stop(reason)
            if stop is not None:
                return stop
            if reason is Reason.ORDER_IS_DONE:
                self.tally.cursor[at.POSITION] = 0
                return None
            if reason is Reason.ROUNDING_MAY_DECIDE:
                self.ties.decide(self.tally, self._row(self.tally, segment))
            self.ties.reload(segment.engine, self.tally)

    def _with_better_engine(self, segment: Segment) -> Segment:
        before, method = self.source.engine, self.choice.better(self.tally)
        if method is None or not isinstance(self.source, RowsInMemory):
            return segment
        engine = self.source.engine = self.source.engine_of(method)
        self.engine_names.append(engine.name)
        if not (isinstance(before, WeightsEngine) and isinstance(engine, WeightsEngine)):  # which share their weights
            if before.is_exact:
                self.tally.size[at.ERROR] = math.inf  # nothing is known of the rounding before the weights are loaded
            self.ties.load(engine, self.tally)
        return replace(segment, engine=engine)

    def _slice(self, segment: Segment) -> Reason:
        tally, settings = self.tally, self.settings
        room = n_epochs = settings.sizes.log_buffer
        if settings.max_mistakes is not None:
            room = max(1, min(room, settings.max_mistakes - tally.n_mistakes))
        if settings.max_epochs is not None:
            n_epochs = min(n_epochs, settings.max_epochs - tally.n_epochs)
        n_epochs = self.choice.epochs_before(tally, n_epochs)
        log, epochs = self.log[:room], self.epochs[:n_epochs]
        most = max(1, settings.sizes.slice_entries // segment.engine.entries_per_presentation)
        most = self.choice.presentations_before(tally, most)
        reason = self._pass(tally, segment, most, log, epochs)
        cursor = tally.cursor
        tally.n_presentations += int(cursor[at.N_PRESENTED])
        tally.n_mistakes += int(cursor[at.N_LOGGED])
        tally.n_epochs += int(cursor[at.N_EPOCHS])
        tally.n_uncertain += int(cursor[at.N_UNCERTAIN])
        mistaken = log[: cursor[at.N_LOGGED]]
        mistaken = mistaken + segment.first_row if segment.first_row else mistaken
        tally.mistakes.extend(mistaken)
        if self.on_mistakes is not None:
            self.on_mistakes(mistaken)
        tally.epochs.extend(epochs[: cursor[at.N_EPOCHS]])
        return reason

    def _pass(self, tally: RunCounts, segment: Segment, most: int, log: Rows, epochs: Rows) -> Reason:
        work = Work(
            y=segment.engine.y,
            order=frozen(segment.order),
            wraps=segment.wraps,
            epoch_length=self.problem.n_samples,
            zero_rule=ZERO_RULES[self.settings.zero],
            asks=tally.asks,
            most=most,
            rounding=segment.engine.rounding,
            limbs=self.ties.limbs,
            counts=tally.counts[segment.first_row :],
            size=tally.size,
            cursor=tally.cursor,
            log=log,
            epochs=epochs,
        )
        reason = segment.engine.present(work)
        tally.n_ties += int(tally.cursor[at.N_DECIDED])
        return reason

    @staticmethod
    def _row(tally: RunCounts, segment: Segment) -> int:
        return int(segment.order[tally.cursor[at.POSITION]]) + segment.first_row

    def _stop(self, reason: Reason) -> StopReason | None:
        limit = self._limit()
        if reason is Reason.EPOCH_WAS_CLEAN and (
            self.settings.order.covers_all_rows or (limit is None and self._scan_is_clean())
        ):
            return StopReason.CONVERGED
        return StopReason.INTERRUPTED if self.interrupt.is_set else limit

    def _limit(self) -> StopReason | None:
        """Return the limit that is reached, or None."""
        tally, settings = self.tally, self.settings
        if settings.max_mistakes is not None and tally.n_mistakes >= settings.max_mistakes:
            return StopReason.MAX_MISTAKES
        if settings.max_epochs is not None and tally.n_epochs >= settings.max_epochs:
            return StopReason.MAX_EPOCHS
        is_late = settings.time_limit is not None and self._seconds_with_proof() >= settings.time_limit
        return StopReason.TIME_LIMIT if is_late else None

    def _seconds_with_proof(self) -> float:
        """Return the seconds of the run if it ends now, with the exact computation of its weights and margins."""
        tally, problem = self.tally, self.problem
        seconds = time.monotonic() - self.started
        n_entries = problem.X.nnz / problem.n_samples if problem.is_sparse else problem.n_features
        proof = _PROOF_ENTRY * min(tally.n_mistakes, problem.n_samples) * n_entries
        n_timed = tally.n_presentations - self.n_timed_from
        if not isinstance(self.source, RowsInMemory) and n_timed > 0:  # all rows are read again
            proof += _PROOF_PASSES * (time.monotonic() - self.timed_from) * problem.n_samples / n_timed
        return seconds + proof

    def _scan_is_clean(self) -> bool:
        """Return whether no row is a mistake now; a clean scan counts as an epoch."""
        tally = self.tally
        weights = self.source.engine.weights.copy()
        trial = replace(tally, counts=tally.counts.copy(), size=tally.size.copy(), cursor=np.zeros_like(tally.cursor))
        with closing(self.source.once(self.presentation.rows)) as segments:
            has_mistake = any(self._has_mistake(trial, segment) for segment in segments)
        self.source.engine.weights[:] = weights
        tally.n_ties, tally.n_uncertain, tally.asks = trial.n_ties, trial.n_uncertain, trial.asks
        if has_mistake:
            return False
        tally.n_epochs += 1
        tally.n_presentations += self.problem.n_samples
        tally.epochs.extend(np.zeros(1, dtype=np.int64))
        return True

    def _has_mistake(self, trial: RunCounts, segment: Segment) -> bool:
        log, epochs = np.empty(1, dtype=np.int64), np.empty(1, dtype=np.int64)
        trial.cursor[at.POSITION] = 0
        while True:
            reason = self._pass(trial, segment, self.problem.n_samples, log, epochs)
            trial.n_uncertain += int(trial.cursor[at.N_UNCERTAIN])
            if reason is Reason.ROUNDING_MAY_DECIDE:
                self.ties.decide(trial, self._row(trial, segment))
            elif reason is not Reason.SLICE_IS_MADE:
                return reason is Reason.LOG_IS_FULL
