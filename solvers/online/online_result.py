"""What an online run ended on."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.named import NamedAnswer, counted
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import Algorithm, State
from maxmargin.solvers.online.guarantee import Guarantee
from maxmargin.solvers.online.loop import Loop
from maxmargin.solvers.online.online_settings import OnlineSettings, OnlineStop
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class OnlineRun(NamedAnswer):
    """A run of an online algorithm.

    Attributes
    ----------
    w : ndarray (n_features,)
    b : float
        The hyperplane in the user's space: b is bias_scale times the weight of the constant coordinate. With a kernel
        w holds the coefficients of the rows instead, and b is 0.
    n_updates, n_mistakes : int
        Presentations that changed the state, and those with y w.x <= 0. Where a presentation is of all rows at once
        there are no mistakes.
    n_epochs, n_presentations : int
    converged : bool
        Whether the stopping rule of the algorithm ended the run, and, where presentations are of single rows, its last
        w has every row strictly on its side, counted in exact arithmetic; with errors left it is "stalled".
    stop_reason : OnlineStop
    update_rows, update_times : ndarray (n_updates,)
        The row of every update and the number of its presentation, from 1; the first ten million at most.
    updates_per_epoch, mistakes_per_epoch : ndarray (n_epochs,)
    presented, updated : ndarray (n_samples,)
        How often every row was presented, and updated on; where a presentation is of all rows at once, it counts for
        none of them, and the update for row 0.
    margin : float
        Least y(w.x + b)/||w|| over the rows, exact and rounded down: at most gamma*. -infinity at w = 0.
    run_margin : float
        The same in the space of the run, through the origin of (x, s); with a kernel both are in its feature space.
    unit_margin : float
        The same in the units of the run's rows.
    n_errors : int
        Rows with y(w.x + b) <= 0, counted in exact arithmetic.
    guarantees : tuple of Guarantee
        What the theory says of this run, checked.
    algorithm : Algorithm
        With its parameters.
    settings : OnlineSettings
    extras : mapping
        What the algorithm has to say besides.
    state : State
        The last one, in the space of the run.
    space : Space
    """

    w: Floats
    b: float
    n_updates: int
    n_mistakes: int
    n_epochs: int
    n_presentations: int
    converged: bool
    stop_reason: OnlineStop
    update_rows: Rows = field(repr=False)
    update_times: Rows = field(repr=False)
    updates_per_epoch: Rows = field(repr=False)
    mistakes_per_epoch: Rows = field(repr=False)
    presented: Rows = field(repr=False)
    updated: Rows = field(repr=False)
    margin: float
    run_margin: float
    unit_margin: float
    n_errors: int
    guarantees: tuple[Guarantee, ...] = ()
    algorithm: Algorithm
    settings: OnlineSettings
    extras: Mapping[str, Any] = field(default_factory=dict)
    state: State = field(repr=False)
    space: Space = field(repr=False)

    @property
    def headline(self) -> str:
        """The algorithm, why the run ended, and its counts."""
        counts = f"{counted(self.n_updates, 'update')}, {counted(self.n_epochs, 'epoch')}"
        return f"{self.algorithm.name}: {self.stop_reason}: {counts}"

    def scalar(self, place: int) -> float:
        """Return one of the final scalars of the algorithm."""
        return float(self.state.scalars[place])

    def predict(self, X: Floats) -> Floats:
        """Return the sign predicted for every row: -1, +1, or 0 on the plane."""
        return self.algorithm.predict(self, np.asarray(X, dtype=np.float64))


def result_of(problem: Problem, loop: Loop, stop_reason: OnlineStop) -> OnlineRun:
    """Return what a loop ended on, without guarantees.

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
    rows, times = counts.logged()
    return OnlineRun(
        w=measured.w,
        b=measured.b,
        n_updates=counts.n_updates,
        n_mistakes=counts.n_mistakes,
        n_epochs=len(counts.updates_per_epoch),
        n_presentations=counts.n_presentations,
        converged=stop_reason is OnlineStop.CONVERGED,
        stop_reason=stop_reason,
        update_rows=rows,
        update_times=times,
        updates_per_epoch=np.array(counts.updates_per_epoch, dtype=np.int64),
        mistakes_per_epoch=np.array(counts.mistakes_per_epoch, dtype=np.int64),
        presented=counts.presented,
        updated=counts.updated,
        margin=measured.margin,
        run_margin=measured.run_margin,
        unit_margin=measured.unit_margin,
        n_errors=measured.n_errors,
        algorithm=algorithm,
        settings=loop.settings,
        state=loop.state,
        space=loop.space,
    )
