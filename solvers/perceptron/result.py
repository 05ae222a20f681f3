"""The result of a run, and what it proves about the margins."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.solvers.answers.answer_text import NamedAnswer, counted, cut, rounded_down, rounded_up, through
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.dyadic import as_fraction, nearest_floats, sqrt_up
from maxmargin.solvers.perceptron.engines.exact_weights import Start
from maxmargin.solvers.perceptron.engines.run_counts import RunCounts
from maxmargin.solvers.perceptron.settings import PerceptronSettings, StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import ClassSums
from maxmargin.solvers.proof.margins import geometric_margin, least_functional_margin, norm_squared


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RunResult(NamedAnswer):
    """Base class of the results of runs; the subclasses document its attributes."""

    w: Floats
    b: float
    n_mistakes: int
    n_epochs: int
    n_presentations: int
    converged: bool
    stop_reason: StopReason
    mistakes_per_epoch: Rows
    margin: float
    run_margin: float

    def counts(self, *nouns: str) -> str:
        """Return how many of these there were, in words.

        Parameters
        ----------
        *nouns : {"update", "mistake", "epoch"}
        """
        return ", ".join(counted(getattr(self, f"n_{noun}s"), noun) for noun in nouns)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PerceptronRun(RunResult):
    """A run of the perceptron from w = 0: w += y x at every mistake.

    Attributes
    ----------
    w : ndarray of shape (n_features,)
        The normal sum c y x of the hyperplane in the user's space, where c is the number of mistakes on a row. It is
        rounded once, and divided by a power of two if it would overflow.
    b : float
        Its offset s^2 sum c y, rounded in the same way.
    n_mistakes : int
        The number of updates.
    n_epochs : int
        The number of passes begun, including the last one without a mistake. In random order an epoch is n draws, and
        the full scan that ends the run counts as one.
    n_presentations : int
        The number of times a row was presented; a limit may cut the last epoch.
    converged : bool
        Whether the run ended with a pass without mistakes.
    stop_reason : StopReason
        Why the run ended.
    mistake_rows : ndarray of int
        The row of every mistake, in order; only the first 16 million are listed. They are positions in X; `to_dict` and
        `to_frame` number the rows of the source.
    mistake_counts : ndarray of int, of shape (n_samples,)
        The number of mistakes on every row.
    mistakes_per_epoch : ndarray of int
        The mistakes of every epoch; only the first 16 million epochs are listed.
    n_ties : int
        The number of scores so near 0 that they were computed exactly, in engines that otherwise use floating point.
    n_uncertain : int
        The number of scores whose sign rounding may have decided; if it is 0, the mistakes are the ones of exact
        arithmetic.
    margin : float
        The least y(w.x + b)/||w|| over the rows, rounded down: it is at most gamma*, and -infinity at w = 0.
    margin_upper : float or None
        A proven upper bound of gamma*, from the integer mistake counts c: half the distance of the c-weighted means of
        the two classes; through the origin, ||sum c y x||/M. None before both classes have a mistake.
    run_margin : float
        The same least margin in the space (x, s) of the run, where the norm is ||(w, b/s)||.
    run_upper : float or None
        ||sum c y (x, s)||/M, a proven upper bound of the maximum margin in the space of the run, through the origin.
        None before the first mistake.
    settings : PerceptronSettings
        The bias scale, the rules and the limits of the run.
    engine : str
        The engine that computed the scores.
    problem : Problem
        The rows of the run.
    bias : bool
        Whether the run has the constant coordinate s.
    end : tuple or None
        Where a run of an estimator ended, exactly, for another one to go on from.
    positive : label or None
        The class that is +1.
    positive_reason : str or None
        Why that class is +1.
    negative : label or None
        The class that is -1; ``"rest"`` for several.
    names : Names
        What the rows and the columns are called.

    See Also
    --------
    maxmargin.perceptron : Run the perceptron.

    Examples
    --------
    >>> import maxmargin as mm
    >>> run = mm.perceptron([[10.0], [12.0]], [0, 1])
    >>> run.n_mistakes, run.n_epochs, run.converged
    (233, 128, True)
    >>> run.margin <= 1 <= run.margin_upper
    True
    """

    mistake_rows: Rows
    mistake_counts: Rows
    n_ties: int
    n_uncertain: int
    margin_upper: float | None
    run_upper: float | None
    settings: PerceptronSettings
    engine: str
    problem: Problem
    bias: bool = True
    end: Start | None = None

    def weights(self, k: int) -> tuple[Floats, float]:
        """Return the hyperplane after the first k mistakes, w = sum y x and b = s^2 sum y over these, rounded once.

        Parameters
        ----------
        k : int
            From 0 to `n_mistakes`; at most the number of mistakes that are listed, but for `n_mistakes` itself.

        Returns
        -------
        tuple of (ndarray of shape (n_features,), float)
            w and b.

        Raises
        ------
        InvalidOptionError
            If k is no such number.

        Examples
        --------
        >>> import maxmargin as mm
        >>> run = mm.perceptron([[1.0, 2.0], [3.0, 1.0]], [0, 1])
        >>> [(w.tolist(), b) for w, b in map(run.weights, range(3))]
        [([0.0, 0.0], 0.0), ([-1.0, -2.0], -1.0), ([2.0, -1.0], 0.0)]
        """
        if k == self.n_mistakes:
            return self.w, self.b
        if whole_number("k", k, 0) > len(self.mistake_rows):
            raise InvalidOptionError(
                f"k is {k:,}; expected at most {len(self.mistake_rows):,}, the mistakes that are listed"
            )
        counts = np.bincount(self.mistake_rows[:k], minlength=self.problem.n_samples)
        return plane_of_sums(_sums(self.problem, counts), self.settings.bias_scale if self.bias else 0.0)

    def summary(self, *, prepare: str = "raw") -> str:
        """Return the text of ``maxmargin perceptron``.

        Parameters
        ----------
        prepare : {"raw", "center", "standardize", "unit"}
            What was done to the features before the run.
        """
        done, of_what = ("", "") if prepare == "raw" else (f"prepared: {prepare}; ", " of the prepared data")
        lines = [
            f"{self.stop_reason.phrase}: {self.counts('mistake', 'epoch')}",
            f"  {done}order {self.settings.order}, zero rule {self.settings.zero}, {self.space_text}",
            f"  least geometric margin of (w, b): {self.margin!r}",
        ]
        if self.margin_upper is not None:
            what = f"proven upper bound of the maximum margin{through(self.bias)}{of_what}"
            lines.append(f"  {what}: {self.margin_upper!r}")
        if self.run_upper is not None and self.bias:  # without a bias the two spaces are one
            proven = f"maximum at most {self.run_upper!r} (proven)"
            lines.append(f"  in the space of the run: achieved {self.run_margin!r}, {proven}")
        if self.n_uncertain:
            lines.append(f"  rounding may have decided {counted(self.n_uncertain, 'score')}: other machines may differ")
        if prepare == "raw" and not self.converged and self.stop_reason is not StopReason.INTERRUPTED:
            lines.append(self.advice)
        return "\n".join([*lines, *self.names.plane_lines(self.w, self.b)])

    @property
    def space_text(self) -> str:
        """Where the run took place: its bias scale, or that it had no bias."""
        return f"bias scale {self.settings.bias_scale!r}" if self.bias else "through the origin"

    @property
    def advice(self) -> str:
        """A line of text with the command that decides whether a run that was stopped can converge."""
        return f"  whether it can converge at all: maxmargin check{'' if self.bias else ' --no-bias'}"

    def _roles(self) -> tuple[tuple[str, Any], ...]:
        return (("mistake", self.mistake_rows),)

    def _card_fields(self) -> dict[str, Any]:
        upper = self.margin_upper
        return {
            "mistakes": self.n_mistakes,
            "epochs": self.n_epochs,
            "margin achieved": rounded_down(self.margin),
            "maximum margin, proven": None if upper is None else f"at most {rounded_up(upper):.6g}",
            "bias scale": self.settings.bias_scale if self.bias else "through the origin",
            "scores that rounding may have decided": self.n_uncertain or None,
        }

    def fields(self, *, prepare: str = "raw", seed: int | None = None) -> dict[str, Any]:
        """Return the fields of ``maxmargin perceptron --json``, with what was done before the run."""
        settings = self.settings
        return {
            **self._attributes("n_mistakes", "n_epochs", "converged"),
            "stop_reason": self.stop_reason.value,
            **self._attributes("margin", "margin_upper", "run_margin", "run_upper"),
            "zero": settings.zero,
            "bias_scale": settings.bias_scale,
            "prepare": prepare,
            "order": settings.order.value,
            "seed": seed,
            **{name: getattr(settings, name) for name in ("max_epochs", "max_mistakes", "time_limit")},
            **self._attributes("engine", "n_ties", "n_uncertain", "w", "b", "norm"),
            **cut("mistakes_per_epoch", self.mistakes_per_epoch),
            **self.names.fields("mistake_rows", self.mistake_rows),
        }

    @property
    def headline(self) -> str:
        """Why the run ended, and its counts."""
        return f"{self.stop_reason}: {self.counts('mistake', 'epoch')}"

    @property
    def norm(self) -> float:
        """||w|| in the user's space."""
        return math.hypot(*self.w.tolist())  # which scales: units of 2**900 are no overflow

    @property
    def run_norm(self) -> float:
        """||(w, b/s)|| in the space of the run."""
        return math.hypot(*self.w.tolist(), self.b / self.settings.bias_scale)


def result_of(
    problem: Problem, settings: PerceptronSettings, tally: RunCounts, stop_reason: StopReason, engine: str
) -> PerceptronRun:
    """Return what a run ended on.

    Raises
    ------
    InvalidProblemError
        If the weights differ so much in size that they cannot be stored in binary64.
    """
    scale = settings.bias_scale if problem.bias else 0.0
    sums = _sums(problem, tally.counts)
    w, b = plane_of_sums(sums, scale)
    margin, run_margin = achieved_margins(problem, w, b, scale)
    margin_upper, run_upper = upper_bounds(problem, sums, scale)
    return PerceptronRun(
        w=w, b=b, n_mistakes=tally.n_mistakes, n_presentations=tally.n_presentations, n_ties=tally.n_ties,
        n_uncertain=tally.n_uncertain, n_epochs=tally.n_begun, converged=stop_reason is StopReason.CONVERGED,
        stop_reason=stop_reason, mistake_rows=tally.mistakes.numbers(), mistake_counts=tally.counts,
        mistakes_per_epoch=tally.mistakes_per_epoch(), margin=margin, margin_upper=margin_upper, run_margin=run_margin,
        run_upper=run_upper, settings=settings, engine=engine, problem=problem,
        bias=problem.bias,
    )  # fmt: skip


def ran_on(problem: Problem, run: PerceptronRun) -> bool:
    """Return whether the mistakes of a run, taken from these rows, add up to its hyperplane."""
    if problem.bias is not run.bias or len(run.mistake_counts) != problem.n_samples or len(run.w) != problem.n_features:
        return False
    w, b = plane_of_sums(_sums(problem, run.mistake_counts), run.settings.bias_scale if problem.bias else 0.0)
    return b == run.b and np.array_equal(w, run.w)


def _sums(problem: Problem, counts: Rows) -> ClassSums:
    rows = np.flatnonzero(counts)
    return ClassSums.of(problem, rows, counts[rows].tolist())


def plane_of_sums(sums: ClassSums, scale: float) -> tuple[Floats, float]:
    """Return the (w, b) of mistaken rows, rounded to nearest; divided by a power of two where that overflows.

    Raises
    ------
    InvalidProblemError
        If the weights differ so much in size that they cannot be stored in binary64.
    """
    w = [p - n for n, p in zip(sums.negative, sums.positive, strict=True)]
    b = (sums.n_positive - sums.n_negative) * Fraction(scale) ** 2
    factor, divisor = 1 << max(0, sums.exponent), 1 << max(0, -sums.exponent)
    try:  # a quotient of integers is rounded once
        rounded = np.array([*(value * factor / divisor for value in w), float(b)])
    except OverflowError:
        smaller = nearest_floats([*(value * as_fraction(1, sums.exponent) for value in w), b])
        if smaller is None:
            raise InvalidProblemError(
                "the perceptron's weights overflow: divide the data by a power of two such as 2**600"
            ) from None
        rounded = smaller
    return rounded[:-1], float(rounded[-1])


def achieved_margins(problem: Problem, w: Floats, b: float, scale: float) -> tuple[float, float]:
    """Return the least geometric margins of the plane in the user's space and in the space of the run, rounded down."""
    return margins_of(least_functional_margin(problem, w, b), w, b, scale)


def margins_of(least: Fraction, w: Floats, b: float, scale: float) -> tuple[float, float]:
    """Return the same from the least functional margin of the plane."""
    square = norm_squared(w)
    margin = geometric_margin(least, square)
    if not scale:
        return margin, margin
    # b is rounded, so in the space of the run the last weight of this very plane is b/s.
    return margin, geometric_margin(least, square + (Fraction(b) / Fraction(scale)) ** 2)


def upper_bounds(problem: Problem, sums: ClassSums, scale: float) -> tuple[float | None, float | None]:
    """Return the proven upper bounds of gamma* and of the maximum margin in (x, s), from the mistakes alone."""
    margin_square = sums.half_distance_squared() if problem.bias else sums.mean_norm_squared()
    run_square = sums.mean_norm_squared(Fraction(scale))
    margin, run_margin = (None if square is None else sqrt_up(square) for square in (margin_square, run_square))
    return margin, run_margin
