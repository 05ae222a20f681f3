"""The voted perceptron."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import OnlineRun
from maxmargin.solvers.online.guarantee import Check, at_most, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.rosenblatt import Perceptron
from maxmargin.solvers.online.state import Floats

_CHUNK_ENTRIES = 1 << 20
"""Number of entries of the weight vectors, or of their scores, that are computed at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VotedPerceptron(Perceptron):
    """The perceptron, whose weight vectors all vote, each with the number of presentations that it was there after.

    That is one for the update that made it and one for every row it got right. Nothing but the updates and their times
    is kept: the weight vectors are the sums of y x up to every update. The hyperplane of the run is the last of them,
    which the voters do not have in common with any hyperplane.

    Notes
    -----
    Where the vote errs on a row, voters with at least half of the votes err on it (a score of 0 is an error of theirs).
    Added up over the rows, the vote errs at most twice as often as the voters do on average. This is the half of Freund
    and Schapire's theorem that holds for every run; the other half, from the mistakes to the errors of the voters,
    holds on average over the orders of the rows only.
    """

    name = "voted"
    summary = "all weight vectors of the perceptron vote, with how long they lasted"
    reference = "Freund and Schapire 1999"
    theorems = (
        *Perceptron.theorems,
        at_most(
            "vote",
            "errors of the vote <= twice the mean errors of the voters, where these are few enough to be counted",
            "derived after Freund and Schapire 1999",
        ),
    )

    def extras(self, run: OnlineRun) -> dict[str, Any]:
        """Return the lifetimes of the weight vectors, w = 0 the first."""
        return {"lifetimes": lifetimes(run)}

    def predict(self, run: OnlineRun, X: Floats) -> Floats:
        """Return the sign of the vote, 0 for a draw."""
        return np.sign(_votes(run, _in_space(run, X)))

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the checks of the perceptron, which makes the same updates, and that of the vote."""
        is_known = run.n_updates == len(run.update_rows)
        is_counted = is_known and (run.n_updates + 1) * run.space.X.size <= run.settings.sizes.most_vote_products
        errors, mean_errors = _errors(run) if is_counted else (0, 0.0)
        yield from Perceptron.checks(self, run, reference)
        yield Check(errors, where(is_counted, 2 * mean_errors))


def lifetimes(run: OnlineRun) -> NDArray[np.int64]:
    """Return after how many presentations every weight vector was there, w = 0 the first; together after all."""
    times = np.concatenate([[1], run.update_times, [run.n_presentations + 1]])
    return np.asarray(np.diff(times))


def weight_vectors(run: OnlineRun, size: int) -> Iterator[Floats]:
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


def _votes(run: OnlineRun, X: Floats) -> Floats:
    """Return the sum over the weight vectors of lifetime times sign(w.x)."""
    votes = np.zeros(X.shape[0])
    for signs, weights in _ballots(run, X):
        votes += signs @ weights
    return votes


def _ballots(run: OnlineRun, X: Floats) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
    """Yield the signs of the scores of some weight vectors at a time, and their lifetimes."""
    weights, first = lifetimes(run), 0
    for chunk in weight_vectors(run, max(1, _CHUNK_ENTRIES // max(X.shape))):
        yield np.sign(X @ chunk.T), weights[first : first + len(chunk)]
        first += len(chunk)


def _errors(run: OnlineRun) -> tuple[int, float]:
    """Return the errors of the vote on the rows of the run, and those of its voters on average."""
    y, votes, errors = run.space.y, np.zeros(run.space.n_samples), 0
    for signs, weights in _ballots(run, run.space.X):
        votes += signs @ weights
        errors += int((y[:, np.newaxis] * signs <= 0).sum(axis=0) @ weights)
    return int((y * votes <= 0).sum()), errors / run.n_presentations


def _in_space(run: OnlineRun, X: Floats) -> Floats:
    """Return rows with the constant coordinate, in the units of the run."""
    constant = np.full((X.shape[0], run.space.n_columns - X.shape[1]), run.space.scale)
    return np.asarray(np.ldexp(np.hstack([X, constant]), -run.space.exponent))
