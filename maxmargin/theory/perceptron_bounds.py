"""Bounds on the number of mistakes of the perceptron, each with its space, its assumption and its value."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

from maxmargin.api.question import Question
from maxmargin.api.running import best_bias_scale, run_perceptron
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.perceptron.result import PerceptronRun, ran_on
from maxmargin.solvers.perceptron.settings import RunProgress
from maxmargin.solvers.problem.problem import Problem
from maxmargin.text.progress import shows_progress, waiting
from maxmargin.theory import from_the_rows, from_the_run
from maxmargin.theory.bound import Bound as Bound
from maxmargin.theory.context import Context

# Shares into which a time limit is divided; the run takes one of them, the margins take the rest.
_SHARES_OF_THE_RUN = 2


@shows_progress(waiting, "running the perceptron and proving its bounds")
def mistake_bounds(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    run: PerceptronRun | None = None,
    n_passes: int | None = None,
    C: float = 1.0,
    time_limit: float | None = None,
    verbose: bool = False,
) -> tuple[Bound, ...]:
    """Return the bounds on the number of mistakes of a perceptron that starts at w = 0.

    The attribute ``holds_for`` of a bound says which runs it is about: those in any order until convergence, those
    in any order that presents every row once in each of a number of passes, or a single run (self_certificate,
    sum_of_squares, slack_of_the_mistakes). The bounds hold for each of the three rules for y w.x = 0, because every
    update has y w.x <= 0. A bound whose assumption fails has ``valid=False``; data that are not separable raise no
    error.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `maxmargin.separability`; None for a
        Dataset. Of more classes, `positive` has to choose one.
    bias : bool, optional
        If True, the default, the run is in the space of the rows (x, s) with the constant coordinate s = `bias_scale`.
        If False, it goes through the origin. A formula decides it.
    positive : label, optional
        The label that is +1, against all others.
    bias_scale : float or "best", default 1.0
        The constant coordinate s of the run, as in `maxmargin.perceptron`; "best" falls back to 1 if the data are not
        proven separable.
    run : PerceptronRun, optional
        A run on these rows, from `maxmargin.perceptron`: the bounds are about the mistakes in the passes that it made,
        whether it converged or not. It decides `bias_scale` and `n_passes`, and whether there is a bias. By default the
        run is made here, in cyclic order with ``zero="mistake"``.
    n_passes : int or None, default None
        The number of passes over the rows; None means until convergence, with at most 10 million mistakes. With None,
        counts and slacks of a run that did not converge bound nothing beyond it, and have ``valid=False``.
    C : float, default 1.0
        The parameter of the soft margin whose solution is the u of the Freund-Schapire bound.
    time_limit : float, optional
        Seconds after which the work stops: a run may then have made fewer passes, and bounds may be larger than
        necessary or not proven to hold. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    tuple of Bound
        Each with its value, its assumption, and whether it is proven to hold.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes, or `run` was made on other rows.
    InvalidOptionError
        If an option has a value that it does not take, or one that `run` decides.

    See Also
    --------
    maxmargin.perceptron : Run the perceptron whose mistakes are bounded.
    maxmargin.order_study : Compare the bounds with the mistakes in many orders.

    References
    ----------
    .. [1] A. B. J. Novikoff, "On convergence proofs on perceptrons", Symposium on the Mathematical Theory of Automata
       12 (1962), 615-622.
    .. [2] Y. Freund and R. E. Schapire, "Large margin classification using the perceptron algorithm", Machine Learning
       37 (1999), 277-296.
    .. [3] C. Gentile, "The robustness of the p-norm algorithms", Machine Learning 53 (2003), 265-299.

    Examples
    --------
    >>> import maxmargin as mm
    >>> X, y = [[10.0], [12.0]], [0, 1]
    >>> run = mm.perceptron(X, y)
    >>> bounds = {bound.name: bound for bound in mistake_bounds(X, y, run=run)}
    >>> run.n_mistakes, round(bounds["novikoff"].value), bounds["novikoff"].holds_for
    (233, 17690, 'any order, to convergence')
    """
    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    problem, limits = question.problem, question.limits
    if run is None:
        return run_and_bounds(problem, bias_scale=bias_scale, n_passes=n_passes, C=C, time_limit=limits.share())[1]
    if not isinstance(run, PerceptronRun):
        raise InvalidOptionError(f"run is {type(run).__name__}; expected a PerceptronRun, from maxmargin.perceptron")
    if n_passes is not None or bias_scale != 1.0:
        raise InvalidOptionError("run= decides bias_scale and n_passes: leave them out")
    if problem.bias and not run.bias:
        problem = replace(problem, bias=False)  # the run went through the origin
    if not ran_on(problem, run):
        raise InvalidProblemError("this run was made on other rows or labels, or with another bias")
    return bounds_of(context_of_run(problem, run, C=C, limits=limits))


def run_and_bounds(
    problem: Problem,
    *,
    bias_scale: float | str = 1.0,
    n_passes: int | None = None,
    until_convergence: bool = True,
    C: float = 1.0,
    time_limit: float | None = None,
    on_progress: Callable[[RunProgress], None] | None = None,
) -> tuple[PerceptronRun, tuple[Bound, ...]]:
    """Return the run that the bounds are about, and the bounds; most parameters are as in `mistake_bounds`.

    Parameters
    ----------
    until_convergence : bool
        Whether ``n_passes=None`` asks for bounds until convergence, and not for those of the passes that the run makes.

    Raises
    ------
    InvalidOptionError
        If an option has a value that it does not take.
    """
    n_passes = None if n_passes is None else whole_number("n_passes", n_passes, otherwise=", or None")
    limits, scale = Limits(time_limit=time_limit), bias_scale
    if bias_scale == "best":
        scale = 1.0  # of data that are not proven separable
        with suppress(InvalidProblemError):
            problem, scale = best_bias_scale(problem, limits)
    run = run_perceptron(
        problem,
        bias_scale=scale,
        max_epochs=n_passes,
        time_limit=limits.share(_SHARES_OF_THE_RUN),
        on_progress=on_progress,
    )
    if n_passes is None and not until_convergence:
        return run, bounds_of(context_of_run(problem, run, C=C, limits=limits))
    return run, bounds_of(Context(problem=problem, run=run, n_passes=n_passes, C=C, limits=limits))


def context_of_run(problem: Problem, run: PerceptronRun, **known: Any) -> Context:
    """Return the context of bounds on the mistakes that a run has made in its passes, with fields that are known."""
    n_passes = max(1, run.n_epochs)  # of a run that the time cut within its first pass
    return Context(problem=problem, run=run, n_passes=n_passes, is_as_far_as_it_went=True, **known)


def bounds_of(context: Context) -> tuple[Bound, ...]:
    """Return every bound."""
    return (
        from_the_rows.novikoff(context),
        from_the_rows.augmented_offset(context),
        from_the_rows.best_scale(context),
        from_the_rows.best_scale_searched(context),
        from_the_rows.unit_norm(context),
        from_the_run.sum_of_squares(context),
        from_the_run.self_certificate(context),
        from_the_run.freund_schapire(context),
        *from_the_run.optima(context),
        from_the_run.slack_of_the_mistakes(context),
        from_the_rows.conjunction(context),
        from_the_run.trivial(context),
    )
