"""A run of an online algorithm with its guarantees."""

import math
from dataclasses import replace

import numpy as np

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun
from maxmargin.solvers.online.guarantee import Guarantee
from maxmargin.solvers.online.loop import Loop
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState
from maxmargin.solvers.perceptron.settings import OnProgress, StopReason
from maxmargin.solvers.problem.problem import Problem

# Relative error of an update or of a term of a score, with room.
_ROUNDING = 2.0**-50

# Largest loss of an operation whose result underflows.
_TINIEST = 2.0**-1074


def run_online(
    problem: Problem,
    algorithm: Algorithm,
    settings: OnlineSettings | None = None,
    *,
    rng: np.random.Generator | None = None,
    on_progress: OnProgress = None,
    reference: Reference | None = None,
) -> OnlineRun:
    """Run an online algorithm until its stopping rule, a limit or Ctrl-C, and check what the theory says of the run.

    Parameters
    ----------
    problem : Problem
    algorithm : Algorithm
    settings : OnlineSettings, optional
    rng : numpy.random.Generator, optional
        For the orders that are random; a new one by default.
    on_progress : callable, optional
    reference : Reference, optional
        Proven facts on the rows (x, s), if another run has them.

    Raises
    ------
    InvalidProblemError
        If the rows are too many for memory, or numbers overflow.

    Examples
    --------
    >>> from maxmargin.solvers.online.rosenblatt import Perceptron
    >>> run = run_online(Problem.validated([[10.0], [12.0]], [-1, 1]), Perceptron(), OnlineSettings(max_epochs=None))
    >>> run.n_updates, [guarantee.holds for guarantee in run.guarantees]
    (233, [True, True, True])
    """
    settings = settings or OnlineSettings()
    rows = Space.of(problem, settings.bias_scale, settings.sizes.most_entries) if reference is None else reference.space
    run = run_without_guarantees(problem, algorithm, settings, rows, rng=rng, on_progress=on_progress)
    return with_guarantees(run, reference if run.space is rows else None)


def run_without_guarantees(
    problem: Problem,
    algorithm: Algorithm,
    settings: OnlineSettings,
    rows: Space,
    *,
    rng: np.random.Generator | None = None,
    on_progress: OnProgress = None,
    before: tuple[LearnerState, int] | None = None,
) -> OnlineRun:
    """Run an online algorithm on the rows (x, s) as `run_online` does, and check nothing.

    It goes on from the state of a run before, after a number of presentations, if there is one.

    Raises
    ------
    InvalidProblemError
        If numbers overflow.
    """
    space = algorithm.space(rows)
    if space.exponent and not algorithm.is_scale_free:
        raise InvalidProblemError(
            f"the rows are of size 2**{space.exponent}, where products overflow or vanish, and the parameters of "
            f"{algorithm.name} have units: divide the data by a power of two"
        )
    loop = Loop(algorithm, space, settings, rng=rng or np.random.default_rng(), on_progress=on_progress)
    if before is not None:
        loop.state, loop.counts.n_presentations = before[0].copy(), before[1]
    with np.errstate(all="ignore"):
        run = result_of(problem, loop, loop.run())
        return replace(run, extras=algorithm.extras(run))


def with_guarantees(run: OnlineRun, reference: Reference | None = None) -> OnlineRun:
    """Return a run with what the theory says of it; the reference knows proven facts on the rows of its space."""
    if reference is None:
        reference = Reference(space=run.space, time_limit=run.settings.proof_time)
    with np.errstate(all="ignore"):  # what overflows in a bound leaves it open
        guarantees = (settled(each, run, reference) for each in run.algorithm.guarantees(run, reference))
        return replace(run, guarantees=tuple(guarantees))


def result_of(problem: Problem, loop: Loop, stop_reason: StopReason) -> OnlineRun:
    """Return the result of a loop, without guarantees.

    Raises
    ------
    InvalidProblemError
        If numbers overflowed on the way.
    """
    counts, algorithm = loop.counts, loop.algorithm
    plane = algorithm.plane(loop.state, counts.n_presentations) if loop.state.is_finite else np.array([math.nan])
    measured = algorithm.measure(problem, loop.space, plane) if np.isfinite(plane).all() else None
    if measured is None:
        raise InvalidProblemError(
            f"the weights of {algorithm.name} overflow: divide the data by a power of two, or choose other parameters"
        )
    return OnlineRun(
        **measured._asdict(), algorithm=algorithm, settings=loop.settings, state=loop.state, space=loop.space,
        n_updates=counts.n_updates, n_mistakes=counts.n_mistakes, n_presentations=counts.n_presentations,
        presented=counts.presented, updated=counts.updated, n_epochs=len(counts.updates_per_epoch),
        converged=stop_reason is StopReason.CONVERGED, stop_reason=stop_reason,
        update_rows=counts.rows.numbers(), update_times=counts.times.numbers(),
        updates_per_epoch=np.array(counts.updates_per_epoch, dtype=np.int64),
        mistakes_per_epoch=np.array(counts.mistakes_per_epoch, dtype=np.int64),
    )  # fmt: skip


def settled(guarantee: Guarantee, run: OnlineRun, reference: Reference) -> Guarantee:
    """Return the guarantee with a note where it is open: undecided if rounding can explain that it fails.

    The theorems are about exact arithmetic. A score of D terms errs by a relative D 2^-53 of ||w|| ||x|| at most, and
    so does ||w|| after M updates by M 2^-53; where a side is a small difference of the two, as w.u >= M g is for
    g much less than R, that is magnified by R/g, and by what an update divides by. Where no digit is certain, the run
    says nothing of the theorem, whether the two sides agree or not.
    """
    if guarantee.value is None and not run.space.is_exact:
        return replace(guarantee, note="the rows differ so much in size that the run is on roundings of them")
    if guarantee.value is None and not guarantee.note and reference.is_out_of_time:
        return replace(guarantee, note="whether the rows are separable was not decided within the time limit")
    if guarantee.value is None:
        return guarantee
    if guarantee.holds is None:
        return replace(guarantee, note="numbers overflow")
    n_steps = run.n_updates + run.space.n_columns
    is_magnified = guarantee.is_about_u and reference.is_separable
    magnified = max(run.algorithm.amplification(run), math.sqrt(reference.novikoff) if is_magnified else 1.0)
    relative = n_steps * _ROUNDING * magnified
    if not relative < 1:
        return replace(guarantee, holds=None, note="the rounding of so many updates can be as large as the numbers")
    if guarantee.holds:
        return guarantee
    largest = max(abs(guarantee.achieved), abs(guarantee.value))
    if abs(guarantee.achieved - guarantee.value) <= relative * largest + n_steps * _TINIEST:
        note = "the two sides differ by no more than the rounding of so many updates can make up"
        return replace(guarantee, holds=None, note=note)
    return guarantee
