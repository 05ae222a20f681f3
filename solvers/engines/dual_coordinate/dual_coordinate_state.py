"""State of the dual coordinate engine: the rows, and the best primal and dual points with their gap."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.engines.dual_coordinate import dual_coordinate_kernels as kernels
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import offset_of_least_slack
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.proof.soft_bounds import scaled_to_balance

Numbers = NDArray[np.int64]

# Largest binary exponent, of either sign, of the size of rows that are not rescaled: other squares overflow.
_SAFE_EXPONENT = 200

# Number of neighbouring rows that are visited together; the blocks come in random order.
_BLOCK_ROWS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DescentRows:
    """The stored entries of the rows, times 2**-exponent, in the form the kernels take.

    Attributes
    ----------
    entries : tuple of ndarray
        Values, columns, where each row starts, and where its columns do.
    y : ndarray (n_samples,)
        -1.0 or +1.0.
    bias : bool
    n_features : int
    exponent : int
        0 unless the rows are extremely small or large.
    everything : ndarray (n_samples,)
        The numbers of all rows.
    call_entries : int
        Largest number of stored entries in one compiled call, which cannot be interrupted.
    """

    entries: tuple[Floats, NDArray[np.uint32], Numbers, Numbers]
    y: Floats
    bias: bool
    n_features: int
    exponent: int
    everything: Numbers
    call_entries: int

    @classmethod
    def of(cls, problem: Problem) -> "DescentRows":
        """Take the entries of the rows, without a copy where they are in memory in the right form."""
        is_in_memory = isinstance(problem.row_source, InMemory)
        data, indices, starts, positions = _entries(
            problem.X if is_in_memory else problem.row_source[: problem.n_samples]
        )
        exponent = int(np.frexp(np.abs(data).max(initial=0.0))[1])
        exponent = exponent if abs(exponent) > _SAFE_EXPONENT else 0
        entries = (np.ldexp(data, -exponent) if exponent else data, indices, starts, positions)
        everything = np.arange(problem.n_samples)
        return cls(
            entries=entries,
            y=problem.y.astype(np.float64, copy=False),  # outside memory they are bytes
            bias=problem.bias,
            n_features=problem.n_features,
            exponent=exponent,
            everything=everything,
            call_entries=problem.sizes.call_entries,
        )

    @property
    def mean_entries(self) -> float:
        """Stored entries of a row, on average."""
        return float(self.entries[2][-1]) / len(self.everything)

    def parts(self, n_chosen: int) -> Iterator[slice]:
        """Yield slices of `n_chosen` rows, each enough work for one compiled call."""
        return slices(n_chosen, max(1, int(self.call_entries / max(1.0, self.mean_entries))))

    def scores(self, w: Floats, chosen: Numbers | None = None) -> Floats:
        """Return w.x of all rows, or of the chosen ones."""
        chosen = self.everything if chosen is None else chosen
        out = np.empty(len(chosen))
        for part in self.parts(len(chosen)):
            kernels.scores(*self.entries, chosen[part], w, out[part])
        return out

    def combine(self, chosen: Numbers, factors: Floats) -> Floats:
        """Return ``sum_k factors[k] x`` over the chosen rows x."""
        out = np.zeros(self.n_features)
        for part in self.parts(len(chosen)):
            kernels.combine(*self.entries, chosen[part], factors[part], out)
        return out

    def squared(self) -> "DescentRows":
        """Return the rows with the squares of their entries."""
        values, columns, starts, positions = self.entries
        return replace(self, entries=(values * values, columns, starts, positions))

    def normal(self, alpha: Floats) -> Floats:
        """Return ``sum alpha y x``."""
        support = np.flatnonzero(alpha)
        return self.combine(support, (alpha * self.y)[support])


def _entries(X: Any) -> tuple[Floats, NDArray[np.uint32], Numbers, Numbers]:
    if not hasattr(X, "tocsr"):
        n_rows, n_columns = X.shape
        starts = np.arange(n_rows + 1) * n_columns
        values = np.ascontiguousarray(X, dtype=np.float64).ravel()
        return values, np.arange(n_columns, dtype=np.uint32), starts, np.zeros(n_rows, dtype=np.int64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    starts = X.indptr.astype(np.int64)
    columns = X.indices.view(np.uint32) if X.indices.dtype == np.int32 else X.indices.astype(np.uint32)
    return X.data.astype(np.float64, copy=False), columns, starts, starts[:-1]


@dataclass(slots=True, kw_only=True)
class Best:
    """The best normal and the best balanced multipliers so far, with their objectives in floating point."""

    rows: DescentRows
    costs: Floats
    w: Floats = field(init=False)
    alpha: Floats = field(init=False)
    objective: float = math.inf
    lower: float = 0.0

    def __post_init__(self) -> None:
        self.w = np.zeros(self.rows.n_features)
        self.alpha = np.zeros(len(self.costs))
        self.offer_normal(self.w, np.zeros(len(self.costs)))

    def offer_normal(self, w: Floats, scores: Floats) -> float:
        """Keep w if with its best offset, which is returned, it is better; `scores` are w.x of all rows."""
        y = self.rows.y
        offset = offset_of_least_slack(y - scores, y, self.costs) if self.rows.bias else 0.0
        objective = dot(w, w) / 2 + dot(self.costs, np.maximum(0.0, 1.0 - y * (scores + offset)))
        if objective < self.objective:
            self.w, self.objective = w.copy(), objective
        return offset

    def offer_multipliers(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Balance the multipliers, keep them if they are better; return them and their normal ``sum alpha y x``."""
        if self.rows.bias:
            alpha = balanced(alpha, self.rows.y, self.costs)
        w = self.rows.normal(alpha)
        lower = float(alpha.sum()) - dot(w, w) / 2
        if lower > self.lower:
            self.alpha, self.lower = alpha.copy(), lower
        return alpha, w

    @property
    def relative_gap(self) -> float:
        """(objective - lower)/objective."""
        return (self.objective - self.lower) / self.objective if self.objective > 0 else 0.0


@dataclass(slots=True, kw_only=True)
class BestOfMargins(Best):
    """The best normal and multipliers of the hard margin: objectives are 1/(2 margin^2), at first infinite above."""

    def offer_normal(self, w: Floats, scores: Floats) -> float:
        """Keep w divided by its functional margin, if its margin is greater; return the offset in the middle."""
        is_positive = self.rows.y > 0
        if self.rows.bias:
            least, greatest = float(scores[is_positive].min()), float(scores[~is_positive].max())
        else:
            least = float((self.rows.y * scores).min())
            greatest = -least
        square, room = dot(w, w), least / 2 - greatest / 2
        if square > 0 and room > 0 and square / room / room / 2 < self.objective:
            self.w, self.objective = w / room, square / room / room / 2
        return -(least / 2 + greatest / 2)

    def offer_multipliers(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Balance the multipliers, keep them if they are better; return them and their normal ``sum alpha y x``."""
        if self.rows.bias:
            alpha = scaled_to_balance(self.rows.y, alpha)
        w = self.rows.normal(alpha)
        square, total = dot(w, w), float(alpha.sum())
        if square > 0 and total * (total / square) / 2 > self.lower:
            self.alpha, self.lower = alpha.copy(), total * (total / square) / 2
        return alpha, w

    @property
    def relative_gap(self) -> float:
        """Relative gap of the margins, which is half the gap of the objectives; infinity without a normal."""
        return (1 - self.lower / self.objective) / 2 if self.objective < math.inf else math.inf


def blocks_of(active: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows in random order, neighbours together: random single rows would wait for memory."""
    n_blocks = -(-len(active) // _BLOCK_ROWS)
    positions = (rng.permutation(n_blocks)[:, None] * _BLOCK_ROWS + np.arange(_BLOCK_ROWS)).ravel()
    order: NDArray[np.int64] = active[positions[positions < len(active)]]
    return order


def dot(u: Floats, v: Floats) -> float:
    """Return u.v on one thread: BLAS starts several for long vectors, which costs more than it saves between passes."""
    return float(np.einsum("i,i->", u, v))


def balanced(alpha: Floats, y: Floats, costs: Floats) -> Floats:
    """Return multipliers near these with sum alpha y = 0, up to rounding.

    Free multipliers give way, in proportion to their room: there the dual objective is flat. Where they have not room
    enough, and in the proof, which knows no free multipliers, the heavier class is scaled down.
    """
    excess = dot(alpha, y)
    room = np.where(y * excess > 0, alpha, costs - alpha) * ((alpha > 0) & (alpha < costs))
    total = float(room.sum())
    if abs(excess) > total:
        return scaled_to_balance(y, alpha)
    return np.clip(alpha - y * room * (excess / total), 0.0, costs) if total else alpha
