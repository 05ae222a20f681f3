"""The online algorithms next to the perceptron, for arrays of any kind."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from maxmargin.api.question import Question
from maxmargin.api.running import choice, generator_of, in_time

if TYPE_CHECKING:
    import numpy as np

    from maxmargin.solvers.online.algorithm import OnlineRun
    from maxmargin.solvers.online.catalogue import OnlineAlgorithm
    from maxmargin.solvers.perceptron.settings import Progress


def online(
    X: Any,
    y: Any,
    algorithm: str = "averaged",
    *,
    bias: bool = True,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    order: str | None = None,
    max_epochs: int | None = 100,
    max_updates: int | None = None,
    time_limit: float | None = None,
    rng: "np.random.Generator | int | None" = None,
    on_progress: "Callable[[Progress], None] | None" = None,
    **parameters: Any,
) -> "OnlineRun":
    """Run an online algorithm, and check what the theory guarantees on this run.

    Parameters
    ----------
    X : array_like, SciPy sparse array, or data frame, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly, in memory.
    y : array_like of shape (n_samples,)
        Labels of two classes, as in `separability`; of more classes, `positive` has to choose one.
    algorithm : str, default "averaged"
        The name of one of the `online_algorithms`.
    bias : bool, default True
        If False, the run goes through the origin.
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
        Largest number of updates; None is no limit.
    time_limit : float, optional
        Seconds after which the run ends with ``stop_reason="time_limit"``. The maximum margins with which guarantees
        are compared may take a fifth of this time, and at least half a second; guarantees that need more stay open.
        There is no limit by default.
    rng : numpy.random.Generator or int, optional
        The generator, or a seed, for the orders that are random.
    on_progress : callable, optional
        A function that is called about ten times a second with a `Progress`.
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
    question = Question.of(X, y, bias=bias, positive=positive)
    problem, scale, time_limit = in_time(question.problem, bias_scale, time_limit)
    settings = OnlineSettings(
        bias_scale=scale,
        order=None if order is None else choice("order", order, Order),
        max_epochs=max_epochs,
        max_updates=max_updates,
        time_limit=time_limit,
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
