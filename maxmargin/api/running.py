"""Runs of the perceptron and of the other online algorithms, and the constant coordinate that carries the bias."""

import math
from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from maxmargin.api.question import Question
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import check_choice
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError, option
from maxmargin.solvers.problem.problem import Problem
from maxmargin.text.progress import run_shown, shows_progress

if TYPE_CHECKING:
    import numpy as np

    from maxmargin.solvers.online.algorithm import OnlineRun
    from maxmargin.solvers.online.catalogue import OnlineAlgorithm
    from maxmargin.solvers.perceptron.result import PerceptronRun
    from maxmargin.solvers.perceptron.settings import RunProgress


Choice = TypeVar("Choice", bound=StrEnum)


@shows_progress(run_shown, "perceptron")
def perceptron(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    zero: str = "mistake",
    order: str = "cyclic",
    max_epochs: int | None = None,
    max_mistakes: int | None = 10_000_000,
    time_limit: float | None = None,
    verbose: bool = False,
    rng: "np.random.Generator | int | None" = None,
    method: str = "auto",
    on_progress: "Callable[[RunProgress], None] | None" = None,
) -> "PerceptronRun":
    """Run Rosenblatt's perceptron from w = 0: w += y_i x_i at every mistake.

    The mistakes are the ones that exact arithmetic makes: scores so near 0 that rounding could decide their sign are
    computed exactly, and ``n_ties`` counts them. Where that is not possible, for rows outside memory or after very many
    ties in large data, ``n_uncertain`` counts the scores whose sign rounding may have decided.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `separability`; None for a Dataset. Of
        more classes, `positive` has to choose one.
    bias : bool, optional
        If True, the default, the run is in the space of the rows (x, s) with the constant coordinate s = `bias_scale`.
        If False, it goes through the origin. A formula decides it.
    positive : label, optional
        The label that is +1, against all others.
    bias_scale : float or "best", default 1.0
        The constant coordinate s, positive. "best" is s = sqrt(R |b*|), where w*.x + b* = 0 with ||w*|| = 1 is the
        maximum-margin hyperplane and R the largest norm of a row; if b* = 0, the run goes through the origin.
    zero : {"mistake", "positive", "negative"}, default "mistake"
        Whether a score y w.x of exactly 0 is always a mistake, or is a prediction of +1 or of -1.
    order : {"cyclic", "shuffled-once", "reshuffled-each-epoch", "random"}, default "cyclic"
        The order of presentation. "random" draws each row independently.
    max_epochs : int or None, default None
        Largest number of epochs; None is no limit.
    max_mistakes : int or None, default 10_000_000
        Largest number of mistakes; None is no limit.
    time_limit : float, optional
        Seconds after which the run ends with ``stop_reason="time_limit"``, including the proofs at its end. There is no
        limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
    rng : numpy.random.Generator or int, optional
        The generator, or a seed, for the orders that are random.
    method : {"auto", "weights", "gram", "integers"}, default "auto"
        How scores are computed: from a vector of weights; from the Gram matrix of at most 2,048 rows; or in Python's
        integers, without compiled code. "auto" starts a run on few short rows in integers. The mistakes are always the
        same.
    on_progress : callable, optional
        A function that is called about ten times a second with a `RunProgress`.

    Returns
    -------
    PerceptronRun
        The hyperplane, the mistakes with their rows, and the margins and upper bounds that the run proves.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes, or ``bias_scale="best"`` is asked for data without a
        proven separating hyperplane.
    InvalidOptionError
        If an option has a value that it does not take.

    See Also
    --------
    mistake_bounds : Bound the number of mistakes.
    mistake_trace : Follow Novikoff's proof along a run.
    order_study : Run many orders of the rows.
    online : Run other online algorithms.

    References
    ----------
    .. [1] F. Rosenblatt, "The perceptron: a probabilistic model for information storage and organization in the brain",
       Psychological Review 65 (1958), 386-408.
    .. [2] A. B. J. Novikoff, "On convergence proofs on perceptrons", Symposium on the Mathematical Theory of Automata
       12 (1962), 615-622.

    Examples
    --------
    >>> perceptron([[10.0], [12.0]], [0, 1]).n_mistakes
    233
    """
    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    run = run_perceptron(
        question.problem,
        bias_scale=bias_scale,
        zero=zero,
        order=order,
        max_epochs=max_epochs,
        max_mistakes=max_mistakes,
        time_limit=question.limits.share(),
        rng=rng,
        method=method,
        on_progress=on_progress,
    )
    return question.named(run)


@shows_progress(run_shown, "online algorithm")
def online(
    X: Any,
    y: Any = None,
    algorithm: str = "averaged",
    *,
    bias: bool | None = None,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    order: str | None = None,
    max_epochs: int | None = 100,
    max_updates: int | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
    rng: "np.random.Generator | int | None" = None,
    on_progress: "Callable[[RunProgress], None] | None" = None,
    **parameters: Any,
) -> "OnlineRun":
    """Run an online algorithm, and check what the theory guarantees on this run.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly, in memory.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `separability`; None for a Dataset. Of
        more classes, `positive` has to choose one.
    algorithm : str, default "averaged"
        The name of one of the `online_algorithms`.
    bias : bool, optional
        If False, the run goes through the origin. The default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    bias_scale : float or "best", default 1.0
        The constant coordinate s that carries the bias, as in `perceptron`.
    order : {"cyclic", "shuffled-once", "reshuffled-each-epoch", "random"}, optional
        The order of presentation. The default is the algorithm's own: "random" for the pocket algorithm, "cyclic" for
        all others.
    max_epochs : int or None, default 100
        Largest number of epochs; None is no limit. If an algorithm looks at all rows for one update, that is an epoch.
    max_updates : int or None, default None
        Largest number of updates; None is no limit. Not every update is a mistake, hence not ``max_mistakes``.
    time_limit : float, optional
        Seconds after which the run ends with ``stop_reason="time_limit"``. The maximum margins with which guarantees
        are compared may take a fifth of this time, and at least half a second; guarantees that need more stay open.
        There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
    rng : numpy.random.Generator or int, optional
        The generator, or a seed, for the orders that are random.
    on_progress : callable, optional
        A function that is called about ten times a second with a `RunProgress`.
    **parameters
        The parameters of the algorithm, by name; `online_algorithms` lists them with their defaults.

    Returns
    -------
    OnlineRun
        The hyperplane, its margin, the counts of the run, and the guarantees.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes, are outside memory, or overflow.
    InvalidOptionError
        If an option or a parameter has a value that it does not take.

    See Also
    --------
    online_algorithms : List the algorithms, their parameters and their references.
    perceptron : Run Rosenblatt's algorithm, faster and on data of any size.

    References
    ----------
    .. [1] N. Cesa-Bianchi and G. Lugosi, "Prediction, Learning, and Games", Cambridge University Press (2006).

    Examples
    --------
    >>> run = online([[10.0], [12.0]], [0, 1], "margin-perceptron", beta=1.0, max_epochs=None)
    >>> run.n_errors, [(guarantee.name, guarantee.holds) for guarantee in run.guarantees]
    (0, [('updates', True), ('margin', True)])
    """
    from maxmargin.solvers.online.catalogue import algorithm_of
    from maxmargin.solvers.online.online_settings import OnlineSettings
    from maxmargin.solvers.online.run_online import run_online
    from maxmargin.solvers.perceptron.row_orders import Order

    chosen = algorithm_of(algorithm, parameters)
    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    problem, scale, time_limit = in_time(question.problem, bias_scale, question.limits.share())
    chosen_order = None if order is None else choice("order", order, Order)
    settings = OnlineSettings(
        bias_scale=scale, order=chosen_order, max_epochs=max_epochs, max_updates=max_updates, time_limit=time_limit
    )
    return question.named(run_online(problem, chosen, settings, rng=generator_of(rng), on_progress=on_progress))


def online_algorithms() -> "dict[str, OnlineAlgorithm]":
    """Return the algorithms of `online` by name.

    Returns
    -------
    dict of str to OnlineAlgorithm
        Each with its parameters and their defaults, a summary of one line, and its reference.

    See Also
    --------
    online : Run one of them.

    Examples
    --------
    >>> online_algorithms()["margin-perceptron"].parameters
    {'beta': 1.0}
    """
    from maxmargin.solvers.online.catalogue import entries

    return entries()


def run_perceptron(
    problem: Problem,
    *,
    bias_scale: float | str = 1.0,
    order: str = "cyclic",
    rng: "np.random.Generator | int | None" = None,
    on_progress: "Callable[[RunProgress], None] | None" = None,
    method: str = "auto",
    weights: Any = None,
    start: Any = None,
    **limits: Any,
) -> "PerceptronRun":
    """Do what `perceptron` does, for a stated problem; `limits` are its other options.

    With weights of the rows do what `weighted_perceptron` does, from the start if there is one.
    """
    from maxmargin.solvers.perceptron.row_orders import Order
    from maxmargin.solvers.perceptron.run import perceptron as run
    from maxmargin.solvers.perceptron.run import weighted_perceptron
    from maxmargin.solvers.perceptron.settings import EngineName, PerceptronSettings

    chosen_order, chosen_method = choice("order", order, Order), choice("method", method, EngineName)
    problem, scale, limits["time_limit"] = in_time(problem, bias_scale, limits.get("time_limit"))
    settings = PerceptronSettings(bias_scale=scale, order=chosen_order, method=chosen_method, **limits)
    if weights is not None:
        return weighted_perceptron(problem, settings, weights=weights, start=start, rng=generator_of(rng))
    return run(problem, settings, rng=generator_of(rng), on_progress=on_progress)


def with_bias_scale(problem: Problem, bias_scale: float | str, limits: Limits | None = None) -> tuple[Problem, float]:
    """Return the problem that a perceptron with this bias scale runs on, and the scale as a number.

    Raises
    ------
    InvalidOptionError
        If the scale is neither a number nor "best".
    InvalidProblemError
        If it is "best" and no separating hyperplane is proven.
    """
    if bias_scale == "best":
        return best_bias_scale(problem, limits)
    from maxmargin.solvers.exact.reals import binary64, short_repr

    scale = binary64(bias_scale)
    if scale is None:
        expected = "expected a positive number that binary64 holds, or 'best'"
        raise InvalidOptionError(f"bias_scale is {short_repr(bias_scale)}; {expected}")
    return problem, scale


def in_time(problem: Problem, bias_scale: float | str, time_limit: float | None) -> tuple[Problem, float, float | None]:
    """Return what `with_bias_scale` returns, and the seconds left for the run; finding "best" may take half of them.

    Raises
    ------
    InvalidOptionError, InvalidProblemError
        As `with_bias_scale`.
    """
    if bias_scale != "best":
        return *with_bias_scale(problem, bias_scale), time_limit
    limits = Limits(time_limit=time_limit)
    return *best_bias_scale(problem, limits.part(2)), limits.share()


def choice(name: str, value: str, choices: type[Choice]) -> Choice:
    """Return the member of an enumeration that the value of an option names.

    Raises
    ------
    InvalidOptionError
        If there is none.
    """
    check_choice(name, value, choices)
    return choices(value)


def generator_of(rng: "np.random.Generator | int | None") -> "np.random.Generator":
    """Return the generator, or a new one with this seed.

    Raises
    ------
    InvalidOptionError
        If it is neither.
    """
    import numpy as np

    expected = "expected a numpy Generator or a whole number from 0"
    if isinstance(rng, bool | np.bool):  # which numpy takes for a seed
        raise InvalidOptionError(f"rng is {rng!r}; {expected}")
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InvalidOptionError(f"rng is {rng!r}; {expected}") from error


def seed_of(rng: "np.random.Generator | int | None") -> int:
    """Return the seed that this is, or one that the generator draws: for work that starts many generators.

    Raises
    ------
    InvalidOptionError
        If it is neither a generator nor a seed.
    """
    generator, given = generator_of(rng), cast("object", rng)
    return int(given) if isinstance(given, Integral) else int(generator.integers(2**63))


def best_bias_scale(
    problem: Problem, limits: Limits | None = None, *, asked_by: str = option("bias_scale", "best")
) -> tuple[Problem, float]:
    """Return the problem and s = sqrt(R |b*|), which makes the bound on the mistakes smallest.

    If b* = 0, the problem returned goes through the origin.

    Raises
    ------
    InvalidProblemError
        If no separating hyperplane is proven.
    """
    from maxmargin.solvers.exact.dyadic import sqrt_up
    from maxmargin.solvers.hard_margin.hard_margin import hard_margin as solve
    from maxmargin.solvers.problem.problem import radius
    from maxmargin.solvers.proof.margin_certificate import MarginAtLeast, MarginExactly
    from maxmargin.solvers.proof.margins import norm_squared

    if not problem.bias:
        return problem, 1.0
    answer = solve(problem, time_limit=None if limits is None else limits.share())
    plane = answer.certificate
    if answer.w is not None and answer.b is not None:
        offset = sqrt_up(Fraction(answer.b) ** 2 / norm_squared(answer.w))
    elif isinstance(plane, MarginAtLeast | MarginExactly):  # no floats separate
        offset = sqrt_up(plane.b**2 / sum(v * v for v in plane.w))
    else:
        late = ": the time limit was reached" if limits is not None and limits.is_over() else ""
        raise InvalidProblemError(f"{asked_by} needs separable data; found {answer.status}{late}")
    # Novikoff's bound (R^2 + s^2)(1 + b*^2/s^2)/gamma*^2 is least where s^2 = R |b*|.
    if offset == 0:
        return Problem(problem.X, problem.y, bias=False), 1.0
    return problem, math.sqrt(radius(problem)) * math.sqrt(offset)
