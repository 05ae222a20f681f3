"""The hyperplane with the fewest errors seen so far, counted exactly, and the planes that are offered to it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.exact.simplex import Circuit
from maxmargin.solvers.problem.distinct_rows import DistinctRows
from maxmargin.solvers.separability.cone.cone_rows import SignedRows
from maxmargin.solvers.separability.cone.decide import violated_rows
from maxmargin.solvers.separability.cone.strict import StrictStage
from maxmargin.solvers.soft_margin.soft_margin import rising_soft_margins

# Largest number of entries of the distinct rows for which they are held as one dense array.
MOST_ENTRIES = 1 << 25

_NO_ROWS = np.empty(0, dtype=np.int64)


class Incumbent:
    """The best direction (w, b) so far for distinct rows, each of which counts as often as it occurs.

    Attributes
    ----------
    kinds : DistinctRows
    most_entries : int
        Largest number of entries of the distinct rows for which they are held as one dense array.
    cone : SignedRows
        Of the distinct rows.
    direction : tuple of Fraction
        (w, b), through the origin w.
    errors : ndarray of int
        Kinds with y(w.x + b) <= 0.
    upper : int
        How many rows these are.
    engine : str
        What proposed the direction.
    """

    def __init__(self, kinds: DistinctRows, most_entries: int = MOST_ENTRIES) -> None:
        self.kinds = kinds
        self.most_entries = most_entries
        self.cone = SignedRows(kinds.problem)
        zero = (Fraction(0),) * self.cone.width
        self._best: tuple[int, tuple[Fraction, ...], Rows, str] = (
            int(kinds.counts.sum()), zero, np.arange(len(kinds.counts)), "none",
        )  # fmt: skip

    @property
    def is_small(self) -> bool:
        """Whether all distinct rows are held as one dense array."""
        return len(self.kinds.counts) * self.cone.width <= self.most_entries

    @cached_property
    def scaled(self) -> Floats:
        """All distinct rows y (x, 1) in coordinates of size about 1, rounded."""
        return self.cone.scaled(np.arange(len(self.kinds.counts)))

    def scores(self) -> Floats:
        """Return y(w.x + b) of the best direction for every kind, up to rounding and a positive factor."""
        return np.concatenate([lower for _, lower, _ in self.cone.enclose(self.direction)])

    @property
    def upper(self) -> int:
        """The least number of errors counted."""
        return self._best[0]

    @property
    def direction(self) -> tuple[Fraction, ...]:
        """The direction that has them."""
        return self._best[1]

    @property
    def errors(self) -> Rows:
        """The kinds of rows that it has on the wrong side or on it."""
        return self._best[2]

    @property
    def engine(self) -> str:
        """Name of the heuristic or solver that proposed it."""
        return self._best[3]

    @property
    def right(self) -> Rows:
        """The kinds of rows strictly on their side."""
        return np.setdiff1d(np.arange(len(self.kinds.counts)), self.errors)

    def offer(self, direction: Sequence[Fraction], engine: str, *, or_equal: bool = False) -> bool:
        """Count the errors of a direction exactly; return whether it is kept, as better than all before, or as good."""
        errors = np.sort(violated_rows(self.cone, list(direction), np.arange(len(self.kinds.counts))))
        n_errors = int(self.kinds.counts[errors].sum())
        if n_errors > self.upper or (n_errors == self.upper and not or_equal):
            return False
        self._best = n_errors, tuple(direction), errors, engine  # at once: Ctrl-C may come between any two statements
        return True

    def offer_floats(self, v: Floats, engine: str) -> bool:
        """Offer a direction of the easy coordinates, with its best offset, if floating point counts fewer errors."""
        if not (np.isfinite(v).all() and v.any()):
            return False
        if self.kinds.problem.bias:
            v = np.append(v[:-1], best_offset(self.scaled, self.kinds.problem.y, self.kinds.counts, v[:-1]))
        if self.kinds.counts[self.scaled @ v <= 0].sum() >= self.upper:
            return False
        return self.offer(self.cone.home(v), engine)


def best_offset(scaled: Floats, y: Floats, counts: Rows, w: Floats) -> float:
    """Return the b, in the middle of a gap between scores, with the fewest errors of w.x + b, up to rounding.

    Parameters
    ----------
    scaled : ndarray (n, d + 1)
        Rows y (x, 1).
    y : ndarray (n,)
    counts : ndarray (n,) of int
    w : ndarray (d,)

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [4.0]]), np.array([-1.0, -1.0, 1.0])
    >>> best_offset(np.hstack([X, np.ones((3, 1))]) * y[:, None], y, np.ones(3, dtype=int), np.ones(1))
    -2.5
    """
    scores = (scaled[:, :-1] @ w) * y
    order = np.argsort(scores)
    positions = scores[order]
    # With the threshold behind the first k scores these rows are called negative, and the others positive.
    gains = np.cumsum(counts[order] * -y[order])
    thresholds = np.concatenate([[positions[0] - 1], (positions[:-1] + positions[1:]) / 2, [positions[-1] + 1]])
    right = np.concatenate([[0.0], gains])
    is_gap = np.concatenate([[True], positions[1:] > positions[:-1], [True]])
    return -float(thresholds[is_gap][right[is_gap].argmax()])


def split(cone: SignedRows, rows: Rows, limits: Limits) -> list[Fraction] | dict[int, int] | None:
    """Return a direction positive on the rows, exactly, or positive weights that balance on some of them.

    None once the time is over.
    """
    stage = StrictStage(cone=cone, active=rows, fixed=_NO_ROWS)
    answer = stage.propose(limits)
    if answer is None or (isinstance(answer, list) and violated_rows(cone, answer, rows).size):
        answer = stage.decide(limits)
    if isinstance(answer, Circuit):
        return {int(rows[position]): weight for position, weight in zip(answer.positions, answer.weights, strict=True)}
    return answer


# Steps of a linear program without its iterations, and of an iteration without its entries.
_OF_A_PROGRAM, _OF_AN_ITERATION = 200_000, 20_000

# Steps of a separability check: a constant, per row, and per entry of the rows.
_OF_A_SPLIT, _OF_ITS_ROWS, _OF_ITS_ENTRIES = 2_000_000, 5_000, 500


@dataclass(slots=True, kw_only=True)
class Budget:
    """A time limit, and the steps that are left; a step is an entry of a matrix that a linear program reads once.

    Both end the work in the same way. Steps are the same on every machine, where a nanosecond or two is one step.

    Attributes
    ----------
    limits : Limits
    steps : float
        Steps that are left; infinity without a limit.
    parent : Budget or None
        The budget of which this is a part; what is spent here is spent there as well.
    """

    limits: Limits
    steps: float
    parent: "Budget | None" = None

    @classmethod
    def of(cls, limits: Limits, most_steps: int | None) -> "Budget":
        """Return a budget of `most_steps` steps; None for no limit."""
        return cls(limits=limits, steps=float("inf") if most_steps is None else float(most_steps))

    def is_over(self) -> bool:
        """Whether the time is over, or no step is left."""
        return self.steps <= 0 or self.limits.is_over()

    def part(self, n_shares: int, limits: Limits | None = None) -> "Budget":
        """Return a share of the steps that are left, with these limits, or the same ones."""
        return Budget(limits=limits or self.limits, steps=max(0.0, self.steps / n_shares), parent=self)

    def spend(self, n_steps: float) -> None:
        """Charge this number of steps, here and to the parent."""
        self.steps -= n_steps
        if self.parent is not None:
            self.parent.spend(n_steps)

    def spend_program(self, solver: Any) -> None:
        """Charge the steps of the last run of HiGHS."""
        n_iterations = max(0, int(solver.getInfo().simplex_iteration_count))
        self.spend(_OF_A_PROGRAM + n_iterations * (_OF_AN_ITERATION + int(solver.getNumNz())))

    def spend_split(self, n_rows: int, width: int) -> None:
        """Charge the steps of one separability check of `n_rows` rows with `width` entries each."""
        self.spend(_OF_A_SPLIT + n_rows * (_OF_ITS_ROWS + _OF_ITS_ENTRIES * width))


# The C of the soft margins whose planes are counted, for columns of size about 1.
COSTS = (2.0**-6, 1.0, 2.0**6, 2.0**12)

# Smallest and largest binary exponent of a cost in the units of the data; others make soft margins useless hints.
_LEAST_EXPONENT, _GREATEST_EXPONENT = -500, 500

# Largest numbers of passes and of presented rows (which a single pass may exceed): about 0.1 s.
_PASSES, _PRESENTATIONS = 20, 20_000

CONSTANT, POCKET, SOFT, ADDED = "constant", "pocket perceptron", "soft margin", "rows added one by one"


def offer_constants(best: Incumbent) -> None:
    """Offer (0, b), which has all of one class on its side; through the origin the sum of the y x, and its opposite."""
    if best.kinds.problem.bias:
        zeros = (Fraction(0),) * best.kinds.problem.n_features
        for b in (1, -1):
            best.offer((*zeros, Fraction(b)), CONSTANT)
        return
    total = best.kinds.counts @ best.scaled
    for v in (total, -total):
        best.offer_floats(v, CONSTANT)


def offer_pocket(best: Incumbent, limits: Limits) -> None:
    """Offer each hyperplane whose stretch without a mistake is the longest so far, and the last one of every pass.

    The hyperplanes are those of a perceptron in random order (Gallant 1990); `Incumbent` is the pocket, and counts
    their errors exactly. The online algorithm ``pocket`` is a run of its own, which compares errors in floating point.
    """
    rows, random = best.scaled, np.random.default_rng(0)
    w, longest, stretch = np.zeros(rows.shape[1]), 0, 0
    n_rows = len(rows)
    for _ in range(min(_PASSES, max(1, _PRESENTATIONS // n_rows))):
        if limits.is_over():
            return
        for row in rows[random.permutation(n_rows)]:
            if row @ w > 0:
                stretch += 1
                continue
            if stretch > longest:
                best.offer_floats(w, POCKET)
                longest = stretch
            w, stretch = w + row, 0
        best.offer_floats(w, POCKET)


def offer_soft_margins(best: Incumbent, limits: Limits) -> None:
    """Offer the soft margins of the distinct rows for several C.

    Raises
    ------
    KeyboardInterrupt
        Where Ctrl-C ended one of them.
    """
    problem = best.kinds.problem
    exponent = -2 * problem.scaling.unit_exponent  # in the units of the data w grows as these shrink
    if not _LEAST_EXPONENT <= exponent <= _GREATEST_EXPONENT:
        return
    costs = [math.ldexp(cost, exponent) for cost in COSTS]
    for answer in rising_soft_margins(problem, costs, time_limit=limits.share()):
        offset = [Fraction(answer.b)] if problem.bias else []
        best.offer([*map(Fraction, answer.w.tolist()), *offset], SOFT)
        if best.is_small:
            with np.errstate(over="ignore"):
                w = np.where(problem.scaling.varies, np.ldexp(answer.w, problem.scaling.exponents), 0.0)
            best.offer_floats(np.append(w, 0.0) if problem.bias else w, SOFT)
        uninterrupted(answer)
        if limits.is_over():
            return


def add_rows(best: Incumbent, budget: Budget) -> None:
    """Add the rows that are errors, nearest to the plane first, to those on their side, as long as some plane allows.

    In the end every error is necessary: with any one of them the rows on their side are no longer separable.
    """
    tried: set[int] = set()
    order = best.errors[np.argsort(-best.scores()[best.errors], kind="stable")].tolist()
    while (row := next((row for row in order if row not in tried and row in best.errors), None)) is not None:
        if budget.is_over():
            return
        tried.add(row)
        rows = np.append(best.right, row)
        found = split(best.cone, rows, budget.limits)
        budget.spend_split(len(rows), best.cone.width)
        if isinstance(found, list):
            best.offer(found, ADDED)
