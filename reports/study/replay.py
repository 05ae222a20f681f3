"""The run of a report mistake by mistake, as a page replays it: the first mistaken rows, and the weights at some."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.perceptron.exact_states import ExactState
from maxmargin.solvers.perceptron.result import plane_of_sums
from maxmargin.theory.mistake_traces import MistakeTrace

# Mistakes that are replayed row by row.
MOST_ROWS = 2_000

# Mistakes after which the hyperplane is kept.
MOST_FRAMES = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """The run right after a mistake, in the user's space.

    Attributes
    ----------
    n_mistakes : int
        The number of that mistake, from 1.
    w : ndarray (n_features,)
        Rounded once from the exact sum of the mistaken rows.
    b : float
        The same for the bias; 0 through the origin.
    margin : float or None
        The least geometric margin of the hyperplane over all rows, rounded down; None at w = 0.
    margin_upper : float or None
        The upper bound of the maximum margin that the mistakes so far prove, rounded up; None where they prove none.
    """

    n_mistakes: int
    w: Floats
    b: float
    margin: float | None
    margin_upper: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replay:
    """The mistakes of a run.

    From w = 0 and b = 0 a mistake on the row x of label y adds y x to w and y s^2 to b: the bias is b = s w_s, and the
    mistake adds y s to the weight w_s of the constant coordinate s.

    Attributes
    ----------
    n_mistakes : int
    scale : float
        The constant coordinate s; 0 through the origin.
    rows : ndarray of int
        The rows of the first mistakes, counted from 0; up to `MOST_ROWS`, and empty where the run did not log them.
    frames : tuple of Frame
        At up to `MOST_FRAMES` mistakes, evenly spaced on a logarithmic scale, the last mistake among them.
    """

    n_mistakes: int
    scale: float
    rows: Rows
    frames: tuple[Frame, ...]

    @property
    def is_whole(self) -> bool:
        """Whether `rows` has every mistake of the run."""
        return len(self.rows) == self.n_mistakes


def replay_of(trace: MistakeTrace, passed: Sequence[ExactState], scale: float) -> Replay:
    """Return the replay of a traced run.

    Parameters
    ----------
    trace : MistakeTrace
    passed : sequence of ExactState
        The run at the mistakes of the trace.
    scale : float
        The constant coordinate of the run; 0 through the origin.
    """

    def frame(position: int) -> Frame:
        w, b = plane_of_sums(passed[position].sums, scale)
        return Frame(
            n_mistakes=int(trace.n_mistakes[position]),
            w=w,
            b=b,
            margin=_known(trace.margin[position]) if w.any() else None,
            margin_upper=_known(trace.margin_upper[position]),
        )

    return Replay(
        n_mistakes=trace.run.n_mistakes,
        scale=scale,
        rows=trace.run.mistake_rows[:MOST_ROWS],
        frames=tuple(map(frame, _positions(trace.n_mistakes))),
    )


def _positions(traced: Rows) -> list[int]:
    """Return the positions of traced mistakes, evenly spaced on a logarithmic scale, the last one among them."""
    if len(traced) <= MOST_FRAMES:
        return [*range(len(traced))]
    wanted = np.geomspace(1, traced[-1], MOST_FRAMES)
    positions: list[int] = np.unique(np.searchsorted(traced, wanted.round()).clip(max=len(traced) - 1)).tolist()
    return positions


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
