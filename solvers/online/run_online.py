"""A run of an online algorithm with its guarantees."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import Algorithm
from maxmargin.solvers.online.guarantee import settled
from maxmargin.solvers.online.loop import Loop
from maxmargin.solvers.online.online_result import OnlineRun, result_of
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.truth import Truth
from maxmargin.solvers.perceptron.settings import Progress
from maxmargin.solvers.problem.problem import Problem


def run_online(
    problem: Problem,
    algorithm: Algorithm,
    settings: OnlineSettings | None = None,
    *,
    rng: np.random.Generator | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    truth: Truth | None = None,
) -> OnlineRun:
    """Run an online algorithm until its stopping rule, a limit or Ctrl-C, and check what the theory says of the run.

    Parameters
    ----------
    problem : Problem
    algorithm : Algorithm
    settings : OnlineSettings, optional
    rng : numpy.random.Generator, optional
        For the orders that draw; a fresh one by default.
    on_progress : callable, optional
    truth : Truth, optional
        That of the rows (x, s), where it is known from another run.

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
    rows = truth.space if truth is not None else Space.of(problem, settings.bias_scale)
    space = algorithm.space(rows)
    if space.exponent and not algorithm.is_scale_free:
        raise InvalidProblemError(
            f"the rows are of size 2**{space.exponent}, where products overflow or vanish, and the parameters of "
            f"{algorithm.name} have units: divide the data by a power of two"
        )
    loop = Loop(algorithm, space, settings, rng=rng or np.random.default_rng(), on_progress=on_progress)
    known = truth if truth is not None and space is rows else Truth(space=space, time_limit=settings.proof_time)
    with np.errstate(all="ignore"):  # what overflows in a bound leaves it open
        run = result_of(problem, loop, loop.run())
        run = replace(run, extras=algorithm.extras(run))
        guarantees = (settled(each, run, known) for each in algorithm.guarantees(run, known))
        return replace(run, guarantees=tuple(guarantees))
