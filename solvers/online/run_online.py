"""A run of an online algorithm with its guarantees."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun
from maxmargin.solvers.online.loop import Loop
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.shared_guarantees import settled
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.perceptron.settings import Progress, StopReason
from maxmargin.solvers.problem.problem import Problem


def run_online(
    problem: Problem,
    algorithm: Algorithm,
    settings: OnlineSettings | None = None,
    *,
    rng: np.random.Generator | None = None,
    on_progress: Callable[[Progress], None] | None = None,
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
    most = settings.sizes.most_entries
    rows = Space.of(problem, settings.bias_scale, most) if reference is None else reference.space
    space = algorithm.space(rows)
    if space.exponent and not algorithm.is_scale_free:
        raise InvalidProblemError(
            f"the rows are of size 2**{space.exponent}, where products overflow or vanish, and the parameters of "
            f"{algorithm.name} have units: divide the data by a power of two"
        )
    loop = Loop(algorithm, space, settings, rng=rng or np.random.default_rng(), on_progress=on_progress)
    if reference is None or space is not rows:
        reference = Reference(space=space, time_limit=settings.proof_time)
    with np.errstate(all="ignore"):  # what overflows in a bound leaves it open
        run = result_of(problem, loop, loop.run())
        run = replace(run, extras=algorithm.extras(run))
        guarantees = (settled(each, run, reference) for each in algorithm.guarantees(run, reference))
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
        **measured._asdict(),
        n_updates=counts.n_updates,
        n_mistakes=counts.n_mistakes,
        n_epochs=len(counts.updates_per_epoch),
        n_presentations=counts.n_presentations,
        converged=stop_reason is StopReason.CONVERGED,
        stop_reason=stop_reason,
        update_rows=counts.rows.numbers(),
        update_times=counts.times.numbers(),
        updates_per_epoch=np.array(counts.updates_per_epoch, dtype=np.int64),
        mistakes_per_epoch=np.array(counts.mistakes_per_epoch, dtype=np.int64),
        presented=counts.presented,
        updated=counts.updated,
        algorithm=algorithm,
        settings=loop.settings,
        state=loop.state,
        space=loop.space,
    )
