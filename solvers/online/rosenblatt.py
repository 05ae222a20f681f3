"""Rosenblatt's perceptron, ending on its last w, on the mean or the vote of all of them, or on the best one seen."""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, check_novikoff
from maxmargin.solvers.online.guarantee import NOVIKOFF, Check, Theorem, at_least, at_most, length_of, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.proof.margins import n_errors


def perceptron_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x to w on a mistake."""
    if y[row] * score > 0.0:
        return 0
    for j in range(w.shape[0]):
        w[j] += y[row] * X[row, j]
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceptron(Algorithm):
    """w += y x where y w.x <= 0, until an epoch without a mistake.

    Notes
    -----
    For u of norm 1 with margin g: M g <= w.u <= ||w|| <= sqrt(sum ||x||^2), because no update has y w.x > 0. So
    ||w||/M >= g, and M <= sqrt(sum ||x||^2)/g <= R sqrt(M)/g.
    """

    name = "perceptron"
    summary = "add y x on a mistake"
    reference = "Rosenblatt 1958"
    theorems: ClassVar[tuple[Theorem, ...]] = (
        NOVIKOFF,
        at_most(
            "sum-of-squares",
            "updates <= sqrt(sum over the updates of ||x||^2)/g, strictly separable with margin g",
            "derived: M g <= w.u <= ||w||",
        ),
        at_least(
            "self-certificate",
            "||w||/M >= g, strictly separable with margin g",
            "derived: w/M is a convex combination of the y x",
        ),
    )
    step = staticmethod(perceptron_step)
    is_scale_free = True

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield Novikoff's bound, a sharper one, and the upper bound of the margin that the run proves."""
        length = math.sqrt(float(run.updated @ reference.space.squared_norms))
        yield check_novikoff(run, reference)
        yield Check(run.n_updates, where(reference.is_separable, quotient(length, reference.margin)))
        yield Check(quotient(length_of(run.state.w), run.n_updates), where(reference.is_separable, reference.margin))


# Places of the scalars: sums over the updates of t - 1, and of (t - 1) ||x||^2.
_DELAYS, _DELAYED_SQUARES = 0, 1


def averaged_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y x to w on a mistake, and the t - 1 presentations that it came too late for to the table."""
    if y[row] * score > 0.0:
        return 0
    square = 0.0
    for j in range(w.shape[0]):
        square += X[row, j] * X[row, j]
        w[j] += y[row] * X[row, j]
        table[0, j] += (t - 1) * y[row] * X[row, j]
    scalars[0] += t - 1
    scalars[1] += (t - 1) * square
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragedPerceptron(Perceptron):
    """The perceptron, ending on the mean of its w after each of the T presentations.

    An update at presentation t is in T - t + 1 of them, so the mean is w - (sum of (t - 1) y x)/T. ``extras["last"]``
    is the last w.

    Notes
    -----
    Derived here. The mean is sum c y x with shares c = (T - t + 1)/T, and A = sum c is the mean number of updates so
    far. For u of norm 1 with margin g its part along u is A g at least, so ||mean||/A >= g. Its length: ||mean||^2 is
    at most the mean of ||w||^2 (convexity), and ||w||^2 the sum of ||x||^2 over the updates so far. Together they bound
    the angle: cos(mean, u) >= A g/sqrt(sum c ||x||^2). They do not say that the mean separates, and it need not; with
    further passes it would in the end, for it tends to the last w.
    """

    name = "averaged"
    summary = "the perceptron's mean weights over all presentations"
    reference = "Freund and Schapire 1999; Collins 2002"
    theorems = (
        *Perceptron.theorems,
        at_least(
            "mean-certificate",
            "||mean||/A >= g, A the mean number of updates so far, strictly separable with margin g",
            "derived: mean/A is a convex combination of the y x",
        ),
        at_most(
            "mean-length",
            "||mean|| <= sqrt(sum over the updates of (T - t + 1)/T ||x||^2)",
            "derived: ||mean||^2 <= mean of ||w||^2",
        ),
    )
    step = staticmethod(averaged_step)

    def plane(self, state: LearnerState, n_presentations: int) -> Floats:
        """Return the mean."""
        return np.asarray(state.w - state.table[0] / n_presentations)

    def extras(self, run: OnlineRun) -> dict[str, Any]:
        """Return the last w of the run."""
        return {"last": run.state.w}

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the checks of the perceptron, which makes the same updates, and two of the mean."""
        T = run.n_presentations
        length = length_of(self.plane(run.state, T))
        mean_updates = run.n_updates - run.scalar(_DELAYS) / T
        square = float(run.updated @ reference.space.squared_norms) - run.scalar(_DELAYED_SQUARES) / T
        lost = run.n_updates * sys.float_info.min  # the most that squares lose by underflow
        yield from Perceptron.checks(self, run, reference)
        yield Check(quotient(length, mean_updates), where(reference.is_separable, reference.margin))
        yield Check(length, math.sqrt(max(square, 0.0) + lost))


# Number of entries of the weight vectors, or of their scores, that are computed at a time.
_CHUNK_ENTRIES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class VotedPerceptron(Perceptron):
    """The perceptron whose weight vectors all vote, each weighted by the number of presentations that it survived.

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
        constant = np.full((X.shape[0], run.space.n_columns - X.shape[1]), run.space.scale)
        ballots = _ballots(run, np.ldexp(np.hstack([X, constant]), -run.space.exponent))  # in the units of the run
        return np.sign(sum((signs @ weights for signs, weights in ballots), np.zeros(len(X))))

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the checks of the perceptron, which makes the same updates, and the check of the vote."""
        is_known = run.n_updates == len(run.update_rows)
        is_counted = is_known and (run.n_updates + 1) * run.space.X.size <= run.settings.sizes.most_vote_products
        errors, mean_errors = _errors(run) if is_counted else (0, 0.0)
        yield from Perceptron.checks(self, run, reference)
        yield Check(errors, where(is_counted, 2 * mean_errors))


def lifetimes(run: OnlineRun) -> NDArray[np.int64]:
    """Return how many presentations each weight vector survived, starting with w = 0; they add up to all of them."""
    return np.asarray(np.diff(np.concatenate([[1], run.update_times, [run.n_presentations + 1]])))


def weight_vectors(run: OnlineRun, size: int) -> Iterator[Floats]:
    """Yield the weight vectors in batches, starting with w = 0.

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


def _ballots(run: OnlineRun, X: Floats) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
    """Yield the signs of the scores of some weight vectors at a time, and their lifetimes."""
    weights, first = lifetimes(run), 0
    for chunk in weight_vectors(run, max(1, _CHUNK_ENTRIES // max(X.shape))):
        yield np.sign(X @ chunk.T), weights[first : first + len(chunk)]
        first += len(chunk)


def _errors(run: OnlineRun) -> tuple[int, float]:
    """Return the errors of the vote on the rows of the run, and the mean errors of its voters."""
    y, votes, errors = run.space.y, np.zeros(run.space.n_samples), 0
    for signs, weights in _ballots(run, run.space.X):
        votes += signs @ weights
        errors += int((y[:, np.newaxis] * signs <= 0).sum(axis=0) @ weights)
    return int((y * votes <= 0).sum()), errors / run.n_presentations


# Number of the last pockets whose errors are counted again in exact arithmetic after the run.
_KEPT = 64

# Place of the scalar: how often the pocket was changed.
_N_POCKETS = 3


def pocket_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """On a mistake add y x; else pocket w if its run of correct answers is the longest and it makes fewer errors.

    The scalars are the present run, the longest, the errors of the pocket, the number of changes k of the pocket, which
    is row k modulo the length of the table, and the errors of w, -1 before they are counted.
    """
    n = w.shape[0]
    if y[row] * score <= 0.0:
        for j in range(n):
            w[j] += y[row] * X[row, j]
        scalars[0] = 0.0
        scalars[4] = -1.0
        return 1
    scalars[0] += 1.0
    if scalars[0] <= scalars[1]:
        return 0
    if scalars[4] < 0.0:
        scalars[4] = 0.0
        for i in range(X.shape[0]):
            total = 0.0
            for j in range(n):
                total += X[i, j] * w[j]
            scalars[4] += y[i] * total <= 0.0
    if scalars[4] < scalars[2]:
        scalars[1] = scalars[0]
        scalars[2] = scalars[4]
        scalars[3] += 1.0
        position = int(scalars[3]) % table.shape[0]
        for j in range(n):
            table[position, j] = w[j]
    return 0


# Why nothing is said of the ratchet.
_COUNTED = "rounding errors changed a count of the run"


def _last_pockets(run: OnlineRun) -> list[Floats]:
    """Return the last contents of the pocket, one after another."""
    n_pockets = int(run.scalar(_N_POCKETS))
    return [run.state.table[k % _KEPT] for k in range(max(0, n_pockets - _KEPT + 1), n_pockets + 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pocket(Algorithm):
    """The perceptron in random order, ending on the best of its weights: these are in the pocket.

    w is pocketed when it has answered more rows in a row correctly than any w in the pocket before, and makes fewer
    errors on all rows than the w that is there (the ratchet). The run ends when all rows are right, or at a limit.
    """

    name = "pocket"
    summary = "the perceptron's best weights, kept by a ratchet"
    reference = "Gallant 1990"
    theorems = (
        at_most(
            "ratchet",
            "the greatest increase of the errors of the pocket, counted exactly, <= 0, unless rounding changed a count",
            "Gallant 1990",
        ),
    )
    step = staticmethod(pocket_step)
    needs_all_rows = True
    default_order = Order.RANDOM
    is_scale_free = True

    def start(self, space: Space) -> LearnerState:
        """Return w = 0 in hand and in the pocket, where it makes n errors."""
        table, scalars = np.zeros((_KEPT, space.n_columns)), np.array([0.0, 0.0, space.n_samples, 0.0, -1.0])
        return Algorithm.start(self, space)._replace(table=table, scalars=scalars)

    def is_finished(self, space: Space, state: LearnerState, n_updates: int, is_clean: bool) -> bool:
        """Return whether the pocket makes no error."""
        return bool(state.scalars[2] == 0)

    def plane(self, state: LearnerState, n_presentations: int) -> Floats:
        """Return the pocket."""
        return np.asarray(state.table[int(state.scalars[_N_POCKETS]) % _KEPT])

    def extras(self, run: OnlineRun) -> dict[str, Any]:
        """Return how often the pocket was changed, and the exact errors of its last contents, one after another."""
        errors = [n_errors(run.space.problem, w, 0.0) for w in _last_pockets(run)]
        return {"n_pockets": int(run.scalar(_N_POCKETS)), "pocket_errors": errors}

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield that the pocket only got better; on separable data the perceptron's bound does not apply to it."""
        errors, (X, y) = np.array(run.extras["pocket_errors"]), (run.space.X, run.space.y)
        # Added in the order of the step, which gives the same bits.
        scores = (sum(column * v for column, v in zip(X.T, w, strict=True)) for w in _last_pockets(run))
        counted = [np.count_nonzero(y * score <= 0) for score in scores]
        is_exact = bool((errors == counted).all())
        yield Check(float(np.diff(errors).max(initial=-1)), where(is_exact, 0.0), note=_COUNTED * (not is_exact))
