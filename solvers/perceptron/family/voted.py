"""The voted perceptron."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.perceptron.family.algorithm import Algorithm, Step
from maxmargin.solvers.perceptron.family.guarantee import Guarantee
from maxmargin.solvers.perceptron.family.rosenblatt import perceptron_guarantees, perceptron_step

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.family.result import OnlineRun
    from maxmargin.solvers.perceptron.family.truth import Truth

Floats = NDArray[np.float64]


_CHUNK_ENTRIES = 1 << 20
"""Numbers of the weight vectors that are rebuilt at a time, and of their scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VotedPerceptron(Algorithm):
    """The perceptron, whose weight vectors all vote, each as often as it was presented with a row it got right.

    Nothing but the updates and their times is kept: the weight vectors are the sums of y x up to every update. The
    hyperplane of the run is the last of them, which the voters do not have in common with any hyperplane.
    """

    name: ClassVar[str] = "voted"
    summary: ClassVar[str] = "all weight vectors of the perceptron vote, by how long they lasted"
    reference: ClassVar[str] = "Freund and Schapire 1999"
    step: ClassVar[Step] = staticmethod(perceptron_step)
    is_scale_free: ClassVar[bool] = True

    def extras(self, run: "OnlineRun") -> dict[str, Any]:
        """Return the lifetimes of the weight vectors, w = 0 the first."""
        return {"lifetimes": lifetimes(run)}

    def predict(self, run: "OnlineRun", X: Floats) -> Floats:
        """Return the sign of the vote, 0 for a draw."""
        return np.sign(_votes(run, _in_space(run, X)))

    def guarantees(self, run: "OnlineRun", truth: "Truth") -> tuple[Guarantee, ...]:
        """Return those of the perceptron, which makes the same updates."""
        return perceptron_guarantees(run, truth)


def lifetimes(run: "OnlineRun") -> NDArray[np.int64]:
    """Return how many presentations every weight vector got right; their number is one more than the updates."""
    times = np.concatenate([[0], run.update_times, [run.n_presentations + 1]])
    return np.asarray(np.diff(times) - 1)


def weight_vectors(run: "OnlineRun", size: int) -> Iterator[Floats]:
    """Yield the weight vectors from w = 0 on, so many at a time.

    Raises
    ------
    InvalidProblemError
        If not all updates were kept.
    """
    if run.n_updates != len(run.update_rows):
        raise InvalidProblemError(f"{run.n_updates} weight vectors are too many to vote; only the first are kept")
    w = np.zeros((1, run.space.n_columns))
    yield w
    for start in range(0, run.n_updates, size):
        rows = run.update_rows[start : start + size]
        chunk = w[-1] + np.cumsum(run.space.y[rows, np.newaxis] * run.space.X[rows], axis=0)
        yield chunk
        w = chunk


def _votes(run: "OnlineRun", X: Floats) -> Floats:
    """Return the sum over the weight vectors of lifetime times sign(w.x)."""
    votes, first = np.zeros(X.shape[0]), 0
    weights = lifetimes(run)
    for chunk in weight_vectors(run, max(1, _CHUNK_ENTRIES // max(X.shape))):
        votes += np.sign(X @ chunk.T) @ weights[first : first + len(chunk)]
        first += len(chunk)
    return votes


def _in_space(run: "OnlineRun", X: Floats) -> Floats:
    """Return rows with the constant coordinate, in the units of the run."""
    constant = np.full((X.shape[0], run.space.n_columns - X.shape[1]), run.space.scale)
    return np.asarray(np.ldexp(np.hstack([X, constant]), -run.space.exponent))
