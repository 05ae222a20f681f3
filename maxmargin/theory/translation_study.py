"""Mistakes of the perceptron on the same rows after a translation, at another bias scale, or after a preparation."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from typing import Any, Literal

import numpy as np

from maxmargin.api.question import Question
from maxmargin.api.running import best_bias_scale, run_perceptron, with_bias_scale
from maxmargin.data.preparing import How, prepare
from maxmargin.solvers.answers.statuses import uninterrupted
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem, radius
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.proof.margins import norm_squared
from maxmargin.text.progress import shows_progress, waiting
from maxmargin.theory import from_the_rows
from maxmargin.theory.context import Context

# Multiples of the mean by which the rows are shifted: -1 centres the rows, 0 leaves them as they are.
SHIFTS = (-1.0, -0.75, -0.5, -0.25, 0.0, 0.5, 1.0, 2.0, 4.0)

# Multiples of the best bias scale.
SCALES = tuple(2.0**k for k in range(-6, 7))


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedPoint:
    """One run of the perceptron in the order of the rows, beside the bounds for the rows of that run.

    Attributes
    ----------
    preparation : str
        How the features were prepared, see `maxmargin.prepare`.
    shift : float
        Multiple of the direction of the study by which all rows were translated.
    bias_scale : float
        The constant coordinate s.
    is_best_scale : bool
        Whether s is sqrt(R |b*|), at which the bound (R^2 + s^2)(1 + b*^2/s^2)/gamma*^2 is least.
    radius : float
        R = max ||x||, rounded up.
    offset : float or None
        |b*|/||w*||, the distance of the maximum-margin hyperplane from the origin, rounded up; None if it is not
        known.
    margin_lower, margin_upper : float
        Proven ends of gamma*, in units of these features.
    n_mistakes : int
    converged : bool
    novikoff : float
        (R^2 + s^2)/g^2 with the maximum margin g in the space (x, s), rounded up; infinity for data that are not
        strictly separable.
    best_scale_bound : float
        (R + |b*|)^2/gamma*^2, rounded up: a bound on the mistakes of a run at the best scale.
    """

    preparation: str
    shift: float
    bias_scale: float
    is_best_scale: bool
    radius: float
    offset: float | None
    margin_lower: float
    margin_upper: float
    n_mistakes: int
    converged: bool
    novikoff: float
    best_scale_bound: float


@shows_progress(waiting, "moving the rows")
def translation_study(
    X: Any,
    y: Any = None,
    *,
    shifts: Iterable[float] | None = None,
    direction: Any = None,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    max_mistakes: int | None = 1_000_000,
    time_limit: float | None = None,
    verbose: bool = False,
) -> tuple[StudiedPoint, ...]:
    """Move all rows by t times a direction, and run the perceptron with bias on them.

    A shift changes no distance, so gamma* stays the same; R, |b*| and the mistakes change. Moved rows are rounded to
    binary64. The run and gamma* of every point are about the rounded rows, so the intervals may differ by the rounding
    errors of the rows.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly, in memory; sparse rows become dense.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `maxmargin.separability`; None for a
        Dataset.
    shifts : iterable of float, optional
        Values of t; by default from -1 to 4.
    direction : array_like of shape (n_features,), optional
        The direction of the shift. By default it is the mean of the rows, so that t = -1 centres them; rows that are
        centred then do not move.
    positive : label, optional
        The label that is +1, against all others.
    bias_scale : float or "best", default 1.0
        The constant coordinate s, as in `maxmargin.perceptron`; "best" is chosen again for every point.
    max_mistakes : int or None, default 1_000_000
        Largest number of mistakes of every run; None is no limit.
    time_limit : float, optional
        Seconds after which no further point is begun; the last one may be cut short. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    tuple of StudiedPoint
        The margin, the mistakes and the bounds at every shift.

    Raises
    ------
    InvalidProblemError
        If the data do not state a two-class question, are not in memory or overflow, the direction has another number
        of columns, or ``bias_scale="best"`` is asked for data that are not proven separable.

    See Also
    --------
    scale_study : Vary the constant coordinate.
    preparation_study : Vary the preparation of the columns.

    Examples
    --------
    >>> X, y = [[10.0], [20.0], [30.0], [40.0], [60.0], [70.0], [80.0], [90.0]], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> [(point.shift, point.n_mistakes) for point in translation_study(X, y, shifts=[-1, 0])]
    [(-1.0, 1), (0.0, 1701)]
    """
    limits, problem = Limits(time_limit=time_limit), _dense(X, y, positive)
    along = np.asarray(prepare(problem.X, "center").shift if direction is None else direction, dtype=np.float64)
    if along.shape != (problem.n_features,):
        raise InvalidOptionError(f"direction has shape {along.shape}; expected ({problem.n_features},)")

    def point(shift: float) -> StudiedPoint:
        with np.errstate(over="ignore", invalid="ignore"):
            moved = problem.X + shift * along
        space, scale = with_bias_scale(Problem.validated(moved, problem.y), bias_scale, limits)
        return _point(space, scale, max_mistakes, limits, shift=shift, is_best=bias_scale == "best")

    return _in_time(point, SHIFTS if shifts is None else tuple(map(float, shifts)), limits)


@shows_progress(waiting, "changing the bias scale")
def scale_study(
    X: Any,
    y: Any = None,
    *,
    scales: Sequence[float] | None = None,
    factors: Sequence[float] = SCALES,
    positive: object = None,
    max_mistakes: int | None = 1_000_000,
    time_limit: float | None = None,
    verbose: bool = False,
) -> tuple[StudiedPoint, ...]:
    """Run the perceptron with bias at several constant coordinates s, the best one for the bound among them.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly, in memory; sparse rows become dense.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `maxmargin.separability`; None for a
        Dataset.
    scales : sequence of float, optional
        Values of s; by default sqrt(R |b*|) times the factors. If b* = 0, there is no best s (the smaller, the better),
        and R takes its place.
    factors : sequence of float, optional
        Factors of the best scale; by default 2^-6 ... 2^6.
    positive : label, optional
        The label that is +1, against all others.
    max_mistakes : int or None, default 1_000_000
        Largest number of mistakes of every run; None is no limit.
    time_limit : float, optional
        Seconds after which no further point is begun; the last one may be cut short. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    tuple of StudiedPoint
        The points in increasing order of s. The best one, marked ``is_best_scale``, is always among them.

    Raises
    ------
    InvalidProblemError
        If the data do not state a two-class question, are not in memory, or are not proven separable.

    See Also
    --------
    translation_study : Move the origin.
    preparation_study : Vary the preparation of the columns.

    Examples
    --------
    >>> points = scale_study([[10.0], [12.0]], [0, 1])
    >>> min(points, key=lambda point: point.novikoff).is_best_scale
    True
    """
    from maxmargin.solvers.hard_margin.hard_margin import hard_margin

    limits, problem = Limits(time_limit=time_limit), _dense(X, y, positive)
    space, best = best_bias_scale(problem, limits, asked_by="a study of bias scales")
    best_scales = {best} if space.bias else set()
    middle = best if space.bias else radius(problem)
    asked = [factor * middle for factor in factors] if scales is None else map(float, scales)
    hard = uninterrupted(hard_margin(problem, time_limit=limits.share()))

    def point(scale: float) -> StudiedPoint:
        return _point(problem, scale, max_mistakes, limits, is_best=scale in best_scales, hard=hard)

    return _in_time(point, sorted({*asked, *best_scales}), limits)


@shows_progress(waiting, "preparing the rows")
def preparation_study(
    X: Any,
    y: Any = None,
    *,
    preparations: Iterable[How | str] = tuple(How),
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    max_mistakes: int | None = 1_000_000,
    time_limit: float | None = None,
    verbose: bool = False,
) -> tuple[StudiedPoint, ...]:
    """Run the perceptron with bias on raw, centred, standardised features, and on rows of norm 1.

    gamma* of each is in the units of its own features: for raw and centred features it is the same number except for
    rounding, and the others cannot be compared. Rows of norm 1 may be inseparable although the raw rows are separable.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly, in memory; sparse rows become dense.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `maxmargin.separability`; None for a
        Dataset.
    preparations : iterable of {"raw", "center", "standardize", "unit"}, optional
        The preparations, as in `maxmargin.prepare`; by default all of them.
    positive : label, optional
        The label that is +1, against all others.
    bias_scale : float or "best", default 1.0
        The constant coordinate s, as in `maxmargin.perceptron`; "best" is chosen again for every point.
    max_mistakes : int or None, default 1_000_000
        Largest number of mistakes of every run; None is no limit.
    time_limit : float, optional
        Seconds after which no further point is begun; the last one may be cut short. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    tuple of StudiedPoint
        The margin, the mistakes and the bounds for every preparation.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes, are not in memory, or a preparation is unknown or
        overflows.

    See Also
    --------
    translation_study : Move the origin.
    scale_study : Vary the constant coordinate.

    Examples
    --------
    >>> points = preparation_study([[10.0, 0.0], [12.0, 1.0]], [0, 1])
    >>> [point.preparation for point in points]
    ['raw', 'center', 'standardize', 'unit']
    """
    limits, problem = Limits(time_limit=time_limit), _dense(X, y, positive)

    def point(how: How | str) -> StudiedPoint:
        prepared = Problem.validated(prepare(problem.X, how).X, problem.y)
        space, scale = with_bias_scale(prepared, bias_scale, limits)
        return _point(space, scale, max_mistakes, limits, is_best=bias_scale == "best", preparation=how)

    return _in_time(point, preparations, limits)


def _in_time(point: Callable[[Any], StudiedPoint], values: Iterable[Any], limits: Limits) -> tuple[StudiedPoint, ...]:
    """Return the points that are started before the time is over."""
    return tuple(point(value) for value in takewhile(lambda _: not limits.is_over(), values))


def _dense(X: Any, y: Any, positive: object) -> Problem:
    problem = Question.of(X, y, bias=True, positive=positive).problem
    if not isinstance(problem.row_source, InMemory):
        raise InvalidOptionError("the study needs the rows in memory; found rows elsewhere: allow more memory")
    return Problem(np.ascontiguousarray(problem.dense_rows(slice(None))), problem.y)


def _point(
    problem: Problem,
    scale: float,
    max_mistakes: int | None,
    limits: Limits,
    *,
    is_best: bool,
    shift: float = 0.0,
    preparation: How | str = How.RAW,
    hard: HardMargin | None = None,
) -> StudiedPoint:
    run = run_perceptron(problem, bias_scale=scale, max_mistakes=max_mistakes, time_limit=limits.share())
    if run.stop_reason is StopReason.INTERRUPTED:  # half a study would look like a whole one
        raise KeyboardInterrupt
    context = Context(problem=problem, run=run, n_passes=None, known_hard=hard, limits=limits)
    return StudiedPoint(
        preparation=str(preparation),
        shift=shift,
        bias_scale=scale,
        is_best_scale=is_best,
        radius=sqrt_up(context.square),
        offset=_offset(context.hard),
        margin_lower=context.hard.lower,
        margin_upper=context.hard.upper,
        n_mistakes=run.n_mistakes,
        converged=run.converged,
        novikoff=from_the_rows.novikoff(context).value,
        best_scale_bound=from_the_rows.best_scale(context).value,
    )


def _offset(hard: HardMargin) -> float | None:
    """Return |b*|/||w*||, rounded up."""
    if hard.w is None or hard.b is None:
        return None
    return sqrt_up(Fraction(hard.b) ** 2 / norm_squared(hard.w))
